//! Frames: what the embedded writer says around a request, one file for each family of tasks, and the cue words by which
//! a family is told.
//!
//! A frame is a YAML file. Its texts are maps from a language's code to a sentence; where a language is missing, English
//! stands in. `work` is how to go about it, `steps` the same as an order, `check` a silent check, `ask` a question for each
//! [`Slot`] that a request may leave open. `bare: true` is for families whose object alone asks for it. A sentence or
//! question with `unless` is left out where the request speaks of one of those slots itself; one with `when` stands only
//! there. `strict: true` is for families whose answer
//! has no room for anything but what was asked for.
//!
//! `cues` are lists of words by language, in small letters; `*` at either end of a word stands for any letters. What the
//! lists mean is for the writer to say. `general` is the frame of all other requests and has what all frames share.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::{AssetFault, front_matter, is_kebab_case};
use crate::error::{Error, Result};
use crate::text::language::Language;

/// What a request may say or leave open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    /// The form of the answer.
    Format,
    /// How long it may be.
    Length,
    /// The language of the answer.
    Language,
    /// How it should sound.
    Tone,
    /// Who the model is.
    Role,
    /// Who reads the result.
    Audience,
    /// How to proceed.
    Steps,
    /// That nothing else is wanted.
    AnswerOnly,
    /// To whom a message goes.
    Recipient,
    /// What it is for.
    Purpose,
    /// The text that is to be worked on.
    Material,
    /// Into which language to translate.
    TargetLanguage,
    /// The language of a program, a framework, a database.
    ProgrammingLanguage,
    /// What there is to choose from.
    Options,
    /// By what to choose.
    Criteria,
    /// By when.
    Deadline,
    /// What data there is.
    Schema,
    /// The labels to assign.
    Labels,
    /// Which law applies.
    Jurisdiction,
    /// What an agent can use.
    Tools,
    /// Where an agent must stop.
    Limits,
    /// Where and when it takes place.
    Setting,
    /// The manner of a picture.
    Style,
    /// What only the user can know: names, facts, how things stand.
    Particulars,
    /// That only mistakes are to be mended.
    Correction,
    /// That a message applies for a job.
    Application,
    /// That a message thanks.
    Thanks,
    /// That a message announces something.
    Announcement,
    /// A day in the life of a real person: a birthday, a wedding.
    Occasion,
    /// A length that can be counted: words, sentences.
    Counted,
}

/// A mark of form that shows a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// The trace of a failed program.
    StackTrace,
    /// The definition of tables.
    Schema,
    /// A code block that names its language. It stands for an object, and shows nothing by itself.
    Fence,
}

/// A text in several languages, by their codes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Texts(pub BTreeMap<String, String>);

impl Texts {
    /// The text in a language, else in English; empty when there is neither.
    pub fn get(&self, language: &str) -> &str {
        self.0.get(language).or_else(|| self.0.get(ENGLISH)).map_or("", String::as_str)
    }
}

/// A sentence, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Sentence {
    /// Said only where the request speaks of one of these, if there are any.
    #[serde(default)]
    pub when: Vec<Slot>,
    /// Left out where the request speaks of one of these.
    #[serde(default)]
    pub unless: Vec<Slot>,
    /// The sentence.
    #[serde(flatten)]
    pub text: Texts,
}

/// A question for what a request leaves open.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Question {
    /// What it asks for.
    pub slot: Slot,
    /// True where nothing can begin without the answer.
    #[serde(default)]
    pub needed: bool,
    /// Asked only where the request speaks of one of these, if there are any.
    #[serde(default)]
    pub when: Vec<Slot>,
    /// Not asked where the request speaks of one of these.
    #[serde(default)]
    pub unless: Vec<Slot>,
    /// The question.
    #[serde(flatten)]
    pub text: Texts,
}

/// True for what is said, or asked, of a request that speaks of these slots.
pub fn applies(when: &[Slot], unless: &[Slot], stated: &BTreeSet<Slot>) -> bool {
    let speaks_of = |slots: &[Slot]| slots.iter().any(|slot| stated.contains(slot));
    (when.is_empty() || speaks_of(when)) && !speaks_of(unless)
}

/// The cue words of one language.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cues {
    /// What is to be done: write, explain.
    #[serde(default)]
    pub heads: Vec<String>,
    /// What is asked for: a letter, a function.
    #[serde(default)]
    pub objects: Vec<String>,
    /// What decides by itself.
    #[serde(default)]
    pub phrases: Vec<String>,
    /// Beginnings that say nothing: please, can you.
    #[serde(default)]
    pub leads: Vec<String>,
    /// Words after which the thing asked for is past: about, for.
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
    /// True where the answer has room for nothing but what was asked for.
    #[serde(default)]
    pub strict: bool,
    /// True where what is asked for is not there yet: a letter, a program.
    #[serde(default)]
    pub makes: bool,
    /// True where the thing alone, without a word of what to do, asks for it: a poem for Ann.
    #[serde(default)]
    pub bare: bool,
    /// Marks of form that show the family.
    #[serde(default)]
    pub signals: Vec<Signal>,
    /// What is to be done, in one sentence.
    pub opening: Texts,
    /// How to go about it.
    pub work: Vec<Sentence>,
    /// The same as an order; none where the order of work is no matter.
    #[serde(default)]
    pub steps: Vec<Sentence>,
    /// A silent check.
    pub check: Texts,
    /// Questions for what is left open.
    #[serde(default)]
    pub ask: Vec<Question>,
    /// Cue words by language.
    #[serde(default)]
    pub cues: BTreeMap<String, Cues>,
    // The rest is of `general` alone: what all frames share.
    /// In which language to answer, for requests in a language that no frame is written in.
    #[serde(default)]
    pub language: Texts,
    /// The one sentence beside a very short request.
    #[serde(default)]
    pub brief: Texts,
    /// Which of two wins.
    #[serde(default)]
    pub wins: Texts,
    /// How to keep several tasks apart.
    #[serde(default)]
    pub several: Texts,
    /// Where a length can be counted.
    #[serde(default)]
    pub count: Texts,
    /// What to do about what is left open.
    #[serde(default)]
    pub assume: Texts,
    /// Before the questions.
    #[serde(default)]
    pub ask_lead: Texts,
    /// After the questions.
    #[serde(default)]
    pub ask_after: Texts,
    /// Before the questions for what cannot be done without.
    #[serde(default)]
    pub input_lead: Texts,
    /// Of context.
    #[serde(default)]
    pub context: Texts,
    /// Of a draft by somebody else.
    #[serde(default)]
    pub draft: Texts,
    /// Headings of the parts.
    #[serde(default)]
    pub headings: BTreeMap<String, Texts>,
    /// Names of the rows of a reading.
    #[serde(default)]
    pub rows: BTreeMap<String, Texts>,
    /// By slot and language, words that show that a request speaks of it.
    #[serde(default)]
    pub stated: BTreeMap<Slot, BTreeMap<String, Vec<String>>>,
    /// The same for all languages.
    #[serde(default)]
    pub names: BTreeMap<String, Vec<String>>,
}

impl Frame {
    /// The codes of all languages that it is written in.
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

/// The name of the frame for requests of no certain family.
pub const GENERAL: &str = "general";

const ENGLISH: &str = "en";

/// Our frames, as the build script puts them together.
static BUILTIN: LazyLock<std::result::Result<Vec<Arc<Frame>>, String>> = LazyLock::new(|| {
    let text = include_str!(concat!(env!("OUT_DIR"), "/frames.json"));
    serde_json::from_str(text).map_err(|error| error.to_string())
});

/// Our own frame of a family; `None` where there is no such family.
///
/// # Errors
/// `internal` when the program was built wrong.
pub(super) fn builtin(name: &str) -> Result<Option<Arc<Frame>>> {
    let all = BUILTIN.as_ref().map_err(|error| Error::Internal(format!("built-in frames: {error}")))?;
    Ok(all.iter().find(|frame| frame.name == name).cloned())
}

/// Reads a frame from a file of the name `name`.
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
