//! The table of what an output must not contain.

/// Forbidden code points, first and last of each range.
const FORBIDDEN: &[(u32, u32)] = &[
    (0x00, 0x08),
    (0x0b, 0x1f),
    (0x7f, 0x9f),
    (0x200b, 0x200b),
    (0x200e, 0x200f),
    (0x2028, 0x202e),
    (0x2060, 0x2069),
    (0xfeff, 0xfeff),
    (0xe0000, 0xe0fff),
];

/// The forbidden characters of a text, each with its surroundings.
fn forbidden(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let is_forbidden = |c: char| FORBIDDEN.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(c)));
    let found = characters.iter().enumerate().filter(|(_, c)| is_forbidden(**c));
    let around = |at: usize| characters[at.saturating_sub(30)..(at + 30).min(characters.len())].iter().collect();
    found.map(|(at, _)| around(at)).take(3).collect()
}

/// Data for a pipe or a file: nothing forbidden.
#[track_caller]
pub(super) fn assert_harmless(what: &str, output: &str) {
    let found = forbidden(output);
    assert!(found.is_empty(), "{what}: {found:?}");
}

/// Terminal output: nothing forbidden but line ends, styles and the progress display's movements.
#[track_caller]
pub(super) fn assert_harmless_on_a_terminal(what: &str, written: &str) {
    assert_harmless(what, &without_own_sequences(written).replace("\r\n", "\n"));
}

/// Without `ESC [ … m`, `ESC [ 2 K` and `ESC [ … F`.
fn without_own_sequences(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(part.len());
        match (&part[..digits], part[digits..].chars().next()) {
            (_, Some('m' | 'F')) | ("2", Some('K')) => kept.push_str(&part[digits + 1..]),
            _ => kept.extend(["\u{1b}[", part]),
        }
    }
    kept
}

#[test]
fn the_oracle_sees_what_it_is_for() {
    for hostile in super::HOSTILE.chars().filter(|c| !c.is_ascii_graphic()) {
        assert_eq!(forbidden(&format!("a{hostile}b")).len(), 1, "{hostile:?}");
    }
    assert_eq!(without_own_sequences("\u{1b}[1;31mred\u{1b}[0m\u{1b}[2K\u{1b}[3F"), "red");
    assert_eq!(without_own_sequences("\u{1b}[2J\u{1b}]0;x"), "\u{1b}[2J\u{1b}]0;x");
}
