//! Frames: the sentences the built-in writer puts around a request, and the cue words that identify
//! a family of tasks. One file per family.
//!
//! A frame is a YAML file. Its texts map a language code to a sentence; English replaces a missing
//! language. `work` says how to proceed, `steps` the same in order, `check` is a silent check,
//! `ask` a question for each [`Slot`] that a request can leave open. `bare: true` is for families
//! that the object alone implies. A sentence or question with `unless` is left out if the request
//! mentions one of those slots; one with `when` needs such a mention. `strict: true` is for
//! families whose answer must hold nothing but what was asked for.
//!
//! `cues` are lower-case words by language; `*` at either end of a word matches any letters. The
//! writer interprets them. `general` is the frame of all other requests and what frames share.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::{AssetFault, front_matter, is_kebab_case};
use crate::error::{Error, Result};
use crate::text::language::Language;

/// A detail that a request can state or leave open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    /// The form of the answer.
    Format,
    /// The length of the answer.
    Length,
    /// The language of the answer.
    Language,
    /// The tone of the answer.
    Tone,
    /// Who the model is.
    Role,
    /// Who reads the result.
    Audience,
    /// How to proceed.
    Steps,
    /// That only the answer is wanted.
    AnswerOnly,
    /// The recipient of a message.
    Recipient,
    /// What it is for.
    Purpose,
    /// The text to work on.
    Material,
    /// The language to translate into.
    TargetLanguage,
    /// A programming language, framework or database.
    ProgrammingLanguage,
    /// The options to choose from.
    Options,
    /// The criteria of a choice.
    Criteria,
    /// The deadline.
    Deadline,
    /// The data available.
    Schema,
    /// The labels to assign.
    Labels,
    /// The law that applies.
    Jurisdiction,
    /// The tools an agent can use.
    Tools,
    /// Where an agent must stop.
    Limits,
    /// The time and place of the action.
    Setting,
    /// The style of a picture.
    Style,
    /// What only the user can know: names, facts, circumstances.
    Particulars,
    /// That only mistakes are to be corrected.
    Correction,
    /// That a message applies for a job.
    Application,
    /// That a message thanks.
    Thanks,
    /// That a message announces something.
    Announcement,
    /// An event in the life of a real person: a birthday, a wedding.
    Occasion,
    /// A length that can be counted: words, sentences.
    Counted,
}

/// A formal feature that identifies a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// A stack trace of a failed program.
    StackTrace,
    /// Table definitions.
    Schema,
    /// A code block that names its language. It counts as an object and proves nothing by itself.
    Fence,
}

/// A text in several languages, by their codes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct LocalisedText(pub BTreeMap<String, String>);

impl LocalisedText {
    /// The text in a language, else in English, else empty.
    pub fn get(&self, language: &str) -> &str {
        self.0.get(language).or_else(|| self.0.get(ENGLISH)).map_or("", String::as_str)
    }
}

/// A sentence and when it is used.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Sentence {
    /// Used only if the request mentions one of these; empty means always.
    #[serde(default)]
    pub when: Vec<Slot>,
    /// Left out if the request mentions one of these.
    #[serde(default)]
    pub unless: Vec<Slot>,
    /// The sentence.
    #[serde(flatten)]
    pub text: LocalisedText,
}

/// A question for what a request leaves open.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Question {
    /// What it asks for.
    pub slot: Slot,
    /// True when no work can begin without the answer.
    #[serde(default)]
    pub needed: bool,
    /// Asked only if the request mentions one of these; empty means always.
    #[serde(default)]
    pub when: Vec<Slot>,
    /// Not asked if the request mentions one of these.
    #[serde(default)]
    pub unless: Vec<Slot>,
    /// The question.
    #[serde(flatten)]
    pub text: LocalisedText,
}

/// True when `when` and `unless` allow a sentence or question, given the slots a request states.
pub fn applies(when: &[Slot], unless: &[Slot], stated: &BTreeSet<Slot>) -> bool {
    let speaks_of = |slots: &[Slot]| slots.iter().any(|slot| stated.contains(slot));
    (when.is_empty() || speaks_of(when)) && !speaks_of(unless)
}

/// The cue words of one language.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cues {
    /// What to do: write, explain.
    #[serde(default)]
    pub heads: Vec<String>,
    /// What is asked for: a letter, a function.
    #[serde(default)]
    pub objects: Vec<String>,
    /// Phrases that decide by themselves.
    #[serde(default)]
    pub phrases: Vec<String>,
    /// Openings without meaning: please, can you.
    #[serde(default)]
    pub leads: Vec<String>,
    /// Words that end the description of the thing asked for: about, for.
    #[serde(default)]
    pub stops: Vec<String>,
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    /// The family's name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// True when the answer must hold nothing but what was asked for.
    #[serde(default)]
    pub strict: bool,
    /// True when the thing asked for does not exist yet: a letter, a program.
    #[serde(default)]
    pub makes: bool,
    /// True when naming the thing alone is a request for it: a poem for Ann.
    #[serde(default)]
    pub bare: bool,
    /// Formal features that identify the family.
    #[serde(default)]
    pub signals: Vec<Signal>,
    /// The task in one sentence.
    pub opening: LocalisedText,
    /// How to proceed.
    pub work: Vec<Sentence>,
    /// The same as ordered steps; empty if order does not matter.
    #[serde(default)]
    pub steps: Vec<Sentence>,
    /// A silent check.
    pub check: LocalisedText,
    /// Questions about what is left open.
    #[serde(default)]
    pub ask: Vec<Question>,
    /// Cue words by language.
    #[serde(default)]
    pub cues: BTreeMap<String, Cues>,
    // The rest is only in `general`: what all frames share.
    /// The language to answer in, for requests in a language without frames.
    #[serde(default)]
    pub language: LocalisedText,
    /// The only sentence added to a very short request.
    #[serde(default)]
    pub brief: LocalisedText,
    /// Which wins if a note conflicts with the request.
    #[serde(default)]
    pub wins: LocalisedText,
    /// How to keep several tasks separate.
    #[serde(default)]
    pub several: LocalisedText,
    /// How to check a length that can be counted.
    #[serde(default)]
    pub count: LocalisedText,
    /// What to assume where something is left open.
    #[serde(default)]
    pub assume: LocalisedText,
    /// Introduces the questions.
    #[serde(default)]
    pub ask_lead: LocalisedText,
    /// Follows the questions.
    #[serde(default)]
    pub ask_after: LocalisedText,
    /// Introduces the questions that must be answered.
    #[serde(default)]
    pub input_lead: LocalisedText,
    /// How to treat the context.
    #[serde(default)]
    pub context: LocalisedText,
    /// How to treat an earlier draft.
    #[serde(default)]
    pub draft: LocalisedText,
    /// Headings of the sections.
    #[serde(default)]
    pub headings: BTreeMap<String, LocalisedText>,
    /// Row labels of a reading.
    #[serde(default)]
    pub rows: BTreeMap<String, LocalisedText>,
    /// By slot and language, the words that show that a request mentions it.
    #[serde(default)]
    pub stated: BTreeMap<Slot, BTreeMap<String, Vec<String>>>,
    /// The same for all languages.
    #[serde(default)]
    pub names: BTreeMap<String, Vec<String>>,
}

impl Frame {
    /// The codes of all languages it is written in.
    fn codes(&self) -> impl Iterator<Item = &str> {
        let sentences = self.work.iter().chain(&self.steps).map(|sentence| &sentence.text);
        let named = self.headings.values().chain(self.rows.values());
        let shared = [&self.opening, &self.check, &self.brief, &self.wins, &self.assume, &self.ask_lead];
        let more =
            [&self.several, &self.count, &self.language, &self.ask_after, &self.input_lead, &self.context, &self.draft];
        let texts = sentences.chain(self.ask.iter().map(|question| &question.text)).chain(named);
        let texts = texts.chain(shared).chain(more);
        texts.flat_map(|text| text.0.keys()).chain(self.cues.keys()).map(String::as_str)
    }
}

/// The frame for requests of no particular family.
pub const GENERAL: &str = "general";

const ENGLISH: &str = "en";

/// The built-in frames, as assembled by the build script.
static BUILTIN: LazyLock<std::result::Result<Vec<Arc<Frame>>, String>> = LazyLock::new(|| {
    let text = include_str!(concat!(env!("OUT_DIR"), "/frames.json"));
    serde_json::from_str(text).map_err(|error| error.to_string())
});

/// The built-in frame of a family; `None` if there is none.
///
/// # Errors
/// `internal` when the build is broken.
pub(super) fn builtin(name: &str) -> Result<Option<Arc<Frame>>> {
    let all = BUILTIN.as_ref().map_err(|error| Error::Internal(format!("built-in frames: {error}")))?;
    Ok(all.iter().find(|frame| frame.name == name).cloned())
}

/// Parses the frame of the file named `name`.
pub(super) fn parse(name: &str, text: &str) -> std::result::Result<Frame, AssetFault> {
    let frame: Frame = front_matter::yaml(text, 1)?;
    let fault = |message: String| Err(AssetFault::new(1, message));
    if !is_kebab_case(&frame.name) {
        return fault(format!("`name: {}` is not a valid name; use kebab-case", frame.name));
    }
    front_matter::check_name(name, &frame.name, 1)?;
    if let Some(code) = frame.codes().find(|code| !Language::FRAMED.iter().any(|known| known.code() == *code)) {
        return fault(format!(
            "`{code}` is no language of frames; they are {}",
            Language::FRAMED.map(Language::code).join(", ")
        ));
    }
    if frame.opening.get(ENGLISH).is_empty() || frame.check.get(ENGLISH).is_empty() || frame.work.is_empty() {
        return fault("`opening`, `check` and `work` need a text, in English (`en`) at least".to_owned());
    }
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assets::{AssetKind, table};

    #[test]
    fn what_is_compiled_in_is_what_the_files_say() {
        let names: Vec<&str> = table::names(AssetKind::Frame).collect();
        for name in &names {
            let file = parse(name, table::text(AssetKind::Frame, name).unwrap()).unwrap();
            assert_eq!(*builtin(name).unwrap().unwrap(), file, "{name}");
        }
        assert_eq!(BUILTIN.as_ref().unwrap().len(), names.len());
    }
}
