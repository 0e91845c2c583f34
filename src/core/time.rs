//! The clock interface, and the only code that reads the system clock. Waiting uses tokio, which
//! tests can pause. Timestamps are truncated to milliseconds, so stored and shown values are equal.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::domain::Timestamp;

/// A source of the current time.
pub trait Clock: Send + Sync {
    /// The current time, UTC, in whole milliseconds.
    fn now(&self) -> Timestamp;
}

/// The system clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        #[expect(clippy::disallowed_methods, reason = "the one place that reads the system clock")]
        let now = Timestamp::now();
        from_millis(now.as_millisecond())
    }
}

/// A clock for tests: fixed, or advancing by one millisecond at each reading.
#[derive(Debug)]
pub struct FixedClock {
    millis: AtomicI64,
    step_ms: i64,
}

impl FixedClock {
    /// Always the same time.
    pub fn at(millis: i64) -> Self {
        Self { millis: AtomicI64::new(millis), step_ms: 0 }
    }

    /// Advances by one millisecond at each reading.
    pub fn ticking_from(millis: i64) -> Self {
        Self { millis: AtomicI64::new(millis), step_ms: 1 }
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        from_millis(self.millis.fetch_add(self.step_ms, Ordering::Relaxed))
    }
}

/// The time this many milliseconds after 1970, clamped to the representable range.
pub fn from_millis(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap_or(if millis < 0 { Timestamp::MIN } else { Timestamp::MAX })
}
