//! The piece of a text to show for a match, and what of it matched.
//!
//! A piece is one line: control characters, line ends and runs of blanks are single blanks. It is cut at the ends of words, or of
//! what reads as one character where no blank is near, and an ellipsis stands where something was cut off. Marks are
//! in characters, in order, and neither touch nor overlap; what is marked consists of terms that were looked for.
//! What matches is decided by [`super::query`] alone.

use std::collections::HashMap;
use std::ops::Range;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use super::query::{Phrase, TextQuery};
use super::terms::{Analyzer, Form, Word, is_spaceless};
use super::visited::visit;
use crate::domain::PromptTexts;

/// Characters of a piece, without its ellipses.
pub const LENGTH: usize = 160;

/// The most places of a text among which the best piece is looked for: those from its beginning on.
const MOST_HITS: usize = 4_000;

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
pub fn of_prompt(query: &TextQuery, prompt: PromptTexts<'_>) -> Snippet {
    let tags = prompt.tags.join(", ");
    best(query, &[prompt.content, prompt.original_input, prompt.notes.unwrap_or_default(), &tags])
}

/// The best piece of these texts: the one that holds most of the query, the first of equals. Where nothing matches, how
/// the first text begins.
pub fn best(query: &TextQuery, texts: &[&str]) -> Snippet {
    let mut analyzer = Analyzer::default();
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

/// How a text begins, nothing marked: for what was found by its meaning alone.
pub fn beginning(text: &str) -> Snippet {
    // A little more than is shown tells where to cut.
    let line = one_line_of(text, LENGTH + REACH);
    cut_around(&line, 0..0).shown(&line)
}

/// One place where a clause holds.
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
fn hits<'query>(query: &'query TextQuery, line: &str, words: &[Word], analyzer: &Analyzer) -> Vec<Hit<'query>> {
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
    let mut candidates: Vec<(usize, &Phrase)> = Vec::new();
    for (place, word) in words.iter().enumerate() {
        if hits.len() >= MOST_HITS {
            break;
        }
        candidates.clear();
        for form in word.forms.iter() {
            candidates.extend(by_first.get(analyzer.term(form.term)).into_iter().flatten());
        }
        // A word that has a form twice begins a phrase once.
        candidates.sort_unstable_by_key(|(clause, phrase)| (*clause, std::ptr::from_ref(*phrase)));
        candidates.dedup_by_key(|(clause, phrase)| (*clause, std::ptr::from_ref(*phrase)));
        for (clause, phrase) in candidates.iter().chain(&beginnings) {
            if let Some(pieces) = pieces(phrase, line, &words[place..], analyzer)
                && let Some(start) = pieces.first().map(|first| first.start)
                && let Some(end) = pieces.iter().rev().take(2).map(|piece| piece.end).max()
            {
                // Words follow one another, so the one before the last may end behind what counts of it, and no other.
                hits.push(Hit { clause: *clause, phrase, first: place, range: start..end });
            }
        }
    }
    hits
}

/// What of these words the phrase matches, in bytes, in order; none where it does not begin with the first.
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

/// Where what a phrase matches of its last term ends. A single character that begins a pair matches itself alone.
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

/// The stretch of at most [`LENGTH`] characters, in bytes, that holds most clauses, then most hits, the first of equals; and
/// how many clauses that are. A hit that is longer by itself is a stretch, too.
fn densest(line: &str, hits: &[Hit<'_>]) -> Option<(usize, Range<usize>)> {
    // A stretch begins with each hit in turn and holds the later ones that end within it. Both its beginning and its limit
    // only grow, so each hit enters and leaves once.
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

/// How often each clause is there.
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

    /// Different clauses, then how many in all.
    fn worth(&self) -> (usize, usize) {
        (self.counts.len(), self.all)
    }
}

/// A piece of a line, in bytes.
struct Piece {
    start: usize,
    end: usize,
}

impl Piece {
    /// With an ellipsis where something was cut off, and nothing marked.
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

/// The piece around `covered`.
fn cut_around(line: &str, covered: Range<usize>) -> Piece {
    let length = line[covered.clone()].chars().take(LENGTH).count();
    // A third of what is left of the room goes before, or more where less follows.
    let after = line[covered.end..].chars().take(LENGTH).count();
    let spare = LENGTH - length;
    let before = (spare / 3).max(spare.saturating_sub(after));
    let start = back(line, covered.start, before);
    let end = forward(line, start, LENGTH);
    let start = if start == 0 { 0 } else { word_start(line, start, covered.start) };
    let end = if end == line.len() { end } else { word_end(line, end, start.max(covered.end.min(end))) };
    Piece { start, end }
}

/// What of the hits lies in the piece, in characters of what is shown of it.
fn marks(line: &str, words: &[Word], hits: &[Hit<'_>], piece: &Piece, analyzer: &Analyzer) -> Vec<(u32, u32)> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for hit in hits.iter().filter(|hit| hit.range.start < piece.end && piece.start < hit.range.end) {
        let mut stretch: Option<Range<usize>> = None;
        let pieces = pieces(hit.phrase, line, &words[hit.first..], analyzer).unwrap_or_default();
        for word in pieces.iter().filter(|word| piece.start <= word.start && word.end <= piece.end) {
            // What stands between two words is marked with them, the rest of a word of which a part matched is not.
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

/// The byte where the character `count` further on begins, or the end.
fn forward(line: &str, from: usize, count: usize) -> usize {
    visit(count);
    line[from..].char_indices().nth(count).map_or(line.len(), |(at, _)| from + at)
}

/// The byte where the character `count` further back begins, or the start.
fn back(line: &str, from: usize, count: usize) -> usize {
    visit(count);
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
