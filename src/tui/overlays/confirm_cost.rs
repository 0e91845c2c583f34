//! The question before costly work. Confirming makes the estimate its budget.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use serde_json::{Value, json};

use super::{centred, open_box};
use crate::tui::effect::Effect;
use crate::tui::keymap::Chord;
use crate::tui::model::{Costly, CostlyAction, Model, Overlay};
use crate::tui::screens::judge;
use crate::tui::screens::workbench::starting::start;
use crate::tui::theme::Theme;

pub(super) fn key(model: &mut Model, chord: Chord) -> Vec<Effect> {
    let Some(Overlay::ConfirmCost(costly)) = model.overlay.take() else { return Vec::new() };
    if !matches!(chord.code(), KeyCode::Enter | KeyCode::Char('y')) {
        return Vec::new();
    }
    match costly.what {
        CostlyAction::Run(mut raw) => {
            if let Value::Object(fields) = &mut raw {
                fields.insert("budget_usd".to_owned(), json!(costly.most_usd));
            }
            start(model, raw)
        }
        CostlyAction::Judging => judge::ask(model, Some(costly.most_usd)),
    }
}

pub(super) fn view(costly: &Costly, frame: &mut Frame<'_>, theme: &Theme) {
    let lines = [
        Line::styled(costly.told(), theme.strong),
        Line::styled("Enter goes on and makes that its budget. Nothing was sent yet.", theme.text),
        Line::styled("spend.preflight_usd says what passes without asking.", theme.muted),
    ];
    let inner = open_box(frame, centred(frame.area(), 68, 5), "Go on?", theme);
    for (row, line) in inner.rows().zip(lines) {
        frame.render_widget(line, Rect { x: row.x + 1, width: row.width.saturating_sub(2), ..row });
    }
}
