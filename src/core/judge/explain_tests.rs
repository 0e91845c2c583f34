//! Tests of explanations, with made-up answers.

use std::collections::BTreeMap;

use super::super::conclude::{Concluded, conclude};
use super::*;
use crate::domain::{JudgeProfile, Judgement, ModelMetadata, Prompt};
use crate::judge::tests::candidates;
use crate::store::samples;

/// A judgement with these answers `(first, second, margin)` and `missing` unanswered questions.
fn judgement(all: &[Prompt], said: &[(usize, usize, f64)], missing: u32) -> Judgement {
    let verdicts = said.iter().map(|&(first, second, margin)| PairVerdict {
        judge: 0,
        first: all[first].id,
        second: all[second].id,
        margin,
        criteria: BTreeMap::new(),
        reasoning: match margin {
            m if m > 0.0 => "[A] names its audience, candidate B's is vague.".to_owned(),
            m if m < 0.0 => "B names its audience.".to_owned(),
            _ => "A and B are alike.".to_owned(),
        },
    });
    Judgement {
        verdicts: verdicts.collect(),
        ratings: Vec::new(),
        candidates: all.iter().map(super::super::candidate).collect(),
        judges: vec![JudgeName { provider: "sim".into(), model: "sim".into() }],
        missing,
        model_metadata: ModelMetadata::sum(&[]),
        ..samples::judgement(1, &[2, 3])
    }
}

fn concluded(all: &[Prompt], said: &[(usize, usize, f64)]) -> Concluded {
    conclude(&judgement(all, said, 0), &[None]).unwrap()
}

fn three() -> (Vec<Prompt>, [String; 3]) {
    let all = candidates(&["one", "two", "three"]);
    let names = [0, 1, 2].map(|at: usize| all[at].id.short());
    (all, names)
}

/// Every pair in both orders, with the margin of the first in each.
fn both(margins: [(f64, f64); 3]) -> Vec<(usize, usize, f64)> {
    let pairs = [(0, 1), (0, 2), (1, 2)];
    pairs.iter().zip(margins).flat_map(|(&(a, b), (forward, backward))| [(a, b, forward), (b, a, backward)]).collect()
}

#[test]
fn a_judge_is_only_said_to_follow_the_place_where_both_orders_cancel_out_everywhere() {
    let (all, _) = three();
    let warned = |margins| concluded(&all, &both(margins)).warnings.len();
    assert_eq!(warned([(1.0, 1.0), (0.5, 0.5), (-0.5, -0.5)]), 1);
    assert_eq!(warned([(0.5, 0.0), (0.5, 0.0), (0.0, 0.5)]), 0, "no order agrees, and the means say something");
    assert_eq!(warned([(1.0, 0.5), (0.5, 0.5), (0.5, 0.5)]), 0);
    assert_eq!(warned([(0.0, 0.0); 3]), 0, "what is always even prefers no place");
    let two = candidates(&["one", "two"]);
    assert_eq!(concluded(&two, &[(0, 1, 1.0), (1, 0, 1.0)]).warnings.len(), 0, "one comparison says little");
}

#[test]
fn the_candidates_of_a_reason_are_named_whatever_the_order() {
    let (all, [one, two, _]) = three();
    let told = |said: &[(usize, usize, f64)]| concluded(&all, said).comparisons[0].reasoning.clone();
    assert_eq!(told(&[(0, 1, 1.0), (1, 0, -0.5)]), format!("{one} names its audience, {two}'s is vague."));
    assert_eq!(told(&[(0, 1, 0.0), (1, 0, -0.5)]), format!("{one} names its audience."));
    assert_eq!(told(&[(0, 1, -0.5), (1, 0, 1.0)]), format!("{two} names its audience, {one}'s is vague."));
}

#[test]
fn a_reason_speaks_for_the_outcome() {
    let (all, [one, two, _]) = three();
    let told = |said: &[(usize, usize, f64)]| concluded(&all, said).comparisons[0].clone();
    let close = told(&[(0, 1, -0.5), (1, 0, -1.0)]);
    assert_eq!(close.winner, Some(all[0].id));
    assert_eq!(close.reasoning, format!("{one} names its audience."), "not the other order's");
    let even = told(&[(0, 1, 1.0), (1, 0, 1.0)]).reasoning;
    assert!(even.starts_with("The answers cancel out. For "), "{even}");
    for part in [format!("For {one}: {one} names"), format!("For {two}: {two} names")] {
        assert!(even.contains(&part), "no {part} in {even}");
    }
    let alike = told(&[(0, 1, 0.0), (1, 0, 0.0)]).reasoning;
    assert!(alike.starts_with(&one) || alike.starts_with(&two), "{alike}");
    assert!(alike.ends_with(" are alike.") && alike.contains(&one) && alike.contains(&two), "{alike}");
}

#[test]
fn an_outcome_that_no_answer_speaks_for_says_why() {
    let mut all = candidates(&["one", "two"]);
    all[0].content = "a longer one ".repeat(20);
    let [one, two] = [0, 1].map(|at: usize| all[at].id.short());
    let profile = JudgeProfile { length_slope: Some(0.4), usable: true, faults: Vec::new(), ..samples::profile(1) };
    let told = |said: &[(usize, usize, f64)]| {
        let concluded = conclude(&judgement(&all, said, 0), &[Some(profile.clone())]).unwrap();
        concluded.comparisons[0].clone()
    };
    let even = told(&[(0, 1, 0.5), (1, 0, -0.5)]);
    assert_eq!(even.winner, None, "{even:?}");
    assert!(even.reasoning.starts_with(NO_MORE_THAN_LENGTH), "{even:?}");
    assert!(even.reasoning.contains(&format!("{one} names its audience")), "{even:?}");
    let turned = told(&[(0, 1, 0.0), (1, 0, 0.0)]);
    assert_eq!(turned.winner, Some(all[1].id));
    assert_eq!(turned.reasoning, format!("{AGAINST_THE_ANSWERS} As answered it is even: {two} and {one} are alike."));
}

#[test]
fn a_circle_is_said() {
    let (all, names) = three();
    let circle = concluded(&all, &both([(1.0, -1.0), (-0.5, 0.5), (1.0, -1.0)]));
    assert!(circle.reasoning.contains("no order fits all verdicts"), "{}", circle.reasoning);
    assert!(names.iter().all(|name| circle.reasoning.contains(&format!("{name} beat "))), "{}", circle.reasoning);
    let order = concluded(&all, &both([(1.0, -1.0), (0.5, -0.5), (1.0, -1.0)]));
    assert!(!order.reasoning.contains(" beat "), "{}", order.reasoning);
}

#[test]
fn the_orders_are_said_to_agree_only_where_there_were_two() {
    let (all, _) = three();
    assert_eq!(concluded(&all, &[(0, 1, 1.0), (0, 2, 0.5), (2, 1, 0.5)]).swap_consistency, None);
    assert_eq!(concluded(&all, &both([(1.0, -1.0), (1.0, 1.0), (0.5, -0.5)])).swap_consistency, Some(2.0 / 3.0));
}

#[test]
fn what_is_missing_is_told_as_what_it_was() {
    let told = |lost: MissingAnswers| lost.told().unwrap_or_default();
    assert_eq!(MissingAnswers::default().told(), None);
    assert_eq!(
        told(MissingAnswers { unreadable: 2, timed_out: 1, ..MissingAnswers::default() }),
        "2 answers could not be read, 1 timed out; they are not counted."
    );
    assert_eq!(
        told(MissingAnswers { failed: 1, ..MissingAnswers::default() }),
        "1 question failed; it is not counted."
    );
    assert_eq!(told(MissingAnswers::unknown(3)), "3 questions stayed without a valid answer; they are not counted.");
    let capped = MissingAnswers { refused_by_cap: 4, asked: 11, ..MissingAnswers::default() };
    assert_eq!(told(capped), "The cap ended the selection after 7 of 11 calls.");
    assert_eq!(told(MissingAnswers { asked: 0, ..capped }), "The cap kept 4 questions from being asked.");
    assert_eq!(
        told(MissingAnswers { unreadable: 1, ..capped }),
        "1 answer could not be read; it is not counted. The cap ended the selection after 7 of 11 calls."
    );
    let (all, _) = three();
    let concluded = conclude(&judgement(&all, &[(0, 1, 1.0)], 2), &[None]).unwrap();
    assert!(concluded.reasoning.contains("2 questions stayed without a valid answer"), "{}", concluded.reasoning);
}

#[test]
fn a_long_reason_is_cut_between_words() {
    let long = "word ".repeat(100);
    let short = shortened(&long);
    assert!(short.ends_with("word…") && short.chars().count() <= MOST_REASON_CHARS + 1, "{short}");
    assert_eq!(shortened(" a\nb "), "a b");
}

#[test]
fn what_was_taken_off_for_length_is_said_and_so_is_that_a_judge_was_never_tested() {
    let (all, _) = three();
    let judgement = judgement(&all, &both([(1.0, -1.0); 3]), 0);
    let with = |profile: Option<JudgeProfile>| conclude(&judgement, &[profile]).unwrap().reasoning;
    let profile = |slope| JudgeProfile { length_slope: Some(slope), labels: None, ..crate::judge::tests::sound() };
    let (plain, liking) = (with(Some(profile(0.0))), with(Some(profile(0.5))));
    assert!(!plain.contains("longer texts") && liking.contains("`sim/sim` prefers longer texts"), "{plain}\n{liking}");
    assert!(!plain.contains("judge audit") && with(None).contains("`aludel judge audit sim/sim` measures it"));
}
