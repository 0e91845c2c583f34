//! Changes of stored prompts are noticed, those of another engine on the same database too.

use std::time::Duration;

use super::*;
use crate::domain::PromptId;

/// The next change; `None` if there is none for a while.
async fn next(changes: &mut StoreChanges) -> Option<StoreChange> {
    tokio::time::timeout(POLLED_EVERY * 5, changes.next()).await.ok()
}

const STORED: Option<StoreChange> = Some(StoreChange { stored: true, offered: false });
const BOTH: Option<StoreChange> = Some(StoreChange { stored: true, offered: true });

#[tokio::test(start_paused = true)]
async fn changes_of_another_engine_are_noticed_once() {
    let home = Home::new();
    let (ours, theirs) = (home.engine(), home.engine());
    let mut changes = ours.store_changes().await;
    assert_eq!(next(&mut changes).await, None, "nothing has changed, there is not even a database");

    generate(&theirs, json!({ "input": "Write a haiku", "count": 2 })).await.unwrap();
    assert_eq!((next(&mut changes).await, next(&mut changes).await), (STORED, None));

    let edit = |raw: Value| theirs.update(theirs.decode(raw).unwrap());
    edit(json!({ "prompt_id": "@last", "notes": "good" })).await.unwrap();
    assert_eq!((next(&mut changes).await, next(&mut changes).await), (STORED, None));
    edit(json!({ "prompt_id": "@last", "add_tags": ["mcp"] })).await.unwrap();
    assert_eq!((next(&mut changes).await, next(&mut changes).await), (BOTH, None));
    edit(json!({ "prompt_id": "@last", "notes": "better" })).await.unwrap();
    assert_eq!(next(&mut changes).await, BOTH, "the description of an offered prompt is another");

    theirs.delete(theirs.decode(json!({ "prompt_ids": ["@last"] })).unwrap()).await.unwrap();
    assert_eq!(next(&mut changes).await, BOTH);
    theirs.restore(theirs.decode(json!({ "prompt_ids": ["@last"] })).unwrap()).await.unwrap();
    assert_eq!((next(&mut changes).await, next(&mut changes).await), (BOTH, None));
}

#[tokio::test(start_paused = true)]
async fn our_own_changes_and_new_personas_are_noticed() {
    let home = Home::new();
    let engine = home.engine();
    let mut changes = engine.store_changes().await;
    generate(&engine, json!({ "input": "Write a haiku", "count": 1, "tags": ["mcp"] })).await.unwrap();
    assert_eq!((next(&mut changes).await, next(&mut changes).await), (BOTH, None));
    let personas = home.folder.path().join("personas");
    std::fs::create_dir_all(&personas).unwrap();
    std::fs::write(personas.join("legal.md"), "not yet whole").unwrap();
    assert_eq!(next(&mut changes).await, Some(StoreChange { stored: false, offered: true }));
}

#[tokio::test(start_paused = true)]
async fn changes_in_quick_succession_are_reported_as_one() {
    let home = Home::new();
    let engine = home.engine();
    let mut changes = engine.store_changes().await;
    for _ in 0..5 {
        generate(&engine, json!({ "input": "Write a haiku", "count": 1 })).await.unwrap();
    }
    assert_eq!((next(&mut changes).await, next(&mut changes).await), (STORED, None));
}

#[tokio::test(start_paused = true)]
async fn what_was_not_waited_for_is_reported_later() {
    let home = Home::new();
    let engine = home.engine();
    let mut changes = engine.store_changes().await;
    generate(&engine, json!({ "input": "Write a haiku", "count": 1 })).await.unwrap();
    assert!(tokio::time::timeout(Duration::from_millis(1), changes.next()).await.is_err());
    assert_eq!(next(&mut changes).await, STORED);
}

#[tokio::test]
async fn the_revisions_of_stored_prompts_are_told() {
    let home = Home::new();
    let engine = home.engine();
    let made = generate(&engine, json!({ "input": "Write a haiku", "count": 2 })).await.unwrap();
    let ids: Vec<_> = made.prompts.iter().map(|prompt| prompt.id).collect();
    engine.update(engine.decode(json!({ "prompt_id": ids[1].to_string(), "notes": "x" })).unwrap()).await.unwrap();
    let unknown = PromptId(uuid::Uuid::nil());
    let found = engine.revisions(vec![ids[0], unknown, ids[1]]).await.unwrap();
    assert_eq!(found, [(ids[0], 1), (ids[1], 2)].into());
}
