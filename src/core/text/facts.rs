//! Facts recognisable by form: numbers, quoted strings, placeholders.
//!
//! Pure and fast (one pass each); each list is in the order of the text, as written.

use crate::visited::visit;

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

/// The texts between quotation marks on one line, at most 2000 bytes apart; blank ones are skipped.
pub fn quoted(text: &str) -> Vec<&str> {
    const MARKS: &[(char, char)] =
        &[('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('『', '』'), ('`', '`'), ('‘', '’')];
    let mut found = Vec::new();
    for line in text.lines() {
        let mut from = 0;
        let mut previous = ' ';
        // The next closing mark of each kind, searched for once.
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

/// How far to look for a closing quotation mark, in bytes.
const QUOTE_REACH: usize = 2000;

/// `{{diff}}`, `${NAME}`, `<<text>>`: a short name without blanks (one within braces is fine).
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
    fn placeholders_are_short_names_between_their_marks() {
        let found = placeholders("Review {{diff}} and ${HOME}/x in <<city>>. {{ not one");
        assert_eq!(found, vec!["{{diff}}", "${HOME}", "<<city>>"]);
    }
}
