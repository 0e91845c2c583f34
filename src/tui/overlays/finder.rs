//! A list in a box that typing narrows: what the help, the palette and the list of the configuration share.
//!
//! What is listed and what a row looks like is theirs; here is how keys move the mark and change what is looked for.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{centred, open_box};
use crate::tui::keymap::Chord;
use crate::tui::model::Model;
use crate::tui::screens::surround::{list_row, say_hidden};
use crate::tui::theme::Theme;
use crate::tui::widgets::cells;

/// What stands before what is typed.
const PROMPT: &str = " search ";

/// Where the box lies.
pub(super) fn area(screen: Rect) -> Rect {
    centred(screen, 96, screen.height.saturating_sub(4).max(10))
}

/// Rows that a page of the list has.
pub(super) fn page(model: &Model) -> usize {
    usize::from(area(Rect::new(0, 0, model.size.width, model.size.height)).height.saturating_sub(4)).max(1)
}

/// Moves the mark among rows up to `last`, or changes what is looked for, which marks the first row.
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

/// Looks for a text that was pasted too: its first line, which ends where the user's would with `Enter`.
pub(super) fn paste(text: &str, filter: &mut String, marked: &mut usize) {
    filter.push_str(text.lines().next().unwrap_or_default());
    filter.retain(|character| !character.is_control());
    *marked = 0;
}

/// The box as it is drawn.
pub(super) struct Finder<'a> {
    /// What is listed.
    pub(super) title: &'a str,
    /// What has been typed.
    pub(super) filter: &'a str,
    /// The marked row.
    pub(super) marked: usize,
    /// How many rows there are.
    pub(super) rows: usize,
    /// What is said where there are none.
    pub(super) nothing: &'a str,
    /// What is said of the marked row, below the list: a line each, cut where there is no room.
    pub(super) about: Vec<(String, Style)>,
}

impl Finder<'_> {
    /// Draws it; `line` gives a row by its place and the columns it has.
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
