//! A paragraph cut into sentences, in any language, without ever cutting inside a quotation, brackets or code.
//!
//! A full stop ends a sentence unless it is in a number, an address or a known abbreviation, or a small letter
//! follows. Line breaks end one too when the next line plainly starts anew. Nothing is lost: the sentences joined
//! by blanks are the paragraph but for white space.

/// Abbreviations whose full stop ends no sentence, in small letters and without it.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "etc", "mr", "mrs", "ms", "dr", "prof", "st", "vs", "approx", "fig", "no", "inc", "ltd", "co", "jr",
    "sr", "cf", "z.b", "bzw", "d.h", "u.a", "usw", "ca", "nr", "str", "hr", "fr", "p.ex", "m", "mme", "ej", "sra",
    "т.е", "т.д", "г",
];

/// The pairs of marks inside which nothing is cut.
const PAIRS: &[(char, char)] = &[
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('«', '»'),
    ('「', '」'),
    ('『', '』'),
    ('(', ')'),
    ('[', ']'),
    ('{', '}'),
    ('`', '`'),
];

/// How far a closing mark is looked for, in bytes: an unclosed one must not swallow the paragraph.
const PAIR_REACH: usize = 2000;

/// Cuts a paragraph into its sentences, trimmed, none empty.
pub fn sentences(paragraph: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut skip_to = 0;
    let mut previous = ' ';
    for (at, character) in paragraph.char_indices() {
        if at < skip_to {
            previous = character;
            continue;
        }
        let after = at + character.len_utf8();
        let ends = match character {
            '.' | '!' | '?' | '…' | '؟' | '۔' | '।' => {
                if ends_here(&paragraph[start..at], character, &paragraph[after..]) {
                    Some(after + closing_length(&paragraph[after..]))
                } else {
                    None
                }
            }
            '。' | '！' | '？' | '．' => Some(after + closing_length(&paragraph[after..])),
            '\n' => starts_anew(&paragraph[start..at], &paragraph[after..]).then_some(at),
            _ => {
                if let Some(end) = pair_end(paragraph, at, character, previous) {
                    skip_to = end;
                }
                None
            }
        };
        if let Some(end) = ends {
            push(&mut found, &paragraph[start..end]);
            start = end;
            skip_to = end;
        }
        previous = character;
    }
    push(&mut found, &paragraph[start..]);
    found
}

fn push<'t>(found: &mut Vec<&'t str>, sentence: &'t str) {
    let sentence = sentence.trim();
    if !sentence.is_empty() {
        found.push(sentence);
    }
}

/// True when the mark really ends the sentence before it.
fn ends_here(before: &str, mark: char, rest: &str) -> bool {
    let rest = &rest[closing_length(rest)..];
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return false;
    }
    let next = rest.trim_start().chars().next();
    if next.is_some_and(char::is_lowercase) && mark != '!' && mark != '?' {
        return false;
    }
    if mark != '.' {
        return true;
    }
    let word = before.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '"' | '“')).next().unwrap_or_default();
    if before.is_empty() {
        return false;
    }
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    let ordinal = word.len() <= 2
        && word.bytes().all(|b| b.is_ascii_digit())
        && next.is_some_and(char::is_alphabetic)
        && before.trim().len() == word.len();
    !(initial || ordinal || (next.is_some() && ABBREVIATIONS.contains(&word.to_lowercase().as_str())))
}

/// The bytes of closing quotes and brackets right after a mark, and of repeated marks.
fn closing_length(rest: &str) -> usize {
    rest.chars()
        .take_while(|c| matches!(c, '"' | '”' | '»' | '’' | ')' | ']' | '」' | '』' | '!' | '?' | '.' | '…'))
        .map(char::len_utf8)
        .sum()
}

/// True when the line after a break starts a sentence of its own rather than going on with the last.
fn starts_anew(before: &str, rest: &str) -> bool {
    let Some(next) = rest.trim_start().chars().next() else {
        return false;
    };
    let line = before.rsplit('\n').next().unwrap_or(before).trim_end();
    let ended = line.ends_with(['.', '!', '?', ':', ';', '。', '！', '？', '؟', '…']);
    ended || (!next.is_lowercase() && line.chars().count() < 60)
}

/// Where the pair opened at `at` ends, if it closes within reach.
fn pair_end(paragraph: &str, at: usize, opening: char, previous: char) -> Option<usize> {
    if opening == '\'' {
        return single_quote_end(paragraph, at, previous);
    }
    let (_, closing) = PAIRS.iter().find(|(open, _)| *open == opening)?;
    let from = at + opening.len_utf8();
    let reach = floor_boundary(paragraph, from + PAIR_REACH);
    paragraph[from..reach].find(*closing).map(|n| from + n + closing.len_utf8())
}

/// A single quote opens a quotation only before a word and closes it only after one, or it is an apostrophe.
fn single_quote_end(paragraph: &str, at: usize, previous: char) -> Option<usize> {
    if previous.is_alphanumeric() || paragraph[at + 1..].starts_with(char::is_whitespace) {
        return None;
    }
    let reach = floor_boundary(paragraph, at + 1 + PAIR_REACH.min(200));
    let body = &paragraph[at + 1..reach];
    body.match_indices('\'')
        .find(|(n, _)| !body[n + 1..].starts_with(char::is_alphanumeric) && !body[..*n].ends_with(char::is_whitespace))
        .map(|(n, _)| at + 1 + n + 1)
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_people_end_them() {
        for (text, expected) in [
            ("One. Two! Three?", vec!["One.", "Two!", "Three?"]),
            ("Use v1.2.3 from example.com today. Then stop", vec!["Use v1.2.3 from example.com today.", "Then stop"]),
            ("Ask Dr. Weber, e.g. by mail. Done.", vec!["Ask Dr. Weber, e.g. by mail.", "Done."]),
            ("He said \"Stop. Now.\" and left. Fine.", vec!["He said \"Stop. Now.\" and left.", "Fine."]),
            ("She asked \"Why?\" Nobody knew.", vec!["She asked \"Why?\" Nobody knew."]),
            ("素数を返す。説明も。", vec!["素数を返す。", "説明も。"]),
            ("Not \"AB-1\". It must match.", vec!["Not \"AB-1\".", "It must match."]),
            ("Rules:\nNo tests\nBe brief", vec!["Rules:", "No tests", "Be brief"]),
            (
                "a long line that was wrapped by an editor somewhere\nand goes on here.",
                vec!["a long line that was wrapped by an editor somewhere\nand goes on here."],
            ),
            ("It's fine. Don't worry.", vec!["It's fine.", "Don't worry."]),
            ("Wait... really?! Yes.", vec!["Wait... really?!", "Yes."]),
        ] {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }

    #[test]
    fn an_unclosed_quote_swallows_nothing() {
        assert_eq!(sentences("He said \"go. Then he left."), vec!["He said \"go.", "Then he left."]);
    }
}
