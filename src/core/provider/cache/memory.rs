//! The answers in memory: a least-recently-used cache bounded in entries and bytes.

use std::sync::Arc;

use lru::LruCache;

use super::{AnswerKey, CachedAnswer};

/// Bytes of an entry beyond its texts: key, list node, numbers.
const OVERHEAD: usize = 256;

/// Cached answers by key, least recently used first out.
pub(super) struct Memory {
    entries: LruCache<AnswerKey, Arc<CachedAnswer>>,
    bytes: usize,
    max_bytes: usize,
}

impl Memory {
    /// Holds at most `max_bytes`.
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { entries: LruCache::unbounded(), bytes: 0, max_bytes }
    }

    /// The answer to `key`, marked as used.
    pub(super) fn get(&mut self, key: &AnswerKey) -> Option<Arc<CachedAnswer>> {
        self.entries.get(key).map(Arc::clone)
    }

    /// Adds an answer and evicts until the limits hold, the new answer included if need be.
    pub(super) fn put(&mut self, key: AnswerKey, answer: Arc<CachedAnswer>, max_entries: usize) {
        self.bytes += weight(&answer);
        if let Some(older) = self.entries.put(key, answer) {
            self.bytes -= weight(&older);
        }
        while self.entries.len() > max_entries || self.bytes > self.max_bytes {
            let Some((_, oldest)) = self.entries.pop_lru() else { break };
            self.bytes -= weight(&oldest);
        }
    }

    /// Removes the answer to `key`.
    pub(super) fn forget(&mut self, key: &AnswerKey) {
        if let Some(answer) = self.entries.pop(key) {
            self.bytes -= weight(&answer);
        }
    }
}

fn weight(answer: &CachedAnswer) -> usize {
    answer.bytes() + OVERHEAD
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::TokenUsage;
    use crate::time::from_millis;

    fn key(number: u8) -> AnswerKey {
        AnswerKey::from_bytes([number; 32])
    }

    fn answer(bytes: usize) -> Arc<CachedAnswer> {
        Arc::new(CachedAnswer {
            text: "x".repeat(bytes),
            warnings: Vec::new(),
            provider: String::new(),
            model: String::new(),
            usage: TokenUsage::default(),
            made_at: from_millis(0),
        })
    }

    #[test]
    fn the_one_that_was_not_used_for_longest_makes_room() {
        let mut memory = Memory::new(1_000_000);
        for number in 0..3 {
            memory.put(key(number), answer(10), 3);
        }
        assert!(memory.get(&key(0)).is_some());
        memory.put(key(3), answer(10), 3);
        assert!(memory.get(&key(1)).is_none());
        assert!([0, 2, 3].iter().all(|number| memory.get(&key(*number)).is_some()));
    }

    #[test]
    fn bytes_are_a_limit_too_and_one_that_is_too_big_is_not_held() {
        let mut memory = Memory::new(3 * (1000 + OVERHEAD));
        for number in 0..4 {
            memory.put(key(number), answer(1000), 100);
        }
        assert!(memory.get(&key(0)).is_none() && memory.get(&key(1)).is_some());
        memory.put(key(9), answer(10_000), 100);
        assert_eq!((memory.entries.len(), memory.bytes), (0, 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_bytes_are_those_of_what_is_held(
            steps in proptest::collection::vec((0_u8..6, 0_usize..600, any::<bool>(), 0_usize..5), 0..60)
        ) {
            let mut memory = Memory::new(2000);
            for (number, bytes, forgets, max_entries) in steps {
                if forgets {
                    memory.forget(&key(number));
                } else {
                    memory.put(key(number), answer(bytes), max_entries);
                    prop_assert!(memory.entries.len() <= max_entries);
                }
                prop_assert_eq!(memory.bytes, memory.entries.iter().map(|(_, held)| weight(held)).sum::<usize>());
                prop_assert!(memory.bytes <= 2000);
            }
        }
    }
}
