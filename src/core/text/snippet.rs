//! The piece of a text to show for a match, and what of it matched.
//!
//! A piece is one line: control characters, line ends and runs of blanks are single blanks. It is cut at the ends of words, or of
//! what reads as one character where no blank is near, and an ellipsis stands where something was cut off. Marks are
//! in characters, in order, and neither touch nor overlap; what is marked consists of terms that were looked for.
//! What matches is decided by [`super::query`] alone.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use super::query::{Phrase, TextQuery};
use super::terms::{Analyzer, Placed, is_spaceless};
use crate::domain::Prompt;

/// Characters of a piece, without its ellipses.
pub const LENGTH: usize = 160;

/// How far a cut is moved to come to the end of a word, in characters.
const REACH: usize = 24;

/// A piece of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippet {
    /// One line, at most [`LENGTH`] characters and two ellipses.
    pub text: String,
    /// What matched: from, to (exclusive), in characters of `text`.
    pub marks: Vec<(u32, u32)>,
}

/// The best piece of a prompt for a query: of its content, of what the user asked for, of its notes, or of its tags,
/// whichever holds most of the query, the first of equals. Where nothing of it matches, how the content begins.
pub fn of_prompt(query: &TextQuery, prompt: &Prompt) -> Snippet {
    let tags = prompt.tags.join(", ");
    let notes = prompt.notes.as_deref().unwrap_or_default();
    best(query, &[&prompt.content, &prompt.original_input, notes, &tags])
}

/// The best piece of these texts: the one that holds most of the query, the first of equals. Where nothing matches, how
/// the first text begins.
pub fn best(query: &TextQuery, texts: &[&str]) -> Snippet {
    let mut analyzer = Analyzer::default();
    let mut best: Option<(usize, Snippet)> = None;
    for text in texts {
        let line = one_line(text);
        let hits = hits(query, &line, &mut analyzer);
        let Some((clauses, covered)) = densest(&line, &hits) else { continue };
        if best.as_ref().is_none_or(|(most, _)| clauses > *most) {
            best = Some((clauses, cut_around(&line, &hits, covered)));
        }
    }
    best.map_or_else(|| beginning(texts.first().copied().unwrap_or_default()), |(_, snippet)| snippet)
}

/// How a text begins, nothing marked: for what was found by its meaning alone.
pub fn beginning(text: &str) -> Snippet {
    // A little more than is shown tells where to cut.
    let line = one_line_of(text, LENGTH + REACH);
    cut_around(&line, &[], 0..0)
}

/// One place where a clause holds.
struct Hit {
    clause: usize,
    /// Its terms, in order, in bytes.
    terms: Vec<Range<usize>>,
}

impl Hit {
    fn range(&self) -> Range<usize> {
        let start = self.terms.first().map_or(0, |first| first.start);
        start..self.terms.iter().map(|term| term.end).max().unwrap_or(start)
    }
}

fn one_line(text: &str) -> String {
    one_line_of(text, usize::MAX)
}

/// As much of the text as gives `most` characters and a few more.
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

/// Where wanted phrases stand, in order.
fn hits(query: &TextQuery, line: &str, analyzer: &mut Analyzer) -> Vec<Hit> {
    let mut placed = Vec::new();
    analyzer.place(line, &mut placed);
    let terms: Vec<&str> = placed.iter().map(|place| analyzer.term(place.term)).collect();
    // Phrases by their first term; those that are but a beginning may start anywhere.
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
    for (place, term) in terms.iter().enumerate() {
        let candidates = by_first.get(term).into_iter().flatten().chain(&beginnings);
        for (clause, phrase) in candidates {
            let end = place + phrase.terms.len();
            if terms.get(place..end).is_some_and(|window| phrase.places(window).next().is_some()) {
                let terms = placed[place..end].iter().map(|place| place.range.clone()).collect();
                hits.push(Hit { clause: *clause, terms });
                narrow(&mut hits, line, phrase, &placed[end - 1], analyzer);
            }
        }
    }
    hits
}

/// A single character that begins a pair matches itself alone.
fn narrow(hits: &mut [Hit], line: &str, phrase: &Phrase, last: &Placed, analyzer: &Analyzer) {
    let Some(begun) = phrase.terms.last().filter(|term| phrase.is_prefix && is_spaceless(term)) else { return };
    let first_alone = analyzer.term(last.term).len() > begun.len()
        && begun.chars().nth(1).is_none_or(|c| !is_spaceless(c.encode_utf8(&mut [0; 4])));
    let first = line[last.range.clone()].unicode_words().next();
    if let Some(term) = hits.last_mut().and_then(|hit| hit.terms.last_mut()).filter(|_| first_alone)
        && let Some(first) = first
    {
        term.end = term.start + first.len();
    }
}

/// The stretch of at most [`LENGTH`] characters, in bytes, that holds most clauses, then most hits, the first of equals; and
/// how many clauses that are. A hit that is longer by itself is a stretch, too.
fn densest(line: &str, hits: &[Hit]) -> Option<(usize, Range<usize>)> {
    let mut best: Option<((usize, usize), Range<usize>)> = None;
    for (number, first) in hits.iter().enumerate() {
        let mut covered = first.range();
        let limit = forward(line, covered.start, LENGTH);
        let mut clauses = BTreeSet::from([first.clause]);
        let mut count = 1;
        for hit in &hits[number + 1..] {
            let range = hit.range();
            if range.start >= limit {
                break;
            }
            if range.end <= limit {
                covered.end = covered.end.max(range.end);
                clauses.insert(hit.clause);
                count += 1;
            }
        }
        let worth = (clauses.len(), count);
        if best.as_ref().is_none_or(|(most, _)| worth > *most) {
            best = Some((worth, covered));
        }
    }
    best.map(|((clauses, _), covered)| (clauses, covered))
}

/// The piece around `covered`, with all hits in it marked.
fn cut_around(line: &str, hits: &[Hit], covered: Range<usize>) -> Snippet {
    let length = line[covered.clone()].chars().take(LENGTH).count();
    // A third of what is left of the room goes before, or more where less follows.
    let after = line[covered.end..].chars().take(LENGTH).count();
    let spare = LENGTH - length;
    let before = (spare / 3).max(spare.saturating_sub(after));
    let start = back(line, covered.start, before);
    let end = forward(line, start, LENGTH);
    let start = if start == 0 { 0 } else { word_start(line, start, covered.start) };
    let end = if end == line.len() { end } else { word_end(line, end, start.max(covered.end.min(end))) };

    let is_cut_before = start > 0;
    let mut text = String::with_capacity(end - start + 6);
    if is_cut_before {
        text.push('…');
    }
    text.push_str(&line[start..end]);
    if end < line.len() {
        text.push('…');
    }
    Snippet { text, marks: marks(line, hits, start..end, u32::from(is_cut_before)) }
}

/// What of the hits lies in the piece, in characters of it, `shift` further on.
fn marks(line: &str, hits: &[Hit], piece: Range<usize>, shift: u32) -> Vec<(u32, u32)> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for hit in hits {
        // Terms follow one another, so those that lie inside are one stretch.
        let inside = || hit.terms.iter().filter(|term| piece.start <= term.start && term.end <= piece.end);
        if let (Some(from), Some(to)) = (inside().map(|term| term.start).min(), inside().map(|term| term.end).max()) {
            ranges.push(from..to);
        }
    }
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    let (mut at, mut characters) = (piece.start, shift);
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

/// The byte where the character `count` further on begins, or the end.
fn forward(line: &str, from: usize, count: usize) -> usize {
    line[from..].char_indices().nth(count).map_or(line.len(), |(at, _)| from + at)
}

/// The byte where the character `count` further back begins, or the start.
fn back(line: &str, from: usize, count: usize) -> usize {
    if count == 0 {
        return from;
    }
    line[..from].char_indices().rev().nth(count - 1).map_or(0, |(at, _)| at)
}

/// The first beginning of a word from `at` on, within reach and not behind `most`; else of what reads as a character.
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

/// The last end of a word before `at`, within reach and not before `least`; else of what reads as a character.
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
