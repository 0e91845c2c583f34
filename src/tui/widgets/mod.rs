//! Small building blocks independent of prompts: safe text, wrapped text, scrolling, figures.

pub(crate) mod blocks;
pub(crate) mod chart;
pub(crate) mod figures;
pub(crate) mod passages;
pub(crate) mod safe;
pub(crate) mod scroll;
pub(crate) mod wrapped;

/// Converts a count of rows or columns to the terminal's type; saturates.
pub(crate) fn cells(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}
