//! What every backend must do: named checks that use only the [`Store`] trait.
//!
//! A backend's own test calls [`run`] with a function that makes a fresh, empty database each time.
//! The checks know no SQL, wait with [`Pending::wait`](super::Pending::wait) and need no runtime.
//! [`expected`] computes lists a second time, naively: all rows, filtered and sorted in memory.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a check fails by panicking, as tests do")]

mod changes;
mod concurrency;
mod idempotency;
mod ids;
mod jobs;
mod judgements;
mod lists;
mod measures;
mod promise;
mod prompts;
mod sessions;
mod spend;
mod trash;
pub mod vectors;
mod words;

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{PageSpec, Store, samples};
use crate::domain::{Filter, Order, Prompt, PromptId, PromptSummary};
use crate::error::Code;

/// One requirement on every backend, checked over an empty database.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// The requirement, as a sentence.
    pub name: &'static str,
    /// Panics when the requirement is not met.
    pub run: fn(&dyn Store),
}

/// All checks.
pub fn checks() -> Vec<Check> {
    [
        prompts::CHECKS,
        lists::CHECKS,
        ids::CHECKS,
        changes::CHECKS,
        sessions::CHECKS,
        spend::CHECKS,
        measures::CHECKS,
        judgements::CHECKS,
        concurrency::CHECKS,
        vectors::CHECKS,
        words::CHECKS,
        promise::CHECKS,
        trash::CHECKS,
        jobs::CHECKS,
        idempotency::CHECKS,
    ]
    .concat()
}

/// Runs every check over a database of its own.
///
/// # Panics
/// After all checks have run, when any failed; the message names them.
pub fn run(make: impl Fn() -> Box<dyn Store>) {
    run_these(&checks(), make);
}

/// Runs some of the checks, as [`run`] does.
///
/// # Panics
/// As [`run`] does.
pub fn run_these(checks: &[Check], make: impl Fn() -> Box<dyn Store>) {
    let failed: Vec<&str> = checks
        .iter()
        .filter(|check| catch_unwind(AssertUnwindSafe(|| (check.run)(make().as_ref()))).is_err())
        .map(|check| check.name)
        .collect();
    assert!(failed.is_empty(), "the backend does not conform: {failed:#?}");
}

/// The ids of the prompts of `all` that a list must contain, in order.
pub fn expected(all: &[Prompt], filter: &Filter, order: Order) -> Vec<PromptId> {
    let mut rows: Vec<&Prompt> = all.iter().filter(|prompt| passes(prompt, filter)).collect();
    let newest = |a: &&Prompt, b: &&Prompt| (b.created_at, b.id).cmp(&(a.created_at, a.id));
    match order {
        Order::Newest => rows.sort_by(newest),
        Order::Oldest => rows.sort_by(|a, b| newest(b, a)),
        Order::Score => rows.sort_by(|a, b| {
            let score = |prompt: &Prompt| prompt.score.unwrap_or(f64::NEG_INFINITY);
            score(b).total_cmp(&score(a)).then_with(|| newest(a, b))
        }),
    }
    rows.into_iter().map(|prompt| prompt.id).collect()
}

/// The summaries of `prompts`, built field by field.
pub fn summaries_of(prompts: &[Prompt]) -> Vec<PromptSummary> {
    let short = |prompt: &Prompt| PromptSummary {
        id: prompt.id,
        session_id: prompt.session_id,
        variant: prompt.variant,
        content: prompt.content.clone(),
        original_input: prompt.original_input.clone(),
        phase: prompt.phase,
        persona: prompt.persona.clone(),
        provider: prompt.provider.clone(),
        model: prompt.model.clone(),
        temperature: prompt.temperature,
        max_tokens: prompt.max_tokens,
        tags: prompt.tags.clone(),
        notes: prompt.notes.clone(),
        parent_id: prompt.parent_id,
        source: prompt.source,
        strategy: prompt.strategy.clone(),
        revision: prompt.revision,
        score: prompt.score,
        score_formula: prompt.score_formula,
        created_at: prompt.created_at,
        updated_at: prompt.updated_at,
    };
    prompts.iter().map(short).collect()
}

fn passes(prompt: &Prompt, filter: &Filter) -> bool {
    filter.tags.iter().all(|tag| prompt.tags.contains(tag))
        && filter.phase.is_none_or(|phase| prompt.phase == phase)
        && filter.provider.as_ref().is_none_or(|provider| prompt.provider == *provider)
        && filter.model.as_ref().is_none_or(|model| prompt.model == *model)
        && filter.persona.as_ref().is_none_or(|persona| prompt.persona == *persona)
        && filter.session_id.is_none_or(|session| prompt.session_id == session)
        && filter.since.is_none_or(|since| prompt.created_at >= since)
        && filter.until.is_none_or(|until| prompt.created_at < until)
}

/// Every prompt of a list, read in pages of `limit`.
pub fn read_all(store: &dyn Store, filter: &Filter, order: Order, limit: u32) -> Vec<Prompt> {
    let mut rows = Vec::new();
    let mut cursor = None;
    loop {
        let page = store.page(filter.clone(), order, PageSpec { limit, offset: 0, cursor }).wait().unwrap();
        assert!(page.items.len() <= limit as usize, "a page is longer than asked for");
        rows.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return rows;
        }
    }
}

fn first_page(limit: u32) -> PageSpec {
    PageSpec { limit, offset: 0, cursor: None }
}

fn ids(prompts: &[Prompt]) -> Vec<PromptId> {
    prompts.iter().map(|prompt| prompt.id).collect()
}

/// Stores the samples of seeds 0 to `count` and returns them.
fn store_samples(store: &dyn Store, count: u32) -> Vec<Prompt> {
    let prompts = samples::prompts(count);
    store.append(prompts.clone()).wait().unwrap();
    prompts
}

fn stored(store: &dyn Store, id: PromptId) -> Prompt {
    store.get(id).wait().unwrap().unwrap()
}

fn assert_fails<T: std::fmt::Debug>(outcome: crate::error::Result<T>, code: Code) {
    match outcome {
        Ok(answer) => panic!("should have failed with {code}, answered {answer:?}"),
        Err(error) => assert_eq!(error.code(), code, "{error}"),
    }
}
