//! The Compare screen: the two prompts shown, their difference, and the scores of all.

pub(crate) mod side_by_side;

use aludel_core::domain::CompareResult;
use aludel_core::error::Problem;

use super::choice::Chosen;
use crate::tui::effect::Ticket;
pub(crate) use side_by_side::{Arrangement, ChangeKind, SideBySide};

/// The Compare screen.
#[derive(Debug, Default)]
pub(crate) struct Compare {
    /// The prompts to compare: none, or at least two.
    pub(crate) prompts: Vec<Chosen>,
    /// The one on the left: an index into `prompts`.
    pub(crate) base: usize,
    /// The one on the right.
    pub(crate) other: usize,
    /// The pending request about all of them.
    pub(crate) asked: Option<Ticket>,
    /// The pending request about the two.
    pub(crate) asked_pair: Option<Ticket>,
    /// The comparison of all of them.
    pub(crate) measured: Option<Box<CompareResult>>,
    /// The diff of the two, and the share of words in common.
    pub(crate) pair: Option<(SideBySide, f64)>,
    /// Why the request failed.
    pub(crate) problem: Option<Box<Problem>>,
    /// The arrangement the user chose; `None` if it follows from the width.
    pub(crate) chosen: Option<Arrangement>,
    /// The first visible row.
    pub(crate) top: usize,
    /// The change last jumped to.
    pub(crate) change: Option<usize>,
    /// True while the two fill the screen.
    pub(crate) zoom: bool,
}

impl Compare {
    /// The two prompts shown side by side.
    pub(crate) fn two(&self) -> Option<(&Chosen, &Chosen)> {
        Some((self.prompts.get(self.base)?, self.prompts.get(self.other)?))
    }

    /// Takes the reply about the two.
    pub(crate) fn take_pair(&mut self, result: &CompareResult) {
        let parts = result.diff.as_deref().unwrap_or_default();
        self.pair = Some((SideBySide::new(parts), result.similarity));
        (self.top, self.change) = (0, None);
    }

    /// Puts the prompt `step` places on to the right, skipping the one on the left.
    pub(crate) fn choose_other(&mut self, step: usize) {
        let count = self.prompts.len();
        self.other = (self.other + step) % count.max(1);
        if self.other == self.base {
            self.other = (self.other + step) % count.max(1);
        }
    }
}
