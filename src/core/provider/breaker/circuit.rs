//! The circuit's state machine. Pure; time is an argument.
//!
//! | state | a call | how it is left |
//! |---|---|---|
//! | closed | goes through | `failures` failures in a row open it |
//! | open | is refused | half-open once the pause is over |
//! | half-open | one goes through as the trial, the others are refused | an answer closes it; a failure opens it for twice as long; a dropped trial allows another |
//!
//! Only the provider's own failures count: unavailable, timed out, too many requests. Any other
//! error proves that it answers. The end of a call counts only in the state it began in, so of many
//! calls that fail together the late ones change nothing. After the longest pause a new trial
//! replaces one that is not read.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::{ProviderError, ProviderFailure};

/// When a circuit opens, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// Failures in a row that open the circuit; 1 or more.
    pub failures: u32,
    /// The first pause; doubled each time the trial fails.
    pub pause: Duration,
    /// The longest pause, even if the provider asks for more.
    pub longest_pause: Duration,
}

impl Default for BreakerPolicy {
    /// Five failures, 30 s doubling up to 5 minutes.
    fn default() -> Self {
        Self { failures: 5, pause: Duration::from_secs(30), longest_pause: Duration::from_mins(5) }
    }
}

/// The state of one provider.
#[derive(Debug)]
pub(super) struct Circuit {
    policy: BreakerPolicy,
    state: State,
    /// Incremented with every change of state; tickets of an earlier turn are stale.
    turn: u64,
}

#[derive(Debug)]
enum State {
    Closed { failures: u32 },
    Open(Outage),
}

#[derive(Debug)]
struct Outage {
    since: Instant,
    failures: u32,
    cause: String,
    /// Our own pause, before any `Retry-After`.
    pause: Duration,
    /// From then on a call can be the trial, even if an earlier one is still open.
    due: Instant,
    /// True while a trial is under way.
    on_trial: bool,
}

/// The right to make a call.
#[derive(Debug)]
pub(super) struct Ticket {
    turn: u64,
    is_trial: bool,
}

impl Ticket {
    /// True for the one call of a half-open circuit.
    pub(super) const fn is_trial(&self) -> bool {
        self.is_trial
    }
}

/// Why a call is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Time since the circuit opened.
    pub(super) down_for: Duration,
    /// Calls that failed in a row, trials included.
    pub(super) failures: u32,
    /// The message of the last failure.
    pub(super) cause: String,
    /// When a call can go through.
    pub(super) next: NextTry,
}

/// When a call can go through.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NextTry {
    /// After this delay.
    In(Duration),
    /// Once the trial in flight succeeds.
    UnderWay,
}

/// How a call ended.
#[derive(Debug)]
pub(super) enum Ending<'a> {
    /// The provider works, though it may have refused this request.
    Answered,
    /// The provider failed.
    Failed(&'a ProviderError),
    /// Nothing was learned: the call was dropped or never sent.
    Nothing,
}

impl<'a> Ending<'a> {
    /// Classifies an error.
    pub(super) fn of(error: &'a ProviderError) -> Self {
        match error.failure {
            ProviderFailure::Unavailable | ProviderFailure::Timeout | ProviderFailure::RateLimited => {
                Self::Failed(error)
            }
            ProviderFailure::Auth
            | ProviderFailure::QuotaExhausted
            | ProviderFailure::Rejected
            | ProviderFailure::Refused => Self::Answered,
            ProviderFailure::Budget | ProviderFailure::CallLogFailed => Self::Nothing,
        }
    }
}

/// A change of state.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Calls are now refused.
    Opened {
        /// Calls that failed in a row, trials included.
        failures: u32,
        /// The delay before the next trial.
        pause: Duration,
        /// The message of the last failure.
        cause: String,
    },
    /// Calls go through again.
    Closed,
}

impl Circuit {
    /// Creates a closed circuit.
    pub(super) fn new(policy: BreakerPolicy) -> Self {
        Self { policy, state: State::Closed { failures: 0 }, turn: 0 }
    }

    /// Admits or refuses a call; the first one after the pause is the trial.
    pub(super) fn admit(&mut self, now: Instant) -> Result<Ticket, Refusal> {
        if let Some(refusal) = self.refusal(now) {
            return Err(refusal);
        }
        let is_trial = match &mut self.state {
            State::Closed { .. } => false,
            State::Open(outage) => {
                self.turn += 1;
                outage.on_trial = true;
                outage.due = now + self.policy.longest_pause;
                true
            }
        };
        Ok(Ticket { turn: self.turn, is_trial })
    }

    /// Why a call would be refused now; `None` if it would be admitted.
    pub(super) fn refusal(&self, now: Instant) -> Option<Refusal> {
        let State::Open(outage) = &self.state else { return None };
        (now < outage.due).then(|| Refusal {
            down_for: now - outage.since,
            failures: outage.failures,
            cause: outage.cause.clone(),
            next: if outage.on_trial { NextTry::UnderWay } else { NextTry::In(outage.due - now) },
        })
    }

    /// Records how a call ended.
    #[expect(clippy::needless_pass_by_value, reason = "a ticket is good for one call")]
    pub(super) fn end(&mut self, ticket: Ticket, ending: &Ending<'_>, now: Instant) -> Option<Change> {
        if ticket.turn != self.turn {
            return None;
        }
        match (&mut self.state, ending) {
            (State::Closed { failures }, Ending::Answered) => {
                *failures = 0;
                None
            }
            (State::Closed { failures }, Ending::Failed(error)) => {
                *failures += 1;
                let failures = *failures;
                (failures >= self.policy.failures).then(|| self.open(now, now, failures, self.policy.pause, error))
            }
            (State::Closed { .. }, Ending::Nothing) => None,
            (State::Open(_), Ending::Answered) => {
                self.turn += 1;
                self.state = State::Closed { failures: 0 };
                Some(Change::Closed)
            }
            (State::Open(outage), Ending::Failed(error)) => {
                let (since, failures, pause) = (outage.since, outage.failures + 1, outage.pause * 2);
                Some(self.open(now, since, failures, pause, error))
            }
            (State::Open(outage), Ending::Nothing) => {
                self.turn += 1;
                outage.on_trial = false;
                outage.due = now;
                None
            }
        }
    }

    fn open(&mut self, now: Instant, since: Instant, failures: u32, pause: Duration, error: &ProviderError) -> Change {
        let longest = self.policy.longest_pause;
        let pause = pause.min(longest);
        let wait = error.retry_after.map_or(pause, |asked| asked.clamp(pause, longest));
        let cause = error.message.clone();
        let outage = Outage { since, failures, cause: cause.clone(), pause, due: now + wait, on_trial: false };
        self.turn += 1;
        self.state = State::Open(outage);
        Change::Opened { failures, pause: wait, cause }
    }
}

#[cfg(test)]
mod tests;
