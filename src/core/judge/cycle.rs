//! Finds cycles among the comparisons: A beat B, B beat C, C beat A. No ranking fits a cycle.

use std::collections::VecDeque;

use crate::domain::{Comparison, PromptId};

/// Describes the shortest cycle through the winner, else the shortest of all.
pub(super) fn told(comparisons: &[Comparison], winner: PromptId) -> Option<String> {
    let circle = circle(comparisons, winner)?;
    let next = circle.iter().cycle().skip(1);
    let beaten: Vec<String> =
        circle.iter().zip(next).map(|(one, other)| format!("{} beat {}", one.short(), other.short())).collect();
    let (last, others) = beaten.split_last()?;
    Some(format!("{} and {last}: no order fits all verdicts.", others.join(", ")))
}

/// A cycle in which each beat the next. Among equally short ones the one found first.
fn circle(comparisons: &[Comparison], winner: PromptId) -> Option<Vec<PromptId>> {
    let mut all = vec![winner];
    for comparison in comparisons {
        for id in [comparison.a, comparison.b] {
            if !all.contains(&id) {
                all.push(id);
            }
        }
    }
    let place = |id: PromptId| all.iter().position(|known| *known == id).unwrap_or_default();
    let mut beats = vec![Vec::new(); all.len()];
    for comparison in comparisons {
        if let Some(better) = comparison.winner {
            let worse = if better == comparison.a { comparison.b } else { comparison.a };
            beats[place(better)].push(place(worse));
        }
    }
    let own = shortest(&beats, 0);
    let found = own.or_else(|| (1..all.len()).filter_map(|from| shortest(&beats, from)).min_by_key(Vec::len))?;
    Some(found.into_iter().map(|at| all[at]).collect())
}

/// The shortest cycle through `from`.
fn shortest(beats: &[Vec<usize>], from: usize) -> Option<Vec<usize>> {
    let mut reached_from = vec![None; beats.len()];
    let mut waiting = VecDeque::from([from]);
    while let Some(at) = waiting.pop_front() {
        for &worse in &beats[at] {
            if worse == from {
                let mut way = vec![at];
                while let Some(before) = way.last().and_then(|last: &usize| reached_from[*last]) {
                    way.push(before);
                }
                way.reverse();
                return Some(way);
            }
            if reached_from[worse].is_none() {
                reached_from[worse] = Some(at);
                waiting.push_back(worse);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::samples;

    fn id(number: u32) -> PromptId {
        samples::prompt(number).id
    }

    /// The winner of each pair first.
    fn comparisons(pairs: &[(u32, u32)]) -> Vec<Comparison> {
        let comparison = |&(better, worse): &(u32, u32)| Comparison {
            a: id(better.min(worse)),
            b: id(better.max(worse)),
            winner: Some(id(better)),
            margin: if better < worse { 0.5 } else { -0.5 },
            agreed: true,
            reasoning: String::new(),
        };
        pairs.iter().map(comparison).collect()
    }

    fn numbers(pairs: &[(u32, u32)], winner: u32) -> Option<Vec<u32>> {
        let number = |found: PromptId| (1..9).find(|number| id(*number) == found).unwrap();
        Some(circle(&comparisons(pairs), id(winner))?.into_iter().map(number).collect())
    }

    #[test]
    fn an_order_has_no_circle() {
        assert_eq!(numbers(&[(1, 2), (2, 3), (1, 3)], 1), None);
        assert_eq!(told(&[], id(1)), None);
    }

    #[test]
    fn the_winners_own_circle_comes_first_and_the_shortest() {
        assert_eq!(numbers(&[(1, 2), (2, 3), (3, 1)], 1), Some(vec![1, 2, 3]));
        assert_eq!(numbers(&[(1, 2), (2, 3), (3, 1)], 3), Some(vec![3, 1, 2]));
        let four = [(1, 2), (2, 3), (3, 4), (4, 1), (1, 3)];
        assert_eq!(numbers(&four, 1), Some(vec![1, 3, 4]));
        assert_eq!(numbers(&[(1, 2), (1, 3), (1, 4), (2, 3), (3, 4), (4, 2)], 1), Some(vec![2, 3, 4]));
    }

    #[test]
    fn even_pairs_are_no_part_of_one() {
        let mut all = comparisons(&[(1, 2), (2, 3), (3, 1)]);
        all[2].winner = None;
        assert_eq!(circle(&all, id(1)), None);
    }

    #[test]
    fn it_is_told_with_names() {
        let told = told(&comparisons(&[(1, 2), (2, 3), (3, 1)]), id(1)).unwrap();
        let [one, two, three] = [1, 2, 3].map(|number| id(number).short());
        assert_eq!(
            told,
            format!("{one} beat {two}, {two} beat {three} and {three} beat {one}: no order fits all verdicts.")
        );
    }
}
