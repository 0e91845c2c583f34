//! A unique key, and the forms in which it could leak.
//!
//! Looks for the key raw, escaped, percent-encoded, in base64 at any offset of a longer text, and
//! for its beginning or end alone, which a text that is cut before it is masked would show.

use std::collections::hash_map::RandomState;
use std::fmt::Write as _;
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};

/// Bytes of the key's beginning or end that give it away.
const PART: usize = 10;

/// A secret made for one test.
#[derive(Debug, Clone)]
pub(super) struct Canary {
    pub(super) key: String,
    spellings: Vec<(&'static str, String)>,
}

impl Canary {
    /// A new one, with characters that URLs, JSON and base64 encode differently.
    pub(super) fn new() -> Self {
        let random = || RandomState::new().build_hasher().finish();
        Self::of(format!("{:016x}+{:016x}/{:016x}=", random(), random(), random()))
    }

    /// One with a given key.
    pub(super) fn of(key: String) -> Self {
        let text = key.as_bytes();
        let percent = |upper: bool| {
            key.bytes().fold(String::new(), |mut out, byte| {
                let _ = match byte {
                    b if b.is_ascii_alphanumeric() => write!(out, "{}", char::from(b)),
                    b if upper => write!(out, "%{b:02X}"),
                    b => write!(out, "%{b:02x}"),
                };
                out
            })
        };
        let mut spellings = vec![
            ("its beginning", key[..PART].to_owned()),
            ("its end", key[key.len() - PART..].to_owned()),
            ("percent-encoded", percent(true)),
            ("percent-encoded", percent(false)),
            ("escaped", key.replace('/', "\\/")),
        ];
        for shift in 0..3 {
            let encoded = base64(&[vec![0; shift], text.to_vec()].concat());
            // The first and last letters also hold bits of the surrounding text.
            let inner = encoded.trim_end_matches('=');
            let inner = &inner[(shift * 8).div_ceil(6)..inner.len() - 1];
            spellings.push(("in base64", inner.to_owned()));
            spellings.push(("in base64", inner.replace('+', "-").replace('/', "_")));
        }
        Self { key, spellings }
    }

    /// The form in which it shows in these bytes, if any, with the surrounding text.
    pub(super) fn found_in(&self, bytes: &[u8]) -> Option<String> {
        let text = String::from_utf8_lossy(bytes);
        self.spellings.iter().find_map(|(how, spelling)| {
            let (before, after) = text.split_once(spelling.as_str())?;
            let before: String = before.chars().rev().take(200).collect::<Vec<_>>().into_iter().rev().collect();
            let after: String = after.chars().take(100).collect();
            Some(format!("{how}: …{before}{spelling}{after}…"))
        })
    }

    /// The files below a folder that contain it, other than those meant to.
    pub(super) fn found_below(&self, folder: &Path, meant: &[PathBuf]) -> Vec<String> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                found.extend(self.found_below(&path, meant));
            } else if !meant.contains(&path) {
                let bytes = std::fs::read(&path).expect("a file");
                found.extend(self.found_in(&bytes).map(|how| format!("{}: {how}", path.display())));
            }
        }
        found
    }
}

/// Standard base64 (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().enumerate().fold(0_u32, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for letter in 0..4_usize {
            let index = (bits >> (18 - 6 * letter) & 63) as usize;
            out.push(if letter <= group.len() { char::from(LETTERS[index]) } else { '=' });
        }
    }
    out
}

#[test]
fn a_key_is_found_however_it_is_written() {
    let canary = Canary::new();
    let key = &canary.key;
    let percent = key.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    for text in [
        format!("the key {key} was refused"),
        format!("cut short: {}", &key[..PART + 3]),
        format!("?key={percent}&x=1"),
        format!("Basic {}", base64(format!("user:{key}").as_bytes())),
        format!("Basic {}", base64(format!("users:{key}!").as_bytes())),
        format!("Basic {}", base64(format!("someone:{key}").as_bytes())),
    ] {
        assert!(canary.found_in(text.as_bytes()).is_some(), "{text}");
    }
    assert_eq!(canary.found_in(b"nothing of the kind"), None);
    assert_eq!(canary.found_in(Canary::new().key.as_bytes()), None);
    assert_eq!(base64(b"any carnal pleas"), "YW55IGNhcm5hbCBwbGVhcw==");
}
