//! Text without what cannot be seen: control characters, byte-order marks, and the overrides that make text read
//! otherwise than it is stored. Line breaks become `\n`; tabs stay. Nothing else is touched, in any language.

/// `text` with line breaks as `\n` and without control characters. A control character between two letters or
/// digits becomes a blank, so that no new word or number arises from its going.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' => {
                if characters.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\n' | '\t' => out.push(character),
            '\u{2028}' | '\u{2029}' | '\u{85}' | '\u{b}' | '\u{c}' => out.push('\n'),
            _ if is_hidden(character) => {
                let before = out.chars().next_back().is_some_and(char::is_alphanumeric);
                if before && characters.peek().copied().is_some_and(|next| next.is_alphanumeric() || is_hidden(next)) {
                    out.push(' ');
                }
            }
            _ => out.push(character),
        }
    }
    out
}

/// True for characters that have no place in a prompt: controls, marks of byte order, overrides of direction.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{feff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_go_and_words_stay_apart() {
        assert_eq!(printable("a\u{0}b\u{1b}[31mc\u{7}"), "a b[31mc");
        assert_eq!(printable("1\u{0}\u{0}2"), "1 2");
    }

    #[test]
    fn line_breaks_are_made_one_kind() {
        assert_eq!(printable("a\r\nb\rc\u{2028}d\te"), "a\nb\nc\nd\te");
    }

    #[test]
    fn joiners_that_scripts_need_are_kept() {
        assert_eq!(printable("می\u{200c}خواهم 👩\u{200d}🔬"), "می\u{200c}خواهم 👩\u{200d}🔬");
    }
}
