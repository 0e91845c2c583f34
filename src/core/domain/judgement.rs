//! The full record of a judgement, so that it can be explained and recomputed without a judge.
//!
//! The store keeps a [`Judgement`] of each selection; [`SelectResult`](super::SelectResult) is
//! computed from it. It carries what the computation needs of the candidates, so it stays readable
//! after prompts are deleted.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{JudgementId, ModelMetadata, PromptId, Timestamp};

/// Everything that was asked and answered in one selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// Its own identifier.
    pub id: JudgementId,
    /// When it was concluded.
    pub created_at: Timestamp,
    /// The command it was part of: `generate`, `select`, `compare`.
    pub operation: String,
    /// What the candidates were judged for.
    pub task: String,
    /// The persona whose expert judged.
    pub persona: String,
    /// The rubric's name.
    pub rubric: String,
    /// Criteria and weights, adding up to 1.
    pub criteria: BTreeMap<String, f64>,
    /// Whether it went on until it was nearly certain, or every pair was compared.
    pub thorough: bool,
    /// The P(best) at which no more was asked, and from which the choice counts as confident, 0..=1.
    #[serde(default = "formerly_wanted")]
    pub wanted_confidence: f64,
    /// Who judged; one, or a panel.
    pub judges: Vec<JudgeName>,
    /// Who was judged, in no meaningful order.
    pub candidates: Vec<Candidate>,
    /// What each candidate was worth by itself, where candidates were screened.
    pub ratings: Vec<Rating>,
    /// What was answered about each pair, each order by itself.
    pub verdicts: Vec<PairVerdict>,
    /// Comparisons without a valid verdict.
    pub missing: u32,
    /// The winner, P(best) and whether that was enough, as concluded then.
    pub conclusion: Conclusion,
    /// The judges' calls added up.
    pub model_metadata: ModelMetadata,
}

/// The threshold of judgements that were stored without one.
const fn formerly_wanted() -> f64 {
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

/// What adding up needs to know of a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Candidate {
    /// Which prompt.
    pub prompt_id: PromptId,
    /// What it cost to make, in US dollars; null when unknown. The first thing that breaks a tie.
    pub cost_usd: Option<f64>,
    /// Tokens it took to make. The second.
    pub total_tokens: u64,
    /// XXH3 of its content. The last, and what puts candidates in the order in which they are asked about.
    pub content_hash: u64,
    /// Its length in characters, for the offset of a judge that is known to prefer length.
    pub characters: u64,
}

/// One judge's opinion of one candidate by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rating {
    /// Which judge: a place in [`Judgement::judges`].
    pub judge: u32,
    /// Which candidate.
    pub prompt_id: PromptId,
    /// 1 to 10.
    pub score: f64,
    /// Why, in words.
    pub reasoning: String,
}

/// One judge's opinion of two candidates in one order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairVerdict {
    /// Which judge: a place in [`Judgement::judges`].
    pub judge: u32,
    /// The candidate shown first.
    pub first: PromptId,
    /// The candidate shown second.
    pub second: PromptId,
    /// -1..=1; positive favours the first. As answered, before any offset.
    pub margin: f64,
    /// The grade of each criterion as a margin, -1..=1; positive favours the first.
    pub criteria: BTreeMap<String, f64>,
    /// Why, in words.
    pub reasoning: String,
}

/// What a judgement came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conclusion {
    /// The winner.
    pub winner: PromptId,
    /// P(best), 0..=1.
    pub confidence: f64,
    /// False when P(best) was below what was wanted.
    pub confident: bool,
    /// All candidates, best first.
    pub order: Vec<PromptId>,
}
