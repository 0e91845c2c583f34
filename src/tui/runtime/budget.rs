//! What a slow line is given by itself: so many bytes a second and no more, so that a key finds it free.
//!
//! A frame is never cut, so the budget is kept by waiting after it, until a line of [`BYTES_PER_S`] has carried it. Nothing
//! is lost by that: the next frame shows all that came meanwhile. A frame that a key asks for waits for nobody, but what it
//! wrote is waited for too. A quick line has no budget.

use super::pace::Asker;
use crate::tui::model::ConnectionSpeed;

/// Bytes of frames in a second: four fifths of the slowest line on which keys are to be quick, 10 KB/s.
const BYTES_PER_S: u64 = 8_000;
/// Milliseconds between two frames at least: 8 a second, because each brings its own overhead.
const LEAST_MS: u64 = 125;
/// Milliseconds between two frames at most, however much the first wrote: a line is mostly quicker than is feared here.
const MOST_MS: u64 = 1_000;

/// The budget of a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    is_kept: bool,
    /// When a line of this speed has carried all that was written, in milliseconds.
    free_at: u64,
}

impl Budget {
    /// The budget of a line like this.
    pub(crate) const fn of(link: ConnectionSpeed) -> Self {
        Self { is_kept: link.is_slow(), free_at: 0 }
    }

    /// When a frame that `asker` wants at `now` may be drawn.
    pub(crate) fn open_for(&self, asker: Asker, now: u64) -> u64 {
        match asker {
            Asker::User => now,
            Asker::Background => now.max(self.free_at),
        }
    }

    /// Takes note of a frame of so many bytes that was written at `now`.
    pub(crate) fn spend(&mut self, bytes: usize, now: u64) {
        if self.is_kept {
            let carries = u64::try_from(bytes).unwrap_or(u64::MAX).saturating_mul(1_000).div_ceil(BYTES_PER_S);
            self.free_at = self.free_at.max(now).saturating_add(carries).clamp(now + LEAST_MS, now + MOST_MS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow() -> Budget {
        Budget::of(ConnectionSpeed::Slow)
    }

    #[test]
    fn what_comes_by_itself_waits_until_the_line_is_free() {
        let mut budget = slow();
        assert_eq!(budget.open_for(Asker::Background, 40), 40);
        budget.spend(4_000, 40);
        assert_eq!(budget.open_for(Asker::Background, 41), 540);
        assert_eq!(budget.open_for(Asker::Background, 600), 600);
    }

    #[test]
    fn a_key_waits_for_nobody_and_what_it_wrote_is_waited_for() {
        let mut budget = slow();
        budget.spend(4_000, 0);
        assert_eq!(budget.open_for(Asker::User, 10), 10);
        budget.spend(800, 10);
        assert_eq!(budget.open_for(Asker::Background, 11), 600);
    }

    #[test]
    fn small_frames_come_eight_times_a_second_and_large_ones_hold_back_no_longer_than_one() {
        let mut budget = slow();
        budget.spend(30, 1_000);
        assert_eq!(budget.open_for(Asker::Background, 1_001), 1_125);
        budget.spend(1_000_000, 2_000);
        assert_eq!(budget.open_for(Asker::Background, 2_001), 3_000);
    }

    #[test]
    fn a_quick_line_is_not_spared() {
        let mut budget = Budget::of(ConnectionSpeed::Quick);
        budget.spend(1_000_000, 0);
        assert_eq!(budget.open_for(Asker::Background, 1), 1);
    }

    #[test]
    fn over_time_no_more_than_the_budget_is_spent() {
        let (mut budget, mut written) = (slow(), 0);
        for now in 0..60_000 {
            if budget.open_for(Asker::Background, now) == now {
                let bytes = 100 + usize::try_from(now % 7).unwrap() * 700;
                written += bytes;
                budget.spend(bytes, now);
            }
        }
        // The last frame is still under way.
        assert!(written <= 60 * 8_000 + 4_300, "{written} bytes in a minute");
    }
}
