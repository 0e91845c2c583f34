//! A diff of two texts, laid out side by side or unified.
//!
//! A difference ([`DiffPart`]) is cut into blocks at the line breaks common to both texts, which
//! keeps equal lines level. Every theme marks removed text `[-so-]` and added text `{+so+}`: colour
//! is never the only sign. Texts are safe to show; their rows depend on the width.

use std::ops::Range;

use aludel_core::domain::{DiffOp, DiffPart};

use crate::tui::widgets::passages::Passages;
use crate::tui::widgets::safe::Sanitizer;
use crate::tui::widgets::wrapped::Wrapped;

/// Whether a piece was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    /// In both texts.
    Same,
    /// Only in the first.
    Removed,
    /// Only in the second.
    Added,
}

/// How the two texts are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Arrangement {
    /// One on the left, the other on the right.
    #[default]
    SideBySide,
    /// Both in one text.
    Unified,
}

/// A text with its changes marked.
#[derive(Debug, Clone, Default)]
struct MarkedText {
    text: Wrapped,
    /// The end of each piece, in bytes of the text.
    pieces: Vec<(usize, ChangeKind)>,
}

impl MarkedText {
    fn of(pieces: &[(ChangeKind, String)]) -> Self {
        let mut marked_text = Self::default();
        let (text, ends) = (&mut marked_text.text, &mut marked_text.pieces);
        let last = pieces.len().saturating_sub(1);
        for (at, (sign, piece)) in pieces.iter().enumerate() {
            // The line break that ends the block is implied by the next row.
            let piece = if at == last { piece.strip_suffix('\n').unwrap_or(piece) } else { piece };
            let (open, close) = match sign {
                ChangeKind::Same => ("", ""),
                ChangeKind::Removed => ("[-", "-]"),
                ChangeKind::Added => ("{+", "+}"),
            };
            let words = piece.trim_end_matches('\n');
            text.append_with(|text| {
                text.push_str(open);
                text.push_str(words);
                text.push_str(close);
                text.push_str(&piece[words.len()..]);
                ends.push((text.len(), *sign));
            });
        }
        marked_text
    }

    /// The pieces of row `row`.
    fn row(&self, row: usize) -> Vec<(ChangeKind, &str)> {
        let Some(shown) = self.text.rows(row).next() else { return Vec::new() };
        let mut from = self.text.start_of(row);
        let end = from + shown.len();
        let begin = from;
        let mut found = Vec::new();
        for (to, sign) in &self.pieces {
            if *to > from && from < end {
                let stop = (*to).min(end);
                found.push((*sign, &shown[from - begin..stop - begin]));
                from = stop;
            }
        }
        found
    }
}

impl MarkedText {
    /// These bytes without the marks of changes.
    fn words(&self, bytes: Range<usize>) -> String {
        let mut words = String::new();
        let mut from = 0;
        for (to, sign) in &self.pieces {
            let piece = self.text.text().get(from..*to).unwrap_or_default();
            let own = match sign {
                ChangeKind::Same => from..*to,
                // Two bytes of mark before and after it; line breaks can follow.
                ChangeKind::Removed | ChangeKind::Added => from + 2..from + piece.trim_end_matches('\n').len() - 2,
            };
            let wanted = own.start.max(bytes.start)..own.end.min(bytes.end);
            words.push_str(self.text.text().get(wanted).unwrap_or_default());
            // The line breaks after the closing mark.
            let breaks = (own.end + 2).max(bytes.start)..(*to).min(bytes.end);
            if *sign != ChangeKind::Same {
                words.push_str(self.text.text().get(breaks).unwrap_or_default());
            }
            from = *to;
        }
        words
    }
}

/// Some lines of both texts.
#[derive(Debug, Clone, Default)]
struct Block {
    left: MarkedText,
    right: MarkedText,
    both: MarkedText,
}

impl Block {
    fn rows(&self, arrangement: Arrangement) -> usize {
        match arrangement {
            Arrangement::SideBySide => self.left.text.len().max(self.right.text.len()).max(1),
            Arrangement::Unified => self.both.text.len().max(1),
        }
    }
}

/// Where a change begins: its block, and its bytes in the left, the right and the unified text.
type ChangePosition = (usize, [usize; 3]);

/// A diff of two texts.
#[derive(Debug, Clone)]
pub(crate) struct SideBySide {
    blocks: Vec<Block>,
    /// The first row of each block.
    starts: Vec<usize>,
    rows: usize,
    changes: Vec<ChangePosition>,
    arrangement: Arrangement,
    /// Words added and removed.
    pub(crate) words: (usize, usize),
}

impl SideBySide {
    /// The texts with this difference.
    pub(crate) fn new(parts: &[DiffPart]) -> Self {
        let mut making = DiffBuilder::default();
        for part in parts {
            making.take(part);
        }
        making.end_block();
        let count =
            |op| parts.iter().filter(|part| part.op == op).map(|part| part.text.split_whitespace().count()).sum();
        let mut beside = Self {
            starts: Vec::new(),
            rows: 0,
            blocks: making.blocks,
            changes: making.changes,
            arrangement: Arrangement::default(),
            words: (count(DiffOp::Insert), count(DiffOp::Delete)),
        };
        beside.reflow(Arrangement::SideBySide, 80);
        beside
    }

    /// Arranges and wraps the texts, `width` columns each.
    pub(crate) fn reflow(&mut self, arrangement: Arrangement, width: u16) {
        self.arrangement = arrangement;
        self.starts.clear();
        self.rows = 0;
        for block in &mut self.blocks {
            match arrangement {
                Arrangement::SideBySide => [&mut block.left, &mut block.right].map(|side| side.text.set_width(width)),
                Arrangement::Unified => [block.both.text.set_width(width), ()],
            };
            self.starts.push(self.rows);
            self.rows += block.rows(arrangement);
        }
    }

    /// The number of rows.
    pub(crate) const fn len(&self) -> usize {
        self.rows
    }

    /// The number of changes.
    pub(crate) fn changes(&self) -> usize {
        self.changes.len()
    }

    /// The row in which change number `change` begins.
    pub(crate) fn row_of_change(&self, change: usize) -> Option<usize> {
        let (block, [left, right, both]) = self.changes.get(change)?;
        let (start, block) = (self.starts.get(*block)?, self.blocks.get(*block)?);
        let row = match self.arrangement {
            Arrangement::SideBySide => block.left.text.row_of(*left).max(block.right.text.row_of(*right)),
            Arrangement::Unified => block.both.text.row_of(*both),
        };
        Some(start + row)
    }

    /// The pieces of row `row`: of the left and the right side, or of the unified text alone.
    pub(crate) fn row(&self, row: usize) -> [Vec<(ChangeKind, &str)>; 2] {
        let at = self.starts.partition_point(|start| *start <= row).saturating_sub(1);
        let (Some(block), Some(start)) = (self.blocks.get(at), self.starts.get(at)) else { return Default::default() };
        let row = row - start;
        match self.arrangement {
            Arrangement::SideBySide => [block.left.row(row), block.right.row(row)],
            Arrangement::Unified => [block.both.row(row), Vec::new()],
        }
    }
}

/// In a block, left and right are two passages from the same row; unified is one.
impl Passages for SideBySide {
    fn lanes(&self) -> usize {
        match self.arrangement {
            Arrangement::SideBySide => 2,
            Arrangement::Unified => 1,
        }
    }

    fn count(&self) -> usize {
        self.blocks.len() * self.lanes()
    }

    fn passage(&self, number: usize) -> Option<&Wrapped> {
        self.marked_text(number).map(|marked_text| &marked_text.text)
    }

    fn first_row(&self, number: usize) -> usize {
        self.starts.get(number / self.lanes()).copied().unwrap_or(self.rows)
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn wording(&self, number: usize, bytes: Range<usize>) -> Option<String> {
        self.marked_text(number)
            .filter(|marked_text| !marked_text.pieces.is_empty())
            .map(|marked_text| marked_text.words(bytes))
    }
}

impl SideBySide {
    fn marked_text(&self, number: usize) -> Option<&MarkedText> {
        let block = self.blocks.get(number / self.lanes())?;
        Some(match (self.arrangement, number % self.lanes()) {
            (Arrangement::Unified, _) => &block.both,
            (Arrangement::SideBySide, 0) => &block.left,
            (Arrangement::SideBySide, _) => &block.right,
        })
    }
}

/// The finished blocks, and the current one.
#[derive(Default)]
struct DiffBuilder {
    blocks: Vec<Block>,
    changes: Vec<ChangePosition>,
    left: Vec<(ChangeKind, String)>,
    right: Vec<(ChangeKind, String)>,
    both: Vec<(ChangeKind, String)>,
    sanitizers: [Sanitizer; 2],
    is_in_change: bool,
}

impl DiffBuilder {
    fn take(&mut self, part: &DiffPart) {
        let [left, right] = &mut self.sanitizers;
        let mut text = String::with_capacity(part.text.len());
        match part.op {
            DiffOp::Equal => {
                left.push(&part.text, &mut text);
                right.push(&part.text, &mut String::new());
            }
            DiffOp::Delete => left.push(&part.text, &mut text),
            DiffOp::Insert => right.push(&part.text, &mut text),
        }
        match part.op {
            DiffOp::Equal => {
                self.is_in_change = false;
                // Whole lines that were added or removed are a block of their own.
                let ends_lines =
                    |side: &[(ChangeKind, String)]| side.last().is_none_or(|(_, text)| text.ends_with('\n'));
                if ends_lines(&self.left) && ends_lines(&self.right) {
                    self.end_block();
                }
                for line in text.split_inclusive('\n') {
                    for side in [&mut self.left, &mut self.right, &mut self.both] {
                        side.push((ChangeKind::Same, line.to_owned()));
                    }
                    if line.ends_with('\n') {
                        self.end_block();
                    }
                }
            }
            DiffOp::Delete => {
                self.begin_change();
                self.left.push((ChangeKind::Removed, text.clone()));
                self.both.push((ChangeKind::Removed, text));
            }
            DiffOp::Insert => {
                self.begin_change();
                self.right.push((ChangeKind::Added, text.clone()));
                self.both.push((ChangeKind::Added, text));
            }
        }
    }

    fn begin_change(&mut self) {
        if !self.is_in_change {
            self.is_in_change = true;
            // The first byte of the change, which is in its own row even at the start of one.
            let length =
                |side: &[(ChangeKind, String)]| side.iter().map(|(sign, text)| shown_length(*sign, text)).sum();
            self.changes.push((self.blocks.len(), [length(&self.left), length(&self.right), length(&self.both)]));
        }
    }

    fn end_block(&mut self) {
        let [left, right, both] = [&mut self.left, &mut self.right, &mut self.both].map(std::mem::take);
        if both.is_empty() {
            return;
        }
        self.blocks.push(Block {
            left: MarkedText::of(&left),
            right: MarkedText::of(&right),
            both: MarkedText::of(&both),
        });
    }
}

/// Bytes of a piece, including its marks.
fn shown_length(sign: ChangeKind, text: &str) -> usize {
    text.len() + if sign == ChangeKind::Same { 0 } else { 4 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aludel_core::text::diff::words;
    use proptest::prelude::*;

    fn told(row: &[(ChangeKind, &str)]) -> String {
        row.iter().map(|(_, text)| *text).collect()
    }

    fn rows(beside: &SideBySide) -> Vec<[String; 2]> {
        (0..beside.len()).map(|row| beside.row(row).map(|side| told(&side))).collect()
    }

    #[test]
    fn what_is_the_same_stands_at_the_same_height() {
        let mut beside = SideBySide::new(&words("# Role\n- one\n- two\n- three\nend", "# Role\n- one\n- three\nend"));
        beside.reflow(Arrangement::SideBySide, 30);
        assert_eq!(
            rows(&beside),
            [["# Role", "# Role"], ["- one", "- one"], ["[-- two-]", ""], ["- three", "- three"], ["end", "end"]]
        );
        assert_eq!((beside.changes(), beside.row_of_change(0)), (1, Some(2)));
        beside.reflow(Arrangement::Unified, 30);
        assert_eq!(told(&beside.row(2)[0]), "[-- two-]");
    }

    #[test]
    fn a_word_that_changed_is_marked_on_both_sides() {
        let mut beside = SideBySide::new(&words("List seven findings.", "List five findings."));
        beside.reflow(Arrangement::SideBySide, 40);
        assert_eq!(rows(&beside), [["List [-seven-] findings.", "List {+five+} findings."]]);
        let [left, right] = beside.row(0);
        assert_eq!((left[1].0, right[1].0, beside.words), (ChangeKind::Removed, ChangeKind::Added, (1, 1)));
        beside.reflow(Arrangement::Unified, 40);
        assert_eq!(rows(&beside)[0][0], "List [-seven-]{+five+} findings.");
    }

    #[test]
    fn sequences_of_a_model_never_reach_the_screen() {
        let beside = SideBySide::new(&words("a \u{1b}[31mred b", "a \u{1b}]52;c;aGk=\u{7}blue b"));
        assert!(rows(&beside).iter().flatten().all(|row| !row.contains('\u{1b}')), "{:?}", rows(&beside));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        /// For any texts and widths, each row fits, and every change has a row.
        #[test]
        fn every_row_fits_and_every_change_is_found(
            first in "([a-d] |世|\n|[e-h]{1,9}){0,40}",
            second in "([a-d] |世|\n|[e-h]{1,9}){0,40}",
            width in 4_u16..50,
            unified in any::<bool>(),
        ) {
            let mut beside = SideBySide::new(&words(&first, &second));
            let arrangement = if unified { Arrangement::Unified } else { Arrangement::SideBySide };
            beside.reflow(arrangement, width);
            for row in 0..beside.len() {
                for side in beside.row(row) {
                    // Blanks at the end of a line extend beyond the edge, where nothing is drawn.
                    let told = told(&side).trim_end().to_owned();
                    prop_assert!(unicode_width::UnicodeWidthStr::width(told.as_str()) <= usize::from(width), "{told:?}");
                }
            }
            for change in 0..beside.changes() {
                prop_assert!(beside.row_of_change(change).is_some_and(|row| row < beside.len()));
            }
            prop_assert_eq!(beside.row_of_change(beside.changes()), None);
        }
    }
}
