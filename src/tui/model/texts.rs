//! The texts that panes show, by name.
//!
//! A [`TextName`] stands for one text as long as that is the same or grows at its end. A byte that was found in
//! it is no other's: once the text is another, its name is too.

use aludel_core::domain::PromptId;

use super::compare::Arrangement;
use crate::tui::effect::Ticket;

/// Where a text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextPlace {
    /// A phase of a variant of this run.
    Vessel {
        /// The run.
        run: Ticket,
        /// Which variant.
        variant: u32,
        /// Which phase, by its place in the run.
        phase: usize,
    },
    /// These two, beside each other.
    Compared {
        /// The left one.
        base: PromptId,
        /// The right one.
        other: PromptId,
        /// How they are shown.
        arrangement: Arrangement,
    },
    /// The judge's words in this judging.
    Said(Ticket),
    /// The preview of this prompt in the History.
    Preview(PromptId),
}

/// Names a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextName {
    /// Where it is shown.
    pub(crate) place: TextPlace,
    /// How often the place was emptied.
    pub(crate) emptied: u64,
    /// How much text there is, its passages and their bytes; nothing for a text that grows at its end.
    pub(crate) extent: (usize, usize),
}
