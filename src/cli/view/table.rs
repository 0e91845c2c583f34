//! A table of short columns and a last one that takes the rest of the line.

use std::borrow::Cow;

use aludel_core::text::markdown::escaped;
use aludel_core::text::shown::{escape, escape_line};
use textwrap::core::display_width;

use super::page::{Page, Role};
use crate::cli::shown::EscapedText;
use crate::cli::view::symbols::{DOT, MORE, NONE, Symbol};

/// The title and the style of a column.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    title: String,
    role: Role,
    is_right_aligned: bool,
}

impl Column {
    /// A column of text.
    pub(crate) fn words(title: impl Into<String>) -> Self {
        Self { title: one_line(title.into()), role: Role::Body, is_right_aligned: false }
    }

    /// A column of numbers.
    pub(crate) fn numbers(title: impl Into<String>) -> Self {
        Self { title: one_line(title.into()), role: Role::Body, is_right_aligned: true }
    }

    /// Colours the column by a role.
    #[must_use]
    pub(crate) fn painted(mut self, role: Role) -> Self {
        self.role = role;
        self
    }
}

/// A table. On a terminal its last column is cut to the rest of the line, or wrapped.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    overflow: Overflow,
}

/// What happens to a last cell that does not fit on the line of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Overflow {
    /// It is cut, so that every row is one line.
    Cut,
    /// It is wrapped below its beginning.
    Wrap,
}

/// Columns between two cells.
const GAP: usize = 2;
/// Columns between two numbers; only their titles can come this close.
const GAP_OF_NUMBERS: usize = 1;
/// Least columns of the last cell; with less, each row is split into lines.
const NARROWEST: usize = 12;
/// Indentation of the lines of a row after its first.
const INDENT: usize = 2;
/// Fills an empty cell.
const NOTHING: Symbol = NONE;

impl Table {
    /// A table without rows.
    pub(crate) fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new(), overflow: Overflow::Cut }
    }

    /// Wraps the last column instead of cutting it.
    pub(crate) fn wrapping(mut self) -> Self {
        self.overflow = Overflow::Wrap;
        self
    }

    /// Adds a row: a cell for every column. Hidden characters, line ends too, are escaped first.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.into_iter().map(one_line).collect());
    }

    /// The columns it takes if nothing is cut.
    pub(crate) fn width(&self) -> usize {
        let widths = self.widths();
        let gaps: usize = (1..widths.len()).map(|next| self.gap_after(next - 1)).sum();
        widths.iter().sum::<usize>() + gaps
    }

    /// The table in Markdown.
    pub(crate) fn document(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let titles = line(self.columns.iter().map(|column| column.title.clone()).collect());
        let mark = |column: &Column| if column.is_right_aligned { "---:|" } else { "---|" };
        let marks: String = std::iter::once("|").chain(self.columns.iter().map(mark)).chain(["\n"]).collect();
        let rows = self.rows.iter().map(|row| line(row.iter().map(|cell| escaped(cell)).collect()));
        [titles, marks].into_iter().chain(rows).collect()
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self.columns.iter().map(|column| display_width(&column.title)).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(display_width(cell));
            }
        }
        widths
    }

    /// Writes the table; on a terminal that is too narrow, as lines.
    pub(crate) fn write(&self, page: &mut Page) {
        let mut widths = self.widths();
        if page.is_terminal()
            && let Some((last, others)) = widths.split_last_mut()
        {
            let taken = others.iter().enumerate().map(|(at, width)| width + self.gap_after(at)).sum::<usize>();
            let left = page.width().saturating_sub(taken);
            if *last > left && left < self.least_for_the_last(page.width()) {
                return self.write_as_lines(page);
            }
            *last = (*last).min(left);
        }
        let titles: Vec<String> = self.columns.iter().map(|column| column.title.clone()).collect();
        self.write_row(page, &titles, &widths, Some(Role::Faint));
        for row in &self.rows {
            self.write_row(page, row, &widths, None);
        }
    }

    /// Least columns for the last cells: for wrapped text, those of the longest word.
    fn least_for_the_last(&self, width: usize) -> usize {
        let is_number = self.columns.last().is_some_and(|column| column.is_right_aligned);
        match self.overflow {
            _ if is_number => usize::MAX,
            Overflow::Cut => NARROWEST,
            Overflow::Wrap => {
                let words = self.rows.iter().filter_map(|row| row.last()).flat_map(|cell| cell.split(' '));
                let longest = words.map(display_width).filter(|word| *word <= width.saturating_sub(INDENT)).max();
                longest.unwrap_or(0).max(NARROWEST)
            }
        }
    }

    /// Each row as lines: its first cell, the others with their titles, the last on its own.
    fn write_as_lines(&self, page: &mut Page) {
        for row in &self.rows {
            let mut cells =
                self.columns.iter().zip(row).filter(|(_, cell)| !cell.is_empty() && cell.as_str() != NOTHING.as_str());
            if let Some((column, cell)) = cells.next() {
                self.write_part(page, column, cell, 0);
            }
            let rest: Vec<(&Column, &String)> = cells.collect();
            let is_text = |column: &Column| {
                !column.is_right_aligned && self.columns.last().is_some_and(|last| last.title == column.title)
            };
            let (texts, facts): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(column, _)| is_text(column));
            let facts: Vec<String> = facts.iter().map(|(column, cell)| format!("{} {cell}", column.title)).collect();
            for line in packed(&facts, page.width().saturating_sub(INDENT)) {
                page.line(format!("{:INDENT$}{line}", ""));
            }
            for (column, cell) in texts {
                self.write_part(page, column, cell, INDENT);
            }
        }
    }

    /// A cell on lines of its own, cut or wrapped.
    fn write_part(&self, page: &mut Page, column: &Column, cell: &str, indent: usize) {
        let width = page.width().saturating_sub(indent);
        let parts = if self.overflow == Overflow::Wrap { broken_to(cell, width) } else { vec![cut(cell, width)] };
        for part in parts {
            let margin = " ".repeat(indent);
            page.line(EscapedText::of_parts([margin.into(), page.paint().text(column.role, &part)]));
        }
    }

    fn gap_after(&self, position: usize) -> usize {
        let is_number = |at: usize| self.columns.get(at).is_some_and(|column| column.is_right_aligned);
        if is_number(position) && is_number(position + 1) { GAP_OF_NUMBERS } else { GAP }
    }

    fn write_row(&self, page: &mut Page, cells: &[String], widths: &[usize], role: Option<Role>) {
        let last = cells.last().map_or("", String::as_str);
        let width = widths.last().copied().unwrap_or(0);
        let mut parts = match self.overflow {
            Overflow::Wrap if page.is_terminal() => broken_to(last, width),
            Overflow::Wrap => vec![last.to_owned()],
            Overflow::Cut => vec![cut(last, width)],
        }
        .into_iter();
        let first = parts.next().unwrap_or_default();
        let line = self.first_line(page, &[&cells[..cells.len().saturating_sub(1)], &[first]].concat(), widths, role);
        page.line(line.trimmed_at_the_end());
        let margin = widths.iter().enumerate().map(|(at, width)| width + self.gap_after(at)).sum::<usize>();
        let margin = " ".repeat(margin.saturating_sub(width + GAP));
        let role = role.or(self.columns.last().map(|column| column.role)).unwrap_or(Role::Body);
        for part in parts {
            page.line(EscapedText::of_parts([margin.as_str().into(), page.paint().text(role, &part)]));
        }
    }

    fn first_line(&self, page: &Page, cells: &[String], widths: &[usize], role: Option<Role>) -> EscapedText {
        let mut line = EscapedText::default();
        for (position, ((column, cell), width)) in self.columns.iter().zip(cells).zip(widths).enumerate() {
            let padding = " ".repeat(width.saturating_sub(display_width(cell)));
            let painted = page.paint().text(role.unwrap_or(column.role), cell);
            let is_last = position + 1 == self.columns.len();
            match (column.is_right_aligned, is_last) {
                (true, _) => line.add(EscapedText::of_parts([padding.into(), painted])),
                (false, true) => line.add(painted),
                (false, false) => line.add(EscapedText::of_parts([painted, padding.into()])),
            }
            if !is_last {
                line.add(" ".repeat(self.gap_after(position)));
            }
        }
        line
    }
}

/// Packs the parts into as few lines as possible, none longer than `width`.
fn packed(parts: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if display_width(line) + 3 + display_width(part) <= width => {
                line.push_str(DOT.as_str());
                line.push_str(part);
            }
            _ => lines.extend(broken_to(part, width)),
        }
    }
    lines
}

/// Wraps the text between words, and inside one only if it is longer than a line.
pub(super) fn broken_to(text: &str, width: usize) -> Vec<String> {
    let options = textwrap::Options::new(width.max(1))
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit);
    textwrap::wrap(text, options).into_iter().map(std::borrow::Cow::into_owned).collect()
}

fn one_line(text: String) -> String {
    match escape_line(&text) {
        Cow::Owned(line) => line,
        Cow::Borrowed(_) => text,
    }
}

/// The text in at most `width` columns, with `…` if it was cut; hidden characters are escaped.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let text = escape(text);
    if display_width(&text) <= width {
        return text.into_owned();
    }
    let more = display_width(MORE.as_str());
    let (mut kept, mut used) = (String::new(), 0);
    for character in text.chars() {
        let wide = display_width(character.encode_utf8(&mut [0; 4]));
        if used + wide + more > width {
            break;
        }
        kept.push(character);
        used += wide;
    }
    kept.truncate(kept.trim_end().len());
    kept.push_str(MORE.as_str());
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
        page.finish().into()
    }

    #[test]
    fn a_cell_is_one_line_what_can_be_seen() {
        let mut table = Table::new(vec![Column::words("name"), Column::words("value")]);
        table.row(vec!["a\u{1b}[2J\nb".into(), "\u{202e}x".into()]);
        let mut page = Page::new(Paint::Plain, 80, true);
        table.write(&mut page);
        assert_eq!(page.finish(), "name     value\na␛[2J␊b  \\u{202e}x\n");
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
    fn a_wrapping_table_loses_nothing() {
        let mut table = Table::new(vec![Column::words("name"), Column::words("what it is for")]).wrapping();
        table.row(vec!["code".into(), "programs and scripts and queries".into()]);
        let mut page = Page::new(Paint::Plain, 24, true);
        table.write(&mut page);
        assert_eq!(page.finish(), "name  what it is for\ncode  programs and\n      scripts and\n      queries\n");
    }

    #[test]
    fn where_columns_have_no_room_a_row_becomes_lines() {
        let mut table = Table::new(vec![
            Column::words("name"),
            Column::words("from"),
            Column::numbers("calls"),
            Column::words("what it is for"),
        ])
        .wrapping();
        table.row(vec![
            "analysis".into(),
            "built in".into(),
            "1,234".into(),
            "see providers.openai.api_key first".into(),
        ]);
        table.row(vec!["x".into(), "—".into(), "2".into(), "a-word-longer-than-the-whole-line-is".into()]);
        let mut page = Page::new(Paint::Plain, 30, true);
        table.write(&mut page);
        assert_eq!(
            page.finish(),
            "analysis\n  from built in · calls 1,234\n  see providers.openai.api_key\n  first\nx\n  calls 2\n  \
             a-word-longer-than-the-whole\n  -line-is\n"
        );
    }

    #[test]
    fn its_width_is_known_before_it_is_written() {
        let mut table = Table::new(vec![Column::words("id"), Column::numbers("score"), Column::numbers("素数")]);
        table.row(vec!["7a3f9c21".into(), "0.9".into(), "1".into()]);
        let mut page = Page::new(Paint::Plain, 80, false);
        table.write(&mut page);
        let widest = page.finish().lines().map(display_width).max();
        assert_eq!(Some(table.width()), widest);
        assert_eq!(table.document(), "| id | score | 素数 |\n|---|---:|---:|\n| 7a3f9c21 | 0.9 | 1 |\n");
    }

    #[test]
    fn wide_characters_count_as_two_columns() {
        assert_eq!(cut("素数素数", 5), "素数…");
        assert_eq!(cut("abc", 3), "abc");
    }
}
