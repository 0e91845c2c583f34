//! Spending: calls admitted, ended and totalled, and a daily cap that holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use uuid::Uuid;

use super::{Check, store_samples};
use crate::domain::{Filter, SpendBy};
use crate::ledger::{CallEnd, Caller, CapPeriod, Money, Need};
use crate::store::{
    Admitted, Draw, LEASE, Mutation, ReservationReply, SpendCall, SpendQuery, SpendReservation, SpendRow, Store,
    samples,
};
use crate::time::from_millis;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "calls are added up by each key", run: calls_are_added_up_by_each_key },
    Check { name: "calls are told apart by their moment", run: calls_are_told_apart_by_their_moment },
    Check {
        name: "where nothing was spent there is one empty sum",
        run: where_nothing_was_spent_there_is_one_empty_sum,
    },
    Check { name: "a call is admitted up to the cap and no further", run: a_call_is_admitted_up_to_the_cap },
    Check { name: "an end makes room, and is told once", run: an_end_makes_room_and_is_told_once },
    Check { name: "an end nobody waited for is seen by the next question", run: an_end_nobody_waited_for_is_seen },
    Check {
        name: "a call without an end counts as its worst case",
        run: a_call_without_an_end_counts_as_its_worst_case,
    },
    Check { name: "a call that was taken back never was", run: a_call_that_was_taken_back_never_was },
    Check { name: "what is set aside counts and is drawn on", run: what_is_set_aside_counts_and_is_drawn_on },
    Check { name: "what a dead process set aside comes free", run: what_a_dead_process_set_aside_comes_free },
    Check { name: "a call under way is extended up to the cap", run: a_call_under_way_is_extended_up_to_the_cap },
    Check { name: "each day has its own total", run: each_day_has_its_own_total },
    Check { name: "the cap knows of calls that were recorded without it", run: the_cap_knows_of_recorded_calls },
    Check { name: "deleting prompts deletes nothing that was spent", run: deleting_prompts_deletes_nothing_spent },
    Check { name: "many threads never pass the cap", run: many_threads_never_pass_the_cap },
    Check { name: "a caller's calls and money are capped a day", run: a_callers_calls_and_money_are_capped_a_day },
    Check { name: "each caller has its own caps", run: each_caller_has_its_own_caps },
    Check { name: "the budget of a session holds over midnight", run: the_budget_of_a_session_holds_over_midnight },
    Check { name: "what is set aside for a caller is its own", run: what_is_set_aside_for_a_caller_is_its_own },
    Check { name: "many threads never pass the caps of a caller", run: many_threads_never_pass_the_caps_of_a_caller },
];

const DAY_MS: i64 = 86_400_000;

fn nanos(nanos: u64) -> Money {
    Money::from_nanos(nanos)
}

fn call(seed: u32, worst: u64) -> SpendCall {
    SpendCall {
        id: samples::id(seed),
        at: samples::moment(0),
        session_id: Some(samples::session_id(seed)),
        command: "generate".into(),
        phase: "solutio".into(),
        provider: "openai".into(),
        model: "m-1".into(),
        tags: Vec::new(),
        worst: Some(nanos(worst)),
        caller: None,
    }
}

/// A caller with these caps.
fn caller(id: &str, budget: Option<u64>, calls: Option<u64>) -> Arc<Caller> {
    Arc::new(Caller { id: id.into(), budget: budget.map(nanos), max_calls: calls, period: CapPeriod::Day })
}

fn need(calls: u64, worst: u64) -> Need {
    Need { calls, money: nanos(worst) }
}

fn admit_for(store: &dyn Store, seed: u32, worst: u64, of: &Arc<Caller>) -> Admitted {
    store.admit_call(SpendCall { caller: Some(Arc::clone(of)), ..call(seed, worst) }, Money::MAX).wait().unwrap()
}

fn counted_to(store: &dyn Store, of: &str) -> (u64, u64) {
    let need = store.counted_to(caller(of, None, None), samples::moment(0)).wait().unwrap();
    (need.calls, need.money.nanos())
}

fn answered(cost: u64) -> CallEnd {
    CallEnd::Answered { input_tokens: 10, output_tokens: 5, cost: Some(nanos(cost)), counted: nanos(cost) }
}

fn admit(store: &dyn Store, seed: u32, worst: u64, cap: u64) -> Admitted {
    store.admit_call(call(seed, worst), nanos(cap)).wait().unwrap()
}

fn counted(store: &dyn Store) -> u64 {
    store.counted_on(samples::moment(0)).wait().unwrap().nanos()
}

fn all(store: &dyn Store) -> SpendRow {
    let mut rows = store.spend(SpendQuery::default()).wait().unwrap();
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

fn by(store: &dyn Store, by: SpendBy) -> BTreeMap<String, (u64, u64)> {
    let rows = store.spend(SpendQuery { by: Some(by), ..SpendQuery::default() }).wait().unwrap();
    rows.into_iter().map(|row| (row.key, (row.calls, row.cost.nanos()))).collect()
}

fn calls_are_added_up_by_each_key(store: &dyn Store) {
    let later = from_millis(samples::EPOCH_MS + DAY_MS);
    let tagged = |tags: &[&str]| tags.iter().map(|&tag| tag.to_owned()).collect::<Vec<_>>();
    let unpriced = CallEnd::Answered { input_tokens: 7, output_tokens: 3, cost: None, counted: nanos(0) };
    let recorded = [
        (SpendCall { tags: tagged(&["a", "b"]), ..call(1, 100) }, answered(60)),
        (SpendCall { phase: "judge".into(), at: later, ..call(2, 100) }, answered(30)),
        (SpendCall { provider: "lab".into(), tags: tagged(&["a"]), worst: None, ..call(3, 0) }, unpriced),
        (SpendCall { model: "m-2".into(), command: "batch".into(), session_id: None, ..call(4, 100) }, CallEnd::Failed),
        (SpendCall { model: "m-2".into(), ..call(5, 100) }, CallEnd::Unseen),
    ];
    for (call, end) in recorded {
        store.record_call(call, end).wait().unwrap();
    }
    assert!(matches!(admit(store, 6, 50, 1000), Admitted::Yes));

    let expected = SpendRow {
        key: String::new(),
        calls: 6,
        failed: 1,
        unseen: 2,
        unpriced: 1,
        input_tokens: 27,
        output_tokens: 13,
        cost: nanos(90),
        unseen_cost: nanos(150),
    };
    assert_eq!(all(store), expected);
    let rows = |rows: &[(&str, (u64, u64))]| {
        rows.iter().map(|(key, sums)| ((*key).to_owned(), *sums)).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(by(store, SpendBy::Day), rows(&[("2026-01-01", (5, 60)), ("2026-01-02", (1, 30))]));
    assert_eq!(by(store, SpendBy::Model), rows(&[("m-1", (4, 90)), ("m-2", (2, 0))]));
    assert_eq!(by(store, SpendBy::Provider), rows(&[("lab", (1, 0)), ("openai", (5, 90))]));
    assert_eq!(by(store, SpendBy::Phase), rows(&[("judge", (1, 30)), ("solutio", (5, 60))]));
    assert_eq!(by(store, SpendBy::Command), rows(&[("batch", (1, 0)), ("generate", (5, 90))]));
    assert_eq!(by(store, SpendBy::Tag), rows(&[("", (4, 30)), ("a", (2, 60)), ("b", (1, 60))]));
}

fn calls_are_told_apart_by_their_moment(store: &dyn Store) {
    for seed in 0..10 {
        let call = SpendCall { at: samples::moment(seed), ..call(seed, 0) };
        store.record_call(call, answered(1)).wait().unwrap();
    }
    let between = |since: Option<u32>, until: Option<u32>| {
        let query = SpendQuery { by: None, since: since.map(samples::moment), until: until.map(samples::moment) };
        store.spend(query).wait().unwrap()[0].calls
    };
    assert_eq!((between(None, None), between(Some(3), None), between(None, Some(3))), (10, 7, 3));
    assert_eq!((between(Some(3), Some(5)), between(Some(5), Some(3))), (2, 0));
}

fn where_nothing_was_spent_there_is_one_empty_sum(store: &dyn Store) {
    let check = || {
        assert_eq!(all(store), SpendRow::default());
        assert_eq!((by(store, SpendBy::Day), counted(store)), (BTreeMap::new(), 0));
    };
    check();
    store_samples(store, 1);
    check();
}

fn a_call_is_admitted_up_to_the_cap(store: &dyn Store) {
    assert_eq!(admit(store, 1, 60, 100), Admitted::Yes);
    assert_eq!(admit(store, 2, 41, 100), Admitted::No { counted: nanos(60) });
    assert_eq!(admit(store, 3, 40, 100), Admitted::Yes);
    assert_eq!(admit(store, 4, 1, 100), Admitted::No { counted: nanos(100) });
    assert_eq!(admit(store, 5, 0, 100), Admitted::Yes);
    assert_eq!((counted(store), all(store).calls), (100, 3));
}

fn an_end_makes_room_and_is_told_once(store: &dyn Store) {
    let end = |seed, end| store.end_call(samples::id(seed), end).wait().unwrap();
    assert_eq!(admit(store, 1, 60, 100), Admitted::Yes);
    assert_eq!(admit(store, 2, 40, 100), Admitted::Yes);
    end(1, answered(25));
    assert_eq!(counted(store), 65);
    end(1, answered(1));
    end(1, CallEnd::Failed);
    assert_eq!(counted(store), 65, "an end is final");
    end(2, CallEnd::Failed);
    assert_eq!(counted(store), 25);
    end(77, answered(5));
    assert_eq!(admit(store, 3, 75, 100), Admitted::Yes);
    // The provider charged more than the worst case: the actual cost counts.
    end(3, answered(500));
    assert_eq!(counted(store), 525);
    assert_eq!((all(store).cost, all(store).failed), (nanos(525), 1));
}

fn an_end_nobody_waited_for_is_seen(store: &dyn Store) {
    for seed in 0..50 {
        assert_eq!(admit(store, seed, 100, 100), Admitted::Yes, "{seed}");
        store.end_call(samples::id(seed), CallEnd::Failed).unattended();
    }
}

fn a_call_without_an_end_counts_as_its_worst_case(store: &dyn Store) {
    assert_eq!(admit(store, 1, 60, 100), Admitted::Yes);
    let open = all(store);
    assert_eq!((open.unseen, open.unseen_cost, open.cost), (1, nanos(60), nanos(0)));
    store.end_call(samples::id(1), CallEnd::Unseen).wait().unwrap();
    assert_eq!((all(store), counted(store)), (open, 60));
}

fn a_call_that_was_taken_back_never_was(store: &dyn Store) {
    assert_eq!(admit(store, 1, 60, 100), Admitted::Yes);
    store.withdraw_call(samples::id(1)).wait().unwrap();
    store.withdraw_call(samples::id(1)).wait().unwrap();
    assert_eq!((all(store), counted(store)), (SpendRow::default(), 0));
    store.record_call(call(2, 60), answered(5)).wait().unwrap();
    store.withdraw_call(samples::id(2)).wait().unwrap();
    assert_eq!(counted(store), 5, "one that has ended stays");
}

fn set_aside(store: &dyn Store, seed: u32, at: i64, amount: u64, cap: u64) -> ReservationReply {
    let at = from_millis(samples::EPOCH_MS + at);
    let wanted = SpendReservation { id: samples::id(seed), at, amount: nanos(amount), calls: 3, caller: None };
    store.set_aside(wanted, nanos(cap)).wait().unwrap()
}

fn what_is_set_aside_counts_and_is_drawn_on(store: &dyn Store) {
    assert_eq!(set_aside(store, 1, 0, 90, 100), ReservationReply::Yes);
    assert_eq!((counted(store), all(store).calls), (90, 0), "it counts, and is no call");
    assert_eq!(set_aside(store, 2, 0, 20, 100), ReservationReply::No { counted: nanos(90), chains: 1 });
    assert_eq!(admit(store, 3, 20, 100), Admitted::No { counted: nanos(90) });

    let draw = |keep| Draw { id: samples::id(1), keep: need(2, keep) };
    let from = |seed, worst, keep| store.admit_call_from(call(seed, worst), draw(keep), nanos(100)).wait().unwrap();
    assert_eq!(from(4, 30, 50), Admitted::Yes);
    assert_eq!(counted(store), 80, "30 for the call, 50 for later, and the rest is free");
    assert_eq!(from(5, 60, 0), Admitted::Yes, "50 of its own, and 10 of what is left");
    assert_eq!(counted(store), 90);
    assert_eq!(from(6, 20, 0), Admitted::No { counted: nanos(90) });
    store.end_call(samples::id(4), answered(5)).wait().unwrap();
    store.end_call(samples::id(5), answered(5)).wait().unwrap();
    store.withdraw_call(samples::id(1)).wait().unwrap();
    assert_eq!((counted(store), all(store).calls), (10, 2));
    assert_eq!(by(store, SpendBy::Phase).len(), 1);
}

fn what_a_dead_process_set_aside_comes_free(store: &dyn Store) {
    let lease = i64::try_from(LEASE.as_millis()).unwrap();
    assert_eq!(set_aside(store, 1, 0, 90, 100), ReservationReply::Yes);
    assert_eq!(set_aside(store, 2, lease - 1, 20, 100), ReservationReply::No { counted: nanos(90), chains: 1 });
    assert_eq!(set_aside(store, 2, lease + 1, 20, 100), ReservationReply::Yes);
    assert_eq!(counted(store), 20);
    let draw = Draw { id: samples::id(1), keep: Need::default() };
    let late = store.admit_call_from(call(3, 90), draw, nanos(100)).wait().unwrap();
    assert_eq!(late, Admitted::No { counted: nanos(20) }, "what came free is asked for anew");
}

fn a_call_under_way_is_extended_up_to_the_cap(store: &dyn Store) {
    assert_eq!(admit(store, 1, 60, 100), Admitted::Yes);
    let extend = |by| store.extend_call(samples::id(1), nanos(by), nanos(100), None).wait().unwrap();
    assert_eq!(extend(30), Admitted::Yes);
    assert_eq!(extend(11), Admitted::No { counted: nanos(90) });
    assert_eq!(counted(store), 90);
    store.end_call(samples::id(1), CallEnd::Cut { counted: nanos(95) }).wait().unwrap();
    assert_eq!((counted(store), all(store).unseen_cost.nanos()), (95, 95));
    assert_eq!(extend(1), Admitted::Yes, "nothing happens to a call that has ended");
    assert_eq!(counted(store), 95);
}

fn each_day_has_its_own_total(store: &dyn Store) {
    let midnight = samples::EPOCH_MS + DAY_MS;
    let at = |seed, millis| SpendCall { at: from_millis(millis), ..call(seed, 100) };
    let admit = |call| store.admit_call(call, nanos(100)).wait().unwrap();
    assert_eq!(admit(at(1, midnight - 1)), Admitted::Yes);
    assert_eq!(admit(at(2, midnight - 1)), Admitted::No { counted: nanos(100) });
    assert_eq!(admit(at(3, midnight)), Admitted::Yes);
    // A call is ended on the day it went out.
    store.end_call(samples::id(1), answered(7)).wait().unwrap();
    let counted = |millis| store.counted_on(from_millis(millis)).wait().unwrap().nanos();
    assert_eq!((counted(midnight - 1), counted(midnight), counted(midnight + DAY_MS)), (7, 100, 0));
    assert_eq!(counted(-1), 0);
}

fn the_cap_knows_of_recorded_calls(store: &dyn Store) {
    store.record_call(call(1, 100), answered(30)).wait().unwrap();
    store.record_call(call(2, 40), CallEnd::Unseen).wait().unwrap();
    let assumed = CallEnd::Answered { input_tokens: 1, output_tokens: 1, cost: None, counted: nanos(20) };
    store.record_call(SpendCall { worst: None, ..call(3, 0) }, assumed).wait().unwrap();
    assert_eq!(admit(store, 4, 11, 100), Admitted::No { counted: nanos(90) });
    assert_eq!(admit(store, 5, 10, 100), Admitted::Yes);
}

fn deleting_prompts_deletes_nothing_spent(store: &dyn Store) {
    store_samples(store, 3);
    store.record_call(call(1, 100), answered(30)).wait().unwrap();
    store.apply(Mutation::DeleteWhere { filter: Filter::default() }).wait().unwrap();
    assert_eq!((all(store).calls, counted(store)), (1, 30));
}

fn many_threads_never_pass_the_cap(store: &dyn Store) {
    const CAP: u64 = 1000;
    std::thread::scope(|scope| {
        for thread in 0..8_u128 {
            scope.spawn(move || {
                for number in 0..40_u128 {
                    let call = SpendCall { id: Uuid::from_u128(thread * 1000 + number + 1), ..call(0, 90) };
                    let id = call.id;
                    if store.admit_call(call, nanos(CAP)).wait().unwrap() == Admitted::Yes {
                        let end = if number % 3 == 0 { CallEnd::Failed } else { answered(10) };
                        store.end_call(id, end).unattended();
                    }
                    assert!(counted(store) <= CAP);
                }
            });
        }
    });
    // Calls may have been refused because of ends that were still pending. Now all have ended.
    let mut seed = 8000;
    while admit(store, seed, 90, CAP) == Admitted::Yes {
        store.end_call(samples::id(seed), answered(10)).wait().unwrap();
        seed += 1;
    }
    assert!((911..=CAP).contains(&counted(store)), "{} used", counted(store));
}

fn a_callers_calls_and_money_are_capped_a_day(store: &dyn Store) {
    let of_calls = caller("calls", None, Some(2));
    assert_eq!(admit_for(store, 1, 500, &of_calls), Admitted::Yes);
    assert_eq!(admit_for(store, 2, 500, &of_calls), Admitted::Yes);
    assert_eq!(admit_for(store, 3, 0, &of_calls), Admitted::NoneForCaller { used: need(2, 1000) });
    // One that failed was sent all the same; one that was taken back was not.
    store.end_call(samples::id(1), CallEnd::Failed).wait().unwrap();
    assert_eq!(admit_for(store, 3, 0, &of_calls), Admitted::NoneForCaller { used: need(2, 500) });
    store.withdraw_call(samples::id(2)).wait().unwrap();
    assert_eq!(admit_for(store, 3, 0, &of_calls), Admitted::Yes);

    let of_money = caller("money", Some(100), None);
    assert_eq!(admit_for(store, 11, 60, &of_money), Admitted::Yes);
    assert_eq!(admit_for(store, 12, 41, &of_money), Admitted::NoneForCaller { used: need(1, 60) });
    store.end_call(samples::id(11), answered(25)).wait().unwrap();
    assert_eq!(admit_for(store, 13, 75, &of_money), Admitted::Yes);
    let extend = |of: &Arc<Caller>| {
        store.extend_call(samples::id(13), nanos(1), Money::MAX, Some(Arc::clone(of))).wait().unwrap()
    };
    assert_eq!(extend(&of_money), Admitted::NoneForCaller { used: need(2, 100) });
    assert_eq!(extend(&caller("money", Some(101), None)), Admitted::Yes, "the caps are those of the token");
    assert_eq!(counted_to(store, "money"), (2, 101));
    assert_eq!(counted(store), 101, "and all of it counts for the day");

    let tomorrow = from_millis(samples::EPOCH_MS + DAY_MS);
    let later = SpendCall { at: tomorrow, caller: Some(of_money), ..call(14, 100) };
    assert_eq!(store.admit_call(later, Money::MAX).wait().unwrap(), Admitted::Yes);
    assert_eq!(counted_to(store, "money"), (2, 101), "each day has its own total");
}

fn the_budget_of_a_session_holds_over_midnight(store: &dyn Store) {
    let session = Arc::new(Caller::session("one", 1e-7));
    let day_after = |days: i64, seed, worst| {
        let at = from_millis(samples::EPOCH_MS + days * DAY_MS);
        let call = SpendCall { at, caller: Some(Arc::clone(&session)), ..call(seed, worst) };
        store.admit_call(call, Money::MAX).wait().unwrap()
    };
    assert_eq!(day_after(0, 1, 60), Admitted::Yes);
    assert_eq!(day_after(1, 2, 41), Admitted::NoneForCaller { used: need(1, 60) });
    assert_eq!(day_after(1, 3, 40), Admitted::Yes);
    assert_eq!(day_after(40, 4, 1), Admitted::NoneForCaller { used: need(2, 100) });
    let used = store.counted_to(session, samples::moment(0)).wait().unwrap();
    assert_eq!(used, need(2, 100));
}

fn each_caller_has_its_own_caps(store: &dyn Store) {
    let (one, other) = (caller("one", Some(100), None), caller("other", Some(100), None));
    assert_eq!(admit_for(store, 1, 100, &one), Admitted::Yes);
    assert_eq!(admit_for(store, 2, 1, &one), Admitted::NoneForCaller { used: need(1, 100) });
    assert_eq!(admit_for(store, 3, 100, &other), Admitted::Yes);
    // The day's cap is for both, and the user's own calls have no caller.
    let wanted = SpendCall { caller: Some(caller("third", Some(100), None)), ..call(4, 50) };
    assert_eq!(store.admit_call(wanted, nanos(249)).wait().unwrap(), Admitted::No { counted: nanos(200) });
    assert_eq!(admit(store, 5, 50, 250), Admitted::Yes);
    // Calls that were recorded without caps count as well.
    let free = caller("free", None, None);
    let recorded = SpendCall { caller: Some(free), ..call(6, 100) };
    store.record_call(recorded, answered(70)).wait().unwrap();
    assert_eq!(counted_to(store, "free"), (1, 70));
    let refused = admit_for(store, 7, 31, &caller("free", Some(100), None));
    assert_eq!(refused, Admitted::NoneForCaller { used: need(1, 70) });
    assert_eq!((counted_to(store, "third"), counted_to(store, "nobody")), ((0, 0), (0, 0)));
}

fn what_is_set_aside_for_a_caller_is_its_own(store: &dyn Store) {
    let of = caller("one", Some(100), Some(4));
    let aside = |seed, calls, amount| {
        let at = samples::moment(0);
        let caller = Some(Arc::clone(&of));
        let wanted = SpendReservation { id: samples::id(seed), at, amount: nanos(amount), calls, caller };
        store.set_aside(wanted, Money::MAX).wait().unwrap()
    };
    assert_eq!(aside(1, 3, 90), ReservationReply::Yes);
    assert_eq!(counted_to(store, "one"), (3, 90));
    assert_eq!(aside(2, 1, 11), ReservationReply::NoneForCaller { used: need(3, 90) });
    assert_eq!(aside(2, 2, 1), ReservationReply::NoneForCaller { used: need(3, 90) });
    assert_eq!(admit_for(store, 3, 11, &of), Admitted::NoneForCaller { used: need(3, 90) });
    let from = |seed, worst, keep| {
        let call = SpendCall { caller: Some(Arc::clone(&of)), ..call(seed, worst) };
        store.admit_call_from(call, Draw { id: samples::id(1), keep }, Money::MAX).wait().unwrap()
    };
    assert_eq!(from(4, 30, need(2, 50)), Admitted::Yes);
    assert_eq!(counted_to(store, "one"), (3, 80), "one for the call, two for later");
    assert_eq!(from(5, 60, need(1, 0)), Admitted::Yes, "50 of its own, and 10 of what is left");
    assert_eq!(from(6, 11, need(0, 0)), Admitted::NoneForCaller { used: need(3, 90) });
    store.withdraw_call(samples::id(1)).wait().unwrap();
    assert_eq!(counted_to(store, "one"), (2, 90), "the rest is free");
    assert_eq!(all(store).calls, 2);
}

fn many_threads_never_pass_the_caps_of_a_caller(store: &dyn Store) {
    const CAP: u64 = 1000;
    const CALLS: u64 = 60;
    let of = caller("one", Some(CAP), Some(CALLS));
    std::thread::scope(|scope| {
        for thread in 0..8_u128 {
            let of = &of;
            scope.spawn(move || {
                for number in 0..40_u128 {
                    let id = Uuid::from_u128(thread * 1000 + number + 1);
                    let call = SpendCall { id, caller: Some(Arc::clone(of)), ..call(0, 90) };
                    if store.admit_call(call, Money::MAX).wait().unwrap() == Admitted::Yes {
                        let end = if number % 3 == 0 { CallEnd::Failed } else { answered(10) };
                        store.end_call(id, end).unattended();
                    }
                    let (calls, money) = counted_to(store, "one");
                    assert!(calls <= CALLS && money <= CAP, "{calls} {money}");
                }
            });
        }
    });
    assert_eq!(counted_to(store, "one").0, CALLS);
}
