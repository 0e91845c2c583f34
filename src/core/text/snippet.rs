//! The excerpt of a text to show for a match, with the matched parts marked.
//!
//! An excerpt is one line: control characters, line ends and runs of blanks become single blanks.
//! It is cut at word boundaries, or at grapheme boundaries where no blank is near, with an ellipsis
//! at each cut. Marks are in characters, in order, and neither touch nor overlap; they cover
//! matched terms. [`super::query`] decides what matches.

use std::collections::HashMap;
use std::ops::Range;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use super::query::{Phrase, TextQuery};
use super::terms::{Analyzer, Form, Word, is_spaceless, warm};
use crate::domain::PromptTexts;
use crate::visited::visit;

/// Characters of an excerpt, without ellipses.
pub const LENGTH: usize = 160;

/// Maximum number of matches considered, from the beginning of a text.
const MOST_HITS: usize = 4_000;

/// How far a cut is moved to reach a word boundary, in characters.
const REACH: usize = 24;

/// An excerpt of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippet {
    /// One line, at most [`LENGTH`] characters and two ellipses.
    pub text: String,
    /// What matched: from, to (exclusive), in characters of `text`.
    pub marks: Vec<(u32, u32)>,
}

/// The best excerpt of a prompt for a query: from its content, original input, notes or tags,
/// whichever matches most, the first of equals. Without a match, the beginning of the content.
pub fn of_prompt(query: &TextQuery, prompt: PromptTexts<'_>) -> Snippet {
    let tags = prompt.tags.join(", ");
    best(query, &[prompt.content, prompt.original_input, prompt.notes.unwrap_or_default(), &tags])
}

/// The best excerpt of these texts: the one that matches most of the query, the first of equals.
/// Without a match, the beginning of the first text.
pub fn best(query: &TextQuery, texts: &[&str]) -> Snippet {
    let mut analyzer = warm();
    let mut best: Option<(usize, Snippet)> = None;
    for text in texts {
        let line = one_line(text);
        let words = analyzer.words(&line);
        let hits = hits(query, &line, &words, &analyzer);
        let Some((clauses, covered)) = densest(&line, &hits) else { continue };
        if best.as_ref().is_none_or(|(most, _)| clauses > *most) {
            let piece = cut_around(&line, covered);
            let marks = marks(&line, &words, &hits, &piece, &analyzer);
            best = Some((clauses, Snippet { marks, ..piece.shown(&line) }));
        }
    }
    best.map_or_else(|| beginning(texts.first().copied().unwrap_or_default()), |(_, snippet)| snippet)
}

/// The beginning of a text, unmarked: for hits found only by their vectors.
pub fn beginning(text: &str) -> Snippet {
    // A little more than is shown, to find the cut.
    let line = one_line_of(text, LENGTH + REACH);
    cut_around(&line, 0..0).shown(&line)
}

/// One match of a clause.
struct Hit<'query> {
    clause: usize,
    phrase: &'query Phrase,
    /// The number of its first word.
    first: usize,
    /// From, to (exclusive), in bytes.
    range: Range<usize>,
}

fn one_line(text: &str) -> String {
    one_line_of(text, usize::MAX)
}

/// Enough of the text for `most` characters and a few more.
fn one_line_of(text: &str, most: usize) -> String {
    let mut line = String::with_capacity(text.len().min(most));
    let mut is_gap = false;
    let mut taken = 0;
    for c in text.chars() {
        if taken > most {
            break;
        }
        if c.is_whitespace() || c.is_control() {
            is_gap = true;
        } else {
            if is_gap && !line.is_empty() {
                line.push(' ');
            }
            is_gap = false;
            taken += 1;
            line.push(c);
        }
    }
    line
}

/// The matches of the query's phrases, in order.
fn hits<'query>(query: &'query TextQuery, line: &str, words: &[Word], analyzer: &Analyzer) -> Vec<Hit<'query>> {
    // Phrases by their first term; prefixes can match any term.
    let mut by_first: HashMap<&str, Vec<(usize, &Phrase)>> = HashMap::new();
    let mut beginnings = Vec::new();
    for (number, clause) in query.clauses.iter().enumerate().filter(|(_, clause)| !clause.is_excluded) {
        for phrase in &clause.any {
            match phrase.terms.as_slice() {
                [_] if phrase.is_prefix => beginnings.push((number, phrase)),
                [first, ..] => by_first.entry(first).or_default().push((number, phrase)),
                [] => {}
            }
        }
    }
    let mut hits = Vec::new();
    let mut candidates: Vec<(usize, &Phrase)> = Vec::new();
    for (place, word) in words.iter().enumerate() {
        if hits.len() >= MOST_HITS {
            break;
        }
        candidates.clear();
        for form in word.forms.iter() {
            candidates.extend(by_first.get(analyzer.term(form.term)).into_iter().flatten());
        }
        // A word with the same form twice begins a phrase once.
        candidates.sort_unstable_by_key(|(clause, phrase)| (*clause, std::ptr::from_ref(*phrase)));
        candidates.dedup_by_key(|(clause, phrase)| (*clause, std::ptr::from_ref(*phrase)));
        for (clause, phrase) in candidates.iter().chain(&beginnings) {
            if let Some(pieces) = pieces(phrase, line, &words[place..], analyzer)
                && let Some(start) = pieces.first().map(|first| first.start)
                && let Some(end) = pieces.iter().rev().take(2).map(|piece| piece.end).max()
            {
                // Words are in order, so only the second last piece can end after the last.
                hits.push(Hit { clause: *clause, phrase, first: place, range: start..end });
            }
        }
    }
    hits
}

/// The parts of these words the phrase matches, in bytes; `None` unless the first matches.
fn pieces(phrase: &Phrase, line: &str, words: &[Word], analyzer: &Analyzer) -> Option<Vec<Range<usize>>> {
    let count = phrase.terms.len();
    let mut pieces = Vec::with_capacity(count);
    for (place, word) in words.get(..count)?.iter().enumerate() {
        let allowed = word.forms.iter().filter(|form| phrase.allows(place, analyzer.term(form.term)));
        let form = allowed.min_by_key(|form| form.range.len())?;
        let range = word.range_of(form);
        let end = if place + 1 == count { matched_end(line, phrase, word, form, analyzer) } else { range.end };
        pieces.push(range.start..end);
    }
    Some(pieces)
}

/// The end of a phrase's last match. A single character that begins a pair matches only itself.
fn matched_end(line: &str, phrase: &Phrase, last: &Word, form: &Form, analyzer: &Analyzer) -> usize {
    let range = last.range_of(form);
    let Some(begun) = phrase.terms.last().filter(|term| phrase.is_prefix && is_spaceless(term)) else {
        return range.end;
    };
    let first_alone = analyzer.term(form.term).len() > begun.len()
        && begun.chars().nth(1).is_none_or(|c| !is_spaceless(c.encode_utf8(&mut [0; 4])));
    let first = line[range.clone()].unicode_words().next().filter(|_| first_alone);
    first.map_or(range.end, |first| range.start + first.len())
}

/// The range of at most [`LENGTH`] characters, in bytes, with most clauses, then most hits, the
/// first of equals; and its number of clauses. A longer single hit is a range too.
fn densest(line: &str, hits: &[Hit<'_>]) -> Option<(usize, Range<usize>)> {
    // A sliding window: it begins at each hit in turn and holds the later hits that end within it.
    // Both ends only move forward, so each hit enters and leaves once.
    let mut by_end: Vec<usize> = (0..hits.len()).collect();
    by_end.sort_by_key(|number| hits[*number].range.end);
    let mut entering = by_end.into_iter().peekable();
    let mut is_inside = vec![false; hits.len()];
    let mut inside = Tally::default();
    let mut best: Option<((usize, usize), usize, usize)> = None;
    for (number, first) in hits.iter().enumerate() {
        let limit = forward(line, first.range.start, LENGTH);
        while let Some(entered) = entering.next_if(|next| hits[*next].range.end <= limit) {
            if entered >= number {
                is_inside[entered] = true;
                inside.add(hits[entered].clause);
            }
        }
        if !is_inside[number] {
            inside.add(first.clause);
        }
        let worth = inside.worth();
        if best.is_none_or(|(most, ..)| worth > most) {
            best = Some((worth, number, limit));
        }
        inside.remove(first.clause);
    }
    let ((clauses, _), number, limit) = best?;
    let first = &hits[number].range;
    let within = hits[number..].iter().map(|hit| &hit.range).take_while(|range| range.start < limit);
    let end = within.map(|range| range.end).filter(|end| *end <= limit).fold(first.end, usize::max);
    Some((clauses, first.start..end))
}

/// How often each clause occurs.
#[derive(Default)]
struct Tally {
    counts: HashMap<usize, usize>,
    all: usize,
}

impl Tally {
    fn add(&mut self, clause: usize) {
        *self.counts.entry(clause).or_default() += 1;
        self.all += 1;
    }

    fn remove(&mut self, clause: usize) {
        if let Some(count) = self.counts.get_mut(&clause) {
            *count -= 1;
            self.all -= 1;
            if *count == 0 {
                self.counts.remove(&clause);
            }
        }
    }

    /// The number of distinct clauses, then of hits.
    fn worth(&self) -> (usize, usize) {
        (self.counts.len(), self.all)
    }
}

/// A byte range of a line.
struct Piece {
    start: usize,
    end: usize,
}

impl Piece {
    /// The excerpt with ellipses at the cuts, unmarked.
    fn shown(&self, line: &str) -> Snippet {
        let mut text = String::with_capacity(self.end - self.start + 6);
        if self.start > 0 {
            text.push('…');
        }
        text.push_str(&line[self.start..self.end]);
        if self.end < line.len() {
            text.push('…');
        }
        Snippet { text, marks: Vec::new() }
    }
}

/// The excerpt around `covered`.
fn cut_around(line: &str, covered: Range<usize>) -> Piece {
    let length = line[covered.clone()].chars().take(LENGTH).count();
    // A third of the spare room goes before, or more if less follows.
    let after = line[covered.end..].chars().take(LENGTH).count();
    let spare = LENGTH - length;
    let before = (spare / 3).max(spare.saturating_sub(after));
    let start = back(line, covered.start, before);
    let end = forward(line, start, LENGTH);
    let start = if start == 0 { 0 } else { word_start(line, start, covered.start) };
    let end = if end == line.len() { end } else { word_end(line, end, start.max(covered.end.min(end))) };
    Piece { start, end }
}

/// The marks of the hits in the piece, in characters of the excerpt.
fn marks(line: &str, words: &[Word], hits: &[Hit<'_>], piece: &Piece, analyzer: &Analyzer) -> Vec<(u32, u32)> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for hit in hits.iter().filter(|hit| hit.range.start < piece.end && piece.start < hit.range.end) {
        let mut stretch: Option<Range<usize>> = None;
        let pieces = pieces(hit.phrase, line, &words[hit.first..], analyzer).unwrap_or_default();
        for word in pieces.iter().filter(|word| piece.start <= word.start && word.end <= piece.end) {
            // Separators between marked words are marked; the rest of a partly matched word is not.
            stretch = match stretch {
                Some(open) if word.start <= open.end || !line[open.end..word.start].contains(char::is_alphanumeric) => {
                    Some(open.start.min(word.start)..open.end.max(word.end))
                }
                open => {
                    ranges.extend(open);
                    Some(word.clone())
                }
            };
        }
        ranges.extend(stretch);
    }
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    let (mut at, mut characters) = (piece.start, u32::from(piece.start > 0));
    let mut marks = Vec::with_capacity(merged.len());
    for range in merged {
        let mut advance = |to: usize| {
            characters += u32::try_from(line[at..to].chars().count()).unwrap_or(u32::MAX);
            at = to;
            characters
        };
        marks.push((advance(range.start), advance(range.end)));
    }
    marks
}

/// The byte offset `count` characters ahead, or the end.
fn forward(line: &str, from: usize, count: usize) -> usize {
    visit(count);
    line[from..].char_indices().nth(count).map_or(line.len(), |(at, _)| from + at)
}

/// The byte offset `count` characters back, or the start.
fn back(line: &str, from: usize, count: usize) -> usize {
    visit(count);
    if count == 0 {
        return from;
    }
    line[..from].char_indices().rev().nth(count - 1).map_or(0, |(at, _)| at)
}

/// The next word start from `at` on, within reach and not after `most`; else of a grapheme.
fn word_start(line: &str, at: usize, most: usize) -> usize {
    if line[..at].ends_with(' ') {
        return at;
    }
    let reach = forward(line, at, REACH).min(most);
    if let Some(blank) = line[at..reach].find(' ') {
        return at + blank + 1;
    }
    let mut places = line[at..reach].char_indices().map(|(step, _)| at + step);
    places.find(|place| is_boundary(line, *place)).unwrap_or(reach)
}

/// The last word end before `at`, within reach and not before `least`; else of a grapheme.
fn word_end(line: &str, at: usize, least: usize) -> usize {
    if line[at..].starts_with(' ') {
        return at;
    }
    let reach = back(line, at, REACH).max(least);
    if let Some(blank) = line[reach..at].rfind(' ') {
        return reach + blank;
    }
    let mut places = line[reach..at].char_indices().rev().map(|(step, _)| reach + step);
    if is_boundary(line, at) { at } else { places.find(|place| is_boundary(line, *place)).unwrap_or(at) }
}

fn is_boundary(line: &str, at: usize) -> bool {
    GraphemeCursor::new(at, line.len(), true).is_boundary(line, 0).unwrap_or(true)
}

#[cfg(test)]
#[path = "snippet_tests.rs"]
mod tests;
