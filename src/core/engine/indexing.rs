//! Embeds stored prompts: after each run for its own prompts, and in the background for all others.
//!
//! A run's prompts are embedded in one request after the run, on the run's own budget. A program
//! that stays open ([`Engine::keep_indexed`]) also embeds the rest: prompts stored earlier, by
//! other processes or while the provider was unavailable, and everything after a change of the
//! model. It works in batches with pauses in between, and backs off after failures.
//!
//! None of this fails or delays a run: errors are logged and kept for [`Engine::indexing`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{CLOSE_TIMEOUT, Engine};
use crate::domain::{Filter, Prompt};
use crate::error::{Code, Error, Result};
use crate::ledger::Account;
use crate::pipeline::FollowUp;
use crate::search::EmbeddingContext;
use crate::search::embedding::{self, Texts};
use crate::store::Space;

/// The prompts in one batch: enough for every core, few enough to stop soon.
pub(super) const BATCH: u32 = 32;
/// The first and the longest wait after a failure.
const FIRST_WAIT: Duration = Duration::from_secs(5);
const LONGEST_WAIT: Duration = Duration::from_hours(1);
/// How often the background looks for prompts that other processes stored.
const POLL_INTERVAL: Duration = Duration::from_mins(1);
/// The shortest and the longest pause between batches; otherwise as long as the last batch took.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(2));

/// The state of embedding in this process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Indexing {
    /// The number of prompts that this process has embedded.
    pub done: u64,
    /// The number of prompts without a vector at the last look.
    pub left: u64,
    /// Why the last attempt failed; `None` after a success.
    pub problem: Option<String>,
}

/// The embedding tasks and their state.
#[derive(Default)]
pub(super) struct Indexer {
    tasks: TaskTracker,
    stop: CancellationToken,
    is_kept: AtomicBool,
    /// Notified when prompts of a run could not be embedded.
    left_undone: Notify,
    /// Notified when prompts without vectors were stored.
    newly_stored: Notify,
    /// Held while a batch is embedded, so that no prompt is embedded twice.
    turn: tokio::sync::Mutex<()>,
    state: Mutex<Indexing>,
    /// Why vectors could not be stored; `None` again once a retry succeeds.
    unstored: Mutex<Option<Error>>,
}

impl Indexer {
    fn state(&self) -> MutexGuard<'_, Indexing> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why vectors could not be stored.
    pub(super) fn unstored(&self) -> Option<Error> {
        self.unstored.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Remembers a `storage` error; ignores other errors.
    pub(super) fn note_unstored(&self, error: &Error) {
        if error.code() == Code::Storage {
            let said = format!(
                "the vectors of some prompts could not be stored, so search by meaning does not find them: {error}; \
                 `aludel reindex --vectors` makes up for it"
            );
            self.unstored.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(Error::Storage(said));
        }
    }

    /// Stops embedding. Unfinished work is left for later.
    pub(super) fn stop(&self) {
        self.stop.cancel();
    }

    /// Waits for the embeddings of finished runs; stops the background.
    pub(super) async fn finish(&self) {
        if self.is_kept.load(Ordering::Acquire) {
            self.stop();
        }
        tokio::select! {
            () = self.settle() => {}
            () = async { self.stop.cancelled().await; sleep(CLOSE_TIMEOUT).await } => {
                tracing::warn!("embedding did not finish in time");
            }
        }
    }

    async fn settle(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Engine {
    /// The state of embedding in this process.
    pub fn indexing(&self) -> Indexing {
        self.inner.indexer.state().clone()
    }

    /// Embeds all stored prompts and removes expired prompts from the trash in the background until
    /// the engine is closed. Later calls do nothing. Needs a tokio runtime; returns at once.
    pub fn keep_indexed(&self) {
        let indexer = &self.inner.indexer;
        if indexer.is_kept.swap(true, Ordering::AcqRel) {
            return;
        }
        let engine = self.clone();
        indexer.tasks.spawn(async move {
            let stop = engine.inner.indexer.stop.clone();
            stop.run_until_cancelled(async { tokio::join!(engine.index_in_background(), engine.keep_trash_short()) })
                .await;
        });
    }

    /// Stops embedding at once. Another process or a later run makes the missing vectors.
    pub fn stop_indexing(&self) {
        self.inner.indexer.stop();
    }

    /// Wakes the background, if it runs, for prompts that were just stored.
    pub(super) fn index_soon(&self) {
        self.inner.indexer.newly_stored.notify_one();
    }

    /// Prepares to embed these prompts concurrently; calling the returned closure begins it.
    /// [`Engine::close`] waits for it from now on.
    pub(super) fn index_later(&self, prompts: &[Prompt], account: Account) -> FollowUp {
        if Handle::try_current().is_err() || self.inner.indexer.stop.is_cancelled() {
            return Box::new(|| {});
        }
        let texts: Vec<Texts> = prompts.iter().map(Texts::from).collect();
        let engine = self.clone();
        let announced = self.inner.indexer.tasks.token();
        Box::new(move || {
            let indexer = engine.clone();
            engine.inner.indexer.tasks.spawn(async move {
                let stop = indexer.inner.indexer.stop.clone();
                stop.run_until_cancelled(indexer.index_run(texts, account)).await;
            });
            drop(announced);
        })
    }

    async fn index_run(&self, texts: Vec<Texts>, account: Account) {
        let indexer = &self.inner.indexer;
        let outcome = async {
            let meaning = EmbeddingContext { embedder: self.embedder()?, account };
            let _turn = indexer.turn.lock().await;
            embedding::embed_prompts(&self.finder(), &meaning, &texts).await
        };
        match outcome.await {
            Ok(given) => {
                let mut state = indexer.state();
                state.done += given.prompts;
                state.problem = None;
            }
            Err(error) => {
                log(&error, texts.len());
                indexer.note_unstored(&error);
                let mut state = indexer.state();
                state.left += texts.len() as u64;
                state.problem = Some(error.to_string());
                drop(state);
                indexer.left_undone.notify_one();
            }
        }
    }

    /// Catches up whenever there is something to do. Never returns.
    async fn index_in_background(&self) {
        let indexer = &self.inner.indexer;
        let mut wait = FIRST_WAIT;
        loop {
            self.maintain_index().await;
            match self.catch_up().await {
                Ok(()) => {
                    indexer.state().problem = None;
                    *indexer.unstored.lock().unwrap_or_else(PoisonError::into_inner) = None;
                    wait = FIRST_WAIT;
                    tokio::select! {
                        // Do not retry at once what has just failed.
                        () = indexer.left_undone.notified() => sleep(wait).await,
                        () = indexer.newly_stored.notified() => {}
                        () = sleep(POLL_INTERVAL) => {}
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "prompts cannot be embedded; trying again in {} s", wait.as_secs());
                    indexer.state().problem = Some(error.to_string());
                    sleep(wait).await;
                    wait = (wait * 2).min(LONGEST_WAIT);
                }
            }
        }
    }

    /// Updates the sidecar index for faster searches, on a blocking thread: a million vectors take
    /// seconds. Ends soon after the store is closed.
    pub(super) async fn maintain_index(&self) {
        let store = self.finder();
        if let Ok(Err(error)) = tokio::task::spawn_blocking(move || store.maintain_index().wait()).await {
            tracing::debug!(%error, "searches by meaning are slower than they could be");
        }
    }

    async fn catch_up(&self) -> Result<()> {
        if self.store().count(Filter::default()).await? == 0 {
            return Ok(());
        }
        let meaning = self.meaning("reindex")?;
        let space = embedding::own_space(&meaning).await?;
        let mut left = self.finder().count_unembedded(space.clone()).await?;
        self.inner.indexer.state().left = left;
        let mut after = None;
        while left > 0 {
            let began = Instant::now();
            let Some(batch) = self.embed_batch(&meaning, &space, after).await? else { break };
            after = Some(batch.end);
            left = left.saturating_sub(batch.given);
            {
                let mut state = self.inner.indexer.state();
                state.done += batch.given;
                state.left = left;
            }
            sleep(began.elapsed().clamp(PAUSES.0, PAUSES.1)).await;
        }
        Ok(())
    }

    /// Embeds the next batch of prompts without a vector; `None` if there are none after `after`.
    pub(super) async fn embed_batch(
        &self,
        meaning: &EmbeddingContext,
        space: &Space,
        after: Option<u64>,
    ) -> Result<Option<Batch>> {
        let _turn = self.inner.indexer.turn.lock().await;
        let store = self.finder();
        let prompts = store.unembedded(space.clone(), after, BATCH).await?;
        let Some(last) = prompts.last() else { return Ok(None) };
        let (end, seen) = (last.place, prompts.len() as u64);
        let texts: Vec<Texts> = prompts.into_iter().map(Texts::from).collect();
        let given = embedding::embed_prompts(&store, meaning, &texts).await?;
        Ok(Some(Batch { end, seen, given: given.prompts }))
    }

    /// Waits until the prompts of the runs so far are embedded, or the attempt has failed.
    pub async fn settle(&self) {
        self.inner.indexer.settle().await;
    }
}

/// The result of embedding one batch.
pub(super) struct Batch {
    /// The position of the last prompt.
    pub(super) end: u64,
    /// The number of prompts in the batch.
    pub(super) seen: u64,
    /// How many of them have vectors now.
    pub(super) given: u64,
}

/// Logs why a run's prompts have no vectors. Reaching a cap is no problem, as the user set it.
fn log(error: &Error, prompts: usize) {
    const CONSEQUENCE: &str =
        "a run's prompts are stored and cannot be found by meaning yet; `aludel reindex --vectors` makes up for it";
    if error.code() == Code::BudgetExceeded {
        tracing::info!(%error, prompts, "{CONSEQUENCE}");
    } else {
        tracing::warn!(%error, prompts, "{CONSEQUENCE}");
    }
}
