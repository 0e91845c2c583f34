//! When to draw: at once for a key, rarely for what happens by itself, never when nothing does.

/// Milliseconds between two frames when keys ask for them: under 60 a second.
const KEY_MS: u64 = 17;
/// Milliseconds between two frames otherwise: under 30 a second.
const BACKGROUND_MS: u64 = 34;

/// Who asks for a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asker {
    /// The user, who waits for it.
    User,
    /// Text that arrives, or time that passes.
    Background,
}

/// Keeps the pace.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    last: Option<u64>,
    due: Option<u64>,
}

impl Pace {
    /// Asks for a frame, at `now` in milliseconds.
    pub(crate) fn ask(&mut self, asker: Asker, now: u64) {
        let gap = match asker {
            Asker::User => KEY_MS,
            Asker::Background => BACKGROUND_MS,
        };
        let at = self.last.map_or(now, |last| now.max(last + gap));
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// When the next frame is due, if one was asked for.
    pub(crate) const fn due(&self) -> Option<u64> {
        self.due
    }

    /// Takes up the frame that is due at `now`.
    pub(crate) fn take(&mut self, now: u64) -> bool {
        let due = self.due.is_some_and(|due| due <= now);
        if due {
            (self.last, self.due) = (Some(now), None);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_key_after_a_pause_is_drawn_at_once() {
        let mut pace = Pace::default();
        pace.ask(Asker::User, 1_000);
        assert!(pace.take(1_000));
        assert!(!pace.take(2_000), "nothing asked, nothing drawn");
    }

    #[test]
    fn a_key_brings_forward_a_frame_that_text_asked_for() {
        let mut pace = Pace::default();
        pace.ask(Asker::Background, 0);
        assert!(pace.take(0));
        pace.ask(Asker::Background, 1);
        assert_eq!(pace.due(), Some(34));
        pace.ask(Asker::User, 2);
        assert_eq!(pace.due(), Some(17));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn never_more_than_sixty_frames_a_second(asks in proptest::collection::vec((any::<bool>(), 0_u64..9), 1..400)) {
            let (mut pace, mut now, mut frames) = (Pace::default(), 0, 0_u64);
            for (user, wait) in asks {
                now += wait;
                pace.ask(if user { Asker::User } else { Asker::Background }, now);
                frames += u64::from(pace.take(now));
            }
            prop_assert!(frames <= now * 60 / 1_000 + 1);
        }
    }
}
