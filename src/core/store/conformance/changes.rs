//! Edits, ranks, deletions.

use super::{Check, assert_fails, expected, first_page, ids, read_all, store_samples, stored};
use crate::domain::{Filter, Order, Prompt, PromptId};
use crate::error::Code;
use crate::store::{Applied, Edit, Mutation, Store, samples};

pub(super) const CHECKS: &[Check] = &[
    Check { name: "an edit changes tags and notes and raises the revision", run: an_edit_changes_tags_and_notes },
    Check { name: "lists follow the tags of an edit", run: lists_follow_the_tags_of_an_edit },
    Check { name: "an edit of another revision conflicts", run: an_edit_of_another_revision_conflicts },
    Check { name: "an edit of nothing is none", run: an_edit_of_nothing_is_none },
    Check { name: "an edit that is refused changes nothing", run: an_edit_that_is_refused_changes_nothing },
    Check { name: "ranking sets scores and no revision", run: ranking_sets_scores_and_no_revision },
    Check { name: "deleting gives the ids that were there", run: deleting_gives_the_ids_that_were_there },
    Check {
        name: "a deletion of another revision deletes nothing",
        run: a_deletion_of_another_revision_deletes_nothing,
    },
    Check { name: "deleting by filter deletes what the filter passes", run: deleting_by_filter },
    Check { name: "the empty filter empties the database", run: the_empty_filter_empties_the_database },
    Check { name: "what derives from a deleted prompt remembers it", run: children_remember_a_deleted_parent },
    Check { name: "a deleted prompt can be stored again", run: a_deleted_prompt_can_be_stored_again },
    Check { name: "every change of prompts is counted, and nothing else", run: every_change_is_counted },
];

fn change(
    store: &dyn Store,
    id: PromptId,
    expected_revision: Option<u32>,
    edit: Edit,
) -> crate::error::Result<Applied> {
    store.apply(Mutation::Edit { id, expected_revision, edit, at: samples::moment(999) }).wait()
}

fn delete(store: &dyn Store, ids: &[PromptId], expected_revision: Option<u32>) -> crate::error::Result<Applied> {
    store.apply(Mutation::Delete { ids: ids.to_vec(), expected_revision }).wait()
}

fn add(tag: &str) -> Edit {
    Edit { add_tags: vec![tag.into()], ..Edit::default() }
}

fn an_edit_changes_tags_and_notes(store: &dyn Store) {
    let all = store_samples(store, 3);
    let edit = Edit {
        add_tags: vec!["new".into(), "sea".into()],
        remove_tags: vec!["tag-1".into()],
        notes: Some(Some("changed\0".into())),
        tags: None,
    };
    let edited = change(store, all[1].id, Some(1), edit).unwrap();
    let expected = Prompt {
        tags: vec!["sea".into(), "new".into()],
        notes: Some("changed\0".into()),
        revision: 2,
        updated_at: samples::moment(999),
        ..all[1].clone()
    };
    assert_eq!(edited, Applied::Edited(Some(Box::new(expected.clone()))));
    assert_eq!(stored(store, all[1].id), expected);
    assert_eq!(stored(store, all[0].id), all[0]);

    let edit = Edit { tags: Some(Vec::new()), notes: Some(None), ..Edit::default() };
    change(store, all[1].id, None, edit).unwrap();
    let bare = stored(store, all[1].id);
    assert_eq!((bare.tags.len(), bare.notes, bare.revision), (0, None, 3));
}

fn lists_follow_the_tags_of_an_edit(store: &dyn Store) {
    let mut all = store_samples(store, 12);
    for prompt in all.iter_mut().step_by(2) {
        change(store, prompt.id, None, Edit { tags: Some(vec!["even".into()]), ..Edit::default() }).unwrap();
        *prompt = stored(store, prompt.id);
    }
    for tag in ["even", "sea", "tag-2"] {
        let filter = Filter { tags: vec![tag.into()], ..Filter::default() };
        for order in [Order::Newest, Order::Oldest] {
            assert_eq!(ids(&read_all(store, &filter, order, 4)), expected(&all, &filter, order));
        }
        assert_eq!(store.count(filter.clone()).wait().unwrap(), expected(&all, &filter, Order::Newest).len() as u64);
    }
}

fn an_edit_of_another_revision_conflicts(store: &dyn Store) {
    let prompt = &store_samples(store, 1)[0];
    assert_fails(change(store, prompt.id, Some(2), add("x")), Code::Conflict);
    assert_eq!(stored(store, prompt.id), *prompt);
    change(store, prompt.id, Some(1), add("x")).unwrap();
    assert_fails(change(store, prompt.id, Some(1), add("y")), Code::Conflict);
    change(store, prompt.id, Some(2), add("y")).unwrap();
    assert_eq!(stored(store, prompt.id).tags, ["sea", "tag-0", "x", "y"]);
}

fn an_edit_of_nothing_is_none(store: &dyn Store) {
    store_samples(store, 1);
    let unknown = samples::prompt(77).id;
    assert_eq!(change(store, unknown, None, add("x")).unwrap(), Applied::Edited(None));
    assert_eq!(change(store, unknown, Some(1), add("x")).unwrap(), Applied::Edited(None));
}

fn an_edit_that_is_refused_changes_nothing(store: &dyn Store) {
    let prompt = &store_samples(store, 1)[0];
    let too_many = Edit { add_tags: (0..40).map(|number| number.to_string()).collect(), ..Edit::default() };
    assert_fails(change(store, prompt.id, None, too_many), Code::ValidationFailed);
    assert_eq!(stored(store, prompt.id), *prompt);
}

fn ranking_sets_scores_and_no_revision(store: &dyn Store) {
    let all = store_samples(store, 3);
    let ranking = |prompt_id, rank, score| samples::ranking(prompt_id, rank, score);
    let rankings =
        vec![ranking(all[2].id, 1, 0.1 + 0.2), ranking(samples::prompt(77).id, 2, 0.2), ranking(all[0].id, 3, 0.0)];
    assert_eq!(store.apply(Mutation::Rank { rankings }).wait().unwrap(), Applied::Ranked(2));
    assert_eq!(stored(store, all[2].id), Prompt { score: Some(0.1 + 0.2), score_formula: Some(1), ..all[2].clone() });
    assert_eq!(stored(store, all[1].id), all[1]);
    assert_eq!(stored(store, all[0].id).score, Some(0.0));

    let broken = vec![ranking(all[0].id, 1, 0.5), ranking(all[1].id, 2, f64::NAN)];
    assert_fails(store.apply(Mutation::Rank { rankings: broken }).wait(), Code::ValidationFailed);
    assert_eq!(stored(store, all[0].id).score, Some(0.0));
}

fn deleting_gives_the_ids_that_were_there(store: &dyn Store) {
    let all = store_samples(store, 6);
    let wanted = [all[4].id, samples::prompt(77).id, all[1].id, all[4].id];
    assert_eq!(delete(store, &wanted, None).unwrap(), Applied::Deleted(vec![all[4].id, all[1].id]));
    assert_eq!(delete(store, &wanted, None).unwrap(), Applied::Deleted(Vec::new()));
    assert_eq!(store.get(all[4].id).wait().unwrap(), None);
    let left = [&all[0], &all[2], &all[3], &all[5]].map(Clone::clone);
    for filter in [Filter::default(), Filter { tags: vec!["sea".into()], ..Filter::default() }] {
        let found = read_all(store, &filter, Order::Oldest, 10);
        assert_eq!(found, left);
        assert_eq!(store.count(filter).wait().unwrap(), 4);
    }
}

fn a_deletion_of_another_revision_deletes_nothing(store: &dyn Store) {
    let all = store_samples(store, 3);
    change(store, all[1].id, None, add("x")).unwrap();
    let both = [all[0].id, all[1].id];
    assert_fails(delete(store, &both, Some(1)), Code::Conflict);
    assert_fails(delete(store, &both, Some(2)), Code::Conflict);
    assert_eq!(store.count(Filter::default()).wait().unwrap(), 3);
    let unknown = samples::prompt(77).id;
    assert_eq!(delete(store, &[unknown, all[1].id], Some(2)).unwrap(), Applied::Deleted(vec![all[1].id]));
}

fn deleting_by_filter(store: &dyn Store) {
    let all = store_samples(store, 30);
    let filters = [
        Filter { tags: vec!["sea".into(), "tag-2".into()], ..Filter::default() },
        Filter { provider: Some("openai".into()), persona: Some("code".into()), ..Filter::default() },
        Filter { until: Some(samples::moment(5)), ..Filter::default() },
        Filter { session_id: Some(samples::session_id(9)), ..Filter::default() },
        Filter { model: Some("unknown".into()), ..Filter::default() },
    ];
    let mut left = all;
    for filter in filters {
        let mut expected = expected(&left, &filter, Order::Newest);
        let Applied::Deleted(mut gone) = store.apply(Mutation::DeleteWhere { filter }).wait().unwrap() else {
            panic!("a deletion must answer with what was deleted")
        };
        expected.sort_unstable();
        gone.sort_unstable();
        assert_eq!(gone, expected);
        left.retain(|prompt| !gone.contains(&prompt.id));
        assert_eq!(read_all(store, &Filter::default(), Order::Oldest, 100), left);
    }
}

fn the_empty_filter_empties_the_database(store: &dyn Store) {
    store_samples(store, 10);
    store.begin_session(samples::session(60)).wait().unwrap();
    let gone = store.apply(Mutation::DeleteWhere { filter: Filter::default() }).wait().unwrap();
    assert!(matches!(gone, Applied::Deleted(ids) if ids.len() == 10));
    assert_eq!(store.count(Filter::default()).wait().unwrap(), 0);
    assert!(store.sessions(first_page(10)).wait().unwrap().items.is_empty());
}

fn children_remember_a_deleted_parent(store: &dyn Store) {
    let parent = samples::prompt(1);
    let child = Prompt { parent_id: Some(parent.id), ..samples::prompt(2) };
    store.append(vec![parent.clone(), child.clone()]).wait().unwrap();
    delete(store, &[parent.id], None).unwrap();
    assert_eq!(stored(store, child.id), child);
}

fn a_deleted_prompt_can_be_stored_again(store: &dyn Store) {
    let all = store_samples(store, 3);
    delete(store, &ids(&all), None).unwrap();
    store.append(all.clone()).wait().unwrap();
    assert_eq!(read_all(store, &Filter::default(), Order::Oldest, 10), all);
}

fn every_change_is_counted(store: &dyn Store) {
    let mut last = store.change_count().wait().unwrap();
    let mut has_changed = move |store: &dyn Store| {
        let before = std::mem::replace(&mut last, store.change_count().wait().unwrap());
        assert!(last >= before, "the count fell from {before} to {last}");
        last > before
    };
    assert!(!has_changed(store));
    let all = store_samples(store, 6);
    assert!(has_changed(store), "stored");
    change(store, all[0].id, None, Edit { notes: Some(Some("n".into())), ..Edit::default() }).unwrap();
    assert!(has_changed(store), "notes");
    change(store, all[0].id, None, add("x")).unwrap();
    assert!(has_changed(store), "tags");
    let (unknown, at) = (samples::prompt(77).id, samples::moment(999));
    let trash = |ids: Vec<PromptId>| Mutation::Trash { ids, expected_revision: None, at };
    for mutation in [
        trash(vec![all[1].id]),
        Mutation::Restore { ids: vec![all[1].id], at },
        Mutation::TrashWhere { filter: Filter { tags: vec!["x".into()], ..Filter::default() }, at },
        Mutation::Delete { ids: vec![all[2].id], expected_revision: None },
        Mutation::DeleteWhere { filter: Filter::default() },
    ] {
        let shown = format!("{mutation:?}");
        store.apply(mutation).wait().unwrap();
        assert!(has_changed(store), "{shown}");
    }

    store_samples(store, 2);
    assert!(has_changed(store));
    for mutation in [
        trash(vec![unknown]),
        Mutation::Delete { ids: vec![unknown], expected_revision: None },
        Mutation::Restore { ids: vec![unknown], at },
        Mutation::EmptyTrash { ids: None, before: None },
        Mutation::Rank { rankings: vec![samples::ranking(all[0].id, 1, 0.5)] },
    ] {
        let shown = format!("{mutation:?}");
        store.apply(mutation).wait().unwrap();
        assert!(!has_changed(store), "{shown}");
    }
    store.begin_session(samples::session(60)).wait().unwrap();
    assert_fails(change(store, all[0].id, Some(9), add("y")), Code::Conflict);
    assert!(!has_changed(store), "nothing changed");
}
