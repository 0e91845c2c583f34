//! The texts that panes show, by name, and the user's selection in one.
//!
//! A [`TextName`] names one text while it stays the same or grows at its end. When a text changes
//! in another way, so does its name: a byte found or selected never refers to another text.

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
        /// The variant.
        variant: u32,
        /// The index of the phase in the run.
        phase: usize,
    },
    /// These two, compared.
    Compared {
        /// The left one.
        base: PromptId,
        /// The right one.
        other: PromptId,
        /// How they are arranged.
        arrangement: Arrangement,
    },
    /// The judge's words in this judging.
    JudgeReport(Ticket),
    /// The preview of this prompt in the History.
    Preview(PromptId),
}

impl TextPlace {
    /// The screen it is on.
    pub(crate) const fn screen(self) -> ScreenName {
        match self {
            Self::PhasePane { .. } => ScreenName::Work,
            Self::Compared { .. } => ScreenName::Compare,
            Self::JudgeReport(_) => ScreenName::Judge,
            Self::Preview(_) => ScreenName::History,
        }
    }
}

/// The name of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextName {
    /// Where it is shown.
    pub(crate) place: TextPlace,
    /// How often the place was emptied.
    pub(crate) emptied: u64,
    /// The number of passages and their bytes; zero for a text that grows at its end.
    pub(crate) extent: (usize, usize),
}

/// The user's selection in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Selection {
    /// The text.
    pub(crate) name: TextName,
    /// The lane.
    pub(crate) lane: usize,
    /// From the first byte to after the last.
    pub(crate) spots: Range<Spot>,
}

/// What the mouse is dragging.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DragTarget {
    /// A text selection.
    Text {
        /// The text.
        name: TextName,
        /// The lane.
        lane: usize,
        /// The character where the button went down.
        from: Range<Spot>,
    },
    /// The text field.
    Field,
}
