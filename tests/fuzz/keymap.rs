//! Key maps: any names and keys are accepted or rejected by name with the reason.

use std::collections::BTreeMap;

use aludel::tui::{actions, faults};
use aludel_core::assets::Assets;
use aludel_core::config::TuiConfig;

use crate::tape::{self, Tape};

const WORDS: &[&str] = &[
    "Ctrl+",
    "Alt+",
    "Shift+",
    "R",
    "Tab",
    "F5",
    "F99",
    "Space",
    "PageDown",
    "x",
    "?",
    "+",
    "Enter",
    "Ctrl+I",
    "Esc",
    "Ctrl+[",
    "漢",
    "e\u{301}",
    "",
    "ctrl+r",
    "Super+",
    "Left",
    "Ctrl+Ctrl+A",
    "Backspace",
];

#[test]
fn keymap() {
    let assets = Assets::new(None);
    let ids: Vec<&str> = actions().iter().map(|action| action.id).chain(["nothing", "", "palett"]).collect();
    bolero::check!(name = "keymap").with_max_len(1024).for_each(|input: &[u8]| {
        let mut tape = Tape(input);
        let preset = tape.word(&["default", "emacs", "vi", "other", ""]).to_owned();
        let mut keys: BTreeMap<String, Vec<String>> = BTreeMap::new();
        while !tape.is_over() {
            let id = tape.word(&ids).to_owned();
            let parts = 1 + tape.below(3);
            let key = match tape.byte() {
                0..=199 => (0..parts).map(|_| tape.word(WORDS)).collect(),
                _ => tape::text(&tape.0[..tape.0.len().min(40)], WORDS),
            };
            keys.entry(id).or_default().push(key);
        }
        let settings = TuiConfig { theme: "dark".to_owned(), keymap: preset, mouse: false, screen_reader: false, keys };
        let found = faults(&settings, &assets);
        for (key, message) in &found {
            let named = key.strip_prefix("tui.keys.").is_none_or(|id| settings.keys.contains_key(id));
            assert!(named && key.starts_with("tui.") && !message.is_empty(), "{key}: {message}");
        }
        let given: usize = settings.keys.iter().map(|(id, keys)| 200 + id.len() + keys.concat().len() * 2).sum();
        let said: usize = found.iter().map(|(key, message)| key.len() + message.len()).sum();
        assert!(said <= 1000 + given * 60, "{said} bytes said of {given}");
    });
}
