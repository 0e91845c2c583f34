//! What a request says: the findings every phase works from.
//!
//! [`read`] cuts a text into passages and puts each, in the user's own words, where it belongs: the task, its
//! context, requirements, things to avoid, the form of the answer, the material to work on. Nothing is dropped but
//! courtesies and bare labels, so whatever is built from all parts of a [`Reading`] holds every fact of the request.
//! What is read on top of that (subject, audience, length, tone …) is in [`Facets`], always as quotations.

mod facets;
mod long;
mod material;
mod parts;
mod places;
mod polish;
mod task;

pub(super) use facets::Facets;

use super::craft::{self, Craft, Slot};
use super::cues;
use crate::text::language::{self, Language, is_ideographic};
use crate::text::printable::printable;

/// A piece of the request in the user's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Passage {
    /// A sentence, with its closing mark.
    Sentence(String),
    /// A list with what introduces it.
    List {
        /// The words before the list, or a title.
        lead: Option<String>,
        /// The items; the marker is kept where it numbers the item.
        items: Vec<ListItem>,
    },
}

/// One item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListItem {
    /// `1.` or `b)`; `None` for a bullet.
    pub marker: Option<String>,
    /// What it says.
    pub text: String,
}

impl Passage {
    /// Its words in one string.
    pub(super) fn plain(&self) -> String {
        match self {
            Self::Sentence(text) => text.clone(),
            Self::List { lead, items } => {
                let mut text = lead.clone().unwrap_or_default();
                for item in items {
                    text.push('\n');
                    if let Some(marker) = &item.marker {
                        text.push_str(marker);
                        text.push(' ');
                    }
                    text.push_str(&item.text);
                }
                text
            }
        }
    }
}

/// What kind of material a request brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MaterialKind {
    /// Code, with what its fence said.
    Code {
        /// Such as `rust`; may be empty.
        info: String,
    },
    /// A log, a trace, a table: lines to be kept as they stand.
    Lines,
    /// Running text.
    Text,
    /// Something that will be filled in, such as `{{diff}}`.
    Placeholder,
    /// A passage that tries to give orders to the model.
    Orders,
    /// The whole request, to the letter.
    Request,
    /// A background text given with the request.
    Background,
}

/// Material, kept to the letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Material {
    /// What it is.
    pub kind: MaterialKind,
    /// The text.
    pub text: String,
}

/// Everything read from a request.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    /// The request itself, without control characters.
    pub original: String,
    /// Its language.
    pub language: Language,
    /// Its task type.
    pub craft: &'static Craft,
    /// The programming language it names, as it is properly written.
    pub code_language: Option<&'static str>,
    /// The role it gives the model in its own words.
    pub role: Option<String>,
    /// What is to be done.
    pub task: Vec<Passage>,
    /// What to know for it.
    pub context: Vec<Passage>,
    /// What must hold.
    pub requirements: Vec<Passage>,
    /// What must not be.
    pub avoid: Vec<Passage>,
    /// The form of the answer.
    pub format: Vec<Passage>,
    /// What to work on.
    pub material: Vec<Material>,
    /// Details found in the passages.
    pub facets: Facets,
    /// The material the task needs, when the request does not bring it.
    pub missing: Option<&'static str>,
    /// What else is left open.
    pub open: Vec<&'static str>,
}

/// Reads a request and its background texts.
pub(super) fn read(input: &str, background: &[String]) -> Reading {
    let text = printable(input);
    let mut parts = if long::is_long(&text) { long::parts(&text) } else { parts::parts(&text) };
    long::reply_to_remark(&mut parts, &text);
    for background in background {
        let background = printable(background);
        if !background.trim().is_empty() {
            let text = background.trim_matches('\n').to_owned();
            parts.material.push(Material { kind: MaterialKind::Background, text });
        }
    }
    finish(text, parts)
}

/// The passages of a request in their places, before they are polished and looked into.
#[derive(Debug, Default)]
struct Parts {
    role: Option<String>,
    /// The sentence the request turns on, as written.
    request: String,
    task: Vec<Passage>,
    context: Vec<Passage>,
    requirements: Vec<Passage>,
    avoid: Vec<Passage>,
    format: Vec<Passage>,
    material: Vec<Material>,
    /// The running text of the request, for reading details; material is not in it.
    prose: String,
    craft: Option<&'static Craft>,
}

fn finish(original: String, parts: Parts) -> Reading {
    let craft = parts.craft.unwrap_or(&craft::OTHER);
    let code_language = task::code_language(&parts.prose, &parts.material);
    let facets = facets::facets(&parts);
    let (missing, open) = open_points(craft, code_language, &facets, &parts);
    let sample = if parts.prose.trim().is_empty() {
        parts.material.first().map_or("", |m| m.text.as_str())
    } else {
        &parts.prose
    };
    Reading {
        original,
        language: language::language(sample),
        craft,
        code_language,
        role: parts.role,
        task: parts.task,
        context: parts.context,
        requirements: parts.requirements,
        avoid: parts.avoid,
        format: parts.format,
        material: parts.material,
        facets,
        missing,
        open,
    }
}

/// Words of prose above which a request is taken to give details of its own.
const DETAILED_WORDS: usize = 45;
/// How much prose is looked at for what it says, in characters.
const DETAILS_LOOKED_AT: usize = 6000;

fn open_points(
    craft: &'static Craft,
    language: Option<&str>,
    facets: &Facets,
    parts: &Parts,
) -> (Option<&'static str>, Vec<&'static str>) {
    let works_on = parts.material.iter().any(|material| material.kind != MaterialKind::Orders)
        || parts.task.iter().any(|passage| matches!(passage, Passage::List { .. }))
        || !facets.facts.quoted.is_empty()
        || !facets.facts.placeholders.is_empty()
        || !facets.facts.addresses.is_empty();
    let lower: String = parts.prose.chars().take(DETAILS_LOOKED_AT).flat_map(char::to_lowercase).collect();
    let ideographs = lower.chars().filter(|c| is_ideographic(*c)).count();
    let detailed = ideographs > 2 * DETAILED_WORDS
        || parts.prose.split_whitespace().count() > DETAILED_WORDS
        || parts.requirements.iter().any(|passage| matches!(passage, Passage::List { .. }));
    let said = |slot: Slot| match slot {
        Slot::Audience => facets.audience.is_some(),
        Slot::Length => facets.length.is_some(),
        Slot::Tone => facets.tone.is_some(),
        Slot::Format => !facets.formats.is_empty() || !parts.format.is_empty(),
        Slot::Language => language.is_some(),
        Slot::Material => works_on,
        Slot::Version => facets.facts.numbers.iter().any(|number| number.contains('.')),
        Slot::Words(words) => cues::any(&lower, words),
        Slot::Detail => detailed,
    };
    let only_orders = parts.material.iter().all(|m| m.kind == MaterialKind::Orders)
        && !parts.material.is_empty()
        && parts.prose.trim() == parts.material[0].text.trim();
    if only_orders {
        return (None, Vec::new());
    }
    let open: Vec<&(Slot, &str)> = craft.questions.iter().filter(|(slot, _)| !said(*slot)).collect();
    let needed = craft.name != "improve";
    let missing = open.iter().find(|(slot, _)| *slot == Slot::Material && needed).map(|(_, what)| *what);
    (missing, open.iter().map(|(_, what)| *what).filter(|what| Some(*what) != missing).collect())
}
