//! Terms: what a text is about, as folded and stemmed words, the same for every part that compares or finds texts.
//!
//! A term is a word after splitting identifiers (`parseHttpUrl`, `max_rows`, `os.path`), after folding (accents off,
//! lower case, compatibility forms unified) and, for words of plain Latin letters, after English Snowball stemming.
//! Scripts written without spaces (Chinese, Japanese, Thai) give one term for each pair of neighbouring characters.
//! Numbers stay whole, without thousands separators. Word boundaries are those of Unicode (UAX #29).
//! No term is empty, longer than [`LONGEST`], or holds white space or control characters.
//!
//! [`Analyzer::read`] is for comparing texts. [`Analyzer::place`] is for finding them: it tells where each term stands, and
//! ends each run of such characters with its last one alone, so that a single character is found anywhere as the
//! beginning of a term. What is looked for is made into the same terms by [`super::query`].

use std::borrow::Cow;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt};
use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use super::visited::visit;

/// The text in lower case, without accents, with compatibility forms (full-width letters, ligatures) and typographic
/// apostrophes unified.
pub fn fold(text: &str) -> Cow<'_, str> {
    visit(text.len());
    if text.is_ascii() {
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Cow::Owned(text.to_ascii_lowercase());
        }
        return Cow::Borrowed(text);
    }
    let unmarked = text.nfkd().filter(|c| !is_accent(*c)).map(|c| if c == '\u{2019}' { '\'' } else { c });
    Cow::Owned(unmarked.flat_map(char::to_lowercase).nfc().collect())
}

/// The text folded, runs of blanks made one blank, runs of line ends one line feed, outer white space taken off.
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

/// True for the marks that accents of Latin, Greek and Cyrillic decompose to. Marks of other scripts (Devanagari
/// vowels, Arabic signs, the Japanese voicing mark) change the word and stay.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}')
}

/// The terms of `text`, in order, repeats kept.
pub fn terms(text: &str) -> Vec<String> {
    let mut analyzer = Analyzer::default();
    let mut found = Vec::new();
    analyzer.read(text, &mut found);
    found.into_iter().map(|id| analyzer.term(id).to_owned()).collect()
}

/// Characters of the longest term; what is longer is cut there.
pub const LONGEST: usize = 64;

/// The terms that `text` is found by, in order, repeats kept: see [`Analyzer::place`].
pub fn finding_terms(text: &str) -> Vec<String> {
    let mut analyzer = Analyzer::default();
    let mut found = Vec::new();
    analyzer.place(text, &mut found);
    found.into_iter().map(|place| analyzer.term(place.term).to_owned()).collect()
}

/// A term by number, the same within one [`Analyzer`].
pub type TermId = u32;

/// A term and the piece of the text it was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Which term.
    pub term: TermId,
    /// From, to (exclusive), in bytes.
    pub range: Range<usize>,
}

/// Makes terms and numbers them: worth keeping where many texts are compared.
pub struct Analyzer {
    stemmer: Stemmer,
    /// The term of each word as written.
    words: HashMap<String, Option<TermId>>,
    ids: HashMap<String, TermId>,
    terms: Vec<String>,
}

impl Default for Analyzer {
    fn default() -> Self {
        let stemmer = Stemmer::create(Algorithm::English);
        Self { stemmer, words: HashMap::new(), ids: HashMap::new(), terms: Vec::new() }
    }
}

impl Clone for Analyzer {
    fn clone(&self) -> Self {
        let (words, ids, terms) = (self.words.clone(), self.ids.clone(), self.terms.clone());
        Self { words, ids, terms, ..Self::default() }
    }
}

impl std::fmt::Debug for Analyzer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Analyzer").field("terms", &self.terms.len()).finish_non_exhaustive()
    }
}

impl Analyzer {
    /// The term of this number; empty for a number that was never given.
    pub fn term(&self, id: TermId) -> &str {
        self.terms.get(id as usize).map_or("", String::as_str)
    }

    /// How many terms it has numbered so far.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// True before the first term.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Appends the terms of `text` to `found`, in order, repeats kept.
    pub fn read(&mut self, text: &str, found: &mut Vec<TermId>) {
        self.walk(text, RunEnd::Lone, |term, _| found.push(term));
    }

    /// Appends the terms that `text` is found by to `found`, in order, each with its place.
    pub fn place(&mut self, text: &str, found: &mut Vec<Placed>) {
        self.walk(text, RunEnd::Always, |term, range| found.push(Placed { term, range }));
    }

    fn walk(&mut self, text: &str, run_end: RunEnd, mut found: impl FnMut(TermId, Range<usize>)) {
        let mut run = SpacelessRun::default();
        for (start, word) in text.unicode_word_indices() {
            let is_spaceless = is_spaceless(word);
            if (!is_spaceless || start != run.next)
                && let Some(last) = run.end(run_end)
                && let Some(term) = self.spaceless(&text[last.clone()])
            {
                found(term, last);
            }
            if is_spaceless {
                if let Some(pair) = run.take(start, word)
                    && let Some(term) = self.spaceless(&text[pair.clone()])
                {
                    found(term, pair);
                }
                continue;
            }
            for part in split_identifier(word) {
                if let Some(term) = self.word(part) {
                    let from = start + (part.as_ptr().addr() - word.as_ptr().addr());
                    found(term, from..from + part.len());
                }
            }
        }
        if let Some(last) = run.end(run_end)
            && let Some(term) = self.spaceless(&text[last.clone()])
        {
            found(term, last);
        }
    }

    fn spaceless(&mut self, characters: &str) -> Option<TermId> {
        self.number(&without_gaps(&fold(characters)))
    }

    /// The term of one part of an identifier, or of a word that is none.
    pub(super) fn word(&mut self, part: &str) -> Option<TermId> {
        if let Some(known) = self.words.get(part) {
            return *known;
        }
        let stem = self.stem(part);
        let id = self.number(&stem);
        self.words.insert(part.to_owned(), id);
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
            // No English word is so long, and the stemmer takes time by the square of a word's length.
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

/// What the beginning of a word is looked for by: folded, not stemmed. Empty where nothing of it is left.
pub(super) fn beginning(part: &str) -> String {
    cut(&without_gaps(&fold(part))).to_owned()
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

/// Whether the last character of a run is a term of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunEnd {
    /// Where it is the only one.
    Lone,
    /// In every run.
    Always,
}

/// A run of characters of a script without spaces, turned into pairs.
#[derive(Default)]
struct SpacelessRun {
    /// Where its last character began.
    last: Option<usize>,
    /// Where the run's next character would begin.
    next: usize,
    has_pairs: bool,
}

impl SpacelessRun {
    /// Takes the next character; gives the pair it makes with the one before.
    fn take(&mut self, start: usize, word: &str) -> Option<Range<usize>> {
        self.next = start + word.len();
        let last = self.last.replace(start)?;
        self.has_pairs = true;
        Some(last..self.next)
    }

    /// Ends the run; gives its last character where that is a term.
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

/// Splits an identifier at underscores, inner dots and colons, and changes of case; numbers stay whole.
pub fn split_identifier(word: &str) -> impl Iterator<Item = &str> {
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    word.split(move |c: char| c == '_' || (!is_number && matches!(c, '.' | ':')))
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

/// Where the first part of `word` ends, in bytes.
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_folded_and_stemmed() {
        assert_eq!(terms("Functions that FIND primes"), ["function", "that", "find", "prime"]);
        assert_eq!(terms("Café, naïve façade"), ["cafe", "naiv", "facad"]);
        assert_eq!(terms("Ｆｕｌｌ ﬁle"), terms("full file"));
    }

    #[test]
    fn flat_text_is_folded_with_single_blanks_and_line_feeds() {
        assert_eq!(flatten("  Été \t à\n \n  Paris "), "ete a\nparis");
    }

    #[test]
    fn identifiers_are_split_at_case_underscore_and_dot() {
        assert_eq!(terms("parseHTTPUrl"), ["pars", "http", "url"]);
        assert_eq!(terms("max_rows os.path"), ["max", "row", "os", "path"]);
        assert_eq!(terms("IDs PDFs"), terms("IDs PDFs"));
    }

    #[test]
    fn numbers_stay_whole_without_thousands_separators() {
        assert_eq!(terms("3.5 and 1,000,000 or 12,5"), ["3.5", "and", "1000000", "or", "12,5"]);
    }

    #[test]
    fn scripts_without_spaces_give_pairs() {
        assert_eq!(terms("提示词"), ["提示", "示词"]);
        assert_eq!(terms("词"), ["词"]);
        assert_eq!(terms("写 一首"), ["写", "一首"]);
        assert_eq!(terms("写一首诗 for 我"), ["写一", "一首", "首诗", "for", "我"]);
    }

    /// The terms a text is found by, and what each was made of.
    fn placed(text: &str) -> Vec<(String, &str)> {
        let mut analyzer = Analyzer::default();
        let mut found = Vec::new();
        analyzer.place(text, &mut found);
        found.into_iter().map(|place| (analyzer.term(place.term).to_owned(), &text[place.range])).collect()
    }

    #[test]
    fn a_term_tells_where_it_stands() {
        let expected = [("pars", "parse"), ("http", "HTTP"), ("url", "Url"), ("os", "os"), ("path", "path")];
        assert_eq!(placed("parseHTTPUrl, os.path"), expected.map(|(term, written)| (term.to_owned(), written)));
        assert_eq!(placed("Éte\u{301}"), [("ete".to_owned(), "Éte\u{301}")]);
    }

    #[test]
    fn to_be_found_a_run_without_spaces_ends_with_its_last_character() {
        let terms = |text| placed(text).into_iter().map(|(term, _)| term).collect::<Vec<_>>();
        assert_eq!(terms("提示词"), ["提示", "示词", "词"]);
        assert_eq!(terms("写 一首 x"), ["写", "一首", "首", "x"]);
    }

    #[test]
    fn a_term_is_cut_where_it_grows_too_long() {
        assert_eq!(terms(&"é1".repeat(100)), ["e1".repeat(LONGEST / 2)]);
        assert_eq!(beginning(&"É".repeat(100)), "e".repeat(LONGEST));
    }

    #[test]
    fn a_word_that_is_cut_is_not_stemmed_and_one_that_fits_is() {
        let ending_in_ing = |letters: usize| terms(&format!("{}ing", "a".repeat(letters - 3)));
        assert_eq!(ending_in_ing(LONGEST), ["a".repeat(LONGEST - 3)]);
        assert_eq!(ending_in_ing(LONGEST + 1), [format!("{}in", "a".repeat(LONGEST - 2))]);
    }

    #[test]
    fn cyrillic_and_greek_words_are_folded_not_stemmed() {
        assert_eq!(terms("Напиши письмо"), ["напиши", "письмо"]);
        assert_eq!(terms("Ωραία"), ["ωραια"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn terms_hold_no_gaps_and_are_neither_empty_nor_long(text in any::<String>()) {
            let sound = |term: &str| {
                (1..=LONGEST).contains(&term.chars().count())
                    && !term.contains(|c: char| c.is_whitespace() || c.is_control() || c.is_ascii_uppercase())
            };
            prop_assert!(terms(&text).iter().all(|term| sound(term)));
            prop_assert!(placed(&text).iter().all(|(term, _)| sound(term)));
        }

        #[test]
        fn the_piece_a_term_was_made_of_gives_that_term(text in "[a-zA-Z_ éÄ提示词ไทยのかカ]{0,30}") {
            for (term, piece) in placed(&text) {
                prop_assert_eq!(terms(piece), [term], "{:?}", piece);
            }
        }

        #[test]
        fn folding_twice_is_folding_once(text in ".{0,60}") {
            let once = fold(&text).into_owned();
            prop_assert_eq!(fold(&once).into_owned(), once);
        }

        #[test]
        fn splitting_an_identifier_loses_nothing_but_separators(word in "[a-zA-Z_.]{0,20}") {
            let joined: String = split_identifier(&word).collect();
            prop_assert_eq!(joined, word.replace(['_', '.'], ""));
        }
    }
}
