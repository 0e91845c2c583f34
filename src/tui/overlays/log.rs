//! The log of this process: the newest lines, the newest last, updated live.
//!
//! Lines were masked when recorded; here they are made safe to show, with glyph and level.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use tracing::Level;

use super::{finder, open_box};
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Overlay};
use crate::tui::screens::chrome::say_hidden;
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::safe::safe;
use crate::tui::widgets::wrapped::Wrapped;
use aludel_core::trace::LogLine;

/// Columns of the time and the level.
const BEFORE: u16 = 18;

/// Shows the newest lines. If the user has scrolled back, the same lines stay visible.
pub(crate) fn take_in(model: &mut Model, lines: Vec<LogLine>) {
    let width = inner(model).width;
    // The oldest lines may have gone, so only those after the last known one are new.
    let known =
        model.log.as_ref().and_then(|known| known.last()).and_then(|last| lines.iter().rposition(|it| it == last));
    let new = lines[known.map_or(0, |at| at + 1)..].to_vec();
    model.log = Some(new);
    let added = self::lines(model, width, &Theme::mono()).len();
    model.log = Some(lines);
    if let Some(Overlay::Log { back }) = &mut model.overlay
        && *back > 0
    {
        *back += added;
    }
}

pub(super) fn key(model: &mut Model, action: Option<Action>) -> Vec<Effect> {
    let page = usize::from(inner(model).height).max(1);
    let Some(Overlay::Log { back }) = &mut model.overlay else { return Vec::new() };
    match action {
        Some(Action::Down) => *back = back.saturating_sub(1),
        Some(Action::Up) => *back += 1,
        Some(Action::HalfDown) => *back = back.saturating_sub(page / 2),
        Some(Action::HalfUp) => *back += page / 2,
        Some(Action::PageDown) => *back = back.saturating_sub(page),
        Some(Action::PageUp) => *back += page,
        Some(Action::Top) => *back = usize::MAX / 2,
        Some(Action::Bottom) => *back = 0,
        Some(Action::Log | Action::BackOrQuit) => model.overlay = None,
        _ => {}
    }
    Vec::new()
}

/// Clamps the scroll.
pub(super) fn reflow(model: &mut Model) {
    let inner = inner(model);
    let rows = lines(model, inner.width, &Theme::mono()).len();
    if let Some(Overlay::Log { back }) = &mut model.overlay {
        *back = (*back).min(rows.saturating_sub(inner.height.into()));
    }
}

/// The area inside the box.
fn inner(model: &Model) -> Rect {
    let area = area(Rect::new(0, 0, model.size.width, model.size.height));
    Rect { width: area.width.saturating_sub(2), height: area.height.saturating_sub(2), ..area }
}

/// The box of the log: as high as the help and wider, because log lines are long.
fn area(screen: Rect) -> Rect {
    let high = finder::area(screen);
    super::centred(screen, screen.width.saturating_sub(4).min(160), high.height)
}

pub(super) fn view(model: &Model, back: usize, frame: &mut Frame<'_>, theme: &Theme) {
    let inner = open_box(frame, area(frame.area()), "Log of this process", theme);
    let lines = lines(model, inner.width, theme);
    if lines.is_empty() {
        let nothing =
            ["Nothing was logged yet.", "`aludel config set log.level debug` logs more; `log.file` says where."];
        for (row, text) in inner.rows().zip(nothing) {
            frame.render_widget(Line::styled(format!(" {text}"), theme.muted), row);
        }
        return;
    }
    let end = lines.len().saturating_sub(back);
    let top = end.saturating_sub(inner.height.into());
    say_hidden(frame, area(frame.area()), top, back, theme);
    for (row, line) in inner.rows().zip(lines.into_iter().take(end).skip(top)) {
        frame.render_widget(line, row);
    }
}

/// Every line in rows of at most `width` columns.
fn lines(model: &Model, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for line in model.log.iter().flatten() {
        let (sign, word, style) = level_style(line.level, theme);
        // `2026-11-21T12:00:00Z`: the day is left out.
        let time: String = safe(&line.at).chars().skip(11).take(8).collect();
        let wrapped = Wrapped::of(safe(&line.text), width.saturating_sub(BEFORE + 1));
        for (at, row) in wrapped.rows(0).enumerate() {
            let before = if at == 0 {
                [Span::styled(format!(" {time} "), theme.muted), Span::styled(format!("{sign} {word:<6}"), style)]
            } else {
                [Span::raw(" ".repeat(usize::from(BEFORE))), Span::raw("")]
            };
            let [time, level] = before;
            lines.push(Line::from(vec![time, level, Span::styled(row.to_owned(), theme.text)]));
        }
    }
    lines
}

/// The glyph, the word and the style of a level.
fn level_style(level: Level, theme: &Theme) -> (&'static str, &'static str, Style) {
    match level {
        Level::ERROR => (glyph::FAILED, "error", theme.bad),
        Level::WARN => (glyph::WARNING, "warn", theme.warning),
        Level::INFO => (glyph::QUEUED, "info", theme.text),
        Level::DEBUG => (glyph::NOT_REACHED, "debug", theme.muted),
        Level::TRACE => (glyph::NOT_REACHED, "trace", theme.muted),
    }
}
