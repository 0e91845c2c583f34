//! Chooses the pairs for a person to label, their order, and the side of each text.
//!
//! Only prompts of one idea are paired. From each run the pairs with the largest and the smallest
//! score differences are taken in turn, because a judge must be right about both. Runs take turns;
//! pairs labelled before come last. Nothing is random: the same prompts give the same pairs.

use std::collections::{BTreeSet, VecDeque};

use xxhash_rust::xxh3::xxh3_64;

use crate::domain::{PromptId, PromptSummary};

/// A prompt of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlindPrompt {
    /// Its id; not shown.
    pub id: PromptId,
    /// Its text.
    pub content: String,
}

/// Two prompts to choose between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlindPair {
    /// What both are for.
    pub task: String,
    /// The persona both were written for, if it is the same.
    pub persona: Option<String>,
    /// The prompt shown on the left.
    pub left: BlindPrompt,
    /// The prompt shown on the right.
    pub right: BlindPrompt,
}

/// Two ids in a canonical order.
pub fn canonical_pair(a: PromptId, b: PromptId) -> (PromptId, PromptId) {
    if a <= b { (a, b) } else { (b, a) }
}

/// Chooses at most `most` pairs within these groups of prompts of one idea. `labelled` are the
/// pairs labelled before ([`canonical_pair`]).
pub fn choose(groups: &[Vec<PromptSummary>], labelled: &BTreeSet<(PromptId, PromptId)>, most: usize) -> Vec<BlindPair> {
    let (mut fresh, mut known) = (Vec::new(), Vec::new());
    for (turn, group) in groups.iter().enumerate() {
        let (old, new): (Vec<_>, Vec<_>) =
            pairs_of(group).into_iter().partition(|(a, b)| labelled.contains(&canonical_pair(a.id, b.id)));
        fresh.push(from_both_ends(new, turn.is_multiple_of(2)));
        known.push(from_both_ends(old, turn.is_multiple_of(2)));
    }
    let mut seen = BTreeSet::new();
    let all = in_turns(fresh).into_iter().chain(in_turns(known));
    let once = all.filter(|(a, b)| seen.insert(canonical_pair(a.id, b.id)));
    once.take(most).map(|(a, b)| blind(a, b)).collect()
}

/// Every pair of different texts, by increasing score difference.
fn pairs_of(group: &[PromptSummary]) -> Vec<(&PromptSummary, &PromptSummary)> {
    let mut pairs = Vec::new();
    for (at, a) in group.iter().enumerate() {
        for b in &group[at + 1..] {
            if a.content.trim() != b.content.trim() && a.original_input.trim() == b.original_input.trim() {
                pairs.push((a, b));
            }
        }
    }
    let apart = |(a, b): &(&PromptSummary, &PromptSummary)| (a.score.unwrap_or(0.0) - b.score.unwrap_or(0.0)).abs();
    pairs.sort_by(|one, other| {
        let ids = |(a, b): &(&PromptSummary, &PromptSummary)| canonical_pair(a.id, b.id);
        apart(one).total_cmp(&apart(other)).then_with(|| ids(one).cmp(&ids(other)))
    });
    pairs
}

/// Alternates from both ends, beginning with the last or the first.
fn from_both_ends<T>(items: Vec<T>, last_first: bool) -> VecDeque<T> {
    let mut items = VecDeque::from(items);
    let mut taken = VecDeque::with_capacity(items.len());
    let mut is_last = last_first;
    while let Some(item) = if is_last { items.pop_back() } else { items.pop_front() } {
        taken.push_back(item);
        is_last = !is_last;
    }
    taken
}

/// Interleaves the queues: the first of each, the second of each and so on.
fn in_turns<T>(mut queues: Vec<VecDeque<T>>) -> Vec<T> {
    let mut all = Vec::new();
    while queues.iter().any(|queue| !queue.is_empty()) {
        all.extend(queues.iter_mut().filter_map(VecDeque::pop_front));
    }
    all
}

/// A hash of both texts decides the sides, so that neither rank nor age does.
fn blind(a: &PromptSummary, b: &PromptSummary) -> BlindPair {
    let (first, second) = if a.content <= b.content { (a, b) } else { (b, a) };
    let both = [first.content.as_bytes(), second.content.as_bytes()].join(&0);
    let (left, right) = if xxh3_64(&both).is_multiple_of(2) { (first, second) } else { (second, first) };
    let prompt = |of: &PromptSummary| BlindPrompt { id: of.id, content: of.content.clone() };
    BlindPair {
        task: a.original_input.trim().to_owned(),
        persona: (a.persona == b.persona).then(|| a.persona.clone()),
        left: prompt(left),
        right: prompt(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::samples;

    fn prompt(seed: u32, score: f64) -> PromptSummary {
        let sample = samples::prompt(seed);
        let mut summary = PromptSummary::from(sample);
        summary.original_input = "an idea".into();
        summary.content = format!("text {seed}");
        summary.score = Some(score);
        summary
    }

    /// The seeds of the prompts of each pair.
    fn seeds(pairs: &[BlindPair]) -> Vec<(u32, u32)> {
        let seed = |prompt: &BlindPrompt| prompt.content.trim_start_matches("text ").parse::<u32>().unwrap();
        let both =
            |pair: &BlindPair| (seed(&pair.left).min(seed(&pair.right)), seed(&pair.left).max(seed(&pair.right)));
        pairs.iter().map(both).collect()
    }

    #[test]
    fn far_and_near_pairs_take_turns_and_so_do_runs() {
        let one = vec![prompt(1, 0.9), prompt(2, 0.85), prompt(3, 0.1)];
        let other = vec![prompt(4, 0.8), prompt(5, 0.2)];
        let chosen = choose(&[one, other], &BTreeSet::new(), 40);
        assert_eq!(seeds(&chosen), [(1, 3), (4, 5), (1, 2), (2, 3)]);
        assert!(chosen.iter().all(|pair| pair.task == "an idea"));
    }

    #[test]
    fn no_pair_comes_twice_and_what_was_labelled_comes_last() {
        let group = vec![prompt(1, 0.9), prompt(2, 0.5), prompt(3, 0.1)];
        let labelled = BTreeSet::from([canonical_pair(group[2].id, group[0].id)]);
        let chosen = choose(&[group.clone(), group.clone()], &labelled, 40);
        assert_eq!((chosen.len(), seeds(&chosen)[2]), (3, (1, 3)));
        assert_eq!(choose(&[group], &BTreeSet::new(), 2).len(), 2);
    }

    #[test]
    fn the_same_text_and_other_ideas_are_no_pair() {
        let mut twin = prompt(2, 0.3);
        twin.content = "text 1 ".into();
        let mut other = prompt(3, 0.3);
        other.original_input = "another".into();
        assert!(choose(&[vec![prompt(1, 0.9), twin, other]], &BTreeSet::new(), 40).is_empty());
    }

    #[test]
    fn the_side_depends_on_the_texts_alone() {
        let sides = |group: Vec<PromptSummary>| choose(&[group], &BTreeSet::new(), 1)[0].left.content.clone();
        let mut left_is_better = 0;
        for seed in 0..200 {
            let (good, bad) = (prompt(2 * seed, 0.9), prompt(2 * seed + 1, 0.1));
            let left = sides(vec![good.clone(), bad.clone()]);
            assert_eq!(left, sides(vec![bad, good.clone()]));
            left_is_better += u32::from(left == good.content);
        }
        assert!((70..130).contains(&left_is_better), "{left_is_better}");
    }
}
