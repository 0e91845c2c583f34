//! Measures how often a judge agrees with pairs that a person labelled.
//!
//! [`parse`] reads a labels file, and [`crate::engine`] resolves its ids. [`ask_pairs`] asks the
//! judge about each pair in both orders, and [`agreement()`] computes the statistics. [`blind`]
//! chooses pairs to label, and [`mod@file`] stores the labels. As in [`super::audit`], missing
//! answers are ignored and the cache is bypassed.

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

/// The number of failures in a row that ends the test.
const MOST_FAILURES: usize = 8;

/// Two texts, their task, and a person's preference.
#[derive(Debug, Clone)]
pub struct LabelledPair {
    /// The task of both.
    pub task: String,
    /// The persona both were written for.
    pub persona: String,
    /// The criteria.
    pub rubric: Arc<Rubric>,
    /// The first text.
    pub a: String,
    /// The second text.
    pub b: String,
    /// 1 if the person prefers the first, -1 the second, 0 neither.
    pub choice: i8,
}

/// Asks a judge about every pair in both orders; `told` gets the number of answered questions and
/// the total. Task, persona and criteria of `judging` are replaced by each pair's own.
///
/// # Errors
/// `judge_unreliable` when no pair has a valid answer in both orders; the provider's error without
/// answers or after too many failures; `budget_exceeded` as soon as a cap is reached; `file`.
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
