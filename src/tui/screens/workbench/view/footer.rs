//! The rows above the key hints: the newest warning, and the status row.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::phase_panes::WRITER;
use super::state_of;
use crate::tui::model::{LiveRun, Model, PhasePane};
use crate::tui::screens::workbench::layout::SizeClass;
use crate::tui::screens::{chrome, find};
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::figures::{cost, duration, letter, score, tokens, writer};
use crate::tui::widgets::safe::safe_line;

pub(super) fn warning(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let Some(view) = model.run.as_ref().map(|run| &run.view) else { return };
    // A variant that is not stored stays visible, whatever later warnings say.
    let unsaved = view.unsaved().map(|(_, why)| why).last();
    let Some(newest) = unsaved.or(view.warnings.last().map(String::as_str)) else { return };
    let count = view.warnings.len();
    let more = if count > 1 { format!(" ({} more: {})", count - 1, model.spell("{details}")) } else { String::new() };
    frame.render_widget(Line::styled(format!(" {} {}{more}", glyph::WARNING, safe_line(newest)), theme.warning), area);
}

/// The active variant on the left, the run or a passing message on the right; or the search field.
pub(super) fn status(model: &Model, area: Rect, room: SizeClass, frame: &mut Frame<'_>, theme: &Theme) {
    if find::view(model, area, frame, theme) {
        return;
    }
    let right = chrome::toast(model, theme).unwrap_or_else(|| whole_run(model, theme));
    let left = match &model.run {
        None => vec![Span::styled(" ready · nothing sent yet", theme.muted)],
        Some(run) => active_variant(model, run, room, theme),
    };
    chrome::status(frame, area, left, right);
}

/// ` A solutio · provider/model · 62 tok/s · ~82 tok`.
fn active_variant(model: &Model, run: &LiveRun, room: SizeClass, theme: &Theme) -> Vec<Span<'static>> {
    let variant = run.active;
    if run.variants() == 0 {
        return Vec::new();
    }
    let phase = run.shown_phase(variant);
    let mut spans = vec![Span::styled(format!(" {} ", letter(variant)), theme.strong)];
    if let Some(phase) = run.view.phases.get(phase) {
        spans.push(Span::styled(phase.as_str(), theme.phase(*phase)));
    }
    let mut parts = Vec::new();
    if let Some(begun) = run.begun(variant, phase).filter(|_| room != SizeClass::Small) {
        let remark = if model.settings.is_writer(&begun.provider) { WRITER } else { "" };
        parts.push(safe_line(&writer(&begun.provider, &begun.model)) + remark);
    }
    match (run.phase_pane(variant, phase), run.pane(variant, phase)) {
        (PhasePane::Streaming, Some(pane)) => {
            parts.push(format!("{} tok/s", pane.speed));
            parts.push(tokens(pane.tokens, true));
        }
        (PhasePane::Done(metadata), _) => {
            parts.push(tokens(metadata.output_tokens, metadata.estimated));
            parts.push(cost(metadata));
            parts.push(duration(metadata.latency_ms));
        }
        (PhasePane::Failed(problem), _) => parts.push(problem.code.to_string()),
        _ => {}
    }
    if let Some(prompt) = run.prompt(variant) {
        parts.push(prompt.id.short());
    }
    spans.extend(parts.into_iter().map(|part| Span::styled(format!(" · {part}"), theme.muted)));
    spans
}

/// `run live · 404 tok · $0.0143 · 12.4s `.
pub(crate) fn whole_run(model: &Model, theme: &Theme) -> Vec<Span<'static>> {
    let Some(run) = &model.run else { return Vec::new() };
    let (word, style): (String, Style) = match () {
        () if run.is_live() && run.stopping => ("stopping".into(), theme.warning),
        () if run.is_live() => ("live".into(), theme.live),
        () if run.asks.is_some() => (format!("{} asks first", glyph::ASKS), theme.warning),
        () if run.refusal.is_some() => ("refused".into(), theme.bad),
        () if run.run_failure().is_some() => (format!("{} failed", glyph::FAILED), theme.bad),
        () if run.view.generation().is_some() => (done(model, run), theme.good),
        () => {
            let kept = run.finished() - run.unsaved_count();
            (format!("{} stopped, {kept} kept", glyph::STOPPED), theme.warning)
        }
    };
    let mut spans = vec![Span::styled(word, style)];
    match run.unsaved_count() {
        0 => {}
        unsaved => spans.push(Span::styled(format!(" · {unsaved} not stored"), theme.bad)),
    }
    if run.variants() > 0 {
        let account = run.account();
        let under_way = run.tokens_under_way();
        let mut parts = vec![tokens(account.total_tokens + under_way, account.estimated || under_way > 0)];
        // A zero cost is not certain while calls are running, nor if none was made.
        let is_known = account.total_tokens > 0 && !(run.is_calling() && account.cost_usd == Some(0.0));
        if is_known || account.most_usd.is_some() || run.view.spent.is_some() {
            parts.push(cost(&account));
        }
        parts.push(duration(run.elapsed()));
        spans.extend(parts.into_iter().map(|part| Span::styled(format!(" · {part}"), theme.muted)));
    }
    spans.push(Span::raw(" "));
    spans
}

/// `✓ best A 0.87`, and the number of failed variants.
fn done(model: &Model, run: &LiveRun) -> String {
    let failed = (0..run.variants()).filter(|variant| matches!(state_of(run, *variant), PhasePane::Failed(_))).count();
    let best = run.best().and_then(|best| Some((best, run.ranking(best)?.score)));
    let said = match best {
        Some((best, points)) => {
            format!("{} {} {} {}", glyph::DONE, super::first_place(model, run), letter(best), score(points))
        }
        None => format!("{} done", glyph::DONE),
    };
    if failed > 0 { format!("{said} · {failed} failed") } else { said }
}
