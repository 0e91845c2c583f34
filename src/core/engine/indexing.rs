//! Vectors for what is stored, made beside the work: after each run for its prompts, and in the background for all else.
//!
//! A run's prompts are embedded in one request once the run is over, at the expense of the run's own budget. Whoever
//! keeps the program open ([`Engine::keep_indexed`]) has the rest embedded too: what was stored before, by other
//! processes or while the provider was away, and everything after a change of the model. That goes in batches with
//! pauses between, and after a failure only when some time has passed, longer each time.
//!
//! None of it ever fails or delays a run: what went wrong is logged and kept for [`Engine::indexing`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{Engine, FAREWELL};
use crate::domain::Prompt;
use crate::error::{Code, Error, Result};
use crate::ledger::Account;
use crate::pipeline::Begin;
use crate::search::EmbeddingContext;
use crate::search::embedding::{self, Texts};
use crate::store::{Filter, Space};

/// Prompts of one batch: enough for every core, few enough to stop soon.
pub(super) const BATCH: u32 = 32;
/// The first wait after a failure, and the longest.
const FIRST_WAIT: Duration = Duration::from_secs(5);
const LONGEST_WAIT: Duration = Duration::from_hours(1);
/// How often the background looks for what other processes have stored.
const LOOKING: Duration = Duration::from_mins(1);
/// The shortest and the longest pause between two batches; within them it lasts as long as the batch did.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(2));

/// How far the vectors have come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Indexing {
    /// Prompts that this process has given their vectors.
    pub done: u64,
    /// Prompts that lacked one when it last looked.
    pub left: u64,
    /// Why the last attempt failed; `None` once one has succeeded.
    pub problem: Option<String>,
}

/// What is under way, and how it goes.
#[derive(Default)]
pub(super) struct Indexer {
    tasks: TaskTracker,
    stop: CancellationToken,
    is_kept: AtomicBool,
    /// Rung when something was left undone.
    left_undone: Notify,
    /// Rung when prompts were stored that have no vectors yet.
    newly_stored: Notify,
    /// One at a time, so that no prompt is embedded twice over.
    turn: tokio::sync::Mutex<()>,
    state: Mutex<Indexing>,
    /// Why the store did not take vectors that were made; `None` once they have been made up for.
    unstored: Mutex<Option<Error>>,
}

impl Indexer {
    fn state(&self) -> MutexGuard<'_, Indexing> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why the store did not take vectors that were made.
    pub(super) fn unstored(&self) -> Option<Error> {
        self.unstored.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Remembers that vectors could not be stored; other failures are none of the store's.
    pub(super) fn note_unstored(&self, error: &Error) {
        if error.code() == Code::Storage {
            let said = format!(
                "the vectors of some prompts could not be stored, so search by meaning does not find them: {error}; \
                 `aludel reindex --vectors` makes up for it"
            );
            self.unstored.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(Error::Storage(said));
        }
    }

    /// Ends what is under way; what is not done is left for another time.
    pub(super) fn stop(&self) {
        self.stop.cancel();
    }

    /// Waits for what runs have left to do; the background is ended.
    pub(super) async fn finish(&self) {
        if self.is_kept.load(Ordering::Acquire) {
            self.stop();
        }
        tokio::select! {
            () = self.settle() => {}
            () = async { self.stop.cancelled().await; sleep(FAREWELL).await } => {
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
    /// How far the vectors have come in this process.
    pub fn indexing(&self) -> Indexing {
        self.inner.indexer.state().clone()
    }

    /// Keeps everything that is stored findable by meaning for as long as the engine is open, and the trash without what has
    /// been there for too long; once is enough. Needs a tokio runtime; returns at once.
    pub fn keep_indexed(&self) {
        let indexer = &self.inner.indexer;
        if indexer.is_kept.swap(true, Ordering::AcqRel) {
            return;
        }
        let engine = self.clone();
        indexer.tasks.spawn(async move {
            let stop = engine.inner.indexer.stop.clone();
            stop.run_until_cancelled(async { tokio::join!(engine.keep_at_it(), engine.keep_trash_short()) }).await;
        });
    }

    /// Ends the making of vectors at once; what is not done is made up for by whoever comes next.
    pub fn stop_indexing(&self) {
        self.inner.indexer.stop();
    }

    /// Has the background begin with what was stored just now, where there is one, rather than at its next look.
    pub(super) fn index_soon(&self) {
        self.inner.indexer.newly_stored.notify_one();
    }

    /// Embeds these prompts beside everything else, once what is given back is called. From now on whoever closes the
    /// engine waits for that.
    pub(super) fn index_later(&self, prompts: &[Prompt], account: Account) -> Begin {
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
            embedding::give_vectors(&self.finder(), &meaning, &texts).await
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

    /// Catches up, and again whenever there may be something to do; never ends by itself.
    async fn keep_at_it(&self) {
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
                        // What has failed a moment ago is not asked for again at once.
                        () = indexer.left_undone.notified() => sleep(wait).await,
                        () = indexer.newly_stored.notified() => {}
                        () = sleep(LOOKING) => {}
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

    /// Brings what lies beside the database for faster searches up to date, away from the work: a million vectors take
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

    /// Gives the next prompts that lack a vector theirs; `None` when there are none after this place.
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
        let given = embedding::give_vectors(&store, meaning, &texts).await?;
        Ok(Some(Batch { end, seen, given: given.prompts }))
    }

    /// Waits until what runs have stored so far can be found by meaning, or was tried to.
    pub async fn settle(&self) {
        self.inner.indexer.settle().await;
    }
}

/// Some prompts that were given their vectors.
pub(super) struct Batch {
    /// Where the last of them stands.
    pub(super) end: u64,
    /// How many were looked at.
    pub(super) seen: u64,
    /// How many have vectors now.
    pub(super) given: u64,
}

/// Tells the log why a run's prompts have no vectors. A cap that was reached is the user's own wish.
fn log(error: &Error, prompts: usize) {
    const CONSEQUENCE: &str =
        "a run's prompts are stored and cannot be found by meaning yet; `aludel reindex --vectors` makes up for it";
    if error.code() == Code::BudgetExceeded {
        tracing::info!(%error, prompts, "{CONSEQUENCE}");
    } else {
        tracing::warn!(%error, prompts, "{CONSEQUENCE}");
    }
}
