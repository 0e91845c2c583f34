//! The configuration, read, merged and checked from any text: faults have positions, and a valid
//! one can be changed and reads back as changed.

use aludel_core::config::{self, Environment, Flags, edit};
use aludel_core::error::{ConfigSource, Error};

use crate::tape;

const WORDS: &[&str] = &[
    "mode: ",
    "server",
    "generation:\n",
    "  default_count: ",
    "3",
    "0",
    "-1",
    "1e999",
    "providers:\n",
    "  openai:\n",
    "    api_key: ",
    "    api_key: sk-canarycanarycanary\n",
    "    api_key: [sk-canarycanarycanary]\n",
    "    api_key: {a: sk-canarycanarycanary\n",
    "${HOME}",
    "${",
    "$${X}",
    "${NONE:-x}",
    "    base_url: ",
    "http://[::1",
    "https://a.b",
    "phases:\n",
    "  solutio: ",
    "openai/gpt",
    "tui:\n",
    "  theme: ",
    "  keys: {",
    "storage: {database: ",
    "log: {level: ",
    "debug",
    "}",
    "]",
    "[",
    "{",
    ": ",
    "\n",
    "\n  ",
    "- ",
    "~",
    "\"",
    "'",
    "&a ",
    "*a",
    "judge:\n",
    "  order_swaps: ",
    "true",
    "spend:\n",
    "  daily_usd: ",
    "unknown: 1\n",
    "mode: server\n",
    "# c\n",
    "|\n",
    "kind: sim",
];

const SECRET: &str = "sk-canarycanarycanary";

/// Whether the secret is the value of an API key in `text` and nothing else: nothing open before
/// its line could make it part of a key or of another value, which messages can show.
fn is_secret(text: &str) -> bool {
    !text.contains(['"', '\'', '|', '>'])
        && text.lines().filter(|line| line.contains(SECRET)).all(|line| {
            ["api_key: sk-canarycanarycanary", "api_key: [sk-canarycanarycanary]", "api_key: {a: sk-canarycanarycanary"]
                .contains(&line.trim())
        })
}

#[test]
fn config() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("config.yaml");
    let flags = Flags { data_dir: Some(home.path().to_owned()), ..Flags::default() };
    let environment = Environment::from_pairs([("HOME", "/home/u")]);
    bolero::check!(name = "config").with_max_len(1024).for_each(|input: &[u8]| {
        let text = tape::bytes(input, WORDS);
        std::fs::write(&file, &text).expect("written");
        let lines = String::from_utf8_lossy(&text).split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).count();
        match config::load(&flags, &environment) {
            Ok(loaded) => {
                edit::export(&loaded).expect("what was read can be shown");
                match edit::set(&loaded.paths, "log.level", "debug") {
                    Ok(()) => {
                        let again = config::load(&flags, &environment).expect("a change leaves a file that reads");
                        assert_eq!(again.config.log.level, "debug");
                        let mut wanted = loaded.config;
                        wanted.log.level = "debug".to_owned();
                        assert_eq!(format!("{:?}", again.config), format!("{wanted:?}"), "more than one value changed");
                    }
                    Err(error) => assert!(matches!(error, Error::Config(_)), "{error}"),
                }
            }
            Err(Error::Config(error)) => {
                assert!(!error.faults.is_empty());
                let secret = is_secret(&String::from_utf8_lossy(&text));
                for fault in &error.faults {
                    assert!(matches!(fault.source, ConfigSource::File(_)), "{fault}");
                    assert!(fault.line.is_none_or(|line| (1..=lines).contains(&line)), "{fault}");
                    assert!(!fault.message.is_empty());
                    assert!(!secret || !fault.to_string().contains(SECRET), "{fault}");
                }
                let said = error.to_string().len();
                assert!(said <= 64 * 1024, "{said} bytes said of {}", text.len());
            }
            Err(error) => panic!("{error}"),
        }
    });
}
