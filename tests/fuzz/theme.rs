//! Theme files: read whole, or rejected with the line, briefly.

use aludel_core::assets::Assets;
use aludel_core::assets::theme::Role;

use crate::tape;

const WORDS: &[&str] = &[
    "description: ",
    "extends: dark\n",
    "extends: mine\n",
    "extends: ",
    "dark",
    "light",
    "ground",
    "text: red\n",
    "brand",
    ": ",
    "\n",
    "\n  fg: ",
    "\n  bg: ",
    "\n  modifiers: [",
    "bold",
    "]",
    "{",
    "}",
    "fg: ",
    ",",
    "phases:\n",
    "  solutio: ",
    "\"#ff00aa\"",
    "#ff",
    "bright-black",
    "default",
    "255",
    "256",
    "-1",
    "border-focused: ",
    "[",
    "~",
    "&a ",
    "*a",
];

#[test]
fn theme() {
    let home = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(home.path().join("themes")).expect("a folder");
    bolero::check!(name = "theme").with_max_len(1024).for_each(|input: &[u8]| {
        let text = tape::bytes(input, WORDS);
        std::fs::write(home.path().join("themes/mine.yaml"), &text).expect("written");
        let lines = String::from_utf8_lossy(&text).split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).count();
        match Assets::below(home.path()).theme("mine") {
            Ok(theme) => {
                let again = Assets::below(home.path()).theme("mine").expect("it was read before");
                assert!(Role::all().all(|role| theme.look(role) == again.look(role)));
            }
            Err(error) => {
                let message = error.to_string();
                assert!(message.contains("mine"), "{message}");
                assert!(message.len() <= 16 * 1024, "{} bytes of message for {} of text", message.len(), text.len());
                let line = message.split("line ").nth(1).and_then(|rest| rest.split(':').next()?.parse::<usize>().ok());
                assert!(line.is_none_or(|line| (1..=lines).contains(&line)), "{message}");
            }
        }
    });
}
