//! The judging part of the storage seam: judgements of prompts, and profiles of judges.
//!
//! A judgement is stored whole, so that it can be explained and aggregated again at no cost, and it
//! is stored **as long as one of its candidates is**: it still describes that candidate and its
//! opponents. It is deleted with the last of them, and all are deleted when everything is. Profiles
//! describe models, not prompts, so deleting prompts does not affect them.

use super::Pending;
use crate::domain::{JudgeName, JudgeProfile, Judgement, JudgementId, PromptId};

/// Storage of judgements and judge profiles.
pub trait JudgementStore: Send + Sync {
    /// Stores a judgement if one of its candidates is stored. Returns whether it did, once durable.
    ///
    /// Its moment is stored to the millisecond. Fails with `conflict` when its id already exists,
    /// with `validation_failed` for a number that is not finite.
    fn record(&self, judgement: Judgement) -> Pending<bool>;

    /// The judgements in which this prompt was a candidate, newest first, at most `limit`.
    fn judgements_of(&self, id: PromptId, limit: u32) -> Pending<Vec<Judgement>>;

    /// One judgement, whole.
    fn judgement(&self, id: JudgementId) -> Pending<Option<Judgement>>;

    /// Replaces the profile of a judge, unless the stored one is of a later test.
    ///
    /// Fails with `validation_failed` for a number that is not finite.
    fn put_profile(&self, profile: JudgeProfile) -> Pending<()>;

    /// The profile of this judge.
    fn profile(&self, judge: JudgeName) -> Pending<Option<JudgeProfile>>;

    /// All profiles, ordered by provider and model.
    fn profiles(&self) -> Pending<Vec<JudgeProfile>>;
}
