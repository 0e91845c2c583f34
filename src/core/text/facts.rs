//! The facts of a text that must survive any rewriting: numbers, quoted strings, names, formats, placeholders,
//! addresses.
//!
//! Pure and quick (one pass a kind); each list is in the order of the text and without repetitions. A fact is given
//! as it is written, so that it can be looked for in another text. Meaning is not judged here: which numbers are
//! limits and which are data is for the reader of a request to say.

use std::collections::HashSet;

use super::language::is_ideographic;
use super::visited::visit;

/// The facts of one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Runs of digits with the separators inside them: `1,000`, `3.14`, `2026-11-21`, `10:30`.
    pub numbers: Vec<String>,
    /// What stands between quotation marks, without them.
    pub quoted: Vec<String>,
    /// Proper names and identifiers: capitalised words inside a sentence, `snake_case`, `CamelCase`, acronyms.
    pub names: Vec<String>,
    /// Names of formats, such as JSON, as they are written.
    pub formats: Vec<String>,
    /// Placeholders such as `{{diff}}` or `${NAME}`.
    pub placeholders: Vec<String>,
    /// Web addresses, mail addresses and paths of files.
    pub addresses: Vec<String>,
}

/// Names of formats a text can ask for, in small letters.
pub const FORMAT_NAMES: &[&str] = &[
    "json",
    "jsonl",
    "csv",
    "tsv",
    "yaml",
    "toml",
    "xml",
    "html",
    "markdown",
    "latex",
    "pdf",
    "table",
    "bullet points",
    "bullets",
    "bullet list",
    "numbered list",
    "checklist",
    "code block",
    "plain text",
    "svg",
    "mermaid",
    "spreadsheet",
    "outline",
    "haiku",
    "sonnet",
    "essay",
    "email",
    "slide",
    "slides",
    "tabelle",
    "tableau",
    "tabla",
    "stichpunkte",
    "aufzählung",
];

/// Reads the facts of `text`.
pub fn facts(text: &str) -> Facts {
    Facts {
        numbers: distinct(numbers(text)),
        quoted: distinct(quoted(text)),
        names: distinct(names(text)),
        formats: distinct(formats(text)),
        placeholders: distinct(placeholders(text)),
        addresses: distinct(addresses(text)),
    }
}

/// The numbers of `text`: maximal runs of digits with single separators inside (`.`, `,`, `:`, `/`, `-`, `'`, `_`).
pub fn numbers(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = None;
    let mut end = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let after = at + character.len_utf8();
        if character.is_numeric() {
            start.get_or_insert(at);
            end = after;
        } else if let Some(begun) = start {
            let separates = matches!(character, '.' | ',' | ':' | '/' | '-' | '\'' | '_' | '–');
            if !(separates && characters.peek().is_some_and(|(_, next)| next.is_numeric())) {
                found.push(&text[begun..end]);
                start = None;
            }
        }
    }
    if let Some(begun) = start {
        found.push(&text[begun..end]);
    }
    found
}

/// What stands between quotation marks on one line, at most 2000 bytes apart, without the marks; blank ones are left
/// out.
pub fn quoted(text: &str) -> Vec<&str> {
    const MARKS: &[(char, char)] =
        &[('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('『', '』'), ('`', '`'), ('‘', '’')];
    let mut found = Vec::new();
    for line in text.lines() {
        let mut from = 0;
        let mut previous = ' ';
        // Where the next closing mark of each kind stands, as far as it was looked for: each is looked for once.
        let mut next_closing = [0; MARKS.len()];
        for (at, character) in line.char_indices() {
            if at >= from {
                let opens =
                    |(open, _): &(char, char)| *open == character && !(character == '‘' && previous.is_alphanumeric());
                if let Some(kind) = MARKS.iter().position(opens) {
                    let (body, close) = (at + character.len_utf8(), MARKS[kind].1);
                    if next_closing[kind] < body {
                        next_closing[kind] = line[body..].find(close).map_or(line.len(), |length| body + length);
                        visit(next_closing[kind] - body);
                    }
                    let end = next_closing[kind];
                    if end + close.len_utf8() <= line.len().min(body + QUOTE_REACH) {
                        if !line[body..end].trim().is_empty() {
                            found.push(&line[body..end]);
                        }
                        from = end + close.len_utf8();
                    }
                }
            }
            previous = character;
        }
    }
    found
}

/// How far a closing quotation mark is looked for, in bytes.
const QUOTE_REACH: usize = 2000;

/// Proper names and identifiers: words with a capital that do not merely open a sentence, and words with an
/// underscore, a capital inside, or all in capitals.
pub fn names(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut opens = true;
    // A name in Latin letters may stand amid a script without blanks.
    let parts = |c: char| c.is_whitespace() || is_ideographic(c) || is_wide_mark(c);
    for word in text.split(parts).filter(|word| !word.is_empty()) {
        visit(word.len());
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        if bare.chars().any(char::is_alphabetic) {
            let mut letters = bare.chars().filter(|c| c.is_alphabetic());
            let capital = letters.next().is_some_and(char::is_uppercase);
            let inner = letters.clone().any(char::is_uppercase);
            let single = bare.chars().count() == 1;
            if !single && ((capital && !opens) || inner || bare.contains('_')) {
                found.push(bare);
            }
        }
        opens = word.ends_with(['.', '!', '?', ':', '。', '！', '？', '-', '*', '•', ')']);
    }
    found
}

/// True for the marks that are as wide as an ideograph, `、` and `？` among them: those of Unicode's "CJK Symbols and
/// Punctuation" and of its "Halfwidth and Fullwidth Forms".
const fn is_wide_mark(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}')
}

fn formats(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    FORMAT_NAMES.iter().filter(|format| contains_word(&lower, format)).map(|format| (*format).to_owned()).collect()
}

/// `{{diff}}`, `${NAME}`, `<<text>>`: a short name without blanks between the marks (one blank inside braces is fine).
pub fn placeholders(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (open, close) in [("{{", "}}"), ("${", "}"), ("<<", ">>")] {
        let mut from = 0;
        while let Some(at) = text[from..].find(open).map(|n| from + n) {
            let body_at = at + open.len();
            let window_end = text[body_at..].char_indices().nth(64).map_or(text.len(), |(n, _)| body_at + n);
            visit(window_end - body_at);
            let end = text[body_at..window_end].find(close).map(|n| body_at + n);
            from = body_at;
            if let Some(end) = end {
                let name = text[body_at..end].trim();
                if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.')) {
                    found.push(&text[at..end + close.len()]);
                    from = end + close.len();
                }
            }
        }
    }
    found
}

/// Web and mail addresses, and paths that begin with `/`, `./` or `~/`.
pub fn addresses(text: &str) -> Vec<&str> {
    text.split_whitespace()
        .map(|word| {
            word.trim_matches(|c: char| {
                matches!(c, '(' | ')' | '<' | '>' | '"' | '\'' | ',' | ';' | '!' | '?' | '.' | ':' | '`')
            })
        })
        .filter(|word| {
            word.contains("://")
                || word.starts_with("www.")
                || word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
                || (word.len() > 2 && (word.starts_with('/') || word.starts_with("./") || word.starts_with("~/")))
        })
        .collect()
}

/// True when `word` stands in `text` with no letter or digit right before or after it. Both in small letters.
pub fn contains_word(text: &str, word: &str) -> bool {
    find_word(text, word).is_some()
}

/// Where `word` stands in `text` as a word of its own, as a byte offset. Both in small letters.
pub fn find_word(text: &str, word: &str) -> Option<usize> {
    if word.is_empty() {
        return None;
    }
    visit(text.len());
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

fn distinct<T: Into<String>>(found: Vec<T>) -> Vec<String> {
    let mut seen = HashSet::new();
    found.into_iter().map(Into::into).filter(|fact: &String| seen.insert(fact.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_separators_and_lose_their_neighbours() {
        assert_eq!(
            numbers("Pay $1,000.50 by 2026-11-21, 10:30; 50% of v1.2.3, x86."),
            vec!["1,000.50", "2026-11-21", "10:30", "50", "1.2.3", "86"]
        );
        assert_eq!(numbers("no digits"), Vec::<&str>::new());
        assert_eq!(numbers("٣ и 1.,2"), vec!["٣", "1", "2"]);
    }

    #[test]
    fn quotations_of_all_kinds_are_found_on_their_line() {
        assert_eq!(quoted("say \"hi\", “yes” and `x` «oui» 「はい」"), vec!["hi", "yes", "x", "oui", "はい"]);
        assert_eq!(quoted("5\" wide\nand 6\" high"), Vec::<&str>::new());
    }

    #[test]
    fn names_are_capitals_inside_a_sentence_and_identifiers() {
        assert_eq!(
            names("Write to Anna Weber at ACME. The get_user call uses HttpClient."),
            vec!["Anna", "Weber", "ACME", "get_user", "HttpClient"]
        );
        assert_eq!(names("Useは Python？Rust；SQLです"), vec!["Python", "Rust", "SQL"]);
    }

    #[test]
    fn placeholders_and_addresses_are_found() {
        let found = facts(
            "Review {{diff}} and ${HOME}/x at https://example.com/a?b=1, mail a@b.io, see /etc/hosts. {{ not one",
        );
        assert_eq!(found.placeholders, vec!["{{diff}}", "${HOME}"]);
        assert_eq!(found.addresses, vec!["https://example.com/a?b=1", "a@b.io", "/etc/hosts"]);
    }

    #[test]
    fn formats_are_whole_words() {
        assert_eq!(facts("as JSON, not a tablet, in a table").formats, vec!["json", "table"]);
    }
}
