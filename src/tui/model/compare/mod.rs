//! Prompts beside each other, as shown: which two, what differs, and how all of them measure.

pub(crate) mod beside;

use aludel_core::domain::CompareResult;
use aludel_core::error::Problem;

use super::choice::Chosen;
use crate::tui::effect::Ticket;
pub(crate) use beside::{Arrangement, SideBySide, Sign};

/// The screen of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Compare {
    /// What is compared, at least two once there is anything.
    pub(crate) prompts: Vec<Chosen>,
    /// The one that stands at the left: a place in `prompts`.
    pub(crate) base: usize,
    /// The one that stands at the right.
    pub(crate) other: usize,
    /// The question about all of them that has no answer yet.
    pub(crate) asked: Option<Ticket>,
    /// The question about the two that has no answer yet.
    pub(crate) asked_pair: Option<Ticket>,
    /// How all of them measure.
    pub(crate) measured: Option<Box<CompareResult>>,
    /// The two, and the share of words that stay.
    pub(crate) pair: Option<(SideBySide, f64)>,
    /// Why there is no answer.
    pub(crate) problem: Option<Box<Problem>>,
    /// The arrangement that the user chose; `None`: what the width allows.
    pub(crate) chosen: Option<Arrangement>,
    /// The first visible row.
    pub(crate) top: usize,
    /// The change that was gone to.
    pub(crate) change: Option<usize>,
    /// True while the two fill the screen.
    pub(crate) zoom: bool,
}

impl Compare {
    /// The two that are beside each other.
    pub(crate) fn two(&self) -> Option<(&Chosen, &Chosen)> {
        Some((self.prompts.get(self.base)?, self.prompts.get(self.other)?))
    }

    /// Takes the answer about the two.
    pub(crate) fn take_pair(&mut self, result: &CompareResult) {
        let parts = result.diff.as_deref().unwrap_or_default();
        self.pair = Some((SideBySide::new(parts), result.similarity));
        (self.top, self.change) = (0, None);
    }

    /// Puts the next prompt, `step` places on, at the right; the one at the left is passed over.
    pub(crate) fn choose_other(&mut self, step: usize) {
        let count = self.prompts.len();
        self.other = (self.other + step) % count.max(1);
        if self.other == self.base {
            self.other = (self.other + step) % count.max(1);
        }
    }
}
