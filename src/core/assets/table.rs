//! The built-in assets: one row per file of `assets/`.
//!
//! A test compares the rows with the folder. Users see the assets in the order of the rows.

use super::AssetKind;

struct Row {
    kind: AssetKind,
    name: &'static str,
    text: &'static str,
}

macro_rules! row {
    ($kind:ident, $name:literal, $path:literal) => {
        Row { kind: AssetKind::$kind, name: $name, text: include_str!(concat!("../../../assets/", $path)) }
    };
}

const ROWS: &[Row] = &[
    row!(Persona, "code", "personas/code.md"),
    row!(Persona, "writing", "personas/writing.md"),
    row!(Persona, "analysis", "personas/analysis.md"),
    row!(Persona, "generic", "personas/generic.md"),
    row!(Phase, "prima-materia", "phases/prima-materia.md"),
    row!(Phase, "solutio", "phases/solutio.md"),
    row!(Phase, "coagulatio", "phases/coagulatio.md"),
    row!(Strategy, "direct", "strategies/direct.md"),
    row!(Strategy, "stepwise", "strategies/stepwise.md"),
    row!(Strategy, "structured", "strategies/structured.md"),
    row!(Strategy, "example-led", "strategies/example-led.md"),
    row!(Strategy, "question-first", "strategies/question-first.md"),
    row!(Strategy, "constraint-first", "strategies/constraint-first.md"),
    row!(Strategy, "rubric", "strategies/rubric.md"),
    row!(Strategy, "minimal", "strategies/minimal.md"),
    row!(Form, "generic", "forms/generic.md"),
    row!(Form, "gpt", "forms/gpt.md"),
    row!(Form, "claude", "forms/claude.md"),
    row!(Form, "gemini", "forms/gemini.md"),
    row!(Form, "llama", "forms/llama.md"),
    row!(Judge, "compare", "judge/compare.md"),
    row!(Judge, "rate", "judge/rate.md"),
    row!(Rubric, "default", "judge/default.yaml"),
    row!(Rubric, "code", "judge/code.yaml"),
    row!(Rubric, "writing", "judge/writing.yaml"),
    row!(Rubric, "analysis", "judge/analysis.yaml"),
    row!(Rubric, "generic", "judge/generic.yaml"),
    row!(Frame, "general", "frames/general.yaml"),
    row!(Frame, "letter", "frames/letter.yaml"),
    row!(Frame, "post", "frames/post.yaml"),
    row!(Frame, "minutes", "frames/minutes.yaml"),
    row!(Frame, "rewrite", "frames/rewrite.yaml"),
    row!(Frame, "translation", "frames/translation.yaml"),
    row!(Frame, "summary", "frames/summary.yaml"),
    row!(Frame, "extraction", "frames/extraction.yaml"),
    row!(Frame, "classification", "frames/classification.yaml"),
    row!(Frame, "question", "frames/question.yaml"),
    row!(Frame, "explanation", "frames/explanation.yaml"),
    row!(Frame, "decision", "frames/decision.yaml"),
    row!(Frame, "plan", "frames/plan.yaml"),
    row!(Frame, "name", "frames/name.yaml"),
    row!(Frame, "code", "frames/code.yaml"),
    row!(Frame, "error", "frames/error.yaml"),
    row!(Frame, "data", "frames/data.yaml"),
    row!(Frame, "tests", "frames/tests.yaml"),
    row!(Frame, "maths", "frames/maths.yaml"),
    row!(Frame, "clause", "frames/clause.yaml"),
    row!(Frame, "prompt", "frames/prompt.yaml"),
    row!(Frame, "system-prompt", "frames/system-prompt.yaml"),
    row!(Frame, "agent", "frames/agent.yaml"),
    row!(Frame, "template", "frames/template.yaml"),
    row!(Frame, "image", "frames/image.yaml"),
    row!(Frame, "fiction", "frames/fiction.yaml"),
    row!(Frame, "role-play", "frames/role-play.yaml"),
    row!(Catalog, "models", "models.yaml"),
    row!(Theme, "ansi16", "themes/ansi16.yaml"),
    row!(Theme, "dark", "themes/dark.yaml"),
    row!(Theme, "light", "themes/light.yaml"),
    row!(Theme, "high-contrast", "themes/high-contrast.yaml"),
];

/// The names of one kind, in table order.
pub(super) fn names(kind: AssetKind) -> impl Iterator<Item = &'static str> {
    ROWS.iter().filter(move |row| row.kind == kind).map(|row| row.name)
}

/// The text of one asset.
pub(super) fn text(kind: AssetKind, name: &str) -> Option<&'static str> {
    ROWS.iter().find(|row| row.kind == kind && row.name == name).map(|row| row.text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_of_the_folder_is_in_the_table() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
        let mut on_disk = BTreeSet::new();
        for kind in AssetKind::ALL {
            for entry in std::fs::read_dir(root.join(kind.folder())).unwrap().map(Result::unwrap) {
                if entry.file_type().unwrap().is_file() {
                    on_disk.insert(format!("{}/{}", kind.folder(), entry.file_name().to_string_lossy()));
                }
            }
        }
        let in_table: BTreeSet<String> =
            ROWS.iter().map(|row| format!("{}/{}.{}", row.kind.folder(), row.name, row.kind.extension())).collect();
        assert_eq!(in_table, on_disk);
    }
}
