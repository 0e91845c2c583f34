//! The call log over a real database: what is recorded, who waits for room, what cancelling leaves.

use std::time::Duration;

use futures_util::future::join_all;

use super::*;
use crate::domain::SessionId;
use crate::ids::{SeededIds, SystemIds};
use crate::ledger::{Account, Call, CallUsage, Caps, Labels, Reservation, WorstCase};
use crate::store::sqlite::SqliteStore;
use crate::store::{SpendQuery, SpendRow};
use crate::time::FixedClock;

const NOON: i64 = 1_790_000_000_000;

struct World {
    folder: tempfile::TempDir,
    store: Arc<dyn Store>,
    call_log: Arc<StoreCallLog>,
}

impl World {
    fn with_daily_cap(nanos: Option<u64>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.path().join("aludel.db")));
        let call_log = Arc::new(book_over(&store, nanos));
        Self { folder, store, call_log }
    }

    fn account(&self) -> Account {
        let labels = Labels {
            session: Some(SessionId(SeededIds::new(3).next())),
            command: "generate",
            tags: vec!["a".into(), "b".into()],
            ..Labels::default()
        };
        Account::open(Caps::default(), labels, Some(Arc::clone(&self.call_log) as Arc<dyn CallLog>))
    }

    /// Waits for detached writes: they are done in order.
    async fn settled(&self) {
        self.store.withdraw_call(Uuid::nil()).await.unwrap();
    }

    async fn written(&self) -> SpendRow {
        self.store.spend(SpendQuery::default()).await.unwrap().remove(0)
    }

    async fn counted(&self) -> u64 {
        self.settled().await;
        self.store.counted_on(crate::time::from_millis(NOON)).await.unwrap().nanos()
    }
}

fn book_over(store: &Arc<dyn Store>, daily_cap: Option<u64>) -> StoreCallLog {
    let clock = Arc::new(FixedClock::ticking_from(NOON));
    StoreCallLog::new(Arc::clone(store), clock, Arc::new(SystemIds), daily_cap.map(Money::from_nanos))
}

/// The account of a client of a server with these caps.
fn account_of(world: &World, id: &str, budget: Option<u64>, calls: Option<u64>) -> Account {
    let caller =
        Caller { id: id.into(), budget: budget.map(Money::from_nanos), max_calls: calls, period: CapPeriod::Day };
    let labels = Labels { command: "generate", caller: Some(Arc::new(caller)), ..Labels::default() };
    Account::open(Caps::default(), labels, Some(Arc::clone(&world.call_log) as Arc<dyn CallLog>))
}

async fn reserve(account: &Account, worst: u64) -> Result<Reservation, crate::error::ProviderError> {
    let call = Call { provider: "lab".into(), model: "m-1".into(), purpose: "judge", is_logged: true };
    account.reserve(call, WorstCase::Most(Money::from_nanos(worst))).await
}

fn cost(nanos: u64) -> CallUsage {
    CallUsage { input_tokens: 10, output_tokens: 5, cost: Some(Money::from_nanos(nanos)), assumed: None }
}

async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future).await.expect("it ends")
}

#[tokio::test]
async fn without_a_daily_cap_calls_are_written_down_when_they_have_ended() {
    let world = World::with_daily_cap(None);
    let account = world.account();
    let answered = reserve(&account, 100).await.unwrap();
    let (failed, lost) = (reserve(&account, 100).await.unwrap(), reserve(&account, 100).await.unwrap());
    assert_eq!(world.written().await.calls, 0);
    answered.settle(cost(40));
    failed.release();
    drop(lost);
    world.store.close().await.unwrap();
    let reopened = SqliteStore::open(world.folder.path().join("aludel.db"));
    let written = crate::store::SpendStore::spend(&reopened, SpendQuery::default()).await.unwrap().remove(0);
    assert_eq!((written.calls, written.failed, written.unseen), (3, 1, 1));
    assert_eq!((written.cost.nanos(), written.unseen_cost.nanos(), written.input_tokens), (40, 100, 10));
}

#[tokio::test]
async fn closing_waits_for_the_last_call_and_takes_no_more_in() {
    for daily_cap in [None, Some(1000)] {
        let world = World::with_daily_cap(daily_cap);
        let account = world.account();
        let both = (reserve(&account, 100).await.unwrap(), reserve(&account, 100).await.unwrap());
        let ending = async {
            let (first, second) = both;
            first.release();
            tokio::time::sleep(Duration::from_millis(20)).await;
            let late = reserve(&account, 100).await.map(|_| ()).unwrap_err();
            drop(second);
            late.to_string()
        };
        let (at_rest, late) = futures_util::future::join(
            async {
                soon(world.call_log.close()).await;
                account.tally().spent.nanos()
            },
            ending,
        )
        .await;
        assert!(late.contains("aludel is shutting down"), "{late}");
        // The budget is settled after the call log.
        assert_eq!((at_rest, world.counted().await), (100, 100));
        // Closing twice is harmless.
        soon(world.call_log.close()).await;
    }
}

#[tokio::test]
async fn closing_waits_for_a_question_that_nobody_wants_answered_any_more() {
    let world = World::with_daily_cap(Some(1000));
    let account = world.account();
    let mut asking = Box::pin(reserve(&account, 100));
    assert!(futures_util::poll!(asking.as_mut()).is_pending(), "the writer has only just been asked");
    let mut closing = Box::pin(world.call_log.close());
    assert!(futures_util::poll!(closing.as_mut()).is_pending());
    drop(asking);
    soon(closing).await;
    assert_eq!(world.counted().await, 0);
}

#[tokio::test]
async fn what_is_part_of_the_program_touches_no_disk() {
    let world = World::with_daily_cap(Some(1));
    let call = Call { provider: "builtin".into(), model: "b".into(), purpose: "judge", is_logged: false };
    world.account().reserve(call, WorstCase::Most(Money::ZERO)).await.unwrap().settle(CallUsage::default());
    world.store.close().await.unwrap();
    assert_eq!(std::fs::read_dir(world.folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn the_daily_cap_holds_for_all_accounts_and_names_itself() {
    let world = World::with_daily_cap(Some(100));
    reserve(&world.account(), 60).await.unwrap().settle(cost(50));
    let error = reserve(&world.account(), 51).await.err().unwrap();
    assert_eq!(error.code(), crate::error::Code::BudgetExceeded);
    assert!(
        error.message.contains("daily budget of $0.0000001") && error.message.contains("$0.00000005 used"),
        "{error}"
    );
    reserve(&world.account(), 50).await.unwrap().release();
    assert_eq!(world.counted().await, 50);
}

#[tokio::test]
async fn an_unknown_price_is_refused_under_a_daily_cap() {
    let world = World::with_daily_cap(Some(100));
    let call = Call { provider: "lab".into(), model: "m-1".into(), purpose: "judge", is_logged: true };
    let error = world.account().reserve(call, WorstCase::UnknownPrice).await.err().unwrap();
    assert!(error.message.contains("assume_price"), "{error}");
    assert_eq!(world.written().await.calls, 0);
}

#[tokio::test]
async fn many_that_may_cost_much_and_cost_little_wait_for_each_other() {
    let world = World::with_daily_cap(Some(1000));
    let calls = (0..64).map(|_| async {
        let reservation = reserve(&world.account(), 300).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
        reservation.settle(cost(5));
    });
    soon(join_all(calls)).await;
    assert_eq!((world.counted().await, world.written().await.calls), (320, 64));
}

#[tokio::test]
async fn when_nothing_of_this_process_is_under_way_nobody_waits() {
    let world = World::with_daily_cap(Some(100));
    let elsewhere = book_over(&world.store, Some(100));
    let theirs =
        World { call_log: Arc::new(elsewhere), store: Arc::clone(&world.store), folder: tempfile::tempdir().unwrap() };
    let held = reserve(&theirs.account(), 60).await.unwrap();
    assert!(soon(reserve(&world.account(), 60)).await.is_err(), "for others nobody waits");
    drop(held);
    assert_eq!(world.counted().await, 60);
}

#[tokio::test]
async fn those_who_wait_are_refused_when_the_last_end_leaves_no_room() {
    let world = World::with_daily_cap(Some(100));
    let account = world.account();
    let held = reserve(&account, 60).await.unwrap();
    let waiting = join_all((0..3).map(|_| reserve(&account, 60)));
    let ending = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        drop(held);
    };
    let (refused, ()) = soon(futures_util::future::join(waiting, ending)).await;
    assert!(refused.iter().all(Result::is_err));
    assert_eq!(account.tally().calls, 1, "what was refused is no call");
}

#[tokio::test]
async fn one_who_stops_waiting_leaves_no_trace_and_blocks_nobody() {
    let world = World::with_daily_cap(Some(100));
    let account = world.account();
    let held = reserve(&account, 90).await.unwrap();
    let impatient = tokio::time::timeout(Duration::from_millis(20), reserve(&account, 80));
    assert!(impatient.await.is_err());
    soon(reserve(&account, 10)).await.unwrap().settle(cost(10));
    held.settle(cost(1));
    assert_eq!((world.counted().await, account.tally().calls), (11, 2));
}

#[tokio::test]
async fn a_question_that_is_dropped_before_its_answer_takes_nothing_in() {
    let world = World::with_daily_cap(Some(1000));
    let account = world.account();
    for _ in 0..40 {
        let mut asking = Box::pin(reserve(&account, 10));
        // Polled once: the request is queued for the writer and may already be answered.
        let polled = futures_util::poll!(asking.as_mut());
        drop((asking, polled));
    }
    world.store.close().await.unwrap();
    let reopened = SqliteStore::open(world.folder.path().join("aludel.db"));
    let counted = crate::store::SpendStore::counted_on(&reopened, crate::time::from_millis(NOON)).await.unwrap();
    assert_eq!((counted.nanos(), account.tally().reserved), (account.tally().spent.nanos(), Money::ZERO));
}

#[tokio::test]
async fn a_database_that_cannot_be_asked_lets_nothing_out() {
    let world = World::with_daily_cap(Some(1000));
    world.store.close().await.unwrap();
    let account = world.account();
    let error = reserve(&account, 10).await.err().unwrap();
    assert_eq!(error.code(), crate::error::Code::Storage);
    assert_eq!(account.tally(), crate::ledger::Tally::default());
}

#[tokio::test]
async fn the_caps_of_a_caller_name_themselves_what_was_used_and_when_they_start_again() {
    for daily_cap in [None, Some(1_000_000)] {
        let world = World::with_daily_cap(daily_cap);
        let account = account_of(&world, "a", Some(100), Some(3));
        reserve(&account, 60).await.unwrap().settle(cost(50));
        let error = reserve(&account, 51).await.err().unwrap();
        assert_eq!(error.code(), crate::error::Code::BudgetExceeded);
        // 1,790,000,000 s are 2026-09-21T13:33:20Z.
        for words in ["allows $0.0000001 a day", "$0.00000005 used", "starts again at 2026-09-22T00:00:00Z"] {
            assert!(error.message.contains(words), "{words}: {}", error.message);
        }
        reserve(&account, 10).await.unwrap().settle(cost(10));
        reserve(&account, 10).await.unwrap().settle(cost(10));
        let error = reserve(&account, 0).await.err().unwrap();
        for words in ["takes 1 call", "allows 3 calls a day", "3 used", "starts again at 2026-09-22T00:00:00Z"] {
            assert!(error.message.contains(words), "{words}: {}", error.message);
        }
        let left = account.left_to_caller().await.unwrap().unwrap();
        assert_eq!((left.calls, left.money.nanos()), (0, 30));
        // Others go on.
        reserve(&account_of(&world, "b", Some(100), Some(3)), 60).await.unwrap().settle(cost(50));
        reserve(&world.account(), 60).await.unwrap().settle(cost(50));
    }
}

#[tokio::test]
async fn an_unknown_price_is_refused_under_the_budget_of_a_caller() {
    let world = World::with_daily_cap(None);
    let call = || Call { provider: "lab".into(), model: "m-1".into(), purpose: "judge", is_logged: true };
    let capped = account_of(&world, "a", Some(100), None);
    for worst in [WorstCase::UnknownPrice, WorstCase::Unbounded] {
        assert_eq!(capped.reserve(call(), worst).await.err().unwrap().code(), crate::error::Code::BudgetExceeded);
        account_of(&world, "b", None, Some(9)).reserve(call(), worst).await.unwrap().release();
    }
}

#[tokio::test]
async fn a_caller_waits_for_its_own_calls_and_for_no_others() {
    let world = World::with_daily_cap(Some(1_000_000));
    let (one, other) = (account_of(&world, "one", Some(100), None), account_of(&world, "other", None, Some(9)));
    let others = reserve(&other, 50).await.unwrap();
    let first = reserve(&one, 60).await.unwrap();
    let mut second = Box::pin(reserve(&one, 60));
    for _ in 0..20 {
        assert!(futures_util::poll!(second.as_mut()).is_pending(), "its own call may leave room");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // Nobody queues behind it.
    soon(reserve(&other, 50)).await.unwrap().release();
    soon(reserve(&world.account(), 50)).await.unwrap().release();
    first.settle(cost(10));
    let second = soon(second).await.unwrap();
    second.settle(cost(60));
    let error = soon(reserve(&one, 60)).await.err().unwrap();
    assert!(error.message.contains("the token allows"), "another's call is under way: {}", error.message);
    drop(others);
}

#[tokio::test]
async fn a_chain_of_a_caller_is_whole_or_not_at_all() {
    let world = World::with_daily_cap(None);
    let one = account_of(&world, "one", Some(100), Some(4));
    let steps = |number: usize| vec![Money::from_nanos(20); number];
    let chain = one.set_aside(steps(3)).await.unwrap();
    let mut waiting = Box::pin(one.set_aside(steps(2)));
    for _ in 0..20 {
        assert!(futures_util::poll!(waiting.as_mut()).is_pending(), "the chain may leave room");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    for step in 0..3 {
        reserve(&chain.account(step), 20).await.unwrap().settle(cost(5));
    }
    chain.complete();
    let refusal = soon(waiting).await.err().unwrap().to_string();
    assert!(refusal.contains("takes 2 calls") && refusal.contains("allows 4 calls a day (3 used"), "{refusal}");
    let too_much = soon(one.set_aside(steps(9))).await.err().unwrap().to_string();
    assert!(too_much.contains("allows 4 calls a day"), "{too_much}");
    let last = soon(one.set_aside(steps(1))).await.unwrap();
    reserve(&last.account(0), 20).await.unwrap().settle(cost(5));
    last.complete();
    assert_eq!(one.left_to_caller().await.unwrap().unwrap().calls, 0);
}
