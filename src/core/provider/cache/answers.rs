//! All cached answers of a process: in memory, then in the store, with one call per key at a time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::flight::{InFlight, Leading, Place};
use super::memory::Memory;
use super::{Answer, AnswerKey, AnswerStore, CacheNamespace, Keeping};
use crate::domain::Timestamp;
use crate::time::Clock;

/// Bytes of answers held in memory, all namespaces together.
const MEMORY_BYTES: usize = 64 * 1024 * 1024;

/// The state shared by every [`Cache`](super::Cache) of a process.
pub struct Answers {
    clock: Arc<dyn Clock>,
    memory: Mutex<[Memory; CacheNamespace::ALL.len()]>,
    flights: Arc<InFlight>,
    store: Option<Arc<dyn AnswerStore>>,
}

/// The result of a look-up.
pub(super) enum Found {
    /// A cached answer.
    Kept(Arc<Answer>),
    /// No answer. With [`Leading`], equal calls wait for this one; without, waiting has failed.
    Nothing(Option<Leading>),
}

impl Answers {
    /// Creates an empty cache without a store.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let memory = CacheNamespace::ALL.map(|_| Memory::new(MEMORY_BYTES / CacheNamespace::ALL.len()));
        Self { clock, memory: Mutex::new(memory), flights: Arc::default(), store: None }
    }

    /// Adds `store` behind the memory.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn AnswerStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Waits until the store has written everything.
    pub fn close(&self) {
        if let Some(store) = &self.store {
            store.close();
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The answer to `key`, from the cache or from an equal call in flight, which this waits for.
    pub(super) async fn find(&self, key: AnswerKey, keeping: &Keeping) -> Found {
        if let Some(answer) = self.remembered(key, keeping) {
            return Found::Kept(answer);
        }
        let leading = match self.flights.join(key) {
            Place::First(leading) => leading,
            Place::Behind(following) => {
                return following.answer().await.map_or(Found::Nothing(None), Found::Kept);
            }
        };
        // Another call may have completed between the look-up and the join.
        match self.remembered(key, keeping).or_else(|| self.stored(key, keeping)) {
            Some(answer) => {
                leading.complete(Arc::clone(&answer));
                Found::Kept(answer)
            }
            None => Found::Nothing(Some(leading)),
        }
    }

    /// Caches an answer and returns it, shared.
    pub(super) fn keep(&self, key: AnswerKey, answer: Answer, keeping: &Keeping) -> Arc<Answer> {
        let answer = Arc::new(answer);
        self.remember(key, &answer, keeping);
        if let Some(store) = &self.store {
            store.put(keeping.namespace, keeping.limits, key, Arc::clone(&answer));
        }
        answer
    }

    fn remembered(&self, key: AnswerKey, keeping: &Keeping) -> Option<Arc<Answer>> {
        let mut memory = self.memory();
        let entries = &mut memory[keeping.namespace as usize];
        let answer = entries.get(&key)?;
        if answer.is_fresh(keeping.limits.ttl, self.clock.now()) {
            return Some(answer);
        }
        entries.forget(&key);
        None
    }

    fn stored(&self, key: AnswerKey, keeping: &Keeping) -> Option<Arc<Answer>> {
        let answer = self.store.as_ref()?.get(&key)?;
        if !answer.is_fresh(keeping.limits.ttl, self.clock.now()) {
            return None;
        }
        let answer = Arc::new(answer);
        self.remember(key, &answer, keeping);
        Some(answer)
    }

    fn remember(&self, key: AnswerKey, answer: &Arc<Answer>, keeping: &Keeping) {
        self.memory()[keeping.namespace as usize].put(key, Arc::clone(answer), keeping.limits.max_entries);
    }

    /// A poisoned lock is safe to use: no update under it can be left half done.
    fn memory(&self) -> MutexGuard<'_, [Memory; CacheNamespace::ALL.len()]> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
