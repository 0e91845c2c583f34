//! The texts that panes show, by name, and what the user selected of one.
//!
//! A [`TextName`] stands for one text as long as that is the same or grows at its end. A byte that was found or selected in
//! it is no other's: once the text is another, its name is too.

use std::ops::Range;

use aludel_core::domain::PromptId;

use super::compare::Arrangement;
use crate::tui::action::ScreenName;
use crate::tui::effect::Ticket;
use crate::tui::widgets::passages::Spot;

/// Where a text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextPlace {
    /// A phase of a variant of this run.
    PhasePane {
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

impl TextPlace {
    /// The screen on which it is.
    pub(crate) const fn screen(self) -> ScreenName {
        match self {
            Self::PhasePane { .. } => ScreenName::Work,
            Self::Compared { .. } => ScreenName::Compare,
            Self::Said(_) => ScreenName::Judge,
            Self::Preview(_) => ScreenName::History,
        }
    }
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

/// What the user selected of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Selection {
    /// The text.
    pub(crate) name: TextName,
    /// Which of its lanes.
    pub(crate) lane: usize,
    /// From the first byte to behind the last.
    pub(crate) spots: Range<Spot>,
}

/// What the mouse holds while its button is down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Held {
    /// A text, where its button went down.
    Text {
        /// The text.
        name: TextName,
        /// Which of its lanes.
        lane: usize,
        /// The character that was hit.
        from: Range<Spot>,
    },
    /// The field that is typed into.
    Field,
}
