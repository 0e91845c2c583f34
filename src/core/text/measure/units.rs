//! Units: splits a text into headings, list items, sentences and lines of code.
//!
//! All text except list markers is in one unit. Only code blocks are tracked across lines.

use crate::visited;

/// The kind of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum UnitKind {
    /// Part of a paragraph.
    Sentence,
    /// An item of a list, bulleted or numbered; its first sentence.
    Item,
    /// A heading, an opening tag, or a label that ends in a colon: it begins a section.
    Section,
    /// A line of code or of a table, a closing tag.
    Code,
}

/// The longest label, in words.
const LONGEST_LABEL: usize = 5;

/// Splits lines into units, tracking code blocks.
#[derive(Debug, Default)]
pub(super) struct Cutter {
    in_code: bool,
}

impl Cutter {
    /// Calls `visit` with each unit of the next line and its kind. Units are never blank.
    pub(super) fn cut<'t>(&mut self, line: &'t str, mut visit: impl FnMut(UnitKind, &'t str)) {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>').trim_end();
        if is_fence(line) {
            self.in_code = !self.in_code;
        } else if self.in_code || line.starts_with('|') {
            visit_filled(UnitKind::Code, line, &mut visit);
        } else {
            each_unit_of_line(line, &mut visit);
        }
    }
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// Calls `visit` with each unit of a text.
pub(super) fn each_unit<'t>(text: &'t str, mut visit: impl FnMut(UnitKind, &'t str)) {
    let mut cutter = Cutter::default();
    for line in text.lines() {
        cutter.cut(line, &mut visit);
    }
}

fn visit_filled<'t>(kind: UnitKind, text: &'t str, visit: &mut impl FnMut(UnitKind, &'t str)) {
    let text = text.trim();
    if text.contains(char::is_alphanumeric) {
        visit(kind, text);
    }
}

fn each_unit_of_line<'t>(line: &'t str, visit: &mut impl FnMut(UnitKind, &'t str)) {
    visited::visit(line.len());
    if let Some(heading) = heading(line) {
        return visit_filled(UnitKind::Section, heading, visit);
    }
    let (kind, mut rest) = match after_list_mark(line) {
        Some(rest) => (UnitKind::Item, rest),
        None => (UnitKind::Sentence, line),
    };
    if let Some((tag, after)) = opening_tag(rest) {
        visit_filled(UnitKind::Section, tag, visit);
        rest = after;
    }
    let (before_end, closing) = rest.split_at(rest.rfind("</").filter(|_| rest.ends_with('>')).unwrap_or(rest.len()));
    rest = before_end;
    if kind == UnitKind::Sentence
        && let Some((label, after)) = label(rest)
    {
        visit_filled(UnitKind::Section, label, visit);
        rest = after;
    }
    let mut kind = kind;
    each_sentence(rest, |sentence| {
        visit_filled(kind, sentence, visit);
        kind = UnitKind::Sentence;
    });
    visit_filled(UnitKind::Code, closing, visit);
}

/// The text of a Markdown heading, or of a line that is all bold.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    if (1..=6).contains(&level) && text.starts_with(' ') {
        return Some(text);
    }
    let bold = line.strip_prefix("**")?.strip_suffix("**")?;
    (!bold.contains("**")).then_some(bold)
}

/// The text after a bullet or a number.
fn after_list_mark(line: &str) -> Option<&str> {
    let mut chars = line.chars();
    if matches!(chars.next()?, '-' | '*' | '+' | '•' | '–') {
        return chars.as_str().strip_prefix(' ').map(str::trim_start);
    }
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = line.len() - after_number.len();
    let rest = after_number.strip_prefix(['.', ')'])?;
    ((1..=3).contains(&digits)).then(|| rest.strip_prefix(' ')).flatten()
}

/// The opening tag at the start of a line, and what follows it.
fn opening_tag(line: &str) -> Option<(&str, &str)> {
    let (inside, after) = line.strip_prefix('<')?.split_once('>')?;
    let name = inside.split_whitespace().next()?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    (is_name && name.starts_with(char::is_alphabetic)).then_some((inside, after))
}

/// A label such as `Task:` or `**Output format:**` at the start of a line, and what follows it.
fn label(line: &str) -> Option<(&str, &str)> {
    let at = line.find(':')?;
    let (label, after) = (&line[..at], &line[at + 1..]);
    let after = after.strip_prefix("**").unwrap_or(after);
    let is_label = (after.is_empty() || after.starts_with(' '))
        && label.split_whitespace().count() <= LONGEST_LABEL
        && label.trim_start_matches(['*', '_']).starts_with(|c: char| c.is_uppercase() || !c.is_ascii())
        && !label.contains(['.', ',', '?', '!']);
    is_label.then_some((label, after))
}

/// Splits a paragraph after `.`, `!`, `?` and the like, except in abbreviations and numbers.
fn each_sentence<'t>(text: &'t str, mut visit: impl FnMut(&'t str)) {
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let is_end = match c {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' | '…' => {
                let before_space = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
                before_space && (c != '.' || !is_abbreviation(&text[start..at]))
            }
            _ => false,
        };
        if is_end {
            visit(&text[start..end]);
            start = end;
        }
    }
    visit(&text[start..]);
}

/// True if a full stop after this text is likely part of an abbreviation.
fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default().trim_start_matches(['(', '"']);
    visited::visit(word.len());
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    is_initial
        || ["e.g", "i.e", "z.B", "vs", "Mr", "Mrs", "Dr", "St", "No", "bzw", "ca", "p.ex", "approx"].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<(UnitKind, &str)> {
        let mut units = Vec::new();
        each_unit(text, |kind, unit| units.push((kind, unit)));
        units
    }

    #[test]
    fn marks_tell_the_kinds_apart() {
        use UnitKind::{Code, Item, Section, Sentence};
        let text = "# Role\nYou are a poet. Write!\n\nConstraints:\n- at most 3 lines\n2) no rhyme. None.\n\
            <task>Do it</task>\n</x>\n**Output:** one line, e.g. a title\n```rust\nlet x = 1;\n```\n| a | b |\n---\n**Bold**";
        assert_eq!(
            units(text),
            [
                (Section, "Role"),
                (Sentence, "You are a poet."),
                (Sentence, "Write!"),
                (Section, "Constraints"),
                (Item, "at most 3 lines"),
                (Item, "no rhyme."),
                (Sentence, "None."),
                (Section, "task"),
                (Sentence, "Do it"),
                (Code, "</task>"),
                (Code, "</x>"),
                (Section, "**Output"),
                (Sentence, "one line, e.g. a title"),
                (Code, "let x = 1;"),
                (Code, "| a | b |"),
                (Section, "Bold"),
            ]
        );
    }

    #[test]
    fn abbreviations_numbers_and_times_do_not_end_sentences() {
        assert_eq!(units("Meet Dr. Who at 3.30, i.e. soon. Go.").len(), 2);
        assert_eq!(units("See https://example.org for it: good").len(), 1);
    }

    #[test]
    fn sentences_without_spaces_are_cut() {
        assert_eq!(units("写一首诗。要短！").len(), 2);
    }
}
