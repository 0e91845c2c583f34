//! A list in a box that typing filters, shared by help, palette and settings.
//!
//! This module handles the keys and draws the box; its users supply the rows.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{centred, open_box};
use crate::tui::keymap::Chord;
use crate::tui::model::Model;
use crate::tui::screens::chrome::{list_row, say_hidden};
use crate::tui::theme::Theme;
use crate::tui::widgets::cells;

/// The label of the filter.
const PROMPT: &str = " search ";

/// The area of the box.
pub(super) fn area(screen: Rect) -> Rect {
    centred(screen, 96, screen.height.saturating_sub(4).max(10))
}

/// Rows of a page of the list.
pub(super) fn page(model: &Model) -> usize {
    usize::from(area(Rect::new(0, 0, model.size.width, model.size.height)).height.saturating_sub(4)).max(1)
}

/// Moves the mark among the rows up to `last`, or edits the filter, which marks the first row.
pub(super) fn key(chord: Chord, filter: &mut String, marked: &mut usize, last: usize, page: usize) {
    match (chord.code(), chord.typed()) {
        (KeyCode::Down, _) => *marked = (*marked + 1).min(last),
        (KeyCode::Up, _) => *marked = marked.saturating_sub(1),
        (KeyCode::PageDown, _) => *marked = (*marked + page).min(last),
        (KeyCode::PageUp, _) => *marked = marked.saturating_sub(page),
        (KeyCode::Home, _) => *marked = 0,
        (KeyCode::End, _) => *marked = last,
        (KeyCode::Backspace, _) => {
            filter.pop();
            *marked = 0;
        }
        (_, Some(character)) => {
            filter.push(character);
            *marked = 0;
        }
        _ => {}
    }
}

/// Pastes the first line of a text into the filter.
pub(super) fn paste(text: &str, filter: &mut String, marked: &mut usize) {
    filter.push_str(text.lines().next().unwrap_or_default());
    filter.retain(|character| !character.is_control());
    *marked = 0;
}

/// The box to draw.
pub(super) struct Finder<'a> {
    /// The title.
    pub(super) title: &'a str,
    /// The filter.
    pub(super) filter: &'a str,
    /// The marked row.
    pub(super) marked: usize,
    /// How many rows there are.
    pub(super) rows: usize,
    /// The message if there are none.
    pub(super) nothing: &'a str,
    /// Lines about the marked row, below the list; those without room are cut.
    pub(super) about: Vec<(String, Style)>,
}

impl Finder<'_> {
    /// Draws it; `line` renders a row, given its index and the columns it has.
    pub(super) fn view(&self, frame: &mut Frame<'_>, theme: &Theme, line: impl Fn(usize, u16) -> Line<'static>) {
        let mut inner = open_box(frame, area(frame.area()), self.title, theme);
        let foot = cells(self.about.len()).min(inner.height.saturating_sub(4));
        inner.height -= foot;
        let below = Rect { y: inner.bottom(), height: foot, ..inner };
        for (row, (text, style)) in below.rows().zip(&self.about) {
            frame.render_widget(Line::styled(format!(" {text}"), *style), row);
        }
        let mut rows = inner.rows();
        if let Some(row) = rows.next() {
            let typed = Span::styled(self.filter.to_owned(), theme.strong);
            frame.render_widget(Line::from(vec![Span::styled(PROMPT, theme.muted), typed]), row);
            let cursor = row.x.saturating_add(cells(PROMPT.len() + self.filter.chars().count()));
            if cursor < row.right() {
                frame.set_cursor_position((cursor, row.y));
            }
        }
        let height = usize::from(inner.height.saturating_sub(1)).max(1);
        let top = self.marked.saturating_sub(height / 2).min(self.rows.saturating_sub(height));
        if self.rows == 0 {
            if let Some(row) = rows.next() {
                frame.render_widget(Line::styled(format!(" {}", self.nothing), theme.muted), row);
            }
            return;
        }
        say_hidden(frame, area(frame.area()), top, self.rows.saturating_sub(top + height), theme);
        for (row, index) in rows.zip(top..self.rows) {
            let line = line(index, row.width);
            list_row(frame, row, line, index == self.marked, theme);
        }
    }
}
