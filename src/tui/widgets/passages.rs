//! Maps bytes of a text to rows and cells of a pane and back, for search, selection and clicks.
//!
//! A pane shows one text, several below each other, or two columns of them. A *passage* is a text
//! that is wrapped by itself; a [`Spot`] is a byte of a passage, and is still valid after
//! scrolling, rewrapping or appending. Columns are counted as in the buffer, by grapheme: a match
//! that ends within one marks all of it.

use std::ops::Range;

use ratatui::buffer::CellWidth;
use unicode_segmentation::UnicodeSegmentation;

use super::wrapped::Wrapped;

/// A byte position in a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Spot {
    /// Which passage.
    pub(crate) passage: usize,
    /// Which byte of it.
    pub(crate) at: usize,
}

/// The contents of a pane, as passages. Those of one lane are in the order of their rows.
pub(crate) trait Passages {
    /// The number of columns of passages: passage `n` is in lane `n % lanes`.
    fn lanes(&self) -> usize {
        1
    }

    /// The number of passages, a multiple of the lanes.
    fn count(&self) -> usize;

    /// A passage by its number.
    fn passage(&self, number: usize) -> Option<&Wrapped>;

    /// The row at which a passage begins.
    fn first_row(&self, number: usize) -> usize;

    /// The number of rows.
    fn rows(&self) -> usize;

    /// These bytes of a passage as copied text; `None` for a passage that only fills up its lane.
    fn wording(&self, number: usize, bytes: Range<usize>) -> Option<String> {
        self.passage(number)?.text().get(bytes).map(str::to_owned)
    }
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

    fn rows(&self) -> usize {
        self.len()
    }
}

impl dyn Passages + '_ {
    /// The number of passages, and of all their bytes.
    pub(crate) fn extent(&self) -> (usize, usize) {
        let bytes = |number| self.passage(number).map_or(0, |text| text.text().len());
        (self.count(), (0..self.count()).map(bytes).sum())
    }

    /// The row that contains a spot.
    pub(crate) fn row_of(&self, spot: Spot) -> usize {
        self.first_row(spot.passage) + self.passage(spot.passage).map_or(0, |text| text.row_of(spot.at))
    }

    /// The spot at the beginning of a row.
    pub(crate) fn start_of(&self, row: usize) -> Spot {
        self.number_at(0, row).map_or_else(Spot::default, |number| {
            let at = self.passage(number).map_or(0, |text| text.start_of(row - self.first_row(number).min(row)));
            Spot { passage: number, at }
        })
    }

    /// The passage shown in a row of a lane, and the bytes shown; `None` for a row without text.
    pub(crate) fn part_at(&self, lane: usize, row: usize) -> Option<(usize, Range<usize>)> {
        let number = self.number_at(lane, row)?;
        let bytes = self.passage(number)?.bytes_of(row.checked_sub(self.first_row(number))?)?;
        Some((number, bytes))
    }

    /// The range of the character in a cell. Past the end of a row it is the end of the row, below
    /// the last row the end of the text; `None` without any text.
    pub(crate) fn character_at(&self, lane: usize, row: usize, column: usize) -> Option<Range<Spot>> {
        let number = self.number_at(lane, row)?;
        let text = self.passage(number)?;
        let spots = |from, to| Spot { passage: number, at: from }..Spot { passage: number, at: to };
        let Some((_, bytes)) = self.part_at(lane, row) else {
            return Some(spots(text.text().len(), text.text().len()));
        };
        let mut end = 0;
        for (offset, character) in text.text()[bytes.clone()].grapheme_indices(true) {
            end += usize::from(character.cell_width());
            if column < end {
                let from = bytes.start + offset;
                return Some(spots(from, from + character.len()));
            }
        }
        Some(spots(bytes.end, bytes.end))
    }

    /// The word at a spot, or the run of blanks.
    pub(crate) fn word_at(&self, spot: Spot) -> Range<Spot> {
        let text = self.passage(spot.passage).map_or("", Wrapped::text);
        let around = word_around(text, spot.at);
        Spot { at: around.start, ..spot }..Spot { at: around.end, ..spot }
    }

    /// The text of one lane between two spots, as it is copied.
    pub(crate) fn wording_of(&self, lane: usize, spots: &Range<Spot>) -> String {
        let of_lane = (spots.start.passage..=spots.end.passage).filter(|number| number % self.lanes().max(1) == lane);
        let parts = of_lane.filter_map(|number| {
            let from = if number == spots.start.passage { spots.start.at } else { 0 };
            let end = self.passage(number)?.text().len();
            let to = if number == spots.end.passage { spots.end.at } else { end };
            self.wording(number, from..to)
        });
        parts.collect::<Vec<_>>().join("\n")
    }

    /// The passage that a row of a lane belongs to: the last one that begins at or above it.
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

/// The bytes of the word or the blanks at byte `at` of a text; empty at the end of a line.
pub(crate) fn word_around(text: &str, at: usize) -> Range<usize> {
    let (Some(before), Some(after)) = (text.get(..at), text.get(at..)) else { return at..at };
    let line = before.rfind('\n').map_or(0, |found| found + 1);
    let end = after.find('\n').map_or(text.len(), |found| at + found);
    let words = text[line..end].split_word_bound_indices();
    let mut words = words.map(|(offset, word)| line + offset..line + offset + word.len());
    words.find(|word| word.contains(&at)).unwrap_or(at..at)
}

/// The columns of those characters of a row whose bytes are in `bytes`.
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
    fn a_cell_is_a_character_and_behind_the_end_of_a_row_is_its_end() {
        let wrapped = Wrapped::of("ab 世界\ne\u{301}x", 5);
        let text: &dyn Passages = &wrapped;
        assert_eq!(text.character_at(0, 0, 1), Some(spot(0, 1)..spot(0, 2)));
        assert_eq!(text.character_at(0, 0, 4), Some(spot(0, 3)..spot(0, 6)), "the second half of a wide character");
        assert_eq!(text.character_at(0, 0, 40), Some(spot(0, 6)..spot(0, 6)));
        assert_eq!(text.character_at(0, 1, 0), Some(spot(0, 6)..spot(0, 9)));
        assert_eq!(text.character_at(0, 2, 0), Some(spot(0, 10)..spot(0, 13)), "with its accent");
        assert_eq!(text.character_at(0, 9, 9), Some(spot(0, 14)..spot(0, 14)), "below the text");
        let nothing = Blocks::<u8>::default();
        assert_eq!((&nothing as &dyn Passages).character_at(0, 0, 0), None);
    }

    #[test]
    fn passages_below_each_other_are_one_text_when_copied() {
        let blocks = Blocks::of(["one two", "", "three"].map(|text| (0_u8, Wrapped::of(text, 4))).to_vec());
        let text: &dyn Passages = &blocks;
        assert_eq!(text.part_at(0, 1), Some((0, 4..7)));
        assert_eq!((text.part_at(0, 2), text.start_of(3)), (None, spot(2, 0)));
        assert_eq!(text.wording_of(0, &(spot(0, 4)..spot(2, 3))), "two\n\nthr");
        assert_eq!(text.row_of(spot(2, 1)), 3);
    }

    #[test]
    fn a_word_ends_where_people_end_it() {
        assert_eq!(word_around("don't stop\nhere", 3), 0..5);
        assert_eq!(word_around("don't stop\nhere", 5), 5..6);
        assert_eq!(word_around("don't stop\nhere", 10), 10..10, "the end of a line");
        assert_eq!(word_around("don't stop\nhere", 12), 11..15);
        assert_eq!(word_around("世", 1), 1..1, "within a character is no place");
    }

    /// The symbols drawn for `row`, one per cell; the cell after a wide character is empty.
    fn drawn(row: &str, width: u16) -> Vec<String> {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, 1));
        buffer.set_stringn(0, 0, row, width.into(), Style::new());
        (0..width).map(|x| buffer[(x, 0)].symbol().to_owned()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        /// Each cell of a character maps to its bytes, and they map back to its cells.
        #[test]
        fn cells_lead_to_bytes_and_bytes_to_cells(pieces in pieces(), width in 2_u16..40) {
            let wrapped = Wrapped::of(pieces.concat(), width);
            let text: &dyn Passages = &wrapped;
            for row in 0..wrapped.len() {
                let (_, bytes) = text.part_at(0, row).unwrap();
                let shown = &wrapped.text()[bytes.clone()];
                let cells = drawn(shown, width + 8);
                for (offset, character) in shown.grapheme_indices(true) {
                    let own = offset..offset + character.len();
                    let columns = columns(shown, &own);
                    for column in columns.clone() {
                        let found = text.character_at(0, row, column).unwrap();
                        prop_assert_eq!(found.start.at..found.end.at, bytes.start + own.start..bytes.start + own.end);
                        prop_assert_eq!(text.row_of(found.start), row);
                    }
                    // Blanks can hang over the edge, where nothing is drawn.
                    if character != " " && !columns.is_empty() && columns.end <= usize::from(width) {
                        prop_assert_eq!(&cells[columns.start], character);
                    }
                }
            }
        }

        /// A piece of a text covers the same characters at every width.
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
            // Blanks and breaks can be dropped between rows; a wide character is followed by a
            // blank.
            let seen = |text: &str| text.chars().filter(|character| !character.is_whitespace()).collect::<String>();
            let has_a_cell = |character: &str| character != "\n" && character.cell_width() > 0;
            let wanted: String = wanted.iter().map(|(_, character)| *character).filter(|character| has_a_cell(character)).collect();
            prop_assert_eq!(seen(&marked), seen(&wanted));
        }
    }
}
