//! Reading: splits a text into units and terms, once, for all measures.
//!
//! A repeated unit (by its terms) counts among all words and runs, and is ignored otherwise.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::clauses::{Clause, Quantity, clause, each_clause};
use super::phrases::{Phrases, TermSet};
use super::units::{Cutter, UnitKind};
use super::words;
use crate::text::facts;
use crate::text::language::{Language, is_ideographic, is_sure, language, words_of};
use crate::text::terms::{Analyzer, TermId, flatten};
use crate::visited;

/// Terms of a run; repeated runs measure repetition.
const RUN: usize = 4;

/// A unit of a text.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) kind: UnitKind,
    pub(super) terms: Box<[TermId]>,
    pub(super) clauses: Box<[Clause]>,
    /// The level of a Markdown heading.
    pub(super) level: Option<usize>,
}

/// A text, read.
#[derive(Debug, Default)]
pub struct Reading {
    /// The distinct units.
    pub(super) units: Vec<Unit>,
    pub(super) terms: TermSet,
    /// Numbers, without thousands separators.
    pub(super) numbers: HashSet<String>,
    /// The folded text, blanks collapsed; line feeds kept.
    pub(super) flat: String,
    /// Terms of all units, with repeats.
    pub(super) all_terms: usize,
    /// Runs of terms inside all units, with repeats.
    pub(super) all_runs: usize,
    /// The distinct runs.
    pub(super) distinct_runs: usize,
    /// Distinct terms that are not stop words.
    pub(super) content_terms: usize,
    /// Terms of filler phrases in the distinct units.
    pub(super) filler: usize,
    /// Vague words in the distinct units.
    pub(super) vague: usize,
    /// Phrases in the distinct units that point outside the text.
    pub(super) unresolved: usize,
    /// Sentences that ask, leave a blank or say what to assume.
    pub(super) asking: usize,
    /// Names and identifiers, without duplicates, as written and as terms.
    pub(super) names: Vec<(String, Vec<TermId>)>,
    /// Quoted texts, without duplicates, as written and as terms.
    pub(super) quotes: Vec<(String, Vec<TermId>)>,
    /// Format terms.
    pub(super) formats: Vec<TermId>,
    /// Words between blanks; for unspaced scripts, half the letters.
    pub(super) words: usize,
    pub(super) repeated_headings: usize,
    pub(super) long_paragraphs: usize,
    /// Unclosed fences and tags.
    pub(super) unclosed: usize,
    /// `None` if unknown.
    pub(super) language: Option<Language>,
}

/// A phrase to look for, as terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cue(Vec<TermId>);

/// Maximum names and quotations of each kind, to bound huge texts.
const MOST_FACTS: usize = 128;
/// Longer paragraphs, in words, are long.
const LONG_PARAGRAPH: usize = 150;

impl Reading {
    /// All numbers and what they count.
    pub(super) fn quantities(&self) -> impl Iterator<Item = &Quantity> {
        self.units.iter().flat_map(|unit| &unit.clauses).flat_map(|clause| &clause.quantities)
    }

    /// True if a unit contains the phrase's terms consecutively.
    pub fn says(&self, cue: &Cue) -> bool {
        match cue.0.as_slice() {
            [] => false,
            [term] => self.terms.contains(*term),
            terms => {
                terms.iter().all(|term| self.terms.contains(*term))
                    && self.units.iter().any(|unit| unit.terms.windows(terms.len()).any(|run| run == terms))
            }
        }
    }

    /// Terms of the distinct units.
    pub(super) fn distinct_words(&self) -> usize {
        self.units.iter().map(|unit| unit.terms.len()).sum()
    }
}

/// Reads texts. Caches words, so reuse one reader for many texts.
#[derive(Debug, Clone)]
pub struct Reader {
    analyzer: Analyzer,
    pub(super) stop: TermSet,
    pub(super) format: TermSet,
    pub(super) constraint: Phrases,
    vague: Phrases,
    unresolved: Phrases,
    filler: Phrases,
    asking: Phrases,
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

/// A reader with only the word lists, which takes as long as reading a page.
static FRESH: LazyLock<Reader> = LazyLock::new(Reader::fresh);

impl Reader {
    /// Creates a reader.
    pub fn new() -> Self {
        FRESH.clone()
    }

    fn fresh() -> Self {
        let mut analyzer = Analyzer::default();
        let mut phrases = |list: &[&str]| Phrases::new(list, &mut analyzer);
        let (stop, format) = (phrases(words::STOP).singles(), phrases(words::FORMAT).singles());
        Self {
            stop,
            format,
            constraint: phrases(words::CONSTRAINT),
            vague: phrases(words::VAGUE),
            unresolved: phrases(words::UNRESOLVED),
            filler: phrases(words::FILLER),
            asking: phrases(words::ASKING),
            analyzer,
        }
    }

    /// A phrase to look for; `None` when it has no terms.
    pub fn cue(&mut self, phrase: &str) -> Option<Cue> {
        let terms = self.terms(phrase);
        (!terms.is_empty()).then_some(Cue(terms))
    }

    /// The terms of a text.
    pub(super) fn terms(&mut self, text: &str) -> Vec<TermId> {
        let mut terms = Vec::new();
        self.analyzer.read(text, &mut terms);
        terms
    }

    /// The term with this id.
    pub(super) fn term(&self, id: TermId) -> &str {
        self.analyzer.term(id)
    }

    /// Reads a text.
    pub fn read(&mut self, text: &str) -> Reading {
        let told = language(text);
        // Repetition adds no certainty.
        let mut known: HashSet<&str> = HashSet::new();
        let lines: Vec<&str> = text.lines().filter(|line| known.insert(line.trim())).collect();
        let mut reading = Reading {
            flat: flatten(text),
            words: words_of(text),
            language: sure_language(&lines.join("\n")),
            long_paragraphs: long_paragraphs(text),
            unclosed: unclosed(text),
            ..Reading::default()
        };
        each_number(text, |number| {
            reading.numbers.insert(number);
        });
        let mut quotes = HashSet::new();
        for quote in quoted(text).filter(|quote| quotes.insert(*quote)).take(MOST_FACTS) {
            reading.quotes.push((quote.to_owned(), self.terms(quote)));
        }
        let mut names: HashSet<Vec<TermId>> = HashSet::new();
        let mut seen: HashSet<Vec<TermId>> = HashSet::new();
        let mut runs: Vec<[TermId; RUN]> = Vec::new();
        let mut lines: HashMap<&str, (usize, usize)> = HashMap::new();
        let mut cutter = Cutter::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let before = (reading.all_terms, reading.all_runs);
            let level = Some(line.len() - line.trim_start_matches('#').len()).filter(|level| *level > 0);
            let mut visit = |kind, unit: &str| {
                let terms = self.terms(unit);
                if terms.is_empty() {
                    return;
                }
                reading.all_terms += terms.len();
                reading.all_runs += terms.len().saturating_sub(RUN - 1);
                let level = level.filter(|_| kind == UnitKind::Section);
                if seen.contains(&terms) {
                    reading.repeated_headings += usize::from(level.is_some());
                    return;
                }
                runs.extend(terms.array_windows::<RUN>().copied());
                for term in &terms {
                    let is_new = reading.terms.insert(*term);
                    reading.content_terms += usize::from(is_new && !self.stop.contains(*term));
                    if is_new && self.format.contains(*term) {
                        reading.formats.push(*term);
                    }
                }
                reading.filler += self.filler.terms_in(&terms);
                reading.vague += self.vague.terms_in(&terms);
                reading.unresolved += self.unresolved.count_in(&terms);
                let is_prose = matches!(kind, UnitKind::Sentence | UnitKind::Item);
                let asks = unit.ends_with(['?', '？', '؟']) || has_blank(unit) || self.asking.count_in(&terms) > 0;
                reading.asking += usize::from(is_prose && asks);
                if kind != UnitKind::Section {
                    each_name(unit, is_prose, told, |name| {
                        let terms = self.terms(name);
                        if !terms.is_empty() && names.len() < MOST_FACTS && names.insert(terms.clone()) {
                            reading.names.push((name.to_owned(), terms));
                        }
                    });
                }
                let mut clauses = Vec::new();
                each_clause(unit, |text| clauses.push(clause(text, self)));
                seen.insert(terms.clone());
                reading.units.push(Unit { kind, terms: terms.into(), clauses: clauses.into(), level });
            };
            // A repeated line is known; it is split only to track code blocks.
            if let Some((terms, run_count)) = lines.get(line) {
                cutter.cut(line, |_, _| ());
                reading.all_terms += terms;
                reading.all_runs += run_count;
                reading.repeated_headings += usize::from(level.is_some());
            } else {
                cutter.cut(line, &mut visit);
                lines.insert(line, (reading.all_terms - before.0, reading.all_runs - before.1));
            }
        }
        runs.sort_unstable();
        runs.dedup();
        reading.distinct_runs = runs.len();
        reading
    }
}

/// The language of a text, if certain.
fn sure_language(text: &str) -> Option<Language> {
    use Language::{Arabic, Chinese, Japanese, Korean, Russian, Unknown};
    let told = language(text);
    let is_of_script = matches!(told, Arabic | Chinese | Japanese | Korean | Russian);
    (told != Unknown && (is_of_script || is_sure(text, told))).then_some(told)
}

/// The number of overlong paragraphs, not counting list items and code.
fn long_paragraphs(text: &str) -> usize {
    let (mut long, mut words, mut in_code) = (0, 0, false);
    for line in text.lines().map(str::trim).chain([""]) {
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        in_code ^= is_fence;
        let is_prose = !in_code && !is_fence && !line.starts_with(['-', '*', '|', '#', '<', '>', '•']);
        if is_prose && !line.is_empty() {
            words += words_of(line);
            continue;
        }
        long += usize::from(words > LONG_PARAGRAPH);
        words = 0;
    }
    long
}

/// The number of unclosed fences and tags on lines of their own.
fn unclosed(text: &str) -> usize {
    let mut fences = 0;
    let mut open: HashMap<&str, usize> = HashMap::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            fences += 1;
        } else if let Some(name) = line.strip_prefix("</").and_then(|tag| tag.strip_suffix('>')) {
            if let Some(count) = open.get_mut(name) {
                *count = count.saturating_sub(1);
            }
        } else if let Some(name) = line.strip_prefix('<').and_then(|tag| tag.strip_suffix('>')) {
            let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
            if is_name && fences % 2 == 0 {
                *open.entry(name).or_default() += 1;
            }
        }
    }
    fences % 2 + open.values().sum::<usize>()
}

/// True if there is a blank to fill in: `[name]`, `{name}`, `___`.
fn has_blank(unit: &str) -> bool {
    let is_filled = |open: char, close: char| {
        unit.match_indices(open).any(|(at, _)| {
            let inside = &unit[at + 1..unit.floor_char_boundary(at + 41)];
            let end = inside.find(close);
            end.is_some_and(|end| inside[..end].contains(char::is_alphabetic) && !inside[end + 1..].starts_with('('))
        })
    };
    is_filled('[', ']') || is_filled('{', '}') || unit.contains("___")
}

/// Quoted texts of all kinds, including single quotes that cannot be apostrophes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let single = text.lines().flat_map(|line| {
        let mut found = Vec::new();
        let mut from = 0;
        let opens = |at: &usize| line[..*at].chars().next_back().is_none_or(|c| c.is_whitespace() || "([:".contains(c));
        while let Some(at) = line[from..].match_indices('\'').map(|(at, _)| from + at).find(opens).map(|at| at + 1) {
            let end = line[at..]
                .match_indices('\'')
                .map(|(end, _)| at + end)
                .find(|end| !line[end + 1..].starts_with(char::is_alphanumeric));
            visited::visit(end.unwrap_or(line.len()) - at);
            let Some(end) = end else { break };
            if line[at..end].contains(' ') {
                found.push(&line[at..end]);
            }
            from = end + 1;
        }
        found
    });
    // Blanks at the ends show that closing and opening marks were confused.
    facts::quoted(text)
        .into_iter()
        .chain(single)
        .filter(|quote| quote.trim() == *quote && quote.contains(char::is_alphanumeric))
}

/// Calls `visit` with the names of a unit: capitalised words that do not begin a sentence, and
/// identifiers. In German, where all nouns are capitalised, only identifiers.
fn each_name<'t>(unit: &'t str, is_prose: bool, language: Language, mut visit: impl FnMut(&'t str)) {
    let mut begins = true;
    for raw in unit.split_whitespace() {
        let word = raw.trim_matches(|c: char| !c.is_alphanumeric());
        let opens = raw.starts_with(['"', '“', '„', '«', '\'', '(', '*', '[', '‘']);
        let is_first = begins || opens;
        begins = raw.ends_with(['.', ':', '!', '?', '—', '–', '…', '•', '-', '>', '|', '/', ';']);
        visited::visit(raw.len());
        if word.len() < 2 || raw.starts_with(['[', '{', '<']) || raw.ends_with([']', '}', '>']) {
            continue;
        }
        let is_capital = is_prose && !is_first && word.starts_with(char::is_uppercase) && language != Language::German;
        let is_unit = super::clauses::is_unit(word);
        if (is_capital || is_identifier(word)) && !is_unit && !word.contains(is_ideographic) {
            visit(word);
        }
    }
}

/// True for `snake_case`, `camelCase`, `path/to`, `me@home`, `v21`, `UPPER`, from 3 characters.
fn is_identifier(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(char::is_alphabetic)
        && word.chars().count() > 2
        && chars.any(|c| c.is_uppercase() || c.is_ascii_digit() || matches!(c, '_' | '/' | '@'))
}

/// Calls `visit` with each number: digits with inner points and commas, without thousands
/// separators. Skips the numbers of ordered lists.
pub(super) fn each_number(text: &str, mut visit: impl FnMut(String)) {
    for line in text.lines() {
        let line = line.trim_start();
        let after_digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_list_mark = after_digits.starts_with(". ") || after_digits.starts_with(") ");
        let mut rest = if is_list_mark { after_digits } else { line };
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
            let tail = &rest[start..];
            let end = tail.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(tail.len());
            let number = tail[..end].trim_end_matches(['.', ',']);
            visit(if is_grouped(number) { number.replace(',', "") } else { number.to_owned() });
            rest = &tail[end..];
        }
    }
}

/// True if the commas of a number only group its digits.
fn is_grouped(number: &str) -> bool {
    let whole = number.split('.').next().unwrap_or_default();
    let mut groups = whole.split(',');
    groups.next().is_some_and(|first| (1..=3).contains(&first.len())) && groups.all(|group| group.len() == 3)
}
