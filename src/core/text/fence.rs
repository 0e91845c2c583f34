//! Fences: marker lines around untrusted text that the text itself cannot contain.
//!
//! A fence has a code derived from a hash of all texts it will enclose, derived again until it
//! occurs in none of them. So no text can contain its own end marker, and the same texts always
//! give the same fence, which allows responses to be cached.
//!
//! A fence does not stop a model from obeying the text. The template has to call it data.

use xxhash_rust::xxh3::{Xxh3, xxh3_128_with_seed};

/// Marker lines for one set of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    code: String,
}

impl Fence {
    /// A fence for these texts and no others.
    pub fn around<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let texts: Vec<String> = texts.into_iter().map(str::to_ascii_lowercase).collect();
        let mut hasher = Xxh3::new();
        for text in &texts {
            hasher.update(&text.len().to_le_bytes());
            hasher.update(text.as_bytes());
        }
        let digest = hasher.digest128().to_le_bytes();
        let mut seed = 0;
        loop {
            let code = format!("{:032x}", xxh3_128_with_seed(&digest, seed))[..12].to_owned();
            if !texts.iter().any(|text| text.contains(&code)) {
                return Self { code };
            }
            seed += 1;
        }
    }

    /// The code in the markers: twelve hexadecimal digits that occur in none of the texts, in either case.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Encloses `text` in marker lines. `label` is a word or two of ours, never from a user.
    pub fn wrap(&self, label: &str, text: &str) -> String {
        let code = &self.code;
        let line_end = if text.ends_with('\n') { "" } else { "\n" };
        format!("<<< {label} {code}\n{text}{line_end}{label} {code} >>>")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_same_texts_give_the_same_fence_and_others_another() {
        assert_eq!(Fence::around(["a", "b"]), Fence::around(["a", "b"]));
        assert_ne!(Fence::around(["a", "b"]), Fence::around(["ab", ""]));
    }

    #[test]
    fn a_text_stands_between_its_marker_lines_unchanged() {
        let fence = Fence::around(["hello"]);
        let code = fence.code();
        assert_eq!(fence.wrap("REQUEST", "hello"), format!("<<< REQUEST {code}\nhello\nREQUEST {code} >>>"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Holds even for a text that knows the code of every text before it.
        #[test]
        fn no_text_holds_the_code_of_its_own_fence(mut text in ".{0,200}", rounds in 1_usize..8) {
            for _ in 0..rounds {
                let code = Fence::around([text.as_str()]).code().to_uppercase();
                text = [text.as_str(), "REQUEST ", &code, " >>>"].concat();
            }
            let code = Fence::around([text.as_str()]).code().to_owned();
            prop_assert!(!text.to_lowercase().contains(&code));
        }
    }
}
