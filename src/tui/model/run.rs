//! A run on the screen: the core's fold of its events, and what only a screen needs.
//!
//! [`RunView`] holds the facts; a [`Pane`] holds the same text made safe and wrapped, its scroll
//! position and its speed. Text is appended as it arrives and never processed again; of a very long
//! one, only the end is kept. Changing figures are read twice a second ([`LiveRun::read_figures`]),
//! which keeps them legible and cheap to draw.

use std::collections::BTreeSet;

use aludel_core::domain::{ModelMetadata, Phase, Prompt, Ranking, Step};
use aludel_core::error::Problem;
use aludel_core::event::{Event, EventKind, PhaseState, PhaseView, RunState, RunView, VariantState, VariantView};
use aludel_core::text::tokens;
use serde_json::Value;

use super::Costly;
use crate::tui::effect::Ticket;
use crate::tui::widgets::figures::Speed;
use crate::tui::widgets::safe::Sanitizer;
use crate::tui::widgets::scroll::Scroll;
use crate::tui::widgets::wrapped::Wrapped;

/// One phase of one variant, as shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pane {
    /// The text so far, safe and wrapped.
    pub(crate) text: Wrapped,
    /// Its scroll position.
    pub(crate) scroll: Scroll,
    /// Estimated tokens so far, as of the last reading.
    pub(crate) tokens: u64,
    /// Tokens per second, as of the last reading.
    pub(crate) speed: u64,
    /// When it began.
    pub(crate) since: u64,
    /// When the next attempt is due.
    pub(crate) retry_at: u64,
    /// Bytes dropped from the start; [`RunView`] has them.
    pub(crate) dropped_bytes: usize,
    /// How often the text was reset, or its start dropped.
    pub(crate) emptied: u64,
    sanitizer: Sanitizer,
    tokens_arrived: TokenCount,
    rate: Speed,
}

/// Estimates the tokens of a text that arrives in pieces, cut anywhere: each word counts once.
#[derive(Debug, Clone, Default)]
struct TokenCount {
    settled: u64,
    /// The last word, which may continue.
    open: String,
}

impl TokenCount {
    /// Longer words are counted in parts, which bounds the cost of text without blanks.
    const LONGEST: usize = 256;

    /// Adds a piece and returns how many tokens it added.
    fn push(&mut self, piece: &str) -> u64 {
        let before = self.total();
        self.open.push_str(piece);
        let settled = if self.open.len() > Self::LONGEST {
            self.open.len()
        } else {
            // Blanks that may continue stay open too.
            self.open.rfind(char::is_whitespace).map_or(0, |at| self.open[..at].trim_end().len())
        };
        self.settled += tokens::estimate(&self.open[..settled]);
        self.open.drain(..settled);
        self.total().saturating_sub(before)
    }

    fn total(&self) -> u64 {
        self.settled + tokens::estimate(&self.open)
    }
}

impl Pane {
    /// Most bytes of text a pane holds, in case a model does not stop; each row takes 8 more.
    pub(crate) const MOST_BYTES: usize = 1_000_000;

    fn begin(&mut self, now: u64) {
        self.clear();
        self.since = now;
    }

    fn clear(&mut self) {
        self.text.clear();
        self.emptied += 1;
        self.sanitizer = Sanitizer::default();
        self.rate = Speed::default();
        self.tokens_arrived = TokenCount::default();
        (self.tokens, self.speed, self.dropped_bytes) = (0, 0, 0);
    }

    fn push(&mut self, piece: &str, now: u64) {
        self.rate.note(now, self.tokens_arrived.push(piece));
        let sanitizer = &mut self.sanitizer;
        self.text.append_with(|text| sanitizer.push(piece, text));
        let (rows, bytes) = self.text.keep_last(Self::MOST_BYTES);
        self.scroll.top = self.scroll.top.saturating_sub(rows);
        if bytes > 0 {
            self.dropped_bytes += bytes;
            // Matches and selections in it are now elsewhere.
            self.emptied += 1;
        }
    }

    /// Scrolls a finished text to its start, unless the user scrolled it.
    fn rest_at_top(&mut self) {
        if !self.scroll.touched {
            self.scroll = Scroll { top: 0, following: false, touched: false };
        }
    }

    fn read_figures(&mut self, now: u64) {
        self.tokens = self.tokens_arrived.total();
        self.speed = self.rate.per_second(now, self.since);
    }
}

/// The progress of one phase of one variant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum PhasePane<'a> {
    /// Waits for the phase before it.
    Queued,
    /// Done by an earlier attempt of the job being resumed; its text comes with the prompt.
    Earlier,
    /// Requested; nothing has arrived yet.
    Connecting,
    /// Text is arriving.
    Streaming,
    /// Failed; will be retried.
    Retrying {
        /// The next attempt.
        attempt: u32,
        /// Why the last one failed.
        error: &'a Problem,
    },
    /// Complete.
    Done(&'a ModelMetadata),
    /// Failed for good.
    Failed(&'a Problem),
    /// Stopped by the user or by the end of the run.
    Stopped,
    /// Never started, because the variant ended earlier.
    NotReached,
}

/// The run on the screen.
#[derive(Debug)]
pub(crate) struct LiveRun {
    /// Identifies it.
    pub(crate) ticket: Ticket,
    /// The request as it was made.
    pub(crate) raw: Value,
    /// The fold of its events.
    pub(crate) view: RunView,
    /// Why it was refused.
    pub(crate) refusal: Option<Box<Problem>>,
    /// Set if it only awaits the user's consent to its cost.
    pub(crate) asks: Option<Costly>,
    /// When it was requested.
    pub(crate) since: u64,
    /// Its duration, once over.
    pub(crate) took: Option<u64>,
    /// True once the user asked to stop it.
    pub(crate) stopping: bool,
    /// Variants stopped by the user.
    pub(crate) stopped: BTreeSet<u32>,
    /// The variant that keys act on.
    pub(crate) active: u32,
    /// The phase shown of every variant; `None` for the newest of each.
    pub(crate) phase: Option<usize>,
    /// The variant and phase being read: they stay shown when the next phase begins.
    pub(crate) read: Option<(u32, usize)>,
    /// True once the user chose a variant.
    chosen: bool,
    panes: Vec<Vec<Pane>>,
    figures_at: u64,
}

impl LiveRun {
    /// Milliseconds between readings of the figures.
    pub(crate) const FIGURES_MS: u64 = 500;

    /// A run that was just requested.
    pub(crate) fn new(ticket: Ticket, raw: Value, now: u64) -> Self {
        Self {
            ticket,
            raw,
            view: RunView::default(),
            refusal: None,
            asks: None,
            since: now,
            took: None,
            stopping: false,
            stopped: BTreeSet::new(),
            active: 0,
            phase: None,
            read: None,
            chosen: false,
            panes: Vec::new(),
            figures_at: now,
        }
    }

    /// True until it is over or refused.
    pub(crate) fn is_live(&self) -> bool {
        self.refusal.is_none() && !self.view.is_over()
    }

    /// Applies one event that arrived at `now`.
    pub(crate) fn apply(&mut self, event: &Event, now: u64) {
        if self.view.is_over() {
            return;
        }
        match &event.kind {
            EventKind::PhaseStarted { variant, phase, .. } => self.on_pane(*variant, *phase, |pane| pane.begin(now)),
            EventKind::Delta { variant, phase, text } => self.on_pane(*variant, *phase, |pane| pane.push(text, now)),
            EventKind::Retrying { variant, phase, delay_ms, .. } => self.on_pane(*variant, *phase, |pane| {
                pane.clear();
                pane.retry_at = now + delay_ms;
            }),
            EventKind::PhaseFinished { variant, phase, content, .. } => {
                // The pieces add up to the content; if a provider broke that, the content wins.
                let differs = self.phase_view(*variant, *phase).is_none_or(|view| view.text != *content);
                self.on_pane(*variant, *phase, |pane| {
                    if differs {
                        pane.clear();
                        pane.push(content, now);
                    }
                    pane.read_figures(now);
                    pane.rest_at_top();
                });
            }
            _ => {}
        }
        self.view.apply(event);
        if let EventKind::VariantFinished { prompt, .. } = &event.kind {
            self.take_earlier(prompt, now);
        }
        match &event.kind {
            EventKind::Started { phases, .. } => {
                self.panes = vec![vec![Pane::default(); phases.len()]; self.view.variants.len()];
            }
            EventKind::Ranked { .. } => self.show_best(),
            kind if kind.is_terminal() => {
                self.took = Some(now.saturating_sub(self.since));
                self.read_figures(now, true);
            }
            _ => {}
        }
    }

    /// Reads the changing figures, at most every [`Self::FIGURES_MS`] unless `at_once`.
    pub(crate) fn read_figures(&mut self, now: u64, at_once: bool) {
        if at_once || now >= self.figures_at + Self::FIGURES_MS {
            self.figures_at = now;
            for pane in self.panes.iter_mut().flatten() {
                pane.read_figures(now);
            }
        }
    }

    /// Milliseconds from the request to the last reading, or to the end.
    pub(crate) fn elapsed(&self) -> u64 {
        self.took.unwrap_or_else(|| self.figures_at.saturating_sub(self.since))
    }

    /// When the next reading of the figures is due.
    pub(crate) const fn figures_due(&self) -> u64 {
        self.figures_at + Self::FIGURES_MS
    }

    /// The number of variants.
    pub(crate) fn variants(&self) -> u32 {
        u32::try_from(self.panes.len()).unwrap_or(u32::MAX)
    }

    /// The index of the phase shown of `variant`: the chosen one, the one being read or the newest.
    pub(crate) fn shown_phase(&self, variant: u32) -> usize {
        let read = self.read.filter(|(reader, _)| *reader == variant).map(|(_, phase)| phase);
        self.phase.or(read).unwrap_or_else(|| self.newest_phase(variant))
    }

    /// The index of the newest phase of `variant`; 0 before one has started.
    pub(crate) fn newest_phase(&self, variant: u32) -> usize {
        self.view.variants.get(&variant).and_then(|variant| self.newest_of(variant)).unwrap_or(0)
    }

    /// The same; `None` before one has started. A resumed job can start with a later phase.
    fn newest_of(&self, variant: &VariantView) -> Option<usize> {
        let begun = variant.phases.last()?;
        self.view.phases.iter().position(|phase| *phase == begun.phase)
    }

    /// The pane of phase number `phase` of `variant`.
    pub(crate) fn pane(&self, variant: u32, phase: usize) -> Option<&Pane> {
        self.panes.get(variant as usize)?.get(phase)
    }

    /// Like [`Self::pane`], mutable.
    pub(crate) fn pane_mut(&mut self, variant: u32, phase: usize) -> Option<&mut Pane> {
        self.panes.get_mut(variant as usize)?.get_mut(phase)
    }

    /// The core's view of phase number `phase` of `variant`, once started.
    pub(crate) fn begun(&self, variant: u32, phase: usize) -> Option<&PhaseView> {
        self.phase_view(variant, *self.view.phases.get(phase)?)
    }

    /// The progress of phase number `phase` of `variant`.
    pub(crate) fn phase_pane(&self, variant: u32, phase: usize) -> PhasePane<'_> {
        let Some(of) = self.view.variants.get(&variant) else { return PhasePane::Queued };
        let over = self.view.is_over();
        let Some(begun) = self.begun(variant, phase) else {
            let failed = matches!(of.state, VariantState::Failed(_));
            return match &of.state {
                _ if self.is_behind(of, phase) => PhasePane::Earlier,
                _ if !failed && !over => PhasePane::Queued,
                // What ended it between two phases is shown where it would have continued.
                _ if !self.is_next(of, phase) => PhasePane::NotReached,
                VariantState::Failed(problem) if !self.stopped.contains(&variant) => PhasePane::Failed(problem),
                _ => PhasePane::Stopped,
            };
        };
        match (&begun.state, &of.state) {
            (PhaseState::Finished(metadata), _) => PhasePane::Done(metadata),
            (_, VariantState::Failed(_)) if self.stopped.contains(&variant) => PhasePane::Stopped,
            (_, VariantState::Failed(problem)) => PhasePane::Failed(problem),
            _ if over => PhasePane::Stopped,
            (PhaseState::Retrying { attempt, error, .. }, _) => PhasePane::Retrying { attempt: *attempt, error },
            (PhaseState::Streaming, _) if begun.text.is_empty() => PhasePane::Connecting,
            (PhaseState::Streaming | PhaseState::Failed, _) => PhasePane::Streaming,
        }
    }

    /// Records that the user asked to stop it: running variants count as stopped, not failed.
    pub(crate) fn stop_all(&mut self) {
        self.stopping = true;
        let running: Vec<u32> = (0..self.variants()).filter(|variant| self.is_running(*variant)).collect();
        self.stopped.extend(running);
    }

    /// The finished prompt of `variant`; with its score once the run has a result.
    pub(crate) fn prompt(&self, variant: u32) -> Option<&Prompt> {
        if let Some(result) = self.view.generation() {
            return result.prompts.iter().find(|prompt| prompt.variant == variant);
        }
        match &self.view.variants.get(&variant)?.state {
            VariantState::Finished(prompt) => Some(prompt),
            _ => None,
        }
    }

    /// The ranking of `variant`, once ranked.
    pub(crate) fn ranking(&self, variant: u32) -> Option<&Ranking> {
        let id = self.prompt(variant)?.id;
        self.view.rankings.iter().find(|ranking| ranking.prompt_id == id)
    }

    /// The best variant, once ranked.
    pub(crate) fn best(&self) -> Option<u32> {
        let best = self.view.rankings.iter().min_by_key(|ranking| ranking.rank)?;
        (0..self.variants()).find(|variant| self.prompt(*variant).is_some_and(|prompt| prompt.id == best.prompt_id))
    }

    /// Why `variant` failed, unless the user stopped it.
    pub(crate) fn failure(&self, variant: u32) -> Option<&Problem> {
        match &self.view.variants.get(&variant)?.state {
            VariantState::Failed(problem) if !self.stopped.contains(&variant) => Some(problem),
            _ => None,
        }
    }

    /// Why finished `variant` is not stored, and where its text was saved.
    pub(crate) fn unsaved(&self, variant: u32) -> Option<&str> {
        self.view.variants.get(&variant)?.unsaved.as_deref()
    }

    /// The number of variants finished but not stored.
    pub(crate) fn unsaved_count(&self) -> usize {
        self.view.unsaved().count()
    }

    /// The number of finished variants.
    pub(crate) fn finished(&self) -> usize {
        self.view.finished_prompts().count()
    }

    /// True while `variant` is running in a live run.
    pub(crate) fn is_running(&self, variant: u32) -> bool {
        let state = self.view.variants.get(&variant).map(|variant| &variant.state);
        self.is_live() && matches!(state, Some(VariantState::Queued | VariantState::Running))
    }

    /// Tokens, cost and time of the calls that ended.
    pub(crate) fn account(&self) -> ModelMetadata {
        self.view.account()
    }

    /// True while calls are under way, whose cost is still unknown.
    pub(crate) fn is_calling(&self) -> bool {
        self.is_live() && self.view.variants.values().any(|variant| variant.state == VariantState::Running)
    }

    /// Estimated tokens of the phases still streaming, as of the last reading.
    pub(crate) fn tokens_under_way(&self) -> u64 {
        let phases = self.view.phases.len();
        (0..self.variants())
            .flat_map(|variant| (0..phases).map(move |phase| (variant, phase)))
            .filter(|(variant, phase)| {
                matches!(self.phase_pane(*variant, *phase), PhasePane::Streaming | PhasePane::Stopped)
            })
            .filter_map(|(variant, phase)| self.pane(variant, phase))
            .map(|pane| pane.tokens)
            .sum()
    }

    /// Activates the variant `step` places on; stops at the ends.
    pub(crate) fn choose_variant(&mut self, step: i32) {
        self.chosen = true;
        self.active = self.active.saturating_add_signed(step).min(self.variants().saturating_sub(1));
    }

    /// Shows the phase `step` places on; beyond the last one, the newest of each variant.
    pub(crate) fn choose_phase(&mut self, step: isize) {
        let last = self.view.phases.len().saturating_sub(1);
        let next = self.shown_phase(self.active).saturating_add_signed(step);
        self.phase = (next <= last).then_some(next);
    }

    /// Activates this phase of this variant. Does not pin a phase that is shown anyway.
    pub(crate) fn choose(&mut self, variant: u32, phase: usize) {
        self.chosen = true;
        self.active = variant.min(self.variants().saturating_sub(1));
        if self.shown_phase(self.active) != phase {
            self.phase = Some(phase);
        }
    }

    /// Why the run has no result, if it failed.
    pub(crate) fn run_failure(&self) -> Option<&Problem> {
        match &self.view.state {
            RunState::Failed(problem) => Some(problem),
            _ => self.refusal.as_deref(),
        }
    }

    /// True for the phase that would start next: all earlier ones are finished.
    fn is_next(&self, variant: &VariantView, phase: usize) -> bool {
        let finished = variant.phases.iter().all(|begun| matches!(begun.state, PhaseState::Finished(_)));
        finished && self.newest_of(variant).map_or(0, |newest| newest + 1) == phase
    }

    /// True if `phase` has not started here, but a later one has.
    fn is_behind(&self, variant: &VariantView, phase: usize) -> bool {
        let later = self.view.phases.get(phase + 1..).unwrap_or_default();
        variant.phases.iter().any(|begun| later.contains(&begun.phase))
    }

    /// Adds the phases of a finished prompt that an earlier attempt completed, without events.
    fn take_earlier(&mut self, prompt: &Prompt, now: u64) {
        let unknown = |step: &&Step| {
            self.view.phases.contains(&step.phase) && self.phase_view(prompt.variant, step.phase).is_none()
        };
        let steps: Vec<&Step> = prompt.steps.iter().filter(unknown).collect();
        for step in steps {
            let view = PhaseView {
                phase: step.phase,
                provider: step.provider.clone(),
                model: step.model.clone(),
                state: PhaseState::Finished(Box::new(step.model_metadata.clone())),
                text: step.content.clone(),
            };
            let order = &self.view.phases;
            let Some(variant) = self.view.variants.get_mut(&prompt.variant) else { return };
            variant.phases.push(view);
            variant.phases.sort_by_key(|begun| order.iter().position(|phase| *phase == begun.phase));
            self.on_pane(prompt.variant, step.phase, |pane| {
                pane.begin(now);
                pane.push(&step.content, now);
                pane.read_figures(now);
                pane.rest_at_top();
            });
        }
    }

    fn phase_view(&self, variant: u32, phase: Phase) -> Option<&PhaseView> {
        self.view.variants.get(&variant)?.phases.iter().rev().find(|view| view.phase == phase)
    }

    fn on_pane(&mut self, variant: u32, phase: Phase, change: impl FnOnce(&mut Pane)) {
        let at = self.view.phases.iter().position(|each| *each == phase);
        if let Some(pane) = at.and_then(|at| self.pane_mut(variant, at)) {
            change(pane);
        }
    }

    /// Activates the best variant, unless the user chose another.
    fn show_best(&mut self) {
        if let (false, Some(best)) = (self.chosen, self.best()) {
            self.active = best;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
