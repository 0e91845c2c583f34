//! `reindex`: rebuilds the search indices from the stored prompts.
//!
//! Each step is durable, so stopping loses at most one step; the next call makes the missing
//! vectors. The word index is emptied first and finds only what is indexed so far until it is done.

use tokio::time::Instant;

use super::Engine;
use crate::api::ReindexRequest;
use crate::domain::{Filter, Operation, Reindexed};
use crate::error::Result;
use crate::event::run::Run;
use crate::event::{Outcome, part};
use crate::pipeline::Reporter;
use crate::search::{EmbeddingContext, embedding};
use crate::store::Space;

/// The number of prompts whose words are indexed in one step.
const TEXT_STEP: u32 = 1000;

impl Engine {
    /// Rebuilds the indices. Dropping the run keeps what is done. Needs a tokio runtime.
    ///
    /// # Errors
    /// `config_invalid` for a provider that cannot embed. The run can fail with the provider's
    /// errors, with `storage`, and when the daily budget is exceeded.
    pub fn reindex(&self, request: ReindexRequest) -> Result<Run> {
        // An embedder that cannot be used is an error before anything is emptied.
        let meaning = if request.vectors { Some(self.meaning("reindex")?) } else { None };
        let engine = self.clone();
        Ok(self.start_task(self.inner.ids.session(), Operation::Reindex, None, move |report| async move {
            engine.reindexed(request, meaning, &report).await.map(Outcome::Reindex)
        }))
    }

    async fn reindexed(
        &self,
        request: ReindexRequest,
        meaning: Option<EmbeddingContext>,
        report: &Reporter,
    ) -> Result<Reindexed> {
        let began = Instant::now();
        let mut reindexed = Reindexed { text: 0, vectors: 0, seconds: 0.0 };
        let total = self.store().count(Filter::default()).await?;
        if request.text && total > 0 {
            reindexed.text = self.reindex_text(total, report).await?;
        }
        if let Some(meaning) = meaning.filter(|_| total > 0) {
            let space = embedding::own_space(&meaning).await?;
            if request.all {
                self.finder().forget_space(space.clone()).await?;
            }
            reindexed.vectors = self.embed_all(&meaning, &space, report).await?;
        }
        reindexed.seconds = began.elapsed().as_secs_f64();
        Ok(reindexed)
    }

    /// Embeds the prompts that have no vector, for use after an import. Dropping the run keeps what
    /// is done, and a later run makes the rest. Needs a tokio runtime.
    ///
    /// Fails like [`Engine::reindex`]. [`Engine::close`] also reports vectors that were not stored.
    pub fn embed_missing(&self) -> Run {
        let engine = self.clone();
        self.start_task(self.inner.ids.session(), Operation::Reindex, None, move |report| async move {
            let made = engine.missing_embedded(&report).await;
            made.map(Outcome::Reindex).inspect_err(|error| engine.inner.indexer.note_unstored(error))
        })
    }

    async fn missing_embedded(&self, report: &Reporter) -> Result<Reindexed> {
        let began = Instant::now();
        let meaning = self.meaning("reindex")?;
        let mut reindexed = Reindexed { text: 0, vectors: 0, seconds: 0.0 };
        if self.store().count(Filter::default()).await? > 0 {
            let space = embedding::own_space(&meaning).await?;
            reindexed.vectors = self.embed_all(&meaning, &space, report).await?;
        }
        reindexed.seconds = began.elapsed().as_secs_f64();
        Ok(reindexed)
    }

    /// Embeds every prompt that has no vector in this space, in batches, and returns how many.
    async fn embed_all(&self, meaning: &EmbeddingContext, space: &Space, report: &Reporter) -> Result<u64> {
        let total = self.finder().count_unembedded(space.clone()).await?;
        let (mut after, mut done, mut given) = (None, 0, 0);
        report.progress(part::VECTORS, done, Some(total));
        while let Some(batch) = self.embed_batch(meaning, space, after).await? {
            after = Some(batch.end);
            done += batch.seen;
            given += batch.given;
            report.progress(part::VECTORS, done, Some(total.max(done)));
        }
        self.maintain_index().await;
        Ok(given)
    }

    async fn reindex_text(&self, total: u64, report: &Reporter) -> Result<u64> {
        let (mut after, mut done) = (None, 0);
        report.progress(part::WORDS, done, Some(total));
        loop {
            after = self.finder().reindex_text(after, TEXT_STEP).await?;
            if after.is_none() {
                report.progress(part::WORDS, total, Some(total));
                return Ok(total);
            }
            done = (done + u64::from(TEXT_STEP)).min(total);
            report.progress(part::WORDS, done, Some(total));
        }
    }
}
