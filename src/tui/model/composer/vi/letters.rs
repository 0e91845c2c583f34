//! The text as modal keys see it: graphemes ("letters"), with a break after every line.
//!
//! Positions are indexes of letters, so motions are sums. The last break is a position too, the end
//! of the text, and cannot be deleted. Pure: motions return an existing position.

use unicode_segmentation::UnicodeSegmentation;

/// The kind of a letter, for motions by word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Sign,
    Blank,
    Break,
}

/// A letter.
#[derive(Debug, Clone, Copy)]
struct Letter<'t> {
    text: &'t str,
    row: usize,
    /// Code points before it in its line.
    column: usize,
    kind: Kind,
}

/// The letters of a text.
pub(super) struct Letters<'t> {
    letters: Vec<Letter<'t>>,
}

/// A search for a letter in the line, and whether it stops before the match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Find {
    pub(super) is_forward: bool,
    pub(super) stops_before: bool,
    pub(super) letter: char,
}

impl<'t> Letters<'t> {
    /// The letters of these lines, at least one.
    pub(super) fn of(lines: &'t [String]) -> Self {
        let mut letters = Vec::new();
        for (row, line) in lines.iter().enumerate() {
            let mut column = 0;
            for text in line.graphemes(true) {
                let first = text.chars().next().unwrap_or(' ');
                let kind = match first {
                    _ if first.is_whitespace() => Kind::Blank,
                    _ if first.is_alphanumeric() || first == '_' => Kind::Word,
                    _ => Kind::Sign,
                };
                letters.push(Letter { text, row, column, kind });
                column += text.chars().count();
            }
            letters.push(Letter { text: "\n", row, column, kind: Kind::Break });
        }
        Self { letters }
    }

    /// The position at this row and column; within a letter, that letter's.
    pub(super) fn at(&self, row: usize, column: usize) -> usize {
        self.letters.partition_point(|letter| (letter.row, letter.column) <= (row, column)).saturating_sub(1)
    }

    /// Like [`Letters::at`], from a pair.
    pub(super) fn at_place(&self, (row, column): (usize, usize)) -> usize {
        self.at(row, column)
    }

    /// The row and column of a position.
    pub(super) fn place(&self, at: usize) -> (usize, usize) {
        self.letters.get(at.min(self.end())).map_or((0, 0), |letter| (letter.row, letter.column))
    }

    /// The end of the text.
    pub(super) fn end(&self) -> usize {
        self.letters.len().saturating_sub(1)
    }

    /// The last row.
    pub(super) fn last_row(&self) -> usize {
        self.row(self.end())
    }

    /// The row of a position.
    pub(super) fn row(&self, at: usize) -> usize {
        self.place(at).0
    }

    /// The text from one position up to another.
    pub(super) fn text(&self, from: usize, to: usize) -> String {
        let to = to.min(self.end());
        self.letters.get(from.min(to)..to).unwrap_or_default().iter().map(|letter| letter.text).collect()
    }

    fn kind(&self, at: usize) -> Kind {
        self.letters.get(at).map_or(Kind::Break, |letter| letter.kind)
    }

    /// The start of a row.
    pub(super) fn row_start(&self, row: usize) -> usize {
        self.at(row.min(self.last_row()), 0)
    }

    /// The break after a row.
    pub(super) fn row_end(&self, row: usize) -> usize {
        self.at(row.min(self.last_row()), usize::MAX)
    }

    /// The first letter of a row that is not blank, or its last letter.
    pub(super) fn first_of_row(&self, row: usize) -> usize {
        let (start, end) = (self.row_start(row), self.row_end(row));
        (start..end).find(|at| self.kind(*at) != Kind::Blank).unwrap_or_else(|| end.max(start + 1) - 1)
    }

    /// The nearest position with a letter, in the same row if that has any.
    pub(super) fn on_a_letter(&self, at: usize) -> usize {
        let at = at.min(self.end());
        if self.kind(at) == Kind::Break && at > self.row_start(self.row(at)) { at - 1 } else { at }
    }

    /// This many letters to the left, within the row.
    pub(super) fn left(&self, at: usize, count: usize) -> usize {
        at.saturating_sub(count).max(self.row_start(self.row(at)))
    }

    /// This many letters to the right, within the row, including its break.
    pub(super) fn right(&self, at: usize, count: usize) -> usize {
        at.saturating_add(count).min(self.row_end(self.row(at)))
    }

    /// The position in another row after as many letters; that row's last if it is shorter.
    pub(super) fn in_row(&self, row: usize, letters: usize) -> usize {
        let row = row.min(self.last_row());
        self.row_start(row).saturating_add(letters).min(self.row_end(row))
    }

    /// The number of letters before a position in its row.
    pub(super) fn letters_before(&self, at: usize) -> usize {
        at - self.row_start(self.row(at)).min(at)
    }

    /// The start of the next word; an empty line counts as one.
    pub(super) fn word_right(&self, at: usize) -> usize {
        let mut next = at;
        let kind = self.kind(at);
        while next < self.end() && self.kind(next) == kind && kind != Kind::Break {
            next += 1;
        }
        next += usize::from(kind == Kind::Break);
        while next < self.end() && (self.kind(next) == Kind::Blank || self.kind(next) == Kind::Break) {
            if self.is_empty_row(next) {
                break;
            }
            next += 1;
        }
        next.min(self.end())
    }

    /// The start of this word, or of the previous one.
    pub(super) fn word_left(&self, at: usize) -> usize {
        let mut back = at;
        while back > 0 {
            back -= 1;
            let is_blank = matches!(self.kind(back), Kind::Blank | Kind::Break);
            if self.is_empty_row(back) || (!is_blank && (back == 0 || self.kind(back - 1) != self.kind(back))) {
                break;
            }
        }
        back
    }

    /// The last letter of this word, or of the next if this position is one.
    pub(super) fn word_end(&self, at: usize) -> usize {
        let mut next = (at + 1).min(self.end());
        while next < self.end() && matches!(self.kind(next), Kind::Blank | Kind::Break) {
            next += 1;
        }
        while next + 1 < self.end() && self.kind(next + 1) == self.kind(next) {
            next += 1;
        }
        next
    }

    /// The word around a position, or the blanks: its start, and its end (exclusive).
    pub(super) fn word_around(&self, at: usize) -> (usize, usize) {
        let (start, end) = (self.row_start(self.row(at)), self.row_end(self.row(at)));
        let kind = self.kind(at);
        let from = (start..at).rev().take_while(|at| self.kind(*at) == kind).last().unwrap_or(at);
        let to = (at..end).take_while(|at| self.kind(*at) == kind).last().map_or(at, |last| last + 1);
        (from, to)
    }

    /// The `count`th match of the letter in this row, if there is one.
    pub(super) fn find(&self, at: usize, find: Find, count: usize) -> Option<usize> {
        let is_it = |at: &usize| self.letters.get(*at).is_some_and(|letter| letter.text.starts_with(find.letter));
        let (start, end) = (self.row_start(self.row(at)), self.row_end(self.row(at)));
        let nth = count.max(1) - 1;
        if find.is_forward {
            let found = (at + 1..end).filter(is_it).nth(nth)?;
            Some(found - usize::from(find.stops_before))
        } else {
            let found = (start..at).rev().filter(is_it).nth(nth)?;
            Some(found + usize::from(find.stops_before))
        }
    }

    /// Like [`Letters::find`], but moves past a match that the cursor stopped before.
    pub(super) fn find_again(&self, at: usize, find: Find, count: usize) -> Option<usize> {
        let once = self.find(at, find, count)?;
        // Stopped before the same letter again: the next one is meant.
        if once == at && find.stops_before { self.find(at, find, count + 1) } else { Some(once) }
    }

    /// True on a word or signs.
    pub(super) fn is_in_word(&self, at: usize) -> bool {
        matches!(self.kind(at), Kind::Word | Kind::Sign)
    }

    fn is_empty_row(&self, at: usize) -> bool {
        self.kind(at) == Kind::Break && self.row_start(self.row(at)) == at
    }
}
