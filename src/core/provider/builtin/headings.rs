//! The names of sections, for each family of models and in a few languages.

use super::document::SectionId;
use crate::provider::TargetFamily;
use crate::text::language::Language;

/// The title of a section; for XML sections a name of small letters and underscores.
pub(super) fn heading(id: SectionId, target: TargetFamily, language: Language) -> String {
    if target == TargetFamily::Claude {
        return tag(id).to_owned();
    }
    let title = match language {
        Language::German => german(id),
        Language::French => french(id),
        Language::Spanish => spanish(id),
        _ => english(id, target),
    };
    title.to_owned()
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

const fn german(id: SectionId) -> &'static str {
    match id {
        SectionId::Task => "Aufgabe",
        SectionId::Context => "Kontext",
        SectionId::Material => "Material",
        SectionId::Requirements => "Anforderungen",
        SectionId::Avoid => "Vermeiden",
        SectionId::Guidelines => "Leitlinien",
        SectionId::Steps => "Vorgehen",
        SectionId::Example => "Zuerst ein Beispiel",
        SectionId::Questions => "Offene Punkte",
        SectionId::Output | SectionId::Closing => "Ausgabeformat",
        SectionId::Checks => "Prüfpunkte",
        SectionId::Findings => "Befund",
    }
}

const fn french(id: SectionId) -> &'static str {
    match id {
        SectionId::Task => "Tâche",
        SectionId::Context => "Contexte",
        SectionId::Material => "Matériel",
        SectionId::Requirements => "Exigences",
        SectionId::Avoid => "À éviter",
        SectionId::Guidelines => "Consignes",
        SectionId::Steps => "Étapes",
        SectionId::Example => "Un exemple d'abord",
        SectionId::Questions => "Points ouverts",
        SectionId::Output | SectionId::Closing => "Format de sortie",
        SectionId::Checks => "Critères de réussite",
        SectionId::Findings => "Analyse",
    }
}

const fn spanish(id: SectionId) -> &'static str {
    match id {
        SectionId::Task => "Tarea",
        SectionId::Context => "Contexto",
        SectionId::Material => "Material",
        SectionId::Requirements => "Requisitos",
        SectionId::Avoid => "Evitar",
        SectionId::Guidelines => "Pautas",
        SectionId::Steps => "Pasos",
        SectionId::Example => "Primero un ejemplo",
        SectionId::Questions => "Puntos abiertos",
        SectionId::Output | SectionId::Closing => "Formato de salida",
        SectionId::Checks => "Criterios de aceptación",
        SectionId::Findings => "Análisis",
    }
}
