//! Requests about stored prompts: show, list, history, update, delete.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::field::{Field, Kind};
use super::fields::{FIELDS, FIELDS_BRIEF, fields_from};
use super::filter::{Filters, LIMIT, MODEL, OFFSET, PERSONA, PHASE, PROVIDER, SINCE, TAGS, UNTIL};
use super::{Decoded, Request};
use crate::domain::{Order, PromptFields, PromptId, limits};
use crate::error::Fault;

/// How a user names one prompt.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum PromptKey {
    /// Its whole id.
    Id(PromptId),
    /// A beginning or end of it, six or more hexadecimal digits, dashes dropped, lower case.
    Fragment(String),
    /// The newest.
    Last,
}

impl PromptKey {
    /// Parses what a user wrote.
    ///
    /// # Errors
    /// A sentence that says what an id looks like.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text == "@last" {
            return Ok(Self::Last);
        }
        if let Ok(id) = text.parse() {
            return Ok(Self::Id(id));
        }
        fragment(text, "prompt", "aludel list").map(Self::Fragment)
    }
}

/// Normalises a beginning or end of an id: lower case, no dashes. `command` lists such things.
pub(super) fn fragment(text: &str, thing: &str, command: &str) -> Result<String, String> {
    let digits: String = text.chars().filter(|c| *c != '-').map(|c| c.to_ascii_lowercase()).collect();
    let shown: String = text.chars().take(40).collect();
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_hexdigit()) || digits.len() > 32 {
        return Err(format!(
            "`{shown}` is not a {thing} id: give the id `{command}` shows, six or more of its first or last characters, or @last"
        ));
    }
    if digits.len() < limits::ID_FRAGMENT_CHARS {
        return Err(format!("`{shown}` is too short: give at least {} characters", limits::ID_FRAGMENT_CHARS));
    }
    Ok(digits)
}

impl std::fmt::Display for PromptKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Fragment(digits) => f.write_str(digits),
            Self::Last => f.write_str("@last"),
        }
    }
}

impl From<PromptKey> for String {
    fn from(key: PromptKey) -> Self {
        key.to_string()
    }
}

impl TryFrom<String> for PromptKey {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

pub(super) const PROMPT_ID: Field =
    Field::new("prompt_id", Kind::PromptKey, "The prompt's id, six or more of its first or last characters, or @last.")
        .required();
const CURSOR: Field = Field::new("cursor", Kind::Text { min: 1, max: 1000 }, "The `next_cursor` of the previous page.");
const REVISION: Field = Field::new(
    "revision",
    Kind::Integer { min: 1, max: u32::MAX as u64 },
    "Fail with conflict unless the prompt still has this revision.",
);

/// Asks for one prompt, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShowRequest {
    /// Which prompt.
    pub prompt_id: PromptKey,
}

impl Request for ShowRequest {
    const FIELDS: &'static [Field] = &[PROMPT_ID];

    fn from_decoded(mut values: Decoded) -> Self {
        Self { prompt_id: values.key("prompt_id").unwrap_or(PromptKey::Last) }
    }
}

/// Asks for one prompt, its texts cut to a number of characters, as offered to models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefShowRequest {
    /// Which prompt.
    pub show: ShowRequest,
    /// Most characters of all its texts together.
    pub max_chars: u64,
}

impl Request for BriefShowRequest {
    const FIELDS: &'static [Field] = &[
        PROMPT_ID,
        Field::new(
            "max_chars",
            Kind::Integer { min: 1, max: limits::MAX_SHOWN_CHARS },
            "Maximum characters of all its texts together; 20000 by default. Longer texts are cut and listed in `cut`.",
        ),
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        let max_chars = values.integer("max_chars").unwrap_or(limits::SHOWN_CHARS);
        Self { show: ShowRequest::from_decoded(values), max_chars }
    }
}

/// Asks for a page of a list whose order and page size the program chooses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CursorRequest {
    /// Where the last page ended.
    pub cursor: Option<String>,
}

impl Request for CursorRequest {
    const FIELDS: &'static [Field] = &[CURSOR];

    fn from_decoded(mut values: Decoded) -> Self {
        Self { cursor: values.text("cursor") }
    }
}

const SORT: Field = Field::new("sort", Kind::Choice(&["newest", "oldest", "score"]), "The order; newest by default.");

/// Asks for a page of prompts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListRequest {
    /// Most rows; 10 by default.
    pub limit: Option<u32>,
    /// Rows to skip.
    pub offset: u64,
    /// Where the last page ended.
    pub cursor: Option<String>,
    /// Which prompts.
    pub filters: Filters,
    /// In which order.
    pub sort: Order,
    /// Which fields of each; all by default.
    pub fields: Option<PromptFields>,
}

impl Request for ListRequest {
    const FIELDS: &'static [Field] =
        &[LIMIT, OFFSET, CURSOR, PHASE, PROVIDER, MODEL, PERSONA, TAGS, SINCE, UNTIL, SORT, FIELDS];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            limit: values.count("limit"),
            offset: values.integer("offset").unwrap_or(0),
            cursor: values.text("cursor"),
            filters: Filters::from_decoded(&mut values),
            sort: match values.text("sort").as_deref() {
                Some("oldest") => Order::Oldest,
                Some("score") => Order::Score,
                _ => Order::Newest,
            },
            fields: fields_from(&mut values),
        }
    }
}

/// Asks for a page of prompts with brief fields, as offered to models.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BriefListRequest(ListRequest);

impl Request for BriefListRequest {
    const FIELDS: &'static [Field] =
        &[LIMIT, OFFSET, CURSOR, PHASE, PROVIDER, MODEL, PERSONA, TAGS, SINCE, UNTIL, SORT, FIELDS_BRIEF];

    fn from_decoded(values: Decoded) -> Self {
        let request = ListRequest::from_decoded(values);
        Self(ListRequest { fields: request.fields.or(Some(PromptFields::BRIEF)), ..request })
    }
}

impl From<BriefListRequest> for ListRequest {
    fn from(BriefListRequest(request): BriefListRequest) -> Self {
        request
    }
}

/// Asks for a page of runs with their variants, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryRequest {
    /// Most runs; 10 by default.
    pub limit: Option<u32>,
    /// Runs to skip.
    pub offset: u64,
    /// Where the last page ended.
    pub cursor: Option<String>,
}

impl Request for HistoryRequest {
    const FIELDS: &'static [Field] = &[LIMIT, OFFSET, CURSOR];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            limit: values.count("limit"),
            offset: values.integer("offset").unwrap_or(0),
            cursor: values.text("cursor"),
        }
    }
}

/// Changes one prompt. New content makes a child prompt; everything else changes in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateRequest {
    /// Which prompt.
    pub prompt_id: PromptKey,
    /// Replaces all tags.
    pub tags: Option<Vec<String>>,
    /// Adds these.
    pub add_tags: Vec<String>,
    /// Removes these.
    pub remove_tags: Vec<String>,
    /// Replaces the notes; `Some(None)` removes them.
    pub notes: Option<Option<String>>,
    /// New content.
    pub content: Option<String>,
    /// If set, fails with `conflict` unless this is the current revision.
    pub revision: Option<u32>,
}

impl Request for UpdateRequest {
    const FIELDS: &'static [Field] = &[
        PROMPT_ID,
        Field::new("tags", Kind::Tags, "Replaces all tags."),
        Field::new("add_tags", Kind::Tags, "Adds these tags."),
        Field::new("remove_tags", Kind::Tags, "Removes these tags."),
        Field::new("notes", Kind::Text { min: 0, max: limits::TEXT_CHARS }, "Replaces the notes; null removes them.")
            .nullable(),
        Field::new(
            "content",
            Kind::Text { min: 1, max: limits::TEXT_CHARS },
            "New content: makes a new prompt derived from this one, and returns it.",
        ),
        REVISION,
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            prompt_id: values.key("prompt_id").unwrap_or(PromptKey::Last),
            tags: values.texts("tags"),
            add_tags: values.texts("add_tags").unwrap_or_default(),
            remove_tags: values.texts("remove_tags").unwrap_or_default(),
            notes: values.nullable_text("notes"),
            content: values.text("content"),
            revision: values.count("revision"),
        }
    }

    fn rules() -> Vec<Value> {
        let changes = |field: &str, value: Value| json!({ "required": [field], "properties": { field: value } });
        let some = json!({ "type": "array", "minItems": 1 });
        vec![json!({ "anyOf": [
            changes("tags", json!({ "type": "array" })),
            changes("add_tags", some.clone()),
            changes("remove_tags", some),
            { "required": ["notes"] },
            changes("content", json!({ "type": "string" }))
        ] })]
    }

    fn cross_check(&self) -> Vec<Fault> {
        let idle = self.tags.is_none()
            && self.add_tags.is_empty()
            && self.remove_tags.is_empty()
            && self.notes.is_none()
            && self.content.is_none();
        if idle {
            return vec![Fault::new(
                "prompt_id",
                "names nothing to change: give tags, add_tags, remove_tags, notes or content",
            )];
        }
        Vec::new()
    }
}

/// Deletes these prompts, or all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeleteRequest {
    /// Which prompts.
    pub prompt_ids: Vec<PromptKey>,
    /// All of them.
    pub all: bool,
    /// If set, fails with `conflict` unless this is the current revision of each.
    pub revision: Option<u32>,
    /// Deletes for good instead of moving to the trash.
    pub forever: bool,
}

const FOREVER: Field =
    Field::new("forever", Kind::Boolean, "Delete for good instead of moving to the trash; false by default.");

impl Request for DeleteRequest {
    const FIELDS: &'static [Field] = &[
        Field::new(
            "prompt_ids",
            Kind::PromptKeys { min: 1, max: limits::MAX_DELETIONS },
            "The prompts to delete, by id.",
        ),
        Field::new("all", Kind::Boolean, "Delete every stored prompt; false by default."),
        Field::new(
            "revision",
            Kind::Integer { min: 1, max: u32::MAX as u64 },
            "Fail with conflict unless each prompt still has this revision.",
        ),
        FOREVER,
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            prompt_ids: values.keys("prompt_ids").unwrap_or_default(),
            all: values.boolean("all").unwrap_or(false),
            revision: values.count("revision"),
            forever: values.boolean("forever").unwrap_or(false),
        }
    }

    fn cross_check(&self) -> Vec<Fault> {
        match (self.prompt_ids.is_empty(), self.all) {
            (true, false) => vec![Fault::new("prompt_ids", "names nothing to delete: give ids, or ask for all")],
            (false, true) => vec![Fault::new("all", "cannot be combined with ids: give one or the other")],
            _ => Vec::new(),
        }
    }
}

/// Deletes one prompt, for faces whose requests name a single prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeleteOneRequest {
    /// Which prompt.
    pub prompt_id: PromptKey,
    /// If set, fails with `conflict` unless this is the current revision.
    pub revision: Option<u32>,
    /// Deletes for good instead of moving to the trash.
    pub forever: bool,
}

impl Request for DeleteOneRequest {
    const FIELDS: &'static [Field] = &[PROMPT_ID, REVISION, FOREVER];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            prompt_id: values.key("prompt_id").unwrap_or(PromptKey::Last),
            revision: values.count("revision"),
            forever: values.boolean("forever").unwrap_or(false),
        }
    }
}

impl From<DeleteOneRequest> for DeleteRequest {
    fn from(one: DeleteOneRequest) -> Self {
        Self { prompt_ids: vec![one.prompt_id], all: false, revision: one.revision, forever: one.forever }
    }
}
