//! Prompts as a Markdown document for reading: a section each, with fenced texts and metadata.
//!
//! Hidden characters are made visible. A fence is longer than any run of backticks in its text,
//! which cannot end it (CommonMark 0.31, section 4.5).

use std::fmt::Write as _;

use crate::domain::{Prompt, write_moment};
use crate::text::markdown::{escaped, fenced};
use crate::text::shown::escape;

/// Characters of the input used as heading.
const HEADING_CHARS: usize = 80;

/// The title of the document.
pub(super) fn title(out: &mut String) {
    out.push_str("# Prompts\n");
}

/// A prompt as a numbered section.
pub(super) fn section(prompt: &Prompt, number: u64, out: &mut String) {
    let mut text = String::new();
    write_section(prompt, number, &mut text);
    out.push_str(&escape(&text));
}

fn write_section(prompt: &Prompt, number: u64, out: &mut String) {
    let input = one_line(&prompt.original_input);
    let heading: String = input.chars().take(HEADING_CHARS).collect();
    let more = if input.chars().count() > HEADING_CHARS { "…" } else { "" };
    let _ = write!(out, "\n## {number}. {}{more}\n\n{}\n", escaped(heading.trim_end()), fenced(&prompt.content));
    let metadata = &prompt.model_metadata;
    let facts = [
        ("id", format!("`{}`", prompt.id)),
        ("session", format!("`{}`", prompt.session_id)),
        ("input", escaped(&input)),
        ("phase", prompt.phase.to_string()),
        ("persona", escaped(&prompt.persona)),
        ("provider", escaped(&prompt.provider)),
        ("model", escaped(&prompt.model)),
        ("strategy", escaped(&prompt.strategy)),
        ("score", prompt.score.map(|score| format!("{score:.2}")).unwrap_or_default()),
        ("tags", escaped(&prompt.tags.join(", "))),
        ("notes", prompt.notes.as_deref().map(|notes| escaped(&one_line(notes))).unwrap_or_default()),
        ("parent", prompt.parent_id.map(|id| format!("`{id}`")).unwrap_or_default()),
        ("source", prompt.source.as_str().to_owned()),
        ("tokens", metadata.total_tokens.to_string()),
        ("cost", metadata.cost_usd.map(|cost| format!("{cost} US dollars")).unwrap_or_default()),
        ("made", write_moment(prompt.created_at)),
        ("changed", write_moment(prompt.updated_at)),
    ];
    for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(out, "- {name}: {value}");
    }
    for (number, context) in prompt.context.iter().enumerate() {
        let _ = write!(out, "\n### Context {}\n\n{}", number + 1, fenced(context));
    }
    for step in &prompt.steps {
        let by = format!("{} {}", escaped(&step.provider), escaped(&step.model));
        let _ = write!(out, "\n### {}\n\n{}\n\n", step.phase, by.trim());
        if step.content == prompt.content {
            out.push_str("Its text is the prompt above.\n");
        } else {
            out.push_str(&fenced(&step.content));
        }
    }
}

fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
