//! `show`, `list`, `history`: reads stored prompts and runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Engine;
use crate::api::{BriefShowRequest, CursorRequest, HistoryRequest, ListRequest, PromptKey, ShowRequest};
use crate::domain::{BriefPrompt, Filter, ListedPrompt, Order, Prompt, PromptFields, PromptId, PromptOutline, limits};
use crate::error::{Error, Result};
use crate::search;
use crate::store::{Page, PageSpec, PromptForm, SessionForm, SessionWithPrompts};

/// Rows of a page of outlines.
const OUTLINES: u32 = 50;
/// The most matches of an ambiguous id that a message lists.
const MATCHES_SHOWN: usize = 5;

/// A page of prompts: whole prompts, or some of their fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PromptPage")]
pub struct PromptPage<P = Prompt> {
    /// The rows.
    pub prompts: Vec<ListedPrompt<P>>,
    /// The `cursor` of the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// A page of runs, with whole prompts or some of their fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "HistoryPage")]
pub struct HistoryPage<P = Prompt> {
    /// The rows.
    pub sessions: Vec<SessionWithPrompts<P>>,
    /// The `cursor` of the next page; null on the last one.
    pub next_cursor: Option<String>,
}

impl Engine {
    /// One prompt, whole.
    ///
    /// # Errors
    /// `not_found`; `validation_failed` for a shortened id that could mean several; `storage`.
    pub async fn show(&self, request: ShowRequest) -> Result<Prompt> {
        let id = self.resolve(&request.prompt_id).await?;
        self.store().get(id).await?.ok_or_else(|| no_prompt(&request.prompt_id))
    }

    /// One prompt, its texts cut to fit a model's context.
    ///
    /// # Errors
    /// As [`Engine::show`].
    pub async fn show_brief(&self, request: BriefShowRequest) -> Result<BriefPrompt> {
        Ok(BriefPrompt::cut(self.show(request.show).await?, request.max_chars))
    }

    /// A page of prompts.
    ///
    /// # Errors
    /// `validation_failed` for an invalid cursor; `storage`.
    pub async fn list(&self, request: ListRequest) -> Result<PromptPage> {
        self.list_as(request).await
    }

    /// Like [`Engine::list`], with the prompts in another form, which limits what is read.
    ///
    /// # Errors
    /// As [`Engine::list`].
    pub async fn list_as<P: PromptForm>(&self, request: ListRequest) -> Result<PromptPage<P>> {
        let now = self.inner.clock.now();
        let filter = request.filters.into_filter(now);
        let spec = page_spec(request.limit, request.offset, request.cursor);
        let fields = request.fields.unwrap_or(PromptFields::ALL);
        let page = P::page(&**self.store(), filter, request.sort, spec, fields).await?;
        Ok(PromptPage { prompts: search::listed(page.items), next_cursor: page.next_cursor })
    }

    /// A page of prompts without their texts, newest first.
    ///
    /// # Errors
    /// As [`Engine::list`].
    pub async fn outlines(&self, request: CursorRequest) -> Result<Page<PromptOutline>> {
        let spec = page_spec(Some(OUTLINES), 0, request.cursor);
        self.store().outlines(Filter::default(), spec).await
    }

    /// A page of runs with their variants.
    ///
    /// # Errors
    /// As [`Engine::list`].
    pub async fn history(&self, request: HistoryRequest) -> Result<HistoryPage> {
        self.history_as(request).await
    }

    /// Like [`Engine::history`], with the prompts in another form.
    ///
    /// # Errors
    /// As [`Engine::list`].
    pub async fn history_as<P: SessionForm>(&self, request: HistoryRequest) -> Result<HistoryPage<P>> {
        let page = P::sessions(&**self.store(), page_spec(request.limit, request.offset, request.cursor)).await?;
        Ok(HistoryPage { sessions: page.items, next_cursor: page.next_cursor })
    }

    /// The prompt that a key refers to.
    ///
    /// # Errors
    /// `not_found` when there is none, `validation_failed` when it could mean several.
    pub(super) async fn resolve(&self, key: &PromptKey) -> Result<PromptId> {
        match key {
            PromptKey::Id(id) => Ok(*id),
            PromptKey::Last => {
                let newest =
                    self.store().summaries(Filter::default(), Order::Newest, page_spec(Some(1), 0, None)).await?;
                newest.items.first().map(|prompt| prompt.id).ok_or_else(|| no_prompt(key))
            }
            PromptKey::Fragment(digits) => {
                let meanings = self.store().resolve(digits.clone(), MATCHES_SHOWN + 1).await?;
                match meanings.as_slice() {
                    [] => Err(no_prompt(key)),
                    [one] => Ok(*one),
                    several => Err(ambiguous(digits, several)),
                }
            }
        }
    }
}

fn page_spec(limit: Option<u32>, offset: u64, cursor: Option<String>) -> PageSpec {
    PageSpec { limit: limit.unwrap_or(limits::DEFAULT_LIMIT), offset, cursor }
}

/// The error for a key that matches no prompt.
pub(super) fn no_prompt(key: &PromptKey) -> Error {
    Error::NotFound {
        what: "prompt",
        key: key.to_string(),
        hint: "list the stored prompts (`aludel list`, GET /api/v1/prompts) to see their ids",
    }
}

pub(super) fn ambiguous(digits: &str, meanings: &[PromptId]) -> Error {
    let shown: Vec<String> = meanings.iter().take(MATCHES_SHOWN).map(ToString::to_string).collect();
    let more = if meanings.len() > MATCHES_SHOWN { ", and more" } else { "" };
    Error::value("prompt_id", format!("`{digits}` could mean {}{more}; give more characters", shown.join(", ")))
}
