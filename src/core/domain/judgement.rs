//! The full record of a judgement, so that it can be explained and recomputed without a judge.
//!
//! The store keeps a [`Judgement`] of each selection; [`SelectResult`](super::SelectResult) is
//! computed from it. It carries what the computation needs of the candidates, so it stays readable
//! after prompts are deleted.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{JudgementId, ModelMetadata, PromptId, Timestamp};

/// All questions and answers of one selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// Its id.
    pub id: JudgementId,
    /// When it was concluded.
    pub created_at: Timestamp,
    /// The command it was part of: `generate`, `select`, `compare`.
    pub operation: String,
    /// The task the candidates were judged for.
    pub task: String,
    /// The persona whose expert judged.
    pub persona: String,
    /// The rubric's name.
    pub rubric: String,
    /// Criteria and weights, adding up to 1.
    pub criteria: BTreeMap<String, f64>,
    /// True if it went on until it was nearly certain or every pair was compared.
    pub thorough: bool,
    /// The probability of being the best at which the judge was asked no more and the choice counts
    /// as confident, 0..=1.
    #[serde(default = "former_threshold")]
    pub wanted_confidence: f64,
    /// The judges: one, or a panel.
    pub judges: Vec<JudgeName>,
    /// The candidates, in no meaningful order.
    pub candidates: Vec<Candidate>,
    /// Ratings of single candidates, if candidates were screened.
    pub ratings: Vec<Rating>,
    /// The verdicts on each pair, one per judge and order.
    pub verdicts: Vec<PairVerdict>,
    /// Comparisons without a valid verdict.
    pub missing: u32,
    /// The winner, the probability that it is the best and whether that was enough, as concluded
    /// then.
    pub conclusion: Conclusion,
    /// Totals of the judges' calls.
    pub model_metadata: ModelMetadata,
}

/// The threshold of judgements that were stored without one.
const fn former_threshold() -> f64 {
    0.6
}

/// A model that judges.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct JudgeName {
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
}

/// What the aggregation needs to know of a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Candidate {
    /// The prompt's id.
    pub prompt_id: PromptId,
    /// What it cost to make, in US dollars; null if unknown. The first tie-breaker.
    pub cost_usd: Option<f64>,
    /// Tokens it took to make. The second tie-breaker.
    pub total_tokens: u64,
    /// XXH3 of its content. The last tie-breaker, and the order in which candidates are judged.
    pub content_hash: u64,
    /// Its length in characters, to correct for judges known to prefer length.
    pub characters: u64,
}

/// One judge's rating of one candidate by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rating {
    /// The judge, as an index into [`Judgement::judges`].
    pub judge: u32,
    /// The candidate.
    pub prompt_id: PromptId,
    /// 1 to 10.
    pub score: f64,
    /// The judge's reasons.
    pub reasoning: String,
}

/// One judge's verdict on two candidates in one order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairVerdict {
    /// The judge, as an index into [`Judgement::judges`].
    pub judge: u32,
    /// The candidate shown first.
    pub first: PromptId,
    /// The candidate shown second.
    pub second: PromptId,
    /// The margin as answered, before any correction: -1..=1, positive favours the first.
    pub margin: f64,
    /// The grade of each criterion as a margin, -1..=1; positive favours the first.
    pub criteria: BTreeMap<String, f64>,
    /// The judge's reasons.
    pub reasoning: String,
}

/// The conclusion of a judgement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conclusion {
    /// The winner.
    pub winner: PromptId,
    /// The probability that the winner is the best, 0..=1.
    pub confidence: f64,
    /// False if that is below the requested probability.
    pub confident: bool,
    /// All candidates, best first.
    pub order: Vec<PromptId>,
}
