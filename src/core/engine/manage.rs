//! `update`: changes stored prompts. Deleting is in `trash`.

use super::Engine;
use super::retrieve::no_prompt;
use crate::api::UpdateRequest;
use crate::domain::{Filter, ModelMetadata, Prompt, Source, limits};
use crate::error::{Error, Result};
use crate::ledger::{Caps, Labels};
use crate::store::{Applied, Edit, Mutation};

impl Engine {
    /// Changes a prompt in place. New content makes and returns a derived prompt instead.
    ///
    /// # Errors
    /// `not_found`; `conflict` when the revision is not the one expected; `validation_failed` for
    /// too many tags; `storage`.
    pub async fn update(&self, request: UpdateRequest) -> Result<Prompt> {
        let id = self.resolve(&request.prompt_id).await?;
        let present = self.store().get(id).await?.ok_or_else(|| no_prompt(&request.prompt_id))?;
        let edit = Edit {
            tags: request.tags,
            add_tags: request.add_tags,
            remove_tags: request.remove_tags,
            notes: request.notes,
        };
        check_tag_count(&present, &edit)?;
        if let Some(expected) = request.revision
            && expected != present.revision
        {
            return Err(changed_meanwhile(expected, present.revision));
        }
        match request.content {
            Some(content) => self.derive(present, content, edit).await,
            None => {
                let mutation =
                    Mutation::Edit { id, expected_revision: request.revision, edit, at: self.inner.clock.now() };
                match self.store().apply(mutation).await? {
                    Applied::Edited(Some(prompt)) => Ok(*prompt),
                    _ => Err(no_prompt(&request.prompt_id)),
                }
            }
        }
    }

    /// Stores a new prompt with this content whose parent is `parent`. The parent is unchanged.
    async fn derive(&self, parent: Prompt, content: String, edit: Edit) -> Result<Prompt> {
        let now = self.inner.clock.now();
        let derived = Prompt {
            id: self.inner.ids.prompt(),
            content,
            tags: edited_tags(&parent, &edit),
            notes: edit.notes.unwrap_or_else(|| parent.notes.clone()),
            parent_id: Some(parent.id),
            source: Source::Manual,
            revision: 1,
            score: None,
            score_formula: None,
            steps: Vec::new(),
            model_metadata: ModelMetadata {
                provider: parent.provider.clone(),
                model: parent.model.clone(),
                cost_usd: Some(0.0),
                ..ModelMetadata::default()
            },
            created_at: now,
            updated_at: now,
            ..parent
        };
        self.store().append(vec![derived.clone()]).await?;
        let account = self.account(Caps::default(), Labels { command: "update", ..Labels::default() });
        self.index_later(std::slice::from_ref(&derived), account)();
        Ok(derived)
    }

    /// How many prompts are stored.
    ///
    /// # Errors
    /// `storage`.
    pub async fn count(&self) -> Result<u64> {
        self.store().count(Filter::default()).await
    }
}

fn changed_meanwhile(expected: u32, present: u32) -> Error {
    Error::Conflict(format!(
        "the prompt changed meanwhile: revision {expected} was expected, it is {present} now; read it again and repeat"
    ))
}

fn edited_tags(prompt: &Prompt, edit: &Edit) -> Vec<String> {
    let mut tags = edit.tags.clone().unwrap_or_else(|| prompt.tags.clone());
    for tag in &edit.add_tags {
        if !tags.contains(tag) {
            tags.push(tag.clone());
        }
    }
    tags.retain(|tag| !edit.remove_tags.contains(tag));
    tags
}

fn check_tag_count(prompt: &Prompt, edit: &Edit) -> Result<()> {
    let count = edited_tags(prompt, edit).len();
    if count <= limits::MAX_TAGS {
        return Ok(());
    }
    Err(Error::value(
        "add_tags",
        format!("the prompt would have {count} tags; at most {} are allowed: remove some", limits::MAX_TAGS),
    ))
}
