//! A paragraph cut into sentences, in any language, without ever cutting inside a quotation, brackets or code.
//!
//! A full stop ends a sentence unless it is in a number, an address or a known abbreviation, or a small letter
//! follows. Line breaks end one too when the next line plainly starts anew. Nothing is lost: the sentences joined
//! by blanks are the paragraph but for white space.

use std::ops::Range;

use super::visited::visit;

/// Abbreviations whose full stop ends no sentence, in small letters and without it.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "etc", "mr", "mrs", "ms", "dr", "prof", "st", "vs", "approx", "fig", "no", "inc", "ltd", "co", "jr",
    "sr", "cf", "z.b", "bzw", "d.h", "u.a", "usw", "ca", "nr", "str", "hr", "fr", "p.ex", "m", "mme", "ej", "sra",
    "т.е", "т.д", "г",
];

/// Bytes of the longest abbreviation, in capitals too.
const LONGEST_ABBREVIATION: usize = 24;

/// A line of fewer characters was ended by its writer and not wrapped by an editor.
const SHORT_LINE: usize = 60;

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
    let mut ahead = Ahead::of(paragraph);
    for (at, character) in paragraph.char_indices() {
        if at < skip_to {
            previous = character;
            continue;
        }
        let after = at + character.len_utf8();
        let ends = match character {
            '.' | '!' | '?' | '…' | '؟' | '۔' | '।' => {
                let end = ahead.closing_end(after);
                ends_here(&paragraph[start..at], character, &paragraph[end..], ahead.word(end)).then_some(end)
            }
            '。' | '！' | '？' | '．' => Some(ahead.closing_end(after)),
            '\n' => starts_anew(&paragraph[start..at], ahead.word(after)).then_some(at),
            _ => {
                if let Some(end) = ahead.pair_end(at, character, previous) {
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

/// What follows a place of a paragraph. Places are asked about from left to right, and what was seen on the way is
/// remembered, so that a long run of marks or blanks is walked once and not once for each of its characters.
struct Ahead<'t> {
    paragraph: &'t str,
    /// Closing marks stand from here to there.
    closing: Range<usize>,
    /// Blanks stand from here to there.
    blank: Range<usize>,
    /// Where the next closing mark of each pair stands, as far as it was looked for.
    next: [usize; PAIRS.len()],
}

impl<'t> Ahead<'t> {
    fn of(paragraph: &'t str) -> Self {
        Self { paragraph, closing: 0..0, blank: 0..0, next: [0; PAIRS.len()] }
    }

    /// Where the closing quotes and brackets, and the repeated marks, end that stand at `from`.
    fn closing_end(&mut self, from: usize) -> usize {
        let is_closing = |c: char| matches!(c, '"' | '”' | '»' | '’' | ')' | ']' | '」' | '』' | '!' | '?' | '.' | '…');
        if !(self.closing.start..=self.closing.end).contains(&from) {
            self.closing = from..self.end_of_run(from, is_closing);
        }
        self.closing.end
    }

    /// The first character from `from` on that is not blank.
    fn word(&mut self, from: usize) -> Option<char> {
        if !(self.blank.start..=self.blank.end).contains(&from) {
            self.blank = from..self.end_of_run(from, char::is_whitespace);
        }
        self.paragraph[self.blank.end..].chars().next()
    }

    fn end_of_run(&self, from: usize, belongs: impl Fn(char) -> bool) -> usize {
        let end = self.paragraph[from..].find(|c| !belongs(c)).map_or(self.paragraph.len(), |length| from + length);
        visit(end - from);
        end
    }

    /// Where the pair opened at `at` ends, if it closes within reach.
    fn pair_end(&mut self, at: usize, opening: char, previous: char) -> Option<usize> {
        if opening == '\'' {
            return single_quote_end(self.paragraph, at, previous);
        }
        let kind = PAIRS.iter().position(|(open, _)| *open == opening)?;
        let closing = PAIRS[kind].1;
        let from = at + opening.len_utf8();
        if self.next[kind] < from {
            self.next[kind] = self.paragraph[from..].find(closing).map_or(self.paragraph.len(), |n| from + n);
            visit(self.next[kind] - from);
        }
        let end = self.next[kind] + closing.len_utf8();
        (end <= self.paragraph.len() && end <= from + PAIR_REACH).then_some(end)
    }
}

/// True when the mark really ends the sentence before it. `rest` follows the mark and what closes with it, `next` is its
/// first character that is not blank.
fn ends_here(before: &str, mark: char, rest: &str, next: Option<char>) -> bool {
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return false;
    }
    if next.is_some_and(char::is_lowercase) && mark != '!' && mark != '?' {
        return false;
    }
    if mark != '.' {
        return true;
    }
    let word = before.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '"' | '“')).next().unwrap_or_default();
    visit(word.len());
    if before.is_empty() {
        return false;
    }
    let initial = word.chars().nth(1).is_none() && word.chars().all(char::is_uppercase) && !word.is_empty();
    let ordinal = word.len() <= 2
        && word.bytes().all(|b| b.is_ascii_digit())
        && next.is_some_and(char::is_alphabetic)
        && before.trim().len() == word.len();
    let is_abbreviation =
        || word.len() <= LONGEST_ABBREVIATION && ABBREVIATIONS.contains(&word.to_lowercase().as_str());
    !(initial || ordinal || (next.is_some() && is_abbreviation()))
}

/// True when the line after a break, which begins with `next`, starts a sentence of its own rather than going on with the
/// last.
fn starts_anew(before: &str, next: Option<char>) -> bool {
    let Some(next) = next else {
        return false;
    };
    let line = before.rsplit('\n').next().unwrap_or(before).trim_end();
    visit(line.len());
    let ended = line.ends_with(['.', '!', '?', ':', ';', '。', '！', '？', '؟', '…']);
    ended || (!next.is_lowercase() && line.chars().nth(SHORT_LINE - 1).is_none())
}

/// A single quote opens a quotation only before a word and closes it only after one, or it is an apostrophe.
fn single_quote_end(paragraph: &str, at: usize, previous: char) -> Option<usize> {
    if previous.is_alphanumeric() || paragraph[at + 1..].starts_with(char::is_whitespace) {
        return None;
    }
    let reach = floor_boundary(paragraph, at + 1 + PAIR_REACH.min(200));
    let body = &paragraph[at + 1..reach];
    visit(body.len());
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
    fn a_run_of_marks_ends_a_sentence_once() {
        assert_eq!(sentences("Well....... so be it. Go!?!"), vec!["Well....... so be it.", "Go!?!"]);
        assert_eq!(sentences("a.......b c"), vec!["a.......b c"]);
        assert_eq!(sentences("(a (b (c. d"), vec!["(a (b (c. d"]);
        assert_eq!(sentences("One\n\n\n\nTwo"), vec!["One", "Two"]);
    }

    #[test]
    fn an_unclosed_quote_swallows_nothing() {
        assert_eq!(sentences("He said \"go. Then he left."), vec!["He said \"go.", "Then he left."]);
    }
}
