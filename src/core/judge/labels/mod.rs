//! Pairs that a person labelled, put to a judge: how often the two agree.
//!
//! [`parse`] reads a file of labels. Resolving ids is [`crate::engine`]'s. [`ask_pairs`] puts each pair to the judge in both
//! orders, and [`agreement()`] computes what the answers come to. [`blind`] chooses pairs
//! for a person to label, and [`mod@file`] keeps the labels. As with [`super::audit`] a missing answer counts for
//! nothing, and the judge is asked past any cache.

mod agreement;
#[cfg(test)]
mod agreement_tests;
pub mod blind;
pub mod file;
pub mod parse;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use futures_util::StreamExt;

use super::{Judge, Judging, ask};
use crate::assets::Rubric;
use crate::domain::{Agreement, LabelledMargin, ModelMetadata};
use crate::error::{Code, Error, Result};

pub use agreement::agreement;

/// So many calls that fail one after the other, with no reply in between, end the test.
const MOST_FAILURES: usize = 8;

/// Two texts, what they are for, and which of them a person prefers.
#[derive(Debug, Clone)]
pub struct LabelledPair {
    /// What both are for.
    pub task: String,
    /// The persona both were written for.
    pub persona: String,
    /// By which criteria they are judged.
    pub rubric: Arc<Rubric>,
    /// The first text.
    pub a: String,
    /// The second.
    pub b: String,
    /// 1: the person prefers the first, -1: the second, 0: neither.
    pub choice: i8,
}

/// Puts every pair to a judge in both orders; `told` hears how many of how many questions are answered. `judging` says how
/// to ask: task, persona and criteria are each pair's own.
///
/// # Errors
/// `judge_unreliable` when no pair has a valid answer in both orders; the provider's own error when nothing was answered,
/// or nothing any more; `budget_exceeded` as soon as a cap is reached; `file` for a template that cannot be used.
pub async fn ask_pairs(
    judging: &Judging,
    judge: &Judge,
    pairs: &[LabelledPair],
    told: impl Fn(usize, usize),
) -> Result<Agreement> {
    let total = 2 * pairs.len();
    told(0, total);
    let asked = (0..total).map(|number| async move {
        let (at, is_swapped) = (number / 2, number % 2 == 1);
        let pair = &pairs[at];
        let (first, second) = if is_swapped { (&pair.b, &pair.a) } else { (&pair.a, &pair.b) };
        let judging = Judging {
            task: pair.task.clone(),
            persona: pair.persona.clone(),
            rubric: Arc::clone(&pair.rubric),
            ..judging.clone()
        };
        (at, is_swapped, ask(&judging, judge, first, second).await)
    });
    let mut answers = futures_util::stream::iter(asked).buffer_unordered(judging.max_concurrency.max(1));
    let mut margins: Vec<[Option<f64>; 2]> = vec![[None; 2]; pairs.len()];
    let (mut spent, mut last_error, mut failures, mut done) = (Vec::new(), None, 0, 0);
    while let Some((at, is_swapped, opinion)) = answers.next().await {
        let opinion = opinion?;
        done += 1;
        told(done, total);
        margins[at][usize::from(is_swapped)] = opinion.margin.map(|margin| if is_swapped { -margin } else { margin });
        spent.extend(opinion.spent);
        let Some(error) = opinion.error else {
            failures = 0;
            continue;
        };
        failures += 1;
        if error.code() == Code::BudgetExceeded || failures == MOST_FAILURES {
            return Err(error);
        }
        last_error = Some(error);
    }
    drop(answers);
    let answered = pairs.iter().zip(&margins).filter_map(|(pair, orders)| {
        let margin = f64::midpoint(orders[0]?, orders[1]?);
        Some(LabelledMargin { margin, choice: pair.choice })
    });
    let observations: Vec<LabelledMargin> = answered.collect();
    let missing = u32::try_from(pairs.len() - observations.len()).unwrap_or(u32::MAX);
    let spent = ModelMetadata::sum(&spent);
    agreement(judging.now, observations, missing, spent).ok_or_else(|| {
        let is_silent = margins.iter().flatten().all(Option::is_none);
        last_error.filter(|_| is_silent).unwrap_or_else(|| {
            let name = judge.name();
            Error::JudgeUnreliable {
                judge: format!("{}/{}", name.provider, name.model),
                missing: pairs.len(),
                total: pairs.len(),
                last: String::new(),
            }
        })
    })
}
