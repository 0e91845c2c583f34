//! The field that chooses which fields of each prompt a list or a search returns.

use super::Decoded;
use super::field::{Field, Kind};
use crate::domain::PromptFields;

/// The field for the choice.
pub(super) const FIELDS: Field = Field::new(
    "fields",
    Kind::Choices(PromptFields::NAMES),
    "Only these fields of each prompt, and its id; all by default. Leaving out context, steps and model_metadata reads less.",
);

/// The same for models, which pay for every token.
pub(super) const FIELDS_BRIEF: Field = FIELDS.with_doc(
    "Only these fields of each prompt, and its id. By default those that distinguish prompts: session_id, variant, \
     original_input, persona, provider, model, tags, notes, strategy, score, created_at. get_prompt_details returns one \
     prompt whole.",
);

/// The chosen fields.
pub(super) fn fields_from(values: &mut Decoded) -> Option<PromptFields> {
    values.texts("fields").map(|names| PromptFields::named(&names))
}
