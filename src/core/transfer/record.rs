//! Decodes a record: names and values become a prompt, within the limits of the contract.
//!
//! Uses the same field table and checks as requests, so faults read the same everywhere. Unknown
//! names are collected and reported once. Missing fields get defaults; [`Record::differences`]
//! compares only the given ones.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::read::{NAME_SHOWN, NAMES_SHOWN, RawRecord, RecordPosition};
use super::session::{self, RunRecord};
use crate::api::{self, Decoded, Field, Kind, Known, Request};
use crate::domain::{ModelMetadata, Phase, Prompt, PromptId, SessionId, Source, Step, Timestamp, limits};
use crate::error::{Error, Fault};
use crate::store::Session;
use crate::text::shown;

/// The fields of a record, in the order of the domain type, and its run.
pub(super) const FIELDS: [&str; 25] = [
    "id",
    "session_id",
    "variant",
    "content",
    "original_input",
    "phase",
    "persona",
    "provider",
    "model",
    "temperature",
    "max_tokens",
    "tags",
    "context",
    "notes",
    "parent_id",
    "source",
    "strategy",
    "revision",
    "score",
    "score_formula",
    "steps",
    "model_metadata",
    "created_at",
    "updated_at",
    session::NAME,
];

/// The fields where null differs from absent.
const NULLABLE: [&str; 4] = ["notes", "parent_id", "score", "score_formula"];

/// Maximum steps of one prompt.
pub(super) const MAX_STEPS: usize = 100;

/// Defaults of missing fields.
const DEFAULT_PERSONA: &str = "generic";
const DEFAULT_TEMPERATURE: f64 = 0.7;
const DEFAULT_MAX_TOKENS: u32 = 2000;
const UNKNOWN: &str = "unknown";

const ID: Kind = Kind::Name { min: 1 };
const NAME: Kind = Kind::Name { min: 0 };
const STORED: Kind = Kind::Text { min: 1, max: limits::STORED_CHARS };
const TEXT: Kind = Kind::Text { min: 0, max: limits::TEXT_CHARS };

/// The scalar fields, with their limits.
pub(super) const SCALARS: &[Field] = &[
    Field::new("id", ID, "A UUID."),
    Field::new("session_id", ID, "A UUID."),
    Field::new("variant", Kind::Integer { min: 0, max: u32::MAX as u64 }, "From 0."),
    Field::new("content", STORED, "the prompt itself").required(),
    Field::new("original_input", TEXT, "The request it was made from."),
    Field::new("phase", Kind::Phase, "The last phase."),
    Field::new("persona", Kind::Name { min: 1 }, "The persona."),
    Field::new("provider", NAME, "The provider."),
    Field::new("model", NAME, "The model."),
    Field::new("temperature", Kind::Number { min: 0.0, max: limits::MAX_TEMPERATURE }, "0 to 2."),
    Field::new("max_tokens", Kind::Integer { min: 1, max: limits::MAX_TOKENS }, "From 1."),
    Field::new("tags", Kind::Tags, "Labels."),
    Field::new("context", Kind::Texts { items: limits::MAX_CONTEXTS, max: limits::TEXT_CHARS }, "Background texts."),
    Field::new("notes", TEXT, "Remarks.").nullable(),
    Field::new("parent_id", ID, "A UUID."),
    Field::new("source", Kind::Choice(&["generated", "optimized", "imported", "manual"]), "How it came to be."),
    Field::new("strategy", NAME, "The strategy."),
    Field::new("revision", Kind::Integer { min: 1, max: u32::MAX as u64 }, "From 1."),
    Field::new("score", Kind::Number { min: 0.0, max: 1.0 }, "0 to 1."),
    Field::new("score_formula", Kind::Integer { min: 1, max: u32::MAX as u64 }, "From 1."),
    Field::new("created_at", Kind::Moment, "When it was first stored."),
    Field::new("updated_at", Kind::Moment, "When it last changed."),
];

/// The checked values of a record.
struct Scalars(Decoded);

impl Request for Scalars {
    const FIELDS: &'static [Field] = SCALARS;

    fn from_decoded(values: Decoded) -> Self {
        Self(values)
    }
}

/// A decoded prompt and its position.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The complete prompt.
    pub prompt: Prompt,
    /// The run, if the record has it.
    pub session: Option<Session>,
    /// Its position.
    pub place: RecordPosition,
    /// The fields given in the record.
    given: Vec<&'static str>,
}

impl Record {
    /// The given fields that differ from `stored`.
    pub fn differences(&self, stored: &Prompt) -> Vec<String> {
        let mut stored = stored.clone();
        // The embedder is not compared: it depends on the vectors stored here.
        let (ours, theirs) = (&self.prompt.model_metadata, &mut stored.model_metadata);
        theirs.embedding_provider.clone_from(&ours.embedding_provider);
        theirs.embedding_model.clone_from(&ours.embedding_model);
        if self.prompt == stored {
            return Vec::new();
        }
        let as_json = |prompt| serde_json::to_value(prompt).unwrap_or_default();
        let (ours, theirs) = (as_json(&self.prompt), as_json(&stored));
        self.given.iter().filter(|name| ours.get(name) != theirs.get(name)).map(|name| (*name).to_owned()).collect()
    }
}

/// Decodes records into prompts.
#[derive(Debug)]
pub struct Decoder {
    now: Timestamp,
    strange: BTreeSet<String>,
}

impl Decoder {
    /// Decodes at this moment, the default for missing timestamps.
    pub fn at(now: Timestamp) -> Self {
        Self { now, strange: BTreeSet::new() }
    }

    /// The unknown names so far, sorted; only some if there are many.
    pub fn unknown_names(&self) -> impl Iterator<Item = &str> {
        self.strange.iter().map(String::as_str)
    }

    /// Decodes a record.
    ///
    /// # Errors
    /// All its faults, each with its field.
    pub fn decode(&mut self, raw: RawRecord) -> Result<Record, Vec<Fault>> {
        let RawRecord { mut members, place } = raw;
        self.remove_unknown("", &mut members, &FIELDS);
        let given = FIELDS
            .into_iter()
            .filter(|name| members.get(*name).is_some_and(|value| !value.is_null() || NULLABLE.contains(name)))
            .collect();
        let mut faults = Vec::new();
        let steps = self.steps(members.shift_remove("steps"), &mut faults);
        let metadata = self.metadata(members.shift_remove("model_metadata"), &mut faults);
        let session = self.session(members.shift_remove(session::NAME), &mut faults);
        match api::decode::<Scalars>(Value::Object(members), &Known::default()) {
            Ok(Scalars(values)) => {
                let prompt = self.prompt(values, steps, metadata, &mut faults);
                let session = session.map(|session| session.beside(&prompt));
                if faults.is_empty() { Ok(Record { prompt, session, place, given }) } else { Err(faults) }
            }
            Err(Error::Shape(found) | Error::Value(found)) => {
                faults.extend(found);
                Err(faults)
            }
            Err(other) => Err(vec![Fault::new("", other.to_string())]),
        }
    }

    fn prompt(
        &self,
        mut values: Decoded,
        steps: Vec<Step>,
        metadata: Option<ModelMetadata>,
        faults: &mut Vec<Fault>,
    ) -> Prompt {
        let content = values.text("content").unwrap_or_default();
        let original_input = values.text("original_input").unwrap_or_default();
        let mut id_of = |name: &str| {
            let text = values.text(name)?;
            text.parse::<PromptId>().map_err(|error| faults.push(Fault::new(name, error.to_string()))).ok()
        };
        let (id, session_id, parent_id) = (id_of("id"), id_of("session_id"), id_of("parent_id"));
        let id = id.unwrap_or_else(|| PromptId(stable_id("prompt", &[&content, &original_input])));
        let provider = values.text("provider").unwrap_or_else(|| UNKNOWN.into());
        let model = values.text("model").unwrap_or_else(|| UNKNOWN.into());
        let mut moment = |name: &str| values.moment(name).map(|moment| moment.as_since(self.now)).map(to_millis);
        let created_at = moment("created_at").unwrap_or(self.now);
        let updated_at = moment("updated_at").unwrap_or(created_at);
        let session_id = session_id.map_or_else(|| stable_id("session", &[&id.to_string()]), |id| id.0);
        Prompt {
            id,
            session_id: SessionId(session_id),
            variant: values.count("variant").unwrap_or(0),
            phase: values.phase("phase").unwrap_or(Phase::Coagulatio),
            persona: values.text("persona").unwrap_or_else(|| DEFAULT_PERSONA.into()),
            temperature: values.number("temperature").unwrap_or(DEFAULT_TEMPERATURE),
            max_tokens: values.count("max_tokens").unwrap_or(DEFAULT_MAX_TOKENS),
            tags: values.texts("tags").unwrap_or_default(),
            context: values.texts("context").unwrap_or_default(),
            notes: values.nullable_text("notes").flatten(),
            parent_id,
            source: values.text("source").and_then(|text| Source::parse(&text)).unwrap_or(Source::Imported),
            strategy: values.text("strategy").unwrap_or_default(),
            revision: values.count("revision").unwrap_or(1),
            score: values.number("score"),
            score_formula: values.count("score_formula"),
            steps,
            model_metadata: metadata.unwrap_or_else(|| ModelMetadata {
                provider: provider.clone(),
                model: model.clone(),
                ..ModelMetadata::default()
            }),
            content,
            original_input,
            provider,
            model,
            created_at,
            updated_at,
        }
    }

    fn steps(&mut self, given: Option<Value>, faults: &mut Vec<Fault>) -> Vec<Step> {
        const FIELDS: [&str; 5] = ["phase", "provider", "model", "content", "model_metadata"];
        let mut given = match given {
            None | Some(Value::Null) => return Vec::new(),
            Some(given) => given,
        };
        for step in given.as_array_mut().into_iter().flatten() {
            if let Value::Object(members) = step {
                self.remove_unknown("steps[].", members, &FIELDS);
                match members.get_mut("model_metadata") {
                    Some(Value::Object(inner)) => self.remove_unknown("model_metadata.", inner, &METADATA_FIELDS),
                    Some(_) => {}
                    None => drop(members.insert("model_metadata".into(), Value::Object(Map::new()))),
                }
            }
        }
        let Some(steps) = typed::<Vec<Step>>("steps", given, faults) else { return Vec::new() };
        if steps.len() > MAX_STEPS {
            faults.push(Fault::new("steps", format!("has {} steps; at most {MAX_STEPS} are allowed", steps.len())));
        }
        for (position, step) in steps.iter().enumerate() {
            let is_long = |text: &str, most: usize| text.len() > most && text.chars().count() > most;
            for (name, text, most) in [
                ("content", &step.content, limits::STORED_CHARS),
                ("provider", &step.provider, limits::NAME_CHARS),
                ("model", &step.model, limits::NAME_CHARS),
            ] {
                if is_long(text, most) {
                    let field = format!("steps[{position}].{name}");
                    faults.push(Fault::new(field, format!("is longer than {most} characters: shorten it")));
                }
            }
            for (name, text) in [("provider", &step.provider), ("model", &step.model)] {
                check_name(&format!("steps[{position}].{name}"), text, faults);
            }
            check_names_of_account(&format!("steps[{position}].model_metadata"), &step.model_metadata, faults);
        }
        steps
    }

    fn metadata(&mut self, given: Option<Value>, faults: &mut Vec<Fault>) -> Option<ModelMetadata> {
        let mut given = given.filter(|given| !given.is_null())?;
        if let Value::Object(members) = &mut given {
            self.remove_unknown("model_metadata.", members, &METADATA_FIELDS);
        }
        let metadata = typed("model_metadata", given, faults)?;
        check_names_of_account("model_metadata", &metadata, faults);
        Some(metadata)
    }

    fn session(&mut self, given: Option<Value>, faults: &mut Vec<Fault>) -> Option<RunRecord> {
        let mut given = given.filter(|given| !given.is_null())?;
        if let Value::Object(members) = &mut given {
            self.remove_unknown("session.", members, &session::FIELDS);
        }
        let facts = typed::<RunRecord>(session::NAME, given, faults)?;
        faults.extend(facts.faults());
        Some(facts)
    }

    /// Removes unknown members and records their names.
    fn remove_unknown(&mut self, place: &str, members: &mut Map<String, Value>, known: &[&str]) {
        members.retain(|name, _| {
            let is_known = known.contains(&name.as_str());
            if !is_known && self.strange.len() < NAMES_SHOWN {
                let name: String = name.chars().filter(|c| !shown::is_always_hidden(*c)).take(NAME_SHOWN).collect();
                self.strange.insert(format!("{place}{name}"));
            }
            is_known
        });
    }
}

/// Checks a name against the rules of requests.
pub(super) fn check_name(field: &str, name: &str, faults: &mut Vec<Fault>) {
    if let Err(message) = api::check_name(name) {
        faults.push(Fault::new(field, message));
    }
}

/// Checks the names in an account against their limits.
fn check_names_of_account(place: &str, metadata: &ModelMetadata, faults: &mut Vec<Fault>) {
    let ModelMetadata { provider, model, fallback_from, embedding_provider, embedding_model, .. } = metadata;
    let names = [
        ("provider", Some(provider)),
        ("model", Some(model)),
        ("fallback_from", fallback_from.as_ref()),
        ("embedding_provider", embedding_provider.as_ref()),
        ("embedding_model", embedding_model.as_ref()),
    ];
    for (name, text) in names.into_iter().filter_map(|(name, text)| Some((name, text?))) {
        let field = format!("{place}.{name}");
        if text.chars().nth(limits::NAME_CHARS).is_some() {
            faults.push(Fault::new(&field, format!("is longer than {} characters: shorten it", limits::NAME_CHARS)));
        }
        check_name(&field, text, faults);
    }
}

/// The fields of an account.
const METADATA_FIELDS: [&str; 15] = [
    "provider",
    "model",
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cost_usd",
    "latency_ms",
    "first_token_ms",
    "calls",
    "retries",
    "cached",
    "fallback_from",
    "estimated",
    "embedding_provider",
    "embedding_model",
];

/// Deserialises a value; a fault names the path to the error.
fn typed<T: serde::de::DeserializeOwned>(name: &str, value: Value, faults: &mut Vec<Fault>) -> Option<T> {
    let read = serde_path_to_error::deserialize(value);
    read.map_err(|error| {
        let path = error.path().to_string();
        let field = match path.as_str() {
            "." => name.to_owned(),
            path if path.starts_with('[') => format!("{name}{path}"),
            path => format!("{name}.{path}"),
        };
        faults.push(Fault::new(field, error.into_inner().to_string()));
    })
    .ok()
}

fn to_millis(moment: Timestamp) -> Timestamp {
    crate::time::from_millis(moment.as_millisecond())
}

/// An id derived from texts (a UUID of version 8, RFC 9562 section 5.8, over SHA-256). `kind`
/// separates ids of different things.
pub fn stable_id(kind: &str, texts: &[&str]) -> Uuid {
    let mut hash = Sha256::new();
    for text in std::iter::once(&kind).chain(texts) {
        // Length-prefixed, so that different lists never hash the same bytes.
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    let digest = hash.finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}
