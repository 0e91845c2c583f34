//! The details of a variant: its calls, its score breakdown, its failure, the run's warnings.

use aludel_core::domain::{ModelMetadata, Ranking};
use aludel_core::error::Problem;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{centred, open_box};
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::model::{LiveRun, Model, Overlay, PhasePane};
use crate::tui::screens::chrome::say_hidden;
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::figures::{bar, cost, duration, letter, score, thousands, tokens, writer};
use crate::tui::widgets::safe::{safe, safe_line};
use crate::tui::widgets::wrapped::Wrapped;

pub(super) fn key(model: &mut Model, action: Option<Action>) -> Vec<Effect> {
    let page = usize::from(area(Rect::new(0, 0, model.size.width, model.size.height)).height.saturating_sub(2)).max(1);
    let Some(Overlay::Details { top }) = &mut model.overlay else { return Vec::new() };
    match action {
        Some(Action::Down) => *top += 1,
        Some(Action::Up) => *top = top.saturating_sub(1),
        Some(Action::HalfDown) => *top += page / 2,
        Some(Action::HalfUp) => *top = top.saturating_sub(page / 2),
        Some(Action::PageDown) => *top += page,
        Some(Action::PageUp) => *top = top.saturating_sub(page),
        Some(Action::Top) => *top = 0,
        Some(Action::Bottom) => *top = usize::MAX / 2,
        Some(action @ (Action::VariantPrevious | Action::VariantNext)) => {
            *top = 0;
            if let Some(run) = &mut model.run {
                run.choose_variant(if action == Action::VariantNext { 1 } else { -1 });
            }
        }
        Some(Action::Details | Action::BackOrQuit) => model.overlay = None,
        _ => {}
    }
    Vec::new()
}

pub(super) fn area(screen: Rect) -> Rect {
    centred(screen, 92, screen.height.saturating_sub(4).max(10))
}

pub(super) fn view(model: &Model, top: usize, frame: &mut Frame<'_>, theme: &Theme) {
    let Some(run) = &model.run else { return };
    let title = format!("Variant {}", letter(run.active));
    let inner = open_box(frame, area(frame.area()), &title, theme);
    let lines = lines(run, inner.width, theme);
    let below = lines.len().saturating_sub(top + usize::from(inner.height));
    say_hidden(frame, area(frame.area()), top, below, theme);
    for (row, line) in inner.rows().zip(lines.into_iter().skip(top)) {
        frame.render_widget(line, row);
    }
}

/// All details of the active variant, in rows of at most `width` columns.
pub(super) fn lines(run: &LiveRun, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut page = Page { lines: Vec::new(), width, theme };
    let variant = run.active;
    if let Some(of) = run.view.variants.get(&variant).filter(|of| !of.strategy.is_empty()) {
        page.pair("strategy", &of.strategy);
    }
    if let Some(prompt) = run.prompt(variant) {
        let name = if run.unsaved(variant).is_some() { "not stored" } else { "stored as" };
        page.pair(name, &format!("{} (short {})", prompt.id, prompt.id.short()));
    }
    if let Some(costly) = &run.asks {
        page.text(&format!("{} Nothing was sent.", costly.told()));
    } else if let Some(problem) = run.failure(variant).or_else(|| run.run_failure()) {
        page.failure(problem);
    }
    if let Some(ranking) = run.ranking(variant) {
        page.ranking(ranking, run.view.rankings.len());
    }
    page.heading("Calls");
    for index in 0..run.view.phases.len() {
        page.call(run, variant, index);
    }
    let account = run.account();
    page.blank();
    let whole = if run.is_live() { "run so far" } else { "whole run" };
    let is_known = account.calls > 0 && !(run.is_calling() && account.cost_usd == Some(0.0));
    let cost = if is_known || run.view.spent.is_some() { format!(" · {}", cost(&account)) } else { String::new() };
    page.text(&format!("{whole}: {}{cost}", tokens(account.total_tokens, account.estimated)));
    if !run.view.warnings.is_empty() {
        page.heading("Warnings");
        for warning in &run.view.warnings {
            page.wrapped(&format!("{} {}", glyph::WARNING, safe_line(warning)));
        }
    }
    page.lines
}

struct Page<'a> {
    lines: Vec<Line<'static>>,
    width: u16,
    theme: &'a Theme,
}

impl Page<'_> {
    fn blank(&mut self) {
        self.lines.push(Line::default());
    }

    fn heading(&mut self, text: &str) {
        if !self.lines.is_empty() {
            self.blank();
        }
        self.lines.push(Line::styled(format!(" {text}"), self.theme.strong));
    }

    fn text(&mut self, text: &str) {
        self.lines.push(Line::styled(format!(" {text}"), self.theme.text));
    }

    fn pair(&mut self, name: &str, value: &str) {
        self.lines.push(Line::from(vec![
            Span::styled(format!(" {name:<12}"), self.theme.muted),
            Span::styled(safe_line(value), self.theme.text),
        ]));
    }

    fn wrapped(&mut self, text: &str) {
        let wrapped = Wrapped::of(safe(text), self.width.saturating_sub(2));
        for row in wrapped.rows(0) {
            self.lines.push(Line::styled(format!(" {row}"), self.theme.text));
        }
    }

    fn failure(&mut self, problem: &Problem) {
        self.heading("Failure");
        self.lines.push(Line::styled(format!(" {} {}", glyph::FAILED, safe_line(&problem.title)), self.theme.bad));
        self.wrapped(&problem.detail);
        self.pair("code", problem.code.as_str());
        if let Some(provider) = &problem.provider {
            self.pair("provider", provider);
        }
        if let Some(status) = problem.upstream_status {
            self.pair("status", &format!("HTTP {status}"));
        }
        if let Some(seconds) = problem.retry_after_s {
            self.pair("retry", &format!("in {seconds:.0} s"));
        }
        if let Some(request) = &problem.request_id {
            self.pair("request", request);
        }
    }

    fn ranking(&mut self, ranking: &Ranking, of: usize) {
        let equal = if ranking.level == 1 && ranking.rank > 1 { ", about equal to the best" } else { "" };
        self.heading(&format!("Score breakdown · {} · rank {} of {of}{equal}", score(ranking.score), ranking.rank));
        for (name, value) in &ranking.components {
            let weight = ranking.weights.get(name).copied().unwrap_or_default();
            let (full, rest) = bar(*value, 16);
            self.lines.push(Line::from(vec![
                Span::styled(format!(" {:<14}", safe_line(name)), self.theme.muted),
                Span::styled(full, self.theme.gold),
                Span::styled(rest, self.theme.muted),
                Span::styled(
                    format!(" {} × {} = {}", score(*value), score(weight), score(value * weight)),
                    self.theme.text,
                ),
            ]));
        }
        for check in &ranking.checks {
            let (sign, style) = if check.met { ("✓", self.theme.text) } else { ("–", self.theme.muted) };
            self.lines.push(Line::styled(format!(" {sign} {}", safe_line(&check.label)), style));
        }
    }

    fn call(&mut self, run: &LiveRun, variant: u32, index: usize) {
        let phase = run.view.phases[index];
        let style = self.theme.phase(phase);
        let name = Span::styled(format!(" {:<14}", phase.as_str()), style);
        let said = match run.phase_pane(variant, index) {
            PhasePane::Done(metadata) => done(metadata),
            PhasePane::Queued => "queued".to_owned(),
            PhasePane::Earlier => "done by an earlier attempt".to_owned(),
            PhasePane::Connecting => "waiting for the first token".to_owned(),
            PhasePane::Streaming => "streaming".to_owned(),
            PhasePane::Retrying { attempt, .. } => format!("failed; attempt {attempt} is next"),
            PhasePane::Failed(_) => "failed".to_owned(),
            PhasePane::Stopped => "stopped".to_owned(),
            PhasePane::NotReached => "not reached".to_owned(),
        };
        let who = run.begun(variant, index).map(|begun| safe_line(&writer(&begun.provider, &begun.model)) + " · ");
        self.lines.push(Line::from(vec![name, Span::styled(who.unwrap_or_default() + &said, self.theme.text)]));
    }
}

/// The figures of a finished call.
fn done(metadata: &ModelMetadata) -> String {
    let estimated = if metadata.estimated { " (estimated)" } else { "" };
    let counts =
        format!("{} in, {} out{estimated}", thousands(metadata.input_tokens), thousands(metadata.output_tokens));
    let mut said = vec![counts, duration(metadata.latency_ms), cost(metadata)];
    said.extend(metadata.first_token_ms.map(|first| format!("first token {}", duration(first))));
    said.extend((metadata.retries > 0).then(|| format!("{} retried", metadata.retries)));
    said.extend(metadata.cached.then(|| "from the cache".to_owned()));
    said.extend(metadata.fallback_from.as_ref().map(|provider| format!("instead of {}", safe_line(provider))));
    said.join(" · ")
}
