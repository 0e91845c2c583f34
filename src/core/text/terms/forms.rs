//! The search forms of a word.
//!
//! A compound word (`GitHub`, `max_rows`, `os.path`, `SHA256`, `O'Brien`) is found as a whole
//! without separators (`github`), by each part (`git`, `hub`), and, if there are not too many, by a
//! few neighbouring parts written as one word (`httpurl` in `parseHTTPUrl`) or as several words, by
//! a term with underscores (`http_url`); no other term has one. Separators are underscores, dots,
//! colons, apostrophes, case changes, and a letter next to a digit; but a number keeps its dots
//! (`3.14`, not `3d.model`). A simple word has one form.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::{Analyzer, REMEMBERED, TermId, cut, split_identifier, visit};

/// Maximum neighbouring parts that are joined.
pub const MOST_JOINED: usize = 4;

/// Maximum parts of a word whose neighbours are joined: names have fewer, base64 data has more.
const MOST_PARTS: usize = 16;

/// A search form of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Its term.
    pub term: TermId,
    /// Its byte range in the word.
    pub range: Range<usize>,
    /// The kind of form.
    pub kind: FormKind,
}

/// Kinds of forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormKind {
    /// The word; the first of its forms.
    Whole,
    /// One part.
    Part,
    /// Neighbouring parts as one word.
    Joined,
    /// Neighbouring parts as several words.
    Spaced,
}

impl Form {
    /// The only form of a word of this length.
    pub(super) fn whole(term: TermId, length: usize) -> Self {
        Self { term, range: 0..length, kind: FormKind::Whole }
    }
}

impl Analyzer {
    /// All forms of a word; empty if nothing of it is left.
    pub(super) fn forms_of(&mut self, word: &str) -> Arc<[Form]> {
        if let Some(known) = self.forms.get(word) {
            return Arc::clone(known);
        }
        let forms: Arc<[Form]> = self.make_forms(word).into();
        if word.len() <= REMEMBERED {
            self.forms.insert(word.to_owned(), Arc::clone(&forms));
        }
        forms
    }

    fn make_forms(&mut self, word: &str) -> Vec<Form> {
        let parts = parts(word);
        let whole = self.word(&joined(word)).map(|term| Form::whole(term, word.len()));
        let mut forms: Vec<Form> = whole.into_iter().collect();
        if parts.len() < 2 {
            return forms;
        }
        let of_parts: Vec<(TermId, Range<usize>)> =
            parts.into_iter().filter_map(|range| Some((self.word(&word[range.clone()])?, range))).collect();
        let part =
            |(term, range): &(TermId, Range<usize>)| Form { term: *term, range: range.clone(), kind: FormKind::Part };
        forms.extend(of_parts.iter().map(part));
        if of_parts.len() > MOST_PARTS {
            return forms;
        }
        for from in 0..of_parts.len() {
            for to in from + 2..=(from + MOST_JOINED).min(of_parts.len()) {
                let run = &of_parts[from..to];
                let range = run[0].1.start..run[run.len() - 1].1.end;
                let is_all = run.len() == of_parts.len();
                let joined = if is_all { None } else { self.word(&joined(&word[range.clone()])) };
                forms.extend(joined.map(|term| Form { term, range: range.clone(), kind: FormKind::Joined }));
                let terms: Vec<&str> = run.iter().map(|(term, _)| self.term(*term)).collect();
                let spaced = spaced(&terms);
                forms.extend(self.number(&spaced).map(|term| Form { term, range, kind: FormKind::Spaced }));
            }
        }
        forms
    }
}

/// The term of neighbouring parts written as several words.
pub fn spaced(terms: &[&str]) -> String {
    cut(&terms.join("_")).to_owned()
}

/// The non-empty parts of a word.
fn parts(word: &str) -> Vec<Range<usize>> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return std::iter::once(0..word.len()).collect();
    }
    let mut parts = Vec::new();
    for piece in split_identifier(word) {
        let offset = piece.as_ptr().addr() - word.as_ptr().addr();
        let mut start = 0;
        let mut before: Option<char> = None;
        for (at, c) in piece.char_indices() {
            if is_apostrophe(c) {
                parts.push(offset + start..offset + at);
                start = at + c.len_utf8();
            } else if before.is_some_and(|before| is_change(before, c)) {
                parts.push(offset + start..offset + at);
                start = at;
            }
            before = Some(c);
        }
        parts.push(offset + start..offset + piece.len());
    }
    visit(word.len());
    parts.retain(|part| !part.is_empty());
    parts
}

/// True between a letter and a digit.
fn is_change(before: char, c: char) -> bool {
    (before.is_alphabetic() && c.is_numeric()) || (before.is_numeric() && c.is_alphabetic())
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}')
}

/// The word without separators. Dots and colons of numbers stay, and all apostrophes: `we're`.
pub(super) fn joined(word: &str) -> Cow<'_, str> {
    if !word.contains(['_', '.', ':']) {
        return Cow::Borrowed(word);
    }
    visit(word.len());
    let mut kept = String::with_capacity(word.len());
    let mut characters = word.chars().peekable();
    while let Some(c) = characters.next() {
        let is_inside_number = kept.ends_with(|before: char| before.is_ascii_digit())
            && characters.peek().is_some_and(char::is_ascii_digit);
        if c != '_' && (!matches!(c, '.' | ':') || is_inside_number) {
            kept.push(c);
        }
    }
    Cow::Owned(kept)
}
