//! What streaming costs a connection, in simulated time: bytes are counted and carried at a fixed
//! speed, so the figures are the same on every machine.

use aludel_core::domain::Phase;
use aludel_core::event::{Event, EventKind};

use super::{FollowMode, OffscreenTerminal};
use crate::tui::testing::{delta, phase_started, session, started};

const VARIANTS: u32 = 3;
const SECONDS: u64 = 30;

/// Three variants that stream 50 tokens a second each into full panes, on 120 columns and 40 rows.
struct Stream {
    sheet: OffscreenTerminal,
    seq: u64,
    words: usize,
}

impl Stream {
    fn new(sheet: OffscreenTerminal) -> Self {
        let mut stream = Self { sheet, seq: 0, words: 0 };
        stream.sheet.run("idea");
        stream.tell(vec![started(VARIANTS)]);
        stream.tell((0..VARIANTS).map(|variant| phase_started(variant, Phase::PrimaMateria)).collect());
        for _ in 0..600 {
            stream.token();
        }
        stream.sheet.press('i');
        stream.sheet.draw().unwrap();
        stream
    }

    fn tell(&mut self, kinds: Vec<EventKind>) {
        let event = |kind| {
            self.seq += 1;
            Event { session_id: session(), seq: self.seq - 1, kind }
        };
        let events = kinds.into_iter().map(event).collect();
        self.sheet.tell(events);
    }

    fn token(&mut self) {
        const WORDS: [&str; 11] =
            ["amber ", "vessel ", "to ", "review ", "dilute\n", "of ", "furnace ", "risk ", "salt ", "a ", "state "];
        self.words += 1;
        let word = |variant: u32| WORDS[(self.words * 7 + variant as usize) % WORDS.len()];
        self.tell((0..VARIANTS).map(|variant| delta(variant, Phase::PrimaMateria, word(variant))).collect());
    }

    /// Streams. `seen` gets the time and size of each frame, `typed` says when a key is pressed.
    fn flow(&mut self, mut typed: impl FnMut(u64) -> bool, mut seen: impl FnMut(u64, usize, bool)) {
        for now in 0..SECONDS * 1_000 {
            if now % 20 == 0 {
                self.token();
            }
            let is_key = typed(now);
            if is_key {
                self.sheet.press('x');
            }
            if let Some(frame) = self.sheet.pass(now).unwrap() {
                seen(now, frame.len(), is_key);
            }
        }
    }
}

fn sheet(following: FollowMode) -> OffscreenTerminal {
    OffscreenTerminal::new(120, 40, following).unwrap()
}

/// Milliseconds from each key to its frame over a connection of 10 KB/s, the shortest first.
fn latencies(sheet: OffscreenTerminal) -> Vec<u64> {
    const BYTES_PER_MS: usize = 10;
    let (mut free_at, mut took) = (0, Vec::new());
    // Two or three keys a second, not in step with anything.
    let typed = |now: u64| now > 0 && (now.is_multiple_of(397) || now.is_multiple_of(911));
    Stream::new(sheet).flow(typed, |now, bytes, is_key| {
        free_at = now.max(free_at) + u64::try_from(bytes.div_ceil(BYTES_PER_MS)).unwrap();
        if is_key {
            took.push(free_at - now);
        }
    });
    took.sort_unstable();
    took
}

#[test]
fn over_a_line_of_ten_kilobytes_a_second_half_of_the_keys_take_less_than_a_quarter_second() {
    let spared = latencies(sheet(FollowMode::ByPage).over_a_slow_line());
    assert!(spared.len() > 90, "every key has a frame of its own: {}", spared.len());
    assert!(spared[spared.len() / 2] < 250, "{spared:?}");
    let not_spared = latencies(sheet(FollowMode::ByRow));
    assert!(not_spared[not_spared.len() / 2] > 1_000, "{not_spared:?}");
}

#[test]
fn over_a_slow_line_no_more_is_written_than_its_budget() {
    let (mut written, mut frames, mut last) = (0, 0, 0);
    Stream::new(sheet(FollowMode::ByRow).over_a_slow_line()).flow(
        |_| false,
        |_, bytes, _| {
            written += bytes;
            frames += 1;
            last = bytes;
        },
    );
    // At most eight kilobytes and eight frames a second; the last one is still in transit.
    assert!(written - last <= 8_000 * 30 && frames <= 8 * 30, "{written} bytes in {frames} frames");
    assert!(frames > 30, "at least one a second: {frames}");
}

#[test]
fn following_by_page_writes_a_fifth_of_following_by_row() {
    let written = |following| {
        let mut written = 0;
        Stream::new(sheet(following)).flow(|_| false, |_, bytes, _| written += bytes);
        written
    };
    let (by_row, by_page) = (written(FollowMode::ByRow), written(FollowMode::ByPage));
    assert!(by_page * 5 < by_row, "{by_page} and {by_row} bytes");
}
