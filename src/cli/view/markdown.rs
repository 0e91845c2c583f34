//! Results as Markdown documents.
//!
//! Prompts are fenced with more backticks than they contain, so a prompt with code stays whole.

use std::fmt::Write;

use aludel_core::domain::{FoundPrompt, ListedPrompt, Prompt, Ranking, Step, write_moment};
use aludel_core::store::SessionWithPrompts;
use aludel_core::text::markdown::{escaped, fenced};

use super::generation::{Summary, equal};
use super::list::{footnote, repeat};
use super::prompt::{account, by};
use super::search::matched_by;
use super::select::sureness;
use super::words::one_line;

/// A whole result.
pub(crate) fn document_of_generation(summary: Summary<'_>) -> String {
    let result = summary.result;
    let input = result.prompts.first().map(|prompt| one_line(&prompt.original_input)).unwrap_or_default();
    let mut text = format!("# Prompts: {}\n\n", escaped(&input));
    let _ = writeln!(text, "Run `{}`: {}.\n", result.session_id, account(&result.model_metadata));
    if !result.rankings.is_empty() {
        rankings(&mut text, summary);
    }
    if let Some(selected) = &result.selected {
        let _ = writeln!(
            text,
            "Chosen by the judge: `{}`. {} {}\n",
            selected.prompt.id.short(),
            sureness(selected),
            escaped(&one_line(&selected.reasoning))
        );
    }
    for (position, prompt) in result.prompts.iter().enumerate() {
        let _ = writeln!(text, "## {}. `{}`\n", position + 1, prompt.id.short());
        body_of_prompt(&mut text, prompt, "###");
    }
    bullets(
        &mut text,
        "Failures",
        result.failures.iter().map(|failure| {
            let place = failure.phase.map(|phase| format!(" in {phase}")).unwrap_or_default();
            format!("variant {}{place}: {}", failure.variant + 1, failure.error.detail)
        }),
    );
    bullets(&mut text, "Warnings", super::generation::warnings(result).cloned());
    ended_once(text)
}

/// One prompt.
pub(crate) fn document_of_prompt(prompt: &Prompt) -> String {
    let mut text = format!("# Prompt `{}`\n\n", prompt.id.short());
    body_of_prompt(&mut text, prompt, "##");
    ended_once(text)
}

/// A page of prompts as a table.
pub(crate) fn document_of_list(prompts: &[ListedPrompt]) -> String {
    let repeats = prompts.iter().any(|listed| listed.near_duplicate_of.is_some());
    let mut text = table_of(prompts.iter().map(|listed| (&listed.prompt, listed.near_duplicate_of.is_some())));
    if repeats {
        let _ = writeln!(text, "\n{}", footnote());
    }
    text
}

/// Search results as a table, with matches in bold.
pub(crate) fn document_of_found(found: &[FoundPrompt]) -> String {
    let mut text =
        String::from("| id | match | made | persona | tags | input | text |\n|---|---|---|---|---|---|---|\n");
    for FoundPrompt { prompt, matched, near_duplicate_of } in found {
        let _ = writeln!(
            text,
            "| `{}`{} | {} | {} | {} | {} | {} | {} |",
            prompt.id,
            if near_duplicate_of.is_some() { repeat() } else { String::new() },
            matched_by(matched),
            write_moment(prompt.created_at),
            escaped(&prompt.persona),
            escaped(&prompt.tags.join(", ")),
            escaped(&one_line(&prompt.original_input)),
            bold(&matched.snippet, &matched.marks)
        );
    }
    if found.iter().any(|found| found.near_duplicate_of.is_some()) {
        let _ = writeln!(text, "\n{}", footnote());
    }
    text
}

/// A passage, escaped, with matches in bold.
fn bold(snippet: &str, marks: &[(u32, u32)]) -> String {
    let characters: Vec<char> = snippet.chars().collect();
    let piece = |from: usize, to: usize| characters.get(from..to).unwrap_or_default().iter().collect::<String>();
    let (mut text, mut at) = (String::new(), 0);
    for (from, to) in marks.iter().map(|(from, to)| (*from as usize, *to as usize)) {
        text.push_str(&escaped(&piece(at, from)));
        let _ = write!(text, "**{}**", escaped(&piece(from, to)));
        at = to;
    }
    text.push_str(&escaped(&piece(at, characters.len())));
    one_line_kept(&text)
}

/// The text without line ends; blanks are unchanged.
fn one_line_kept(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

fn table_of<'a>(prompts: impl Iterator<Item = (&'a Prompt, bool)>) -> String {
    let mut text = String::from("| id | score | made | persona | tags | input |\n|---|---:|---|---|---|---|\n");
    for (prompt, is_repeat) in prompts {
        let _ = writeln!(
            text,
            "| `{}`{} | {} | {} | {} | {} | {} |",
            prompt.id,
            if is_repeat { repeat() } else { String::new() },
            prompt.score.map(|score| format!("{score:.2}")).unwrap_or_default(),
            write_moment(prompt.created_at),
            escaped(&prompt.persona),
            escaped(&prompt.tags.join(", ")),
            escaped(&one_line(&prompt.original_input))
        );
    }
    text
}

/// Runs with their variants.
pub(crate) fn document_of_history(sessions: &[SessionWithPrompts]) -> String {
    let mut text = String::new();
    for SessionWithPrompts { session, prompts } in sessions {
        let _ = writeln!(text, "## {}\n", escaped(&one_line(&session.original_input)));
        let _ = writeln!(
            text,
            "Run `{}`, {}, persona {}.\n",
            session.id,
            write_moment(session.created_at),
            escaped(&session.persona)
        );
        text.push_str(&table_of(prompts.iter().map(|prompt| (prompt, false))));
        text.push('\n');
    }
    ended_once(text)
}

fn rankings(text: &mut String, summary: Summary<'_>) {
    let rankings = &summary.result.rankings;
    let names: Vec<&String> = rankings.iter().flat_map(|ranking| ranking.components.keys()).collect();
    let mut distinct: Vec<&String> = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    let titles: Vec<String> = distinct
        .iter()
        .map(|name| {
            let weight = rankings.first().and_then(|ranking| ranking.weights.get(*name)).copied().unwrap_or(0.0);
            format!("{name} (weight {weight:.2})")
        })
        .collect();
    let _ = writeln!(text, "| rank | prompt | score | {} |", titles.join(" | "));
    let _ = writeln!(text, "|---:|---|---:|{}", "---:|".repeat(distinct.len()));
    let is_equal = |ranking: &Ranking| rankings.iter().filter(|other| other.level == ranking.level).count() > 1;
    for ranking in rankings {
        let values: Vec<String> = distinct
            .iter()
            .map(|name| ranking.components.get(*name).map(|value| format!("{value:.2}")).unwrap_or_default())
            .collect();
        let _ = writeln!(
            text,
            "| {} | `{}` | {}{:.2} | {} |",
            ranking.rank,
            ranking.prompt_id.short(),
            if is_equal(ranking) { "≈ " } else { "" },
            ranking.score,
            values.join(" | ")
        );
    }
    if rankings.iter().any(is_equal) {
        let _ = write!(text, "\n{}\n", equal("≈"));
    }
    text.push('\n');
}

fn body_of_prompt(text: &mut String, prompt: &Prompt, heading: &str) {
    text.push_str(&fenced(&prompt.content));
    let facts = [
        ("id", format!("`{}`", prompt.id)),
        ("input", escaped(&one_line(&prompt.original_input))),
        ("score", prompt.score.map(|score| format!("{score:.2}")).unwrap_or_default()),
        ("strategy", escaped(&prompt.strategy)),
        ("persona", escaped(&prompt.persona)),
        ("model", escaped(&by(&prompt.provider, &prompt.model))),
        ("tags", escaped(&prompt.tags.join(", "))),
        ("notes", escaped(&prompt.notes.as_deref().map(one_line).unwrap_or_default())),
        ("parent", prompt.parent_id.map(|id| format!("`{id}`")).unwrap_or_default()),
        ("made", write_moment(prompt.created_at)),
        ("took", account(&prompt.model_metadata)),
    ];
    text.push('\n');
    for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(text, "- {name}: {value}");
    }
    text.push('\n');
    for step in &prompt.steps {
        step_of_prompt(text, prompt, step, heading);
    }
}

fn step_of_prompt(text: &mut String, prompt: &Prompt, step: &Step, heading: &str) {
    let _ = writeln!(text, "{heading} {}\n", step.phase);
    let _ = writeln!(text, "{}: {}\n", escaped(&by(&step.provider, &step.model)), account(&step.model_metadata));
    let is_above = step.content == prompt.content;
    text.push_str(&if is_above { "Its text is the prompt above.\n".to_owned() } else { fenced(&step.content) });
    text.push('\n');
}

fn bullets(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "## {title}\n");
    for line in lines {
        // Our own sentences are Markdown already: they quote with backticks.
        let _ = writeln!(text, "- {}", one_line(&line).replace('<', "\\<"));
    }
    text.push('\n');
}

fn ended_once(mut text: String) -> String {
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::view::samples;

    #[test]
    fn a_result_is_a_document() {
        insta::assert_snapshot!(document_of_generation(Summary { result: &samples::result(), elapsed_ms: 1 }));
    }
}
