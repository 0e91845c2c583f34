//! The measuring side of the storage seam: what stored prompts came to, and how one relates to others.
//!
//! What is added up is what is stored: the account of each step, or of the prompt where it has no steps. What was spent,
//! also on prompts that are gone, is in [`super::SpendStore`]. Percentiles are exact, so a backend that folds rows does it
//! with [`super::tally`], which keeps each distinct number once.

use super::{Filter, Pending};
use crate::domain::{PromptId, StatsBy, StatsLine, StatsTotals};

/// The measuring half of a database of prompts.
pub trait MeasureStore: Send + Sync {
    /// Adds up the prompts that pass the filter, all together and by each of `by`. One state of the database, one pass.
    fn measure(&self, filter: Filter, by: Vec<StatsBy>) -> Pending<Measured>;

    /// How these prompts relate to others, in this order; an id that is not there relates to none but its children.
    fn relations(&self, ids: Vec<PromptId>) -> Pending<Vec<Relations>>;
}

/// What prompts came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// All together.
    pub total: StatsTotals,
    /// By each key asked for, in that order; its lines in no order.
    pub groups: Vec<Vec<StatsLine>>,
}

/// How a prompt relates to others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relations {
    /// Its place among the ranked prompts of its run, 1 is best; `None` until ranked.
    pub rank: Option<u32>,
    /// How many ranked prompts of its run are stored.
    pub ranked: u32,
    /// The prompts derived from it, oldest first.
    pub children: Vec<PromptId>,
}
