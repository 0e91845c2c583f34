//! The trash: hidden from all other reads, and restored as it was.

use super::{Check, ids, read_all, store_samples};
use crate::domain::{Filter, Order, Prompt, PromptId, StatsBy, Timestamp};
use crate::error::Code;
use crate::store::{Applied, Lexical, Mutation, PageSpec, Store, samples};
use crate::text::query::TextQuery;
use crate::time::from_millis;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "what is in the trash is nowhere else", run: nowhere_else },
    Check { name: "what is restored is as it was, a revision later", run: as_it_was },
    Check { name: "the trash is read from the last deletion on", run: read_from_the_last },
    Check { name: "the trash forgets what was deleted before a moment", run: forgets },
    Check { name: "an id in the trash is found by its beginning and end", run: resolves },
    Check { name: "a revision that is not expected moves nothing to the trash", run: expects_a_revision },
    Check { name: "a judgement outlives its prompts while they can be restored", run: judgements_stay },
];

const AT: i64 = samples::EPOCH_MS + 1_000_000;

fn trash(store: &dyn Store, ids: &[PromptId], at: i64) -> Vec<PromptId> {
    let mutation = Mutation::Trash { ids: ids.to_vec(), expected_revision: None, at: from_millis(at) };
    match store.apply(mutation).wait().unwrap() {
        Applied::Deleted(gone) => gone,
        other => panic!("{other:?}"),
    }
}

fn restore(store: &dyn Store, ids: &[PromptId]) -> Vec<Prompt> {
    let mutation = Mutation::Restore { ids: ids.to_vec(), at: from_millis(AT + 5) };
    match store.apply(mutation).wait().unwrap() {
        Applied::Restored(restored) => restored,
        other => panic!("{other:?}"),
    }
}

fn empty(store: &dyn Store, ids: Option<Vec<PromptId>>, before: Option<Timestamp>) -> Vec<PromptId> {
    match store.apply(Mutation::EmptyTrash { ids, before }).wait().unwrap() {
        Applied::Deleted(gone) => gone,
        other => panic!("{other:?}"),
    }
}

fn in_trash(store: &dyn Store) -> Vec<PromptId> {
    let page = store.trashed(Timestamp::MIN, 1000, 0).wait().unwrap();
    assert_eq!(page.total, page.prompts.len() as u64);
    page.prompts.into_iter().map(|trashed| trashed.prompt.id).collect()
}

fn all(store: &dyn Store) -> Vec<Prompt> {
    read_all(store, &Filter::default(), Order::Oldest, 7)
}

fn found(store: &dyn Store, typed: &str) -> u64 {
    let query = TextQuery::parse(typed);
    store.lexical(Lexical { query, filter: Filter::default(), limit: 10, offset: 0 }).wait().unwrap().total
}

fn nowhere_else(store: &dyn Store) {
    let prompts = store_samples(store, 6);
    let words = found(store, "haiku");
    let gone = prompts[2].id;
    assert_eq!(trash(store, &[gone, PromptId(samples::id(99))], AT), [gone]);
    assert_eq!(all(store).len(), 5);
    assert_eq!(store.get(gone).wait().unwrap(), None);
    assert_eq!(store.count(Filter::default()).wait().unwrap(), 5);
    assert_eq!(store.measure(Filter::default(), vec![StatsBy::Day]).wait().unwrap().total.prompts, 5);
    assert_eq!(found(store, "haiku"), words - 1);
    assert_eq!(store.resolve(gone.to_string(), 5).wait().unwrap(), []);
    let spec = PageSpec { limit: 100, offset: 0, cursor: None };
    let runs = store.sessions(spec).wait().unwrap().items;
    assert!(runs.iter().all(|run| !run.prompts.is_empty() && run.prompts.iter().all(|prompt| prompt.id != gone)));
    assert_eq!(in_trash(store), [gone]);
    // The rest is deleted the same way.
    let mutation = Mutation::TrashWhere { filter: Filter::default(), at: from_millis(AT) };
    store.apply(mutation).wait().unwrap();
    assert_eq!((all(store).len(), in_trash(store).len(), found(store, "haiku")), (0, 6, 0));
    assert_eq!(store.sessions(PageSpec { limit: 100, offset: 0, cursor: None }).wait().unwrap().items.len(), 0);
}

fn as_it_was(store: &dyn Store) {
    store_samples(store, 6);
    let before = all(store);
    let runs = |store: &dyn Store| {
        let spec = PageSpec { limit: 100, offset: 0, cursor: None };
        let mut runs: Vec<_> = store.sessions(spec).wait().unwrap().items.into_iter().map(|run| run.session).collect();
        runs.sort_by_key(|run| run.id);
        runs
    };
    let (runs_before, words) = (runs(store), found(store, "haiku"));
    trash(store, &ids(&before), AT);
    assert_eq!(runs(store).len(), 0);
    let mut restored = restore(store, &ids(&before));
    restored.sort_by_key(|prompt| (prompt.created_at, prompt.id));
    let later =
        |prompt: &Prompt| Prompt { revision: prompt.revision + 1, updated_at: from_millis(AT + 5), ..prompt.clone() };
    let mut expected: Vec<Prompt> = before.iter().map(later).collect();
    expected.sort_by_key(|prompt| (prompt.created_at, prompt.id));
    assert_eq!(restored, expected);
    assert_eq!(ids(&all(store)), ids(&before));
    assert_eq!(store.get(before[1].id).wait().unwrap().as_ref(), Some(&later(&before[1])));
    assert_eq!((runs(store), found(store, "haiku"), in_trash(store).len()), (runs_before, words, 0));
    assert_eq!(store.measure(Filter::default(), Vec::new()).wait().unwrap().total.prompts, 6);
    assert_eq!(restore(store, &ids(&before)), [], "what is not in the trash is passed over");
}

fn read_from_the_last(store: &dyn Store) {
    let prompts = store_samples(store, 5);
    for (place, number) in [3, 0, 4].into_iter().enumerate() {
        trash(store, &[prompts[number].id], AT + i64::try_from(place).unwrap() * 10);
    }
    assert_eq!(in_trash(store), [4, 0, 3].map(|number: usize| prompts[number].id));
    let page = store.trashed(from_millis(AT + 10), 1, 1).wait().unwrap();
    assert_eq!((page.total, page.prompts[0].prompt.id), (2, prompts[0].id));
    assert_eq!(page.prompts[0].deleted_at, from_millis(AT + 10));
}

fn forgets(store: &dyn Store) {
    let prompts = store_samples(store, 4);
    for (number, prompt) in (0..).zip(&prompts) {
        trash(store, &[prompt.id], AT + number);
    }
    assert_eq!(empty(store, None, Some(from_millis(AT + 2))), ids(&prompts[..2]));
    assert_eq!(in_trash(store), [prompts[3].id, prompts[2].id]);
    assert_eq!(restore(store, &ids(&prompts[..2])), []);
    assert_eq!(empty(store, Some(vec![prompts[2].id, prompts[0].id]), None), [prompts[2].id]);
    assert_eq!(empty(store, None, None), [prompts[3].id]);
    assert_eq!(empty(store, None, None), []);
}

fn resolves(store: &dyn Store) {
    let prompts = store_samples(store, 3);
    let id = prompts[1].id;
    trash(store, &[id], AT);
    let whole = id.to_string();
    let plain = whole.replace('-', "");
    for fragment in [&whole[..], &plain[plain.len() - 8..], &whole.to_uppercase()] {
        assert_eq!(store.resolve_trashed(fragment.to_owned(), 5).wait().unwrap(), [id], "{fragment}");
    }
    for fragment in ["", "x", "%", "_", &format!("{plain}0")] {
        assert_eq!(store.resolve_trashed(fragment.to_owned(), 5).wait().unwrap(), [], "{fragment}");
    }
}

fn expects_a_revision(store: &dyn Store) {
    let prompts = store_samples(store, 2);
    let mutation = Mutation::Trash { ids: ids(&prompts), expected_revision: Some(7), at: from_millis(AT) };
    assert_eq!(store.apply(mutation).wait().unwrap_err().code(), Code::Conflict);
    assert_eq!((all(store).len(), in_trash(store).len()), (2, 0));
}

fn judgements_stay(store: &dyn Store) {
    let prompts = store_samples(store, 3);
    let judgement = samples::judgement(1, &[0, 1]);
    store.record(judgement.clone()).wait().unwrap();
    let is_kept = |store: &dyn Store| store.judgement(judgement.id).wait().unwrap().is_some();
    trash(store, &ids(&prompts), AT);
    assert!(is_kept(store));
    restore(store, &ids(&prompts));
    assert!(is_kept(store));
    trash(store, &ids(&prompts), AT);
    empty(store, None, None);
    assert!(!is_kept(store));
}
