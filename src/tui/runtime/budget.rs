//! Limits the output over a slow connection, which leaves the line free for the next key.
//!
//! A frame is never cut: the budget delays the next one until a line of [`BYTES_PER_S`] has carried
//! it. Nothing is lost, since the next frame shows everything that came meanwhile. A frame for a
//! key is never delayed, but counts towards the delay of the next. A fast connection has no budget.

use super::pace::FrameTrigger;
use crate::tui::model::ConnectionSpeed;

/// Bytes of frames per second: 80 % of the slowest line on which keys must be quick, 10 KB/s.
const BYTES_PER_S: u64 = 8_000;
/// Minimum milliseconds between two frames: 8 a second, because each has its own overhead.
const LEAST_MS: u64 = 125;
/// Maximum milliseconds between two frames: most lines are faster than assumed here.
const MOST_MS: u64 = 1_000;

/// The output budget of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    is_kept: bool,
    /// When a line of this speed has carried everything written so far, in milliseconds.
    free_at: u64,
}

impl Budget {
    /// The budget of a connection of this speed.
    pub(crate) const fn of(link: ConnectionSpeed) -> Self {
        Self { is_kept: link.is_slow(), free_at: 0 }
    }

    /// The earliest time at which a frame that `asker` wants at `now` can be drawn.
    pub(crate) fn open_for(&self, asker: FrameTrigger, now: u64) -> u64 {
        match asker {
            FrameTrigger::User => now,
            FrameTrigger::Background => now.max(self.free_at),
        }
    }

    /// Records a frame of this many bytes, written at `now`.
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
        assert_eq!(budget.open_for(FrameTrigger::Background, 40), 40);
        budget.spend(4_000, 40);
        assert_eq!(budget.open_for(FrameTrigger::Background, 41), 540);
        assert_eq!(budget.open_for(FrameTrigger::Background, 600), 600);
    }

    #[test]
    fn a_key_waits_for_nobody_and_what_it_wrote_is_waited_for() {
        let mut budget = slow();
        budget.spend(4_000, 0);
        assert_eq!(budget.open_for(FrameTrigger::User, 10), 10);
        budget.spend(800, 10);
        assert_eq!(budget.open_for(FrameTrigger::Background, 11), 600);
    }

    #[test]
    fn small_frames_come_eight_times_a_second_and_large_ones_hold_back_no_longer_than_one() {
        let mut budget = slow();
        budget.spend(30, 1_000);
        assert_eq!(budget.open_for(FrameTrigger::Background, 1_001), 1_125);
        budget.spend(1_000_000, 2_000);
        assert_eq!(budget.open_for(FrameTrigger::Background, 2_001), 3_000);
    }

    #[test]
    fn a_quick_line_is_not_spared() {
        let mut budget = Budget::of(ConnectionSpeed::Quick);
        budget.spend(1_000_000, 0);
        assert_eq!(budget.open_for(FrameTrigger::Background, 1), 1);
    }

    #[test]
    fn over_time_no_more_than_the_budget_is_spent() {
        let (mut budget, mut written) = (slow(), 0);
        for now in 0..60_000 {
            if budget.open_for(FrameTrigger::Background, now) == now {
                let bytes = 100 + usize::try_from(now % 7).unwrap() * 700;
                written += bytes;
                budget.spend(bytes, now);
            }
        }
        // The last frame is still in transit.
        assert!(written <= 60 * 8_000 + 4_300, "{written} bytes in a minute");
    }
}
