//! What the lines of a progress are drawn from, beside what they show.

use super::page::Paint;

/// What a picture of the progress is drawn from, beside what it shows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    /// Milliseconds since the beginning.
    pub(crate) elapsed_ms: u64,
    /// The spinner, as it is now.
    pub(crate) spinner: char,
    /// Columns of the terminal.
    pub(crate) width: usize,
    /// How to paint.
    pub(crate) paint: Paint,
}
