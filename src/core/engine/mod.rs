//! The facade: one method per operation, for all four faces, and the wiring behind it.
//!
//! An [`Engine`] is cheap to clone and does nothing until it is asked: opening one touches no disk, no network and no
//! thread, so that a local command pays for what it uses. Only [`wiring`] sees the configuration; the use-cases get
//! small plans. Requests come from [`Engine::decode`], so every face has had the same validation.
//!
//! [`Engine::generate`] needs a tokio runtime and answers with a [`Run`](crate::event::Run), and so does what asks
//! providers; all else is async without needing one.

mod assets;
mod audit;
mod caching;
mod check_database;
mod check_providers;
mod compare;
mod detected_providers;
mod embedding;
mod estimate;
mod exposure;
mod generate;
mod indexing;
mod jobs;
mod judging;
mod labelling;
mod labels;
mod manage;
mod prepared;
mod probe;
mod providers;
mod reindex;
mod retrieve;
mod search;
mod select;
mod spend;
mod statistics;
mod system;
#[cfg(test)]
mod tests;
mod transfer;
mod trash;
mod unsaved;
mod why;
mod wiring;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Handle;

use crate::api::{self, Known, Request};
use crate::assets::Assets;
use crate::config::edit::{self, Setting};
use crate::config::{Config, Loaded, Origins, Paths};
use crate::drafts::Drafts;
use crate::error::{Error, Result};
use crate::ids::{IdSource, SystemIds};
use crate::job::Keeper;
use crate::ledger::CallLog;
use crate::provider::cache::Answers;
use crate::provider::embedding::Embedder;
use crate::provider::registry::Registry;
use crate::store::Store;
use crate::store::sqlite::migrate::Watch;
use crate::time::{Clock, SystemClock};

pub use compare::Comparing;
pub use detected_providers::{DetectedProvider, DetectedProviders};
pub use estimate::{Estimate, Preflight};
pub use indexing::Indexing;
pub use jobs::AdoptsJobs;
pub use labelling::{Better, KeptLabel, Labelling, SITTING};
pub use labels::LabelledPairs;
pub use prepared::Prepared;
pub use providers::ProviderFacts;
pub use retrieve::{HistoryPage, PromptPage};
pub use statistics::MeasureProgress;
pub use system::{Check, CheckStatus, SettingsCheck, Validation};
pub use trash::{Deletion, Restoration, TrashPage, TrashedPrompt};

pub use crate::store::sqlite::migrate::MigrationProgress;

/// How long closing waits for calls to be cancelled, so that what they may have cost is written down.
const FAREWELL: Duration = Duration::from_secs(2);

/// The program, without any face.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    loaded: Loaded,
    store: OnceLock<Arc<dyn Store>>,
    watch: OnceLock<Watch>,
    call_log: OnceLock<Arc<dyn CallLog>>,
    answers: OnceLock<Arc<Answers>>,
    embedder: OnceLock<Arc<dyn Embedder>>,
    indexer: indexing::Indexer,
    keeper: Arc<Keeper>,
    assets: Arc<Assets>,
    settings_check: OnceLock<SettingsCheck>,
    registry: Registry,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
}

impl Engine {
    /// An engine over this configuration, with the system's clock and identifiers.
    pub fn open(loaded: Loaded) -> Self {
        Self::open_with(loaded, Arc::new(SystemClock), Arc::new(SystemIds))
    }

    /// As [`Engine::open`] with a clock and identifiers of one's own, for tests.
    pub fn open_with(loaded: Loaded, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Self {
        let assets = Arc::new(wiring::assets(&loaded.paths));
        let registry = wiring::registry(&loaded).with_catalog(Arc::clone(&assets), Arc::clone(&clock));
        let (store, watch, call_log, answers) = (OnceLock::new(), OnceLock::new(), OnceLock::new(), OnceLock::new());
        let (embedder, indexer) = (OnceLock::new(), indexing::Indexer::default());
        let settings_check = OnceLock::new();
        let inner = Inner {
            loaded,
            store,
            watch,
            call_log,
            answers,
            embedder,
            indexer,
            keeper: Arc::default(),
            assets,
            settings_check,
            registry,
            clock,
            ids,
        };
        Self { inner: Arc::new(inner) }
    }

    /// As [`Engine::open_with`], over a store of one's own in place of the configured database.
    #[cfg(any(test, feature = "test-support"))]
    pub fn open_over(loaded: Loaded, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>, store: Arc<dyn Store>) -> Self {
        let engine = Self::open_with(loaded, clock, ids);
        engine.inner.store.get_or_init(|| store);
        engine
    }

    /// The names a request may use here.
    pub fn known(&self) -> Known {
        Known {
            personas: self.inner.assets.persona_names(),
            providers: self.inner.registry.names().map(str::to_owned).collect(),
        }
    }

    /// Decodes and checks a request: the only validation there is.
    ///
    /// # Errors
    /// `invalid_request` or `validation_failed` with every fault.
    pub fn decode<R: Request>(&self, raw: Value) -> Result<R> {
        api::decode(raw, &self.known())
    }

    /// The effective configuration.
    pub fn config(&self) -> &Config {
        &self.inner.loaded.config
    }

    /// Where each value of it comes from.
    pub fn origins(&self) -> &Origins {
        &self.inner.loaded.origins
    }

    /// Every key of it with its value and where that comes from; secrets are redacted.
    ///
    /// # Errors
    /// `internal` on a defect.
    pub fn settings(&self) -> Result<Vec<Setting>> {
        edit::show(&self.inner.loaded)
    }

    /// The user's folder and what is in it.
    pub fn paths(&self) -> &Paths {
        &self.inner.loaded.paths
    }

    /// The drafts of the user's folder, for one workbench. Reads and makes nothing yet.
    pub fn drafts(&self) -> Drafts {
        Drafts::new(self.paths().drafts.clone(), Arc::clone(&self.inner.clock))
    }

    /// Stops the kept jobs of this process, for another to take up. Waits until the prompts of the
    /// runs so far have their vectors, unless [`Engine::stop_indexing`] or the end of
    /// [`Engine::keep_indexed`]'s background leaves that for later; for calls that are being
    /// cancelled, [`FAREWELL`] at most; and for queued writes. Closes the database and the cache.
    ///
    /// # Errors
    /// `storage` when something could not be written: vectors, what a call cost.
    pub async fn close(&self) -> Result<()> {
        // Without a runtime nothing can be under way.
        if Handle::try_current().is_ok() {
            if tokio::time::timeout(FAREWELL, self.inner.keeper.let_go()).await.is_err() {
                tracing::warn!("a kept job did not stop in time; it counts as interrupted once its lease has run out");
            }
            self.inner.indexer.finish().await;
        }
        if let Some(call_log) = self.inner.call_log.get().filter(|_| Handle::try_current().is_ok())
            && tokio::time::timeout(FAREWELL, call_log.close()).await.is_err()
        {
            tracing::warn!("a call to a provider did not end in time; what it cost is not written down");
        }
        let closed = match self.inner.store.get() {
            Some(store) => store.close().await,
            None => Ok(()),
        };
        if let Some(answers) = self.inner.answers.get() {
            // A short wait for a thread, at the end of all.
            answers.close();
        }
        let unwritten = self.inner.call_log.get().and_then(|call_log| call_log.unwritten());
        let failures: Vec<String> = closed
            .err()
            .into_iter()
            .chain(self.inner.indexer.unstored())
            .chain(unwritten)
            .map(|it| it.to_string())
            .collect();
        if failures.is_empty() { Ok(()) } else { Err(Error::Storage(failures.join("\n"))) }
    }

    /// Tells how far a migration of the database is, whichever operation meets the old file. Of use before the first operation;
    /// the first one to watch stays.
    pub fn watch_migrations(&self, told: impl Fn(MigrationProgress) + Send + Sync + 'static) {
        self.inner.watch.get_or_init(|| Watch::by(told));
    }

    fn watch(&self) -> Watch {
        self.inner.watch.get().cloned().unwrap_or_default()
    }

    fn store(&self) -> &Arc<dyn Store> {
        self.inner.store.get_or_init(|| wiring::store(&self.inner.loaded, self.watch(), Arc::clone(&self.inner.clock)))
    }
}
