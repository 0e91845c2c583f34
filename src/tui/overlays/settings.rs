//! The settings of the next run: one row each, changed with the arrows.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::{centred, open_box};
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::keymap::Chord;
use crate::tui::model::settings::Field;
use crate::tui::model::{Model, Overlay};
use crate::tui::screens::chrome::list_row;
use crate::tui::screens::workbench::view::setting;
use crate::tui::theme::Theme;

pub(super) fn key(model: &mut Model, chord: Chord, action: Option<Action>) -> Vec<Effect> {
    let Some(Overlay::Settings { row, typing }) = &mut model.overlay else { return Vec::new() };
    let field = Field::ALL[(*row).min(Field::ALL.len() - 1)];
    let was_typing = std::mem::take(typing);
    match (chord.code(), action) {
        (KeyCode::Enter, _) | (_, Some(Action::RunSettings)) => model.overlay = None,
        (KeyCode::Down | KeyCode::Tab | KeyCode::Char('j'), _) => *row = (*row + 1) % Field::ALL.len(),
        (KeyCode::Up | KeyCode::Char('k'), _) => *row = (*row + Field::ALL.len() - 1) % Field::ALL.len(),
        (KeyCode::Right | KeyCode::Char('l' | '+' | ' '), _) => model.settings.change(field, 1),
        (KeyCode::Left | KeyCode::Char('h' | '-'), _) => model.settings.change(field, -1),
        (KeyCode::Backspace | KeyCode::Delete, _) => model.settings.reset(field),
        (KeyCode::Char(digit), _) if field == Field::Count => {
            if let Some(digit) = digit.to_digit(10) {
                *typing = true;
                model.settings.type_count(digit, !was_typing);
            }
        }
        _ => {}
    }
    Vec::new()
}

pub(super) fn view(model: &Model, row: usize, frame: &mut Frame<'_>, theme: &Theme) {
    let height = super::super::widgets::cells(Field::ALL.len()) + 4;
    let area = centred(frame.area(), 58, height);
    let inner = open_box(frame, area, "Run settings", theme);
    let rows = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    for ((area, field), index) in rows.rows().zip(Field::ALL).zip(0..) {
        let line = setting(&model.settings, field, theme);
        list_row(frame, area, line, index == row, theme);
    }
}
