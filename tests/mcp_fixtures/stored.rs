//! The stored prompts behind some of the suite's names.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aludel_core::api::{CursorRequest, GenerateRequest, UpdateRequest};
use aludel_core::domain::PromptId;
use aludel_core::engine::Engine;
use aludel_core::error::{Error, Result};
use serde_json::json;

/// The stored prompts. Clones are the same.
#[derive(Clone)]
pub(crate) struct Stored(Arc<Prompts>);

struct Prompts {
    engine: Engine,
    /// Offered as a prompt without arguments.
    simple: PromptId,
    /// Offered as a prompt with the arguments `arg1` and `arg2`.
    with_arguments: PromptId,
    /// Offered, and then again not.
    changing: PromptId,
    is_changed: AtomicBool,
}

impl Stored {
    /// Stores them.
    pub(crate) async fn new(engine: &Engine) -> Result<Self> {
        let simple = store(engine, "This is a simple prompt for testing.").await?;
        let with_arguments = store(engine, "Compare {{arg1}} with {{arg2}}.").await?;
        let changing = store(engine, "Now it is offered, now it is not.").await?;
        let prompts =
            Prompts { engine: engine.clone(), simple, with_arguments, changing, is_changed: AtomicBool::new(false) };
        Ok(Self(Arc::new(prompts)))
    }

    /// The name under which the product offers the prompt without arguments.
    pub(crate) async fn simple(&self) -> Result<String> {
        self.name(self.0.simple).await
    }

    /// The name under which the product offers the prompt with arguments.
    pub(crate) async fn with_arguments(&self) -> Result<String> {
        self.name(self.0.with_arguments).await
    }

    /// The URI of a stored prompt.
    pub(crate) fn uri(&self) -> String {
        format!("aludel://prompts/{}", self.0.simple)
    }

    /// Changes the list of the prompts that are offered.
    pub(crate) async fn change_list(&self) -> Result<()> {
        let was_changed = self.0.is_changed.fetch_xor(true, Ordering::Relaxed);
        let edit = if was_changed { "add_tags" } else { "remove_tags" };
        let request = json!({ "prompt_id": self.0.changing, edit: ["mcp"] });
        self.0.engine.update(self.0.engine.decode::<UpdateRequest>(request)?).await.map(drop)
    }

    async fn name(&self, id: PromptId) -> Result<String> {
        let page = self.0.engine.offered_prompts(CursorRequest::default()).await?;
        let ending = format!("_{}", id.short());
        let found = page.prompts.into_iter().find(|prompt| prompt.name.ends_with(&ending));
        found.map(|prompt| prompt.name).ok_or_else(|| Error::Internal("a stored prompt is not offered".into()))
    }
}

/// Stores a prompt that is offered.
async fn store(engine: &Engine, content: &str) -> Result<PromptId> {
    let request = engine.decode::<GenerateRequest>(json!({ "input": "Write a fixture", "count": 1 }))?;
    let failed = |problem: Box<aludel_core::error::Problem>| Error::Internal(problem.detail);
    engine.generate(request)?.outcome().await.map_err(failed)?;
    let edit = json!({ "prompt_id": "@last", "content": content, "add_tags": ["mcp"] });
    Ok(engine.update(engine.decode::<UpdateRequest>(edit)?).await?.id)
}
