//! Highlights search matches and the selection in the texts on the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::texts::{VisibleText, shown};
use crate::tui::model::Model;
use crate::tui::theme::Theme;
use crate::tui::widgets::cells;
use crate::tui::widgets::passages::{Spot, columns};

/// Highlights matches, with the style of a marked row for the current one, and the selection.
pub(super) fn view(model: &Model, buffer: &mut Buffer, theme: &Theme) {
    if model.find.is_none() && model.selection.is_none() {
        return;
    }
    for shown in shown(model) {
        for (y, row) in (shown.area.top()..shown.area.bottom()).zip(shown.top..) {
            mark_row(model, &shown, (y, row), buffer, theme);
        }
    }
}

fn mark_row(model: &Model, shown: &VisibleText<'_>, (y, row): (u16, usize), buffer: &mut Buffer, theme: &Theme) {
    let Some((passage, bytes)) = shown.text.part_at(shown.lane, row) else { return };
    let text = shown.text.passage(passage).and_then(|text| text.text().get(bytes.clone())).unwrap_or_default();
    let mut mark = |from: usize, to: usize, style: Style| {
        let within = from.saturating_sub(bytes.start)..to.saturating_sub(bytes.start);
        let columns = columns(text, &within);
        let area = Rect {
            x: shown.area.x.saturating_add(cells(columns.start)),
            y,
            width: cells(columns.end - columns.start),
            height: 1,
        };
        buffer.set_style(area.intersection(shown.area), style);
    };
    if let Some(find) = model.find.as_ref().filter(|find| find.name == shown.name) {
        for (number, found) in find.matches.within(passage, bytes.clone()) {
            let is_current = find.current == Some(number);
            mark(found.spot.at, found.end, if is_current { theme.found.patch(theme.marked) } else { theme.found });
        }
    }
    let selection = model.selection.as_ref().filter(|own| own.name == shown.name && own.lane == shown.lane);
    if let Some(spots) = selection.map(|selection| &selection.spots) {
        let spot = |at| Spot { passage, at };
        let (from, to) = (spots.start.max(spot(bytes.start)), spots.end.min(spot(bytes.end)));
        if from < to {
            mark(from.at, to.at, theme.marked);
        }
    }
}
