//! Reading: a text taken apart into units and terms, once, for all measures.
//!
//! A unit that repeats an earlier one (by its terms: case, marks and endings aside) is counted among
//! all words and runs, and then left out of everything else.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::phrases::{Phrases, TermSet};
use super::units::{Cutter, UnitKind};
use super::words;
use crate::text::terms::{Analyzer, TermId, flatten};

/// How many terms a run has, by whose repeats repetition is told.
const RUN: usize = 4;

/// A unit of a text.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) kind: UnitKind,
    pub(super) terms: Vec<TermId>,
    /// True when it tells the model what to do.
    pub(super) is_instruction: bool,
    /// True when it says what the answer is to be like.
    pub(super) names_output: bool,
    /// True for a heading over the task.
    pub(super) names_task: bool,
}

/// A text, read.
#[derive(Debug, Default)]
pub struct Reading {
    /// The units that differ.
    pub(super) units: Vec<Unit>,
    pub(super) terms: TermSet,
    /// Numbers, thousands separators aside.
    pub(super) numbers: HashSet<String>,
    /// The text folded, blanks made single; line feeds kept.
    pub(super) flat: String,
    /// Terms of all units, repeats and all.
    pub(super) all_terms: usize,
    /// Runs of terms inside all units, repeats and all.
    pub(super) all_runs: usize,
    /// The runs that differ.
    pub(super) distinct_runs: usize,
    /// Different terms that are no stop words.
    pub(super) content_terms: usize,
    /// Terms of filler phrases in the units that differ.
    pub(super) filler: usize,
    /// Vague words in the units that differ.
    pub(super) vague: usize,
    /// Phrases in the units that differ that point outside the text.
    pub(super) unresolved: usize,
}

/// A phrase to look for, as terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cue(Vec<TermId>);

impl Reading {
    /// True when a unit holds the phrase's terms side by side.
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

    /// Terms of the units that differ.
    pub(super) fn distinct_words(&self) -> usize {
        self.units.iter().map(|unit| unit.terms.len()).sum()
    }
}

/// Reads texts. What it learned of words is kept, so one reader for many texts is quickest.
#[derive(Debug, Clone)]
pub struct Reader {
    analyzer: Analyzer,
    pub(super) stop: TermSet,
    pub(super) format: TermSet,
    pub(super) constraint: Phrases,
    imperative: TermSet,
    before_imperative: TermSet,
    instructing: Phrases,
    vague: Phrases,
    unresolved: Phrases,
    filler: Phrases,
    output: Phrases,
    task: Phrases,
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

/// A reader that has read nothing but the words it looks for, which takes as long as reading a page.
static FRESH: LazyLock<Reader> = LazyLock::new(Reader::fresh);

impl Reader {
    /// Ready to read.
    pub fn new() -> Self {
        FRESH.clone()
    }

    fn fresh() -> Self {
        let mut analyzer = Analyzer::default();
        let mut phrases = |list: &[&str]| Phrases::new(list, &mut analyzer);
        let (stop, format) = (phrases(words::STOP).singles(), phrases(words::FORMAT).singles());
        let (imperative, before) = (phrases(words::IMPERATIVE).singles(), phrases(words::BEFORE_IMPERATIVE).singles());
        Self {
            stop,
            format,
            imperative,
            before_imperative: before,
            constraint: phrases(words::CONSTRAINT),
            instructing: phrases(words::INSTRUCTING),
            vague: phrases(words::VAGUE),
            unresolved: phrases(words::UNRESOLVED),
            filler: phrases(words::FILLER),
            output: phrases(words::OUTPUT),
            task: phrases(words::TASK),
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

    /// The term of this number.
    pub(super) fn term(&self, id: TermId) -> &str {
        self.analyzer.term(id)
    }

    /// Reads a text.
    pub fn read(&mut self, text: &str) -> Reading {
        let mut reading = Reading { flat: flatten(text), ..Reading::default() };
        each_number(text, |number| {
            reading.numbers.insert(number);
        });
        let mut seen: HashSet<Vec<TermId>> = HashSet::new();
        let mut runs: Vec<[TermId; RUN]> = Vec::new();
        let mut lines: HashMap<&str, (usize, usize)> = HashMap::new();
        let mut cutter = Cutter::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let before = (reading.all_terms, reading.all_runs);
            let mut visit = |kind, unit| {
                let terms = self.terms(unit);
                if terms.is_empty() {
                    return;
                }
                reading.all_terms += terms.len();
                reading.all_runs += terms.len().saturating_sub(RUN - 1);
                if seen.contains(&terms) {
                    return;
                }
                runs.extend(terms.array_windows::<RUN>().copied());
                for term in &terms {
                    let is_new = reading.terms.insert(*term);
                    reading.content_terms += usize::from(is_new && !self.stop.contains(*term));
                }
                reading.filler += self.filler.terms_in(&terms);
                reading.vague += self.vague.terms_in(&terms);
                reading.unresolved += self.unresolved.count_in(&terms);
                seen.insert(terms.clone());
                reading.units.push(self.unit(kind, terms));
            };
            // What a repeated line holds is known; it is cut only for the marks that open and close code.
            if let Some((terms, run_count)) = lines.get(line) {
                cutter.cut(line, |_, _| ());
                reading.all_terms += terms;
                reading.all_runs += run_count;
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

    fn unit(&self, kind: UnitKind, terms: Vec<TermId>) -> Unit {
        let is_section = kind == UnitKind::Section;
        let is_prose = matches!(kind, UnitKind::Sentence | UnitKind::Item);
        let verb = terms.iter().position(|term| !self.before_imperative.contains(*term)).unwrap_or(0);
        let is_instruction =
            is_prose && (self.imperative.contains(terms[verb]) || self.instructing.count_in(&terms) > 0);
        let names_output =
            if is_section { self.output.count_in(&terms) > 0 } else { is_prose && self.output.begins(&terms) };
        let names_task = is_section && self.task.count_in(&terms) > 0;
        Unit { kind, terms, is_instruction, names_output, names_task }
    }
}

/// Calls `visit` with each number of the text: digits with inner points and commas, thousands separators taken out.
/// The numbers of an ordered list are no numbers of the text.
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

/// True when the commas of a number only group its digits.
fn is_grouped(number: &str) -> bool {
    let whole = number.split('.').next().unwrap_or_default();
    let mut groups = whole.split(',');
    groups.next().is_some_and(|first| (1..=3).contains(&first.len())) && groups.all(|group| group.len() == 3)
}
