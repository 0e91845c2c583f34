//! Escapes a text that comes in pieces, cut anywhere between characters.

use super::hidden::{BLACK_FLAG, FLAGS, Piece, Pieces};
use super::push_visible;

/// Takes a text in pieces and returns what [`escape`](super::escape) returns for the whole.
///
/// Holds back only what the next piece decides: a carriage return, or the beginning of a flag.
#[derive(Debug, Clone, Default)]
pub struct Escaper {
    previous: Option<char>,
    held: String,
}

impl Escaper {
    /// Appends the escaped text that is certain so far to `out`.
    pub fn push(&mut self, piece: &str, out: &mut String) {
        if self.held.is_empty() {
            let (ready, held) = piece.split_at(decided(piece));
            self.write(ready, out);
            self.held.push_str(held);
            return;
        }
        let mut text = std::mem::take(&mut self.held);
        text.push_str(piece);
        self.push(&text, out);
    }

    /// Appends what was held back. Another text can follow.
    pub fn finish(&mut self, out: &mut String) {
        let held = std::mem::take(&mut self.held);
        self.write(&held, out);
        self.previous = None;
    }

    fn write(&mut self, text: &str, out: &mut String) {
        let mut pieces = Pieces::behind(self.previous, text);
        for piece in pieces.by_ref() {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Hidden(c) => push_visible(c, out),
            }
        }
        self.previous = pieces.previous();
    }
}

/// How many bytes can be escaped without knowing what follows.
fn decided(text: &str) -> usize {
    if text.ends_with('\r') {
        return text.len() - 1;
    }
    // A flag is seven characters; at most six are its beginning.
    let begins = text.char_indices().rev().take(6).find(|(_, c)| *c == BLACK_FLAG);
    begins.map(|(at, _)| at).filter(|at| FLAGS.iter().any(|flag| flag.starts_with(&text[*at..]))).unwrap_or(text.len())
}
