//! A run on the screen, event by event: states, retries, failures, and any events in any order.

use super::*;
use crate::tui::testing::*;
use aludel_core::domain::VariantFailure;
use aludel_core::error::Error;
use proptest::prelude::*;

fn run_of(kinds: Vec<EventKind>) -> LiveRun {
    let mut run = LiveRun::new(Ticket(1), serde_json::Value::Null, 0);
    for (seq, kind) in (0..).zip(kinds) {
        run.apply(&Event { session_id: session(), seq, kind }, seq * 10);
    }
    run
}

#[test]
fn a_vessel_goes_from_queued_to_done() {
    let phase = Phase::PrimaMateria;
    let mut kinds = vec![started(1)];
    let phase_pane = |kinds: &[EventKind]| {
        format!("{:?}", run_of(kinds.to_vec()).phase_pane(0, 0)).split('(').next().unwrap().to_owned()
    };
    assert_eq!(phase_pane(&kinds), "Queued");
    kinds.push(phase_started(0, phase));
    assert_eq!(phase_pane(&kinds), "Connecting");
    kinds.push(delta(0, phase, "text"));
    assert_eq!(phase_pane(&kinds), "Streaming");
    kinds.push(phase_finished(0, phase, "text", 5));
    assert_eq!(phase_pane(&kinds), "Done");
}

#[test]
fn a_retry_empties_the_vessel_and_says_when() {
    let retrying = EventKind::Retrying {
        variant: 0,
        phase: Phase::PrimaMateria,
        provider: "sim".into(),
        model: "sim-1".into(),
        attempt: 2,
        delay_ms: 6_000,
        error: overloaded(),
    };
    let run = run_of(vec![
        started(1),
        phase_started(0, Phase::PrimaMateria),
        delta(0, Phase::PrimaMateria, "half"),
        retrying,
    ]);
    assert!(matches!(run.phase_pane(0, 0), PhasePane::Retrying { attempt: 2, .. }));
    let pane = run.pane(0, 0).unwrap();
    assert_eq!((pane.text.len(), pane.retry_at), (0, 6_030));
}

#[test]
fn of_a_text_that_never_ends_a_pane_holds_the_end_and_keeps_what_is_read_in_its_place() {
    const LINES: usize = 60_000;
    let phase = Phase::PrimaMateria;
    let mut run = run_of(vec![started(1), phase_started(0, phase)]);
    for piece in 0..LINES / 100 {
        let lines: Vec<String> =
            (0..100).map(|line| format!("this is line number {:>6}", piece * 100 + line)).collect();
        let text = lines.join("\n") + "\n";
        run.apply(&Event { session_id: session(), seq: 2, kind: delta(0, phase, &text) }, 0);
        let pane = run.pane_mut(0, 0).unwrap();
        assert!(pane.text.text().len() <= Pane::MOST_BYTES);
        // The user reads half way down.
        pane.scroll = Scroll { top: pane.text.len() / 2, following: false, touched: true };
    }
    let pane = run.pane(0, 0).unwrap();
    let whole = &run.begun(0, 0).unwrap().text;
    assert!(whole.ends_with(pane.text.text()) && pane.text.text().len() > Pane::MOST_BYTES / 2);
    assert_eq!(pane.dropped_bytes + pane.text.text().len(), whole.len(), "nothing else is missing");

    let read = pane.text.rows(pane.scroll.top).next().unwrap().to_owned();
    let mut run = run;
    let before = run.pane(0, 0).unwrap().dropped_bytes;
    while run.pane(0, 0).unwrap().dropped_bytes == before {
        run.apply(&Event { session_id: session(), seq: 2, kind: delta(0, phase, "one more line of the same\n") }, 0);
    }
    let pane = run.pane(0, 0).unwrap();
    assert_eq!(pane.text.rows(pane.scroll.top).next(), Some(read.as_str()));
}

#[test]
fn the_panes_hold_what_the_core_holds_made_safe() {
    let mut kinds = vec![started(1), phase_started(0, Phase::PrimaMateria)];
    for piece in ["a\u{1b}", "[31", "mb\r", "\nc\t", "世\u{202e}"] {
        kinds.push(delta(0, Phase::PrimaMateria, piece));
    }
    let run = run_of(kinds);
    assert_eq!(run.pane(0, 0).unwrap().text.text(), "ab\nc    世");
    assert_eq!(run.begun(0, 0).unwrap().text, "a\u{1b}[31mb\r\nc\t世\u{202e}", "what is copied is what was written");
}

#[test]
fn content_that_differs_from_what_arrived_is_shown() {
    let run = run_of(vec![
        started(1),
        phase_started(0, Phase::PrimaMateria),
        delta(0, Phase::PrimaMateria, "Sure! Here it is: text"),
        phase_finished(0, Phase::PrimaMateria, "text", 5),
    ]);
    assert_eq!(run.pane(0, 0).unwrap().text.text(), "text");
}

#[test]
fn one_failed_variant_leaves_the_others_alone() {
    let mut kinds = vec![started(2), phase_started(1, Phase::PrimaMateria)];
    kinds.push(EventKind::VariantFailed { variant: 1, phase: Some(Phase::PrimaMateria), error: overloaded() });
    kinds.extend(whole_variant(0, "fine"));
    let failures = vec![VariantFailure { variant: 1, phase: Some(Phase::PrimaMateria), error: *overloaded() }];
    kinds.extend(ending(&[(0, "fine", 0.8)], failures));
    let run = run_of(kinds);
    assert!(matches!(run.phase_pane(1, 0), PhasePane::Failed(_)));
    assert!(matches!(run.phase_pane(1, 1), PhasePane::NotReached));
    assert_eq!((run.best(), run.finished(), run.is_live()), (Some(0), 1, false));
    assert_eq!(run.failure(1).unwrap().upstream_status, Some(529));
}

#[test]
fn a_variant_that_failed_between_phases_says_so_where_it_would_have_gone_on() {
    let mut kinds = vec![started(1)];
    kinds.extend(whole_phase(0, Phase::PrimaMateria, "x"));
    let error = Box::new(Problem::from(Error::Storage("disk full".into())));
    kinds.push(EventKind::VariantFailed { variant: 0, phase: None, error });
    let run = run_of(kinds);
    assert!(matches!(run.phase_pane(0, 0), PhasePane::Done(_)));
    assert!(matches!(run.phase_pane(0, 1), PhasePane::Failed(_)));
    assert!(matches!(run.phase_pane(0, 2), PhasePane::NotReached), "while the run may go on with others");
}

#[test]
fn the_best_comes_to_the_front_unless_the_user_has_chosen() {
    let finish = |choose: bool| {
        let mut run = run_of([vec![started(2)], whole_variant(0, "a"), whole_variant(1, "b")].concat());
        if choose {
            run.choose_variant(-1);
        }
        for (seq, kind) in (50..).zip(ending(&[(0, "a", 0.5), (1, "b", 0.9)], Vec::new())) {
            run.apply(&Event { session_id: session(), seq, kind }, 900);
        }
        run.active
    };
    assert_eq!((finish(false), finish(true)), (1, 0));
}

#[test]
fn a_finished_prompt_rests_at_its_top_unless_the_user_moved_it() {
    let finish = |moved: bool| {
        let phase = Phase::PrimaMateria;
        let mut run = run_of(vec![started(1), phase_started(0, phase), delta(0, phase, "text")]);
        if moved {
            run.pane_mut(0, 0).unwrap().scroll.by(3, 50, 10);
        }
        run.apply(&Event { session_id: session(), seq: 9, kind: phase_finished(0, phase, "text", 1) }, 90);
        let scroll = run.pane(0, 0).unwrap().scroll;
        (scroll.top, scroll.following)
    };
    assert_eq!((finish(false), finish(true)), ((0, false), (3, false)));
}

#[test]
fn the_account_is_the_sum_of_finished_calls_and_then_the_results_own() {
    let mut kinds = vec![started(1)];
    kinds.extend(whole_phase(0, Phase::PrimaMateria, "x"));
    assert_eq!(run_of(kinds.clone()).account().total_tokens, 130);
    let mut kinds = vec![started(1)];
    kinds.extend(whole_variant(0, "x"));
    kinds.extend(ending(&[(0, "x", 0.7)], Vec::new()));
    assert_eq!(run_of(kinds).account().calls, 3);
}

#[test]
fn figures_are_read_twice_a_second() {
    let mut run =
        run_of(vec![started(1), phase_started(0, Phase::PrimaMateria), delta(0, Phase::PrimaMateria, "one two three")]);
    assert_eq!(run.pane(0, 0).unwrap().tokens, 0);
    run.read_figures(100, false);
    assert_eq!(run.pane(0, 0).unwrap().tokens, 0, "not yet due");
    run.read_figures(500, false);
    assert_eq!((run.pane(0, 0).unwrap().tokens, run.elapsed()), (3, 500));
}

#[test]
fn a_word_cut_in_two_is_counted_once() {
    let mut count = TokenCount::default();
    let text = "prime numbers, incomprehensibilities and 1234567\n\n世界";
    for character in text.chars() {
        count.push(&character.to_string());
    }
    assert_eq!(count.total(), tokens::estimate(text));
}

#[test]
fn phases_are_chosen_for_all_variants_and_given_back() {
    let mut run = run_of(
        [vec![started(1)], whole_phase(0, Phase::PrimaMateria, "a"), vec![phase_started(0, Phase::Solutio)]].concat(),
    );
    assert_eq!(run.shown_phase(0), 1);
    run.choose_phase(-1);
    assert_eq!((run.phase, run.shown_phase(0)), (Some(0), 0));
    run.choose_phase(5);
    assert_eq!((run.phase, run.shown_phase(0)), (None, 1));
}

/// Any event, including those of variants and phases that do not exist.
pub(crate) fn any_kind() -> impl Strategy<Value = EventKind> {
    let phase = prop_oneof![Just(Phase::PrimaMateria), Just(Phase::Solutio), Just(Phase::Coagulatio)];
    let at = (0_u32..5, phase);
    let text = "[a-z \\n\u{1b}\\[\\]世]{0,30}";
    prop_oneof![
        1 => (0_u32..5).prop_map(started),
        4 => at.clone().prop_map(|(variant, phase)| phase_started(variant, phase)),
        8 => (at.clone(), text).prop_map(|((variant, phase), text)| delta(variant, phase, &text)),
        4 => (at.clone(), text).prop_map(|((variant, phase), text)| phase_finished(variant, phase, &text, 9)),
        2 => (at.clone(), any::<u16>()).prop_map(|((variant, phase), delay)| EventKind::Retrying {
            variant, phase, provider: "p".into(), model: "m".into(), attempt: 2, delay_ms: delay.into(), error: overloaded()
        }),
        2 => (0_u32..5, text).prop_map(|(variant, text)| EventKind::variant_finished(prompt(variant, &text, None))),
        2 => (at, any::<bool>()).prop_map(|((variant, phase), within)| EventKind::VariantFailed {
            variant, phase: within.then_some(phase), error: overloaded()
        }),
        1 => text.prop_map(|message| EventKind::Warning { variant: None, phase: None, message, code: None }),
        1 => Just(ending(&[(0, "a", 0.5), (3, "b", 0.9)], Vec::new()).remove(0)),
        1 => Just(ending(&[(0, "a", 0.5), (3, "b", 0.9)], Vec::new()).remove(1)),
        1 => Just(EventKind::Failed { error: overloaded() }),
        1 => Just(EventKind::Cancelled {}),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_events_in_any_order_leave_it_whole(kinds in proptest::collection::vec(any_kind(), 0..60)) {
        let run = run_of(kinds);
        for variant in 0..6 {
            for phase in 0..4 {
                _ = run.phase_pane(variant, phase);
            }
            _ = (run.prompt(variant), run.ranking(variant), run.failure(variant), run.shown_phase(variant));
        }
        prop_assert!(run.variants() == 0 || run.active < run.variants());
    }
}
