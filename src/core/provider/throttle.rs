//! Adapts how many calls go out to a provider, at once ([`Pace`]) and a second ([`Spacing`]), to
//! those it refuses as too many.
//!
//! A refusal does not say which of the two was too many. Once the rate is known, it is laid to the
//! number if more calls were under way than the provider is known to accept, and if what is left of
//! the number is enough for the rate; else to the rate. Before that it is laid to both.

use tokio::time::Instant;

use super::pace::{Pace, SentAt};
use super::spacing::{SpacedCall, Spacing};

/// The state of one provider.
#[derive(Debug)]
pub(super) struct Throttle {
    pace: Pace,
    spacing: Spacing,
    /// How long a call takes: a moving average, in seconds.
    latency: Option<f64>,
}

/// A call as it was sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct SentCall {
    pace: SentAt,
    spacing: SpacedCall,
    at: Instant,
}

impl Throttle {
    /// At most this many at once.
    pub(super) const fn new(most: usize) -> Self {
        Self { pace: Pace::new(most), spacing: Spacing::new(), latency: None }
    }

    /// True if calls are spaced.
    pub(super) const fn is_spaced(&self) -> bool {
        self.spacing.is_active()
    }

    /// When the next call may go out: now, or later.
    pub(super) fn due(&mut self, now: Instant) -> Instant {
        self.spacing.due(now)
    }

    /// Counts a call as sent.
    pub(super) fn send(&mut self, now: Instant) -> SentCall {
        SentCall { pace: self.pace.begin(), spacing: self.spacing.send(now), at: now }
    }

    /// Counts a call as finished, however it ended.
    pub(super) const fn over(&mut self) {
        self.pace.over();
    }

    /// Records that the provider began to answer.
    pub(super) fn accepted(&mut self, call: SentCall, now: Instant) {
        self.spacing.accepted(call.spacing, now);
    }

    /// Records that it answered, and returns how many more may go out at once.
    pub(super) fn answered(&mut self, call: SentCall, now: Instant) -> usize {
        self.spacing.accepted(call.spacing, now);
        let took = now.saturating_duration_since(call.at).as_secs_f64();
        self.latency = Some(self.latency.map_or(took, |latency| latency + (took - latency) * 0.1));
        usize::from(self.pace.answered(call.pace)) + self.pace.raise_to(self.needed_at_once())
    }

    /// Records that it refused a call as too many, and returns how many fewer may go out at once.
    pub(super) fn refused(&mut self, call: SentCall, now: Instant) -> usize {
        let fewer = self.pace.refused(call.pace, self.needed_at_once());
        if fewer > 0 && self.spacing.is_known() {
            self.spacing.forget(call.spacing);
        } else {
            self.spacing.refused(call.spacing, now);
        }
        fewer
    }

    /// How many calls under way the known rate needs (Little's law); 0 while none is known.
    fn needed_at_once(&self) -> f64 {
        self.latency.filter(|_| self.spacing.is_known()).map_or(0.0, |latency| self.spacing.rate() * latency)
    }

    /// How many may go out at once.
    pub(super) const fn allowed(&self) -> usize {
        self.pace.allowed()
    }

    /// Calls a second; infinite if they are not spaced.
    pub(super) const fn rate(&self) -> f64 {
        self.spacing.rate()
    }
}

#[cfg(test)]
mod tests;
