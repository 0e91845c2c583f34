//! Adapts the number of concurrent requests of a [`Permit`](super::permit) to refusals.
//!
//! A provider that answers 429 or 529 gets fewer concurrent requests. The limit is cut to an eighth
//! below the number in flight when the refused request was sent, or now if that is more, but not
//! below the number that the provider is known to accept. Refusals of requests sent before a cut
//! carry no new information and cut no further. Each round of successes (as many as the limit) in
//! which it was reached raises the limit by one; from the number that was refused last, a raise takes
//! four rounds, so a provider near its limit is not refused all the time. The limit never exceeds the
//! configured one.

/// The state of one provider.
#[derive(Debug)]
pub(super) struct Pace {
    /// The configured limit.
    most: usize,
    /// The current limit, at least 1.
    allowed: usize,
    /// The number in flight when the provider last refused requests after having accepted others.
    refused: usize,
    /// Requests in flight.
    under_way: usize,
    /// Cuts so far.
    cuts: u64,
    /// Successes since the last change.
    good: usize,
    /// True if the limit was reached since the last change: one that is not cannot be known to be good.
    is_reached: bool,
    /// How many in flight the provider is known to accept: the most there were when it accepted one,
    /// less one for each that it then refused.
    accepted: usize,
}

/// The state when a request was sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct SentAt {
    /// Requests in flight, this one included.
    under_way: usize,
    /// Cuts so far.
    cuts: u64,
}

/// Rounds of successes needed for a raise from the number that was refused before.
const CAUTIOUS_ROUNDS: usize = 4;

impl Pace {
    pub(super) const fn new(most: usize) -> Self {
        Self {
            most,
            allowed: most,
            refused: usize::MAX,
            under_way: 0,
            cuts: 0,
            good: 0,
            is_reached: false,
            accepted: 0,
        }
    }

    /// Counts a request as sent.
    pub(super) const fn begin(&mut self) -> SentAt {
        self.under_way += 1;
        self.is_reached |= self.under_way >= self.allowed;
        SentAt { under_way: self.under_way, cuts: self.cuts }
    }

    /// Counts a request as finished, however it ended.
    pub(super) const fn over(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
    }

    /// Records a refusal and returns by how much the limit was cut. It is not cut below `least`.
    pub(super) fn refused(&mut self, request: SentAt, least: f64) -> usize {
        if request.under_way <= self.accepted {
            self.accepted -= 1;
            return 0;
        }
        let too_many = self.under_way.max(request.under_way);
        let allowed = too_many.saturating_sub((too_many / 8).max(1)).max(1).max(self.accepted);
        if request.cuts < self.cuts || allowed >= self.allowed || (allowed as f64) < least {
            return 0;
        }
        if self.good > 0 || self.cuts == 0 {
            self.refused = too_many;
        }
        let fewer = self.allowed - allowed;
        (self.allowed, self.good, self.cuts, self.is_reached) = (allowed, 0, self.cuts + 1, false);
        fewer
    }

    /// Records a success and returns true if it raised the limit by one.
    pub(super) fn answered(&mut self, request: SentAt) -> bool {
        self.accepted = self.accepted.max(request.under_way);
        if self.allowed >= self.most {
            self.good = 1;
            return false;
        }
        self.good += 1;
        let rounds = if self.allowed + 1 < self.refused { 1 } else { CAUTIOUS_ROUNDS };
        if !self.is_reached || self.good < self.allowed.saturating_mul(rounds) {
            return false;
        }
        (self.allowed, self.good, self.is_reached) = (self.allowed + 1, 1, false);
        true
    }

    /// Raises the limit to `least`, as far as the configured one allows, and returns by how much.
    pub(super) fn raise_to(&mut self, least: f64) -> usize {
        let before = self.allowed;
        while (self.allowed as f64) < least && self.allowed < self.most {
            self.allowed += 1;
        }
        self.allowed - before
    }

    /// The current limit.
    pub(super) const fn allowed(&self) -> usize {
        self.allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends `count` requests to a provider of this capacity; returns how many it refused.
    fn refusals(pace: &mut Pace, takes: usize, count: usize) -> usize {
        let (mut answered, mut refused) = (0, 0);
        while answered < count {
            let round: Vec<SentAt> = (0..pace.allowed()).map(|_| pace.begin()).collect();
            for (place, begun) in round.into_iter().enumerate() {
                if place < takes {
                    answered += 1;
                    pace.answered(begun);
                } else {
                    refused += 1;
                    pace.refused(begun, 0.0);
                }
                pace.over();
            }
        }
        refused
    }

    #[test]
    fn without_a_refusal_all_that_are_configured_are_allowed() {
        let mut pace = Pace::new(16);
        assert_eq!((refusals(&mut pace, 16, 1_000), pace.allowed()), (0, 16));
    }

    #[test]
    fn a_provider_that_takes_fewer_is_found_and_seldom_asked_in_vain() {
        for takes in [1, 2, 5, 12, 15] {
            let mut pace = Pace::new(16);
            refusals(&mut pace, takes, 500);
            let refused = refusals(&mut pace, takes, 2_000);
            assert!(pace.allowed().abs_diff(takes) <= 2, "{} for {takes}", pace.allowed());
            assert!(refused * 4 <= 2_000 / takes + 8, "{refused} refusals where it takes {takes}");
        }
    }

    #[test]
    fn what_is_taken_again_is_asked_for_again() {
        let mut pace = Pace::new(16);
        refusals(&mut pace, 4, 500);
        refusals(&mut pace, 16, 2_000);
        assert_eq!(pace.allowed(), 16);
    }

    #[test]
    fn one_storm_is_one_cut() {
        let mut pace = Pace::new(16);
        let round: Vec<SentAt> = (0..16).map(|_| pace.begin()).collect();
        let fewer: usize = round.into_iter().map(|begun| pace.refused(begun, 0.0)).sum();
        assert_eq!((fewer, pace.allowed()), (2, 14));
    }

    #[test]
    fn one_at_a_time_is_the_least() {
        let mut pace = Pace::new(1);
        let begun = pace.begin();
        assert_eq!((pace.refused(begun, 0.0), pace.allowed()), (0, 1));
        pace.over();
        pace.over();
        assert_eq!(pace.begin().under_way, 1);
    }
}
