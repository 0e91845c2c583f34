//! The input history, newest first. Typing filters, Enter puts the marked text into the input.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{centred, finder, open_box};
use crate::tui::effect::Effect;
use crate::tui::keymap::Chord;
use crate::tui::model::inputs::Inputs;
use crate::tui::model::{Focus, Model, Overlay, Recall};
use crate::tui::screens::chrome::{list_row, say_hidden};
use crate::tui::theme::Theme;
use crate::tui::widgets::cells;
use crate::tui::widgets::safe::safe_line;

pub(super) fn key(model: &mut Model, chord: Chord) -> Vec<Effect> {
    let page = usize::from(area(Rect::new(0, 0, model.size.width, model.size.height)).height.saturating_sub(4)).max(1);
    let Some(Overlay::Recall(recall)) = &mut model.overlay else { return Vec::new() };
    let last = recall.found.len().saturating_sub(1);
    let mut narrows = false;
    match (chord.code(), chord.typed()) {
        (KeyCode::Enter, _) => {
            let found = recall.found.get(recall.marked).and_then(|at| model.drafts.inputs.texts().get(*at));
            if let Some(text) = found {
                model.composer.replace(text);
                model.focus = Focus::Composer;
                model.overlay = None;
            }
            return Vec::new();
        }
        (KeyCode::Down, _) => recall.marked = (recall.marked + 1).min(last),
        (KeyCode::Up, _) => recall.marked = recall.marked.saturating_sub(1),
        (KeyCode::PageDown, _) => recall.marked = (recall.marked + page).min(last),
        (KeyCode::PageUp, _) => recall.marked = recall.marked.saturating_sub(page),
        (KeyCode::Home, _) => recall.marked = 0,
        (KeyCode::End, _) => recall.marked = last,
        (KeyCode::Backspace, _) => narrows = recall.filter.pop().is_some(),
        (_, Some(character)) => {
            recall.filter.push(character);
            narrows = true;
        }
        _ => {}
    }
    if narrows {
        recall.marked = 0;
        recall.find(&model.drafts.inputs);
    }
    Vec::new()
}

/// Pastes into the filter.
pub(super) fn paste(text: &str, recall: &mut Recall, inputs: &Inputs) {
    finder::paste(text, &mut recall.filter, &mut recall.marked);
    recall.find(inputs);
}

fn area(screen: Rect) -> Rect {
    centred(screen, 96, screen.height.saturating_sub(4).clamp(10, 16))
}

pub(super) fn view(model: &Model, recall: &Recall, frame: &mut Frame<'_>, theme: &Theme) {
    let inner = open_box(frame, area(frame.area()), "Earlier inputs", theme);
    let mut rows = inner.rows();
    if let Some(row) = rows.next() {
        let typed = safe_line(&recall.filter);
        let cursor = row.x.saturating_add(8).saturating_add(cells(Line::from(typed.as_str()).width()));
        let prompt = Line::from(vec![Span::styled(" search ", theme.muted), Span::styled(typed, theme.strong)]);
        frame.render_widget(prompt, row);
        if cursor < row.right() {
            frame.set_cursor_position((cursor, row.y));
        }
    }
    if recall.found.is_empty() {
        let inputs = &model.drafts.inputs;
        let says = match (inputs.is_loading(), inputs.texts().is_empty()) {
            (true, _) => " being read",
            (false, true) => " no request was run yet",
            (false, false) => " no match; Backspace widens the search",
        };
        if let Some(row) = rows.next() {
            frame.render_widget(Line::styled(says, theme.muted), row);
        }
        return;
    }
    let height = usize::from(inner.height.saturating_sub(1)).max(1);
    let top = recall.marked.saturating_sub(height / 2).min(recall.found.len().saturating_sub(height));
    say_hidden(frame, area(frame.area()), top, recall.found.len().saturating_sub(top + height), theme);
    let found = recall.found.iter().enumerate().skip(top);
    for (row, (index, at)) in rows.zip(found) {
        let Some(text) = model.drafts.inputs.texts().get(*at) else { continue };
        // Only what the row can show needs to be made safe.
        let shown: String = text.chars().take(usize::from(row.width) * 2).collect();
        let line = Line::styled(format!(" {}", safe_line(&shown)), theme.text);
        list_row(frame, row, line, index == recall.marked, theme);
    }
}
