//! The selected prompt in full: its facts, the request, the prompt, and the steps that led to it.

use aludel_core::domain::{MatchKind, ModelMetadata, Prompt, Source, write_moment};

use super::Row;
use crate::tui::widgets::blocks::Blocks;
use crate::tui::widgets::figures::{cost, duration, letter, score, thousands, writer};
use crate::tui::widgets::safe::{safe, safe_line};
use crate::tui::widgets::scroll::Scroll;
use crate::tui::widgets::wrapped::Wrapped;

/// The role of a block of the preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A heading.
    Heading,
    /// A text as stored.
    Text,
    /// An explanation.
    Remark,
    /// A warning.
    Warning,
}

/// A prompt and how it is shown.
#[derive(Debug, Clone)]
pub(crate) struct Preview {
    /// The prompt.
    pub(crate) prompt: Box<Prompt>,
    /// Its scroll position.
    pub(crate) scroll: Scroll,
    /// Its blocks.
    pub(crate) blocks: Blocks<Role>,
}

impl Preview {
    /// Shows `prompt`, whose row is `row`.
    pub(crate) fn new(prompt: Box<Prompt>, row: Option<&Row>) -> Self {
        let mut blocks = Vec::new();
        let mut say = |role, text: &str| blocks.push((role, Wrapped::of(safe(text), 80)));
        for (role, fact) in facts(&prompt, row) {
            say(role, &fact);
        }
        say(Role::Heading, "\nPrompt");
        say(Role::Text, &prompt.content);
        if let Some(notes) = &prompt.notes {
            say(Role::Heading, "\nNotes");
            say(Role::Text, notes);
        }
        say(Role::Heading, "\nIdea");
        say(Role::Text, &prompt.original_input);
        for (number, context) in (1..).zip(&prompt.context) {
            say(Role::Heading, &format!("\nContext {number}"));
            say(Role::Text, context);
        }
        for step in &prompt.steps {
            let who = safe_line(&writer(&step.provider, &step.model));
            say(Role::Heading, &format!("\n{} · {who} · {}", step.phase, account(&step.model_metadata)));
            if step.content == prompt.content {
                say(Role::Remark, "same as the prompt above");
            } else {
                say(Role::Text, &step.content);
            }
        }
        let scroll = Scroll { top: 0, following: false, touched: false };
        Self { prompt, scroll, blocks: Blocks::of(blocks) }
    }

    /// The number of rows.
    pub(crate) const fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The rows from `first` on.
    pub(crate) fn rows(&self, first: usize) -> impl Iterator<Item = (Role, &str)> {
        self.blocks.rows(first)
    }

    /// Wraps it to `width` columns and limits the scroll position to `height` rows.
    pub(crate) fn reflow(&mut self, width: u16, height: usize) {
        self.blocks.set_width(width);
        self.scroll.top = self.scroll.top.min(self.len().saturating_sub(height));
    }
}

/// Facts about it, one paragraph each.
fn facts(prompt: &Prompt, row: Option<&Row>) -> Vec<(Role, String)> {
    let ranked = prompt.score.map_or_else(|| "not ranked".to_owned(), |points| format!("score {}", score(points)));
    let title = format!("{} · {} · {} · {ranked}", prompt.id.short(), letter(prompt.variant), prompt.phase);
    let mut facts = vec![(Role::Heading, title)];
    if let Some(twin) = row.and_then(|row| row.twin) {
        facts.push((Role::Warning, format!("≈ near-duplicate of {}, listed above", twin.short())));
    }
    if let Some((kind, points)) = row.and_then(|row| row.found) {
        let said = match kind {
            MatchKind::Text => "matched by words".to_owned(),
            MatchKind::Semantic if row.is_some_and(|row| row.is_far) => {
                format!("matched by meaning, {points:.2} (cosine): far, likely about something else")
            }
            MatchKind::Semantic => format!("matched by meaning, {points:.2} (cosine)"),
            MatchKind::Hybrid => "matched by words and meaning".to_owned(),
        };
        facts.push((Role::Remark, said));
    }
    let moment = write_moment(prompt.created_at);
    let mut known = vec![
        format!("persona {}", prompt.persona),
        writer(&prompt.provider, &prompt.model),
        account(&prompt.model_metadata),
        format!("T {:.1}", prompt.temperature),
        prompt.strategy.clone(),
        moment.get(..16).map_or_else(|| moment.clone(), |day| day.replace('T', " ") + " UTC"),
    ];
    known.extend(prompt.parent_id.map(|parent| format!("derived from {}", parent.short())));
    known.extend((prompt.source != Source::Generated).then(|| prompt.source.as_str().to_owned()));
    known.extend((prompt.revision > 1).then(|| format!("revision {}", prompt.revision)));
    known.extend((!prompt.tags.is_empty()).then(|| format!("tags {}", prompt.tags.join(", "))));
    facts.push((Role::Remark, safe_line(&known.join(" · "))));
    facts
}

/// Tokens, cost and time in short.
fn account(metadata: &ModelMetadata) -> String {
    let tokens = thousands(metadata.total_tokens);
    let estimated = if metadata.estimated { "~" } else { "" };
    format!("{estimated}{tokens} tok · {} · {}", cost(metadata), duration(metadata.latency_ms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::testing::prompt;

    #[test]
    fn every_part_of_a_prompt_is_there_once() {
        let mut whole = prompt(1, "The prompt.", Some(0.87));
        whole.notes = Some("my notes".into());
        whole.context = vec!["the background".into()];
        whole.steps[0].content = "the essence".into();
        let mut preview = Preview::new(Box::new(whole), None);
        preview.reflow(60, 10);
        let rows: Vec<&str> = preview.rows(0).map(|(_, row)| row).collect();
        assert_eq!(rows.len(), preview.len());
        let text = rows.join("\n");
        for part in ["score 0.87", "idea", "my notes", "the background", "the essence", "prima-materia", "coagulatio"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(text.matches("The prompt.").count(), 1, "{text}");
    }
}
