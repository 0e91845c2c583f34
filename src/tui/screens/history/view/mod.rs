//! Draws the History from the model. Changes nothing.

mod list;
mod preview;
mod search;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::layout::layout;
use crate::tui::model::Model;
use crate::tui::screens::chrome::{self, header, hints, too_small};
use crate::tui::theme::Theme;
use crate::tui::widgets::figures::thousands;
use crate::tui::widgets::safe::safe_line;

/// Draws the screen, without overlays.
pub(crate) fn view(model: &Model, frame: &mut Frame<'_>, theme: &Theme) {
    let area = frame.area();
    let layout = layout(model, area);
    if layout.is_tiny {
        return too_small(frame, area, theme);
    }
    header(model, layout.chrome.header, frame, theme);
    search::view(model, layout.search, frame, theme);
    search::said(model, layout.said, frame, theme);
    list::view(model, &layout, frame, theme);
    preview::view(model, layout.preview, frame, theme);
    status(model, layout.chrome.status, frame, theme);
    hints(model, layout.chrome.hints, frame, theme);
}

/// The position of the mark; a passing message or the run on the Workbench on the right.
fn status(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let history = &model.history;
    let mut left = Vec::new();
    if let Some(row) = history.marked_row() {
        let more = if history.next.is_some() { "+" } else { "" };
        let place =
            format!(" {} of {}{more}", thousands(history.marked as u64 + 1), thousands(history.rows.len() as u64));
        left.push(Span::styled(place, theme.muted));
        left.push(Span::styled(format!(" · {}", row.id.short()), theme.muted));
    }
    if let Some(indexing) = history.indexing.as_ref().filter(|indexing| indexing.left > 0) {
        let all = indexing.done + indexing.left;
        left.push(Span::styled(format!(" · indexing {} of {}", thousands(indexing.done), thousands(all)), theme.live));
        if let Some(problem) = &indexing.problem {
            left.push(Span::styled(format!(", {}", safe_line(problem)), theme.warning));
        }
    }
    chrome::run_status(model, left, area, frame, theme);
}

#[cfg(test)]
mod tests;
