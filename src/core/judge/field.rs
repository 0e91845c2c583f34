//! The candidates grouped by content, in an order independent of the input.
//!
//! Candidates are ordered by content hash, then id. Those with the same content form a [`CandidateGroup`],
//! which is judged once, represented by the member that wins ties. The margin between members is 0,
//! and no question is asked about them.

use std::cmp::Ordering;

use crate::domain::{Candidate, PromptId};

/// Candidates with the same content.
#[derive(Debug, Clone)]
pub(super) struct CandidateGroup {
    /// The representative, then the others, in tie-breaking order.
    pub(super) members: Vec<Candidate>,
}

/// All candidates.
#[derive(Debug, Clone)]
pub(super) struct CandidateGroups {
    pub(super) entries: Vec<CandidateGroup>,
}

impl CandidateGroup {
    /// The member that represents all.
    pub(super) fn head(&self) -> &Candidate {
        &self.members[0]
    }

    pub(super) fn id(&self) -> PromptId {
        self.head().prompt_id
    }

    /// The natural logarithm of its length in characters.
    pub(super) fn log_length(&self) -> f64 {
        (self.head().characters.max(1) as f64).ln()
    }
}

impl CandidateGroups {
    pub(super) fn of(candidates: &[Candidate]) -> Self {
        let mut sorted: Vec<&Candidate> = candidates.iter().collect();
        sorted.sort_by(|a, b| a.content_hash.cmp(&b.content_hash).then_with(|| compare_ties(a, b)));
        let mut entries: Vec<CandidateGroup> = Vec::new();
        for candidate in sorted {
            match entries.last_mut().filter(|last| last.head().content_hash == candidate.content_hash) {
                Some(entry) => entry.members.push(candidate.clone()),
                None => entries.push(CandidateGroup { members: vec![candidate.clone()] }),
            }
        }
        Self { entries }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The number of candidates, copies included.
    pub(super) fn candidates(&self) -> usize {
        self.entries.iter().map(|entry| entry.members.len()).sum()
    }

    /// The index of a candidate's entry.
    pub(super) fn place(&self, id: PromptId) -> Option<usize> {
        self.entries.iter().position(|entry| entry.members.iter().any(|member| member.prompt_id == id))
    }

    /// Every pair of the given entries, the smaller index first.
    pub(super) fn pairs(places: &[usize]) -> Vec<(usize, usize)> {
        let mut places = places.to_vec();
        places.sort_unstable();
        (0..places.len())
            .flat_map(|a| (a + 1..places.len()).map(move |b| (a, b)))
            .map(|(a, b)| (places[a], places[b]))
            .collect()
    }
}

/// Breaks ties: lower cost (unknown last), fewer tokens, content hash, id.
pub(super) fn compare_ties(a: &Candidate, b: &Candidate) -> Ordering {
    let cost = |candidate: &Candidate| candidate.cost_usd.unwrap_or(f64::INFINITY);
    cost(a)
        .total_cmp(&cost(b))
        .then_with(|| a.total_tokens.cmp(&b.total_tokens))
        .then_with(|| a.content_hash.cmp(&b.content_hash))
        .then_with(|| a.prompt_id.cmp(&b.prompt_id))
}
