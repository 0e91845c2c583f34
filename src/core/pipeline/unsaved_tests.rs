//! Finished variants that cannot be stored are reported, named and saved to a file.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::tests::{HEALTHY, World, drain, result};
use crate::domain::Prompt;
use crate::error::{Code, Error};
use crate::event::{Event, EventKind, RunView};
use crate::store::faulty::{Faults, FaultyStore};

/// The prompts of each save.
type Saves = Arc<Mutex<Vec<Vec<Prompt>>>>;

/// A world whose store fails these writes, and its saves.
fn world(faults: Faults) -> (World, Saves) {
    let mut world = World::new();
    world.ports.store = Arc::new(FaultyStore::over(Arc::clone(&world.ports.store), faults));
    let saves = Saves::default();
    let kept = Arc::clone(&saves);
    world.ports.save_aside = Arc::new(move |prompts, session| {
        assert!(prompts.iter().all(|prompt| prompt.session_id == session.id));
        kept.lock().unwrap().push(prompts.to_vec());
        Ok(PathBuf::from("~/.aludel/unsaved-1.jsonl"))
    });
    (world, saves)
}

fn view_of(events: &[Event]) -> RunView {
    let mut view = RunView::default();
    for event in events {
        view.apply(event);
    }
    view
}

/// The first write begins the session; the next ones append the three variants.
const FIRST_APPEND: usize = 2;

#[tokio::test(start_paused = true)]
async fn a_variant_that_cannot_be_stored_is_finished_then_warned_of_and_named() {
    let (world, saves) = world(Faults::Once(FIRST_APPEND));
    let events = drain(world.start(world.plan(HEALTHY, 3))).await;
    let result = result(&events);
    assert_eq!(result.prompts.len(), 3, "it is in the result");
    let [failure] = result.failures.as_slice() else { panic!("{:?}", result.failures) };
    assert_eq!((failure.phase, failure.error.code), (None, Code::Storage));
    let lost = result.prompts.iter().find(|prompt| prompt.variant == failure.variant).unwrap();
    for said in [&lost.id.short(), "no space is left", "`aludel import ~/.aludel/unsaved-1.jsonl`"] {
        assert!(failure.error.detail.contains(said), "{}", failure.error.detail);
    }

    let at = |wanted: &dyn Fn(&EventKind) -> bool| events.iter().position(|event| wanted(&event.kind)).unwrap();
    let finished =
        at(&|kind| matches!(kind, EventKind::VariantFinished { variant, .. } if *variant == failure.variant));
    let warned = at(&|kind| {
        matches!(kind, EventKind::Warning { variant: Some(variant), phase: None, code: Some(Code::Storage), message }
            if *variant == failure.variant && failure.error.detail.starts_with(message))
    });
    assert!(finished < warned, "finished at {finished}, warned at {warned}");

    let stored = world.stored().await;
    assert_eq!(stored.len(), 2);
    assert!(stored.iter().all(|prompt| prompt.id != lost.id));
    let saves = saves.lock().unwrap();
    assert_eq!(saves.iter().map(|save| save[0].score.is_some()).collect::<Vec<_>>(), [false, true], "scored later");
    assert_eq!(saves.last().unwrap(), std::slice::from_ref(lost));

    let view = view_of(&events);
    assert_eq!(view.unsaved().map(|(variant, _)| variant).collect::<Vec<_>>(), [failure.variant]);
    assert_eq!(view.not_stored().unwrap().code, Code::Storage);
}

#[tokio::test(start_paused = true)]
async fn a_disk_that_is_full_from_the_first_variant_on_still_gives_a_result() {
    let (world, saves) = world(Faults::From(FIRST_APPEND));
    let events = drain(world.start(world.plan(HEALTHY, 4))).await;
    let result = result(&events);
    let failed: Vec<u32> = result.failures.iter().map(|failure| failure.variant).collect();
    assert_eq!((result.prompts.len(), failed), (4, vec![0, 1, 2, 3]));
    assert_eq!(saves.lock().unwrap().last().unwrap().len(), 4);
    assert!(world.stored().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_run_that_cannot_be_begun_spends_nothing() {
    let (world, saves) = world(Faults::Once(1));
    let events = drain(world.start(world.plan(HEALTHY, 3))).await;
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.name()).collect();
    assert_eq!(kinds, ["started", "failed"]);
    assert!(saves.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn scores_that_cannot_be_stored_are_said_with_the_code() {
    let (world, _) = world(Faults::Once(FIRST_APPEND + 3));
    let events = drain(world.start(world.plan(HEALTHY, 3))).await;
    assert!(result(&events).failures.is_empty());
    let view = view_of(&events);
    assert_eq!(view.storage_warnings.len(), 1);
    assert!(view.storage_warnings[0].contains("scores of the prompts could not be stored"), "{:?}", view.warnings);
    assert!(world.stored().await.iter().all(|prompt| prompt.score.is_none()));
}

#[tokio::test(start_paused = true)]
async fn where_no_file_takes_it_either_the_answer_is_said_to_have_the_only_copy() {
    let (mut world, _) = world(Faults::From(FIRST_APPEND));
    world.ports.save_aside = Arc::new(|_, _| Err(Error::Storage("every disk is full".into())));
    let events = drain(world.start(world.plan(HEALTHY, 1))).await;
    let detail = &result(&events).failures[0].error.detail;
    assert!(detail.contains("this output is its only copy: every disk is full"), "{detail}");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_saves_what_finished_and_could_not_be_stored() {
    let (world, saves) = world(Faults::From(FIRST_APPEND));
    let script = "seed: 1\nanswer: echo\nrules:\n  - when: {variant: 1}\n    fault: hang\n";
    let mut run = world.start(world.plan(script, 2));
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        if matches!(event.kind, EventKind::Warning { code: Some(Code::Storage), .. }) {
            run.control().cancel_all();
        }
        events.push(event);
    }
    assert!(matches!(events.last().unwrap().kind, EventKind::Cancelled {}));
    assert_eq!(view_of(&events).unsaved().count(), 1);
    assert_eq!(saves.lock().unwrap().last().unwrap().len(), 1);
}
