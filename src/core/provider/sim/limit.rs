//! The rate limit of a script: calls beyond it are refused at once, and told nothing but that.
//!
//! A token bucket: it holds `burst` calls and gains `calls_per_s` a second. The clock is tokio's.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Deserializer};
use tokio::time::Instant;

use super::strict;
use crate::error::{ProviderError, ProviderFailure};

/// A rate limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limit {
    calls_per_s: f64,
    burst: f64,
}

/// The script's form of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitFields {
    calls_per_s: f64,
    #[serde(default)]
    burst: Option<u32>,
}

impl LimitFields {
    fn check(self) -> Result<Limit, String> {
        let Self { calls_per_s, burst } = self;
        if !(calls_per_s > 0.0 && calls_per_s.is_finite()) {
            return Err(format!("`calls_per_s` is {calls_per_s}, expected a number above 0"));
        }
        let burst = burst.unwrap_or(1);
        if burst == 0 {
            return Err("`burst` is 0, expected 1 or more".into());
        }
        Ok(Limit { calls_per_s, burst: f64::from(burst) })
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        strict::map(deserializer, LimitFields::check)
    }
}

/// What has come under the limit so far; clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Bucket(Arc<Mutex<BucketState>>);

#[derive(Debug, Default)]
struct BucketState {
    /// When the last call came, and how many more would have been accepted right after it.
    last: Option<(Instant, f64)>,
    refused: u64,
}

impl Bucket {
    /// Accepts a call, or refuses it.
    pub(super) fn take(&self, limit: Limit, provider: &str) -> Result<(), ProviderError> {
        let now = Instant::now();
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let held = state.last.map_or(limit.burst, |(at, left)| {
            (left + now.saturating_duration_since(at).as_secs_f64() * limit.calls_per_s).min(limit.burst)
        });
        // A hair less than one, so that calls exactly in time are not refused for rounding.
        if held >= 1.0 - 1e-9 {
            state.last = Some((now, held - 1.0));
            return Ok(());
        }
        state.last = Some((now, held));
        state.refused += 1;
        let error = ProviderError::new(provider, ProviderFailure::RateLimited, "too many requests a second (scripted)");
        Err(error.with_status(429))
    }

    /// How many calls it refused.
    pub(super) fn refused(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).refused
    }
}
