//! The judge: which of several prompts is best, and how sure that is.
//!
//! Four candidates or more are first rated, each by itself; then pairs are compared in both orders, with graded verdicts
//! by criterion: always the pair whose answer is expected to help most, until the chance that the leader is the best is
//! as large as is wanted, or for a tested judge until one more answer would hardly change it ([`most_asks`] bounds it).
//! [`Judging::thorough`] goes on up to every pair; a panel asks every judge all of it. Beyond [`MOST_CANDIDATES`] the
//! first so many are judged: callers give them in rank order. Candidates of one content are judged once, and nothing is
//! asked about two of them.
//!
//! What was answered is a [`Judgement`], evidence that [`conclude()`] adds up: margins averaged over the two orders, which
//! cancels a bias for a place, become strengths, intervals and the chance of being the best, as far as the errors of the
//! judge are known (`errors`). Below what was wanted the answer is not confident.
//!
//! What always holds: the order in which candidates come changes neither a request nor the winner; a question without a
//! valid answer is missing, never guessed; ties go to the lower cost, then the fewer tokens, then the smaller hash of the
//! content. Candidates are fenced as data and labelled A and B, nothing else.
//!
//! One question is in `ask`, what may be replied in `reply`, which questions there are in `questions`; of the
//! arithmetic `field` and `evidence` make ready what `strength` fits, under `errors`, and `conclude` puts together.
//! `explain` says it in words, with the names that `naming` puts for A and B and the circles that `cycle` finds. A judge's
//! own test is [`audit`], its agreement with a person's choices [`labels`].

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
use crate::event::{EventKind, EventSender};
use crate::ledger::Account;
use crate::provider::{Brief, ChatRequest, JudgeQuestion, Provider};
use ask::{Asker, Unanswered};
use conclude::Evidence;
use questions::Inquiry;

pub(crate) use explain::in_order;

pub use conclude::{CONFIDENT, Concluded, THOROUGHLY_CONFIDENT, conclude};
pub use questions::{least_asks, most_asks, most_pairs};

/// The most candidates that are judged.
pub const MOST_CANDIDATES: usize = 64;

/// One who judges.
#[derive(Clone)]
pub struct Judge {
    /// Who answers.
    pub provider: Arc<dyn Provider>,
    /// The model; `None`: the provider's default.
    pub model: Option<String>,
    /// What its own test showed; `None` when it was never tested.
    pub profile: Option<JudgeProfile>,
}

/// Who judges, and what.
#[derive(Clone)]
pub struct Judging {
    /// Who judges: one, or a panel whose verdicts are pooled.
    pub judges: Vec<Judge>,
    /// What the judge is told.
    pub assets: Arc<Assets>,
    /// By which criteria.
    pub rubric: Arc<Rubric>,
    /// What the candidates are for.
    pub task: String,
    /// The persona they were written for.
    pub persona: String,
    /// Up to every pair is compared, several at the same time; else a few, each where it helps most.
    pub thorough: bool,
    /// P(best) at which no more is asked, above 0 and below 1.
    pub confidence: f64,
    /// Ask about each pair in both orders; else in one, the side chosen by the two contents.
    pub order_swaps: bool,
    /// Calls at the same time, at least 1.
    pub max_concurrency: usize,
    /// Who pays.
    pub account: Account,
    /// What the judgement is kept under.
    pub id: JudgementId,
    /// The moment of the judgement.
    pub now: Timestamp,
    /// The command it is part of: `generate`, `select`, `compare`.
    pub operation: String,
}

/// A choice, and the evidence for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// What is kept.
    pub judgement: Judgement,
    /// What is shown.
    pub result: SelectResult,
}

/// What a judge said of two texts, and what that took.
#[derive(Debug)]
pub struct Opinion {
    /// The grades by weight, -1..=1, positive for the first; `None` when there was no valid answer.
    pub margin: Option<f64>,
    /// Why the call failed, if it did.
    pub error: Option<Error>,
    /// The calls it took.
    pub spent: Vec<ModelMetadata>,
}

impl Judge {
    /// Provider and model, as they are kept.
    pub fn name(&self) -> JudgeName {
        let model = self.model.as_deref().unwrap_or_else(|| self.provider.default_model());
        JudgeName { provider: self.provider.name().to_owned(), model: model.to_owned() }
    }
}

/// Criteria and weights as a question carries them.
fn criteria_of(rubric: &Rubric) -> Vec<(String, f64)> {
    rubric.criteria.iter().map(|criterion| (criterion.name.clone(), criterion.weight)).collect()
}

/// True for a reply that answers what a judge was asked, and is not to be asked for again.
pub fn is_answer(brief: &Brief, reply: &str) -> bool {
    let Brief::Judge(brief) = brief else { return false };
    match brief.question {
        JudgeQuestion::Compare { .. } => {
            reply::read_comparison(reply, &brief.criteria, &brief.question.texts()).is_ok()
        }
        JudgeQuestion::Rate { .. } => reply::read_rating(reply, &brief.criteria, &brief.question.texts()).is_ok(),
    }
}

/// The dearest question as it would be put to a judge, with two empty candidates.
///
/// # Errors
/// `file` for a template of the user's that cannot be used.
pub fn outline(judging: &Judging, judge: &Judge) -> Result<ChatRequest> {
    let asker = Asker::new(judging)?;
    let compare = asker.request(judge, JudgeQuestion::Compare { a: String::new(), b: String::new() });
    let rate = asker.request(judge, JudgeQuestion::Rate { text: String::new() });
    let length = |request: &ChatRequest| request.messages.iter().map(|message| message.content.len()).sum::<usize>();
    Ok(if length(&rate) > length(&compare) { rate } else { compare })
}

/// Asks one judge once which of two texts is better, `first` being shown first: what a test of the judge is made of.
///
/// # Errors
/// `file` for a template of the user's that cannot be used.
pub async fn ask(judging: &Judging, judge: &Judge, first: &str, second: &str) -> Result<Opinion> {
    let answer = Asker::new(judging)?.compare(judge, first, second).await;
    let (margin, error) = match answer.reply {
        Ok(compared) => (Some(compared.margin), None),
        Err(Unanswered::Failed(error)) => (None, Some(error)),
        Err(Unanswered::Unreadable(_)) => (None, None),
    };
    Ok(Opinion { margin, error, spent: answer.spent })
}

/// Chooses among candidates in rank order. Each comparison is told to `events` as it is made.
///
/// # Errors
/// `judge_unreliable` when every judge leaves over a fifth of the ratings, or of the comparisons, without a valid answer;
/// the provider's own error when none has one; `budget_exceeded` when a cap kept all from being asked, where it lets some
/// be asked they count; `validation_failed` for no candidate or no judge at all; `file` for a template of the user's
/// that cannot be used.
pub async fn select(judging: &Judging, candidates: &[Prompt], events: &EventSender) -> Result<Judged> {
    if judging.judges.is_empty() {
        return Err(Error::value("judge_provider", "names no judge"));
    }
    let judged: Vec<&Prompt> = candidates.iter().take(MOST_CANDIDATES).collect();
    let known: Vec<Candidate> = judged.iter().map(|prompt| candidate(prompt)).collect();
    let asker = Asker::new(judging)?;
    let mut inquiry = Inquiry::new(judging, &asker, &judged, &known, events);
    inquiry.ask_all().await?;
    let questions::Answers { mut ratings, mut verdicts, mut lost, cap, warnings, spent } = inquiry.into_answers();
    let missing = lost.unreadable + lost.timed_out + lost.failed;
    if cap.is_some() {
        let made = missing + u32::try_from(ratings.len() + verdicts.len()).unwrap_or(u32::MAX);
        lost.refused_by_cap = lost.asked.saturating_sub(made);
    }
    // They arrive in any order; the record does not depend on it.
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

/// What the arithmetic needs to know of a prompt.
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
    /// The whole result. `prompt` is the winner, as it is shown.
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
