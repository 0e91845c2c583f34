//! Properties: prompts round-trip; any sequence of operations matches a plain list.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::SqliteStore;
use crate::domain::{Filter, ModelMetadata, Order, Phase, Prompt, PromptId, SessionId, Source, Step};
use crate::store::{Applied, Edit, Mutation, PageSpec, Store, conformance, samples};
use crate::time::from_millis;

pub(super) fn text() -> impl Strategy<Value = String> {
    vec(prop_oneof![6 => any::<char>(), 1 => Just('\0'), 1 => Just('"'), 1 => Just('%')], 0..24)
        .prop_map(String::from_iter)
}

fn finite() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO
}

fn metadata() -> impl Strategy<Value = ModelMetadata> {
    let counts = (any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>(), any::<u32>(), any::<u32>());
    let rest = (option::of(finite()), option::of(any::<u64>()), any::<bool>(), option::of(text()), any::<bool>());
    (text(), text(), counts, rest).prop_map(|(provider, model, counts, rest)| ModelMetadata {
        provider,
        model,
        input_tokens: counts.0,
        output_tokens: counts.1,
        total_tokens: counts.2,
        cost_usd: rest.0,
        most_usd: None,
        latency_ms: counts.3,
        first_token_ms: rest.1,
        calls: counts.4,
        retries: counts.5,
        cached: rest.2,
        fallback_from: rest.3,
        estimated: rest.4,
        // Derived from vectors, of which these prompts have none.
        embedding_provider: None,
        embedding_model: None,
    })
}

fn prompt() -> impl Strategy<Value = Prompt> {
    let phase = || select(Phase::ALL.to_vec());
    let source = select(vec![Source::Generated, Source::Optimized, Source::Imported, Source::Manual]);
    let texts = (text(), text(), text(), text(), text(), text(), option::of(text()));
    let lists = (vec(text(), 0..5), vec(text(), 0..4));
    let numbers = (any::<u32>(), finite(), any::<u32>(), any::<u32>(), option::of(finite()));
    let names = (any::<u128>(), any::<u128>(), option::of(any::<u128>()));
    // Years 1 to 9999.
    let moment = || -62_135_596_800_000_i64..253_402_207_200_000;
    let step =
        (phase(), text(), text(), text(), metadata()).prop_map(|(phase, provider, model, content, model_metadata)| {
            Step { phase, provider, model, content, model_metadata }
        });
    let made = (phase(), source, vec(step, 0..4), metadata(), moment(), moment());
    (names, texts, lists, numbers, made).prop_map(|(names, texts, lists, numbers, made)| {
        let mut tags = lists.0;
        tags.sort();
        tags.dedup();
        tags.reverse();
        Prompt {
            id: PromptId(uuid::Uuid::from_u128(names.0)),
            session_id: SessionId(uuid::Uuid::from_u128(names.1)),
            variant: numbers.0,
            content: texts.0,
            original_input: texts.1,
            phase: made.0,
            persona: texts.2,
            provider: texts.3,
            model: texts.4,
            temperature: numbers.1,
            max_tokens: numbers.2,
            tags,
            context: lists.1,
            notes: texts.6,
            parent_id: names.2.map(|parent| PromptId(uuid::Uuid::from_u128(parent))),
            source: made.1,
            strategy: texts.5,
            revision: numbers.3,
            score: numbers.4,
            score_formula: numbers.4.map(|_| 1),
            steps: made.2,
            model_metadata: made.3,
            created_at: from_millis(made.4),
            updated_at: from_millis(made.5),
        }
    })
}

/// The user's operations. Prompts are named by the seeds of [`samples`].
#[derive(Debug, Clone)]
pub(super) enum Operation {
    Append(Vec<u32>),
    Edit(u32, Edit),
    Rank(Vec<(u32, f64)>),
    Delete(Vec<u32>),
    DeleteWhere(Filter),
    Reopen,
}

const SEEDS: u32 = 24;

pub(super) fn filter() -> impl Strategy<Value = Filter> {
    let tags = vec(select(vec!["sea", "tag-1", "tag-2", "new"]), 0..3);
    let names = (option::of(select(vec!["builtin", "openai"])), option::of(select(vec!["writing", "code"])));
    let times = (option::of(0..SEEDS), option::of(0..SEEDS), option::of(0..SEEDS));
    (tags, names, times).prop_map(|(tags, (provider, persona), (session, since, until))| Filter {
        tags: tags.into_iter().map(String::from).collect(),
        provider: provider.map(String::from),
        persona: persona.map(String::from),
        session_id: session.map(samples::session_id),
        since: since.map(samples::moment),
        until: until.map(samples::moment),
        ..Filter::default()
    })
}

pub(super) fn operation() -> impl Strategy<Value = Operation> {
    let tag = || select(vec!["sea".to_owned(), "tag-1".to_owned(), "new".to_owned()]);
    let edit = (option::of(vec(tag(), 0..2)), vec(tag(), 0..2), vec(tag(), 0..2), option::of(option::of(text())))
        .prop_map(|(tags, add_tags, remove_tags, notes)| Edit { tags, add_tags, remove_tags, notes });
    prop_oneof![
        4 => vec(0..SEEDS, 1..5).prop_map(Operation::Append),
        3 => (0..SEEDS, edit).prop_map(|(seed, edit)| Operation::Edit(seed, edit)),
        2 => vec((0..SEEDS, 0.0..=1.0_f64), 1..5).prop_map(Operation::Rank),
        2 => vec(0..SEEDS, 1..4).prop_map(Operation::Delete),
        1 => filter().prop_map(Operation::DeleteWhere),
        1 => Just(Operation::Reopen),
    ]
}

/// Applies the operation to a plain list; returns whether the store must succeed.
pub(super) fn apply_naively(rows: &mut Vec<Prompt>, operation: &Operation) -> bool {
    match operation {
        Operation::Append(seeds) => {
            let mut grown = rows.clone();
            for seed in seeds {
                let prompt = samples::prompt(*seed);
                if grown.iter().any(|row| row.id == prompt.id) {
                    return false;
                }
                grown.push(prompt);
            }
            *rows = grown;
        }
        Operation::Edit(seed, edit) => {
            if let Some(row) = rows.iter_mut().find(|row| row.id.0 == samples::id(*seed)) {
                edit.apply_to(row, samples::moment(99)).unwrap();
            }
        }
        Operation::Rank(ranks) => {
            for (seed, score) in ranks {
                if let Some(row) = rows.iter_mut().find(|row| row.id.0 == samples::id(*seed)) {
                    row.score = Some(*score);
                    row.score_formula = Some(1);
                }
            }
        }
        Operation::Delete(seeds) => rows.retain(|row| !seeds.iter().any(|seed| row.id.0 == samples::id(*seed))),
        Operation::DeleteWhere(filter) => {
            let gone = conformance::expected(rows, filter, Order::Newest);
            rows.retain(|row| !gone.contains(&row.id));
        }
        Operation::Reopen => {}
    }
    true
}

pub(super) fn apply(store: &SqliteStore, operation: &Operation) -> bool {
    let ids = |seeds: &[u32]| seeds.iter().map(|seed| PromptId(samples::id(*seed))).collect::<Vec<_>>();
    let mutation = match operation {
        Operation::Append(seeds) => {
            return store.append(seeds.iter().map(|seed| samples::prompt(*seed)).collect()).wait().is_ok();
        }
        Operation::Reopen => return true,
        Operation::Edit(seed, edit) => Mutation::Edit {
            id: PromptId(samples::id(*seed)),
            expected_revision: None,
            edit: edit.clone(),
            at: samples::moment(99),
        },
        Operation::Rank(ranks) => Mutation::Rank {
            rankings: (1_u32..)
                .zip(ranks)
                .map(|(rank, (seed, score))| samples::ranking(PromptId(samples::id(*seed)), rank, *score))
                .collect(),
        },
        Operation::Delete(seeds) => Mutation::Delete { ids: ids(seeds), expected_revision: None },
        Operation::DeleteWhere(filter) => Mutation::DeleteWhere { filter: filter.clone() },
    };
    store.apply(mutation).wait().is_ok()
}

/// Compares every list with the plain one, and checks that no run is empty.
fn assert_same(store: &SqliteStore, rows: &[Prompt], filter: &Filter) {
    for filter in [&Filter::default(), filter] {
        for order in [Order::Newest, Order::Oldest, Order::Score] {
            let found = conformance::read_all(store, filter, order, 5);
            let ids: Vec<PromptId> = found.iter().map(|prompt| prompt.id).collect();
            assert_eq!(ids, conformance::expected(rows, filter, order), "{filter:?} {order:?}");
            for prompt in &found {
                assert!(rows.contains(prompt), "{prompt:?}");
            }
        }
        let expected = conformance::expected(rows, filter, Order::Newest).len() as u64;
        assert_eq!(store.count(filter.clone()).wait().unwrap(), expected);
    }
    let runs = store.sessions(PageSpec { limit: 1000, offset: 0, cursor: None }).wait().unwrap().items;
    assert!(runs.iter().all(|run| !run.prompts.is_empty()), "a run outlived its variants");
    assert_eq!(runs.iter().map(|run| run.prompts.len()).sum::<usize>(), rows.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_prompt_comes_back_as_it_went_in(mut prompts in vec(prompt(), 1..8)) {
        prompts.sort_by_key(|prompt| prompt.id);
        prompts.dedup_by_key(|prompt| prompt.id);
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("aludel.db"));
        store.append(prompts.clone()).wait().unwrap();
        for prompt in &prompts {
            let read = store.get(prompt.id).wait().unwrap();
            prop_assert_eq!(read.as_ref(), Some(prompt));
            let same_tags = Filter { tags: prompt.tags.clone(), ..Filter::default() };
            let found = conformance::read_all(&store, &same_tags, Order::Newest, 1000);
            prop_assert!(found.contains(prompt));
        }
    }

    #[test]
    fn any_run_of_operations_leaves_what_a_plain_list_would_hold(
        operations in vec(operation(), 1..25), filter in filter(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("aludel.db");
        let mut store = SqliteStore::open(&path);
        let mut rows = Vec::new();
        for operation in &operations {
            if let Operation::Reopen = operation {
                store = SqliteStore::open(&path);
            }
            prop_assert_eq!(apply(&store, operation), apply_naively(&mut rows, operation), "{:?}", operation);
        }
        assert_same(&store, &rows, &filter);
    }

    #[test]
    fn any_text_as_cursor_or_fragment_is_answered_or_refused(text in any::<String>()) {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("aludel.db"));
        store.append(samples::prompts(3)).wait().unwrap();
        let page = PageSpec { limit: 2, offset: 0, cursor: Some(text.clone()) };
        prop_assert!(store.page(Filter::default(), Order::Newest, page).wait().is_err());
        let found = store.resolve(text.clone(), 10).wait().unwrap();
        let digits = text.replace('-', "").to_lowercase();
        for id in found {
            let whole = id.0.simple().to_string();
            prop_assert!(whole.starts_with(&digits) || whole.ends_with(&digits));
        }
    }
}

#[test]
fn deletions_answer_with_what_was_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("aludel.db"));
    store.append(samples::prompts(2)).wait().unwrap();
    let mutation = Mutation::DeleteWhere { filter: Filter::default() };
    let Applied::Deleted(gone) = store.apply(mutation).wait().unwrap() else { panic!("not an answer to a deletion") };
    assert_eq!(gone.len(), 2);
}
