//! The question before costly work. Confirming makes the estimate its budget.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use serde_json::{Value, json};

use super::{centred, open_box};
use crate::tui::batch::{BatchOffer, words};
use crate::tui::effect::Effect;
use crate::tui::keymap::Chord;
use crate::tui::model::{Costly, CostlyAction, Model, Overlay};
use crate::tui::screens::jobs::starting;
use crate::tui::screens::judge;
use crate::tui::screens::workbench::starting::start;
use crate::tui::theme::Theme;
use crate::tui::widgets::cells;
use crate::tui::widgets::safe::safe;
use crate::tui::widgets::wrapped::Wrapped;

pub(super) fn key(model: &mut Model, chord: Chord) -> Vec<Effect> {
    let Some(Overlay::ConfirmCost(costly)) = model.overlay.take() else { return Vec::new() };
    if !matches!(chord.code(), KeyCode::Enter | KeyCode::Char('y')) {
        return match costly.what {
            CostlyAction::Batch(..) => starting::decline(model),
            CostlyAction::Run(_) | CostlyAction::Judging => Vec::new(),
        };
    }
    match costly.what {
        CostlyAction::Batch(ticket, offer) => starting::accept(model, ticket, offer.budget_usd),
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
    if let CostlyAction::Batch(_, offer) = &costly.what {
        return view_batch(offer, frame, theme);
    }
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

/// Everything that is known of the batch before it starts.
fn view_batch(offer: &BatchOffer, frame: &mut Frame<'_>, theme: &Theme) {
    const WIDTH: u16 = 72;
    let width = WIDTH.min(frame.area().width).saturating_sub(4);
    let mut lines = Vec::new();
    for (text, style) in
        words::offered(offer).iter().zip([theme.strong].into_iter().chain(std::iter::repeat(theme.text)))
    {
        let wrapped = Wrapped::of(safe(text), width);
        lines.extend(wrapped.rows(0).map(|row| Line::styled(row.to_owned(), style)));
    }
    lines.push(Line::styled("Enter starts it as a job. Nothing was sent yet.", theme.muted));
    let area = centred(frame.area(), WIDTH, cells(lines.len()).saturating_add(2));
    let inner = open_box(frame, area, "Start the batch?", theme);
    for (row, line) in inner.rows().zip(lines) {
        frame.render_widget(line, Rect { x: row.x + 1, width: row.width.saturating_sub(2), ..row });
    }
}
