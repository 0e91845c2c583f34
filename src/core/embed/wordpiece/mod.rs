//! Tokenises text as in training: WordPiece over cleaned, lower-cased words (arXiv 1810.04805).
//!
//! Owns the vocabulary, searched in place in the file, and the splitting of words into pieces;
//! [`words`] cleans text and splits it into words. What always holds: any text gives between 2 and
//! 256 tokens, the first `[CLS]` and the last `[SEP]`; text is read only as far as needed.

mod words;

use super::MAX_TOKENS;
use super::asset::{AssetError, Sections, read_u32};
use words::Part;

/// The token of a word that cannot be split into pieces.
const UNKNOWN: u16 = 100;
const BEGIN: u16 = 101;
const END: u16 = 102;

/// Maximum characters of a word.
const MAX_WORD_CHARACTERS: usize = 100;

/// The prefix of a piece that continues a word.
const CONTINUES: &str = "##";

/// The model's words and pieces.
pub(super) struct Vocabulary {
    /// Concatenated, sorted by bytes.
    words: &'static [u8],
    /// The end offset of each, 32 bits.
    ends: &'static [u8],
    /// The token of each, 16 bits.
    ids: &'static [u8],
    /// Bytes of the longest word.
    longest: usize,
}

impl Vocabulary {
    /// Reads the first three sections.
    pub(super) fn read(sections: &mut Sections<'static>) -> Result<Self, AssetError> {
        let size = sections.vocabulary();
        let words = sections.take_any()?;
        let ends = sections.take("word ends", size.saturating_mul(4))?;
        let mut from = 0;
        let mut longest = 0;
        for end in ends.chunks_exact(4) {
            let end = read_u32(end, 0).map_or(0, |end| end as usize);
            if end < from || end > words.len() {
                return Err(sections.nonsense("word ends"));
            }
            longest = longest.max(end - from);
            from = end;
        }
        let ids = sections.take("word ids", size.saturating_mul(2))?;
        let is_known = |id: &[u8]| matches!(id, &[low, high] if usize::from(u16::from_le_bytes([low, high])) < size);
        if !ids.chunks_exact(2).all(is_known) {
            return Err(sections.nonsense("word ids"));
        }
        Ok(Self { words, ends, ids, longest })
    }

    /// The tokens of `text` with `[CLS]` and `[SEP]`, truncated to [`MAX_TOKENS`].
    pub(super) fn tokens(&self, text: &str) -> Vec<u16> {
        let mut tokens = vec![BEGIN];
        words::each(text, |part| {
            match part {
                Part::Word(word) => self.pieces(word, &mut tokens),
                Part::Special(token) => tokens.push(token),
            }
            tokens.len() < MAX_TOKENS
        });
        tokens.truncate(MAX_TOKENS - 1);
        tokens.push(END);
        tokens
    }

    /// Appends the pieces of a word, longest first; one unknown token if some of it does not match.
    fn pieces(&self, word: &str, tokens: &mut Vec<u16>) {
        let before = tokens.len();
        if word.chars().nth(MAX_WORD_CHARACTERS).is_some() {
            tokens.push(UNKNOWN);
            return;
        }
        let mut rest = word;
        let mut candidate = String::with_capacity(self.longest);
        while !rest.is_empty() {
            candidate.clear();
            if tokens.len() > before {
                candidate.push_str(CONTINUES);
            }
            let mark = candidate.len();
            candidate.push_str(&rest[..rest.floor_char_boundary(self.longest)]);
            let found = loop {
                if candidate.len() == mark {
                    break None;
                }
                if let Some(token) = self.find(candidate.as_bytes()) {
                    break Some(token);
                }
                candidate.pop();
            };
            let Some(token) = found else {
                tokens.truncate(before);
                tokens.push(UNKNOWN);
                return;
            };
            tokens.push(token);
            rest = &rest[candidate.len() - mark..];
        }
    }

    /// The token of a word or piece.
    fn find(&self, wanted: &[u8]) -> Option<u16> {
        let (mut low, mut high) = (0, self.ids.len() / 2);
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.word(middle).cmp(wanted) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    let id = self.ids.get(middle * 2..middle * 2 + 2)?;
                    return Some(u16::from_le_bytes(id.try_into().ok()?));
                }
            }
        }
        None
    }

    fn word(&self, number: usize) -> &[u8] {
        let end = |number: usize| read_u32(self.ends, number * 4).map_or(0, |end| end as usize);
        let begin = if number == 0 { 0 } else { end(number - 1) };
        self.words.get(begin..end(number)).unwrap_or_default()
    }
}
