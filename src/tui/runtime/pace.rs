//! When to draw: at once for a key, less often for what happens by itself, never when nothing does.
//!
//! A key waits only for the frame of another key, not for one of streamed text; background frames
//! wait for either. The rate still stays at or below 60 frames in any second (tested): before a
//! background frame, no other was drawn for twice the interval between frames for keys.

/// Minimum milliseconds between two frames for keys: under 60 a second.
const KEY_MS: u64 = 17;
/// Minimum milliseconds between any frame and a background one: under 30 a second.
const BACKGROUND_MS: u64 = 34;

/// What a frame is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameTrigger {
    /// A key: the user waits for it.
    User,
    /// Streamed text, or the passing of time.
    Background,
}

/// Schedules frames. Times are in milliseconds.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// When the last frame was drawn.
    last: Option<u64>,
    /// When the last frame for a key was drawn.
    last_of_key: Option<u64>,
    /// When the next frame is due, and what for.
    due: Option<(u64, FrameTrigger)>,
}

impl Pace {
    /// Requests a frame, at `now` in milliseconds.
    pub(crate) fn ask(&mut self, asker: FrameTrigger, now: u64) {
        let (last, gap) = match asker {
            FrameTrigger::User => (self.last_of_key, KEY_MS),
            FrameTrigger::Background => (self.last, BACKGROUND_MS),
        };
        let at = last.map_or(now, |last| now.max(last + gap));
        let is_sooner = self.due.is_none_or(|(due, _)| at < due);
        let takes_over = self.due.is_some_and(|(due, _)| at == due) && asker == FrameTrigger::User;
        if is_sooner || takes_over {
            self.due = Some((at, asker));
        }
    }

    /// When the next frame is due, if one was requested.
    pub(crate) fn due(&self) -> Option<u64> {
        self.due.map(|(at, _)| at)
    }

    /// Takes the frame that is due at `now`; false if none is.
    pub(crate) fn take(&mut self, now: u64) -> bool {
        let Some((_, asker)) = self.due.filter(|(at, _)| *at <= now) else { return false };
        (self.last, self.due) = (Some(now), None);
        if asker == FrameTrigger::User {
            self.last_of_key = Some(now);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_key_after_a_pause_is_drawn_at_once() {
        let mut pace = Pace::default();
        pace.ask(FrameTrigger::User, 1_000);
        assert!(pace.take(1_000));
        assert!(!pace.take(2_000), "nothing asked, nothing drawn");
    }

    #[test]
    fn a_key_waits_for_the_frame_of_another_key_and_not_for_that_of_text() {
        let mut pace = Pace::default();
        pace.ask(FrameTrigger::Background, 0);
        assert!(pace.take(0));
        pace.ask(FrameTrigger::Background, 1);
        assert_eq!(pace.due(), Some(34));
        pace.ask(FrameTrigger::User, 2);
        assert_eq!(pace.due(), Some(2));
        assert!(pace.take(2));
        pace.ask(FrameTrigger::User, 3);
        assert_eq!(pace.due(), Some(19));
        pace.ask(FrameTrigger::Background, 4);
        assert_eq!(pace.due(), Some(19), "what is due stays due");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn in_no_second_are_there_more_than_sixty_frames(
            asks in proptest::collection::vec((any::<bool>(), 0_u64..9), 1..800),
        ) {
            let (mut pace, mut now, mut frames) = (Pace::default(), 0, Vec::new());
            for (user, wait) in asks {
                now += wait;
                pace.ask(if user { FrameTrigger::User } else { FrameTrigger::Background }, now);
                if pace.take(now) {
                    frames.push(now);
                }
                let of_this_second = frames.iter().rev().take_while(|drawn| **drawn + 1_000 > now).count();
                prop_assert!(of_this_second <= 60, "{of_this_second} frames in the second before {now}");
            }
        }
    }
}
