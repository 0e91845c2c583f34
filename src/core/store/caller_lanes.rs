//! The calls under way of each caller in this process, for those that wait for room under its caps.
//!
//! A caller waits for its own calls alone: one that has used up its caps holds up nobody else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::watch;

use crate::ledger::Caller;

/// Callers that are remembered before those without calls are forgotten.
const FORGET_ABOVE: usize = 256;

/// What a caller has under way. A single value, so that readers always see a consistent state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CallerCalls {
    pub(super) under_way: usize,
    /// Chains that hold a reservation.
    pub(super) chains: usize,
    /// Number of calls and chains that have ended.
    pub(super) ended: u64,
}

/// The calls under way of one caller.
pub(super) type CallerLane = Arc<watch::Sender<CallerCalls>>;

/// The lanes of all callers that have calls under way.
#[derive(Debug, Default)]
pub(super) struct CallerLanes(Mutex<HashMap<String, Weak<watch::Sender<CallerCalls>>>>);

impl CallerLanes {
    /// The lane of this caller; `None` for one without caps, who never waits for room under them.
    pub(super) fn of(&self, caller: Option<&Arc<Caller>>) -> Option<CallerLane> {
        let caller = caller.filter(|caller| caller.is_capped())?;
        let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = lanes.get(&caller.id).and_then(Weak::upgrade) {
            return Some(lane);
        }
        if lanes.len() >= FORGET_ABOVE {
            lanes.retain(|_, lane| lane.strong_count() > 0);
        }
        let lane = CallerLane::default();
        lanes.insert(caller.id.clone(), Arc::downgrade(&lane));
        Some(lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::ledger::CapPeriod;

    fn caller(id: &str, max_calls: Option<u64>) -> Arc<Caller> {
        Arc::new(Caller { id: id.into(), budget: None, max_calls, period: CapPeriod::Day })
    }

    #[test]
    fn a_caller_has_one_lane_as_long_as_it_is_in_use() {
        let lanes = CallerLanes::default();
        let first = lanes.of(Some(&caller("a", Some(1)))).unwrap();
        assert!(Arc::ptr_eq(&first, &lanes.of(Some(&caller("a", Some(2)))).unwrap()));
        assert!(!Arc::ptr_eq(&first, &lanes.of(Some(&caller("b", Some(1)))).unwrap()));
        assert!(lanes.of(Some(&caller("c", None))).is_none() && lanes.of(None).is_none());
        for number in 0..1000 {
            lanes.of(Some(&caller(&number.to_string(), Some(1))));
        }
        assert!(lanes.0.lock().unwrap().len() <= FORGET_ABOVE + 1);
        assert!(Arc::ptr_eq(&first, &lanes.of(Some(&caller("a", Some(1)))).unwrap()));
    }
}
