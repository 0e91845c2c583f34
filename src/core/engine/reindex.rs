//! `reindex`: what searches read, made anew from what is stored.
//!
//! Goes in steps that are each durable, so that stopping in the middle loses one step at most: missing vectors are made
//! up for by the next call. The index of words is emptied first, and finds what it has got so far until it is through.

use tokio::time::Instant;

use super::Engine;
use crate::api::ReindexRequest;
use crate::domain::{Operation, Reindexed};
use crate::error::Result;
use crate::event::{Outcome, Run, part};
use crate::pipeline::{self, Reporter};
use crate::search::{EmbeddingContext, embedding};
use crate::store::{Filter, Space};

/// Prompts whose words are indexed in one step.
const TEXT_STEP: u32 = 1000;

impl Engine {
    /// Makes the indices anew. Dropping the run leaves what is done. Needs a tokio runtime.
    ///
    /// # Errors
    /// `config_invalid` for a provider that cannot embed. The run may fail with what that provider answers, the daily budget's
    /// refusal included, and with `storage`.
    pub fn reindex(&self, request: ReindexRequest) -> Result<Run> {
        // What cannot be embedded at all is found before anything is emptied.
        let meaning = if request.vectors { Some(self.meaning("reindex")?) } else { None };
        let engine = self.clone();
        Ok(pipeline::start_task(self.inner.ids.session(), Operation::Reindex, None, move |report| async move {
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

    /// Gives vectors to the prompts that have none, as a face does after an import. Dropping the run leaves what is done, and
    /// any later one makes the rest. Needs a tokio runtime.
    ///
    /// It fails as [`Engine::reindex`] does. Vectors that could not be stored are told by [`Engine::close`] too.
    pub fn embed_missing(&self) -> Run {
        let engine = self.clone();
        pipeline::start_task(self.inner.ids.session(), Operation::Reindex, None, move |report| async move {
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

    /// Gives every prompt that has no vector of this space its own, batch by batch.
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
