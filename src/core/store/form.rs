//! The forms in which prompts are read: whole, as a summary, or by chosen fields.

use std::future::Future;

use super::{FindStore, Page, PageSpec, SessionWithPrompts, Store};
use crate::domain::{Filter, Order, Prompt, PromptFields, PromptId, PromptSummary, PromptTexts, SelectedPrompt};
use crate::error::Result;

/// A form of prompts; a store reads no more than it needs. `fields` is for [`SelectedPrompt`] only.
pub trait PromptForm: Sized + Send + 'static {
    /// As [`Store::page`].
    fn page(
        store: &dyn Store,
        filter: Filter,
        order: Order,
        page: PageSpec,
        fields: PromptFields,
    ) -> impl Future<Output = Result<Page<Self>>> + Send;

    /// As [`FindStore::fetch`].
    fn fetch(
        store: &dyn FindStore,
        ids: Vec<PromptId>,
        fields: PromptFields,
    ) -> impl Future<Output = Result<Vec<Self>>> + Send;

    /// The texts that are compared and quoted.
    fn texts(&self) -> PromptTexts<'_>;
}

/// A form in which the prompts of runs can be read.
pub trait SessionForm: PromptForm {
    /// As [`Store::sessions`].
    fn sessions(
        store: &dyn Store,
        page: PageSpec,
    ) -> impl Future<Output = Result<Page<SessionWithPrompts<Self>>>> + Send;
}

impl PromptForm for Prompt {
    async fn page(
        store: &dyn Store,
        filter: Filter,
        order: Order,
        page: PageSpec,
        _: PromptFields,
    ) -> Result<Page<Self>> {
        store.page(filter, order, page).await
    }

    async fn fetch(store: &dyn FindStore, ids: Vec<PromptId>, _: PromptFields) -> Result<Vec<Self>> {
        store.fetch(ids).await
    }

    fn texts(&self) -> PromptTexts<'_> {
        let Self { id, content, original_input, notes, tags, .. } = self;
        PromptTexts { id: *id, content, original_input, notes: notes.as_deref(), tags }
    }
}

impl PromptForm for PromptSummary {
    async fn page(
        store: &dyn Store,
        filter: Filter,
        order: Order,
        page: PageSpec,
        _: PromptFields,
    ) -> Result<Page<Self>> {
        store.summaries(filter, order, page).await
    }

    async fn fetch(store: &dyn FindStore, ids: Vec<PromptId>, _: PromptFields) -> Result<Vec<Self>> {
        store.fetch_summaries(ids).await
    }

    fn texts(&self) -> PromptTexts<'_> {
        let Self { id, content, original_input, notes, tags, .. } = self;
        PromptTexts { id: *id, content, original_input, notes: notes.as_deref(), tags }
    }
}

impl PromptForm for SelectedPrompt {
    async fn page(
        store: &dyn Store,
        filter: Filter,
        order: Order,
        page: PageSpec,
        fields: PromptFields,
    ) -> Result<Page<Self>> {
        if fields.are_in_a_summary() {
            let Page { items, next_cursor } = store.summaries(filter, order, page).await?;
            let items = items.into_iter().map(|summary| Self::of_summary(summary, fields)).collect();
            return Ok(Page { items, next_cursor });
        }
        let Page { items, next_cursor } = store.page(filter, order, page).await?;
        Ok(Page { items: items.into_iter().map(|prompt| Self::of_whole(prompt, fields)).collect(), next_cursor })
    }

    async fn fetch(store: &dyn FindStore, ids: Vec<PromptId>, fields: PromptFields) -> Result<Vec<Self>> {
        if fields.are_in_a_summary() {
            let summaries = store.fetch_summaries(ids).await?;
            return Ok(summaries.into_iter().map(|summary| Self::of_summary(summary, fields)).collect());
        }
        Ok(store.fetch(ids).await?.into_iter().map(|prompt| Self::of_whole(prompt, fields)).collect())
    }

    fn texts(&self) -> PromptTexts<'_> {
        self.summary().texts()
    }
}

impl SessionForm for Prompt {
    async fn sessions(store: &dyn Store, page: PageSpec) -> Result<Page<SessionWithPrompts>> {
        store.sessions(page).await
    }
}

impl SessionForm for PromptSummary {
    async fn sessions(store: &dyn Store, page: PageSpec) -> Result<Page<SessionWithPrompts<Self>>> {
        store.sessions_with_summaries(page).await
    }
}
