//! All cached answers of a process: in memory, then in the store, with one call per key at a time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::flight::{FlightRole, InFlight, Leader};
use super::memory::Memory;
use super::{AnswerKey, AnswerStore, CacheNamespace, CachePolicy, CachedAnswer};
use crate::domain::Timestamp;
use crate::time::Clock;

/// Bytes of answers held in memory, all namespaces together.
const MEMORY_BYTES: usize = 64 * 1024 * 1024;

/// The state shared by every [`Cache`](super::Cache) of a process.
pub struct AnswerCache {
    clock: Arc<dyn Clock>,
    memory: Mutex<[Memory; CacheNamespace::ALL.len()]>,
    in_flight_calls: Arc<InFlight>,
    store: Option<Arc<dyn AnswerStore>>,
}

/// The result of a look-up.
pub(super) enum Found {
    /// A cached answer.
    Kept(Arc<CachedAnswer>),
    /// No answer. With [`Leader`], equal calls wait for this one; without, waiting has failed.
    Nothing(Option<Leader>),
}

impl AnswerCache {
    /// Creates an empty cache without a store.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let memory = CacheNamespace::ALL.map(|_| Memory::new(MEMORY_BYTES / CacheNamespace::ALL.len()));
        Self { clock, memory: Mutex::new(memory), in_flight_calls: Arc::default(), store: None }
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
    pub(super) async fn find(&self, key: AnswerKey, policy: &CachePolicy) -> Found {
        if let Some(answer) = self.remembered(key, policy) {
            return Found::Kept(answer);
        }
        let leader = match self.in_flight_calls.join(key) {
            FlightRole::Leader(leader) => leader,
            FlightRole::Follower(following) => {
                return following.answer().await.map_or(Found::Nothing(None), Found::Kept);
            }
        };
        // Another call may have completed between the look-up and the join.
        match self.remembered(key, policy).or_else(|| self.stored(key, policy)) {
            Some(answer) => {
                leader.complete(Arc::clone(&answer));
                Found::Kept(answer)
            }
            None => Found::Nothing(Some(leader)),
        }
    }

    /// Caches an answer and returns it, shared.
    pub(super) fn keep(&self, key: AnswerKey, answer: CachedAnswer, policy: &CachePolicy) -> Arc<CachedAnswer> {
        let answer = Arc::new(answer);
        self.remember(key, &answer, policy);
        if let Some(store) = &self.store {
            store.put(policy.namespace, policy.limits, key, Arc::clone(&answer));
        }
        answer
    }

    fn remembered(&self, key: AnswerKey, policy: &CachePolicy) -> Option<Arc<CachedAnswer>> {
        let mut memory = self.memory();
        let entries = &mut memory[policy.namespace as usize];
        let answer = entries.get(&key)?;
        if answer.is_fresh(policy.limits.ttl, self.clock.now()) {
            return Some(answer);
        }
        entries.forget(&key);
        None
    }

    fn stored(&self, key: AnswerKey, policy: &CachePolicy) -> Option<Arc<CachedAnswer>> {
        let answer = self.store.as_ref()?.get(&key)?;
        if !answer.is_fresh(policy.limits.ttl, self.clock.now()) {
            return None;
        }
        let answer = Arc::new(answer);
        self.remember(key, &answer, policy);
        Some(answer)
    }

    fn remember(&self, key: AnswerKey, answer: &Arc<CachedAnswer>, policy: &CachePolicy) {
        self.memory()[policy.namespace as usize].put(key, Arc::clone(answer), policy.limits.max_entries);
    }

    /// A poisoned lock is safe to use: no update under it can be left half done.
    fn memory(&self) -> MutexGuard<'_, [Memory; CacheNamespace::ALL.len()]> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
