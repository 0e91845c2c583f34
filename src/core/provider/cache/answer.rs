//! What is kept, under which limits, and the seam to what keeps it beyond the process.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::AnswerKey;
use crate::domain::{Timestamp, TokenUsage};

/// The longest text that is kept, in bytes. A longer answer is made anew each time.
pub const LONGEST_TEXT: usize = 1024 * 1024;

/// A whole answer of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// All of its text, at most [`LONGEST_TEXT`] bytes.
    pub text: String,
    /// What the user was told along the way: a parameter that was left out, say.
    pub warnings: Vec<String>,
    /// The provider that made it.
    pub provider: String,
    /// The model that made it.
    pub model: String,
    /// Tokens, as counted then.
    pub usage: TokenUsage,
    /// When it was made.
    pub made_at: Timestamp,
}

impl Answer {
    /// True while it is younger than `ttl`. One from the future is not: the clock was set back, its age is unknown.
    pub(super) fn is_fresh(&self, ttl: Duration, now: Timestamp) -> bool {
        let age = now.as_millisecond() - self.made_at.as_millisecond();
        u128::try_from(age).is_ok_and(|age| age < ttl.as_millis())
    }

    /// Bytes of its texts.
    pub fn bytes(&self) -> usize {
        let warnings: usize = self.warnings.iter().map(String::len).sum();
        self.text.len() + warnings + self.provider.len() + self.model.len()
    }
}

/// What answers are answers to. One namespace never evicts the entries of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CacheNamespace {
    /// A phase of a variant.
    Generation,
    /// The judge's comparisons.
    Judge,
}

impl CacheNamespace {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Generation, Self::Judge];

    /// Its name where answers are stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Generation => "generation",
            Self::Judge => "judge",
        }
    }
}

/// How many entries a namespace holds, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamespaceLimits {
    /// From this age on an answer is none any more.
    pub ttl: Duration,
    /// Answers at most; the oldest make room.
    pub max_entries: usize,
}

/// Keeps answers where other processes and later ones find them.
///
/// It is a convenience and never a reason to fail: whatever goes wrong inside is its own business, and looks like an
/// answer that is not there.
pub trait AnswerStore: Send + Sync {
    /// What is kept under `key`, however old.
    fn get(&self, key: &AnswerKey) -> Option<Answer>;

    /// Keeps an answer, in place of an older one, and makes room by `limits`. Returns before it is written.
    fn put(&self, shelf: CacheNamespace, limits: NamespaceLimits, key: AnswerKey, answer: Arc<Answer>);

    /// Waits until all is written, a few seconds at most. Afterwards nothing is found or kept.
    fn close(&self);
}
