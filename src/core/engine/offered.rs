//! Prompts that a host offers its user by name: every persona, and the stored prompts tagged [`TAG`].
//!
//! A persona's prompt has the model write a finished prompt for the user's request, with the same
//! messages as a run of one phase. A stored prompt is the text itself, with its
//! [variables](crate::text::variables) filled in.
//!
//! A name never changes: `persona_` and the persona's name, or words of the request that a stored
//! prompt was made from and the end of its id, such as `review_a_diff_7a3f9c21`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Engine;
use crate::api::{CursorRequest, GenerateRequest, Request};
use crate::assets::{self, AssetInfo};
use crate::domain::{
    Filter, OfferedArgument, OfferedPage, OfferedPrompt, Order, Phase, PromptId, PromptOutline, PromptSummary,
    SHORT_ID_LENGTH, TargetFamily, limits,
};
use crate::error::{Error, Fault, Faults, Result};
use crate::prompting;
use crate::provider::{Message, PhaseBrief, Role};
use crate::store::PageSpec;
use crate::text::title::{slug, title};
use crate::text::variables::{fill, variables};

/// The tag of a stored prompt that is offered.
pub const TAG: &str = "mcp";

/// The beginning of a persona's prompt. A persona's name has no `_`, so no stored prompt has it.
const PERSONA: &str = "persona_";
/// The argument of a persona's prompt.
const INPUT: &str = "input";
/// Stored prompts on one page.
const PAGE: u32 = 50;
/// Most characters of the words in a stored prompt's name.
const SLUG_BYTES: usize = 32;
/// Most characters of a title.
const TITLE_CHARS: usize = 60;
/// Most characters of a description.
const DESCRIPTION_CHARS: usize = 300;
/// Most characters of an unknown name that a message repeats.
const NAME_SHOWN: usize = 80;
/// Stored prompts whose id can end alike.
const ALIKE: usize = 20;

/// A prompt that is ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilledPrompt {
    /// What it is for, on one line.
    pub description: String,
    /// The conversation to begin.
    pub messages: Vec<Message>,
}

/// What a name stands for.
enum Offer {
    Persona(AssetInfo),
    Stored(Box<PromptSummary>),
}

impl Engine {
    /// A page of the offered prompts.
    ///
    /// # Errors
    /// `validation_failed` for an invalid cursor; `storage`.
    pub async fn offered_prompts(&self, request: CursorRequest) -> Result<OfferedPage> {
        let is_first = request.cursor.is_none();
        let spec = PageSpec { limit: PAGE, offset: 0, cursor: request.cursor };
        let page = self.store().summaries(Self::offered(), Order::Newest, spec).await?;
        let personas = if is_first { self.usable_personas() } else { Vec::new() };
        let offers = personas.into_iter().map(Offer::Persona);
        let offers = offers.chain(page.items.into_iter().map(|prompt| Offer::Stored(Box::new(prompt))));
        Ok(OfferedPage { prompts: offers.map(|offer| offer.describe()).collect(), next_cursor: page.next_cursor })
    }

    /// The offered prompt of this name.
    ///
    /// # Errors
    /// `not_found`; `storage`.
    pub async fn offered_prompt(&self, name: &str) -> Result<OfferedPrompt> {
        Ok(self.offer(name).await?.describe())
    }

    /// Fills in an offered prompt. Every argument is required and is a text.
    ///
    /// # Errors
    /// `not_found`; `invalid_request` for a missing, unknown or wrong argument; `validation_failed` for
    /// one that is too long, or an `input` that is blank; `file` for a persona that cannot be used.
    pub async fn fill_prompt(&self, name: &str, arguments: Map<String, Value>) -> Result<FilledPrompt> {
        let offer = self.offer(name).await?;
        let OfferedPrompt { description, arguments: wanted, .. } = offer.describe();
        let values = texts(&wanted, arguments)?;
        let messages = match offer {
            Offer::Persona(persona) => self.messages_of(&persona.name, values.get(INPUT).map_or("", String::as_str))?,
            Offer::Stored(prompt) => {
                let content = fill(&prompt.content, |name| values.get(name).map(String::as_str));
                vec![Message { role: Role::User, content }]
            }
        };
        Ok(FilledPrompt { description, messages })
    }

    /// Selects the stored prompts that are offered.
    pub(super) fn offered() -> Filter {
        Filter { tags: vec![TAG.to_owned()], ..Filter::default() }
    }

    fn usable_personas(&self) -> Vec<AssetInfo> {
        self.personas().into_iter().filter(|persona| persona.problem.is_none()).collect()
    }

    async fn offer(&self, name: &str) -> Result<Offer> {
        let persona = name
            .strip_prefix(PERSONA)
            .and_then(|persona| self.usable_personas().into_iter().find(|known| known.name == persona));
        if let Some(persona) = persona {
            return Ok(Offer::Persona(persona));
        }
        if let Some(tail) = name.len().checked_sub(SHORT_ID_LENGTH).and_then(|at| name.get(at..)) {
            let ids = self.store().resolve(tail.to_owned(), ALIKE).await?;
            let found = self.store().fetch_summaries(ids).await?;
            let is_meant = |prompt: &PromptSummary| {
                prompt.tags.iter().any(|tag| tag == TAG) && self::name(prompt.id, subject(prompt)) == name
            };
            if let Some(prompt) = found.into_iter().find(is_meant) {
                return Ok(Offer::Stored(Box::new(prompt)));
            }
        }
        let hint = "personas are offered as `persona_` and their name, stored prompts when they are tagged `mcp`";
        Err(Error::NotFound { what: "offered prompt", key: title(name, NAME_SHOWN), hint })
    }

    /// The messages of a run that has only the last phase.
    fn messages_of(&self, persona: &str, input: &str) -> Result<Vec<Message>> {
        let request: GenerateRequest = self.decode(json!({ INPUT: input, "persona": persona }))?;
        let target = self.config().generation.default_target_model.as_deref();
        let brief = PhaseBrief {
            phase: Phase::Coagulatio,
            phases: vec![Phase::Coagulatio],
            persona: persona.to_owned(),
            strategy: assets::strategy_for(0).to_owned(),
            target: target.map_or(TargetFamily::Generic, TargetFamily::of_model),
            variant: 0,
            original_input: request.input.clone(),
            input: request.input,
            context: Vec::new(),
        };
        Ok(prompting::phase_request(&self.inner.assets, &brief, None, None, None)?.messages)
    }
}

impl Offer {
    fn describe(&self) -> OfferedPrompt {
        match self {
            Self::Persona(persona) => {
                let doc =
                    GenerateRequest::FIELDS.iter().find(|field| field.name == INPUT).map_or("", |field| field.doc);
                let description =
                    format!("Has the model write a finished prompt for a request. {}", persona.description);
                OfferedPrompt {
                    name: format!("{PERSONA}{}", persona.name),
                    title: format!("Write a prompt: {}", persona.name),
                    description: title(&description, DESCRIPTION_CHARS),
                    arguments: vec![OfferedArgument { name: INPUT.to_owned(), description: doc.to_owned() }],
                }
            }
            Self::Stored(prompt) => {
                let argument = |name: &str| OfferedArgument {
                    name: name.to_owned(),
                    description: format!("Replaces {{{{{name}}}}} in the prompt."),
                };
                OfferedPrompt {
                    name: self::name(prompt.id, subject(prompt)),
                    title: title(subject(prompt), TITLE_CHARS),
                    description: description(prompt.notes.as_deref(), &prompt.persona, &prompt.tags),
                    arguments: variables(&prompt.content).into_iter().map(argument).collect(),
                }
            }
        }
    }
}

/// The name of a stored prompt for programs: words of its request and the end of its id.
pub fn stored_name(prompt: &PromptOutline) -> String {
    name(prompt.id, &prompt.subject)
}

fn name(id: PromptId, subject: &str) -> String {
    let words = slug(subject, SLUG_BYTES);
    let words = if words.is_empty() { "prompt" } else { &words };
    format!("{words}_{}", id.short())
}

/// The title of a stored prompt: the beginning of the request it was made from.
pub fn stored_title(prompt: &PromptOutline) -> String {
    title(&prompt.subject, TITLE_CHARS)
}

/// A line about a stored prompt: the user's notes, or else what it was made for and its tags.
pub fn stored_description(prompt: &PromptOutline) -> String {
    description(prompt.notes.as_deref(), &prompt.persona, &prompt.tags)
}

fn description(notes: Option<&str>, persona: &str, tags: &[String]) -> String {
    let notes = title(notes.unwrap_or_default(), DESCRIPTION_CHARS);
    if !notes.is_empty() {
        return notes;
    }
    let mut text = format!("A stored prompt, written for the persona {persona}");
    let tags: Vec<&str> = tags.iter().map(String::as_str).filter(|tag| *tag != TAG).collect();
    if !tags.is_empty() {
        text.push_str(", tagged ");
        text.push_str(&tags.join(", "));
    }
    title(&text, DESCRIPTION_CHARS)
}

/// The text that a stored prompt is named after, as in [`PromptOutline::subject`]. What was imported
/// may have no request.
fn subject(prompt: &PromptSummary) -> &str {
    if prompt.original_input.trim().is_empty() { &prompt.content } else { &prompt.original_input }
}

/// The arguments as texts: exactly those that are wanted.
fn texts(wanted: &[OfferedArgument], mut given: Map<String, Value>) -> Result<BTreeMap<String, String>> {
    let (mut shape, mut value) = (Faults::default(), Faults::default());
    let mut texts = BTreeMap::new();
    for OfferedArgument { name, description } in wanted {
        match given.remove(name) {
            None | Some(Value::Null) => shape.push_with(|| Fault::new(name, format!("is required: {description}"))),
            Some(Value::String(text)) if text.chars().nth(limits::TEXT_CHARS).is_some() => value.push_with(|| {
                let chars = text.chars().count();
                Fault::new(name, format!("has {chars} characters; at most {} are allowed", limits::TEXT_CHARS))
            }),
            Some(Value::String(text)) => drop(texts.insert(name.clone(), text)),
            Some(_) => shape.push_with(|| Fault::new(name, "must be a text")),
        }
    }
    for name in given.keys() {
        shape.push_with(|| Fault::new(title(name, NAME_SHOWN), unknown(wanted)));
    }
    match (shape.is_empty(), value.is_empty()) {
        (false, _) => Err(Error::Shape(shape)),
        (true, false) => Err(Error::Value(value)),
        (true, true) => Ok(texts),
    }
}

fn unknown(wanted: &[OfferedArgument]) -> String {
    if wanted.is_empty() {
        return "is not an argument of this prompt, which takes none".to_owned();
    }
    let names: Vec<&str> = wanted.iter().map(|one| one.name.as_str()).collect();
    format!("is not an argument of this prompt; it takes {}", names.join(", "))
}
