//! The judging side of the storage seam: what judges said of prompts, and what is known of judges.
//!
//! A judgement is kept whole, so that it can be explained and added up anew for nothing, and it is kept **while one of its
//! candidates is stored**: it still says something about that one, whose opponents it describes well enough. It goes with
//! the last of them, and all go when everything is deleted. Profiles speak of models, not of prompts: no deletion of
//! prompts touches them.

use super::Pending;
use crate::domain::{JudgeName, JudgeProfile, Judgement, JudgementId, PromptId};

/// The judging half of a database of prompts.
pub trait JudgementStore: Send + Sync {
    /// Keeps a judgement, unless none of its candidates is stored. Answers whether it is kept, after the commit is
    /// durable.
    ///
    /// Its moment is kept to the millisecond. Fails with `conflict` when its id is already there, with
    /// `validation_failed` for a number that is not finite.
    fn record(&self, judgement: Judgement) -> Pending<bool>;

    /// The judgements in which this prompt was a candidate, newest first, at most `limit`.
    fn judgements_of(&self, id: PromptId, limit: u32) -> Pending<Vec<Judgement>>;

    /// One judgement, whole.
    fn judgement(&self, id: JudgementId) -> Pending<Option<Judgement>>;

    /// Keeps what is known of a judge, in place of what was known; of two tests the later one counts, whichever is told
    /// last.
    ///
    /// Fails with `validation_failed` for a number that is not finite.
    fn put_profile(&self, profile: JudgeProfile) -> Pending<()>;

    /// What is known of this judge.
    fn profile(&self, judge: JudgeName) -> Pending<Option<JudgeProfile>>;

    /// What is known of every judge, by provider and model.
    fn profiles(&self) -> Pending<Vec<JudgeProfile>>;
}
