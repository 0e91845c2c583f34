//! The names of sections, for each family of models in English, whatever the language of the request: models take it as markup.

use super::document::SectionId;
use crate::provider::TargetFamily;

/// The title of a section; for XML sections a name of small letters and underscores.
pub(super) fn heading(id: SectionId, target: TargetFamily) -> String {
    if target == TargetFamily::Claude {
        return tag(id).to_owned();
    }
    english(id, target).to_owned()
}

const fn tag(id: SectionId) -> &'static str {
    match id {
        SectionId::Task => "task",
        SectionId::Context => "context",
        SectionId::Material => "material",
        SectionId::Requirements => "requirements",
        SectionId::Avoid => "avoid",
        SectionId::Guidelines => "guidelines",
        SectionId::Steps => "steps",
        SectionId::Example => "example_first",
        SectionId::Questions => "open_points",
        SectionId::Output | SectionId::Closing => "output_format",
        SectionId::Checks => "acceptance_checks",
        SectionId::Findings => "findings",
    }
}

const fn english(id: SectionId, target: TargetFamily) -> &'static str {
    match (id, target) {
        (SectionId::Task, _) => "Task",
        (SectionId::Context, _) => "Context",
        (SectionId::Material, _) => "Material",
        (SectionId::Requirements, TargetFamily::Llama) => "Rules",
        (SectionId::Requirements, _) => "Requirements",
        (SectionId::Avoid, _) => "Avoid",
        (SectionId::Guidelines, TargetFamily::Gpt) => "Instructions",
        (SectionId::Guidelines, _) => "Guidelines",
        (SectionId::Steps, _) => "Steps",
        (SectionId::Example, _) => "Example first",
        (SectionId::Questions, _) => "Open points",
        (SectionId::Output | SectionId::Closing, TargetFamily::Llama) => "Format",
        (SectionId::Output | SectionId::Closing, _) => "Output format",
        (SectionId::Checks, _) => "Acceptance checks",
        (SectionId::Findings, _) => "Findings",
    }
}
