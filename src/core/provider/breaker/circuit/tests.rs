//! The rules one by one, and invariants under any sequence of events.

use proptest::prelude::*;

use super::*;

fn down() -> ProviderError {
    ProviderError::new("p", ProviderFailure::Unavailable, "connection refused")
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A circuit that has just opened.
fn opened(now: Instant) -> Circuit {
    let mut circuit = Circuit::new(BreakerPolicy::default());
    for _ in 0..5 {
        let ticket = circuit.admit(now).unwrap();
        circuit.end(ticket, &Ending::Failed(&down()), now);
    }
    assert!(circuit.refusal(now).is_some());
    circuit
}

#[test]
fn the_fifth_failure_in_a_row_opens() {
    let now = Instant::now();
    let mut circuit = Circuit::new(BreakerPolicy::default());
    for failed in 1..=5 {
        let ticket = circuit.admit(now).unwrap();
        assert!(!ticket.is_trial());
        let change = circuit.end(ticket, &Ending::Failed(&down()), now);
        assert_eq!(change.is_some(), failed == 5);
    }
    let refusal = circuit.admit(now + seconds(10)).unwrap_err();
    assert_eq!((refusal.down_for, refusal.failures), (seconds(10), 5));
    assert_eq!((refusal.cause.as_str(), refusal.next), ("connection refused", NextTry::In(seconds(20))));
}

#[test]
fn an_answer_starts_the_count_anew_and_a_dropped_call_does_not() {
    let now = Instant::now();
    for (between, opens) in [(Ending::Answered, false), (Ending::Nothing, true)] {
        let mut circuit = Circuit::new(BreakerPolicy::default());
        for number in 0..5 {
            let ticket = circuit.admit(now).unwrap();
            circuit.end(ticket, &Ending::Failed(&down()), now);
            if number == 3 {
                let ticket = circuit.admit(now).unwrap();
                circuit.end(ticket, &between, now);
            }
        }
        assert_eq!(circuit.refusal(now).is_some(), opens);
    }
}

#[test]
fn each_failure_says_what_it_says_about_the_provider() {
    for (failure, counts) in [
        (ProviderFailure::Unavailable, "failed"),
        (ProviderFailure::Timeout, "failed"),
        (ProviderFailure::RateLimited, "failed"),
        (ProviderFailure::Auth, "answered"),
        (ProviderFailure::QuotaExhausted, "answered"),
        (ProviderFailure::Rejected, "answered"),
        (ProviderFailure::Refused, "answered"),
        (ProviderFailure::Budget, "nothing"),
        (ProviderFailure::CallLogFailed, "nothing"),
    ] {
        let error = ProviderError::new("p", failure, "x");
        let found = match Ending::of(&error) {
            Ending::Failed(_) => "failed",
            Ending::Answered => "answered",
            Ending::Nothing => "nothing",
        };
        assert_eq!(found, counts, "{failure:?}");
    }
}

#[test]
fn the_pause_is_ours_or_the_providers_wish_when_that_is_longer_up_to_five_minutes() {
    let now = Instant::now();
    for (asked, expected) in [(None, 30), (Some(5), 30), (Some(90), 90), (Some(3600), 300)] {
        let mut circuit = Circuit::new(BreakerPolicy::default());
        let error = down().with_retry_after(asked.map(seconds));
        let mut change = None;
        for _ in 0..5 {
            let ticket = circuit.admit(now).unwrap();
            change = circuit.end(ticket, &Ending::Failed(&error), now);
        }
        let Some(Change::Opened { pause, failures: 5, .. }) = change else { panic!("{change:?}") };
        assert_eq!(pause, seconds(expected), "{asked:?}");
        assert!(circuit.admit(now + seconds(expected)).is_ok());
    }
}

#[test]
fn each_failed_trial_doubles_the_pause() {
    let mut now = Instant::now();
    let begin = now;
    let mut circuit = opened(now);
    let mut pauses = Vec::new();
    for trial in 1..=6 {
        let refusal = circuit.refusal(now).unwrap();
        let NextTry::In(pause) = refusal.next else { panic!("{refusal:?}") };
        pauses.push(pause.as_secs());
        now += pause;
        let ticket = circuit.admit(now).unwrap();
        assert!(ticket.is_trial());
        assert!(matches!(circuit.end(ticket, &Ending::Failed(&down()), now), Some(Change::Opened { .. })));
        let refusal = circuit.refusal(now).unwrap();
        assert_eq!((refusal.failures, refusal.down_for), (5 + trial, now - begin));
    }
    assert_eq!(pauses, [30, 60, 120, 240, 300, 300]);
}

#[test]
fn one_trial_goes_and_the_others_are_refused_until_it_ends() {
    let now = Instant::now();
    let mut circuit = opened(now);
    let later = now + seconds(30);
    let trial = circuit.admit(later).unwrap();
    for wait in [0, 10, 299] {
        assert_eq!(circuit.admit(later + seconds(wait)).unwrap_err().next, NextTry::UnderWay);
    }
    assert_eq!(circuit.end(trial, &Ending::Answered, later + seconds(299)), Some(Change::Closed));
    assert!(!circuit.admit(later).unwrap().is_trial());
}

#[test]
fn a_trial_that_shows_nothing_is_given_back() {
    let now = Instant::now();
    let mut circuit = opened(now);
    let later = now + seconds(30);
    let trial = circuit.admit(later).unwrap();
    assert_eq!(circuit.end(trial, &Ending::Nothing, later + seconds(1)), None);
    let next = circuit.admit(later + seconds(1)).unwrap();
    assert!(next.is_trial());
    assert!(circuit.admit(later + seconds(1)).is_err());
}

#[test]
fn a_trial_that_never_ends_is_followed_by_another_and_says_nothing_any_more() {
    let now = Instant::now();
    let mut circuit = opened(now);
    let forgotten = circuit.admit(now + seconds(30)).unwrap();
    let second = circuit.admit(now + seconds(330)).unwrap();
    assert!(second.is_trial());
    assert_eq!(circuit.end(forgotten, &Ending::Answered, now + seconds(331)), None);
    assert!(circuit.admit(now + seconds(331)).is_err());
    assert_eq!(circuit.end(second, &Ending::Answered, now + seconds(332)), Some(Change::Closed));
}

#[test]
fn calls_from_before_it_opened_change_nothing() {
    let now = Instant::now();
    let mut circuit = Circuit::new(BreakerPolicy::default());
    let mut tickets: Vec<Ticket> = (0..64).map(|_| circuit.admit(now).unwrap()).collect();
    let changes: Vec<_> =
        tickets.drain(..60).map(|ticket| circuit.end(ticket, &Ending::Failed(&down()), now)).collect();
    assert_eq!(changes.iter().flatten().count(), 1);
    assert_eq!(circuit.end(tickets.remove(0), &Ending::Answered, now), None);
    assert_eq!(circuit.refusal(now).unwrap().failures, 5);
    let later = now + seconds(30);
    let trial = circuit.admit(later).unwrap();
    assert_eq!(circuit.end(tickets.remove(0), &Ending::Failed(&down()), later), None);
    circuit.end(trial, &Ending::Answered, later);
    for _ in 0..3 {
        let ticket = circuit.admit(later).unwrap();
        circuit.end(ticket, &Ending::Failed(&down()), later);
    }
    for late in tickets {
        circuit.end(late, &Ending::Failed(&down()), later);
    }
    assert!(circuit.refusal(later).is_none(), "three failures since it closed are not five");
}

/// An event: a call begins, one in flight ends, or time passes.
#[derive(Debug, Clone)]
enum CircuitEvent {
    Begin,
    Answer(usize),
    Fail(usize),
    Drop(usize),
    Wait(u64),
}

fn happening() -> impl Strategy<Value = CircuitEvent> {
    prop_oneof![
        6 => Just(CircuitEvent::Begin),
        1 => (0_usize..8).prop_map(CircuitEvent::Answer),
        5 => (0_usize..8).prop_map(CircuitEvent::Fail),
        1 => (0_usize..8).prop_map(CircuitEvent::Drop),
        2 => (0_u64..400).prop_map(CircuitEvent::Wait),
    ]
}

/// The state inferred from inputs and outputs alone.
#[derive(Default)]
struct Observer {
    /// While closed, the results of calls begun since it closed: true for a failure.
    endings: Vec<bool>,
    /// When it last opened.
    opened: Option<Instant>,
    /// When the trial in flight began.
    trial: Option<Instant>,
    /// Incremented when it opens or closes.
    era: u32,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn whatever_happens_the_laws_hold(happenings in proptest::collection::vec(happening(), 0..160)) {
        let policy = BreakerPolicy::default();
        let mut circuit = Circuit::new(policy);
        let mut now = Instant::now();
        let mut seen = Observer::default();
        let mut under_way: Vec<(u32, Option<Instant>, Ticket)> = Vec::new();
        for happening in happenings {
            let ending = match happening {
                CircuitEvent::Wait(wait) => {
                    now += seconds(wait);
                    continue;
                }
                CircuitEvent::Begin => {
                    match (circuit.admit(now), seen.opened) {
                        (Ok(ticket), None) => {
                            prop_assert!(!ticket.is_trial());
                            under_way.push((seen.era, None, ticket));
                        }
                        (Ok(ticket), Some(opened)) => {
                            prop_assert!(ticket.is_trial());
                            prop_assert!(now >= opened + policy.pause, "no trial before the pause is over");
                            prop_assert!(
                                seen.trial.is_none_or(|trial| now >= trial + policy.longest_pause),
                                "one trial at a time"
                            );
                            seen.trial = Some(now);
                            under_way.push((seen.era, Some(now), ticket));
                        }
                        (Err(refusal), opened) => {
                            let opened = opened.expect("only an open circuit refuses");
                            prop_assert!(seen.trial.is_some() || now < opened + policy.longest_pause);
                            prop_assert_eq!(refusal.next == NextTry::UnderWay, seen.trial.is_some());
                            prop_assert!(refusal.failures >= policy.failures);
                        }
                    }
                    continue;
                }
                CircuitEvent::Answer(call) => (call, Some(false)),
                CircuitEvent::Fail(call) => (call, Some(true)),
                CircuitEvent::Drop(call) => (call, None),
            };
            let (call, failed) = ending;
            if under_way.is_empty() {
                continue;
            }
            let (era, trial, ticket) = under_way.remove(call % under_way.len());
            let error = down();
            let change = circuit.end(ticket, &match failed {
                Some(true) => Ending::Failed(&error),
                Some(false) => Ending::Answered,
                None => Ending::Nothing,
            }, now);
            let is_current = era == seen.era && trial == seen.trial;
            if !is_current {
                prop_assert_eq!(change, None, "a stale ending changed something");
                continue;
            }
            if trial.is_some() {
                seen.trial = None;
                match failed {
                    Some(true) => {
                        prop_assert!(matches!(change, Some(Change::Opened { .. })), "a failed trial");
                        (seen.opened, seen.era) = (Some(now), seen.era + 1);
                    }
                    Some(false) => {
                        prop_assert_eq!(change, Some(Change::Closed));
                        (seen.opened, seen.era, seen.endings) = (None, seen.era + 1, Vec::new());
                    }
                    None => prop_assert_eq!(change, None),
                }
                continue;
            }
            seen.endings.extend(failed);
            let in_a_row = seen.endings.iter().rev().take_while(|failed| **failed).count();
            prop_assert_eq!(matches!(change, Some(Change::Opened { .. })), failed == Some(true) && in_a_row == 5);
            if change.is_some() {
                (seen.opened, seen.era) = (Some(now), seen.era + 1);
            }
        }
        // After the longest pause, one call always gets through, and its answer closes the circuit.
        drop(under_way);
        now += policy.longest_pause * 2;
        let ticket = circuit.admit(now).unwrap();
        if ticket.is_trial() {
            prop_assert!(circuit.admit(now).is_err());
        }
        circuit.end(ticket, &Ending::Answered, now);
        prop_assert!(circuit.refusal(now).is_none());
    }
}
