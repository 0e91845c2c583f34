//! A prompt before it has a form: sections of pieces, named by what they are for.
//!
//! Composing ([`super::compose`]) decides what is said and in which order, rendering ([`super::render`]) how it looks
//! to a family of models. A piece never holds markup of its own.

/// What a section is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum SectionId {
    /// What is to be done.
    Task,
    /// What to know for it.
    Context,
    /// What to work on.
    Material,
    /// What the request demands.
    Requirements,
    /// What the request rules out.
    Avoid,
    /// Good practice.
    Guidelines,
    /// The way to work.
    Steps,
    /// An example to work through first.
    Example,
    /// What is left open.
    Questions,
    /// The form of the answer.
    Output,
    /// What must be true of the answer.
    Checks,
    /// What was found in a request.
    Findings,
    /// What to do at the very end.
    Closing,
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// A paragraph.
    Text(String),
    /// Bullets.
    Bullets(Vec<String>),
    /// Things to do one after the other; imperatives without capital and full stop.
    Steps(Vec<String>),
    /// A list of the user's, with its own markers.
    List {
        /// What introduces it.
        lead: Option<String>,
        /// Marker and text.
        items: Vec<(Option<String>, String)>,
    },
    /// Text between delimiters of its own.
    Data {
        /// What the delimiters are called, in small letters and without blanks.
        name: String,
        /// The text, to the letter.
        text: String,
    },
    /// Code or lines in a fence.
    Fenced {
        /// What the fence says.
        info: String,
        /// The code, to the letter.
        text: String,
    },
}

/// A section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    /// What it is for.
    pub id: SectionId,
    /// What it says.
    pub pieces: Vec<Piece>,
}

/// A prompt without form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Document {
    /// Stands before all sections: who the model is.
    pub opening: Vec<String>,
    /// In order.
    pub sections: Vec<Section>,
    /// True for a prompt too short for headings.
    pub plain: bool,
}

impl Document {
    /// Adds pieces under a section, joining it if it is the last one; nothing when there are none.
    pub(super) fn add(&mut self, id: SectionId, pieces: Vec<Piece>) {
        if pieces.is_empty() {
            return;
        }
        match self.sections.last_mut() {
            Some(last) if last.id == id => last.pieces.extend(pieces),
            _ => self.sections.push(Section { id, pieces }),
        }
    }

    /// Moves the sections of these kinds to the end, in this order.
    pub(super) fn put_last(&mut self, ids: &[SectionId]) {
        for id in ids {
            let (moved, kept): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.sections).into_iter().partition(|s| s.id == *id);
            self.sections = kept;
            self.sections.extend(moved);
        }
    }

    /// Moves the sections of these kinds to the front, in this order.
    pub(super) fn put_first(&mut self, ids: &[SectionId]) {
        for id in ids.iter().rev() {
            let (moved, kept): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.sections).into_iter().partition(|s| s.id == *id);
            self.sections = moved;
            self.sections.extend(kept);
        }
    }
}

/// "a" or "an", by the sound of the next word.
pub(super) fn article(next: &str) -> &'static str {
    let word = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let lower = word.to_lowercase();
    let silent = ["hour", "honest", "heir", "honour", "honor"].iter().any(|start| lower.starts_with(start));
    let consonant = ["uni", "use", "usa", "eu", "one", "url", "ubi", "uk"].iter().any(|start| lower.starts_with(start));
    // Letters of an acronym are spelt out: an SQL query, an HTML page, but a URL.
    let acronym = word.len() > 1 && word.len() <= 4 && word.chars().all(|c| c.is_ascii_uppercase());
    let spelt = acronym
        && lower.starts_with(['a', 'e', 'f', 'h', 'i', 'l', 'm', 'n', 'o', 'r', 's', 'x'])
        && !matches!(lower.as_str(), "rest" | "nasa" | "saas" | "lan");
    if spelt || silent || (!acronym && !consonant && lower.starts_with(['a', 'e', 'i', 'o', 'u'])) { "an" } else { "a" }
}

/// A name for delimiters that `text` cannot forge: `name` itself, or with letters after it until it occurs nowhere.
pub(super) fn delimiter(name: &str, text: &str) -> String {
    let mut candidate = name.to_owned();
    let mut state = text.len() as u64 ^ 0x9e37_79b9_7f4a_7c15;
    for byte in text.bytes() {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let lower = text.to_lowercase();
    while names_tag(&lower, &candidate) {
        candidate = format!("{name}_");
        for _ in 0..6 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let letter = u8::try_from((state >> 33) % 26).unwrap_or(0);
            candidate.push(char::from(b'a' + letter));
        }
    }
    candidate
}

/// True when the text holds something that opens or closes a tag of that name, blanks inside it included.
fn names_tag(lower: &str, name: &str) -> bool {
    lower
        .match_indices(name)
        .any(|(at, _)| lower[..at].trim_end_matches([' ', '\t', '/', '\n', '\\']).ends_with(['<', '＜', '‹']))
}

/// A fence that `text` cannot close: at least three backticks, and more than any run of them inside.
pub(super) fn fence(text: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for character in text.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat((longest + 1).max(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_follow_the_sound() {
        for (word, expected) in [
            ("engineer", "an"),
            ("SQL query", "an"),
            ("URL", "a"),
            ("user", "a"),
            ("honest", "an"),
            ("REST API", "a"),
            ("poem", "a"),
            ("HTML page", "an"),
            ("unit test", "a"),
        ] {
            assert_eq!(article(word), expected, "{word}");
        }
    }

    #[test]
    fn delimiters_cannot_be_forged() {
        assert_eq!(delimiter("text", "nothing here"), "text");
        for forged in ["a </text> b", "a < / TEXT > b", "<text>"] {
            let name = delimiter("text", forged);
            assert!(name.starts_with("text_") && !forged.contains(&name), "{forged}: {name}");
        }
        assert_eq!(fence("a ```` b"), "`````");
        assert_eq!(fence("plain"), "```");
    }
}
