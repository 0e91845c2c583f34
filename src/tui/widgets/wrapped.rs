//! Text that grows at its end and stays wrapped to a width, for streaming panes.
//!
//! Wrapping is greedy, so a row is final once two more have begun; appending rewraps only the last
//! two rows, at a cost independent of the text's length. Rows break after blanks, which are
//! dropped, and between wide characters; a longer word is cut. A row has at most [`LONGEST_ROW`]
//! bytes: blanks hang over its end and marks have no width, so a line of them would never end a
//! row.
//!
//! Always holds (tested): text appended in pieces has the rows of the same text wrapped whole; rows
//! are in order, do not overlap, drop only blanks and line breaks, and fit the width if any row
//! can. [`Wrapped::keep_last`] leaves no trace of what it dropped. Widths are those of
//! [`CellWidth`].

use std::ops::Range;

use ratatui::buffer::CellWidth;
use unicode_segmentation::UnicodeSegmentation;

/// Most bytes of a row: far more than any screen shows, and few enough to rewrap for every token.
const LONGEST_ROW: usize = 16 * 1024;

/// Bytes `start..end` of one row, without the blanks or the line break that end it.
type Row = (u32, u32);

/// Text and its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrapped {
    text: String,
    width: u16,
    rows: Vec<Row>,
}

impl Default for Wrapped {
    fn default() -> Self {
        Self::new(80)
    }
}

impl Wrapped {
    /// An empty text, to be wrapped to `width` columns, at least one.
    pub(crate) fn new(width: u16) -> Self {
        Self { text: String::new(), width: width.max(1), rows: Vec::new() }
    }

    /// `text` wrapped to `width` columns.
    pub(crate) fn of(text: impl Into<String>, width: u16) -> Self {
        let mut wrapped = Self { text: text.into(), ..Self::new(width) };
        wrapped.wrap_from(0);
        wrapped
    }

    /// The text as it was appended.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The rows from `first` on.
    pub(crate) fn rows(&self, first: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().skip(first).map(|&(start, end)| &self.text[start as usize..end as usize])
    }

    /// The bytes of row `row`, without blanks or line break at its end; `None` past the last row.
    pub(crate) fn bytes_of(&self, row: usize) -> Option<Range<usize>> {
        self.rows.get(row).map(|&(start, end)| start as usize..end as usize)
    }

    /// The byte at which row `row` begins; the text's length past the last row.
    pub(crate) fn start_of(&self, row: usize) -> usize {
        self.rows.get(row).map_or(self.text.len(), |&(start, _)| start as usize)
    }

    /// The row that contains byte `at`; the last one for a byte past the end.
    pub(crate) fn row_of(&self, at: usize) -> usize {
        self.rows.partition_point(|&(start, _)| start as usize <= at).saturating_sub(1)
    }

    /// Lets `grow` append to the text, and wraps what is new.
    pub(crate) fn append_with(&mut self, grow: impl FnOnce(&mut String)) {
        let before = self.text.len();
        grow(&mut self.text);
        if self.text.len() == before {
            return;
        }
        let mut from = 0;
        // Arriving text can extend the last row, and a mark that narrows its last character can
        // make it fit one row up: wrap the last two rows of the line again.
        for _ in 0..2 {
            let Some((start, _)) = self.rows.pop() else { break };
            from = start as usize;
            if from == 0 || self.text.as_bytes()[from - 1] == b'\n' {
                break;
            }
        }
        self.wrap_from(from);
    }

    /// Wraps to another width; does nothing if it is the same.
    pub(crate) fn set_width(&mut self, width: u16) {
        let width = width.max(1);
        if width != self.width {
            self.width = width;
            self.rows.clear();
            self.wrap_from(0);
        }
    }

    /// Removes the text.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.rows.clear();
    }

    /// Drops rows at the beginning if the text has more than `most` bytes, and an eighth more, so
    /// that this happens rarely. Returns how many rows and bytes were dropped.
    pub(crate) fn keep_last(&mut self, most: usize) -> (usize, usize) {
        if self.text.len() <= most {
            return (0, 0);
        }
        let least = self.text.len() - (most - most / 8);
        let rows = self.rows.partition_point(|&(start, _)| (start as usize) < least);
        // The last row with text is still open and stays.
        let with_text = self.rows.partition_point(|&(start, _)| (start as usize) < self.text.len());
        let rows = rows.min(with_text.saturating_sub(1));
        let Some(&(cut, _)) = self.rows.get(rows) else { return (0, 0) };
        self.text.drain(..cut as usize);
        self.rows.drain(..rows);
        for (start, end) in &mut self.rows {
            (*start, *end) = (*start - cut, *end - cut);
        }
        (rows, cut as usize)
    }

    fn wrap_from(&mut self, from: usize) {
        let mut start = from;
        if self.text.is_empty() {
            return;
        }
        loop {
            let end = self.text[start..].find('\n').map(|length| start + length);
            wrap_line(&self.text, start, end.unwrap_or(self.text.len()), self.width, &mut self.rows);
            match end {
                Some(end) => start = end + 1,
                None => break,
            }
        }
    }
}

/// A possible break: the row ends at `end`, the next begins at `next`; `column` is the width.
#[derive(Clone, Copy)]
struct Break {
    end: usize,
    next: usize,
    column: usize,
}

/// Appends the rows of the line `start..end`, which contains no line break.
fn wrap_line(text: &str, start: usize, end: usize, width: u16, rows: &mut Vec<Row>) {
    let width = usize::from(width);
    let (mut row, mut column) = (start, 0);
    let mut chance: Option<Break> = None;
    let (mut after_blank, mut after_wide) = (false, false);
    for (offset, grapheme) in pieces_of(&text[start..end]) {
        let at = start + offset;
        if at - row + grapheme.len() > LONGEST_ROW && at > row {
            push(rows, row, at);
            (row, column, chance) = (at, 0, None);
            (after_blank, after_wide) = (false, false);
        }
        if grapheme == " " {
            column += 1;
            let end = chance.filter(|_| after_blank).map_or(at, |chance| chance.end);
            chance = Some(Break { end, next: at + 1, column });
            (after_blank, after_wide) = (true, false);
            continue;
        }
        let cells = usize::from(grapheme.cell_width());
        let wide = cells > 1;
        if (wide || after_wide) && !after_blank && at > row {
            chance = Some(Break { end: at, next: at, column });
        }
        if column + cells > width && at > row {
            if let Some(taken) = chance.take() {
                push(rows, row, taken.end);
                (row, column) = (taken.next, column - taken.column);
            }
            if column + cells > width && at > row {
                push(rows, row, at);
                (row, column) = (at, 0);
            }
        }
        column += cells;
        (after_blank, after_wide) = (false, wide);
    }
    push(rows, row, end);
}

/// The graphemes of a line with their offsets. One longer than a row comes in pieces.
fn pieces_of(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.grapheme_indices(true).flat_map(|(at, grapheme)| {
        let mut rest = (at, grapheme);
        std::iter::from_fn(move || {
            let (at, text) = rest;
            let length = text.floor_char_boundary(LONGEST_ROW);
            rest = (at + length, &text[length..]);
            (length > 0).then(|| (at, &text[..length]))
        })
    })
}

fn push(rows: &mut Vec<Row>, start: usize, end: usize) {
    let narrow = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
    rows.push((narrow(start), narrow(end)));
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(text: &str, width: u16) -> Vec<String> {
        Wrapped::of(text, width).rows(0).map(str::to_owned).collect()
    }

    #[test]
    fn rows_break_after_blanks_and_swallow_them() {
        assert_eq!(rows("one two  three", 7), ["one two", "three"]);
        assert_eq!(rows("  indented text", 10), ["  indented", "text"]);
    }

    #[test]
    fn a_word_longer_than_the_width_is_cut() {
        assert_eq!(rows("ab abcdefgh", 4), ["ab", "abcd", "efgh"]);
    }

    #[test]
    fn wide_characters_break_anywhere_and_never_in_half() {
        assert_eq!(rows("世界你好", 5), ["世界", "你好"]);
        assert_eq!(rows("ab世界", 3), ["ab", "世", "界"]);
    }

    #[test]
    fn line_breaks_end_rows_and_empty_lines_are_rows() {
        assert_eq!(rows("a\n\nb\n", 9), ["a", "", "b", ""]);
        assert_eq!(rows("", 9), Vec::<String>::new());
    }

    /// At most two rows are rewrapped for each token.
    #[test]
    fn a_line_that_never_fills_a_row_is_cut_into_rows_all_the_same() {
        let marks = format!("e{}", "\u{301}".repeat(40_000));
        for line in [" ".repeat(100_000), "\u{200d}".repeat(40_000), marks] {
            let whole = Wrapped::of(line.as_str(), 80);
            assert!(whole.rows.iter().all(|&(start, end)| (end - start) as usize <= LONGEST_ROW));
            let mut grown = Wrapped::new(80);
            for piece in line.chars().collect::<Vec<_>>().chunks(977) {
                grown.append_with(|text| text.extend(piece));
            }
            assert_eq!(grown, whole);
        }
    }

    #[test]
    fn a_row_is_found_again_by_its_bytes() {
        let wrapped = Wrapped::of("one two three", 5);
        assert_eq!((wrapped.start_of(1), wrapped.row_of(4), wrapped.row_of(99)), (4, 1, 2));
    }

    pub(crate) fn pieces() -> impl Strategy<Value = Vec<String>> {
        let piece = prop_oneof![
            3 => "[a-z]{1,12}",
            3 => Just(" ".to_owned()),
            1 => Just("\n".to_owned()),
            1 => "[世界テスト。、]{1,4}",
            1 => prop_oneof![
                Just("👩\u{200d}👩\u{200d}👧"), Just("👩"), Just("\u{200d}"), Just("👧"), Just("🇯"), Just("🇵"),
                Just("♻"), Just("\u{fe0f}"), Just("\u{fe0e}"), Just("e"), Just("\u{301}"), Just("ﾞ"), Just("한"), Just("ᄀ"), Just("ᅡ")
            ].prop_map(str::to_owned),
        ];
        proptest::collection::vec(piece, 0..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_token_split_gives_the_rows_of_the_whole(pieces in pieces(), width in 2_u16..60) {
            let mut grown = Wrapped::new(width);
            for piece in &pieces {
                grown.append_with(|text| text.push_str(piece));
            }
            prop_assert_eq!(grown, Wrapped::of(pieces.concat(), width));
        }

        #[test]
        fn every_row_fits_and_nothing_but_blanks_is_left_out(pieces in pieces(), width in 2_u16..60) {
            let wrapped = Wrapped::of(pieces.concat(), width);
            for row in wrapped.rows(0) {
                // Blanks at a row's end can hang over unseen. One character alone can be too wide.
                let seen = row.trim_end_matches(' ');
                let cells: u16 = seen.graphemes(true).map(CellWidth::cell_width).sum();
                prop_assert!(cells <= width || seen.graphemes(true).count() == 1, "{:?}", row);
            }
            let kept: String = wrapped.rows(0).flat_map(str::chars).filter(|c| *c != ' ').collect();
            let all: String = wrapped.text().chars().filter(|c| !matches!(c, ' ' | '\n')).collect();
            prop_assert_eq!(kept, all);
        }

        #[test]
        fn what_is_kept_of_a_long_text_is_its_end_and_goes_on_as_if_it_were_all(
            pieces in pieces(), more in pieces(), width in 2_u16..60, most in 1_usize..200
        ) {
            let whole = Wrapped::of(pieces.concat(), width);
            let mut kept = whole.clone();
            let (rows, bytes) = kept.keep_last(most);
            prop_assert_eq!(kept.text(), &whole.text()[bytes..]);
            prop_assert!(kept.rows(0).eq(whole.rows(rows)));
            prop_assert!(kept.text().len() <= most || kept.len() <= 2, "{:?}", kept);
            kept.append_with(|text| text.push_str(&more.concat()));
            prop_assert_eq!(kept, Wrapped::of(whole.text()[bytes..].to_owned() + &more.concat(), width));
        }

        #[test]
        fn another_width_is_as_if_it_had_always_been(pieces in pieces(), first in 1_u16..30, second in 1_u16..30) {
            let mut wrapped = Wrapped::of(pieces.concat(), first);
            wrapped.set_width(second);
            prop_assert_eq!(wrapped, Wrapped::of(pieces.concat(), second));
        }
    }
}
