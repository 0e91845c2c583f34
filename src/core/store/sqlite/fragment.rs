//! Looking up ids by their beginning or end: `0193…` or `…7a3f9c21`.
//!
//! A prefix is a range of the index over ids. For suffixes each row stores the last sixteen digits
//! of its id in reverse ([`tail`]), so that a suffix becomes a prefix.

use rusqlite::Connection;
use uuid::Uuid;

use super::failure::SqliteResult;
use super::rows::{Columns, integer};
use crate::domain::PromptId;

/// The last 16 hexadecimal digits of an id, last digit first.
pub(super) fn tail(id: Uuid) -> [u8; 8] {
    let mut tail = [0; 8];
    for (reversed, byte) in tail.iter_mut().zip(id.as_bytes().iter().rev()) {
        *reversed = byte.rotate_left(4);
    }
    tail
}

/// The ids that begin or end with `fragment`, newest first. Dashes and case are ignored; an empty
/// fragment, one that is not hexadecimal, or one longer than an id matches nothing.
pub(super) fn resolve(connection: &Connection, fragment: &str, limit: usize) -> SqliteResult<Vec<PromptId>> {
    let digits: Option<Vec<u8>> = fragment
        .chars()
        .filter(|char| *char != '-')
        .map(|char| char.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    let Some(digits) = digits.filter(|digits| (1..=32).contains(&digits.len())) else { return Ok(Vec::new()) };
    let backwards: Vec<u8> = digits.iter().rev().copied().collect();

    // The tail holds half an id: `hex` checks a longer suffix, without an index.
    let mut statement = connection.prepare_cached(
        "SELECT id FROM (
             SELECT id, created_at FROM prompts WHERE id BETWEEN ?1 AND ?2
             UNION
             SELECT id, created_at FROM prompts WHERE id_tail BETWEEN ?3 AND ?4 AND hex(id) LIKE ?5
         ) ORDER BY created_at DESC, id DESC LIMIT ?6",
    )?;
    let end: String = digits.iter().filter_map(|digit| char::from_digit(u32::from(*digit), 16)).collect();
    let rows = statement.query((
        pack::<16>(&digits, 0x0),
        pack::<16>(&digits, 0xF),
        pack::<8>(&backwards, 0x0),
        pack::<8>(&backwards, 0xF),
        format!("%{end}"),
        integer(limit),
    ))?;
    rows.and_then(|row| Ok(PromptId(Columns::of(row).id()?))).collect()
}

/// The hexadecimal digits of a fragment without its dashes; `None` if empty or not hexadecimal.
pub(super) fn digits(fragment: &str) -> Option<String> {
    let digits: String = fragment.chars().filter(|char| *char != '-').collect();
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(digits)
}

/// Digits as bytes, padded with `filler`: the lowest or highest id with this prefix.
fn pack<const BYTES: usize>(digits: &[u8], filler: u8) -> [u8; BYTES] {
    let digit = |place: usize| digits.get(place).copied().unwrap_or(filler);
    std::array::from_fn(|byte| digit(2 * byte) << 4 | digit(2 * byte + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_the_end_read_backwards() {
        let id = "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21".parse().unwrap();
        assert_eq!(tail(id), [0x12, 0xC9, 0xF3, 0xA7, 0xB4, 0xE0, 0x15, 0xA8]);
    }

    #[test]
    fn an_odd_number_of_digits_fills_the_half_byte() {
        assert_eq!(pack::<2>(&[0xA, 0xB, 0xC], 0x0), [0xAB, 0xC0]);
        assert_eq!(pack::<2>(&[0xA, 0xB, 0xC], 0xF), [0xAB, 0xCF]);
        assert_eq!(pack::<1>(&[0xA, 0xB, 0xC], 0xF), [0xAB]);
    }
}
