//! The Judge screen: the candidates, the comparisons as they arrive, and the result.
//!
//! [`RunView`] folds the events as for every run; this adds what only a screen needs.

use aludel_core::domain::{Comparison, PromptId, SelectResult, with_names};
use aludel_core::error::Problem;
use aludel_core::event::{Event, RunState, RunView};
use serde_json::{Map, Value, json};

use super::Costly;
use super::choice::Chosen;
use crate::tui::effect::Ticket;
use crate::tui::widgets::blocks::Blocks;
use crate::tui::widgets::figures::score;
use crate::tui::widgets::safe::safe;
use crate::tui::widgets::wrapped::Wrapped;

/// The role of a block of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportRole {
    /// A heading.
    Heading,
    /// The judge's words, or ours about them.
    Text,
    /// A warning.
    Warning,
}

/// A judging.
#[derive(Debug)]
pub(crate) struct JudgingView {
    /// Identifies its run.
    pub(crate) ticket: Ticket,
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
}

impl JudgingView {
    /// True until it is over or refused.
    pub(crate) fn is_live(&self) -> bool {
        self.refusal.is_none() && !self.view.is_over()
    }

    /// The result.
    pub(crate) fn result(&self) -> Option<&SelectResult> {
        match &self.view.state {
            RunState::Finished(outcome) => outcome.selection(),
            _ => None,
        }
    }

    /// Why it failed.
    pub(crate) fn failure(&self) -> Option<&Problem> {
        match &self.view.state {
            RunState::Failed(problem) => Some(problem),
            _ => self.refusal.as_deref(),
        }
    }
}

/// The standing of a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row<'a> {
    /// The candidate.
    pub(crate) chosen: &'a Chosen,
    /// The strength and its interval, 0..=1, once concluded.
    pub(crate) strength: Option<(f64, [f64; 2])>,
    /// Comparisons won, lost and tied.
    pub(crate) tally: [u32; 3],
    /// How many comparisons gave the same result in both orders, and of how many.
    pub(crate) orders: (u32, u32),
}

/// What to do with a candidate once it has been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// Its tags are asked for.
    Tag,
    /// It is handed to the clipboard.
    Copy,
    /// It is put into the input.
    Open,
    /// It gets the winner's tag.
    Accept,
}

/// The Judge screen.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    /// The candidates: none, or at least two.
    pub(crate) prompts: Vec<Chosen>,
    /// The task they are judged for, if the user gave one; else the request they were made from.
    pub(crate) task: Option<String>,
    /// The current or last judging.
    pub(crate) judged: Option<JudgingView>,
    /// The selected row.
    pub(crate) marked: usize,
    /// The first visible row of the report.
    pub(crate) top: usize,
    /// A candidate being read, and what to do with it then.
    pub(crate) reading: Option<(Ticket, After)>,
    /// The report.
    pub(crate) said: Blocks<ReportRole>,
}

impl Judge {
    /// A screen with these prompts, not judged yet.
    pub(crate) fn of(prompts: Vec<Chosen>, task: Option<String>) -> Self {
        Self { prompts, task, ..Self::default() }
    }

    /// The raw request.
    pub(crate) fn request(&self, budget_usd: Option<f64>) -> Value {
        let ids: Vec<PromptId> = self.prompts.iter().map(|chosen| chosen.id).collect();
        let mut raw = Map::from_iter([("prompt_ids".to_owned(), json!(ids))]);
        raw.extend(self.task.as_ref().map(|task| ("task_description".to_owned(), json!(task))));
        raw.extend(budget_usd.map(|most| ("budget_usd".to_owned(), json!(most))));
        raw.into()
    }

    /// The judging under way.
    pub(crate) fn live(&self) -> Option<&JudgingView> {
        self.judged.as_ref().filter(|judged| judged.is_live())
    }

    /// Starts a new judging.
    pub(crate) fn begin(&mut self, ticket: Ticket, now: u64) {
        let view = RunView::default();
        self.judged = Some(JudgingView { ticket, view, refusal: None, asks: None, since: now, took: None });
        (self.marked, self.top) = (0, 0);
        self.say_all();
    }

    /// Applies events of the run with this ticket.
    pub(crate) fn apply(&mut self, ticket: Ticket, events: &[Event], now: u64) {
        let Some(judged) = self.judged.as_mut().filter(|judged| judged.ticket == ticket) else { return };
        for event in events {
            judged.view.apply(event);
        }
        if judged.view.is_over() && judged.took.is_none() {
            judged.took = Some(now.saturating_sub(judged.since));
            (self.marked, self.top) = (0, 0);
        }
        self.say_all();
    }

    /// Records that the run with this ticket awaits consent to its cost.
    pub(crate) fn ask(&mut self, ticket: Ticket, costly: &Costly) {
        if let Some(judged) = self.judged.as_mut().filter(|judged| judged.ticket == ticket) {
            judged.asks = Some(costly.clone());
            self.say_all();
        }
    }

    /// Records that the run with this ticket was refused.
    pub(crate) fn refuse(&mut self, ticket: Ticket, problem: Box<Problem>) {
        if let Some(judged) = self.judged.as_mut().filter(|judged| judged.ticket == ticket) {
            judged.refusal = Some(problem);
            self.say_all();
        }
    }

    /// The label of a prompt.
    pub(crate) fn label(&self, id: PromptId) -> String {
        let known = self.prompts.iter().find(|chosen| chosen.id == id);
        known.map_or_else(|| id.short(), |chosen| chosen.label.clone())
    }

    /// The candidates, best first once concluded; until then in the order they were chosen.
    pub(crate) fn rows(&self) -> Vec<Row<'_>> {
        let comparisons = self.comparisons();
        let row = |chosen: &'_ Chosen| -> ([u32; 3], (u32, u32)) {
            let own = comparisons.iter().filter(|comparison| [comparison.a, comparison.b].contains(&chosen.id));
            own.fold(([0; 3], (0, 0)), |([won, lost, even], (alike, all)), comparison| {
                let tally = match comparison.winner {
                    None => [won, lost, even + 1],
                    Some(winner) if winner == chosen.id => [won + 1, lost, even],
                    Some(_) => [won, lost + 1, even],
                };
                (tally, (alike + u32::from(comparison.agreed), all + 1))
            })
        };
        let mut rows: Vec<Row<'_>> = self
            .prompts
            .iter()
            .map(|chosen| {
                let (tally, orders) = row(chosen);
                Row { chosen, strength: None, tally, orders }
            })
            .collect();
        if let Some(result) = self.judged.as_ref().and_then(JudgingView::result) {
            let place = |id| result.ranking.iter().position(|standing| standing.prompt_id == id).unwrap_or(usize::MAX);
            for row in &mut rows {
                let standing = result.ranking.iter().find(|standing| standing.prompt_id == row.chosen.id);
                row.strength = standing.map(|standing| (standing.score, standing.interval));
            }
            rows.sort_by_key(|row| place(row.chosen.id));
        }
        rows
    }

    /// The comparisons so far.
    pub(crate) fn comparisons(&self) -> &[Comparison] {
        self.judged.as_ref().map_or(&[], |judged| &judged.view.comparisons)
    }

    /// The prompt of the selected row.
    pub(crate) fn marked_prompt(&self) -> Option<Chosen> {
        self.rows().get(self.marked).map(|row| row.chosen.clone())
    }

    /// The winner, once there is one.
    pub(crate) fn winner(&self) -> Option<PromptId> {
        Some(self.judged.as_ref()?.result()?.prompt.id)
    }

    /// The number of rows of the report.
    pub(crate) const fn said_rows(&self) -> usize {
        self.said.len()
    }

    /// Wraps the report to `width` columns and limits the scroll position to `height` rows.
    pub(crate) fn reflow(&mut self, width: u16, height: usize) {
        self.said.set_width(width);
        self.top = self.top.min(self.said_rows().saturating_sub(height));
        self.marked = self.marked.min(self.prompts.len().saturating_sub(1));
    }

    /// Rebuilds the report: who won and why, then each comparison, the newest first.
    fn say_all(&mut self) {
        let mut said = Vec::new();
        let mut say = |kind, text: &str| said.push((kind, Wrapped::of(safe(text), 80)));
        let Some(judged) = &self.judged else {
            self.said = Blocks::default();
            return;
        };
        if let Some(problem) = judged.failure() {
            match &judged.asks {
                Some(costly) => say(ReportRole::Heading, &format!("{} Nothing was sent.", costly.told())),
                None => say(ReportRole::Warning, &format!("{} ({})", problem.title, problem.code)),
            }
            if problem.errors.is_empty() {
                say(ReportRole::Text, &self.with_labels(&problem.detail));
            }
            for fault in &problem.errors {
                say(ReportRole::Text, &self.with_labels(&fault.to_string()));
            }
        }
        if let Some(result) = judged.result() {
            say(ReportRole::Heading, &result.sureness(|id| self.label(id)));
            say(ReportRole::Text, &self.with_labels(&result.reasoning));
        }
        for warning in &judged.view.warnings {
            say(ReportRole::Warning, &self.with_labels(warning));
        }
        for comparison in judged.view.comparisons.iter().rev() {
            say(ReportRole::Heading, &format!("\n{}", self.comparison(comparison)));
            say(ReportRole::Text, &self.with_labels(&comparison.reasoning));
        }
        self.said = Blocks::of(said);
    }

    /// `A over B by 0.50 · both orders agree`.
    fn comparison(&self, comparison: &Comparison) -> String {
        let (a, b) = (self.label(comparison.a), self.label(comparison.b));
        let said = match comparison.winner {
            None => format!("{a} and {b} tie"),
            Some(winner) if winner == comparison.a => format!("{a} beats {b} by {}", score(comparison.margin.abs())),
            Some(_) => format!("{b} beats {a} by {}", score(comparison.margin.abs())),
        };
        let orders = if comparison.agreed { "both orders agree" } else { "the two orders disagree" };
        format!("{said} · {orders}")
    }

    /// Replaces short ids in `text` with labels.
    fn with_labels(&self, text: &str) -> String {
        let label = |word: &str| {
            self.prompts.iter().find(|chosen| chosen.id.short() == word).map(|chosen| chosen.label.clone())
        };
        with_names(text, label)
    }
}
