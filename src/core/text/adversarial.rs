//! Adversarial texts of any length, as hostile sources send them (feature `test-support`).
//!
//! Each of [`SHAPES`] makes a text of the wanted length in bytes, deterministically. They are worst
//! cases for text scanners: one long word, camel case, runs of one character, unclosed openings,
//! deep nesting, many short lines, one long line, and beginnings of what is searched for.

/// A kind of adversarial text.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// A short name.
    pub name: &'static str,
    make: Make,
}

#[derive(Debug, Clone, Copy)]
enum Make {
    /// One piece repeated.
    Repeat(&'static str),
    /// The first piece once, then the second repeated.
    After(&'static str, &'static str),
    /// The first piece for half of the text, the second for the other half.
    Nested(&'static str, &'static str),
    /// The first piece, the second repeated, the third.
    Within(&'static str, &'static str, &'static str),
    /// Anything else.
    Custom(fn(usize, &mut String)),
}

impl Shape {
    /// Makes the text: `length` bytes, or up to three fewer to avoid cutting a character.
    pub fn text(&self, length: usize) -> String {
        let mut text = String::with_capacity(length + 64);
        match self.make {
            Make::Repeat(piece) => fill(&mut text, piece, length),
            Make::After(opening, piece) => {
                text.push_str(opening);
                fill(&mut text, piece, length);
            }
            Make::Nested(opening, closing) => {
                fill(&mut text, opening, length / 2);
                fill(&mut text, closing, length);
            }
            Make::Within(before, piece, after) => {
                text.push_str(before);
                fill(&mut text, piece, length.saturating_sub(after.len()));
                text.push_str(after);
            }
            Make::Custom(write) => write(length, &mut text),
        }
        text.truncate(text.floor_char_boundary(length));
        text
    }
}

/// Every shape with its text of `length` bytes (or up to three fewer), one at a time.
pub fn texts(length: usize) -> impl Iterator<Item = (&'static str, String)> {
    SHAPES.iter().map(move |shape| (shape.name, shape.text(length)))
}

const fn repeat(name: &'static str, piece: &'static str) -> Shape {
    Shape { name, make: Make::Repeat(piece) }
}

const fn after(name: &'static str, opening: &'static str, piece: &'static str) -> Shape {
    Shape { name, make: Make::After(opening, piece) }
}

const fn nested(name: &'static str, opening: &'static str, closing: &'static str) -> Shape {
    Shape { name, make: Make::Nested(opening, closing) }
}

const fn within(name: &'static str, before: &'static str, piece: &'static str, after: &'static str) -> Shape {
    Shape { name, make: Make::Within(before, piece, after) }
}

const fn written(name: &'static str, write: fn(usize, &mut String)) -> Shape {
    Shape { name, make: Make::Custom(write) }
}

/// All shapes.
pub const SHAPES: &[Shape] = &[
    // Endless words.
    repeat("one long word", "a"),
    repeat("camel case", "aB"),
    repeat("capitals in camel case", "ABc"),
    written("base64", base64),
    written("a picture in a sentence", picture),
    repeat("snake case", "a_"),
    repeat("dotted name", "a.b"),
    repeat("path", "a/b"),
    repeat("word with hyphens", "a-b"),
    repeat("word with apostrophes", "a'b"),
    repeat("word and digits", "a1"),
    repeat("one long number", "1"),
    repeat("grouped number", "1,111,"),
    repeat("dotted number", "1.1."),
    repeat("accented word", "é"),
    repeat("cyrillic word", "пР"),
    repeat("ideographs", "提示詞"),
    repeat("kana", "かカ"),
    repeat("hangul", "한글"),
    repeat("hangul jamo", "\u{1112}\u{1161}\u{11ab}"),
    repeat("thai", "ไทย"),
    repeat("arabic ligature", "\u{fdfa}"),
    repeat("mixed scripts", "aд提1"),
    // Runs of one character.
    repeat("blanks", " "),
    repeat("tabs", "\t"),
    repeat("line feeds", "\n"),
    repeat("carriage returns", "\r"),
    repeat("line ends of two characters", "\r\n"),
    repeat("double quotes", "\""),
    repeat("single quotes", "'"),
    repeat("curly quotes", "“"),
    repeat("low quotes", "„"),
    repeat("guillemets", "«"),
    repeat("corner brackets", "「"),
    repeat("backticks", "`"),
    repeat("tildes", "~"),
    repeat("number signs", "#"),
    repeat("asterisks", "*"),
    repeat("underscores", "_"),
    repeat("hyphens", "-"),
    repeat("equals signs", "="),
    repeat("plus signs", "+"),
    repeat("pipes", "|"),
    repeat("full stops", "."),
    repeat("commas", ","),
    repeat("colons", ":"),
    repeat("semicolons", ";"),
    repeat("exclamation marks", "!"),
    repeat("question marks", "?"),
    repeat("slashes", "/"),
    repeat("backslashes", "\\"),
    repeat("at signs", "@"),
    repeat("ampersands", "&"),
    repeat("per cent signs", "%"),
    repeat("dollar signs", "$"),
    repeat("ideographic full stops", "。"),
    repeat("ellipses", "…"),
    repeat("NUL", "\0"),
    repeat("escape", "\u{1b}"),
    repeat("delete", "\u{7f}"),
    repeat("byte order marks", "\u{feff}"),
    repeat("bidi overrides", "\u{202e}"),
    repeat("tag characters", "\u{e0041}"),
    repeat("no-break spaces", "\u{a0}"),
    repeat("line separators", "\u{2028}"),
    after("combining marks", "a", "\u{301}"),
    repeat("unordered combining marks", "\u{301}\u{316}"),
    repeat("vowel signs", "\u{915}\u{93e}"),
    repeat("emoji joined", "👩\u{200d}"),
    repeat("emoji", "🜂"),
    repeat("flags", "🇩🇪"),
    repeat("variation selectors", "\u{fe0f}"),
    // Unclosed openings.
    repeat("round brackets", "("),
    repeat("square brackets", "["),
    repeat("curly brackets", "{"),
    repeat("angle brackets", "<"),
    repeat("closing brackets", ")"),
    repeat("links without an end", "[a]("),
    repeat("templates without an end", "{{ a "),
    repeat("placeholders without an end", "${A "),
    repeat("double angle placeholders without an end", "<<a "),
    repeat("placeholders in braces", "{a}"),
    repeat("placeholders of a template", "b: {{a}}\n"),
    repeat("tags without an end", "<a"),
    repeat("reasoning without an end", "<think>"),
    after("reasoning that goes on", "<think>", "hm </thin "),
    repeat("comments without an end", "<!-- "),
    repeat("quotes without an end", "\"a "),
    repeat("quotes that open words", " 'a"),
    repeat("fences without an end", "```rust\n"),
    after("one fence without an end", "```\n", "code;\n"),
    after("a quote without an end", "say \"", "word "),
    after("a terminal title without an end", "\u{1b}]0;", "title "),
    repeat("terminal sequences", "\u{1b}[31"),
    // Nesting.
    nested("nested round brackets", "(", ")"),
    nested("nested square brackets", "[", "]"),
    nested("nested curly brackets", "{", "}"),
    nested("nested objects", "{\"a\":", "}"),
    nested("nested flow mappings", "{a: ", "}"),
    nested("nested tags", "<a>", "</a>"),
    nested("nested quotes", "“a", "b”"),
    nested("nested templates", "{{a", "}}"),
    repeat("nested lists on a line", "- "),
    repeat("nested block quotes on a line", "> "),
    written("nested lists", |length, text| deeper(length, text, "  ", "- a\n")),
    written("nested block quotes", |length, text| deeper(length, text, ">", " a\n")),
    written("nested fences", |length, text| deeper(length, text, "`", "```\n")),
    written("nested mappings", |length, text| deeper(length, text, " ", "a:\n")),
    // Lines.
    repeat("one line of words", "word "),
    repeat("one line of sentences", "Do it. "),
    repeat("one line of abbreviations", "e.g. "),
    repeat("one line of clauses", "not x, "),
    repeat("one line of code", "let a = 1; "),
    written("one line of different words", |length, text| counted(length, text, "w", " ")),
    written("one line of different numbers", |length, text| counted(length, text, "", " ")),
    written("one line of different names", |length, text| counted(length, text, "Name_", " ")),
    written("one line of different quotes", |length, text| counted(length, text, "\"q", "\" ")),
    repeat("short lines", "a\n"),
    repeat("short lines of two line ends", "a\r\n"),
    repeat("paragraphs", "a\n\n"),
    repeat("lines of a blank", " \n"),
    written("different lines", |length, text| counted(length, text, "line ", "\n")),
    written("different paragraphs", |length, text| counted(length, text, "Say ", ".\n\n")),
    repeat("headings", "# a\n"),
    repeat("items", "- a\n"),
    repeat("numbered items", "1. a\n"),
    repeat("table rows", "| a | b |\n"),
    repeat("rules", "---\n"),
    repeat("fences", "```\n"),
    repeat("log lines", "2026-01-01 10:00:00 INFO a\n"),
    repeat("code lines", "    return x;\n"),
    repeat("labels", "Task:\n"),
    repeat("mapping lines", "a: 1\n"),
    written("different mapping lines", |length, text| counted(length, text, "key", ": 1\n")),
    repeat("comma separated values", "\"a\",b\n"),
    // Beginnings of what cleaning looks for.
    repeat("assents", "Sure! "),
    repeat("assents on lines", "Sure!\n"),
    repeat("announcements", "Here is your prompt:\n"),
    repeat("announcements on a line", "Here is your prompt: "),
    repeat("remarks", "Let me know if you want changes. "),
    repeat("remarks on lines", "I hope this helps!\n"),
    repeat("remarks in paragraphs", "I hope this helps!\n\n"),
    repeat("commentaries", "```\nNotes: \n"),
    repeat("greetings", "Hello, please "),
    repeat("requests", "Write a poem. "),
    repeat("addresses", "https://a.b/ "),
    repeat("schemes", "://"),
    repeat("users in an address", "://a@"),
    repeat("beginnings of keys", "sk-"),
    repeat("names of keys", "api_key"),
    repeat("names of keys and marks", "password==="),
    repeat("schemes of authorization", "bearer "),
    repeat("operators of a query", "AND NOT ("),
    repeat("phrases of a query", "\"a b\" OR "),
    repeat("stars of a query", "a* "),
    within("a repeated beginning", "", "aaaaaaab", "aaaaaaaa"),
    repeat("events of a stream", "data: {}\n\n"),
    repeat("lines of a stream", "data: a\n"),
    repeat("fields of a stream", "data:"),
];

/// Appends `piece` until the text has `length` bytes.
fn fill(text: &mut String, piece: &str, length: usize) {
    while text.len() < length {
        text.push_str(piece);
    }
}

/// Base64 digits without repeats that a scanner could exploit.
fn base64(length: usize, text: &mut String) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    while text.len() < length {
        // xorshift64 (Marsaglia 2003)
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text.push(char::from(DIGITS[usize::try_from(state >> 58).unwrap_or_default()]));
    }
}

/// A sentence with an embedded image, as a browser copies it.
fn picture(length: usize, text: &mut String) {
    const END: &str = "==) in two sentences.";
    text.push_str("Describe this picture (data:image/png;base64,");
    base64(length.saturating_sub(END.len()), text);
    text.push_str(END);
}

/// Lines of increasing indentation.
fn deeper(length: usize, text: &mut String, step: &str, line: &str) {
    let mut depth = 0;
    while text.len() < length {
        text.extend(std::iter::repeat_n(step, depth));
        text.push_str(line);
        depth += 1;
    }
}

/// Pieces that are all different.
fn counted(length: usize, text: &mut String, before: &str, after: &str) {
    let mut number = 0_u64;
    while text.len() < length {
        text.push_str(before);
        text.push_str(&number.to_string());
        text.push_str(after);
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_shape_is_as_long_as_wanted_and_has_a_name_of_its_own() {
        for length in [0, 1, 7, 1_000, 50_000] {
            for (name, text) in texts(length) {
                assert!(
                    (length.saturating_sub(3)..=length).contains(&text.len()),
                    "{name}: {} of {length}",
                    text.len()
                );
            }
        }
        let names: HashSet<&str> = SHAPES.iter().map(|shape| shape.name).collect();
        assert_eq!(names.len(), SHAPES.len());
    }

    #[test]
    fn the_same_shape_gives_the_same_text_and_others_another() {
        let all: Vec<String> = texts(4_000).map(|(_, text)| text).collect();
        assert_eq!(all, texts(4_000).map(|(_, text)| text).collect::<Vec<_>>());
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), SHAPES.len());
    }
}
