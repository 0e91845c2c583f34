//! The rate of the calls to a provider that refuses them as too many, learnt from its refusals.
//!
//! Calls are not spaced before a refusal among many that were accepted, which sets the rate to that
//! of these. The guess is checked first: it falls by up to half with every round trip that confirms
//! it is too high, and triples each second otherwise. From the first refusal at about the right
//! rate on, each one that follows an accepted call cuts the rate by 5 to 30 %, to what was accepted.
//! Without refusals the rate then approaches the one that was refused, stays near it for a while,
//! and leaves it behind ever faster (the cubic function of RFC 9438), until it limits nothing.
//!
//! While nothing is accepted, calls go out ever more seldom, but no more than two seconds apart.
//!
//! Pure; time is an argument.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// A rate that limits nothing, in calls a second.
const UNLIMITED: f64 = 10_000.0;
/// The growth in a second of a rate that is a first guess.
const GUESS_GROWTH: f64 = 3.0;
/// The share of calls refused from which a guess counts as too high, rather than as about right.
const GUESS_TOO_HIGH: f64 = 0.6;
/// A cut leaves between so much of the rate…
const CUT_MOST: f64 = 0.7;
/// …and so much.
const CUT_LEAST: f64 = 0.95;
/// How much longer a call waits than the one before, while nothing is accepted.
const LONGER_WAIT: f64 = 1.3;
/// The longest wait between two calls, in seconds.
const LONGEST_WAIT: f64 = 2.0;
/// The lowest rate, in calls a second.
const LOWEST: f64 = 1.0 / LONGEST_WAIT;
/// The round trips without an accepted call after which calls are spaced even at an unknown rate…
const ROUNDS_UNSPACED: i32 = 8;
/// …and the seconds between them at first.
const SHORTEST_WAIT: f64 = 0.01;
/// A call that goes out so much too late, in seconds, does not delay the next.
const MAX_LATENESS: f64 = 0.002;
/// The calls accepted within [`LONGEST_WINDOW`] that give a first guess.
const CALLS_TO_GUESS: usize = 10;
/// The longest time over which calls are counted.
const LONGEST_WINDOW: Duration = Duration::from_secs(30);
/// The rate is back at the refused one after about so many calls, in 5 to 20 seconds.
const CALLS_TO_RETURN: f64 = 25.0;
/// The rate accepted is that of about the last so many calls, over a second or more.
const CALLS_MEASURED: f64 = 20.0;
/// The calls remembered to measure it.
const REMEMBERED: usize = 4_096;

/// The state of one provider.
#[derive(Debug)]
pub(super) struct Spacing {
    /// Calls a second; infinite while none was refused.
    rate: f64,
    /// The rate before the last cut.
    refused_rate: f64,
    /// The rate at `changed_at`, from which it grows.
    from: f64,
    changed_at: Option<Instant>,
    /// True while the rate is a first guess.
    is_guess: bool,
    /// When the last call went out, or was to.
    last: Option<Instant>,
    /// Round trips in which all calls were refused, up to now.
    refusals: i32,
    /// True if a call sent after the last cut was accepted.
    is_accepted: bool,
    /// Calls sent.
    sent: u64,
    /// Calls that were sent when one was refused last. What became of these is known already.
    known: u64,
    /// When calls were sent that were not refused.
    recent: VecDeque<Instant>,
    /// From when on these are complete.
    recent_since: Option<Instant>,
}

/// A call as it was sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpacedCall {
    number: u64,
    at: Instant,
}

impl Spacing {
    pub(super) const fn new() -> Self {
        Self {
            rate: f64::INFINITY,
            refused_rate: f64::INFINITY,
            from: f64::INFINITY,
            changed_at: None,
            is_guess: true,
            last: None,
            refusals: 0,
            is_accepted: false,
            sent: 0,
            known: 0,
            recent: VecDeque::new(),
            recent_since: None,
        }
    }

    /// True if calls are spaced.
    pub(super) const fn is_active(&self) -> bool {
        self.is_limited() || self.refusals >= ROUNDS_UNSPACED
    }

    const fn is_limited(&self) -> bool {
        self.rate.is_finite()
    }

    /// True if calls are spaced at a rate that is more than a first guess.
    pub(super) const fn is_known(&self) -> bool {
        self.is_limited() && !self.is_guess
    }

    /// Calls a second; infinite if they are not spaced.
    pub(super) const fn rate(&self) -> f64 {
        self.rate
    }

    /// When the next call may go out: now, or later.
    pub(super) fn due(&mut self, now: Instant) -> Instant {
        self.grow(now);
        self.last.map_or(now, |last| now.max(last + Duration::from_secs_f64(self.wait())))
    }

    /// The seconds between two calls.
    fn wait(&self) -> f64 {
        let (shortest, rounds) = if self.is_limited() {
            (1.0 / self.rate, self.refusals - 1)
        } else if self.is_active() {
            (SHORTEST_WAIT, self.refusals - ROUNDS_UNSPACED)
        } else {
            return 0.0;
        };
        (shortest * LONGER_WAIT.powi(rounds.clamp(0, 64))).min(LONGEST_WAIT)
    }

    /// Counts a call as sent.
    pub(super) fn send(&mut self, now: Instant) -> SpacedCall {
        self.sent += 1;
        if self.recent.len() == REMEMBERED {
            self.recent_since = self.recent.pop_front();
        }
        self.recent_since.get_or_insert(now);
        self.recent.push_back(now);
        // Timers are late by up to a millisecond, which must not add up.
        let wait = self.wait();
        let lateness = Duration::from_secs_f64((wait / 2.0).min(MAX_LATENESS));
        let due = self.last.map_or(now, |last| last + Duration::from_secs_f64(wait));
        self.last = Some(due.clamp(now.checked_sub(lateness).unwrap_or(now), now));
        SpacedCall { number: self.sent, at: now }
    }

    /// Records that the provider accepted a call.
    pub(super) fn accepted(&mut self, call: SpacedCall, now: Instant) {
        if call.number <= self.known {
            return;
        }
        self.is_accepted = true;
        if self.refusals > 0 {
            self.refusals = 0;
            self.changed_at = Some(now);
        }
    }

    /// Records that it refused a call for a reason that is not the rate.
    pub(super) fn forget(&mut self, call: SpacedCall) {
        if let Ok(position) = self.recent.binary_search(&call.at) {
            self.recent.remove(position);
        }
    }

    /// Records that it refused a call as too many.
    pub(super) fn refused(&mut self, call: SpacedCall, now: Instant) {
        self.forget(call);
        if call.number <= self.known {
            return;
        }
        self.grow(now);
        self.refusals += 1;
        self.known = self.sent;
        let accepted = self.accepted_rate(now);
        if !self.is_limited() {
            if self.is_accepted && self.accepted_within(LONGEST_WINDOW, now) >= CALLS_TO_GUESS {
                self.rate = accepted;
                self.refused_rate = accepted;
            }
        } else if self.is_guess && accepted < self.rate * (1.0 - GUESS_TOO_HIGH) {
            self.rate = accepted.max(self.rate / 2.0);
            self.refused_rate = self.rate;
        } else if self.is_accepted {
            self.is_guess = false;
            self.refused_rate = self.rate;
            self.rate = accepted.clamp(self.rate * CUT_MOST, self.rate * CUT_LEAST).max(LOWEST);
            self.is_accepted = false;
        }
        self.from = self.rate;
        self.changed_at = Some(now);
    }

    /// Raises the rate by the time since its last change.
    fn grow(&mut self, now: Instant) {
        let Some(changed_at) = self.changed_at.filter(|_| self.is_limited() && self.refusals == 0) else { return };
        let elapsed = now.saturating_duration_since(changed_at).as_secs_f64();
        self.rate = if self.is_guess {
            self.from * GUESS_GROWTH.powf(elapsed)
        } else {
            let return_s = (CALLS_TO_RETURN / self.refused_rate).clamp(5.0, 20.0);
            let progress = (elapsed - return_s) / return_s;
            let cut = 1.0 - self.from / self.refused_rate;
            let depth = if progress < 0.0 { cut } else { cut.max(1.0 - CUT_LEAST) };
            self.refused_rate * (1.0 + depth * progress.powi(3))
        };
        if self.rate > UNLIMITED {
            let recent = std::mem::take(&mut self.recent);
            *self = Self { sent: self.sent, known: self.sent, recent, recent_since: self.recent_since, ..Self::new() };
        }
    }

    /// The rate of the calls that were not refused, in calls a second.
    fn accepted_rate(&self, now: Instant) -> f64 {
        // The rate is never below the lowest, so the conversion cannot fail.
        let window = Duration::from_secs_f64(CALLS_MEASURED / self.rate).clamp(Duration::from_secs(1), LONGEST_WINDOW);
        let known = self.recent_since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        let span = known.clamp(Duration::from_millis(20), window);
        (self.accepted_within(window, now) as f64 / span.as_secs_f64()).max(LOWEST)
    }

    /// How many calls were sent within this time and not refused.
    fn accepted_within(&self, window: Duration, now: Instant) -> usize {
        self.recent.iter().rev().take_while(|at| now.saturating_duration_since(**at) < window).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends calls as soon as they may go out until `until`, to a provider that accepts one of
    /// `one_of`, and returns how many were sent.
    fn send(spacing: &mut Spacing, now: &mut Instant, seconds: f64, one_of: u64) -> u64 {
        let (end, mut sent) = (*now + Duration::from_secs_f64(seconds), 0);
        loop {
            let due = spacing.due(*now).max(*now + Duration::from_millis(1));
            if due > end {
                *now = end;
                return sent;
            }
            *now = due;
            sent += 1;
            let call = spacing.send(*now);
            if sent.is_multiple_of(one_of) {
                spacing.accepted(call, *now);
            } else {
                spacing.refused(call, *now);
            }
        }
    }

    #[test]
    fn nothing_is_spaced_before_a_refusal() {
        let mut spacing = Spacing::new();
        let now = Instant::now();
        for _ in 0..10_000 {
            assert_eq!(spacing.due(now), now);
            let call = spacing.send(now);
            spacing.accepted(call, now);
        }
        assert!(!spacing.is_limited());
    }

    #[test]
    fn one_round_trip_of_refusals_is_one_cut() {
        let mut spacing = Spacing::new();
        let now = Instant::now();
        let calls: Vec<SpacedCall> = (0..50).map(|_| spacing.send(now)).collect();
        let later = now + Duration::from_millis(900);
        spacing.accepted(calls[0], later);
        spacing.refused(calls[1], later);
        let rate = spacing.rate();
        assert!((rate - 49.0 / 0.9).abs() < 1.0, "{rate}");
        for call in &calls[2..] {
            spacing.refused(*call, later);
        }
        assert!((spacing.rate() - rate).abs() < f64::EPSILON);
    }

    #[test]
    fn a_provider_that_takes_nothing_is_asked_every_two_seconds() {
        let (mut spacing, mut now) = (Spacing::new(), Instant::now());
        for _ in 0..2 {
            let learning = send(&mut spacing, &mut now, 120.0, u64::MAX);
            assert!(learning < 200, "{learning} calls in 120 s");
            let asked = send(&mut spacing, &mut now, 100.0, u64::MAX);
            assert!((49..=51).contains(&asked), "{asked} calls in 100 s");
            send(&mut spacing, &mut now, 10.0, 1);
        }
    }

    #[test]
    fn a_provider_that_takes_fifteen_a_minute_is_asked_for_hours() {
        let (mut spacing, mut now) = (Spacing::new(), Instant::now());
        send(&mut spacing, &mut now, 1.0, 1);
        let (end, mut taken, mut asked) = (now + Duration::from_hours(24), now, 0);
        while now < end {
            now = spacing.due(now).max(now + Duration::from_millis(1));
            let call = spacing.send(now);
            asked += 1;
            if now.saturating_duration_since(taken) >= Duration::from_secs(4) {
                taken = now;
                spacing.accepted(call, now);
            } else {
                spacing.refused(call, now);
            }
        }
        assert!((24 * 3_600 / 4..24 * 3_600).contains(&asked), "{asked} calls in a day");
        assert!(spacing.rate() >= 0.5, "{}", spacing.rate());
    }

    #[test]
    fn once_nothing_is_refused_the_rate_soon_limits_nothing() {
        let (mut spacing, mut now) = (Spacing::new(), Instant::now());
        send(&mut spacing, &mut now, 20.0, 4);
        assert!(spacing.is_limited());
        for _ in 0..1_800 {
            now += Duration::from_secs(1);
            spacing.due(now);
            let call = spacing.send(now);
            spacing.accepted(call, now);
        }
        assert!(!spacing.is_limited());
        assert_eq!(spacing.due(now), now);
    }
}
