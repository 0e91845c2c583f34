//! The last rows: the newest warning, the figures, and the keys that can be used now.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::state_of;
use super::vessels::WRITER;
use crate::tui::action::{ACTIONS, Action, ActionInfo, Context};
use crate::tui::keymap::Chord;
use crate::tui::model::{Focus, LiveRun, Model, Tone, Vessel};
use crate::tui::overlays;
use crate::tui::screens::workbench::layout::Room;
use crate::tui::screens::workbench::refusal;
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::figures::{dollars, duration, letter, score, tokens};
use crate::tui::widgets::safe::safe_line;

pub(super) fn warning(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let Some(newest) = model.run.as_ref().and_then(|run| run.view.warnings.last()) else { return };
    let count = model.run.as_ref().map_or(0, |run| run.view.warnings.len());
    let more = if count > 1 { format!(" ({} more: e)", count - 1) } else { String::new() };
    frame.render_widget(Line::styled(format!(" {} {}{more}", glyph::WARNING, safe_line(newest)), theme.warning), area);
}

/// Left the active variant, right the whole run or a passing message.
pub(super) fn status(model: &Model, area: Rect, room: Room, frame: &mut Frame<'_>, theme: &Theme) {
    let right = match &model.toast {
        Some(toast) => {
            let style = match toast.tone {
                Tone::Done => theme.good,
                Tone::Refused => theme.warning,
            };
            vec![Span::styled(format!("{} ", toast.text), style)]
        }
        None => whole_run(model, theme),
    };
    let left = match &model.run {
        None => vec![Span::styled(" ready · nothing sent yet", theme.muted)],
        Some(run) => active_variant(model, run, room, theme),
    };
    let right = Line::from(right).right_aligned();
    let mut room = usize::from(area.width).saturating_sub(right.width() + 1);
    // Parts that do not fit whole are left out.
    let fits = |span: &Span<'_>| {
        let rest = room.checked_sub(span.width());
        room = rest.unwrap_or(0);
        rest.is_some()
    };
    let left: Vec<Span<'_>> = left.into_iter().take_while(fits).collect();
    frame.render_widget(Line::from(left), area);
    frame.render_widget(right, area);
}

/// ` A solutio · provider/model · 62 tok/s · ~82 tok`.
fn active_variant(model: &Model, run: &LiveRun, room: Room, theme: &Theme) -> Vec<Span<'static>> {
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
    if let Some(begun) = run.begun(variant, phase).filter(|_| room != Room::Small) {
        let remark = if model.settings.is_writer(&begun.provider) { WRITER } else { "" };
        parts.push(safe_line(&format!("{}/{}", begun.provider, begun.model)) + remark);
    }
    match (run.vessel(variant, phase), run.pane(variant, phase)) {
        (Vessel::Streaming, Some(pane)) => {
            parts.push(format!("{} tok/s", pane.speed));
            parts.push(tokens(pane.tokens, true));
        }
        (Vessel::Done(metadata), _) => {
            parts.push(tokens(metadata.output_tokens, metadata.estimated));
            parts.push(dollars(metadata.cost_usd));
            parts.push(duration(metadata.latency_ms));
        }
        (Vessel::Failed(problem), _) => parts.push(problem.code.to_string()),
        _ => {}
    }
    if let Some(prompt) = run.prompt(variant) {
        parts.push(prompt.id.short());
    }
    spans.extend(parts.into_iter().map(|part| Span::styled(format!(" · {part}"), theme.muted)));
    spans
}

/// `run live · 404 tok · $0.0143 · 12.4s `.
fn whole_run(model: &Model, theme: &Theme) -> Vec<Span<'static>> {
    let Some(run) = &model.run else { return Vec::new() };
    let (word, style): (String, Style) = match () {
        () if run.is_live() && run.stopping => ("stopping".into(), theme.warning),
        () if run.is_live() => ("live".into(), theme.live),
        () if run.refusal.is_some() => ("refused".into(), theme.bad),
        () if run.run_failure().is_some() => (format!("{} failed", glyph::FAILED), theme.bad),
        () if run.view.generation().is_some() => (done(run), theme.good),
        () => (format!("{} stopped, {} kept", glyph::STOPPED, run.finished()), theme.warning),
    };
    let mut spans = vec![Span::styled(word, style)];
    if run.variants() > 0 {
        let account = run.account();
        let under_way = run.tokens_under_way();
        let mut parts = vec![tokens(account.total_tokens + under_way, account.estimated || under_way > 0)];
        parts.push(dollars(account.cost_usd));
        parts.push(duration(run.elapsed()));
        spans.extend(parts.into_iter().map(|part| Span::styled(format!(" · {part}"), theme.muted)));
    }
    spans.push(Span::raw(" "));
    spans
}

/// `✓ best A 0.87`, and how many failed.
fn done(run: &LiveRun) -> String {
    let failed = (0..run.variants()).filter(|variant| matches!(state_of(run, *variant), Vessel::Failed(_))).count();
    let best = run.best().and_then(|best| Some((best, run.ranking(best)?.score)));
    let said = match best {
        Some((best, points)) => format!("{} best {} {}", glyph::DONE, letter(best), score(points)),
        None => format!("{} done", glyph::DONE),
    };
    if failed > 0 { format!("{said} · {failed} failed") } else { said }
}

/// The keys that can be used now, the most useful first. The help, or what closes an open box, is pinned right and
/// never cut.
pub(super) fn hints(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let (offered, (key, label)) = match overlays::hints(model.overlay.as_ref()) {
        [others @ .., close] => (others.iter().map(|(keys, label)| ((*keys).to_owned(), *label)).collect(), *close),
        [] if model.focus == Focus::Vessels => (offered(model), ("?", "help")),
        [] => (offered(model), ("F1", "help")),
    };
    let pinned = Line::from(vec![Span::styled(key, theme.key), Span::styled(format!(" {label} "), theme.muted)]);
    let room = usize::from(area.width).saturating_sub(pinned.width() + 2);
    let mut spans = vec![Span::raw(" ")];
    let mut used = 1;
    for (keys, label) in offered {
        let width = keys.width() + label.width() + 3;
        if used + width > room {
            continue;
        }
        used += width;
        spans.push(Span::styled(keys, theme.key));
        spans.push(Span::styled(format!(" {label}  "), theme.muted));
    }
    frame.render_widget(Line::from(spans), area);
    frame.render_widget(pinned.right_aligned(), area);
}

/// What is offered, in order: keys and label.
fn offered(model: &Model) -> Vec<(String, &'static str)> {
    let context = model.focus.context();
    let live = model.live_run().is_some();
    let mut infos: Vec<&ActionInfo> = ACTIONS
        .iter()
        .filter(|info| info.hint > 0 && (info.context == Context::Global || info.context == context))
        .filter(|info| refusal(model, info.action).is_none())
        // Idle, `^C` stops nothing, and leaving has its own key.
        .filter(|info| info.action != Action::StopOrQuit || live)
        .collect();
    infos.sort_by_key(|info| info.hint);
    infos.into_iter().map(|info| (keys(info), info.label)).collect()
}

/// The first key of an action; of a pair such as `[ ]`, both.
fn keys(info: &ActionInfo) -> String {
    let first = |info: &ActionInfo| {
        let key = info.keys.first().and_then(|key| key.parse::<Chord>().ok());
        key.map_or_else(String::new, |chord| chord.to_string())
    };
    match info.action {
        Action::VariantNext => format!("{} {}", first(Action::VariantPrevious.info()), first(info)),
        Action::PhaseNext => format!("{} {}", first(Action::PhasePrevious.info()), first(info)),
        _ => first(info),
    }
}
