//! Sources of new identifiers: UUIDv7 from the system, or a seeded sequence for tests.

use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

use crate::domain::{JudgementId, PromptId, SessionId};

/// Makes identifiers.
pub trait IdSource: Send + Sync {
    /// A new UUIDv7, larger than any this source gave before.
    fn next(&self) -> Uuid;

    /// A new prompt id.
    fn prompt(&self) -> PromptId {
        PromptId(self.next())
    }

    /// A new run id.
    fn session(&self) -> SessionId {
        SessionId(self.next())
    }

    /// A new judgement id.
    fn judgement(&self) -> JudgementId {
        JudgementId(self.next())
    }
}

/// The system's ids: clock, a counter within a millisecond, and randomness (RFC 9562, section 5.7).
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemIds;

impl IdSource for SystemIds {
    fn next(&self) -> Uuid {
        #[expect(clippy::disallowed_methods, reason = "the one place that makes random identifiers")]
        Uuid::now_v7()
    }
}

/// A reproducible sequence for tests: the same seed gives the same ids.
#[derive(Debug)]
pub struct SeededIds {
    seed: u64,
    next: AtomicU64,
}

impl SeededIds {
    /// The sequence of `seed`.
    pub fn new(seed: u64) -> Self {
        Self { seed, next: AtomicU64::new(0) }
    }
}

impl IdSource for SeededIds {
    fn next(&self) -> Uuid {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let random = xxhash_rust::xxh3::xxh3_128_with_seed(&number.to_le_bytes(), self.seed).to_be_bytes();
        let mut tail = [0_u8; 10];
        tail.copy_from_slice(&random[..10]);
        uuid::Builder::from_unix_timestamp_millis(1_700_000_000_000 + number, &tail).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeded_ids_are_reproducible_rising_and_version_seven() {
        let (a, b) = (SeededIds::new(7), SeededIds::new(7));
        let first: Vec<Uuid> = (0..5).map(|_| a.next()).collect();
        let second: Vec<Uuid> = (0..5).map(|_| b.next()).collect();
        assert_eq!(first, second);
        assert!(first.is_sorted() && first.iter().all(|id| id.get_version_num() == 7));
    }
}
