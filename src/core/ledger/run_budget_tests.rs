//! Tests of a run's caps: what fits is admitted, what could fit waits, what cannot is refused.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::task::noop_waker;
use proptest::prelude::*;

use super::*;

type Asking = Pin<Box<dyn Future<Output = Result<BudgetGuard, Refusal>>>>;

fn nanos(nanos: u64) -> Money {
    Money::from_nanos(nanos)
}

fn run_budget(budget: Option<u64>, calls: Option<u64>) -> Arc<RunBudget> {
    Arc::new(RunBudget::new(Caps { budget: budget.map(Money::from_nanos), calls, assumed_price: None }))
}

fn ask(run_budget: &Arc<RunBudget>, worst: u64) -> Asking {
    let run_budget = Arc::clone(run_budget);
    Box::pin(async move { run_budget.reserve(nanos(worst), None, None).await })
}

fn poll(asking: &mut Asking) -> Poll<Result<BudgetGuard, Refusal>> {
    asking.as_mut().poll(&mut Context::from_waker(&noop_waker()))
}

/// A call that is admitted at once and sent.
fn out(run_budget: &Arc<RunBudget>, worst: u64) -> BudgetGuard {
    match poll(&mut ask(run_budget, worst)) {
        Poll::Ready(Ok(mut hold)) => {
            hold.mark_sent();
            hold
        }
        other => panic!("it was not let through: {other:?}"),
    }
}

fn refusal(mut asking: Asking) -> Refusal {
    match poll(&mut asking) {
        Poll::Ready(Err(refusal)) => refusal,
        other => panic!("it was not refused: {other:?}"),
    }
}

fn tally(calls: u64, spent: u64, reserved: u64) -> Tally {
    Tally { calls, spent: nanos(spent), reserved: nanos(reserved) }
}

#[test]
fn without_caps_everything_goes_and_is_added_up() {
    let run_budget = run_budget(None, None);
    let (first, second) = (out(&run_budget, 10), out(&run_budget, u64::MAX));
    first.settle(nanos(7));
    assert_eq!(run_budget.tally().calls, 2);
    drop(second);
    assert_eq!(run_budget.tally().spent, Money::MAX, "a call whose end nobody saw counts as its worst case");
}

#[test]
fn the_last_call_that_fits_goes_and_the_next_is_refused() {
    let run_budget = run_budget(None, Some(2));
    let both = (out(&run_budget, 0), out(&run_budget, 0));
    assert_eq!(refusal(ask(&run_budget, 0)), Refusal::Calls { cap: 2, wanted: 3 });
    drop(both);
    assert_eq!(refusal(ask(&run_budget, 0)), Refusal::Calls { cap: 2, wanted: 3 }, "a call that ended stays a call");
}

#[test]
fn what_is_too_dear_in_any_case_is_refused_at_once() {
    let run_budget = run_budget(Some(100), None);
    let _under_way = out(&run_budget, 60);
    let refused = Refusal::Budget { cap: nanos(100), spent: nanos(0), reserved: nanos(60), wanted: nanos(101) };
    assert_eq!(refusal(ask(&run_budget, 101)), refused);
    assert_eq!(run_budget.tally(), tally(1, 0, 60));
}

#[test]
fn what_may_fit_later_waits_for_it() {
    let run_budget = run_budget(Some(100), None);
    let under_way = out(&run_budget, 60);
    let mut waiting = ask(&run_budget, 60);
    assert!(poll(&mut waiting).is_pending());
    under_way.settle(nanos(40));
    assert!(matches!(poll(&mut waiting), Poll::Ready(Ok(_))), "60 fit beside 40");
}

#[test]
fn when_nothing_is_under_way_nobody_waits() {
    let run_budget = run_budget(Some(100), None);
    let under_way = out(&run_budget, 60);
    let mut waiting: Vec<Asking> = (0..3).map(|_| ask(&run_budget, 60)).collect();
    assert!(waiting.iter_mut().all(|asking| poll(asking).is_pending()));
    drop(under_way);
    let refused = Refusal::Budget { cap: nanos(100), spent: nanos(60), reserved: nanos(0), wanted: nanos(60) };
    for asking in waiting {
        assert_eq!(refusal(asking), refused);
    }
}

#[test]
fn those_who_wait_are_served_in_their_order_and_no_newcomer_overtakes_them() {
    let run_budget = run_budget(Some(100), None);
    let under_way = out(&run_budget, 90);
    let mut large = ask(&run_budget, 80);
    assert!(poll(&mut large).is_pending());
    let mut small = ask(&run_budget, 5);
    assert!(poll(&mut small).is_pending(), "it would fit, but another came first");
    under_way.settle(nanos(10));
    let Poll::Ready(Ok(mut first)) = poll(&mut large) else { panic!("the first in the queue is not served") };
    first.mark_sent();
    assert!(matches!(poll(&mut small), Poll::Ready(Ok(_))));
}

#[test]
fn one_who_stops_waiting_leaves_no_trace_and_blocks_nobody() {
    let run_budget = run_budget(Some(100), Some(10));
    let under_way = out(&run_budget, 90);
    let mut large = ask(&run_budget, 80);
    let mut small = ask(&run_budget, 5);
    assert!(poll(&mut large).is_pending() && poll(&mut small).is_pending());
    drop(large);
    let Poll::Ready(Ok(hold)) = poll(&mut small) else { panic!("it fits, and nobody is before it any more") };
    drop(hold);
    assert_eq!(run_budget.tally(), tally(1, 0, 90), "what never went out is no call");
    drop(under_way);
    assert_eq!(run_budget.tally(), tally(1, 90, 0));
}

#[test]
fn one_who_was_let_through_and_never_looked_gives_the_place_back() {
    let run_budget = run_budget(Some(100), None);
    let under_way = out(&run_budget, 90);
    let (mut absent, mut next) = (ask(&run_budget, 80), ask(&run_budget, 80));
    assert!(poll(&mut absent).is_pending() && poll(&mut next).is_pending());
    under_way.settle(nanos(0));
    assert_eq!(run_budget.tally(), tally(2, 0, 80), "the first in the queue has it");
    drop(absent);
    assert!(matches!(poll(&mut next), Poll::Ready(Ok(_))));
}

#[test]
fn what_costs_more_than_was_set_aside_is_booked_as_it_is() {
    let run_budget = run_budget(Some(100), None);
    out(&run_budget, 60).settle(nanos(150));
    assert_eq!(run_budget.tally(), tally(1, 150, 0));
    assert!(matches!(refusal(ask(&run_budget, 0)), Refusal::Budget { .. }));
}

/// One step of a random run.
#[derive(Debug, Clone)]
enum Step {
    Ask(u64),
    /// Settles the call at this index at a percentage of its worst case.
    Settle(usize, u64),
    Lose(usize),
    StopWaiting(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0_u64..60).prop_map(Step::Ask),
        3 => (any::<usize>(), 0_u64..=100).prop_map(|(at, percent)| Step::Settle(at, percent)),
        1 => any::<usize>().prop_map(Step::Lose),
        1 => any::<usize>().prop_map(Step::StopWaiting),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Whatever is requested, settled, lost and given up in any order: no cap is exceeded, no
    /// request waits forever, queues are first in first out, and no refused request could have fit.
    #[test]
    fn no_cap_is_passed_and_nobody_waits_in_vain(
        budget in prop::option::of(0_u64..200),
        calls in prop::option::of(0_u64..20),
        steps in prop::collection::vec(step(), 1..80),
    ) {
        let run_budget = run_budget(budget, calls);
        let mut out: Vec<(BudgetGuard, u64)> = Vec::new();
        let mut waiting: Vec<(Asking, u64)> = Vec::new();
        let mut expected = 0_u64;
        for step in steps {
            match step {
                Step::Ask(worst) => waiting.push((ask(&run_budget, worst), worst)),
                Step::Settle(at, percent) if !out.is_empty() => {
                    let (hold, worst) = out.swap_remove(at % out.len());
                    expected += worst * percent / 100;
                    hold.settle(nanos(worst * percent / 100));
                }
                Step::Lose(at) if !out.is_empty() => {
                    let (hold, worst) = out.swap_remove(at % out.len());
                    expected += worst;
                    drop(hold);
                }
                Step::StopWaiting(at) if !waiting.is_empty() => drop(waiting.remove(at % waiting.len())),
                _ => {}
            }
            let mut still = Vec::new();
            for (mut asking, worst) in waiting {
                match poll(&mut asking) {
                    Poll::Ready(Ok(mut hold)) => {
                        prop_assert!(still.is_empty(), "overtaken");
                        hold.mark_sent();
                        out.push((hold, worst));
                    }
                    Poll::Ready(Err(Refusal::Calls { cap, .. })) => prop_assert_eq!(run_budget.tally().calls, cap),
                    Poll::Ready(Err(_)) => {
                        let budget = budget.expect("there is a budget");
                        prop_assert!(run_budget.tally().spent.nanos() + worst > budget, "it would have fitted");
                    }
                    Poll::Pending => still.push((asking, worst)),
                }
            }
            waiting = still;
            let Tally { calls: made, spent, reserved } = run_budget.tally();
            prop_assert!(made <= calls.unwrap_or(u64::MAX));
            prop_assert!((spent + reserved).nanos() <= budget.unwrap_or(u64::MAX));
            prop_assert_eq!(spent.nanos(), expected);
            prop_assert_eq!(reserved.nanos(), out.iter().map(|(_, worst)| worst).sum::<u64>());
            prop_assert!(waiting.is_empty() || !out.is_empty(), "somebody waits for nothing");
        }
    }
}

#[tokio::test]
async fn calls_that_are_set_aside_together_are_made_in_any_order() {
    let run_budget = run_budget(Some(100), Some(10));
    let all = run_budget.allot_calls(Need { calls: 3, money: nanos(90) }).await.unwrap();
    // Others have seven calls and a tenth of the money.
    assert!(matches!(refusal(ask(&run_budget, 11)), Refusal::Budget { .. }));
    let call = |worst| run_budget.reserve(nanos(worst), Some(all.source(0)), None);
    let mut large = call(70).await.unwrap();
    large.mark_sent();
    large.settle(nanos(50));
    let mut small = call(40).await.unwrap();
    small.mark_sent();
    small.settle(nanos(1));
    assert_eq!(run_budget.tally(), tally(2, 51, 39));
    assert!(matches!(
        run_budget.allot_calls(Need { calls: 9, money: nanos(1) }).await,
        Err(Refusal::ChainCalls { .. })
    ));
    drop(all);
    assert_eq!(run_budget.tally(), tally(2, 51, 0));
}

#[tokio::test]
async fn a_scope_counts_its_own_calls_and_the_run_all_of_them() {
    let run_budget = run_budget(None, None);
    let scope: Arc<UsageScope> = Arc::default();
    let usage = |input_tokens| CallUsage { input_tokens, output_tokens: 1, cost: Some(nanos(5)), assumed: None };
    let own = run_budget.reserve(nanos(9), None, Some(Arc::clone(&scope))).await.unwrap();
    own.count_answered(usage(7));
    own.settle(nanos(5));
    let other = run_budget.reserve(nanos(9), None, None).await.unwrap();
    other.count_answered(usage(100));
    other.count_unseen(Some(nanos(9)));
    other.settle(nanos(5));
    let tokens = |answered: AnsweredUsage| answered.account().unwrap().input_tokens;
    assert_eq!((tokens(scope.answered()), tokens(run_budget.answered())), (7, 107));
    assert_eq!((scope.unseen().calls, run_budget.unseen().calls), (0, 1));
}
