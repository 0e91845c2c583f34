//! The judge: which of several prompts is best, and how sure that is.
//!
//! Every pair is compared twice, each candidate standing first once, with a graded verdict; the two margins are
//! averaged, which cancels a bias for a position. The margins become strengths (Bradley-Terry), an interval and the
//! chance of being the best; below [`CONFIDENT`] the answer is "too close to call". With more than [`COMPARED`]
//! candidates the first so many are compared: callers give them in rank order.
//!
//! What always holds: the order in which candidates come changes neither a request nor the winner; a comparison
//! without a valid verdict is missing, never guessed; ties go to the lower cost, then the fewer tokens, then the
//! smaller hash of the content. Candidates are fenced as data and labelled A and B, nothing else.
//!
//! One comparison is in `ask`, what a reply may be in `verdict`, the arithmetic in `strength`.

mod ask;
mod strength;
#[cfg(test)]
mod tests;
mod verdict;

use std::sync::Arc;

use futures_util::StreamExt;
use xxhash_rust::xxh3::xxh3_64;

use crate::assets::{Assets, DEFAULT_RUBRIC};
use crate::domain::{Comparison, ModelMetadata, Prompt, SelectResult, Standing};
use crate::error::{Code, Error, Result};
use crate::event::{EventKind, EventSender};
use crate::ledger::Account;
use crate::provider::{ChatRequest, Provider};
use crate::rank::compare_ties;
use ask::Asker;
use strength::{Duel, Strength};

pub use verdict::Verdict;

/// Chance of being the best from which a choice counts as confident.
pub const CONFIDENT: f64 = 0.6;

/// The most candidates that are compared, each with each.
pub const COMPARED: usize = 3;

/// The largest share of comparisons that may be missing.
const MOST_MISSING: f64 = 0.2;

/// Who judges, and what.
#[derive(Clone)]
pub struct Judging {
    /// Who answers.
    pub provider: Arc<dyn Provider>,
    /// The model; `None`: the provider's default.
    pub model: Option<String>,
    /// What the judge is told.
    pub assets: Arc<Assets>,
    /// What the candidates are for.
    pub task: String,
    /// The persona they were written for.
    pub persona: String,
    /// Calls at the same time, at least 1.
    pub max_concurrency: usize,
    /// Who pays.
    pub account: Account,
}

/// True for a reply that is a verdict, and not to be asked for again.
pub fn is_verdict(reply: &str) -> bool {
    verdict::parse(reply).is_ok()
}

/// A comparison as it would be asked for, with two empty candidates.
///
/// # Errors
/// `file` for a rubric or template of the user's that cannot be used.
pub fn outline(judging: &Judging) -> Result<ChatRequest> {
    Ok(Asker::new(judging)?.request("", ""))
}

/// How often the judge is asked about so many candidates, repairs of its replies not counted: each order of each pair.
pub fn most_asks(candidates: usize) -> u64 {
    let compared = candidates.min(COMPARED) as u64;
    compared * compared.saturating_sub(1)
}

/// Chooses among candidates in rank order. Each comparison is told to `events` as it is made.
///
/// # Errors
/// `judge_unreliable` when over a fifth of the comparisons have no valid verdict; the provider's own error when none
/// has; `validation_failed` for no candidate at all; `file` for a rubric or template of the user's that cannot be used.
pub async fn select(judging: &Judging, candidates: &[Prompt], events: &EventSender) -> Result<SelectResult> {
    let rubric = judging.assets.rubric(DEFAULT_RUBRIC)?;
    let criteria = rubric.criteria.iter().map(|criterion| (criterion.name.clone(), criterion.weight)).collect();
    let mut compared: Vec<&Prompt> = candidates.iter().take(COMPARED).collect();
    // From here on the order in which they came is forgotten.
    compared.sort_by_key(|prompt| content_hash(prompt));
    let outcome = compare_all(judging, &compared, events).await?;
    let strengths = strength::fit(compared.len(), &outcome.duels, seed(&compared));
    let order = best_first(&compared, &strengths);
    let Some(&winner) = order.first() else {
        return Err(Error::value("prompt_ids", "names no prompt to choose among"));
    };
    let confidence = strengths[winner].best;
    let confident = confidence >= CONFIDENT;
    let standings = order.iter().map(|&at| standing(compared[at], &strengths[at], &outcome.comparisons)).collect();
    Ok(SelectResult {
        prompt: compared[winner].clone(),
        reasoning: reasoning(compared[winner], confident, &outcome.comparisons, candidates.len()),
        confidence,
        confident,
        tied: if confident { Vec::new() } else { tied(&compared, &strengths, &order) },
        ranking: standings,
        swap_consistency: outcome.swap_consistency(),
        comparisons: outcome.comparisons,
        missing: outcome.missing,
        audit_age_days: None,
        criteria,
        model_metadata: ModelMetadata::sum(&outcome.spent),
    })
}

/// What the comparisons came to.
#[derive(Default)]
struct Outcome {
    comparisons: Vec<Comparison>,
    duels: Vec<Duel>,
    missing: u32,
    spent: Vec<ModelMetadata>,
    last_error: Option<Error>,
}

impl Outcome {
    /// Keeps the newest failure; that of a cap before any other, because it says what to do.
    fn remember(&mut self, error: Option<Error>) {
        if !self.last_error.as_ref().is_some_and(is_a_cap) {
            self.last_error = error.or(self.last_error.take());
        }
    }

    /// The share of comparisons whose orders agreed; 1 when there were none to disagree.
    fn swap_consistency(&self) -> f64 {
        if self.comparisons.is_empty() {
            return 1.0;
        }
        self.comparisons.iter().filter(|comparison| comparison.agreed).count() as f64 / self.comparisons.len() as f64
    }
}

async fn compare_all(judging: &Judging, compared: &[&Prompt], events: &EventSender) -> Result<Outcome> {
    let asker = Asker::new(judging)?;
    let pairs: Vec<(usize, usize)> =
        (0..compared.len()).flat_map(|a| (a + 1..compared.len()).map(move |b| (a, b))).collect();
    let total = pairs.len();
    let mut answers = futures_util::stream::iter(pairs.into_iter().map(|(a, b)| {
        let asker = &asker;
        async move { (a, b, asker.compare(&compared[a].content, &compared[b].content).await) }
    }))
    .buffer_unordered((judging.max_concurrency / 2).max(1));
    let mut outcome = Outcome::default();
    while let Some((a, b, compared_pair)) = answers.next().await {
        outcome.spent.extend(compared_pair.spent);
        match compared_pair.verdict {
            Ok(pair) => {
                let comparison = pair.into_comparison(compared[a].id, compared[b].id);
                outcome.duels.push(Duel { a, b, margin: comparison.margin });
                events.send(EventKind::Judged { comparison: comparison.clone() }).await;
                outcome.comparisons.push(comparison);
            }
            Err(error) => {
                outcome.missing += 1;
                outcome.remember(error);
            }
        }
    }
    drop(answers);
    // They arrive in any order; the record does not depend on it.
    outcome.duels.sort_by_key(|duel| (duel.a, duel.b));
    outcome.comparisons.sort_by_key(|comparison| (comparison.a, comparison.b));
    let missing = outcome.missing as usize;
    if missing as f64 > total as f64 * MOST_MISSING {
        return Err(match outcome.last_error.take() {
            Some(error) if missing == total || is_a_cap(&error) => error,
            _ => Error::JudgeUnreliable { judge: asker.name(), missing, total },
        });
    }
    Ok(outcome)
}

fn is_a_cap(error: &Error) -> bool {
    error.code() == Code::BudgetExceeded
}

fn content_hash(prompt: &Prompt) -> u64 {
    xxh3_64(prompt.content.as_bytes())
}

/// The same candidates give the same draws, whatever their order.
fn seed(compared: &[&Prompt]) -> u64 {
    let hashes: Vec<u8> = compared.iter().flat_map(|prompt| content_hash(prompt).to_le_bytes()).collect();
    xxh3_64(&hashes)
}

fn best_first(compared: &[&Prompt], strengths: &[Strength]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..compared.len()).collect();
    // Strengths from even margins differ by rounding alone.
    let rounded = |at: usize| (strengths[at].score * 1e9).round();
    order.sort_by(|&a, &b| rounded(b).total_cmp(&rounded(a)).then_with(|| compare_ties(compared[a], compared[b])));
    order
}

fn standing(prompt: &Prompt, strength: &Strength, comparisons: &[Comparison]) -> Standing {
    let own = || comparisons.iter().filter(|comparison| comparison.a == prompt.id || comparison.b == prompt.id);
    let count = |is: &dyn Fn(&Comparison) -> bool| u32::try_from(own().filter(|c| is(c)).count()).unwrap_or(u32::MAX);
    Standing {
        prompt_id: prompt.id,
        score: strength.score,
        interval: strength.interval,
        wins: count(&|comparison| comparison.winner == Some(prompt.id)),
        losses: count(&|comparison| comparison.winner.is_some_and(|winner| winner != prompt.id)),
        ties: count(&|comparison| comparison.winner.is_none()),
    }
}

/// Those whose interval reaches the winner's: it cannot be told from them.
fn tied(compared: &[&Prompt], strengths: &[Strength], order: &[usize]) -> Vec<crate::domain::PromptId> {
    let Some((&winner, others)) = order.split_first() else { return Vec::new() };
    let low = strengths[winner].interval[0];
    others.iter().filter(|&&at| strengths[at].interval[1] >= low).map(|&at| compared[at].id).collect()
}

/// Why the winner won, from the comparisons it stood in.
fn reasoning(winner: &Prompt, confident: bool, comparisons: &[Comparison], given: usize) -> String {
    let mut parts = Vec::new();
    if given == 1 {
        parts.push("There was one candidate, so nothing was compared.".to_owned());
    } else if !confident {
        parts.push("Too close to call; chosen by cost, then tokens, where the comparisons do not decide.".to_owned());
    }
    if given > COMPARED {
        parts.push(format!("Of {given} candidates the first {COMPARED} by rank were compared."));
    }
    for comparison in comparisons.iter().filter(|comparison| comparison.a == winner.id || comparison.b == winner.id) {
        let (other, margin) = if comparison.a == winner.id {
            (comparison.b, comparison.margin)
        } else {
            (comparison.a, -comparison.margin)
        };
        parts.push(format!("Against {} ({margin:+.2}): {}", other.short(), comparison.reasoning));
    }
    parts.join("\n")
}
