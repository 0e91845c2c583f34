//! The run of a record's prompt.
//!
//! A run has information its prompts lack: the number of variants requested, of which some may have
//! failed. So an export writes the run with each of its prompts, without what the prompt already
//! has: the id, and the input if it is the same. For a record without a run (an older version's
//! file, or a user's own) the store derives one from the prompt.

use serde::{Deserialize, Serialize};

use super::record::{MAX_STEPS, check_name};
use crate::domain::{Phase, Prompt, Timestamp, limits};
use crate::error::{Error, Fault, Result};
use crate::store::Session;

/// The member of a record with the run.
pub(super) const NAME: &str = "session";

/// The members of the run.
pub(super) const FIELDS: [&str; 6] = ["operation", "original_input", "phases", "persona", "count", "created_at"];

/// A prompt and its run, as written.
#[derive(Debug, Serialize)]
pub(super) struct PromptRecord<'a> {
    #[serde(flatten)]
    pub(super) prompt: &'a Prompt,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<RunRecord>,
}

/// A prompt, or a part of it, as JSON.
///
/// # Errors
/// `internal`.
pub(super) fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Internal(format!("a prompt cannot be serialized: {error}")))
}

/// A record as read back, to check what was written.
#[derive(Debug, Deserialize)]
pub(super) struct Read {
    #[serde(flatten)]
    prompt: Prompt,
    #[serde(default)]
    session: Option<RunRecord>,
}

impl Read {
    /// True if it equals what was written.
    pub(super) fn is(&self, written: &PromptRecord<'_>) -> bool {
        self.prompt == *written.prompt && self.session == written.session
    }
}

/// A run without what its prompt has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RunRecord {
    operation: String,
    /// Omitted if it is the prompt's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    original_input: Option<String>,
    phases: Vec<Phase>,
    persona: String,
    count: u32,
    #[serde(with = "crate::domain::moment::written")]
    created_at: Timestamp,
}

impl RunRecord {
    /// The run's part that is not in the prompt.
    pub(super) fn of(session: &Session, prompt: &Prompt) -> Self {
        let Session { id: _, operation, original_input, phases, persona, count, created_at } = session.clone();
        let original_input = Some(original_input).filter(|input| *input != prompt.original_input);
        Self { operation, original_input, phases, persona, count, created_at }
    }

    /// The complete run.
    pub(super) fn beside(self, prompt: &Prompt) -> Session {
        let Self { operation, original_input, phases, persona, count, created_at } = self;
        Session {
            id: prompt.session_id,
            operation,
            original_input: original_input.unwrap_or_else(|| prompt.original_input.clone()),
            phases,
            persona,
            count,
            created_at: crate::time::from_millis(created_at.as_millisecond()),
        }
    }

    /// The values over the limits of the contract, and invalid names.
    pub(super) fn faults(&self) -> Vec<Fault> {
        let input = self.original_input.as_deref().unwrap_or_default();
        let texts = [
            ("operation", self.operation.as_str(), limits::NAME_CHARS),
            ("persona", &self.persona, limits::NAME_CHARS),
            ("original_input", input, limits::TEXT_CHARS),
        ];
        let too_long = texts.into_iter().filter(|(_, text, most)| text.len() > *most && text.chars().count() > *most);
        let mut faults: Vec<Fault> = too_long
            .map(|(name, _, most)| {
                Fault::new(format!("{NAME}.{name}"), format!("is longer than {most} characters: shorten it"))
            })
            .collect();
        for (name, text) in [("operation", &self.operation), ("persona", &self.persona)] {
            check_name(&format!("{NAME}.{name}"), text, &mut faults);
        }
        if self.phases.len() > MAX_STEPS {
            let message = format!("has {} phases; at most {MAX_STEPS} are allowed", self.phases.len());
            faults.push(Fault::new(format!("{NAME}.phases"), message));
        }
        faults
    }
}
