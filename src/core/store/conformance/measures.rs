//! Totals of stored prompts, against a naive fold over all of them; and relations between prompts.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use super::{Check, expected, store_samples};
use crate::domain::{Filter, ModelMetadata, Order, Phase, Prompt, PromptId, Spread, StatsBy, StatsTotals, Step};
use crate::error::Error;
use crate::store::{Edit, MeasureProgress, MeasureWatch, Mutation, Relations, Store, samples};
use crate::time::from_millis;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "totals and groups are those of a naive fold", run: totals_are_those_of_a_naive_fold },
    Check { name: "totals are of the prompts that pass", run: totals_are_of_the_prompts_that_pass },
    Check { name: "a count tells how far it is and can be ended", run: a_count_tells_how_far_it_is },
    Check { name: "where nothing is stored there are empty totals", run: where_nothing_is_stored_totals_are_empty },
    Check { name: "what was deleted is not counted", run: what_was_deleted_is_not_counted },
    Check { name: "totals follow edits of tags", run: totals_follow_edits_of_tags },
    Check { name: "totals follow deletions by a filter", run: totals_follow_deletions_by_filter },
    Check { name: "a prompt's place is among the ranked ones of its run", run: a_place_is_among_the_ranked_ones },
    Check { name: "children are listed oldest first", run: children_are_listed_oldest_first },
];

const DAY_MS: i64 = 86_400_000;

/// Prompts over several days, with different accounts; some without steps, some without tags.
fn corpus(store: &dyn Store) -> Vec<Prompt> {
    let mut prompts = samples::prompts(90);
    for (number, prompt) in (0_u32..).zip(&mut prompts) {
        prompt.created_at = from_millis(samples::EPOCH_MS - DAY_MS + i64::from(number) * DAY_MS / 7);
        for (position, step) in (0_u32..).zip(&mut prompt.steps) {
            vary(step, 3 * number + position);
        }
        match number % 10 {
            3 => prompt.steps.clear(),
            7 => prompt.tags.clear(),
            8 => prompt.steps.truncate(1),
            // A phase can occur twice.
            9 => prompt.steps[2].phase = Phase::PrimaMateria,
            _ => {}
        }
    }
    store.append(prompts.clone()).wait().unwrap();
    prompts
}

fn vary(step: &mut Step, seed: u32) {
    step.provider = ["openai", "ollama", "", "über"][seed as usize % 4].into();
    step.model = format!("m-{}", seed % 5);
    let cached = seed.is_multiple_of(6);
    let account = &mut step.model_metadata;
    account.latency_ms = u64::from(seed * 7919 % 1000);
    account.first_token_ms = (!seed.is_multiple_of(4)).then_some(u64::from(seed % 50));
    account.cost_usd = (!seed.is_multiple_of(11)).then_some(f64::from(seed) / 1000.0);
    (account.cached, account.calls) = (cached, u32::from(!cached));
    account.retries = seed % 3;
    account.estimated = seed.is_multiple_of(5);
    account.fallback_from = seed.is_multiple_of(9).then(|| "lab".into());
}

/// The keys of a part of a prompt.
fn keys(prompt: &Prompt, step: Option<&Step>, by: StatsBy) -> Vec<String> {
    match by {
        StatsBy::Day => vec![prompt.created_at.to_string()[..10].to_owned()],
        StatsBy::Persona => vec![prompt.persona.clone()],
        StatsBy::Tag if prompt.tags.is_empty() => vec![String::new()],
        StatsBy::Tag => prompt.tags.clone(),
        StatsBy::Phase => vec![step.map_or(prompt.phase, |step| step.phase).as_str().to_owned()],
        StatsBy::Provider => vec![step.map_or(&prompt.provider, |step| &step.provider).clone()],
        StatsBy::Model => vec![step.map_or(&prompt.model, |step| &step.model).clone()],
    }
}

/// The data of one key: the prompts, and the accounts with whether each is a step's.
#[derive(Default)]
struct KeyData<'a> {
    prompts: Vec<PromptId>,
    accounts: Vec<(&'a ModelMetadata, bool)>,
}

fn gather<'a>(prompts: &[&'a Prompt], by: Option<StatsBy>) -> BTreeMap<String, KeyData<'a>> {
    let mut all: BTreeMap<String, KeyData<'a>> = BTreeMap::new();
    for prompt in prompts {
        let steps = prompt.steps.iter().map(|step| (Some(step), &step.model_metadata));
        let whole = prompt.steps.is_empty().then_some((None, &prompt.model_metadata));
        for (step, account) in steps.chain(whole) {
            for key in by.map_or_else(|| vec![String::new()], |by| keys(prompt, step, by)) {
                let gathered = all.entry(key).or_default();
                gathered.prompts.push(prompt.id);
                gathered.accounts.push((account, step.is_some()));
            }
        }
    }
    all
}

/// The naive totals of one key.
fn naive(gathered: &mut KeyData<'_>) -> StatsTotals {
    gathered.prompts.sort();
    gathered.prompts.dedup();
    let accounts = &gathered.accounts;
    let sum = |of: &dyn Fn(&ModelMetadata) -> u64| accounts.iter().map(|(account, _)| of(account)).sum::<u64>();
    let called = || accounts.iter().map(|(account, _)| *account).filter(|it| it.calls > 0 && !it.cached);
    let waited: u64 = called().map(|account| account.latency_ms).sum();
    let received: u64 = called().map(|account| account.output_tokens).sum();
    let unpriced = sum(&|it| u64::from(it.cost_usd.is_none()));
    let cost: f64 = accounts.iter().filter_map(|(account, _)| account.cost_usd).sum();
    StatsTotals {
        prompts: gathered.prompts.len() as u64,
        steps: accounts.iter().filter(|(_, is_step)| *is_step).count() as u64,
        calls: sum(&|it| it.calls.into()),
        retries: sum(&|it| it.retries.into()),
        cached: sum(&|it| it.cached.into()),
        fallbacks: sum(&|it| it.fallback_from.is_some().into()),
        estimated: sum(&|it| it.estimated.into()),
        input_tokens: sum(&|it| it.input_tokens),
        output_tokens: sum(&|it| it.output_tokens),
        total_tokens: sum(&|it| it.total_tokens),
        unpriced,
        cost_usd: (unpriced == 0).then_some(cost),
        known_cost_usd: cost,
        latency_ms: spread(called().map(|account| account.latency_ms).collect()),
        first_token_ms: spread(called().filter_map(|account| account.first_token_ms).collect()),
        output_tokens_per_s: (waited > 0).then(|| received as f64 * 1000.0 / waited as f64),
    }
}

fn spread(mut numbers: Vec<u64>) -> Option<Spread> {
    numbers.sort_unstable();
    let at = |percent: usize| numbers[(numbers.len() * percent).div_ceil(100).max(1) - 1];
    let (min, max) = (*numbers.first()?, *numbers.last()?);
    let mean = numbers.iter().sum::<u64>() as f64 / numbers.len() as f64;
    Some(Spread { count: numbers.len() as u64, min, p50: at(50), p90: at(90), p95: at(95), p99: at(99), max, mean })
}

/// Rounds floating point numbers, so that sums in another order are equal.
fn rounded(mut totals: StatsTotals) -> StatsTotals {
    let round = |number: f64| (number * 1e6).round() / 1e6;
    totals.cost_usd = totals.cost_usd.map(round);
    totals.known_cost_usd = round(totals.known_cost_usd);
    totals.output_tokens_per_s = totals.output_tokens_per_s.map(round);
    for spread in [&mut totals.latency_ms, &mut totals.first_token_ms].into_iter().flatten() {
        spread.mean = round(spread.mean);
    }
    totals
}

/// Percentiles of all prompts may be off by a hundredth: replaces those by the exact ones.
fn exact_where_near(mut found: StatsTotals, expected: &StatsTotals) -> StatsTotals {
    let spreads = [&mut found.latency_ms, &mut found.first_token_ms];
    for (found, expected) in spreads.into_iter().zip([&expected.latency_ms, &expected.first_token_ms]) {
        let (Some(found), Some(expected)) = (found, expected) else { continue };
        let of = [expected.min, expected.p50, expected.p90, expected.p95, expected.p99, expected.max];
        let Spread { min, p50, p90, p95, p99, max, .. } = found;
        for (found, expected) in [min, p50, p90, p95, p99, max].into_iter().zip(of) {
            if found.abs_diff(expected) as f64 <= expected as f64 / 100.0 {
                *found = expected;
            }
        }
    }
    found
}

fn assert_measures(store: &dyn Store, all: &[Prompt], filter: &Filter) {
    let passing = expected(all, filter, Order::Oldest);
    let prompts: Vec<&Prompt> = all.iter().filter(|prompt| passing.contains(&prompt.id)).collect();
    let measured = store.measure(filter.clone(), StatsBy::ALL.to_vec()).wait().unwrap();
    let total = gather(&prompts, None).pop_first().map(|(_, mut all)| naive(&mut all));
    let nothing = StatsTotals { cost_usd: Some(0.0), ..StatsTotals::default() };
    let is_all = *filter == Filter::default();
    let near =
        |found: StatsTotals, expected: &StatsTotals| if is_all { exact_where_near(found, expected) } else { found };
    let total = total.unwrap_or(nothing);
    assert_eq!(rounded(near(measured.total, &total)), rounded(total), "{filter:?}");
    assert_eq!(measured.groups.len(), StatsBy::ALL.len());
    for (by, lines) in StatsBy::ALL.into_iter().zip(measured.groups) {
        let expected: BTreeMap<String, StatsTotals> =
            gather(&prompts, Some(by)).into_iter().map(|(key, mut all)| (key, rounded(naive(&mut all)))).collect();
        let near =
            |key: &str, found| expected.get(key).map_or(StatsTotals::default(), |expected| near(found, expected));
        let found: BTreeMap<String, StatsTotals> =
            lines.into_iter().map(|line| (line.key.clone(), rounded(near(&line.key, line.totals)))).collect();
        assert_eq!(found, expected, "{by:?} {filter:?}");
    }
}

fn totals_are_those_of_a_naive_fold(store: &dyn Store) {
    let all = corpus(store);
    assert_measures(store, &all, &Filter::default());
    let some = store.measure(Filter::default(), vec![StatsBy::Model, StatsBy::Day]).wait().unwrap();
    assert_eq!(some.groups.len(), 2);
    assert!(some.groups[0].iter().all(|line| line.key.starts_with('m')), "in the order asked for");
}

fn totals_are_of_the_prompts_that_pass(store: &dyn Store) {
    let all = corpus(store);
    let none = Filter::default;
    let tags = |tags: &[&str]| tags.iter().map(|&tag| tag.to_owned()).collect();
    for filter in [
        Filter { tags: tags(&["sea"]), ..none() },
        Filter { tags: tags(&["tag-2", "sea"]), persona: Some("code".into()), ..none() },
        Filter { provider: Some("openai".into()), ..none() },
        Filter { phase: Some(Phase::Solutio), ..none() },
        Filter { model: Some("model-1".into()), since: Some(all[20].created_at), ..none() },
        Filter { since: Some(all[10].created_at), until: Some(all[60].created_at), ..none() },
        Filter { session_id: Some(samples::session_id(31)), ..none() },
    ] {
        assert_measures(store, &all, &filter);
    }
}

fn a_count_tells_how_far_it_is(store: &dyn Store) {
    let prompts = corpus(store);
    let filter = Filter { phase: Some(prompts[0].phase), ..Filter::default() };
    let measured = store.measure(filter.clone(), vec![StatsBy::Day]).wait().unwrap();
    let total = measured.total.prompts;
    assert!(total > 20, "{total}");
    let told = Arc::new(Mutex::new(Vec::new()));
    let watch = |last: u64| {
        let told = Arc::clone(&told);
        MeasureWatch::every(10, move |progress: MeasureProgress| {
            told.lock().unwrap().push((progress.done, progress.total));
            if progress.done >= last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    };
    let watched = store.measure_watched(filter.clone(), vec![StatsBy::Day], watch(u64::MAX)).wait().unwrap();
    assert_eq!(watched.total, measured.total);
    let expected: Vec<_> = (1..=total / 10).map(|step| (10 * step, total)).collect();
    assert_eq!(*told.lock().unwrap(), expected);
    told.lock().unwrap().clear();
    let ended = store.measure_watched(filter, vec![StatsBy::Day], watch(20)).wait();
    assert!(matches!(ended, Err(Error::Cancelled)), "{ended:?}");
    assert_eq!(*told.lock().unwrap(), [(10, total), (20, total)]);
    store.measure_watched(Filter::default(), Vec::new(), watch(0)).wait().unwrap();
    assert_eq!(told.lock().unwrap().len(), 2, "totals that are kept are not counted");
}

fn where_nothing_is_stored_totals_are_empty(store: &dyn Store) {
    assert_measures(store, &[], &Filter::default());
    let id = PromptId(samples::id(1));
    assert_eq!(store.relations(vec![id]).wait().unwrap(), [Relations::default()]);
    let all = store_samples(store, 3);
    assert_measures(store, &all, &Filter { persona: Some("nobody".into()), ..Filter::default() });
    assert_eq!(store.relations(Vec::new()).wait().unwrap(), []);
}

fn totals_follow_edits_of_tags(store: &dyn Store) {
    let mut all = corpus(store);
    for (number, prompt) in all.iter_mut().enumerate().step_by(4) {
        let edit = Edit {
            tags: (number % 8 == 0).then(Vec::new),
            add_tags: vec![format!("new {}", number % 3)],
            remove_tags: vec!["sea".into()],
            notes: None,
        };
        edit.apply_to(prompt, prompt.updated_at).unwrap();
        let (id, at) = (prompt.id, prompt.updated_at);
        store.apply(Mutation::Edit { id, expected_revision: None, edit, at }).wait().unwrap();
    }
    assert_measures(store, &all, &Filter::default());
}

fn totals_follow_deletions_by_filter(store: &dyn Store) {
    let mut all = corpus(store);
    let filter = Filter { tags: vec!["sea".into()], ..Filter::default() };
    store.apply(Mutation::DeleteWhere { filter }).wait().unwrap();
    all.retain(|prompt| !prompt.tags.contains(&"sea".to_owned()));
    assert_measures(store, &all, &Filter::default());
    store.apply(Mutation::DeleteWhere { filter: Filter::default() }).wait().unwrap();
    assert_measures(store, &[], &Filter::default());
}

fn what_was_deleted_is_not_counted(store: &dyn Store) {
    let mut all = corpus(store);
    let gone: Vec<PromptId> = all.drain(5..50).map(|prompt| prompt.id).collect();
    // Each is named twice and counted once.
    let ids = [gone.clone(), gone].concat();
    store.apply(Mutation::Delete { ids, expected_revision: None }).wait().unwrap();
    assert_measures(store, &all, &Filter::default());
}

fn a_place_is_among_the_ranked_ones(store: &dyn Store) {
    let mut run: Vec<Prompt> = samples::prompts(12);
    for prompt in &mut run {
        prompt.session_id = samples::session_id(0);
    }
    store.append(run.clone()).wait().unwrap();
    // Ten are ranked, best first; two have equal scores, and two others are unranked.
    let scores = [0.9, 0.8, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.0];
    let rankings = (1_u32..)
        .zip(scores)
        .zip(run.iter().rev())
        .map(|((rank, score), prompt)| samples::ranking(prompt.id, rank, score))
        .collect();
    store.apply(Mutation::Rank { rankings }).wait().unwrap();
    let places = |prompts: &[Prompt]| {
        let found = store.relations(prompts.iter().rev().map(|prompt| prompt.id).collect()).wait().unwrap();
        found.into_iter().map(|of| (of.rank, of.ranked)).collect::<Vec<_>>()
    };
    let ranked = (1..=10).map(|rank| (Some(rank), 10));
    assert_eq!(places(&run), ranked.chain([(None, 10), (None, 10)]).collect::<Vec<_>>());
    // The best is deleted: the others move up.
    let best = run.pop().unwrap();
    store.apply(Mutation::Delete { ids: vec![best.id], expected_revision: None }).wait().unwrap();
    assert_eq!(places(&run)[..2], [(Some(1), 9), (Some(2), 9)]);
    assert_eq!(places(&[best]), [(None, 0)]);
}

fn children_are_listed_oldest_first(store: &dyn Store) {
    let parent = samples::prompt(5);
    let child = |seed: u32| Prompt { parent_id: Some(parent.id), ..samples::prompt(seed) };
    store.append(vec![child(9), parent.clone(), samples::prompt(8), child(7)]).wait().unwrap();
    let children = |prompt: &Prompt| store.relations(vec![prompt.id]).wait().unwrap().remove(0).children;
    assert_eq!(children(&parent), [child(7).id, child(9).id]);
    assert_eq!(children(&child(7)), []);
    // Children keep the id of a deleted parent.
    store.apply(Mutation::Delete { ids: vec![parent.id], expected_revision: None }).wait().unwrap();
    assert_eq!(children(&parent).len(), 2);
}
