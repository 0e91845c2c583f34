//! Compares prompts side by side: the difference of two, and the measures of each.
//!
//! Pure: makes no calls. The engine adds the judge's choice of the best one for a task.

use std::collections::BTreeMap;

use crate::domain::{CompareResult, DiffPart, Prompt};
use crate::rank::{self, RankInputs, Weights};
use crate::statistics;
use crate::text::diff;

/// The name of the weighted mean among the scores.
pub const SCORE: &str = "score";

/// How prompts are measured.
pub struct CompareContext<'a> {
    /// The task; without one each prompt is measured against its original input.
    pub task: Option<&'a str>,
    /// How many things the request of each prompt leaves open, in the prompts' order.
    pub gaps: Vec<usize>,
    /// The weights of the components.
    pub weights: &'a Weights,
}

/// Compares prompts, in the given order.
pub fn compare(prompts: Vec<Prompt>, measuring: &CompareContext<'_>) -> CompareResult {
    let scores = scores(&prompts, measuring);
    let (diff, similarity) = differences(&prompts);
    let sizes = prompts.iter().map(|prompt| statistics::size(&prompt.content)).collect();
    CompareResult { prompts, diff, scores, sizes, similarity, selection: None }
}

/// The components of each prompt, and their weighted mean.
fn scores(prompts: &[Prompt], measuring: &CompareContext<'_>) -> BTreeMap<String, Vec<Option<f64>>> {
    let mut scores: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
    for (at, prompt) in prompts.iter().enumerate() {
        let inputs = RankInputs {
            original_input: measuring.task.unwrap_or(&prompt.original_input),
            context: &prompt.context,
            gaps: measuring.gaps.get(at).copied().unwrap_or_default(),
            checks: &[],
            weights: measuring.weights,
            history: None,
        };
        for ranking in rank::rank(std::slice::from_ref(prompt), &inputs) {
            let named = ranking.components.into_iter().chain([(SCORE.to_owned(), ranking.score)]);
            for (name, value) in named {
                scores.entry(name).or_insert_with(|| vec![None; prompts.len()])[at] = Some(value);
            }
        }
    }
    scores
}

/// The difference, for two prompts, and the mean similarity of all pairs.
fn differences(prompts: &[Prompt]) -> (Option<Vec<DiffPart>>, f64) {
    if let [first, second] = prompts {
        let parts = diff::words(&first.content, &second.content);
        let similarity = diff::similarity(&parts);
        return (Some(parts), similarity);
    }
    let pairs = prompts.iter().enumerate().flat_map(|(at, first)| prompts[at + 1..].iter().map(move |it| (first, it)));
    let likenesses: Vec<f64> =
        pairs.map(|(first, second)| diff::similarity(&diff::words(&first.content, &second.content))).collect();
    let mean = likenesses.iter().sum::<f64>() / likenesses.len().max(1) as f64;
    (None, if likenesses.is_empty() { 1.0 } else { mean })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::DiffOp;
    use crate::store::samples;

    fn prompts(contents: &[&str]) -> Vec<Prompt> {
        let numbered = contents.iter().zip(1_u32..);
        numbered.map(|(content, seed)| Prompt { content: (*content).to_owned(), ..samples::prompt(seed) }).collect()
    }

    fn compared(contents: &[&str], gaps: Vec<usize>) -> CompareResult {
        let weights = Weights::default();
        compare(prompts(contents), &CompareContext { task: Some("Find primes in Rust"), gaps, weights: &weights })
    }

    #[test]
    fn two_have_a_difference_and_several_have_none() {
        let two = compared(&["Find primes in Rust.", "Find primes in Go."], Vec::new());
        let changes: Vec<&str> =
            two.diff.iter().flatten().filter(|it| it.op != DiffOp::Equal).map(|it| &*it.text).collect();
        assert_eq!(changes, ["Rust", "Go"]);
        assert!((two.similarity - 0.75).abs() < 1e-9);
        let three = compared(&["a b", "a b", "c d"], Vec::new());
        assert_eq!(three.diff, None);
        assert!((three.similarity - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn scores_stand_in_the_order_of_the_prompts() {
        let result = compared(&["Cook rice.", "Find primes in Rust, with tests."], Vec::new());
        let coverage: Vec<f64> = result.scores["coverage"].iter().map(|value| value.unwrap()).collect();
        assert!(coverage[0] < coverage[1], "{coverage:?}");
        assert_eq!(result.scores[SCORE].len(), 2);
        assert_eq!(result.sizes[0].words, 2);
    }

    #[test]
    fn where_nothing_is_left_open_there_is_no_score_for_it() {
        let result = compared(&["Ask for the version.", "In Rust."], vec![1, 0]);
        assert_eq!(result.scores["gaps"], [Some(1.0), None]);
    }
}
