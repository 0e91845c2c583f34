//! Expired prompts are removed from the trash by the clock, not only by the next deletion.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use super::*;
use crate::api::TrashRequest;
use crate::domain::Timestamp;
use crate::time::from_millis;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A clock that tests set.
struct SetClock(AtomicI64);

impl SetClock {
    fn pass(&self, days: i64) {
        self.0.fetch_add(days * DAY_MS, Ordering::SeqCst);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        from_millis(self.0.load(Ordering::SeqCst))
    }
}

impl Home {
    fn engine_at(&self, clock: &Arc<SetClock>) -> Engine {
        let environment = Environment::from_pairs([("ALUDEL_HOME", self.folder.path().to_str().unwrap())]);
        let loaded = config::load(&Flags::default(), &environment).unwrap();
        Engine::open_with(loaded, Arc::<SetClock>::clone(clock), Arc::new(SystemIds))
    }
}

/// Two prompts, one of which is moved to the trash.
async fn with_one_deleted(engine: &Engine) {
    engine.stop_indexing();
    generate(engine, json!({ "input": "Write a haiku", "count": 2 })).await.unwrap();
    engine.delete(engine.decode(json!({ "prompt_ids": ["@last"] })).unwrap()).await.unwrap();
    assert_eq!(held(engine).await, 1);
}

/// How many prompts the trash holds, whether or not they can be restored.
async fn held(engine: &Engine) -> u64 {
    engine.store().trashed(Timestamp::MIN, 1, 0).await.unwrap().total
}

async fn listed(engine: &Engine) -> u64 {
    engine.trash(engine.decode::<TrashRequest>(json!({})).unwrap()).await.unwrap().total
}

#[tokio::test]
async fn a_process_that_writes_deletes_what_has_been_in_the_trash_for_too_long() {
    let home = Home::new();
    let clock = Arc::new(SetClock(AtomicI64::new(1_700_000_000_000)));
    let first = home.engine_at(&clock);
    with_one_deleted(&first).await;
    first.close().await.unwrap();
    for (days, left) in [(29, 1), (2, 0)] {
        clock.pass(days);
        let engine = home.engine_at(&clock);
        let edit = json!({ "prompt_id": "@last", "notes": format!("after {days} days") });
        assert_eq!(listed(&engine).await, left, "what has expired is not listed before it is deleted");
        engine.update(engine.decode(edit).unwrap()).await.unwrap();
        engine.close().await.unwrap();
        assert_eq!(held(&home.engine_at(&clock)).await, left);
    }
}

#[tokio::test]
async fn a_process_that_stays_open_deletes_it_once_a_day() {
    let home = Home::new();
    let clock = Arc::new(SetClock(AtomicI64::new(1_700_000_000_000)));
    let first = home.engine_at(&clock);
    with_one_deleted(&first).await;
    first.close().await.unwrap();
    let engine = home.engine_at(&clock);
    engine.keep_indexed();
    let later = |hours| async move {
        tokio::time::pause();
        tokio::time::advance(Duration::from_hours(hours)).await;
        tokio::time::resume();
    };
    later(25).await;
    clock.pass(31);
    assert_eq!((held(&engine).await, listed(&engine).await), (1, 0));
    later(25).await;
    let expired = async {
        while held(&engine).await > 0 {
            tokio::task::yield_now().await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(20), expired).await.is_ok(), "it is still there");
    engine.close().await.unwrap();
}

#[tokio::test]
async fn looking_for_what_has_expired_makes_no_database() {
    let home = Home::new();
    let engine = home.engine_at(&Arc::new(SetClock(AtomicI64::new(0))));
    engine.expire_what_is_due().await.unwrap();
    assert!(!home.folder.path().join("aludel.db").exists());
}
