//! Many threads over one store.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::{Check, first_page, read_all, stored};
use crate::domain::{Filter, Order, Prompt};
use crate::error::Code;
use crate::store::{Edit, Mutation, Store, samples};

pub(super) const CHECKS: &[Check] = &[
    Check { name: "writes of many threads are all kept", run: writes_of_many_threads_are_all_kept },
    Check { name: "readers see whole prompts while others write", run: readers_see_whole_prompts_while_others_write },
    Check { name: "of several edits of one revision one wins", run: of_several_edits_of_one_revision_one_wins },
    Check { name: "one refused write takes no other with it", run: one_refused_write_takes_no_other_with_it },
];

const THREADS: u32 = 8;
const EACH: u32 = 15;

fn writes_of_many_threads_are_all_kept(store: &dyn Store) {
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                for number in 0..EACH {
                    let prompt = samples::prompt(thread * EACH + number);
                    store.append(vec![prompt.clone()]).wait().unwrap();
                    // Once `append` has returned, every reader sees the prompt.
                    assert_eq!(stored(store, prompt.id), prompt);
                }
            });
        }
    });
    assert_eq!(read_all(store, &Filter::default(), Order::Oldest, 50), samples::prompts(THREADS * EACH));
}

fn readers_see_whole_prompts_while_others_write(store: &dyn Store) {
    let done = AtomicBool::new(false);
    let whole = |prompt: &Prompt| prompt.steps.len() == 3 && prompt.tags.len() == 2;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let page = store.page(Filter::default(), Order::Newest, first_page(5)).wait().unwrap();
                    assert!(page.items.iter().all(whole));
                    let runs = store.sessions(first_page(2)).wait().unwrap();
                    assert!(runs.items.iter().flat_map(|run| &run.prompts).all(whole));
                }
            });
        }
        for seed in 0..60 {
            store.append(vec![samples::prompt(seed)]).wait().unwrap();
            if seed % 2 == 0 {
                let ids = vec![samples::prompt(seed).id];
                store.apply(Mutation::Delete { ids, expected_revision: None }).wait().unwrap();
            }
        }
        done.store(true, Ordering::Relaxed);
    });
}

fn of_several_edits_of_one_revision_one_wins(store: &dyn Store) {
    let prompt = samples::prompt(1);
    store.append(vec![prompt.clone()]).wait().unwrap();
    let (won, lost) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let edit = Edit { notes: Some(Some("mine".into())), ..Edit::default() };
                let mutation =
                    Mutation::Edit { id: prompt.id, expected_revision: Some(1), edit, at: samples::moment(2) };
                match store.apply(mutation).wait() {
                    Ok(_) => won.fetch_add(1, Ordering::Relaxed),
                    Err(error) if error.code() == Code::Conflict => lost.fetch_add(1, Ordering::Relaxed),
                    Err(error) => panic!("{error}"),
                };
            });
        }
    });
    assert_eq!((won.into_inner(), lost.into_inner()), (1, THREADS - 1));
    assert_eq!(stored(store, prompt.id).revision, 2);
}

fn one_refused_write_takes_no_other_with_it(store: &dyn Store) {
    store.append(vec![samples::prompt(0)]).wait().unwrap();
    // Queued at once, so that they may share a commit.
    let answers: Vec<_> = (1..40)
        .map(|seed| {
            let refused = seed % 4 == 0;
            (refused, store.append(vec![samples::prompt(if refused { 0 } else { seed }), samples::prompt(seed + 500)]))
        })
        .collect();
    for (refused, answer) in answers {
        assert_eq!(answer.wait().is_err(), refused);
    }
    let kept = (1..40).filter(|seed| seed % 4 != 0).count() as u64;
    assert_eq!(store.count(Filter::default()).wait().unwrap(), 1 + 2 * kept);
}
