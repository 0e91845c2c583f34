//! Reading: extracts the form of a request. It does not guess at meaning and removes nothing: the
//! reading only selects our sentences around the request.

use std::ops::Range;
use std::sync::Arc;

use super::library::Library;
use super::words::{Cues, words};
use crate::text::facts;
use crate::text::language::{Language, words_of};
use crate::visited::visit;

/// The form of a request.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    /// The request, trimmed.
    pub(super) request: Arc<str>,
    pub(super) language: Language,
    /// The sentences that can contain the task, in lower case, without quotations.
    pub(super) sentences: Vec<String>,
    /// The examined part of the request, without code blocks, in lower case.
    pub(super) plain: String,
    /// Its length in words; in scripts without spaces, letters halved.
    pub(super) size: usize,
    /// True if it is longer than a screen.
    pub(super) is_long: bool,
    /// True if it contains or comes with a text to work on.
    pub(super) has_material: bool,
    /// True if a code block names its language.
    pub(super) has_fence: bool,
    /// The code blocks: language and number of lines.
    pub(super) blocks: Vec<(String, usize)>,
    /// The placeholders, as byte ranges of the request.
    pub(super) placeholders: Vec<Range<usize>>,
    /// The number of list items.
    pub(super) items: usize,
}

/// How much of a request is examined for words, in characters.
const EXAMINED_CHARS: usize = 4000;
/// The maximum number of lines and sentences that can contain the task.
const MOST_LINES: usize = 12;
const MOST_SENTENCES: usize = 16;
/// From this many bytes on, the last paragraph can contain it too.
const LONG: usize = 600;
/// Above this many words, a request counts as containing its material.
const MATERIAL_WORDS: usize = 60;
/// A request of more bytes is long.
const LONG_REQUEST: usize = 1500;
/// The minimum length of a placeholder in capitals, in bytes.
const MIN_PLACEHOLDER_BYTES: usize = 3;
/// A quotation of at least this many characters is a text to work on.
const MIN_QUOTED_CHARS: usize = 12;

impl Reading {
    /// Reads a request, with or without separate context.
    pub(super) fn of(request: &str, has_context: bool, library: &Library) -> Self {
        let request = request.trim();
        visit(request.len());
        let outline = Outline::of(request);
        let plain: String = outline.outside.chars().take(EXAMINED_CHARS).flat_map(char::to_lowercase).collect();
        let size = words_of(request);
        let quotes_a_text = facts::quoted(request).iter().any(|quote| quote.chars().count() >= MIN_QUOTED_CHARS);
        let has_material =
            has_context || quotes_a_text || !outline.blocks.is_empty() || outline.has_rest || size > MATERIAL_WORDS;
        Self {
            request: Arc::from(request),
            language: outline.language(library),
            sentences: outline.sentences(),
            plain,
            size,
            is_long: request.len() > LONG_REQUEST,
            has_material,
            has_fence: outline.blocks.iter().any(|(language, _)| !language.is_empty()),
            blocks: outline.blocks,
            placeholders: placeholders(request)
                .into_iter()
                .map(|one| place_in(request, one)..place_in(request, one) + one.len())
                .collect(),
            items: request.lines().filter(|line| is_item(line)).count(),
        }
    }

    /// The words of the examined part.
    pub(super) fn words(&self) -> Vec<&str> {
        words(&self.plain)
    }

    /// True if it contains a word of this list, one of those shared by all languages.
    pub(super) fn names(&self, library: &Library, list: &str) -> bool {
        let stands = |cues: &Cues| cues.is_among(&self.words()) || (self.is_unspaced() && cues.is_in(&self.plain));
        library.names(list).is_some_and(stands)
    }

    /// True for a language written without spaces.
    pub(super) fn is_unspaced(&self) -> bool {
        matches!(self.language, Language::Japanese | Language::Chinese)
    }
}

/// Finds placeholders: `{{name}}`, `${NAME}`, `[[name]]`, `[NAME]`, and `{name}` outside of code.
fn placeholders(request: &str) -> Vec<&str> {
    let mut found = facts::placeholders(request);
    if !request.contains("```") {
        let names = request.match_indices('{').filter_map(|(at, _)| {
            let inside = &request[at + 1..];
            let end = inside.find(|c: char| !c.is_alphanumeric() && c != '_')?;
            let is_name = inside.starts_with(char::is_alphabetic) && inside[end..].starts_with('}');
            is_name.then(|| &request[at..at + end + 2])
        });
        found.extend(names);
    }
    let doubled = request.match_indices("[[").filter_map(|(at, _)| {
        let inside = &request[at + 2..];
        let end = inside.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ' ' | '-')))?;
        (end > 0 && inside[end..].starts_with("]]")).then(|| &request[at..at + end + 4])
    });
    found.extend(doubled);
    let capitals = request.match_indices('[').filter_map(|(at, _)| {
        let inside = &request[at + 1..];
        let end = inside.find(|c: char| !(c.is_uppercase() || c.is_numeric() || matches!(c, '_' | ' ' | '-')))?;
        let is_name =
            end >= MIN_PLACEHOLDER_BYTES && inside.starts_with(char::is_uppercase) && inside[end..].starts_with(']');
        let is_level = ["ERROR", "WARN", "WARNING", "INFO", "DEBUG", "TRACE", "FATAL"].contains(&&inside[..end]);
        (is_name && !is_level && !inside[end..].starts_with("](")).then(|| &request[at..at + end + 2])
    });
    found.extend(capitals);
    found
}

/// True for a list item.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let after_number = line.trim_start_matches(|c: char| c.is_numeric());
    let is_numbered = after_number.len() < line.len() && after_number.starts_with(['.', ')', '、']);
    is_numbered || ["- ", "* ", "• ", "– ", "・"].iter().any(|mark| line.starts_with(mark))
}

/// The byte offset of `part` in `text`; `part` must be a slice of `text`.
pub(super) fn place_in(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}

/// The lines of a request, classified.
struct Outline<'t> {
    /// The code blocks: language and number of lines.
    blocks: Vec<(String, usize)>,
    /// All lines outside of code blocks and quotations.
    outside: String,
    /// Lines that can contain the task.
    task_lines: Vec<&'t str>,
    /// True if there is more text below or after them.
    has_rest: bool,
}

impl<'t> Outline<'t> {
    fn of(request: &'t str) -> Self {
        let mut found = Self { blocks: Vec::new(), outside: String::new(), task_lines: Vec::new(), has_rest: false };
        let (mut fence, mut paragraph, mut last): (Option<&str>, usize, Vec<&str>) = (None, 0, Vec::new());
        let mut is_open = true;
        for line in request.lines().map(str::trim) {
            if let Some(mark) = fence {
                if line.starts_with(mark) && line.trim_start_matches(['`', '~']).is_empty() {
                    fence = None;
                } else if let Some((_, lines)) = found.blocks.last_mut() {
                    *lines += 1;
                }
                continue;
            }
            if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark)) {
                fence = Some(mark);
                found.blocks.push((line.trim_start_matches(['`', '~']).trim().chars().take(20).collect(), 0));
                is_open = false;
                continue;
            }
            if line.starts_with('>') {
                found.has_rest = true;
                continue;
            }
            found.outside.push_str(line);
            found.outside.push('\n');
            if line.is_empty() {
                // A greeting is a paragraph of its own.
                let is_greeting = paragraph == 1
                    && found.task_lines.last().is_some_and(|line| line.len() < 25 && !line.contains(' '));
                if paragraph > 0 && !is_greeting {
                    is_open = false;
                }
                paragraph = 0;
                last.clear();
                continue;
            }
            paragraph += 1;
            last.push(line);
            if is_open && found.task_lines.len() < MOST_LINES {
                found.task_lines.push(line);
                if line.ends_with([':', '：']) {
                    is_open = false;
                }
            } else {
                found.has_rest = true;
            }
        }
        if found.has_rest && request.len() > LONG && last.len() <= 3 {
            let known = found.task_lines.len();
            found.task_lines.extend(last.into_iter().filter(|line| !line.ends_with([':', '：'])));
            found.task_lines.truncate(known + 3);
        }
        found.has_rest |= found.task_lines.iter().any(|line| after_colon(line).is_some());
        found
    }

    /// The language of the lines that can contain the task, else of all lines. Pasted text such as
    /// a log, or a quotation, can be in another language.
    fn language(&self, library: &Library) -> Language {
        let task_lines = said(self.task_lines.iter().copied());
        let texts = [unquoted(&task_lines), task_lines, said(self.outside.lines())];
        let mut languages = texts.iter().map(|text| library.language(text));
        languages.find(|language| *language != Language::Unknown).unwrap_or(Language::Unknown)
    }

    fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        for line in &self.task_lines {
            let head = after_colon(line).map_or(*line, |rest| &line[..line.len() - rest.len()]);
            let said: String = unquoted(head).chars().take(EXAMINED_CHARS).flat_map(char::to_lowercase).collect();
            for sentence in split(&said) {
                let sentence = sentence.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '#' | '+' | '?'));
                if sentence.contains(char::is_alphabetic) && sentences.len() < MOST_SENTENCES {
                    sentences.push(sentence.to_owned());
                }
            }
        }
        sentences
    }
}

/// The lines that a person wrote.
fn said<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    lines.filter(|line| !is_of_a_log(line)).collect::<Vec<_>>().join("\n")
}

/// True for machine-written lines: of a stack trace, a log, an error.
fn is_of_a_log(line: &str) -> bool {
    let is_marked = ["error", "Error", "ERR!", "Exception", "FATAL", "WARN", "Traceback", "undefined"];
    is_marked.iter().any(|mark| line.contains(mark))
        || line.trim_start().starts_with("at ")
        || line.starts_with("File \"")
}

/// The text after the first colon that has words on both sides; not a time or an address.
fn after_colon(line: &str) -> Option<&str> {
    let at = line.match_indices([':', '：']).find(|(at, colon)| {
        let after = &line[at + colon.len()..];
        *colon == "：" || after.starts_with(char::is_whitespace)
    })?;
    let rest = &line[at.0 + at.1.len()..];
    rest.contains(char::is_alphanumeric).then_some(rest)
}

/// The text without what is in quotation marks or backquotes.
fn unquoted(text: &str) -> String {
    const MARKS: [(char, &str); 9] = [
        ('"', "\""),
        ('“', "”“"),
        ('„', "“”"),
        ('«', "»"),
        ('»', "«"),
        ('`', "`"),
        ('「', "」"),
        ('『', "』"),
        ('‘', "’"),
    ];
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    let mut missing = [false; MARKS.len()];
    while let Some(start) = rest.find(|c| MARKS.iter().any(|(open, _)| *open == c)) {
        let open = rest[start..].chars().next().unwrap_or('"');
        let kind = MARKS.iter().position(|(mark, _)| *mark == open).unwrap_or_default();
        let inside = start + open.len_utf8();
        let end = if missing[kind] { None } else { rest[inside..].find(|c| MARKS[kind].1.contains(c)) };
        kept.push_str(&rest[..start]);
        kept.push(' ');
        if let Some(end) = end {
            visit(end);
            let closing = rest[inside + end..].chars().next().map_or(0, char::len_utf8);
            rest = &rest[inside + end + closing..];
        } else {
            missing[kind] = true;
            rest = &rest[inside..];
        }
    }
    kept.push_str(rest);
    kept
}

/// Splits into sentences after `.`, `!`, `?`, `;` before a space, and their ideographic forms.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_end = match c {
            '。' | '！' | '？' | '；' | '؟' => true,
            '.' | '!' | '?' | ';' | '…' => chars.peek().is_none_or(|(_, next)| next.is_whitespace()),
            _ => false,
        };
        if is_end {
            let end = at + c.len_utf8();
            // The question mark stays: it marks a question.
            parts.push(&text[start..if c == '?' { end } else { at }]);
            start = end;
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library() -> Library {
        Library::of(&crate::assets::Assets::default()).unwrap()
    }

    #[test]
    fn only_what_may_say_what_to_do_is_among_the_sentences() {
        let sentences = |text: &str| Reading::of(text, false, &library()).sentences;
        assert_eq!(sentences("Translate: Write a letter."), ["translate"]);
        assert_eq!(sentences("Sum this up.\n\nWrite me soon."), ["sum this up"]);
        assert_eq!(sentences("Hi!\n\nWrite to \"Ann. Now\" at 10:30."), ["hi", "write to   at 10:30"]);
        assert_eq!(sentences("```\nlet x;\n```"), Vec::<String>::new());
        assert_eq!(sentences("请写一封信。谢谢！"), ["请写一封信", "谢谢"]);
    }

    #[test]
    fn a_text_to_work_on_is_seen_where_it_stands() {
        let has = |text: &str| Reading::of(text, false, &library()).has_material;
        assert!(!has("Summarise this"));
        for text in [
            "Summarise: the cat sat",
            "Summarise this\n\nThe cat sat.",
            "Sum up\n> cat",
            "Fix\n```\nx\n```",
            "Shorten \"the cat sat on it\"",
        ] {
            assert!(has(text), "{text}");
        }
        assert!(Reading::of("Summarise this", true, &library()).has_material);
    }
}
