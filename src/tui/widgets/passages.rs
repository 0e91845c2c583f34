//! Where each byte of a text stands in the rows of a pane, and what stands in a cell: one answer for finding, selecting
//! and clicking.
//!
//! A pane shows one text, several below each other, or two columns of such. Each that is wrapped by itself is a
//! *passage*; a [`Spot`] is a byte of one of them, and stays the same when the pane is scrolled, when it gets another
//! width and when text arrives behind it. Columns are counted as the buffer counts them, by whole characters: a match
//! that ends within one marks all of it.

use std::ops::Range;

use ratatui::buffer::CellWidth;
use unicode_segmentation::UnicodeSegmentation;

use super::wrapped::Wrapped;

/// A byte of a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Spot {
    /// Which passage.
    pub(crate) passage: usize,
    /// Which byte of it.
    pub(crate) at: usize,
}

/// What a pane shows, passage by passage. Those of one lane are in the order of their rows.
pub(crate) trait Passages {
    /// How many columns of passages there are: passage `n` stands in lane `n % lanes`.
    fn lanes(&self) -> usize {
        1
    }

    /// How many passages there are, a multiple of the lanes.
    fn count(&self) -> usize;

    /// A passage by its number.
    fn passage(&self, number: usize) -> Option<&Wrapped>;

    /// The row in which a passage begins.
    fn first_row(&self, number: usize) -> usize;
}

impl Passages for Wrapped {
    fn count(&self) -> usize {
        1
    }

    fn passage(&self, number: usize) -> Option<&Wrapped> {
        (number == 0).then_some(self)
    }

    fn first_row(&self, _: usize) -> usize {
        0
    }
}

impl dyn Passages + '_ {
    /// How much text there is: its passages and their bytes.
    pub(crate) fn extent(&self) -> (usize, usize) {
        let bytes = |number| self.passage(number).map_or(0, |text| text.text().len());
        (self.count(), (0..self.count()).map(bytes).sum())
    }

    /// The row in which a spot stands.
    pub(crate) fn row_of(&self, spot: Spot) -> usize {
        self.first_row(spot.passage) + self.passage(spot.passage).map_or(0, |text| text.row_of(spot.at))
    }

    /// The spot with which a row begins.
    pub(crate) fn start_of(&self, row: usize) -> Spot {
        self.number_at(0, row).map_or_else(Spot::default, |number| {
            let at = self.passage(number).map_or(0, |text| text.start_of(row - self.first_row(number).min(row)));
            Spot { passage: number, at }
        })
    }

    /// The passage of which a row of a lane shows a part, and the bytes of that part; `None` for a row without text.
    pub(crate) fn part_at(&self, lane: usize, row: usize) -> Option<(usize, Range<usize>)> {
        let number = self.number_at(lane, row)?;
        let bytes = self.passage(number)?.bytes_of(row.checked_sub(self.first_row(number))?)?;
        Some((number, bytes))
    }

    /// The passage of a lane to which a row belongs: the last that begins above it.
    fn number_at(&self, lane: usize, row: usize) -> Option<usize> {
        let lanes = self.lanes().max(1);
        let (mut low, mut high) = (0, self.count() / lanes);
        while low < high {
            let middle = low.midpoint(high);
            if self.first_row(middle * lanes + lane) <= row { low = middle + 1 } else { high = middle }
        }
        low.checked_sub(1).map(|block| block * lanes + lane)
    }
}

/// The columns of a row that the characters take of which bytes lie within `bytes`.
pub(crate) fn columns(row: &str, bytes: &Range<usize>) -> Range<usize> {
    let (mut begin, mut end, mut column) = (None, 0, 0);
    for (offset, character) in row.grapheme_indices(true) {
        let next = column + usize::from(character.cell_width());
        if offset < bytes.end && offset + character.len() > bytes.start {
            begin.get_or_insert(column);
            end = next;
        }
        column = next;
    }
    begin.unwrap_or(end)..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::widgets::blocks::Blocks;
    use crate::tui::widgets::wrapped::tests::pieces;
    use proptest::prelude::*;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    fn spot(passage: usize, at: usize) -> Spot {
        Spot { passage, at }
    }

    #[test]
    fn passages_below_each_other_are_one_text() {
        let blocks = Blocks::of(["one two", "", "three"].map(|text| (0_u8, Wrapped::of(text, 4))).to_vec());
        let text: &dyn Passages = &blocks;
        assert_eq!(text.part_at(0, 1), Some((0, 4..7)));
        assert_eq!((text.part_at(0, 2), text.start_of(3)), (None, spot(2, 0)));
        assert_eq!(text.row_of(spot(2, 1)), 3);
    }

    /// What is drawn of `row`, a symbol for each cell; behind a wide character an empty one.
    fn drawn(row: &str, width: u16) -> Vec<String> {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, 1));
        buffer.set_stringn(0, 0, row, width.into(), Style::new());
        (0..width).map(|x| buffer[(x, 0)].symbol().to_owned()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        /// A piece of a text stands in the same characters whatever the width.
        #[test]
        fn a_piece_is_drawn_whole_at_every_width(pieces in pieces(), width in 4_u16..40, from in 0_usize..60, length in 1_usize..9) {
            let wrapped = Wrapped::of(pieces.concat(), width);
            let text: &dyn Passages = &wrapped;
            let all: Vec<(usize, &str)> = wrapped.text().grapheme_indices(true).collect();
            let wanted = all.get(from..(from + length).min(all.len())).unwrap_or_default();
            let Some((start, _)) = wanted.first() else { return Ok(()) };
            let end = wanted.last().map_or(0, |(at, character)| at + character.len());
            let mut marked = String::new();
            for row in 0..wrapped.len() {
                let (_, bytes) = text.part_at(0, row).unwrap();
                let within = start.saturating_sub(bytes.start)..end.saturating_sub(bytes.start);
                let shown = &wrapped.text()[bytes];
                let cells = drawn(shown, width + 8);
                marked.extend(columns(shown, &within).map(|column| cells.get(column).map_or("", String::as_str)));
            }
            // Blanks and line breaks may be swallowed between rows, and a cell behind a wide character shows a blank.
            let seen = |text: &str| text.chars().filter(|character| !character.is_whitespace()).collect::<String>();
            let has_a_cell = |character: &str| character != "\n" && character.cell_width() > 0;
            let wanted: String = wanted.iter().map(|(_, character)| *character).filter(|character| has_a_cell(character)).collect();
            prop_assert_eq!(seen(&marked), seen(&wanted));
        }
    }
}
