//! Cached answers, their limits, and the trait for storage beyond the process.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::AnswerKey;
use crate::domain::{Timestamp, TokenUsage};

/// The longest text that is cached, in bytes.
pub const LONGEST_TEXT: usize = 1024 * 1024;

/// A complete answer of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CachedAnswer {
    /// The whole text, at most [`LONGEST_TEXT`] bytes.
    pub text: String,
    /// Warnings shown along the way, such as a parameter that was left out.
    pub warnings: Vec<String>,
    /// The provider that made it.
    pub provider: String,
    /// The model that made it.
    pub model: String,
    /// Token counts of the original call.
    pub usage: TokenUsage,
    /// When it was made.
    pub made_at: Timestamp,
}

impl CachedAnswer {
    /// True while younger than `ttl`. One from the future is not: the clock was set back.
    pub(super) fn is_fresh(&self, ttl: Duration, now: Timestamp) -> bool {
        let age = now.as_millisecond() - self.made_at.as_millisecond();
        u128::try_from(age).is_ok_and(|age| age < ttl.as_millis())
    }

    /// The size of its texts in bytes.
    pub fn bytes(&self) -> usize {
        let warnings: usize = self.warnings.iter().map(String::len).sum();
        self.text.len() + warnings + self.provider.len() + self.model.len()
    }
}

/// What answers are for. A namespace never evicts entries of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CacheNamespace {
    /// A phase of a variant.
    Generation,
    /// A comparison by the judge.
    Judge,
}

impl CacheNamespace {
    /// All namespaces.
    pub const ALL: [Self; 2] = [Self::Generation, Self::Judge];

    /// The name used in storage.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Generation => "generation",
            Self::Judge => "judge",
        }
    }
}

/// Limits of a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamespaceLimits {
    /// The age from which answers are stale.
    pub ttl: Duration,
    /// The maximum number of answers; the oldest are evicted.
    pub max_entries: usize,
}

/// Stores answers for other and later processes.
///
/// Caching is never a reason to fail: internal errors look like a missing answer.
pub trait AnswerStore: Send + Sync {
    /// The answer stored under `key`, however old.
    fn get(&self, key: &AnswerKey) -> Option<CachedAnswer>;

    /// Stores or replaces an answer and evicts by `limits`. Returns before it is written.
    fn put(&self, namespace: CacheNamespace, limits: NamespaceLimits, key: AnswerKey, answer: Arc<CachedAnswer>);

    /// Waits until all is written, a few seconds at most. Afterwards nothing is found or stored.
    fn close(&self);
}
