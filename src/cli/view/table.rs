//! A table of short columns and one that takes the rest of the line.

use textwrap::core::display_width;

use super::page::{Page, Role};

/// How a column looks.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    title: String,
    role: Role,
    is_right_aligned: bool,
}

impl Column {
    /// A column of words.
    pub(crate) fn words(title: impl Into<String>) -> Self {
        Self { title: title.into(), role: Role::Body, is_right_aligned: false }
    }

    /// A column of numbers.
    pub(crate) fn numbers(title: impl Into<String>) -> Self {
        Self { title: title.into(), role: Role::Body, is_right_aligned: true }
    }

    /// The same column in the colour of a role.
    #[must_use]
    pub(crate) fn painted(mut self, role: Role) -> Self {
        self.role = role;
        self
    }
}

/// A table. On a terminal its last column is cut to what is left of the line.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

/// Columns between two cells.
const GAP: usize = 2;
/// Columns between two numbers, whose titles are all that could touch.
const GAP_OF_NUMBERS: usize = 1;
/// Fewest columns left to a cell that is cut.
const NARROWEST: usize = 8;

impl Table {
    /// A table without rows.
    pub(crate) fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row: a cell for every column.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Writes the table on the page.
    pub(crate) fn write(&self, page: &mut Page) {
        let mut widths: Vec<usize> = self.columns.iter().map(|column| display_width(&column.title)).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(display_width(cell));
            }
        }
        if page.is_terminal()
            && let Some((last, others)) = widths.split_last_mut()
        {
            let taken = others.iter().enumerate().map(|(at, width)| width + self.gap_after(at)).sum::<usize>();
            *last = (*last).min(page.width().saturating_sub(taken).max(NARROWEST));
        }
        let titles: Vec<String> = self.columns.iter().map(|column| column.title.clone()).collect();
        self.write_row(page, &titles, &widths, Some(Role::Faint));
        for row in &self.rows {
            self.write_row(page, row, &widths, None);
        }
    }

    fn gap_after(&self, position: usize) -> usize {
        let is_number = |at: usize| self.columns.get(at).is_some_and(|column| column.is_right_aligned);
        if is_number(position) && is_number(position + 1) { GAP_OF_NUMBERS } else { GAP }
    }

    fn write_row(&self, page: &mut Page, cells: &[String], widths: &[usize], role: Option<Role>) {
        let mut line = String::new();
        for (position, ((column, cell), width)) in self.columns.iter().zip(cells).zip(widths).enumerate() {
            let cell = cut(cell, *width);
            let padding = " ".repeat(width.saturating_sub(display_width(&cell)));
            let painted = page.paint().text(role.unwrap_or(column.role), &cell);
            let is_last = position + 1 == self.columns.len();
            match (column.is_right_aligned, is_last) {
                (true, _) => line.extend([padding.as_str(), painted.as_str()]),
                (false, true) => line.push_str(&painted),
                (false, false) => line.extend([painted.as_str(), padding.as_str()]),
            }
            if !is_last {
                line.push_str(&" ".repeat(self.gap_after(position)));
            }
        }
        page.line(line.trim_end());
    }
}

/// The text in at most `width` columns, with `…` where it was cut.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    let (mut kept, mut used) = (String::new(), 0);
    for character in text.chars() {
        let wide = display_width(character.encode_utf8(&mut [0; 4]));
        if used + wide + 1 > width {
            break;
        }
        kept.push(character);
        used += wide;
    }
    kept.truncate(kept.trim_end().len());
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::view::Paint;

    fn table(is_terminal: bool) -> String {
        let mut table = Table::new(vec![Column::numbers("score"), Column::words("id"), Column::words("prompt")]);
        table.row(vec!["0.9".into(), "7a3f9c21".into(), "a fairly long line about 素数 and more".into()]);
        table.row(vec!["—".into(), "x".into(), "short".into()]);
        let mut page = Page::new(Paint::Plain, 32, is_terminal);
        table.write(&mut page);
        page.finish()
    }

    #[test]
    fn on_a_terminal_the_last_column_is_cut_to_the_line() {
        assert_eq!(table(true), "score  id        prompt\n  0.9  7a3f9c21  a fairly long…\n    —  x         short\n");
    }

    #[test]
    fn elsewhere_nothing_is_cut() {
        assert!(table(false).contains("about 素数 and more\n"));
    }

    #[test]
    fn wide_characters_count_as_two_columns() {
        assert_eq!(cut("素数素数", 5), "素数…");
        assert_eq!(cut("abc", 3), "abc");
    }
}
