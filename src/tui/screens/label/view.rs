//! Draws the labelling screen from the model. Changes nothing.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::layout;
use crate::tui::model::Model;
use crate::tui::screens::chrome::{self, header, hints, inner, pane, say_hidden, too_small};
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::figures::thousands;
use crate::tui::widgets::safe::{safe, safe_line};
use crate::tui::widgets::wrapped::Wrapped;

/// Draws the screen, without overlays.
pub(crate) fn view(model: &Model, frame: &mut Frame<'_>, theme: &Theme) {
    let area = frame.area();
    let Some(layout) = layout(model, area) else { return too_small(frame, area, theme) };
    header(model, layout.chrome.header, frame, theme);
    if model.label.pair().is_some() {
        task(model, layout.task, frame, theme);
        for (side, area) in layout.texts.into_iter().enumerate() {
            text(model, side, area, frame, theme);
        }
    } else {
        let body = Rect { height: layout.chrome.status.y - layout.task.y, ..layout.task };
        instead(model, body, frame, theme);
    }
    chrome::run_status(model, status(model, theme), layout.chrome.status, frame, theme);
    hints(model, layout.chrome.hints, frame, theme);
}

fn task(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let block = pane(Line::styled(" Which is the better prompt for this? ", theme.strong), false, theme);
    frame.render_widget(block, area);
    let inner = inner(area);
    rows(&model.label.task, 0, inner, frame, theme.text);
    say_hidden(frame, area, 0, model.label.task.len().saturating_sub(inner.height.into()), theme);
}

/// One of the two texts, titled with its key only.
fn text(model: &Model, side: usize, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let title = model.spell([" Left · {label-left} ", " Right · {label-right} "][side]);
    frame.render_widget(pane(Line::styled(title, theme.strong), true, theme), area);
    let inner = inner(area);
    let text = &model.label.texts[side];
    rows(text, model.label.top, inner, frame, theme.text);
    let below = text.len().saturating_sub(model.label.top + usize::from(inner.height));
    say_hidden(frame, area, model.label.top.min(text.len()), below, theme);
}

fn rows(text: &Wrapped, top: usize, area: Rect, frame: &mut Frame<'_>, style: Style) {
    let buffer = frame.buffer_mut();
    for (y, row) in (area.top()..area.bottom()).zip(text.rows(top)) {
        buffer.set_stringn(area.x + 1, y, row, area.width.saturating_sub(2).into(), style);
    }
}

/// The message shown without a pair: loading, no pairs, or what to do with the labels.
fn instead(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let label = &model.label;
    let block = pane(Line::styled(" Label pairs ", theme.strong), true, theme);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let said = match (&label.problem, label.command()) {
        (Some(problem), _) => problem.detail.clone(),
        (None, Some(command)) => {
            let all = label.sitting.as_ref().map_or(0, |sitting| sitting.known) + label.kept();
            format!(
                "Done: {} labelled, {} skipped; {} in all.\n\nTo measure how often a judge agrees with you:\n\n  {command}\n\n{}",
                label.kept(),
                label.past.len() - label.kept(),
                thousands(all as u64),
                model.spell("{label-undo} goes back to the last pair; {back} leaves.")
            )
        }
        (None, None) => "loading pairs".to_owned(),
    };
    let text = Wrapped::of(safe(&said), inner.width.saturating_sub(4).max(1));
    for (row, text) in inner.rows().skip(1).zip(text.rows(0)) {
        frame.render_widget(Line::styled(format!("  {text}"), theme.text), row);
    }
}

/// The progress, the elapsed time, and the file of the labels.
fn status(model: &Model, theme: &Theme) -> Vec<Span<'static>> {
    let label = &model.label;
    let Some(sitting) = &label.sitting else { return Vec::new() };
    let at = (label.past.len() + 1).min(sitting.pairs.len());
    let seconds = label.took.unwrap_or_else(|| model.now.saturating_sub(label.since)) / 1_000;
    let path = safe_line(&sitting.shown_path.display().to_string());
    vec![
        Span::styled(format!(" {at} of {}", sitting.pairs.len()), theme.strong),
        Span::styled(format!(" · {}:{:02}", seconds / 60, seconds % 60), theme.muted),
        Span::styled(format!(" · {} {} kept", glyph::DONE, label.kept()), theme.good),
        Span::styled(format!(" · {path}"), theme.muted),
    ]
}
