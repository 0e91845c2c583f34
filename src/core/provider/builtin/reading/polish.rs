//! Sentences of a request made fit for a prompt with the lightest touch: courtesies off, a capital in front, a mark
//! at the end, wrapped lines joined. Facts are never touched.

use super::super::craft::{Craft, Domain};
use super::super::cues::{self, sentences as words};

/// Verbs after "I want to" that name what the model is to do rather than what the user is to do.
const DELEGATED: &str = "write | draft | compose | generate | translate | summarize | summarise | rewrite | rephrase | refactor | \
    analyze | analyse | compare | debug | implement | extract | classify | proofread";

/// A sentence with its lines joined and its blanks evened out, but for the inside of code in backticks.
pub(super) fn joined(sentence: &str) -> String {
    sentence.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The sentence as a statement of its own: capital in front, a closing mark at the end.
pub(super) fn statement(sentence: &str) -> String {
    closed(&capitalised(&joined(sentence)))
}

/// A request as an order: courtesies off, "I need a letter" as "Write a letter".
pub(super) fn order(sentence: &str, craft: &Craft) -> String {
    let text = joined(sentence);
    let (rest, asked_politely) = without_courtesy(&text);
    let mut text = rest.to_owned();
    if let Some(thing) = wanted(&text) {
        text = format!("{} {thing}", verb_of(craft));
    }
    if asked_politely && text.ends_with('?') {
        text.truncate(text.trim_end_matches('?').trim_end().len());
    }
    closed(&capitalised(&text))
}

/// The sentence in small letters without courtesies: what cues are looked for in.
pub(super) fn bare(sentence: &str) -> String {
    without_courtesy(&joined(sentence)).0.to_lowercase()
}

/// True for a sentence that is nothing but courtesy.
pub(super) fn is_courtesy(sentence: &str) -> bool {
    let lower =
        sentence.trim().trim_end_matches(['.', '!', ',', '。', '！', ' ', '?', ':', ')', '🙏', '😊']).to_lowercase();
    cues::holds(words::COURTESIES, &lower)
}

/// Takes beginnings such as "Could you please" off, as long as something is left; true when one was a question.
fn without_courtesy(text: &str) -> (&str, bool) {
    let mut rest = text.trim();
    let mut asked = false;
    // Letters keep their places, so what is left of the text is found in here by its length.
    let lower = cues::lower(rest);
    loop {
        let Some(cue) = cues::beginning(&lower[lower.len() - rest.len()..], words::POLITE_BEGINNINGS) else {
            return (rest, asked);
        };
        let (courtesy, after) = rest.split_at(cue.len());
        let after = after.trim_start_matches([' ', ',', '\t']);
        let lower_after = &lower[lower.len() - after.len()..];
        if after.chars().nth(2).is_none() || !is_request(cue, lower_after) || is_salutation(courtesy, lower_after) {
            return (rest, asked);
        }
        asked |= [
            "can",
            "could",
            "would",
            "will",
            "kannst",
            "können",
            "könntest",
            "peux",
            "pouvez",
            "pourrais",
            "puedes",
            "podrías",
        ]
        .iter()
        .any(|verb| cue.contains(verb));
        rest = after;
    }
}

/// True for a courtesy that holds a noun and after which no request stands: "Guten Tag, Herr Weber" is the beginning of a
/// letter, and a part of what is to be worked on. (Where every noun has a capital, what has one may be a name.)
/// `after` is in small letters.
fn is_salutation(courtesy: &str, after: &str) -> bool {
    let has_noun = courtesy.split_whitespace().skip(1).any(|word| word.starts_with(char::is_uppercase));
    let begins = |words| cues::beginning(after, words).is_some();
    has_noun && ![words::REQUEST_VERBS, words::WANT_BEGINNINGS, words::POLITE_BEGINNINGS].into_iter().any(begins)
}

/// True when what follows a courtesy is still a request: "can you write" is, "can you swim" is not. `lower` is in small
/// letters.
fn is_request(cue: &str, lower: &str) -> bool {
    if cue.ends_with(" to")
        && (cue.starts_with("i want to")
            || cue.starts_with("i need to")
            || cue.starts_with("i'd like to")
            || cue.starts_with("i would like to")
            || cue.starts_with("we "))
        && !cue.contains(" you ")
    {
        return cues::beginning(lower, DELEGATED).is_some();
    }
    if cue == "help me" || cue == "help me to" || cue == "let's" {
        return cues::beginning(lower, words::REQUEST_VERBS).is_some();
    }
    true
}

/// What is asked for in "I need a letter"; `None` when the sentence says something else.
fn wanted(text: &str) -> Option<&str> {
    let lower = cues::lower(text);
    let cue = cues::beginning(&lower, words::WANT_BEGINNINGS)?;
    let thing = text[cue.len()..].trim_start();
    let first = thing.split_whitespace().next()?.to_lowercase();
    let determiner = matches!(first.as_str(), "a" | "an" | "some" | "ideas" | "one")
        || first.starts_with(|c: char| c.is_ascii_digit());
    (determiner && !thing.to_lowercase().contains(" to be ")).then_some(thing)
}

/// The verb that asks for a piece of work of this type.
pub(super) fn verb_of(craft: &Craft) -> &'static str {
    match (craft.domain, craft.name) {
        (_, "brainstorm" | "question") => "Give",
        (_, "plan" | "lesson" | "design") => "Prepare",
        (Domain::Code | Domain::Writing, _) => "Write",
        _ => "Produce",
    }
}

/// The text with a capital in front, unless it opens with something that is written small on purpose.
pub(super) fn capitalised(text: &str) -> String {
    let first: &str = text.split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or_default();
    let plain = first.chars().all(|c| c.is_lowercase() || c == '\'' || c == '’' || c == '-');
    let mut characters = text.chars();
    match characters.next() {
        Some(letter) if plain && letter.is_lowercase() && letter.to_uppercase().count() == 1 => {
            letter.to_uppercase().chain(characters).collect()
        }
        _ => text.to_owned(),
    }
}

/// The text with a mark at its end.
pub(super) fn closed(text: &str) -> String {
    let trimmed = text.trim_end().trim_end_matches([':', ',', ';', '：']).trim_end();
    let last = trimmed.trim_end_matches(['"', '”', '»', '’', ')', '\'', '」', '`', '*']).chars().next_back();
    match last {
        None | Some('.' | '!' | '?' | '…' | '。' | '！' | '？' | '؟' | '।') => trimmed.to_owned(),
        Some(last) if crate::text::language::is_ideographic(last) && !('\u{ac00}'..='\u{d7af}').contains(&last) => {
            format!("{trimmed}。")
        }
        Some(_) if ends_in_address(trimmed) => trimmed.to_owned(),
        Some(_) => format!("{trimmed}."),
    }
}

/// A full stop right after an address would be read as part of it.
fn ends_in_address(text: &str) -> bool {
    text.rsplit(char::is_whitespace).next().is_some_and(|word| word.contains("://") || word.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::builtin::craft;

    #[test]
    fn requests_become_orders() {
        let letter = craft::by_name("letter");
        for (text, expected) in [
            ("can you please write me a letter?", "Write me a letter."),
            ("Hi, could you explain DNS?", "Explain DNS."),
            ("I need a letter to my landlord", "Write a letter to my landlord."),
            ("I want to write a letter", "Write a letter."),
            ("I want to learn Rust", "I want to learn Rust."),
            ("What is a monad?", "What is a monad?"),
            ("Guten Tag, schreibe einen Brief", "Schreibe einen Brief."),
            ("Guten Tag, Herr Weber", "Guten Tag, Herr Weber."),
            ("please", "Please."),
            ("npm_install fails", "npm_install fails."),
            ("write about x: ", "Write about x."),
            ("See https://example.com/a", "See https://example.com/a"),
            ("Pythonで書いてください", "Pythonで書いてください。"),
        ] {
            assert_eq!(order(text, letter), expected, "{text}");
        }
    }

    #[test]
    fn courtesies_are_known_with_their_marks() {
        assert!(is_courtesy("Thanks in advance!!"));
        assert!(!is_courtesy("Thanks, Anna"));
    }
}
