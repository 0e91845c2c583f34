//! Gaps: what a short request leaves open, and whether the prompt asks or assumes.

use super::coverage::Demands;
use super::reading::Reading;
use super::share;

/// The formula, for users.
pub(super) const FORMULA: &str = "of a short request whose kind is certain: the share of what it plainly leaves open for which the added text asks, \
    leaves a blank, or says what to assume (one sentence each)";

/// The share of the gaps that are met, 0..=1.
pub(super) fn gaps(added: &Reading, demands: &Demands) -> f64 {
    share(added.asking, demands.gaps, 1.0)
}
