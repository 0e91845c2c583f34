//! One key with its modifiers, independent of the terminal.
//!
//! Terminals report the same key in different ways: `Shift+g` or `G`, `Ctrl+_` as `Ctrl+7`,
//! `Shift+Tab` as a key of its own. [`Chord::from`] normalises them.

use std::fmt;
use std::str::FromStr;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key and its modifiers, normalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Chord {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// A text that does not name a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnknownKey(pub(crate) String);

/// Named keys, as written in a key map and as shown in hints.
const NAMES: &[(&str, &str, KeyCode)] = &[
    ("Enter", "Enter", KeyCode::Enter),
    ("Esc", "Esc", KeyCode::Esc),
    ("Tab", "Tab", KeyCode::Tab),
    ("Space", "Space", KeyCode::Char(' ')),
    ("Backspace", "Bksp", KeyCode::Backspace),
    ("Delete", "Del", KeyCode::Delete),
    ("Home", "Home", KeyCode::Home),
    ("End", "End", KeyCode::End),
    ("PageUp", "PgUp", KeyCode::PageUp),
    ("PageDown", "PgDn", KeyCode::PageDown),
    ("Left", "←", KeyCode::Left),
    ("Right", "→", KeyCode::Right),
    ("Up", "↑", KeyCode::Up),
    ("Down", "↓", KeyCode::Down),
];

/// Modifiers, as written before a key.
const MODIFIERS: [(&str, KeyModifiers); 3] =
    [("Ctrl+", KeyModifiers::CONTROL), ("Alt+", KeyModifiers::ALT), ("Shift+", KeyModifiers::SHIFT)];

impl Chord {
    /// A key without modifiers that types `letter`.
    pub(crate) const fn letter(letter: char) -> Self {
        Self { code: KeyCode::Char(letter), modifiers: KeyModifiers::NONE }
    }

    /// A letter with Ctrl held.
    pub(crate) const fn control(letter: char) -> Self {
        Self { code: KeyCode::Char(letter), modifiers: KeyModifiers::CONTROL }
    }

    /// A key without modifiers.
    pub(crate) const fn plain(code: KeyCode) -> Self {
        Self { code, modifiers: KeyModifiers::NONE }
    }

    /// The letter of a key that came with Alt alone, as if `Esc` had been pressed before it.
    pub(crate) fn behind_escape(key: KeyEvent) -> Option<Self> {
        match key.code {
            KeyCode::Char(letter) if key.modifiers - KeyModifiers::SHIFT == KeyModifiers::ALT => {
                Some(Self::new(KeyCode::Char(letter), key.modifiers - KeyModifiers::ALT))
            }
            _ => None,
        }
    }

    fn new(code: KeyCode, modifiers: KeyModifiers) -> Self {
        let mut modifiers = modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let code = match code {
            KeyCode::BackTab => {
                modifiers |= KeyModifiers::SHIFT;
                KeyCode::Tab
            }
            KeyCode::Char(letter) if modifiers.contains(KeyModifiers::CONTROL) => {
                modifiers -= KeyModifiers::SHIFT;
                // `Ctrl+_`, `Ctrl+/` and `Ctrl+7` all send 0x1F; `Ctrl+Space`, `Ctrl+@` and
                // `Ctrl+2` send 0x00.
                KeyCode::Char(match letter {
                    '7' | '/' => '_',
                    '2' | '@' => ' ',
                    other => other.to_ascii_lowercase(),
                })
            }
            KeyCode::Char(letter) => {
                let upper = modifiers.contains(KeyModifiers::SHIFT);
                modifiers -= KeyModifiers::SHIFT;
                let alt = modifiers.contains(KeyModifiers::ALT);
                KeyCode::Char(match letter {
                    _ if alt => letter.to_ascii_lowercase(),
                    _ if upper => letter.to_ascii_uppercase(),
                    _ => letter,
                })
            }
            other => other,
        };
        Self { code, modifiers }
    }

    /// The character this key types, if any.
    pub(crate) fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(letter) if self.modifiers.is_empty() => Some(letter),
            _ => None,
        }
    }

    /// The key without its modifiers.
    pub(crate) const fn code(self) -> KeyCode {
        self.code
    }

    /// The key as written in a configuration: `Ctrl+J`, `PageDown`.
    pub(crate) fn name(self) -> String {
        let mut name = String::new();
        for (prefix, modifier) in MODIFIERS {
            if self.modifiers.contains(modifier) {
                name.push_str(prefix);
            }
        }
        let known = NAMES.iter().find(|(_, _, known)| *known == self.code);
        match (known, self.code) {
            (Some((known, _, _)), _) => name.push_str(known),
            (None, KeyCode::F(number)) => name.push_str(&KeyCode::F(number).to_string()),
            (None, KeyCode::Char(letter)) if !self.modifiers.is_empty() => name.extend(letter.to_uppercase()),
            (None, KeyCode::Char(letter)) => name.push(letter),
            (None, other) => name.push_str(&other.to_string()),
        }
        name
    }

    /// The key as a terminal reports it.
    pub(crate) const fn pressed(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }
}

impl From<KeyEvent> for Chord {
    fn from(key: KeyEvent) -> Self {
        // On some systems AltGr arrives as Ctrl+Alt and types a character.
        let altgr = KeyModifiers::CONTROL | KeyModifiers::ALT;
        match key.code {
            KeyCode::Char(letter) if key.modifiers.contains(altgr) && !letter.is_ascii_alphanumeric() => {
                Self::letter(letter)
            }
            _ => Self::new(key.code, key.modifiers),
        }
    }
}

impl FromStr for Chord {
    type Err = UnknownKey;

    /// Parses `Ctrl+J`, `Alt+Backspace`, `F2`, `PageDown`, `G`, `?`.
    fn from_str(text: &str) -> Result<Self, UnknownKey> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        for (prefix, modifier) in MODIFIERS {
            if let Some(after) = rest.strip_prefix(prefix) {
                modifiers |= modifier;
                rest = after;
            }
        }
        let named = NAMES.iter().find(|(name, _, _)| *name == rest).map(|(_, _, code)| *code);
        let function = || rest.strip_prefix('F')?.parse().ok().filter(|number| *number <= 24).map(KeyCode::F);
        let single = || {
            let mut letters = rest.chars();
            letters.next().filter(|_| letters.next().is_none()).map(KeyCode::Char)
        };
        let code = named.or_else(function).or_else(single).ok_or_else(|| UnknownKey(text.to_owned()))?;
        Ok(Self::new(code, modifiers))
    }
}

impl fmt::Display for Chord {
    /// Writes the key as hints show it: `^J`, `Alt-b`, `S-Tab`, `F2`, `PgDn`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = match self.code {
            KeyCode::F(number) => format!("F{number}"),
            KeyCode::Char(letter) if letter != ' ' && self.modifiers.contains(KeyModifiers::CONTROL) => {
                letter.to_uppercase().to_string()
            }
            code => match NAMES.iter().find(|(_, _, known)| *known == code) {
                Some((_, shown, _)) => (*shown).to_owned(),
                None => match code {
                    KeyCode::Char(letter) => letter.to_string(),
                    other => format!("{other:?}"),
                },
            },
        };
        let mut text = String::new();
        if self.modifiers.contains(KeyModifiers::CONTROL) {
            text.push('^');
        }
        if self.modifiers.contains(KeyModifiers::ALT) {
            text.push_str("Alt-");
        }
        if self.modifiers.contains(KeyModifiers::SHIFT) {
            text.push_str("S-");
        }
        text.push_str(&key);
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(code: KeyCode, modifiers: KeyModifiers) -> Chord {
        Chord::from(KeyEvent::new(code, modifiers))
    }

    fn named(text: &str) -> Chord {
        text.parse().unwrap()
    }

    #[test]
    fn the_ways_terminals_report_a_key_are_one() {
        let (none, shift, ctrl) = (KeyModifiers::NONE, KeyModifiers::SHIFT, KeyModifiers::CONTROL);
        for (chord, name) in [
            (pressed(KeyCode::Char('G'), shift), "G"),
            (pressed(KeyCode::Char('g'), shift), "G"),
            (pressed(KeyCode::Char('G'), none), "G"),
            (pressed(KeyCode::Char('j'), ctrl), "Ctrl+J"),
            (pressed(KeyCode::Char('7'), ctrl), "Ctrl+_"),
            (pressed(KeyCode::Char('@'), ctrl), "Ctrl+Space"),
            (pressed(KeyCode::BackTab, shift), "Shift+Tab"),
            (pressed(KeyCode::BackTab, none), "Shift+Tab"),
            (pressed(KeyCode::Char('B'), KeyModifiers::ALT), "Alt+B"),
            (pressed(KeyCode::Enter, ctrl), "Ctrl+Enter"),
            (pressed(KeyCode::F(12), none), "F12"),
        ] {
            assert_eq!(chord, named(name), "{name}");
        }
    }

    #[test]
    fn hints_show_keys_in_short() {
        let shown =
            ["Ctrl+J", "Alt+B", "Shift+Tab", "F2", "PageDown", "G", "Ctrl+Left", "Space", "Ctrl+Space", "Shift+Left"]
                .map(|key| named(key).to_string());
        assert_eq!(shown, ["^J", "Alt-b", "S-Tab", "F2", "PgDn", "G", "^←", "Space", "^Space", "S-←"]);
    }

    #[test]
    fn a_name_is_read_again_as_the_same_key() {
        for name in ["Ctrl+J", "Alt+B", "Shift+Tab", "F2", "PageDown", "G", "Ctrl+Left", "Space", "?", "Alt+<", "+"] {
            assert_eq!(named(name).name(), name);
        }
    }

    #[test]
    fn altgr_types_its_character() {
        assert_eq!(pressed(KeyCode::Char('{'), KeyModifiers::CONTROL | KeyModifiers::ALT).typed(), Some('{'));
    }

    #[test]
    fn a_text_that_names_no_key_is_refused() {
        for text in ["", "Ctrl+", "Hyper+J", "F99"] {
            assert_eq!(text.parse::<Chord>(), Err(UnknownKey(text.to_owned())));
        }
    }
}
