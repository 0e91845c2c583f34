//! `search`, `similar`: stored prompts, found.

use std::sync::Arc;

use super::Engine;
use super::retrieve::no_prompt;
use crate::api::{Filters, SearchBy, SearchRequest, SimilarRequest, limits};
use crate::domain::{FoundPrompt, PromptFields, PromptSummary, SearchResult};
use crate::error::Result;
use crate::search::{self, Wanted};
use crate::store::{FindStore, PromptForm};

impl Engine {
    /// The stored prompts that match, best first. By meaning it needs a tokio runtime unless the embedded model is used;
    /// dropping the future cancels the calls.
    ///
    /// # Errors
    /// `conflict` where there are no vectors to compare a meaning with; what the embedding provider answers; `storage`.
    pub async fn search(&self, request: SearchRequest) -> Result<SearchResult> {
        self.search_as(request).await
    }

    /// As [`Engine::search`], with the prompts in another form: no more is read than it holds.
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

    /// What to propose where this search by words has found nothing: the stored prompt that is nearest in meaning, if it is
    /// near. `None` where that is not known for the embedding model in use, as for all but the embedded one, or where there
    /// is nothing to compare with: a proposal costs nothing and fails nothing.
    pub async fn nearest_instead(&self, request: &SearchRequest) -> Option<FoundPrompt<PromptSummary>> {
        let meaning = self.meaning("search").ok().filter(|meaning| meaning.embedder.near_from().is_some())?;
        let wanted = self.wanted(request.filters.clone(), Some(1), 0, None);
        let found = search::semantic(&self.finder(), &meaning, &request.query, wanted).await.ok()?;
        found.prompts.into_iter().next().filter(|found| !found.matched.far)
    }

    /// The stored prompts nearest in meaning to one of them. Asks no provider.
    ///
    /// # Errors
    /// `not_found`; `conflict` where it has no vector; `storage`.
    pub async fn similar(&self, request: SimilarRequest) -> Result<SearchResult> {
        self.similar_as(request).await
    }

    /// As [`Engine::similar`], with the prompts in another form.
    ///
    /// # Errors
    /// As [`Engine::similar`].
    pub async fn similar_as<P: PromptForm>(&self, request: SimilarRequest) -> Result<SearchResult<P>> {
        let id = self.resolve(&request.prompt_id).await?;
        let prompt = self.store().get(id).await?.ok_or_else(|| no_prompt(&request.prompt_id))?;
        let wanted = self.wanted(request.filters, request.limit, request.offset, request.fields);
        search::similar(&self.finder(), &*self.embedder()?, &prompt, wanted).await
    }

    /// The store's finding side.
    pub(super) fn finder(&self) -> Arc<dyn FindStore> {
        Arc::<dyn crate::store::Store>::clone(self.store())
    }

    fn wanted(&self, filters: Filters, limit: Option<u32>, offset: u64, fields: Option<PromptFields>) -> Wanted {
        let filter = filters.into_filter(self.inner.clock.now());
        let fields = fields.unwrap_or(PromptFields::ALL);
        Wanted { filter, limit: limit.unwrap_or(limits::DEFAULT_LIMIT), offset, fields }
    }
}
