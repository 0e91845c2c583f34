//! The judge: chooses the best of several prompts, with a confidence.
//!
//! Four or more candidates are first rated one by one. Then pairs are compared in both orders, with
//! a grade for each criterion: always the pair whose answer is expected to help most, until P(best)
//! of the leader is high enough or, for a tested judge, another answer would hardly change it
//! ([`most_asks`] bounds it). [`Judging::thorough`] compares up to every pair; a panel asks every
//! judge. At most [`MOST_CANDIDATES`] are judged, so callers pass them in rank order. Candidates
//! with the same content are judged once.
//!
//! The answers form a [`Judgement`], the evidence that [`conclude()`] evaluates. Margins averaged
//! over both orders, which cancels position bias, become strengths, intervals and P(best), given
//! what is known about the judge's errors (`errors`). Below the wanted P(best) a choice is not
//! confident.
//!
//! Invariants: the order of the candidates changes neither the requests nor the winner; a question
//! without a valid answer is missing, never guessed; ties go to lower cost, then fewer tokens, then
//! the smaller content hash. Candidates are fenced as data and labelled only A and B.
//!
//! `questions` chooses the questions, `ask` asks one, `reply` parses its reply. `field` and
//! `evidence` prepare what `strength` fits under `errors`, and `conclude` combines it; `explain`
//! puts it into words. [`audit`] tests a judge, [`labels`] compares it with a person.

mod ask;
pub mod audit;
mod conclude;
mod cycle;
mod errors;
mod evidence;
mod explain;
mod field;
pub mod labels;
mod linear;
mod naming;
mod object;
#[cfg(test)]
mod properties;
mod questions;
mod reply;
#[cfg(test)]
mod reply_shapes;
mod strength;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::assets::{Assets, Rubric};
use crate::domain::{
    Candidate, JudgeName, JudgeProfile, Judgement, JudgementId, ModelMetadata, Prompt, SelectResult, Timestamp,
};
use crate::error::{Code, Error, Result};
use crate::event::EventKind;
use crate::event::run::EventSender;
use crate::ledger::Account;
use crate::provider::{Brief, ChatRequest, JudgeQuestion, Provider};
use ask::{AnswerError, Asker};
use conclude::Evidence;
use questions::QuestionLoop;

pub(crate) use explain::in_order;

pub use conclude::{CONFIDENT, Concluded, THOROUGHLY_CONFIDENT, conclude};
pub use questions::{least_asks, most_asks, most_pairs};

/// The most candidates that are judged at once.
pub const MOST_CANDIDATES: usize = 64;

/// A judge.
#[derive(Clone)]
pub struct Judge {
    /// The provider.
    pub provider: Arc<dyn Provider>,
    /// The model; `None` for the provider's default.
    pub model: Option<String>,
    /// The result of its audit; `None` if it was never audited.
    pub profile: Option<JudgeProfile>,
}

/// The context of a judging: the judges, the task and the limits.
#[derive(Clone)]
pub struct Judging {
    /// One judge, or a panel whose verdicts are pooled.
    pub judges: Vec<Judge>,
    /// The judge's templates.
    pub assets: Arc<Assets>,
    /// The criteria.
    pub rubric: Arc<Rubric>,
    /// What the candidates are for.
    pub task: String,
    /// The persona they were written for.
    pub persona: String,
    /// True to compare up to every pair, several concurrently; else a few, where it helps most.
    pub thorough: bool,
    /// The P(best) at which judging stops, above 0 and below 1.
    pub confidence: f64,
    /// True to ask about each pair in both orders; else in one, chosen by the contents.
    pub order_swaps: bool,
    /// How many calls run concurrently, at least 1.
    pub max_concurrency: usize,
    /// The account of the calls.
    pub account: Account,
    /// The id of the judgement.
    pub id: JudgementId,
    /// The time of the judgement.
    pub now: Timestamp,
    /// The operation it is part of: `generate`, `select`, `compare`.
    pub operation: String,
}

/// A choice, and the evidence for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The record to store.
    pub judgement: Judgement,
    /// The result to show.
    pub result: SelectResult,
}

/// A judge's answer about two texts, and its cost.
#[derive(Debug)]
pub struct Opinion {
    /// The weighted mean grade, -1..=1, positive for the first; `None` without a valid answer.
    pub margin: Option<f64>,
    /// Why the call failed, if it did.
    pub error: Option<Error>,
    /// The metadata of its calls.
    pub spent: Vec<ModelMetadata>,
}

impl Judge {
    /// Provider and model, as they are stored.
    pub fn name(&self) -> JudgeName {
        let model = self.model.as_deref().unwrap_or_else(|| self.provider.default_model());
        JudgeName { provider: self.provider.name().to_owned(), model: model.to_owned() }
    }
}

/// The criteria and weights for a question.
fn criteria_of(rubric: &Rubric) -> Vec<(String, f64)> {
    rubric.criteria.iter().map(|criterion| (criterion.name.clone(), criterion.weight)).collect()
}

/// True for a valid reply to a judge's question, which can be cached.
pub fn is_answer(brief: &Brief, reply: &str) -> bool {
    let Brief::Judge(brief) = brief else { return false };
    match brief.question {
        JudgeQuestion::Compare { .. } => {
            reply::read_comparison(reply, &brief.criteria, &brief.question.texts()).is_ok()
        }
        JudgeQuestion::Rate { .. } => reply::read_rating(reply, &brief.criteria, &brief.question.texts()).is_ok(),
    }
}

/// The most expensive question to a judge, with empty candidates.
///
/// # Errors
/// `file` for an unusable template of the user.
pub fn outline(judging: &Judging, judge: &Judge) -> Result<ChatRequest> {
    let asker = Asker::new(judging)?;
    let compare = asker.request(judge, JudgeQuestion::Compare { a: String::new(), b: String::new() });
    let rate = asker.request(judge, JudgeQuestion::Rate { text: String::new() });
    let length = |request: &ChatRequest| request.messages.iter().map(|message| message.content.len()).sum::<usize>();
    Ok(if length(&rate) > length(&compare) { rate } else { compare })
}

/// Asks one judge once which of two texts is better, with `first` shown first. For tests of judges.
///
/// # Errors
/// `file` for an unusable template of the user.
pub async fn ask(judging: &Judging, judge: &Judge, first: &str, second: &str) -> Result<Opinion> {
    let answer = Asker::new(judging)?.compare(judge, first, second).await;
    let (margin, error) = match answer.reply {
        Ok(compared) => (Some(compared.margin), None),
        Err(AnswerError::Failed(error)) => (None, Some(error)),
        Err(AnswerError::Unreadable(_)) => (None, None),
    };
    Ok(Opinion { margin, error, spent: answer.spent })
}

/// Chooses among candidates, given in rank order. Sends each comparison to `events`.
///
/// # Errors
/// `judge_unreliable` when every judge leaves over a fifth of the ratings, or of the comparisons,
/// without a valid answer; the provider's error when none has one; `budget_exceeded` when a cap
/// stopped all questions (if it stopped only some, the others count); `validation_failed` without a
/// candidate or a judge; `file` for an unusable template of the user.
pub async fn select(judging: &Judging, candidates: &[Prompt], events: &EventSender) -> Result<Judged> {
    if judging.judges.is_empty() {
        return Err(Error::value("judge_provider", "names no judge"));
    }
    let judged: Vec<&Prompt> = candidates.iter().take(MOST_CANDIDATES).collect();
    let known: Vec<Candidate> = judged.iter().map(|prompt| candidate(prompt)).collect();
    let asker = Asker::new(judging)?;
    let mut inquiry = QuestionLoop::new(judging, &asker, &judged, &known, events);
    inquiry.ask_all().await?;
    let questions::CollectedAnswers { mut ratings, mut verdicts, mut lost, cap, warnings, spent } =
        inquiry.into_answers();
    let missing = lost.unreadable + lost.timed_out + lost.failed;
    if cap.is_some() {
        let made = missing + u32::try_from(ratings.len() + verdicts.len()).unwrap_or(u32::MAX);
        lost.refused_by_cap = lost.asked.saturating_sub(made);
    }
    // Replies arrive in any order; the record must not depend on it.
    ratings.sort_by_key(|rating| (rating.judge, rating.prompt_id));
    verdicts.sort_by_key(|verdict| (verdict.judge, verdict.first, verdict.second));
    let judges: Vec<JudgeName> = judging.judges.iter().map(Judge::name).collect();
    let profiles: Vec<Option<JudgeProfile>> = judging.judges.iter().map(|judge| judge.profile.clone()).collect();
    let evidence = Evidence {
        judges: &judges,
        candidates: &known,
        ratings: &ratings,
        verdicts: &verdicts,
        lost,
        given: candidates.len(),
        profiles: &profiles,
        at: judging.now,
        wanted: judging.confidence,
    };
    let Some(concluded) = evidence.conclude() else { return Err(nobody()) };
    let prompt = judged.iter().find(|prompt| prompt.id == concluded.conclusion.winner);
    let prompt = (*prompt.ok_or_else(nobody)?).clone();
    let of_cap = cap
        .map(|cap| (format!("{cap}. The choice rests on what was answered until then."), Some(Code::BudgetExceeded)));
    let others = warnings.iter().chain(&concluded.warnings).map(|message| (message.clone(), None));
    for (message, code) in others.chain(of_cap) {
        events.send(EventKind::Warning { variant: None, phase: None, message, code }).await;
    }
    let judgement = Judgement {
        id: judging.id,
        created_at: judging.now,
        operation: judging.operation.clone(),
        task: judging.task.clone(),
        persona: judging.persona.clone(),
        rubric: judging.rubric.name.clone(),
        criteria: criteria_of(&judging.rubric).into_iter().collect(),
        thorough: judging.thorough,
        wanted_confidence: judging.confidence,
        judges,
        candidates: known,
        ratings,
        verdicts,
        missing,
        conclusion: concluded.conclusion.clone(),
        model_metadata: ModelMetadata::sum(&spent),
    };
    let result =
        concluded.into_result(prompt, judgement.missing, judgement.criteria.clone(), &judgement.model_metadata);
    Ok(Judged { judgement, result })
}

fn nobody() -> Error {
    Error::value("prompt_ids", "names no prompt to choose among")
}

/// The data of a prompt that the arithmetic needs.
fn candidate(prompt: &Prompt) -> Candidate {
    Candidate {
        prompt_id: prompt.id,
        cost_usd: prompt.model_metadata.cost_usd,
        total_tokens: prompt.model_metadata.total_tokens,
        content_hash: xxh3_64(prompt.content.as_bytes()),
        characters: prompt.content.chars().count() as u64,
    }
}

impl Concluded {
    /// The whole result, with the winning `prompt`.
    pub fn into_result(
        self,
        prompt: Prompt,
        missing: u32,
        criteria: BTreeMap<String, f64>,
        spent: &ModelMetadata,
    ) -> SelectResult {
        SelectResult {
            prompt,
            reasoning: self.reasoning,
            confidence: self.conclusion.confidence,
            confident: self.conclusion.confident,
            tied: self.tied,
            ranking: self.ranking,
            comparisons: self.comparisons,
            swap_consistency: self.swap_consistency,
            missing,
            audit_age_days: self.audit_age_days,
            criteria,
            model_metadata: spent.clone(),
        }
    }
}
