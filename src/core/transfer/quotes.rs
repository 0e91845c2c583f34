//! Finds quotes in CSV that do not pair, which a lenient reader takes for text.
//!
//! A cell that begins with a quote ends with one, before the next delimiter or line end (RFC 4180,
//! section 2). Where that does not hold, a reader that goes on merges cells and rows. Quotes inside
//! a cell that begins otherwise are text.

/// What is wrong, and where: line and column from 1, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QuoteFault {
    pub(super) line: u64,
    pub(super) column: u64,
    /// True for a quote that is never closed; false for text after one that is.
    pub(super) is_open: bool,
}

impl QuoteFault {
    /// A sentence about it.
    pub(super) fn message(self) -> String {
        let Self { line, column, is_open } = self;
        let what = if is_open {
            "a quote is opened and never closed"
        } else {
            "text follows a closing quote; write a quote inside a quoted cell twice"
        };
        format!("is not CSV: line {line}, column {column}: {what}")
    }
}

/// Follows the quotes of a file as it is read.
#[derive(Debug)]
pub(super) struct Quotes {
    delimiter: u8,
    state: State,
    line: u64,
    column: u64,
    /// Where the open quote is.
    opened: (u64, u64),
    fault: Option<QuoteFault>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    CellStart,
    Bare,
    Quoted,
    /// After a quote in a quoted cell: the end of the cell, or half of a quote.
    Quote,
}

impl Quotes {
    pub(super) const fn of(delimiter: u8) -> Self {
        Self { delimiter, state: State::CellStart, line: 1, column: 1, opened: (1, 1), fault: None }
    }

    /// Takes the next bytes.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.take(*byte);
        }
    }

    /// Takes the end of the file.
    pub(super) fn end(&mut self) {
        if self.state == State::Quoted {
            let (line, column) = self.opened;
            self.fault.get_or_insert(QuoteFault { line, column, is_open: true });
        }
    }

    /// The first fault, if it is above this line.
    pub(super) fn fault_above(&self, line: u64) -> Option<QuoteFault> {
        self.fault.filter(|fault| fault.line < line)
    }

    fn take(&mut self, byte: u8) {
        let ends_cell = byte == self.delimiter || byte == b'\n' || byte == b'\r';
        self.state = match (self.state, byte) {
            (State::CellStart, b'"') => {
                self.opened = (self.line, self.column);
                State::Quoted
            }
            (State::CellStart | State::Bare | State::Quote, _) if ends_cell => State::CellStart,
            (State::CellStart | State::Bare, _) => State::Bare,
            (State::Quoted, b'"') => State::Quote,
            (State::Quoted, _) | (State::Quote, b'"') => State::Quoted,
            (State::Quote, _) => {
                self.fault.get_or_insert(QuoteFault { line: self.line, column: self.column, is_open: false });
                State::Bare
            }
        };
        if byte == b'\n' {
            (self.line, self.column) = (self.line + 1, 1);
        } else {
            self.column += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> Option<(u64, u64, bool)> {
        let mut quotes = Quotes::of(b',');
        // In pieces of every size, as a file is read.
        for piece in text.as_bytes().chunks(3) {
            quotes.read(piece);
        }
        quotes.end();
        quotes.fault_above(u64::MAX).map(|fault| (fault.line, fault.column, fault.is_open))
    }

    #[test]
    fn quotes_that_pair_are_fine() {
        for text in [
            "",
            "a,b\n",
            "\"a\",\"b, c\"\r\n\"two\nlines\",d",
            "\"say \"\"hi\"\"\",\"\"\n",
            "5\" pipe,it's \"so\"\n",
            "\"\"\"\"\n",
        ] {
            assert_eq!(fault(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_first_quote_that_does_not_pair_is_found() {
        assert_eq!(fault("a,b\n1,\"c\" d\n2,\"e\" f\n"), Some((2, 6, false)));
        assert_eq!(fault("a,b\n1,\"c\n2,d\n"), Some((2, 3, true)));
        assert_eq!(fault("\"a\"\"\n"), Some((1, 1, true)));
        assert_eq!(fault("\"two\nlines\"x\n"), Some((2, 7, false)));
    }
}
