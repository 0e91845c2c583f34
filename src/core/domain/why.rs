//! How a prompt came about and got its place: the result of `why`.
//!
//! Everything is computed from the database; no model is called. A judgement's recorded conclusion
//! is shown with what the same evidence gives now, as the judge may have been tested since.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Conclusion, JudgeName, JudgementId, ModelMetadata, PromptId, RankedCandidate, Ranking, SessionId, Source,
    StepMetrics, Timestamp,
};

/// How a prompt was made and ranked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Why {
    /// The prompt's id.
    pub prompt_id: PromptId,
    /// The run it came from.
    pub session_id: SessionId,
    /// Its variant number in that run, from 0.
    pub variant: u32,
    /// When it was first stored, UTC.
    #[serde(with = "super::moment::written")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// How it came to be stored.
    pub source: Source,
    /// The user's request.
    pub original_input: String,
    /// The persona it was written for.
    pub persona: String,
    /// The strategy of its variant.
    pub strategy: String,
    /// The prompt it was derived from, that prompt's own parent, and so on; nearest first.
    pub ancestors: Vec<Ancestor>,
    /// Prompts derived from it, oldest first.
    pub children: Vec<PromptId>,
    /// The accounting of each phase, in order.
    pub steps: Vec<StepMetrics>,
    /// Totals of the steps.
    pub model_metadata: ModelMetadata,
    /// The ranking's score as stored, 0..=1; null until ranked.
    pub score: Option<f64>,
    /// Its stored rank in its run, 1 is best; null until ranked.
    pub rank: Option<u32>,
    /// How many ranked prompts of its run are stored.
    pub ranked: u32,
    /// The score breakdown, computed now among the stored prompts of its run. It differs from the
    /// stored score if weights, personas or the run's prompts have changed since.
    pub ranking: Ranking,
    /// The judgements in which it was a candidate, newest first.
    pub judgements: Vec<JudgementExplanation>,
}

/// One ancestor of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ancestor {
    /// The prompt's id.
    pub prompt_id: PromptId,
    /// How it came to be stored; null if it no longer is.
    pub source: Option<Source>,
}

/// One judgement, seen from one of its candidates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgementExplanation {
    /// The judgement's id.
    pub id: JudgementId,
    /// When it was concluded.
    #[serde(with = "super::moment::written")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// The command it was part of.
    pub operation: String,
    /// The task the candidates were judged for.
    pub task: String,
    /// The rubric's name.
    pub rubric: String,
    /// Criteria and weights, adding up to 1.
    pub criteria: BTreeMap<String, f64>,
    /// The judges.
    pub judges: Vec<JudgeStatus>,
    /// How many candidates there were.
    pub candidates: u32,
    /// The conclusion as recorded.
    pub recorded: Conclusion,
    /// The conclusion from the same evidence, with what is known of the judges now.
    pub recomputed: Conclusion,
    /// True if the two name different winners.
    pub winner_changed: bool,
    /// This prompt's rank as recomputed, 1 is best.
    pub place: u32,
    /// This prompt's standing, as recomputed.
    pub standing: RankedCandidate,
    /// The rating of this prompt by each judge that rated it, 1 to 10.
    pub ratings: Vec<PromptRating>,
    /// Each candidate it was compared with.
    pub opponents: Vec<Opponent>,
    /// Order-swap agreement: the share of comparisons whose two orders agreed, 0..=1; null if none
    /// was made in both.
    pub swap_consistency: Option<f64>,
    /// Questions without a valid answer.
    pub missing: u32,
    /// Why the winner won, as recomputed.
    pub reasoning: String,
    /// Totals of the judges' calls.
    pub model_metadata: ModelMetadata,
}

/// One judge, and what is known of it now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeStatus {
    /// The provider and the model.
    #[serde(flatten)]
    pub name: JudgeName,
    /// Days since it was tested; null if never.
    pub audit_age_days: Option<f64>,
    /// False if the test showed that its choices carry no information; null if it was never tested.
    pub usable: Option<bool>,
}

/// A judge's rating of the prompt by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromptRating {
    /// The judge, as an index into [`JudgementExplanation::judges`].
    pub judge: u32,
    /// 1 to 10.
    pub score: f64,
    /// The judge's reasons.
    pub reasoning: String,
}

/// One comparison, seen from the explained prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Opponent {
    /// The other candidate.
    pub prompt_id: PromptId,
    /// The margin, averaged over judges and orders and corrected for known biases; -1..=1, positive
    /// favours this prompt.
    pub margin: f64,
    /// True if the two orders agreed.
    pub agreed: bool,
    /// The verdicts, one per judge and order.
    pub verdicts: Vec<OrderVerdict>,
}

/// One judge's verdict in one order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OrderVerdict {
    /// The judge, as an index into [`JudgementExplanation::judges`].
    pub judge: u32,
    /// True if this prompt was shown first, false if the other one was.
    pub shown_first: bool,
    /// The margin as answered, -1..=1; positive favours this prompt.
    pub margin: f64,
    /// The judge's reasons; candidates are named by their short ids.
    pub reasoning: String,
}
