//! Work, counted: what a function allocates and how many characters it looks at, never how long it takes.
//!
//! Counts are those of the thread that runs the function, so tests side by side do not disturb each other, and a machine
//! under load counts what an idle one does. A function whose work grows faster than its text is named with the shape of
//! the text that shows it.

use crate::text::adversarial::{SHAPES, Shape};
use crate::visited::visited;

/// Bytes of the shorter texts; the longer ones have [`GROWTH`] times as many.
pub(super) const SHORT: usize = 512;
const GROWTH: usize = 4;

/// Work may grow by so much when the text grows by [`GROWTH`]: in line with the length, or by its logarithm more.
const MOST_GROWTH: f64 = 4.6;

/// Less than this is not compared: tables that are built whatever the text, buffers that double.
const FLOOR: Work = Work { visited: 40_000, bytes: 512 * 1024, allocations: 2_000, peak: 256 * 1024 };

/// The most bytes that may be held at once for each byte of the text, the text itself not counted.
const MOST_HELD: u64 = 160;

/// What a function did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Work {
    /// Characters looked at, where they are counted.
    pub(crate) visited: u64,
    /// Bytes allocated in all.
    pub(crate) bytes: u64,
    /// Allocations.
    pub(crate) allocations: u64,
    /// The most bytes held at once.
    pub(crate) peak: u64,
}

impl Work {
    /// What `run` does with `text`, on this thread.
    pub(crate) fn of(run: &dyn Fn(&str), text: &str) -> Self {
        let before = visited();
        let allocated = allocation_counter::measure(|| run(text));
        Self {
            visited: visited() - before,
            bytes: allocated.bytes_total,
            allocations: allocated.count_total,
            peak: allocated.bytes_max,
        }
    }

    /// The counts by name.
    fn counts(self) -> [(&'static str, u64); 4] {
        [
            ("characters visited", self.visited),
            ("bytes allocated", self.bytes),
            ("allocations", self.allocations),
            ("bytes held at once", self.peak),
        ]
    }
}

/// What is wrong with how `run` does with texts of this shape; `None` where its work is in line with their length.
pub(super) fn fault(run: &dyn Fn(&str), shape: &Shape) -> Option<String> {
    let long = shape.text(GROWTH * SHORT);
    // Tables that are made once are not counted against the shorter text.
    run(&shape.text(64));
    let (less, more) = (Work::of(run, &shape.text(SHORT)), Work::of(run, &long));
    let (before, after) = (less.counts().into_iter(), more.counts().into_iter());
    for (((what, less), (_, more)), (_, floor)) in before.zip(after).zip(FLOOR.counts()) {
        if more as f64 > MOST_GROWTH * less as f64 + floor as f64 {
            return Some(format!("{}: {what} grew from {less} to {more}", shape.name));
        }
    }
    let held = more.peak.saturating_sub(FLOOR.peak) / (long.len() as u64).max(1);
    (held > MOST_HELD).then(|| format!("{}: held {held} bytes for each byte of the text", shape.name))
}

/// What is wrong with how `run` does with texts of any adversarial shape.
pub(super) fn faults(name: &str, run: &dyn Fn(&str)) -> Vec<String> {
    crate::text::terms::stay_cold();
    SHAPES.iter().filter_map(|shape| fault(run, shape)).map(|fault| format!("{name}: {fault}")).collect()
}

/// Asserts that the work of `run` is in line with the length of its text, for every adversarial shape.
pub(crate) fn assert_linear(name: &str, run: impl Fn(&str)) {
    let faults = faults(name, &run);
    assert!(faults.is_empty(), "more work than the text is long:\n{}", faults.join("\n"));
}
