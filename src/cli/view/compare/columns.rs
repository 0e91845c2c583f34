//! A diff as two columns of lines: the first text on the left, the second on the right.
//!
//! Removed text is red, new text green; without colour they are marked as `[-…-]` and `{+…+}`, so
//! colour is never the only sign. The columns are level after a line end in both texts and after
//! changes of whole lines. A word longer than a column is broken.

use aludel_core::domain::{DiffOp, DiffPart};
use aludel_core::text::shown::escape;
use textwrap::core::display_width;
use unicode_segmentation::UnicodeSegmentation;

use crate::cli::shown::EscapedText;
use crate::cli::view::page::{Paint, Role};
use crate::cli::view::symbols::{COLUMN_SEPARATOR, Symbol};

/// Between the columns.
const RULE: Symbol = COLUMN_SEPARATOR;
/// Columns of the rule.
const RULE_WIDTH: usize = 3;
/// A tab, as blanks.
const TAB: &str = "    ";

/// Lines of at most `width` columns, each with both sides.
pub(super) fn side_by_side(parts: &[DiffPart], width: usize, paint: Paint) -> Vec<EscapedText> {
    let column = width.saturating_sub(RULE_WIDTH) / 2;
    let mut lines = Vec::new();
    for [first, second] in level_blocks(parts) {
        let (mut left, mut right) = (wrap(&first, column, paint).into_iter(), wrap(&second, column, paint).into_iter());
        loop {
            let (left, right) = (left.next(), right.next());
            if left.is_none() && right.is_none() {
                break;
            }
            let (left, right) = (left.unwrap_or_default(), right.unwrap_or_default());
            let padding = " ".repeat(column.saturating_sub(left.width));
            let rule = paint.text(Role::Faint, RULE.as_str());
            lines.push(EscapedText::of_parts([left.text, padding.into(), rule, right.text]).trimmed_at_the_end());
        }
    }
    lines
}

/// A piece of text on one side.
#[derive(Debug, Clone)]
struct Piece<'a> {
    op: DiffOp,
    text: &'a str,
}

/// Splits both sides where both are at the beginning of a line.
fn level_blocks(parts: &[DiffPart]) -> Vec<[Vec<Piece<'_>>; 2]> {
    let mut blocks = vec![[Vec::new(), Vec::new()]];
    let mut rest = parts.iter().peekable();
    while let Some(part) = rest.next() {
        if part.op == DiffOp::Equal {
            for (at, text) in part.text.split('\n').enumerate() {
                if at > 0 {
                    blocks.push([Vec::new(), Vec::new()]);
                }
                if let Some([left, right]) = blocks.last_mut().filter(|_| !text.is_empty()) {
                    let piece = Piece { op: part.op, text };
                    left.push(piece.clone());
                    right.push(piece);
                }
            }
            continue;
        }
        let instead = rest.next_if(|next| part.op == DiffOp::Delete && next.op == DiffOp::Insert);
        let change = [Some(part), instead].into_iter().flatten();
        // If only whole lines changed, what follows is level again.
        let is_level = change.clone().all(|part| part.text.ends_with('\n'));
        for part in change {
            let text = if is_level { part.text.strip_suffix('\n').unwrap_or(&part.text) } else { &part.text };
            if let Some(block) = blocks.last_mut() {
                block[usize::from(part.op == DiffOp::Insert)].push(Piece { op: part.op, text });
            }
        }
        if is_level {
            blocks.push([Vec::new(), Vec::new()]);
        }
    }
    // A line end at the very end starts no line.
    blocks.pop_if(|[left, right]| left.is_empty() && right.is_empty());
    blocks
}

/// A line of one column.
#[derive(Debug, Clone, Default)]
struct Line {
    text: EscapedText,
    width: usize,
}

/// Wraps the pieces to lines of at most `width` columns.
fn wrap(pieces: &[Piece<'_>], width: usize, paint: Paint) -> Vec<Line> {
    let mut filling = LineFiller { lines: vec![Line::default()], run: String::new(), op: DiffOp::Equal, width, paint };
    let mut word = Word::default();
    for piece in pieces {
        for (at, segment) in piece.text.split('\n').enumerate() {
            if at > 0 {
                filling.word(std::mem::take(&mut word));
                filling.break_line();
            }
            let shown = marked(&escape(segment).replace('\t', TAB), piece.op, paint);
            for part in shown.split_inclusive(' ') {
                word.0.push((part.to_owned(), piece.op));
                if part.ends_with(' ') {
                    filling.word(std::mem::take(&mut word));
                }
            }
        }
    }
    filling.word(word);
    filling.end_run();
    filling.lines
}

/// The text, in brackets if there is no colour.
fn marked(text: &str, op: DiffOp, paint: Paint) -> String {
    match (op, paint) {
        (_, Paint::Colour) | (DiffOp::Equal, _) => text.to_owned(),
        _ if text.is_empty() => String::new(),
        (DiffOp::Delete, _) => format!("[-{text}-]"),
        (DiffOp::Insert, _) => format!("{{+{text}+}}"),
    }
}

/// The text between two blanks. It can have several pieces: a word that stays and a removed comma.
#[derive(Debug, Default)]
struct Word(Vec<(String, DiffOp)>);

impl Word {
    /// Columns without trailing blanks.
    fn width(&self) -> usize {
        self.0.iter().map(|(part, _)| display_width(part.trim_end_matches(' '))).sum()
    }
}

/// Fills lines with words; consecutive words of one operation are coloured together.
struct LineFiller {
    lines: Vec<Line>,
    run: String,
    op: DiffOp,
    width: usize,
    paint: Paint,
}

impl LineFiller {
    fn word(&mut self, word: Word) {
        let width = word.width();
        if self.filled() > 0 && self.filled() + width > self.width {
            self.break_line();
        }
        for (part, op) in word.0 {
            if op != self.op {
                self.end_run();
                self.op = op;
            }
            if width <= self.width {
                // Only blanks at the end of a line, which are invisible, do not fit.
                let fits = self.filled() + display_width(&part) <= self.width;
                self.run.push_str(if fits { &part } else { part.trim_end_matches(' ') });
            } else {
                self.broken(&part);
            }
        }
    }

    /// Adds a part of a word that is wider than a line.
    fn broken(&mut self, part: &str) {
        for grapheme in part.graphemes(true) {
            if self.filled() > 0 && self.filled() + display_width(grapheme) > self.width {
                self.break_line();
            }
            self.run.push_str(grapheme);
        }
    }

    fn filled(&self) -> usize {
        self.lines.last().map_or(0, |line| line.width) + display_width(&self.run)
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        let role = match self.op {
            DiffOp::Equal => Role::Body,
            DiffOp::Delete => Role::Bad,
            DiffOp::Insert => Role::Good,
        };
        if let Some(line) = self.lines.last_mut().filter(|_| !run.is_empty()) {
            line.width += display_width(&run);
            line.text.add(self.paint.text(role, &run));
        }
    }

    fn break_line(&mut self) {
        self.end_run();
        self.lines.push(Line::default());
    }
}

#[cfg(test)]
mod tests {
    use aludel_core::text::diff;

    use super::*;

    fn plain(first: &str, second: &str, width: usize) -> String {
        side_by_side(&diff::words(first, second), width, Paint::Plain)
            .into_iter()
            .map(String::from)
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn equal_lines_are_level_after_a_change_of_other_length() {
        let shown = plain("# Role\nReview it.\nEnd", "# Role\nReview it for a whole team of people.\nEnd", 43);
        assert_eq!(
            shown,
            "# Role               │ # Role\nReview it.           │ Review it{+ for a\n                     │ whole team of\n                     │ people+}.\nEnd                  │ End"
        );
    }

    #[test]
    fn a_mark_behind_a_word_stays_with_it() {
        let (first, second) = ("say what comes next, please", "say what comes next. Please");
        for width in 33..48 {
            for line in side_by_side(&diff::words(first, second), width, Paint::Colour) {
                let text = String::from(line).replace("\u{1b}[0m", "").replace("\u{1b}[1m", "");
                let column = text.split('│').next_back().unwrap_or_default().trim_start();
                let bare =
                    column.trim_start_matches(|c: char| c == '\u{1b}' || c == '[' || c == 'm' || c.is_ascii_digit());
                assert!(!bare.starts_with(['.', ',']), "{width}: {text:?}");
            }
        }
    }

    #[test]
    fn colour_takes_the_place_of_brackets() {
        let lines = side_by_side(&diff::words("at most 7", "at most 5"), 40, Paint::Colour);
        assert!(lines[0].contains("\u{1b}[1m\u{1b}[31m7\u{1b}[0m") || lines[0].contains("7\u{1b}[0m"), "{lines:?}");
        assert!(!lines[0].contains("[-"), "{lines:?}");
    }

    #[test]
    fn lines_of_one_side_alone_leave_the_other_empty() {
        assert_eq!(plain("a\nb\nc", "a\nc", 20), "a        │ a\n[-b-]    │\nc        │ c");
    }

    #[test]
    fn no_line_is_wider_than_asked_for() {
        let (first, second) =
            ("世界地图 and anextraordinarilylongwordthatneverends x", "世界 👩‍👩‍👧 and\tother é words \u{1b}[2J");
        for width in [20, 41, 80] {
            for line in side_by_side(&diff::words(first, second), width, Paint::Plain) {
                assert!(display_width(&line) <= width, "{width}: {line:?}");
                assert!(!line.contains('\u{1b}'));
            }
        }
    }
}
