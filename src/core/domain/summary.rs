//! Prompt summaries, and prompts reduced to chosen fields, for lists and searches.
//!
//! Context, steps and account are most of what is stored of a prompt, and no list shows them. So
//! the store reads summaries for lists and for any choice of fields without these three.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{ModelMetadata, Phase, Prompt, PromptId, SessionId, Source, Step, Timestamp, write_moment};

/// A prompt without its context, steps and accounting; the fields are those of [`Prompt`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "they are those of `Prompt`")]
pub struct PromptSummary {
    pub id: PromptId,
    pub session_id: SessionId,
    pub variant: u32,
    pub content: String,
    pub original_input: String,
    pub phase: Phase,
    pub persona: String,
    pub provider: String,
    pub model: String,
    pub temperature: f64,
    pub max_tokens: u32,
    pub tags: Vec<String>,
    pub notes: Option<String>,
    pub parent_id: Option<PromptId>,
    pub source: Source,
    pub strategy: String,
    pub revision: u32,
    pub score: Option<f64>,
    pub score_formula: Option<u32>,
    #[serde(with = "super::moment::written")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    #[serde(with = "super::moment::written")]
    #[schemars(with = "String")]
    pub updated_at: Timestamp,
}

/// A prompt's id and texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptTexts<'a> {
    /// The prompt's id.
    pub id: PromptId,
    /// The prompt itself.
    pub content: &'a str,
    /// What the user asked for.
    pub original_input: &'a str,
    /// The user's own remarks.
    pub notes: Option<&'a str>,
    /// Its labels.
    pub tags: &'a [String],
}

/// The fields that a summary leaves out.
#[derive(Debug, Clone, PartialEq)]
struct OmittedFields {
    context: Vec<String>,
    steps: Vec<Step>,
    model_metadata: ModelMetadata,
}

fn split(prompt: Prompt) -> (PromptSummary, OmittedFields) {
    let Prompt {
        id,
        session_id,
        variant,
        content,
        original_input,
        phase,
        persona,
        provider,
        model,
        temperature,
        max_tokens,
        tags,
        context,
        notes,
        parent_id,
        source,
        strategy,
        revision,
        score,
        score_formula,
        steps,
        model_metadata,
        created_at,
        updated_at,
    } = prompt;
    let summary = PromptSummary {
        id,
        session_id,
        variant,
        content,
        original_input,
        phase,
        persona,
        provider,
        model,
        temperature,
        max_tokens,
        tags,
        notes,
        parent_id,
        source,
        strategy,
        revision,
        score,
        score_formula,
        created_at,
        updated_at,
    };
    (summary, OmittedFields { context, steps, model_metadata })
}

impl From<Prompt> for PromptSummary {
    fn from(prompt: Prompt) -> Self {
        split(prompt).0
    }
}

/// One field of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PromptField {
    Id,
    SessionId,
    Variant,
    Content,
    OriginalInput,
    Phase,
    Persona,
    Provider,
    Model,
    Temperature,
    MaxTokens,
    Tags,
    Context,
    Notes,
    ParentId,
    Source,
    Strategy,
    Revision,
    Score,
    ScoreFormula,
    Steps,
    ModelMetadata,
    CreatedAt,
    UpdatedAt,
}

/// All fields, in the order of [`Prompt`].
const ALL: [PromptField; 24] = {
    use PromptField as F;
    [
        F::Id,
        F::SessionId,
        F::Variant,
        F::Content,
        F::OriginalInput,
        F::Phase,
        F::Persona,
        F::Provider,
        F::Model,
        F::Temperature,
        F::MaxTokens,
        F::Tags,
        F::Context,
        F::Notes,
        F::ParentId,
        F::Source,
        F::Strategy,
        F::Revision,
        F::Score,
        F::ScoreFormula,
        F::Steps,
        F::ModelMetadata,
        F::CreatedAt,
        F::UpdatedAt,
    ]
};

/// Some of the fields of a prompt; `id` is always among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptFields(u32);

impl PromptFields {
    /// Their names, in the order of [`Prompt`].
    pub const NAMES: &'static [&'static str] = &[
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
    ];

    /// Every field.
    pub const ALL: Self = Self((1 << ALL.len()) - 1);

    /// What tells prompts apart, with no text but the request: for a model to choose from.
    pub const BRIEF: Self = Self::of(&[
        PromptField::Id,
        PromptField::SessionId,
        PromptField::Variant,
        PromptField::OriginalInput,
        PromptField::Persona,
        PromptField::Provider,
        PromptField::Model,
        PromptField::Tags,
        PromptField::Notes,
        PromptField::Strategy,
        PromptField::Score,
        PromptField::CreatedAt,
    ]);

    const BEYOND_A_SUMMARY: Self = Self::of(&[PromptField::Context, PromptField::Steps, PromptField::ModelMetadata]);

    const fn of(fields: &[PromptField]) -> Self {
        let mut bits = 1 << PromptField::Id as u32;
        let mut place = 0;
        while place < fields.len() {
            bits |= 1 << fields[place] as u32;
            place += 1;
        }
        Self(bits)
    }

    /// The fields with these names; unknown names are ignored.
    pub fn named(names: &[String]) -> Self {
        let is_named = |place: &usize| names.iter().any(|name| name == Self::NAMES[*place]);
        Self::of(&(0..ALL.len()).filter(is_named).map(|place| ALL[place]).collect::<Vec<_>>())
    }

    /// True when a [`PromptSummary`] has all of them.
    pub const fn are_in_a_summary(self) -> bool {
        self.0 & Self::BEYOND_A_SUMMARY.0 & !(1 << PromptField::Id as u32) == 0
    }

    const fn holds(self, field: PromptField) -> bool {
        self.0 & (1 << field as u32) != 0
    }
}

/// A prompt reduced to chosen fields. Serialises as a [`Prompt`] without the other fields.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectedPrompt {
    fields: PromptFields,
    summary: PromptSummary,
    rest: Option<OmittedFields>,
}

impl SelectedPrompt {
    /// Takes these fields of a prompt.
    pub fn of_whole(prompt: Prompt, fields: PromptFields) -> Self {
        let (summary, rest) = split(prompt);
        Self { fields, summary, rest: Some(rest) }
    }

    /// Takes those of these fields that a summary has.
    pub fn of_summary(summary: PromptSummary, fields: PromptFields) -> Self {
        let fields = PromptFields(fields.0 & !PromptFields::BEYOND_A_SUMMARY.0 | PromptFields::of(&[]).0);
        Self { fields, summary, rest: None }
    }

    /// The summary behind it, whatever fields were chosen.
    pub fn summary(&self) -> &PromptSummary {
        &self.summary
    }
}

impl Serialize for SelectedPrompt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (field, name) in ALL.into_iter().zip(PromptFields::NAMES).filter(|(field, _)| self.fields.holds(*field)) {
            write(&mut map, name, field, &self.summary, self.rest.as_ref())?;
        }
        map.end()
    }
}

fn write<M: SerializeMap>(
    map: &mut M,
    name: &'static str,
    field: PromptField,
    summary: &PromptSummary,
    rest: Option<&OmittedFields>,
) -> Result<(), M::Error> {
    match field {
        PromptField::Id => map.serialize_entry(name, &summary.id),
        PromptField::SessionId => map.serialize_entry(name, &summary.session_id),
        PromptField::Variant => map.serialize_entry(name, &summary.variant),
        PromptField::Content => map.serialize_entry(name, &summary.content),
        PromptField::OriginalInput => map.serialize_entry(name, &summary.original_input),
        PromptField::Phase => map.serialize_entry(name, &summary.phase),
        PromptField::Persona => map.serialize_entry(name, &summary.persona),
        PromptField::Provider => map.serialize_entry(name, &summary.provider),
        PromptField::Model => map.serialize_entry(name, &summary.model),
        PromptField::Temperature => map.serialize_entry(name, &summary.temperature),
        PromptField::MaxTokens => map.serialize_entry(name, &summary.max_tokens),
        PromptField::Tags => map.serialize_entry(name, &summary.tags),
        PromptField::Notes => map.serialize_entry(name, &summary.notes),
        PromptField::ParentId => map.serialize_entry(name, &summary.parent_id),
        PromptField::Source => map.serialize_entry(name, &summary.source),
        PromptField::Strategy => map.serialize_entry(name, &summary.strategy),
        PromptField::Revision => map.serialize_entry(name, &summary.revision),
        PromptField::Score => map.serialize_entry(name, &summary.score),
        PromptField::ScoreFormula => map.serialize_entry(name, &summary.score_formula),
        PromptField::CreatedAt => map.serialize_entry(name, &write_moment(summary.created_at)),
        PromptField::UpdatedAt => map.serialize_entry(name, &write_moment(summary.updated_at)),
        PromptField::Context => rest.map_or(Ok(()), |rest| map.serialize_entry(name, &rest.context)),
        PromptField::Steps => rest.map_or(Ok(()), |rest| map.serialize_entry(name, &rest.steps)),
        PromptField::ModelMetadata => rest.map_or(Ok(()), |rest| map.serialize_entry(name, &rest.model_metadata)),
    }
}

impl JsonSchema for SelectedPrompt {
    fn schema_name() -> Cow<'static, str> {
        "SelectedPrompt".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Prompt::json_schema(generator);
        schema.insert("description".to_owned(), Value::from("A prompt, reduced to the chosen fields."));
        schema.insert("required".to_owned(), json!(["id"]));
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::samples;

    fn written(selected: &SelectedPrompt) -> Value {
        serde_json::to_value(selected).unwrap()
    }

    #[test]
    fn all_fields_are_written_as_a_prompt_is_and_have_its_names() {
        let prompt = samples::prompt(7);
        let whole = serde_json::to_string(&prompt).unwrap();
        let selected = SelectedPrompt::of_whole(prompt.clone(), PromptFields::ALL);
        assert_eq!(serde_json::to_string(&selected).unwrap(), whole);
        let Value::Object(fields) = serde_json::to_value(&prompt).unwrap() else { panic!("an object") };
        assert_eq!(fields.keys().map(String::as_str).collect::<Vec<_>>(), PromptFields::NAMES);
    }

    #[test]
    fn each_field_is_written_alone_with_the_id() {
        let prompt = samples::prompt(7);
        let Value::Object(whole) = serde_json::to_value(&prompt).unwrap() else { panic!("an object") };
        for name in PromptFields::NAMES {
            let fields = PromptFields::named(&[(*name).to_owned()]);
            let expected: serde_json::Map<String, Value> = whole
                .iter()
                .filter(|(key, _)| *key == "id" || key == name)
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect();
            let of_whole = written(&SelectedPrompt::of_whole(prompt.clone(), fields));
            assert_eq!(of_whole, Value::Object(expected.clone()), "{name}");
            let is_beyond = ["context", "steps", "model_metadata"].contains(name);
            assert_eq!(fields.are_in_a_summary(), !is_beyond, "{name}");
            let of_summary = written(&SelectedPrompt::of_summary(prompt.clone().into(), fields));
            let expected = if is_beyond { json!({ "id": prompt.id }) } else { Value::Object(expected) };
            assert_eq!(of_summary, expected, "{name}");
        }
    }

    #[test]
    fn a_summary_is_the_prompt_without_three_fields() {
        let prompt = samples::prompt(3);
        let Value::Object(mut whole) = serde_json::to_value(&prompt).unwrap() else { panic!("an object") };
        whole.retain(|name, _| !["context", "steps", "model_metadata"].contains(&name.as_str()));
        assert_eq!(serde_json::to_value(PromptSummary::from(prompt)).unwrap(), Value::Object(whole));
        assert!(PromptFields::BRIEF.are_in_a_summary() && !PromptFields::ALL.are_in_a_summary());
    }

    #[test]
    fn names_of_no_field_are_passed_over_and_the_id_is_always_there() {
        assert_eq!(PromptFields::named(&["nonsense".into()]), PromptFields::named(&[]));
        assert_eq!(
            written(&SelectedPrompt::of_whole(samples::prompt(1), PromptFields::named(&[]))).as_object().unwrap().len(),
            1
        );
    }
}
