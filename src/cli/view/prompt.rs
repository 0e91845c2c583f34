//! One prompt in full: its facts, its text, and every step that led to it.

use aludel_core::domain::{ModelMetadata, Prompt, write_moment};
use aludel_core::provider::builtin::MODEL;
use aludel_core::text::shown::escape_line;
use textwrap::core::display_width;

use super::page::{Page, Role};
use super::table::broken_to;
use super::words::{count_of, one_line, span, spent, thousands};
use crate::cli::shown::EscapedText;
use crate::cli::view::symbols::{DOT, NONE};

/// Writes a prompt with its steps.
pub(crate) fn prompt(page: &mut Page, prompt: &Prompt) {
    page.rule(&format!("prompt {}", prompt.id.short()));
    facts(page, prompt);
    page.gap();
    page.text(&prompt.content);
    for (position, step) in prompt.steps.iter().enumerate() {
        page.gap();
        page.rule(&format!("step {} of {}{DOT}{}", position + 1, prompt.steps.len(), step.phase));
        let made = format!("{}{DOT}{}", by(&step.provider, &step.model), account(&step.model_metadata));
        page.paragraph(Role::Faint, &made, 2);
        if step.content == prompt.content {
            page.painted(Role::Faint, "its text is the prompt above");
        } else {
            page.gap();
            page.text(&step.content);
        }
    }
}

/// The facts about a prompt, one per line.
fn facts(page: &mut Page, prompt: &Prompt) {
    let parent = prompt.parent_id.map(|id| id.to_string()).unwrap_or_default();
    let facts = [
        ("id", prompt.id.to_string()),
        ("input", one_line(&prompt.original_input)),
        ("score", prompt.score.map(|score| format!("{score:.2}")).unwrap_or_default()),
        ("strategy", prompt.strategy.clone()),
        ("persona", prompt.persona.clone()),
        ("phase", prompt.phase.to_string()),
        ("model", by(&prompt.provider, &prompt.model)),
        (
            "settings",
            format!(
                "temperature {}, at most {} tokens a phase",
                prompt.temperature,
                thousands(prompt.max_tokens.into())
            ),
        ),
        ("tags", prompt.tags.join(", ")),
        ("context", prompt.context.iter().map(|text| one_line(text)).collect::<Vec<_>>().join("; ")),
        ("notes", prompt.notes.as_deref().map(one_line).unwrap_or_default()),
        ("source", prompt.source.as_str().to_owned()),
        ("parent", parent),
        ("run", format!("{}, variant {}", prompt.session_id, prompt.variant + 1)),
        ("revision", prompt.revision.to_string()),
        ("made", write_moment(prompt.created_at)),
        (
            "changed",
            if prompt.updated_at == prompt.created_at { String::new() } else { write_moment(prompt.updated_at) },
        ),
        ("took", account(&prompt.model_metadata)),
    ];
    write_facts(page, &facts);
}

/// The result of a change: the prompt's id and its editable fields.
pub(crate) fn changed(page: &mut Page, prompt: &Prompt) {
    let parent = prompt.parent_id.map(|parent| parent.to_string()).unwrap_or_default();
    let is_new = prompt.revision == 1;
    page.rule(&format!("{} {}", if is_new { "stored as" } else { "changed" }, prompt.id.short()));
    let none = |text: String| if text.is_empty() { NONE.to_string() } else { text };
    let facts = [
        ("id", prompt.id.to_string()),
        ("parent", parent),
        ("tags", none(prompt.tags.join(", "))),
        ("notes", none(prompt.notes.as_deref().map(one_line).unwrap_or_default())),
        ("revision", prompt.revision.to_string()),
    ];
    write_facts(page, &facts);
}

/// Columns of a fact's name.
const LABEL: usize = 10;

/// Facts that can be as long as a prompt and are cut to one line.
const LONG_TEXTS: [&str; 4] = ["input", "context", "notes", "children"];

/// Most lines of a fact that does not fit next to its name.
const MOST_LINES: usize = 3;

/// Writes facts, one per line; empty ones are left out.
pub(super) fn write_facts(page: &mut Page, facts: &[(&str, String)]) {
    for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        let label = page.paint().text(Role::Faint, &format!("{name:<9}"));
        let value = escape_line(value).into_owned();
        let role = if *name == "id" { Role::Handle } else { Role::Body };
        let room = page.width().saturating_sub(LABEL);
        if page.is_terminal() && value.split(' ').any(|word| display_width(word) > room) {
            // An id does not fit next to its name; on lines of its own, none of it is cut.
            page.line(label.trimmed_at_the_end());
            let width = page.width().saturating_sub(2);
            let mut parts = broken_to(&value, width);
            if parts.len() > MOST_LINES {
                let rest = parts.split_off(MOST_LINES - 1).concat();
                parts.push(super::cut(&rest, width));
            }
            for part in &parts {
                page.line(EscapedText::of_parts(["  ".into(), page.paint().text(role, part)]));
            }
            continue;
        }
        let lines = match () {
            () if !page.is_terminal() => vec![value],
            () if LONG_TEXTS.contains(name) => vec![super::cut(&value, room)],
            () => broken_to(&value, room),
        };
        for (position, line) in lines.iter().enumerate() {
            let before = if position == 0 { label.clone() } else { EscapedText::from(" ".repeat(LABEL - 1)) };
            page.line(EscapedText::of_parts([before, " ".into(), page.paint().text(role, line)]));
        }
    }
}

/// The writer: `provider/model`. The built-in writer is marked as no language model.
pub(crate) fn by(provider: &str, model: &str) -> String {
    match (provider, model) {
        (_, MODEL) => format!("{provider} (no language model)"),
        (provider, "") => provider.to_owned(),
        (provider, model) => format!("{provider}/{model}"),
    }
}

/// The figures of calls: calls, tokens, cost, time, and anything unusual.
pub(crate) fn account(metadata: &ModelMetadata) -> String {
    let mut parts = vec![
        format!(
            "{}{} tokens ({} in, {} out)",
            if metadata.estimated { "~" } else { "" },
            thousands(metadata.total_tokens),
            thousands(metadata.input_tokens),
            thousands(metadata.output_tokens)
        ),
        span(metadata.latency_ms),
        spent(metadata),
    ];
    if metadata.calls > 1 {
        parts.insert(0, count_of(metadata.calls.into(), "call"));
    }
    if metadata.retries > 0 {
        parts.push(count_of(metadata.retries.into(), "retry").replace("retrys", "retries"));
    }
    if metadata.cached {
        parts.push("from the cache".into());
    }
    if let Some(provider) = &metadata.fallback_from {
        parts.push(format!("in place of {provider}"));
    }
    parts.join(DOT.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::view::{Paint, samples};

    #[test]
    fn a_prompt_is_shown_with_its_facts_and_every_step() {
        let mut page = Page::new(Paint::Plain, 80, false);
        prompt(&mut page, &samples::result().prompts[0]);
        insta::assert_snapshot!(&*page.finish());
    }
}
