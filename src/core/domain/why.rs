//! How a prompt came about and got its place: the result of `why`.
//!
//! Everything is computed from the database; no model is called. A judgement's recorded conclusion
//! is shown with what the same evidence gives now, as the judge may have been tested since.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Conclusion, JudgeName, JudgementId, ModelMetadata, PromptId, Ranking, SessionId, Source, Standing, StepMetrics,
    Timestamp,
};

/// How a prompt came to be, and to its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Why {
    /// Which prompt.
    pub prompt_id: PromptId,
    /// The run it came from.
    pub session_id: SessionId,
    /// Its number in that run, from 0.
    pub variant: u32,
    /// When it was first stored, UTC.
    #[serde(with = "super::moment::written")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// How it came to be here.
    pub source: Source,
    /// What the user asked for.
    pub original_input: String,
    /// The persona it was written for.
    pub persona: String,
    /// How its variant was asked for.
    pub strategy: String,
    /// What it was derived from, that one's own origin, and so on; nearest first.
    pub ancestors: Vec<Ancestor>,
    /// What was derived from it, oldest first.
    pub children: Vec<PromptId>,
    /// What each phase did, in order.
    pub steps: Vec<StepMetrics>,
    /// The steps added up.
    pub model_metadata: ModelMetadata,
    /// The ranking's score as stored, 0..=1; null until ranked.
    pub score: Option<f64>,
    /// Its place in its run as stored, 1 is best; null until ranked.
    pub rank: Option<u32>,
    /// How many ranked prompts of its run are stored.
    pub ranked: u32,
    /// The ranking computed now, among the stored prompts of its run: what the score is made of. It differs from the
    /// stored one where weights, personas or the run's prompts have changed since.
    pub ranking: Ranking,
    /// The judgements it stood in, newest first.
    pub judgements: Vec<JudgementTold>,
}

/// One step of the way a prompt was derived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ancestor {
    /// Which prompt.
    pub prompt_id: PromptId,
    /// How it came to be; null when it is no longer stored.
    pub source: Option<Source>,
}

/// One judgement as it concerns one prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgementTold {
    /// Which judgement.
    pub id: JudgementId,
    /// When it was concluded.
    #[serde(with = "super::moment::written")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// The command it was part of.
    pub operation: String,
    /// What the candidates were judged for.
    pub task: String,
    /// The rubric's name.
    pub rubric: String,
    /// Criteria and weights, adding up to 1.
    pub criteria: BTreeMap<String, f64>,
    /// Who judged.
    pub judges: Vec<JudgeTold>,
    /// How many candidates there were.
    pub candidates: u32,
    /// As it was concluded then.
    pub recorded: Conclusion,
    /// What the same evidence comes to with what is known of the judges now.
    pub recomputed: Conclusion,
    /// True when the two name different winners.
    pub winner_changed: bool,
    /// This prompt's place as recomputed, 1 is best.
    pub place: u32,
    /// How this prompt stands, as recomputed.
    pub standing: Standing,
    /// What this prompt was worth by itself, by each judge that rated it, 1 to 10.
    pub ratings: Vec<RatingTold>,
    /// Each candidate it was compared with.
    pub opponents: Vec<Opponent>,
    /// The share of comparisons whose two orders agreed, 0..=1; null when none was made in both.
    pub swap_consistency: Option<f64>,
    /// Questions without a valid answer.
    pub missing: u32,
    /// Why the winner won, in words, as recomputed.
    pub reasoning: String,
    /// The judges' calls added up.
    pub model_metadata: ModelMetadata,
}

/// One judge, and what is known of it now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeTold {
    /// Who.
    #[serde(flatten)]
    pub name: JudgeName,
    /// Days since its own test; null when it was never tested.
    pub audit_age_days: Option<f64>,
    /// False when that test showed that its choices say nothing; null when it was never tested.
    pub usable: Option<bool>,
}

/// What a judge said of the prompt by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RatingTold {
    /// Which judge: a place in [`JudgementTold::judges`].
    pub judge: u32,
    /// 1 to 10.
    pub score: f64,
    /// Why, in words.
    pub reasoning: String,
}

/// One comparison, seen from the prompt that is explained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Opponent {
    /// The other candidate.
    pub prompt_id: PromptId,
    /// Averaged over judges and orders, less what is known of the judges' biases; -1..=1, positive favours this prompt.
    pub margin: f64,
    /// True when the two orders agreed.
    pub agreed: bool,
    /// What was answered, each order by itself.
    pub verdicts: Vec<OrderTold>,
}

/// What one judge answered in one order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OrderTold {
    /// Which judge: a place in [`JudgementTold::judges`].
    pub judge: u32,
    /// True when this prompt was shown first; else the other one was.
    pub shown_first: bool,
    /// As answered, -1..=1; positive favours this prompt.
    pub margin: f64,
    /// Why, in words, the candidates named by their short ids.
    pub reasoning: String,
}
