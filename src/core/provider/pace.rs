//! How many requests at once a provider takes, learnt from its refusals: the arithmetic behind a [`Permit`](super::permit).
//!
//! A provider that answers 429 or 529 while many requests are under way takes fewer than these. The number allowed is then cut to
//! an eighth below what was under way when the refused request went out, or now if that is more; refusals of requests that went out before a cut tell nothing new and cut no further. Each
//! round of good answers (as many as are allowed) allows one more: at once up to the number that was refused last, and only after
//! four rounds from there on, so that a provider near its limit is not asked in vain all the time. Never more than configured.

/// The state of one provider.
#[derive(Debug)]
pub(super) struct Pace {
    /// How many are configured.
    most: usize,
    /// How many are allowed now, 1 or more.
    allowed: usize,
    /// How many were under way when the provider last refused some, after having taken others.
    refused: usize,
    /// How many are under way.
    under_way: usize,
    /// Cuts so far.
    cuts: u64,
    /// Good answers since the last change.
    good: usize,
}

/// How things stood when a request went out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begun {
    /// How many were under way, itself among them.
    under_way: usize,
    /// Cuts by then.
    cuts: u64,
}

/// Rounds of good answers that allow one more where that many were refused before.
const CAUTIOUS: usize = 4;

impl Pace {
    pub(super) const fn new(most: usize) -> Self {
        Self { most, allowed: most, refused: usize::MAX, under_way: 0, cuts: 0, good: 0 }
    }

    /// A request goes out.
    pub(super) const fn begin(&mut self) -> Begun {
        self.under_way += 1;
        Begun { under_way: self.under_way, cuts: self.cuts }
    }

    /// A request is over, however it ended.
    pub(super) const fn over(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
    }

    /// A request was refused. Answers how many fewer are allowed.
    pub(super) fn refused(&mut self, request: Begun) -> usize {
        let too_many = self.under_way.max(request.under_way);
        let allowed = too_many.saturating_sub((too_many / 8).max(1)).max(1);
        if request.cuts < self.cuts || allowed >= self.allowed {
            return 0;
        }
        if self.good > 0 || self.cuts == 0 {
            self.refused = too_many;
        }
        let fewer = self.allowed - allowed;
        (self.allowed, self.good, self.cuts) = (allowed, 0, self.cuts + 1);
        fewer
    }

    /// A request was answered. Answers true where one more is allowed by that.
    pub(super) fn answered(&mut self) -> bool {
        if self.allowed >= self.most {
            self.good = 1;
            return false;
        }
        self.good += 1;
        let rounds = if self.allowed + 1 < self.refused { 1 } else { CAUTIOUS };
        if self.good < self.allowed.saturating_mul(rounds) {
            return false;
        }
        (self.allowed, self.good) = (self.allowed + 1, 1);
        true
    }

    /// How many are allowed now.
    pub(super) const fn allowed(&self) -> usize {
        self.allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers `count` requests in rounds over a provider that takes so many at once; how many it refused.
    fn refusals(pace: &mut Pace, takes: usize, count: usize) -> usize {
        let (mut answered, mut refused) = (0, 0);
        while answered < count {
            let round: Vec<Begun> = (0..pace.allowed()).map(|_| pace.begin()).collect();
            for (place, begun) in round.into_iter().enumerate() {
                if place < takes {
                    answered += 1;
                    pace.answered();
                } else {
                    refused += 1;
                    pace.refused(begun);
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
        let round: Vec<Begun> = (0..16).map(|_| pace.begin()).collect();
        let fewer: usize = round.into_iter().map(|begun| pace.refused(begun)).sum();
        assert_eq!((fewer, pace.allowed()), (2, 14));
    }

    #[test]
    fn one_at_a_time_is_the_least() {
        let mut pace = Pace::new(1);
        let begun = pace.begin();
        assert_eq!((pace.refused(begun), pace.allowed()), (0, 1));
        pace.over();
        pace.over();
        assert_eq!(pace.begin().under_way, 1);
    }
}
