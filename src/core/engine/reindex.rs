//! `reindex`: what searches read, made anew from what is stored.
//!
//! Goes in steps that are each durable, so that stopping in the middle loses one step at most: missing vectors are made
//! up for by the next call. The index of words is emptied first, and finds what it has got so far until it is through.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::Engine;
use crate::api::ReindexRequest;
use crate::error::Result;
use crate::search::{Meaning, embedding};
use crate::store::{Filter, Space};

/// Prompts whose words are indexed in one step.
const TEXT_STEP: u32 = 1000;

/// What was made anew.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reindexed {
    /// Prompts whose words are in the index now; 0 where that was not asked for.
    pub text: u64,
    /// Prompts that got vectors; 0 where that was not asked for, or none lacked one.
    pub vectors: u64,
    /// How long it took.
    pub seconds: f64,
}

/// How far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReindexProgress {
    /// What is being made.
    pub part: IndexPart,
    /// Prompts done.
    pub done: u64,
    /// Prompts in all.
    pub total: u64,
}

/// What searches read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexPart {
    /// The index of words.
    Text,
    /// The vectors.
    Vectors,
}

impl Engine {
    /// Makes the indices anew; `watch` is told after each step. Dropping the future leaves what is done. Needs a tokio
    /// runtime.
    ///
    /// # Errors
    /// `config_invalid` and what the embedding provider answers, the daily budget's refusal included; `storage`.
    pub async fn reindex(&self, request: ReindexRequest, mut watch: impl FnMut(ReindexProgress)) -> Result<Reindexed> {
        let began = Instant::now();
        let mut reindexed = Reindexed { text: 0, vectors: 0, seconds: 0.0 };
        // What cannot be embedded at all is found before anything is emptied.
        let meaning = if request.vectors { Some(self.meaning("reindex")?) } else { None };
        let total = self.store().count(Filter::default()).await?;
        if request.text && total > 0 {
            reindexed.text = self.reindex_text(total, &mut watch).await?;
        }
        if let Some(meaning) = meaning.filter(|_| total > 0) {
            let space = embedding::own_space(&meaning).await?;
            if request.all {
                self.finder().forget_space(space.clone()).await?;
            }
            reindexed.vectors = self.embed_all(&meaning, &space, watch).await?;
        }
        reindexed.seconds = began.elapsed().as_secs_f64();
        Ok(reindexed)
    }

    /// Gives vectors to the prompts that have none, as a face does after an import; `watch` is told after each batch.
    /// Answers how many got some. Dropping the future leaves what is done, and any later call makes the rest. Needs a
    /// tokio runtime.
    ///
    /// # Errors
    /// As [`Engine::reindex`]. Vectors that could not be stored are told by [`Engine::close`] too.
    pub async fn embed_missing(&self, watch: impl FnMut(ReindexProgress)) -> Result<u64> {
        let made = async {
            let meaning = self.meaning("reindex")?;
            if self.store().count(Filter::default()).await? == 0 {
                return Ok(0);
            }
            let space = embedding::own_space(&meaning).await?;
            self.embed_all(&meaning, &space, watch).await
        };
        made.await.inspect_err(|error| self.inner.indexer.note_unstored(error))
    }

    /// Gives every prompt that has no vector of this space its own, batch by batch.
    async fn embed_all(&self, meaning: &Meaning, space: &Space, mut watch: impl FnMut(ReindexProgress)) -> Result<u64> {
        let total = self.finder().count_unembedded(space.clone()).await?;
        let (mut after, mut done, mut given) = (None, 0, 0);
        watch(ReindexProgress { part: IndexPart::Vectors, done, total });
        while let Some(batch) = self.embed_batch(meaning, space, after).await? {
            after = Some(batch.end);
            done += batch.seen;
            given += batch.given;
            watch(ReindexProgress { part: IndexPart::Vectors, done, total: total.max(done) });
        }
        self.tend().await;
        Ok(given)
    }

    async fn reindex_text(&self, total: u64, watch: &mut impl FnMut(ReindexProgress)) -> Result<u64> {
        let (mut after, mut done) = (None, 0);
        watch(ReindexProgress { part: IndexPart::Text, done, total });
        loop {
            after = self.finder().reindex_text(after, TEXT_STEP).await?;
            if after.is_none() {
                watch(ReindexProgress { part: IndexPart::Text, done: total, total });
                return Ok(total);
            }
            done = (done + u64::from(TEXT_STEP)).min(total);
            watch(ReindexProgress { part: IndexPart::Text, done, total });
        }
    }
}
