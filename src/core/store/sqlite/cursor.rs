//! Where a page ended, as an opaque text.
//!
//! A cursor holds the sort key of the last row shown, so that the next page begins right after it
//! whatever changed meanwhile. It also names its list, and is refused for any other.

use uuid::Uuid;

use super::failure::SqliteResult;
use crate::domain::Order;
use crate::error::Error;

/// Which list a cursor belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    /// Prompts, in this order.
    Prompts(Order),
    /// Runs.
    Sessions,
}

/// The position of a row in a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mark {
    /// The score, or -1 for an unranked row; 0 if the list is not by score.
    pub(super) score_key: f64,
    /// Milliseconds since 1970.
    pub(super) created_at: i64,
    /// The row's id.
    pub(super) id: Uuid,
}

/// One byte for the list, eight for the score, eight for the moment, sixteen for the id.
const BYTES: usize = 33;

impl List {
    const fn letter(self) -> u8 {
        match self {
            Self::Prompts(Order::Newest) => b'n',
            Self::Prompts(Order::Oldest) => b'o',
            Self::Prompts(Order::Score) => b's',
            Self::Sessions => b'r',
        }
    }
}

impl Mark {
    /// The cursor after this position.
    pub(super) fn encode(&self, list: List) -> String {
        let mut bytes = Vec::with_capacity(BYTES);
        bytes.push(list.letter());
        bytes.extend(self.score_key.to_bits().to_be_bytes());
        bytes.extend(self.created_at.to_be_bytes());
        bytes.extend(self.id.as_bytes());
        bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(hex_digit).collect()
    }

    /// Decodes a cursor of this list.
    ///
    /// # Errors
    /// `validation_failed` for any other text.
    pub(super) fn decode(cursor: &str, list: List) -> SqliteResult<Self> {
        Self::parse(cursor, list).ok_or_else(|| {
            Error::value(
                "cursor",
                "is not a cursor of this list: give the `next_cursor` of the page before, in the same order, or leave it out",
            )
            .into()
        })
    }

    fn parse(cursor: &str, list: List) -> Option<Self> {
        let digits = cursor.bytes().map(|byte| char::from(byte).to_digit(16)).collect::<Option<Vec<u32>>>()?;
        let bytes: Vec<u8> =
            digits.chunks_exact(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap_or_default()).collect();
        let whole = digits.len() == 2 * BYTES && bytes[0] == list.letter();
        let mark = whole.then(|| {
            Some(Self {
                score_key: f64::from_bits(u64::from_be_bytes(bytes[1..9].try_into().ok()?)),
                created_at: i64::from_be_bytes(bytes[9..17].try_into().ok()?),
                id: Uuid::from_bytes(bytes[17..33].try_into().ok()?),
            })
        })??;
        mark.score_key.is_finite().then_some(mark)
    }
}

fn hex_digit(nibble: u8) -> char {
    char::from_digit(u32::from(nibble), 16).unwrap_or('0')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LISTS: [List; 4] =
        [List::Prompts(Order::Newest), List::Prompts(Order::Oldest), List::Prompts(Order::Score), List::Sessions];

    proptest! {
        #[test]
        fn a_cursor_names_its_place_and_its_list(
            score_key in -1.0_f64..=1.0, created_at: i64, id: u128, list in 0_usize..4,
        ) {
            let mark = Mark { score_key, created_at, id: Uuid::from_u128(id) };
            let cursor = mark.encode(LISTS[list]);
            for other in LISTS {
                prop_assert_eq!(Mark::parse(&cursor, other), (other == LISTS[list]).then_some(mark));
            }
        }

        #[test]
        fn any_other_text_is_refused(text in ".{0,80}") {
            prop_assert!(Mark::decode(&text, List::Sessions).is_err());
        }
    }

    #[test]
    fn a_score_that_is_no_number_is_refused() {
        let mark = Mark { score_key: f64::NAN, created_at: 0, id: Uuid::nil() };
        let list = List::Prompts(Order::Score);
        assert_eq!(Mark::parse(&mark.encode(list), list), None);
    }
}
