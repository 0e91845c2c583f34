//! Small matters of English: capitals, words that put steps in order, lists in a sentence.

/// The text with a capital in front.
pub(super) fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// The sentence with a small letter in front, for the middle of another one.
pub(super) fn lowered(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next();
    // "NULL", "I": capitals of their own stay.
    if characters.clone().next().is_none_or(|second| second.is_uppercase() || second == ' ') && !text.starts_with("A ")
    {
        return text.to_owned();
    }
    first.map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

/// The word that opens step `at` of steps up to `last`.
pub(super) fn ordinal(at: usize, last: usize) -> &'static str {
    match at {
        0 => "First,",
        _ if at == last => "Finally,",
        _ if at % 2 == 1 => "Then",
        _ => "Next,",
    }
}

/// "a", "a and b", "a, b and c".
pub(super) fn listed(items: &[String], conjunction: &str) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [head @ .., last] => format!("{} {conjunction} {last}", head.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_english() {
        let items: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        assert_eq!(listed(&items, "and"), "a, b and c");
        assert_eq!(listed(&items[..1], "and"), "a");
    }

    #[test]
    fn own_capitals_are_kept() {
        assert_eq!(lowered("NULL values count."), "NULL values count.");
        assert_eq!(lowered("A table follows."), "a table follows.");
        assert_eq!(lowered("The code runs."), "the code runs.");
    }
}
