//! The panes that fill as text arrives; before the first run and after a refusal, what to do.

use aludel_core::error::Problem;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{mark, pane};
use crate::tui::model::drafts::CutShort;
use crate::tui::model::{Focus, LiveRun, Model, PhasePane};
use crate::tui::screens::chrome;
use crate::tui::screens::workbench::layout::{Layout, SizeClass, Slot};
use crate::tui::screens::workbench::notice::{self, NoticeKind};
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::figures::{duration, letter, score, tokens, writer};
use crate::tui::widgets::safe::{safe, safe_line};
use crate::tui::widgets::wrapped::Wrapped;

pub(super) fn view(model: &Model, layout: &Layout, frame: &mut Frame<'_>, theme: &Theme) {
    let Some(run) = &model.run else { return empty(model, layout.phase_panes, frame, theme) };
    if let Some(problem) = &run.refusal {
        return refused(model, problem, layout.phase_panes, frame, theme);
    }
    if layout.slots.is_empty() {
        return waiting(model, run, layout.phase_panes, frame, theme);
    }
    for slot in &layout.slots {
        phase_pane(model, run, slot, layout.room, frame, theme);
    }
}

/// One pane.
fn phase_pane(model: &Model, run: &LiveRun, slot: &Slot, room: SizeClass, frame: &mut Frame<'_>, theme: &Theme) {
    let shown = run.active == slot.variant && run.shown_phase(slot.variant) == slot.phase;
    let focused = shown && model.focus == Focus::Vessels;
    let inner = slot.inner();
    let mut block = pane(title(model, run, slot, theme), focused, theme);
    if let Some(rank) = rank(model, run, slot, theme) {
        block = block.title_top(rank.right_aligned());
    }
    let rows = notice::rows(run, slot, model.now, &model.keymap);
    let height = usize::from(inner.height).saturating_sub(rows.len());
    if slot.area.height > 3 || room != SizeClass::Large {
        if let Some(who) = who(model, run, slot) {
            block = block.title_bottom(Line::styled(who, theme.muted));
        }
        if let Some(place) = place(run, slot, height) {
            block = block.title_bottom(Line::styled(place, theme.muted).right_aligned());
        }
    }
    frame.render_widget(block, slot.area);
    let buffer = frame.buffer_mut();
    let mut y = inner.y;
    for (meaning, text) in &rows {
        let style = match meaning {
            NoticeKind::Failure => theme.bad,
            NoticeKind::Remark => theme.muted,
        };
        buffer.set_stringn(inner.x, y, text, inner.width.into(), style);
        y += 1;
    }
    let Some(pane) = run.pane(slot.variant, slot.phase) else { return };
    let faded = matches!(run.phase_pane(slot.variant, slot.phase), PhasePane::Failed(_) | PhasePane::Stopped);
    let style = if faded { theme.muted } else { theme.text };
    for row in pane.text.rows(pane.scroll.top).take(height) {
        buffer.set_stringn(inner.x, y, row, inner.width.into(), style);
        y += 1;
    }
}

/// ` A ⠼ solutio ~82 tok 62/s `.
fn title(model: &Model, run: &LiveRun, slot: &Slot, theme: &Theme) -> Line<'static> {
    let phase_pane = run.phase_pane(slot.variant, slot.phase);
    let (glyph, style) = mark(model, phase_pane, theme);
    let Some(phase) = run.view.phases.get(slot.phase) else { return Line::default() };
    let mut spans = vec![
        Span::styled(format!(" {}{} ", letter(slot.variant), chosen(model, run, slot.variant)), theme.strong),
        Span::styled(format!("{glyph} "), style),
        Span::styled(phase.as_str(), theme.phase(*phase)),
        Span::raw(" "),
    ];
    let pane = run.pane(slot.variant, slot.phase);
    let figures = match (phase_pane, pane) {
        (PhasePane::Streaming, Some(pane)) => format!("{} {}/s ", tokens(pane.tokens, true), pane.speed),
        (PhasePane::Stopped | PhasePane::Failed(_), Some(pane)) if pane.tokens > 0 => {
            format!("{} ", tokens(pane.tokens, true))
        }
        (PhasePane::Done(metadata), _) => {
            let count = tokens(metadata.output_tokens, metadata.estimated);
            if slot.area.width < 48 {
                format!("{count} ")
            } else {
                format!("{count} {} ", duration(metadata.latency_ms))
            }
        }
        _ => String::new(),
    };
    spans.push(Span::styled(figures, theme.muted));
    Line::from(spans)
}

/// The mark of a prompt chosen for comparing or judging.
fn chosen(model: &Model, run: &LiveRun, variant: u32) -> &'static str {
    let is_chosen = run.prompt(variant).is_some_and(|prompt| model.choice.has(prompt.id));
    if is_chosen { glyph::CHOSEN } else { "" }
}

/// The rank, in the last phase of a ranked variant: ` ★ 0.87 best `.
fn rank(model: &Model, run: &LiveRun, slot: &Slot, theme: &Theme) -> Option<Line<'static>> {
    let ranking = run.ranking(slot.variant).filter(|_| slot.phase + 1 == run.view.phases.len())?;
    Some(match ranking.rank {
        1 => {
            let first = super::first_place(model, run);
            Line::styled(format!(" {} {} {first} ", glyph::BEST, score(ranking.score)), theme.gold)
        }
        rank => Line::styled(format!(" {} #{rank} ", score(ranking.score)), theme.text),
    })
}

/// The provider and model that write this pane, ` provider/model `, noting one that is no model.
fn who(model: &Model, run: &LiveRun, slot: &Slot) -> Option<String> {
    let begun = run.begun(slot.variant, slot.phase)?;
    let remark = if model.settings.is_writer(&begun.provider) && slot.area.width >= 60 { WRITER } else { "" };
    Some(format!(" {}{remark} ", safe_line(&writer(&begun.provider, &begun.model))))
}

/// How many rows are hidden.
fn place(run: &LiveRun, slot: &Slot, height: usize) -> Option<String> {
    let pane = run.pane(slot.variant, slot.phase)?;
    let above = pane.scroll.top;
    chrome::place(above, pane.text.len().saturating_sub(above + height))
}

/// A framed page of styled rows.
fn page(frame: &mut Frame<'_>, area: Rect, title: Line<'_>, lines: Vec<Line<'_>>, focused: bool, theme: &Theme) {
    if area.is_empty() {
        return;
    }
    let block = pane(title, focused, theme);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    for (row, line) in inner.rows().zip(lines) {
        frame.render_widget(line, row);
    }
}

/// The remark on a provider that writes by rule.
pub(super) const WRITER: &str = ", a rule-based writer, not a model";

/// The remark on a run without any language model.
const BUILTIN: &str = "The phases are done by builtin: a rule-based writer, offline and free, not a language model. With a \
                       key such as OPENAI_API_KEY in the environment, or with Ollama running, {run-settings} offers others; `aludel config init` \
                       says how to add one.";

/// The same for a user who has read it before.
const BUILTIN_AGAIN: &str =
    "The phases are done by builtin, a rule-based writer, not a model; {run-settings} takes another provider.";

/// Before the first run: the most useful keys.
fn empty(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let key = |key: &str, says: String| {
        Line::from(vec![Span::styled(format!("   {:<6}", model.spell(key)), theme.key), Span::styled(says, theme.text)])
    };
    let count = model.settings.count();
    let variants = if count == 1 { "1 variant".to_owned() } else { format!("{count} variants") };
    let phases: Vec<Span<'_>> = model
        .settings
        .phases()
        .iter()
        .enumerate()
        .flat_map(|(index, phase)| {
            let flow = Span::styled(if index > 0 { " ▸ " } else { "   " }, theme.muted);
            let gloss = Span::styled(format!(" ({})", phase.gloss()), theme.muted);
            [flow, Span::styled(phase.as_str(), theme.phase(*phase)), gloss]
        })
        .collect();
    let mut lines = vec![
        Line::default(),
        Line::styled("   Nothing here yet. A request passes through", theme.muted),
        Line::from(phases),
        Line::styled("   in several variants, which are ranked, the best first.", theme.muted),
        Line::default(),
        key("{run}", format!("run the request above in {variants}")),
        key("{run-settings}", "persona, variants, temperature, provider, phases".to_owned()),
        key("{help}", "every key, searchable".to_owned()),
    ];
    if let Some(cut_short) = model.drafts.cut_short {
        lines.push(Line::default());
        let remark = Wrapped::of(model.spell(&told(cut_short)), area.width.saturating_sub(8));
        lines.extend(remark.rows(0).map(|row| Line::styled(format!("   {row}"), theme.warning)));
    }
    if model.settings.writes_by_rule() {
        lines.push(Line::default());
        // A user with an interrupted run has read this before, and the space is needed for the run.
        let explains = model.settings.explains_builtin() && model.drafts.cut_short.is_none();
        let remark = if explains { BUILTIN } else { BUILTIN_AGAIN };
        let remark = Wrapped::of(model.spell(remark), area.width.saturating_sub(8));
        lines.extend(remark.rows(0).map(|row| Line::styled(format!("   {row}"), theme.muted)));
    }
    page(frame, area, Line::styled(" Variants ", theme.strong), lines, model.focus == Focus::Vessels, theme);
}

/// What is left of the run that an earlier workbench did not finish.
fn told(CutShort { stored, asked }: CutShort) -> String {
    let cut = "Your last run was cut short";
    match stored {
        0 => format!("{cut} before a variant was finished."),
        1 if asked == 1 => format!("{cut}, its variant is stored; {{screen-5}} shows it."),
        stored => format!("{cut}: {stored} of {asked} variants are stored; {{screen-5}} shows them."),
    }
}

/// The run was requested and has sent no event yet.
fn waiting(model: &Model, run: &LiveRun, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    if let Some(problem) = run.run_failure() {
        return refused(model, problem, area, frame, theme);
    }
    let line = if run.is_live() {
        Line::from(vec![
            Span::styled(format!("   {} ", glyph::CONNECTING), theme.live),
            Span::styled("starting", theme.text),
        ])
    } else {
        Line::styled(format!("   {} stopped before it started", glyph::STOPPED), theme.muted)
    };
    let lines = vec![Line::default(), line];
    page(frame, area, Line::styled(" Variants ", theme.strong), lines, model.focus == Focus::Vessels, theme);
}

/// The run was refused: every fault, and what to do.
fn refused(model: &Model, problem: &Problem, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let width = area.width.saturating_sub(8);
    let mut lines = vec![Line::default()];
    let mut say = |text: &str, style: Style| {
        for row in Wrapped::of(safe(text), width).rows(0) {
            lines.push(Line::styled(format!("   {row}"), style));
        }
    };
    let asks = model.run.as_ref().and_then(|run| run.asks.as_ref());
    if let Some(costly) = asks {
        say(&format!("{} Nothing was sent.", costly.told()), theme.text);
    } else if problem.errors.is_empty() {
        say(&problem.detail, theme.text);
    }
    for fault in &problem.errors {
        let field = if fault.field.is_empty() { "request" } else { &fault.field };
        say(&format!("{field}: {}", fault.message), theme.text);
    }
    lines.push(Line::default());
    let (said, title) = match asks {
        Some(_) => (
            model.spell("the request is unchanged; {run} asks again"),
            Line::styled(format!(" {} Go on? ", glyph::ASKS), theme.warning),
        ),
        None => (
            format!("{} · {}", problem.code, model.spell("the request is unchanged; {run} tries again")),
            Line::styled(format!(" {} {} ", glyph::FAILED, safe_line(&problem.title)), theme.bad),
        ),
    };
    lines.push(Line::styled(format!("   {said}"), theme.muted));
    page(frame, area, title, lines, model.focus == Focus::Vessels, theme);
}
