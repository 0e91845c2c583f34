//! Terms: folded and stemmed words, the same wherever texts are compared or searched.
//!
//! A term is a word after splitting identifiers (`parseHttpUrl`, `max_rows`, `os.path`), folding
//! (lower case, without accents, compatibility forms unified) and, for plain Latin words, English
//! Snowball stemming. Scripts without spaces (Chinese, Japanese, Thai) give one term per pair of
//! neighbouring characters. Numbers stay whole, without thousands separators. Word boundaries
//! follow Unicode (UAX #29). Terms have 1 to [`LONGEST`] characters, no white space or controls.
//!
//! [`Analyzer::read`] is for comparing texts. [`Analyzer::words`] and [`Analyzer::place`] are for
//! search: a word has one position with all its [`forms`], so `GitHub` is found as `github`, `git`
//! and `hub`; each run of unspaced characters ends with the last one alone, so that any single
//! character is a prefix of some term. [`super::query`] makes the same terms of queries.

mod forms;
mod warm;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};
use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

pub use self::forms::{Form, FormKind, MOST_JOINED, spaced};
#[cfg(any(test, feature = "test-support"))]
pub use self::warm::stay_cold;
pub use self::warm::{WarmAnalyzer, warm};
use crate::visited::visit;

/// Folds case (lower, `ß` as `ss`, one small sigma), removes accents, and unifies compatibility
/// forms (full-width letters, ligatures) and typographic apostrophes.
pub fn fold(text: &str) -> Cow<'_, str> {
    visit(text.len());
    if text.is_ascii() {
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Cow::Owned(text.to_ascii_lowercase());
        }
        return Cow::Borrowed(text);
    }
    let unmarked = text.nfkd().filter(|c| !is_accent(*c)).map(|c| if c == '\u{2019}' { '\'' } else { c });
    // Via upper case: small letters can share a capital. Lower case first: `ẞ` has no other.
    let small = unmarked.flat_map(char::to_lowercase);
    Cow::Owned(small.flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfc().collect())
}

/// Folds the text, collapses runs of blanks and of line ends, and trims it.
pub fn flatten(text: &str) -> String {
    let folded = fold(text);
    let mut flat = String::with_capacity(folded.len());
    let mut gap = "";
    for c in folded.chars() {
        if c == '\n' {
            gap = "\n";
        } else if c.is_whitespace() {
            gap = if gap == "\n" { gap } else { " " };
        } else {
            if !flat.is_empty() {
                flat.push_str(gap);
            }
            gap = "";
            flat.push(c);
        }
    }
    flat
}

/// True for the marks that Latin, Greek and Cyrillic accents decompose to. Marks of other scripts
/// (Devanagari vowels, Arabic signs, the Japanese voicing mark) change the word and stay.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}')
}

/// The terms of `text`, in order, with repeats.
pub fn terms(text: &str) -> Vec<String> {
    let mut analyzer = Analyzer::default();
    let mut found = Vec::new();
    analyzer.read(text, &mut found);
    found.into_iter().map(|id| analyzer.term(id).to_owned()).collect()
}

/// Maximum bytes of a word that is cached.
const REMEMBERED: usize = 128;

/// Maximum characters of a term; longer ones are truncated.
pub const LONGEST: usize = 64;

/// The search terms of `text`, grouped by position: see [`Analyzer::place`].
pub fn finding_terms(text: &str) -> Vec<Vec<String>> {
    let mut analyzer = Analyzer::default();
    let words = analyzer.words(text);
    words.iter().map(|word| word.forms.iter().map(|form| analyzer.term(form.term).to_owned()).collect()).collect()
}

/// A term's number, unique within one [`Analyzer`].
pub type TermId = u32;

/// A position of a text: a word, or two neighbouring characters of a script without spaces.
#[derive(Debug, Clone)]
pub struct Word {
    /// Its byte offset.
    pub start: usize,
    /// At least one; ranges are relative to `start`.
    pub forms: Arc<[Form]>,
}

impl Word {
    /// The byte range in the text, end exclusive.
    pub fn range(&self) -> Range<usize> {
        self.forms.first().map_or(self.start..self.start, |whole| self.range_of(whole))
    }

    /// The byte range of one of its forms.
    pub fn range_of(&self, form: &Form) -> Range<usize> {
        self.start + form.range.start..self.start + form.range.end
    }
}

/// Makes and numbers terms. Reuse one for many texts.
pub struct Analyzer {
    stemmer: Stemmer,
    /// The term of each word as written, except words too long to recur.
    words: HashMap<String, Option<TermId>>,
    /// The forms of each word as written, except words too long to recur.
    forms: HashMap<String, Arc<[Form]>>,
    ids: HashMap<String, TermId>,
    terms: Vec<String>,
}

impl Default for Analyzer {
    fn default() -> Self {
        let stemmer = Stemmer::create(Algorithm::English);
        Self { stemmer, words: HashMap::new(), forms: HashMap::new(), ids: HashMap::new(), terms: Vec::new() }
    }
}

impl Clone for Analyzer {
    fn clone(&self) -> Self {
        let (words, forms) = (self.words.clone(), self.forms.clone());
        Self { words, forms, ids: self.ids.clone(), terms: self.terms.clone(), ..Self::default() }
    }
}

impl std::fmt::Debug for Analyzer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Analyzer").field("terms", &self.terms.len()).finish_non_exhaustive()
    }
}

impl Analyzer {
    /// The term with this number; empty for an unknown number.
    pub fn term(&self, id: TermId) -> &str {
        self.terms.get(id as usize).map_or("", String::as_str)
    }

    /// The number of terms so far.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// True if there are no terms yet.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The number of words or terms held, whichever is larger.
    fn held(&self) -> usize {
        self.words.len().max(self.forms.len()).max(self.terms.len())
    }

    /// Appends the terms of `text` to `found`, in order, with repeats.
    pub fn read(&mut self, text: &str, found: &mut Vec<TermId>) {
        self.walk(text, RunEnd::Lone, |this, met| match met {
            // Most words of most texts have no parts.
            Met::Word(_, word) if word.bytes().all(|byte| byte.is_ascii_lowercase()) => found.extend(this.word(word)),
            Met::Word(_, word) => found.extend(split_identifier(word).filter_map(|part| this.word(part))),
            Met::Characters(term, _) => found.push(term),
        });
    }

    /// The words of `text`, in order, with their search forms.
    pub fn words(&mut self, text: &str) -> Vec<Word> {
        let mut words = Vec::new();
        self.place(text, |word| words.push(word));
        words
    }

    /// Passes the words of `text` to `found` one by one.
    pub fn place(&mut self, text: &str, mut found: impl FnMut(Word)) {
        self.walk(text, RunEnd::Always, |this, met| {
            let (start, forms) = match met {
                Met::Word(start, word) => (start, this.forms_of(word)),
                Met::Characters(term, range) => (range.start, Arc::from([Form::whole(term, range.len())])),
            };
            if !forms.is_empty() {
                found(Word { start, forms });
            }
        });
    }

    fn walk(&mut self, text: &str, run_end: RunEnd, mut found: impl FnMut(&mut Self, Met<'_>)) {
        let mut run = SpacelessRun::default();
        let end = |this: &mut Self, run: &mut SpacelessRun, found: &mut dyn FnMut(&mut Self, Met<'_>)| {
            if let Some(last) = run.end(run_end)
                && let Some(term) = this.spaceless(&text[last.clone()])
            {
                found(this, Met::Characters(term, last));
            }
        };
        for (start, word) in text.unicode_word_indices() {
            let is_spaceless = is_spaceless(word);
            if !is_spaceless || start != run.next {
                end(self, &mut run, &mut found);
            }
            if !is_spaceless {
                found(self, Met::Word(start, word));
            } else if let Some(pair) = run.take(start, word)
                && let Some(term) = self.spaceless(&text[pair.clone()])
            {
                found(self, Met::Characters(term, pair));
            }
        }
        end(self, &mut run, &mut found);
    }

    fn spaceless(&mut self, characters: &str) -> Option<TermId> {
        self.number(&without_gaps(&fold(characters)))
    }

    /// The term of a word or of one part of an identifier.
    pub(super) fn word(&mut self, part: &str) -> Option<TermId> {
        if let Some(known) = self.words.get(part) {
            return *known;
        }
        let stem = self.stem(part);
        let id = self.number(&stem);
        if part.len() <= REMEMBERED {
            self.words.insert(part.to_owned(), id);
        }
        id
    }

    fn number(&mut self, term: &str) -> Option<TermId> {
        let term = cut(term);
        if let Some(id) = self.ids.get(term) {
            return Some(*id);
        }
        let id = TermId::try_from(self.terms.len()).ok().filter(|_| !term.is_empty())?;
        self.ids.insert(term.to_owned(), id);
        self.terms.push(term.to_owned());
        Some(id)
    }

    fn stem(&self, part: &str) -> String {
        let folded = fold(part);
        if is_cut(&folded) {
            // Not an English word; the stemmer is quadratic in the word's length.
            return cut(&without_gaps(&folded)).to_owned();
        }
        let is_plain_latin = folded.len() > 2 && folded.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'\'');
        if is_plain_latin {
            visit(folded.len().pow(2));
            self.stemmer.stem(&folded).into_owned()
        } else if is_grouped_number(&folded) {
            folded.replace(',', "")
        } else {
            without_gaps(&folded).into_owned()
        }
    }
}

/// The search prefix for the beginning of a word: folded, not stemmed. Can be empty.
pub(super) fn beginning(part: &str) -> String {
    cut(&without_gaps(&fold(&forms::joined(part)))).to_owned()
}

/// Free-standing accents fold to spaces.
fn without_gaps(folded: &str) -> Cow<'_, str> {
    let is_gap = |c: char| c.is_whitespace() || c.is_control();
    if folded.contains(is_gap) { Cow::Owned(folded.replace(is_gap, "")) } else { Cow::Borrowed(folded) }
}

fn cut(term: &str) -> &str {
    visit(term.len().min(LONGEST));
    if term.len() <= LONGEST {
        return term;
    }
    term.char_indices().nth(LONGEST).map_or(term, |(end, _)| &term[..end])
}

fn is_cut(term: &str) -> bool {
    cut(term).len() < term.len()
}

/// An item met while walking a text.
enum Met<'t> {
    /// The offset of a word, and the word as written.
    Word(usize, &'t str),
    /// A pair of characters, or one, of a script without spaces.
    Characters(TermId, Range<usize>),
}

/// Whether the last character of a run is a term of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunEnd {
    /// Only if it is the only one.
    Lone,
    /// In every run.
    Always,
}

/// A run of characters of a script without spaces, split into pairs.
#[derive(Default)]
struct SpacelessRun {
    /// Offset of its last character.
    last: Option<usize>,
    /// Offset of the run's next character.
    next: usize,
    has_pairs: bool,
}

impl SpacelessRun {
    /// Adds a character; returns the pair it forms with the previous one.
    fn take(&mut self, start: usize, word: &str) -> Option<Range<usize>> {
        self.next = start + word.len();
        let last = self.last.replace(start)?;
        self.has_pairs = true;
        Some(last..self.next)
    }

    /// Ends the run; returns its last character if that is a term.
    fn end(&mut self, run_end: RunEnd) -> Option<Range<usize>> {
        let run = std::mem::take(self);
        let last = run.last.filter(|_| run_end == RunEnd::Always || !run.has_pairs)?;
        Some(last..run.next)
    }
}

/// True for a single character (with its marks) of Han, Hiragana, Thai, Lao, Myanmar or Khmer.
pub(super) fn is_spaceless(word: &str) -> bool {
    word.chars().next().is_some_and(|c| {
        matches!(c, '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3041}'..='\u{309F}'
            | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
    })
}

/// True for digits grouped by commas, such as `1,000,000`.
fn is_grouped_number(word: &str) -> bool {
    let mut groups = word.split('.').next().unwrap_or_default().split(',');
    let first = groups.next().unwrap_or_default();
    let rest: Vec<&str> = groups.collect();
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    (1..=3).contains(&first.len())
        && digits(first)
        && !rest.is_empty()
        && rest.iter().all(|g| g.len() == 3 && digits(g))
}

/// Splits an identifier at underscores, inner dots, colons and case changes; not numbers.
pub fn split_identifier(word: &str) -> impl Iterator<Item = &str> {
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    let bytes = word.as_bytes();
    let is_digit = move |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    // The dot of 3.14 belongs to the number, that of 3d.model does not.
    let is_of_the_number = move |at: usize| is_number && at > 0 && is_digit(at - 1) && is_digit(at + 1);
    let is_separator =
        move |(at, byte): &(usize, u8)| *byte == b'_' || (matches!(byte, b'.' | b':') && !is_of_the_number(*at));
    let ends = word.bytes().enumerate().filter(is_separator).map(|(at, _)| at).chain([word.len()]);
    ends.scan(0, |start, end| Some(&word[std::mem::replace(start, end + 1)..end]))
        .flat_map(split_case)
        .filter(|part| !part.is_empty())
}

/// Splits `parseHTTPUrl` into `parse`, `HTTP`, `Url`.
fn split_case(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, tail) = rest.split_at(case_boundary(rest));
        rest = tail;
        Some(part)
    })
}

/// The end of the first part of `word`, in bytes.
fn case_boundary(word: &str) -> usize {
    let mut chars = word.char_indices().peekable();
    let mut before = None;
    while let Some((at, c)) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
        if let Some(previous) = before
            && c.is_uppercase()
            && (char::is_lowercase(previous) || (char::is_uppercase(previous) && next_is_lower))
        {
            visit(at);
            return at;
        }
        before = Some(c);
    }
    word.len()
}

#[cfg(test)]
mod tests;
