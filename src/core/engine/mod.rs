//! The facade: one method per operation, for all four faces, and the wiring behind it.
//!
//! An [`Engine`] is cheap to clone and lazy: opening one touches no disk, network or thread. Only
//! [`wiring`] sees the configuration; the use-cases get small plans. Requests come from
//! [`Engine::decode`], so every face gets the same validation.
//!
//! [`Engine::generate`] and everything else that calls providers needs a tokio runtime and returns
//! a [`Run`](crate::event::run::Run). The other methods are async but need no runtime.

mod assets;
mod audit;
mod batch;
mod batch_rows;
mod caching;
mod changes;
mod check_database;
mod check_providers;
mod compare;
mod context;
mod detected_providers;
mod embedding;
mod estimate;
mod exposure;
mod generate;
mod health;
mod idempotency;
mod indexing;
mod jobs;
mod judging;
mod labelling;
mod labels;
mod manage;
mod metrics;
mod offered;
mod prepared;
mod probe;
mod providers;
mod reindex;
mod retrieve;
mod search;
mod select;
mod spend;
mod statistics;
mod suggest;
mod system;
#[cfg(test)]
mod tests;
mod tokens;
mod transfer;
mod trash;
mod unsaved;
mod why;
mod wiring;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Handle;

use crate::api::{self, Field, Kind, Known, Request};
use crate::assets::Assets;
use crate::auth::TokenKey;
use crate::config::edit::{self, Setting};
use crate::config::{Config, Loaded, Origins, Paths};
use crate::drafts::Drafts;
use crate::error::{Error, Result};
use crate::ids::{IdSource, SystemIds};
use crate::job::Keeper;
use crate::ledger::CallLog;
use crate::provider::cache::AnswerCache;
use crate::provider::embedding::Embedder;
use crate::provider::registry::Registry;
use crate::store::Store;
use crate::store::sqlite::migrate::Watch;
use crate::time::{Clock, SystemClock};

pub use batch::{BadRows, BatchInput, CheckedRows};
pub use batch_rows::{BatchPage, RowCursor};
pub use changes::{POLLED_EVERY, StoreChange, StoreChanges};
pub use compare::PendingComparison;
pub use context::RequestContext;
pub use detected_providers::{DetectedProvider, DetectedProviders};
pub use estimate::{Estimate, Preflight};
pub use idempotency::{ClaimedKey, KEY_RETENTION, KeyedRequest};
pub use indexing::Indexing;
pub use jobs::JobAdoptionGuard;
pub use labelling::{Better, Labelling, PAIRS_PER_SITTING, StoredLabel};
pub use labels::LabelledPairs;
pub use offered::{FilledPrompt, TAG as OFFER_TAG, stored_description, stored_name, stored_title};
pub use prepared::Prepared;
pub use providers::ProviderDetails;
pub use retrieve::{HistoryPage, PromptPage};
pub use statistics::MeasureProgress;
pub use system::{Check, CheckStatus, SettingsCheck, Validation};
pub use trash::{Deletion, Restoration, TrashPage, TrashedPrompt};

pub use crate::store::sqlite::migrate::MigrationProgress;

/// How long closing waits for cancelled calls to record what they may have cost.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// The program without a user interface.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
    context: RequestContext,
}

struct Inner {
    loaded: Loaded,
    store: OnceLock<Arc<dyn Store>>,
    watch: OnceLock<Watch>,
    call_log: OnceLock<Arc<dyn CallLog>>,
    answers: OnceLock<Arc<AnswerCache>>,
    embedder: OnceLock<Arc<dyn Embedder>>,
    indexer: indexing::Indexer,
    keeper: Arc<Keeper>,
    assets: Arc<Assets>,
    settings_check: OnceLock<SettingsCheck>,
    token_key: OnceLock<Option<TokenKey>>,
    registry: Registry,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
}

impl Engine {
    /// Opens an engine over this configuration, with the system clock and random identifiers.
    pub fn open(loaded: Loaded) -> Self {
        Self::open_with(loaded, Arc::new(SystemClock), Arc::new(SystemIds))
    }

    /// Like [`Engine::open`], with the given clock and identifiers; for tests.
    pub fn open_with(loaded: Loaded, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Self {
        let assets = Arc::new(wiring::assets(&loaded.paths));
        let registry = wiring::registry(&loaded).with_catalog(Arc::clone(&assets), Arc::clone(&clock));
        let (store, watch, call_log, answers) = (OnceLock::new(), OnceLock::new(), OnceLock::new(), OnceLock::new());
        let (embedder, indexer) = (OnceLock::new(), indexing::Indexer::default());
        let (settings_check, token_key) = (OnceLock::new(), OnceLock::new());
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
            token_key,
            registry,
            clock,
            ids,
        };
        Self { inner: Arc::new(inner), context: RequestContext::default() }
    }

    /// Like [`Engine::open_with`], over the given store instead of the configured database.
    #[cfg(any(test, feature = "test-support"))]
    pub fn open_over(loaded: Loaded, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>, store: Arc<dyn Store>) -> Self {
        let engine = Self::open_with(loaded, clock, ids);
        engine.inner.store.get_or_init(|| store);
        engine
    }

    /// The names that requests may use here.
    pub fn known(&self) -> Known {
        Known { personas: self.inner.assets.persona_names(), providers: self.provider_names(), may_name_files: false }
    }

    /// Decodes and validates a request. There is no other validation.
    ///
    /// # Errors
    /// `invalid_request` or `validation_failed` with every fault.
    pub fn decode<R: Request>(&self, raw: Value) -> Result<R> {
        let known = self.known_to(R::FIELDS, &raw);
        api::decode(raw, &known)
    }

    /// The names that a request can be checked against; empty for those that it does not give, since
    /// the personas are a folder to be read.
    fn known_to(&self, fields: &[Field], raw: &Value) -> Known {
        let gives =
            |is_name: fn(Kind) -> bool| fields.iter().any(|field| is_name(field.kind) && raw.get(field.name).is_some());
        let is_persona = |kind| matches!(kind, Kind::Persona);
        let is_provider = |kind| matches!(kind, Kind::Provider | Kind::Providers | Kind::Judges { .. });
        Known {
            personas: if gives(is_persona) { self.inner.assets.persona_names() } else { Vec::new() },
            providers: if gives(is_provider) { self.provider_names() } else { Vec::new() },
            may_name_files: false,
        }
    }

    fn provider_names(&self) -> Vec<String> {
        self.inner.registry.names().map(str::to_owned).collect()
    }

    /// As [`Engine::decode`], for a request of the user's own: it may name a file of criteria.
    ///
    /// # Errors
    /// As [`Engine::decode`].
    pub fn decode_own<R: Request>(&self, raw: Value) -> Result<R> {
        let known = Known { may_name_files: true, ..self.known_to(R::FIELDS, &raw) };
        api::decode(raw, &known)
    }

    /// The effective configuration.
    pub fn config(&self) -> &Config {
        &self.inner.loaded.config
    }

    /// Where each configuration value comes from.
    pub fn origins(&self) -> &Origins {
        &self.inner.loaded.origins
    }

    /// Every configuration key with its value and its origin; secrets are redacted.
    ///
    /// # Errors
    /// `internal` on a defect.
    pub fn settings(&self) -> Result<Vec<Setting>> {
        edit::show(&self.inner.loaded)
    }

    /// The paths of the user's folder and its files.
    pub fn paths(&self) -> &Paths {
        &self.inner.loaded.paths
    }

    /// The drafts in the user's folder, for one workbench. Does not touch the disk yet.
    pub fn drafts(&self) -> Drafts {
        Drafts::new(self.paths().drafts.clone(), Arc::clone(&self.inner.clock))
    }

    /// Shuts down. Stops the kept jobs of this process, so that another process can resume them,
    /// then closes the database and the cache. Waits for the embeddings of the runs so far (unless
    /// [`Engine::stop_indexing`] or [`Engine::keep_indexed`] was called, which leave them for
    /// later), for queued writes, and at most [`CLOSE_TIMEOUT`] for calls that are being cancelled.
    ///
    /// # Errors
    /// `storage` when something could not be written, such as vectors or the cost of a call.
    pub async fn close(&self) -> Result<()> {
        // Without a runtime nothing can be running.
        if Handle::try_current().is_ok() {
            if tokio::time::timeout(CLOSE_TIMEOUT, self.inner.keeper.release()).await.is_err() {
                tracing::warn!("a kept job did not stop in time; it counts as interrupted once its lease has run out");
            }
            self.inner.indexer.finish().await;
        }
        if let Some(call_log) = self.inner.call_log.get().filter(|_| Handle::try_current().is_ok())
            && tokio::time::timeout(CLOSE_TIMEOUT, call_log.close()).await.is_err()
        {
            tracing::warn!("a call to a provider did not end in time; what it cost is not written down");
        }
        let closed = match self.inner.store.get() {
            Some(store) => store.close().await,
            None => Ok(()),
        };
        if let Some(answers) = self.inner.answers.get() {
            // Joins a thread, so this comes last.
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

    /// Reports the progress of a database migration, whichever operation triggers it. Call it
    /// before the first operation; only the first watcher is used.
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
