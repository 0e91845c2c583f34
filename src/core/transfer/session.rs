//! What a record tells of the run its prompt came from.
//!
//! A run is more than the prompts that came of it: how many variants were asked for is known of it alone, where some
//! failed. So an export writes the run with each of its prompts, but for what the prompt says already: its id, and the
//! input where that is the same. A record without one (a file of an older version, or somebody's own) brings a run told
//! from the prompt, which the store makes.

use serde::{Deserialize, Serialize};

use super::record::{MAX_STEPS, check_name};
use crate::api::limits;
use crate::domain::{Phase, Prompt, Timestamp};
use crate::error::Fault;
use crate::store::Session;

/// The member of a record that holds it.
pub(super) const NAME: &str = "session";

/// The members it has.
pub(super) const FIELDS: [&str; 6] = ["operation", "original_input", "phases", "persona", "count", "created_at"];

/// A prompt and its run, as they are written.
#[derive(Debug, Serialize)]
pub(super) struct Written<'a> {
    #[serde(flatten)]
    pub(super) prompt: &'a Prompt,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<Facts>,
}

/// A record as it is read back, to see that it says what was written.
#[derive(Debug, Deserialize)]
pub(super) struct Read {
    #[serde(flatten)]
    prompt: Prompt,
    #[serde(default)]
    session: Option<Facts>,
}

impl Read {
    /// True when it says what was written, to the letter.
    pub(super) fn is(&self, written: &Written<'_>) -> bool {
        self.prompt == *written.prompt && self.session == written.session
    }
}

/// A run, but for what its prompt says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Facts {
    operation: String,
    /// Left out where it is the prompt's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    original_input: Option<String>,
    phases: Vec<Phase>,
    persona: String,
    count: u32,
    #[serde(with = "crate::domain::moment::written")]
    created_at: Timestamp,
}

impl Facts {
    /// Of this run, beside this prompt of it.
    pub(super) fn of(session: &Session, prompt: &Prompt) -> Self {
        let Session { id: _, operation, original_input, phases, persona, count, created_at } = session.clone();
        let original_input = Some(original_input).filter(|input| *input != prompt.original_input);
        Self { operation, original_input, phases, persona, count, created_at }
    }

    /// The run, whole.
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

    /// What is over the limits of the contract, or no name.
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
