//! `search`, `similar`: finds stored prompts.

use std::sync::Arc;

use super::Engine;
use super::retrieve::no_prompt;
use crate::api::{Filters, SearchBy, SearchRequest, SimilarRequest};
use crate::domain::{FoundPrompt, PromptFields, PromptSummary, SearchResult, limits};
use crate::error::Result;
use crate::search::{self, SearchPage};
use crate::store::{FindStore, PromptForm};

impl Engine {
    /// The stored prompts that match, best first. A search by meaning needs a tokio runtime unless
    /// it uses the embedded model. Dropping the future cancels the calls.
    ///
    /// # Errors
    /// `conflict` when there are no vectors to compare with; the embedder's errors; `storage`.
    pub async fn search(&self, request: SearchRequest) -> Result<SearchResult> {
        self.search_as(request).await
    }

    /// Like [`Engine::search`], with the prompts in another form, which limits what is read.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub async fn search_as<P: PromptForm>(&self, request: SearchRequest) -> Result<SearchResult<P>> {
        let wanted = self.wanted(request.filters, request.limit, request.offset, request.fields);
        let (store, query) = (self.finder(), request.query.as_str());
        match request.by {
            SearchBy::Text => search::text(&store, query, wanted).await,
            SearchBy::Meaning => search::semantic(&store, &self.meaning("search")?, query, wanted).await,
            SearchBy::Both => search::hybrid(&store, &self.meaning("search")?, query, wanted).await,
        }
    }

    /// A suggestion when a search by words found nothing: the stored prompt nearest in meaning, if
    /// it is near. `None` if the embedding model has no threshold for "near" (only the embedded one
    /// has), if there are no vectors, or on any error: a suggestion is free and never fails.
    pub async fn nearest_instead(&self, request: &SearchRequest) -> Option<FoundPrompt<PromptSummary>> {
        let meaning = self.meaning("search").ok().filter(|meaning| meaning.embedder.near_from().is_some())?;
        let wanted = self.wanted(request.filters.clone(), Some(1), 0, None);
        let found = search::semantic(&self.finder(), &meaning, &request.query, wanted).await.ok()?;
        found.prompts.into_iter().next().filter(|found| !found.matched.far)
    }

    /// The stored prompts nearest in meaning to a stored prompt. Makes no calls.
    ///
    /// # Errors
    /// `not_found`; `conflict` when the prompt has no vector; `storage`.
    pub async fn similar(&self, request: SimilarRequest) -> Result<SearchResult> {
        self.similar_as(request).await
    }

    /// Like [`Engine::similar`], with the prompts in another form.
    ///
    /// # Errors
    /// As [`Engine::similar`].
    pub async fn similar_as<P: PromptForm>(&self, request: SimilarRequest) -> Result<SearchResult<P>> {
        let id = self.resolve(&request.prompt_id).await?;
        let prompt = self.store().get(id).await?.ok_or_else(|| no_prompt(&request.prompt_id))?;
        let wanted = self.wanted(request.filters, request.limit, request.offset, request.fields);
        search::similar(&self.finder(), &*self.embedder()?, &prompt, wanted).await
    }

    /// The store as the search interface.
    pub(super) fn finder(&self) -> Arc<dyn FindStore> {
        Arc::<dyn crate::store::Store>::clone(self.store())
    }

    fn wanted(&self, filters: Filters, limit: Option<u32>, offset: u64, fields: Option<PromptFields>) -> SearchPage {
        let filter = filters.into_filter(self.inner.clock.now());
        let fields = fields.unwrap_or(PromptFields::ALL);
        SearchPage { filter, limit: limit.unwrap_or(limits::DEFAULT_LIMIT), offset, fields }
    }
}
