//! Records calls and how they ended, for assertions and for writing cassettes.
//!
//! Shared by all clones of one [`Sim`](super::Sim). A call is recorded when it goes out, at the
//! first poll of its stream, and its end even when it is dropped. Only the newest [`KEPT`] calls
//! are retained; the counts continue.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::draw::Fingerprint;
use super::rule::{Call, Counts, Rule};
use crate::provider::{Brief, ChatRequest};

/// The number of calls retained.
pub const KEPT: usize = 4096;

/// A recorded call.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalEntry {
    /// The number of the call, from 1.
    pub number: u64,
    /// The request's fingerprint.
    pub fingerprint: Fingerprint,
    /// How often this request was made, this time included.
    pub attempt: u32,
    /// The model called.
    pub model: String,
    /// The index of the rule applied, from 0.
    pub rule: Option<usize>,
    /// The request.
    pub request: ChatRequest,
    /// How it ended.
    pub end: CallEnd,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEnd {
    /// Still in flight.
    UnderWay,
    /// Completed.
    Answered,
    /// Ended with an error, or just ended.
    Failed,
    /// The caller dropped the stream.
    Dropped,
}

impl JournalEntry {
    /// The variant, for a phase call.
    pub fn variant(&self) -> Option<u32> {
        match &self.request.brief {
            Brief::Phase(brief) => Some(brief.variant),
            Brief::Judge(_) => None,
        }
    }
}

/// The state that changes while a script is played.
#[derive(Debug, Default)]
pub(super) struct Journal {
    asked: u64,
    in_flight: usize,
    peak_in_flight: usize,
    attempts: HashMap<Fingerprint, u32>,
    counts: Vec<Counts>,
    entries: VecDeque<JournalEntry>,
}

/// A journal shared by clones.
pub(super) type Shared = Arc<Mutex<Journal>>;

/// A poisoned lock is safe to use: no critical section leaves the journal inconsistent.
pub(super) fn lock(shared: &Shared) -> MutexGuard<'_, Journal> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call in flight. Dropping it records how it ended.
pub(super) struct OpenCall {
    shared: Shared,
    number: u64,
    end: CallEnd,
    /// How often this request was made, this time included.
    pub(super) attempt: u32,
    /// The rule to apply.
    pub(super) rule: Option<usize>,
}

impl OpenCall {
    /// Records a call and chooses its rule.
    pub(super) fn enter(
        shared: &Shared,
        request: &ChatRequest,
        model: &str,
        fingerprint: Fingerprint,
        seed: u64,
        rules: &[Rule],
    ) -> Self {
        let mut journal = lock(shared);
        let journal = &mut *journal;
        let attempt = journal.attempts.entry(fingerprint).or_default();
        *attempt = attempt.saturating_add(1);
        let call = Call { request, model, fingerprint, attempt: *attempt };
        journal.counts.resize(rules.len(), Counts::default());
        let mut candidates = rules.iter().zip(&mut journal.counts).enumerate();
        let rule =
            candidates.find_map(|(number, (rule, counts))| rule.applies(&call, seed, number, counts).then_some(number));
        journal.asked += 1;
        journal.in_flight += 1;
        journal.peak_in_flight = journal.peak_in_flight.max(journal.in_flight);
        if journal.entries.len() == KEPT {
            journal.entries.pop_front();
        }
        journal.entries.push_back(JournalEntry {
            number: journal.asked,
            fingerprint,
            attempt: call.attempt,
            model: model.to_owned(),
            rule,
            request: request.clone(),
            end: CallEnd::UnderWay,
        });
        Self { shared: Arc::clone(shared), number: journal.asked, end: CallEnd::Dropped, attempt: call.attempt, rule }
    }

    /// Ends the call.
    pub(super) fn end(mut self, end: CallEnd) {
        self.end = end;
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        let mut journal = lock(&self.shared);
        journal.in_flight -= 1;
        if let Some(entry) = journal.entries.iter_mut().rev().find(|entry| entry.number == self.number) {
            entry.end = self.end;
        }
    }
}

impl Journal {
    pub(super) fn entries(&self) -> Vec<JournalEntry> {
        self.entries.iter().cloned().collect()
    }

    pub(super) const fn asked(&self) -> u64 {
        self.asked
    }

    pub(super) const fn in_flight(&self) -> usize {
        self.in_flight
    }

    pub(super) const fn peak_in_flight(&self) -> usize {
        self.peak_in_flight
    }
}
