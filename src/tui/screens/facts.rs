//! Name and value rows: a name on the left, its value wrapped on the right.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::tui::theme::Theme;
use crate::tui::widgets::safe::safe;
use crate::tui::widgets::wrapped::Wrapped;

/// Columns of a name.
const NAME: usize = 12;

/// Builds the rows.
pub(super) struct FactRows<'a> {
    lines: Vec<Line<'static>>,
    width: u16,
    theme: &'a Theme,
}

impl<'a> FactRows<'a> {
    /// Starts with no rows; each has at most `width` columns.
    pub(super) const fn new(width: u16, theme: &'a Theme) -> Self {
        Self { lines: Vec::new(), width, theme }
    }

    /// Adds a name with its value, wrapped.
    pub(super) fn say(&mut self, name: &str, text: &str, style: Style) {
        let room = self.width.saturating_sub(u16::try_from(NAME + 2).unwrap_or(0)).max(1);
        for (at, row) in Wrapped::of(safe(text), room).rows(0).enumerate() {
            let name = if at == 0 { name } else { "" };
            self.lines.push(Line::from(vec![
                Span::styled(format!(" {name:<NAME$}"), self.theme.muted),
                Span::styled(row.to_owned(), style),
            ]));
        }
    }

    /// An empty row.
    pub(super) fn gap(&mut self) {
        self.lines.push(Line::default());
    }

    /// The rows.
    pub(super) fn into_lines(self) -> Vec<Line<'static>> {
        self.lines
    }
}
