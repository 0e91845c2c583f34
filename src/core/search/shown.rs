//! Turns hits into results: prompts in the requested form, with an excerpt and near-duplicates.

use std::sync::Arc;

use crate::domain::{FoundPrompt, ListedPrompt, Match, MatchKind, PromptFields, PromptId, PromptTexts};
use crate::error::Result;
use crate::offload::offload;
use crate::store::{FindStore, PromptForm};
use crate::text::likeness::Repeats;
use crate::text::query::TextQuery;
use crate::text::snippet::{self, Snippet};

/// A hit before its prompt is loaded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    pub(super) id: PromptId,
    pub(super) score: f64,
    pub(super) kind: MatchKind,
    pub(super) is_far: bool,
}

/// Loads the prompts of the rows, in order. Prompts deleted meanwhile are left out.
pub(super) async fn shown<P: PromptForm>(
    store: &Arc<dyn FindStore>,
    rows: Vec<Row>,
    query: &TextQuery,
    fields: PromptFields,
) -> Result<Vec<FoundPrompt<P>>> {
    let prompts = P::fetch(&**store, rows.iter().map(|row| row.id).collect(), fields).await?;
    let bytes = prompts.iter().map(|prompt| prompt.texts().content.len() + prompt.texts().original_input.len()).sum();
    let query = query.clone();
    offload(bytes, move || matched(rows, prompts, &query)).await
}

fn matched<P: PromptForm>(rows: Vec<Row>, prompts: Vec<P>, query: &TextQuery) -> Vec<FoundPrompt<P>> {
    let mut prompts = prompts.into_iter().peekable();
    let mut repeats = RepeatsById::default();
    let found = rows.into_iter().filter_map(|row| {
        let prompt = prompts.next_if(|prompt| prompt.texts().id == row.id)?;
        let near_duplicate_of = repeats.take(prompt.texts());
        let Snippet { text: snippet, marks } = snippet::of_prompt(query, prompt.texts());
        Some(FoundPrompt {
            matched: Match { score: row.score, snippet, marks, kind: row.kind, far: row.is_far },
            near_duplicate_of,
            prompt,
        })
    });
    found.collect()
}

/// Prompts of a list, each with its first earlier near-duplicate.
pub fn listed<P: PromptForm>(prompts: Vec<P>) -> Vec<ListedPrompt<P>> {
    let mut repeats = RepeatsById::default();
    prompts.into_iter().map(|prompt| ListedPrompt { near_duplicate_of: repeats.take(prompt.texts()), prompt }).collect()
}

/// Finds the first earlier near-duplicate of a prompt.
#[derive(Default)]
struct RepeatsById {
    repeats: Repeats,
    ids: Vec<PromptId>,
}

impl RepeatsById {
    fn take(&mut self, prompt: PromptTexts<'_>) -> Option<PromptId> {
        let earlier = self.repeats.take(prompt.content).and_then(|number| self.ids.get(number).copied());
        self.ids.push(prompt.id);
        earlier
    }
}
