//! Runs and their history.

use super::{Check, assert_fails, first_page, ids, store_samples, summaries_of};
use crate::domain::{Phase, Prompt, PromptId, SessionId};
use crate::error::Code;
use crate::store::{Mutation, PageSpec, Session, SessionWithPrompts, Store, samples};

pub(super) const CHECKS: &[Check] = &[
    Check { name: "a run is read back with its variants", run: a_run_is_read_back_with_its_variants },
    Check { name: "a run that is known conflicts", run: a_run_that_is_known_conflicts },
    Check { name: "variants come by score and then by number", run: variants_come_by_score_and_then_by_number },
    Check { name: "history is paged newest first", run: history_is_paged_newest_first },
    Check { name: "a prompt of an unknown run brings its own", run: a_prompt_of_an_unknown_run_brings_its_own },
    Check {
        name: "a prompt of an unknown run brings the one that is given",
        run: a_prompt_brings_the_run_that_is_given,
    },
    Check { name: "a run goes with its last variant", run: a_run_goes_with_its_last_variant },
    Check {
        name: "a variant may finish after its run was deleted",
        run: a_variant_may_finish_after_its_run_was_deleted,
    },
];

fn history(store: &dyn Store) -> Vec<SessionWithPrompts> {
    let runs = store.sessions(first_page(1000)).wait().unwrap().items;
    let short = store.sessions_with_summaries(first_page(1000)).wait().unwrap().items;
    let shortened: Vec<_> = runs
        .iter()
        .map(|run| SessionWithPrompts { session: run.session.clone(), prompts: summaries_of(&run.prompts) })
        .collect();
    assert_eq!(short, shortened);
    runs
}

fn delete(store: &dyn Store, ids: Vec<PromptId>) {
    store.apply(Mutation::Delete { ids, expected_revision: None }).wait().unwrap();
}

fn a_run_is_read_back_with_its_variants(store: &dyn Store) {
    let runs = [
        Session { phases: vec![Phase::Coagulatio, Phase::PrimaMateria], ..samples::session(0) },
        Session { original_input: "with\0nul and 海".into(), count: 100, ..samples::session(3) },
    ];
    for run in &runs {
        store.begin_session(run.clone()).wait().unwrap();
    }
    let variants = store_samples(store, 3);
    let expected = [
        SessionWithPrompts { session: runs[1].clone(), prompts: Vec::new() },
        SessionWithPrompts { session: runs[0].clone(), prompts: variants },
    ];
    assert_eq!(history(store), expected);
}

fn a_run_that_is_known_conflicts(store: &dyn Store) {
    store.begin_session(samples::session(0)).wait().unwrap();
    let other = Session { persona: "other".into(), ..samples::session(0) };
    assert_fails(store.begin_session(other).wait(), Code::Conflict);
    assert_eq!(history(store)[0].session, samples::session(0));
}

fn a_prompt_brings_the_run_that_is_given(store: &dyn Store) {
    let prompts = samples::prompts(6);
    store.begin_session(samples::session(0)).wait().unwrap();
    let known = Session { persona: "other".into(), ..samples::session(0) };
    let given = Session { count: 40, original_input: "what was asked".into(), ..samples::session(3) };
    let of_none = samples::session(9);
    store.append_with_sessions(prompts, vec![known, given.clone(), of_none.clone()]).wait().unwrap();
    let runs: Vec<Session> = history(store).into_iter().map(|run| run.session).collect();
    assert_eq!(runs, [given.clone(), samples::session(0)]);
    let mut fetched = store.fetch_sessions(vec![given.id, of_none.id, samples::session_id(0)]).wait().unwrap();
    fetched.sort_by_key(|run| run.count);
    assert_eq!(fetched, [samples::session(0), given]);
}

fn variants_come_by_score_and_then_by_number(store: &dyn Store) {
    let session_id = samples::session_id(0);
    let variants: Vec<Prompt> =
        (0..6).map(|variant| Prompt { session_id, variant, ..samples::prompt(20 - variant) }).collect();
    store.append(variants.clone()).wait().unwrap();
    let ranking = |variant: usize, rank, score| samples::ranking(variants[variant].id, rank, score);
    // Two share a score: their rank decides.
    let rankings = vec![ranking(4, 1, 0.9), ranking(5, 2, 0.5), ranking(1, 3, 0.5), ranking(3, 4, 0.0)];
    store.apply(Mutation::Rank { rankings }).wait().unwrap();
    let order: Vec<u32> = history(store)[0].prompts.iter().map(|prompt| prompt.variant).collect();
    assert_eq!(order, [4, 5, 1, 3, 0, 2]);
}

fn history_is_paged_newest_first(store: &dyn Store) {
    let mut runs: Vec<Session> = (0..20).map(|number| samples::session(number * 3)).collect();
    // Four have the same moment: the id decides.
    for run in &mut runs[5..9] {
        run.created_at = samples::moment(15);
    }
    for run in &runs {
        store.begin_session(run.clone()).wait().unwrap();
    }
    store_samples(store, 60);
    runs.sort_by_key(|run| std::cmp::Reverse((run.created_at, run.id)));
    let expected: Vec<SessionId> = runs.iter().map(|run| run.id).collect();

    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let page = store.sessions(PageSpec { limit: 3, offset: 0, cursor }).wait().unwrap();
        assert!(page.items.iter().all(|run| run.prompts.len() == 3));
        seen.extend(page.items.iter().map(|run| run.session.id));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, expected);

    let first = store.sessions(first_page(4)).wait().unwrap();
    let page = PageSpec { limit: 2, offset: 3, cursor: first.next_cursor };
    let page: Vec<SessionId> = store.sessions(page).wait().unwrap().items.iter().map(|run| run.session.id).collect();
    assert_eq!(page, expected[7..9]);
}

fn a_prompt_of_an_unknown_run_brings_its_own(store: &dyn Store) {
    let mut variants = samples::prompts(3);
    variants.reverse();
    store.append(variants.clone()).wait().unwrap();
    let runs = history(store);
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0].session, samples::session(0));
    assert_eq!(runs[0].prompts.len(), 3);
    // Another prompt of the same run is added.
    let fourth = Prompt { session_id: samples::session_id(0), variant: 3, ..samples::prompt(30) };
    store.append(vec![fourth]).wait().unwrap();
    assert_eq!(history(store)[0].prompts.len(), 4);
}

fn a_run_goes_with_its_last_variant(store: &dyn Store) {
    let all = store_samples(store, 6);
    store.begin_session(samples::session(30)).wait().unwrap();
    delete(store, ids(&all[..2]));
    assert_eq!(history(store).len(), 3);
    delete(store, ids(&all[2..3]));
    let left: Vec<SessionId> = history(store).iter().map(|run| run.session.id).collect();
    assert_eq!(left, [samples::session_id(30), samples::session_id(3)]);
}

fn a_variant_may_finish_after_its_run_was_deleted(store: &dyn Store) {
    store.begin_session(samples::session(0)).wait().unwrap();
    store.append(vec![samples::prompt(0)]).wait().unwrap();
    delete(store, vec![samples::prompt(0).id]);
    assert!(history(store).is_empty());
    store.append(vec![samples::prompt(1)]).wait().unwrap();
    let runs = history(store);
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0].prompts, [samples::prompt(1)]);
}
