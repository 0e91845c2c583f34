//! Asks before a prompt is deleted, and names it.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{centred, open_box};
use crate::tui::effect::Effect;
use crate::tui::keymap::Chord;
use crate::tui::model::Model;
use crate::tui::screens::history::delete_marked;
use crate::tui::theme::Theme;

pub(super) fn key(model: &mut Model, chord: Chord) -> Vec<Effect> {
    model.overlay = None;
    match chord.code() {
        KeyCode::Enter | KeyCode::Char('y') => delete_marked(model),
        _ => Vec::new(),
    }
}

pub(super) fn view(model: &Model, frame: &mut Frame<'_>, theme: &Theme) {
    let Some(row) = model.history.marked_row() else { return };
    let text: String = row.text.iter().map(|(text, _)| text.as_str()).collect();
    let lines = [
        Line::styled(format!("{} goes for good, with its steps and vectors:", row.id.short()), theme.text),
        Line::styled(text, theme.muted),
    ];
    let inner = open_box(frame, centred(frame.area(), 62, 5), "Delete?", theme);
    for (row, line) in inner.rows().zip(lines) {
        frame.render_widget(line, Rect { x: row.x + 1, width: row.width.saturating_sub(2), ..row });
    }
}
