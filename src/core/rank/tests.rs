//! Properties of ranking: the score is the weighted sum, ties are broken, the order of the variants
//! does not matter, and repetition does not help. The measures are tested in their own module.

use proptest::prelude::*;

use super::*;
use crate::domain::{ModelMetadata, Phase, SessionId, Source};
use crate::time::from_millis;

/// A prompt with this content and a numbered id.
fn prompt(number: u128, content: &str) -> Prompt {
    Prompt {
        id: PromptId(uuid::Uuid::from_u128(number)),
        session_id: SessionId(uuid::Uuid::from_u128(0)),
        variant: 0,
        content: content.to_owned(),
        original_input: String::new(),
        phase: Phase::Coagulatio,
        persona: "code".to_owned(),
        provider: "sim".to_owned(),
        model: "m".to_owned(),
        temperature: 0.7,
        max_tokens: 100,
        tags: vec![],
        context: vec![],
        notes: None,
        parent_id: None,
        source: Source::Generated,
        strategy: "direct".to_owned(),
        revision: 1,
        score: None,
        score_formula: None,
        steps: vec![],
        model_metadata: ModelMetadata { cost_usd: Some(0.0), ..ModelMetadata::default() },
        created_at: from_millis(0),
        updated_at: from_millis(0),
    }
}

fn check(label: &str, any: &[&str]) -> Check {
    Check { label: label.to_owned(), any: any.iter().map(|word| (*word).to_owned()).collect() }
}

fn ranked(prompts: &[Prompt], input: &str, checks: &[Check]) -> Vec<Ranking> {
    rank(prompts, &inputs(input, checks, &Weights::default()))
}

fn inputs<'a>(input: &'a str, checks: &'a [Check], weights: &'a Weights) -> RankInputs<'a> {
    RankInputs { original_input: input, context: &[], gaps: 0, checks, weights, history: None }
}

const INPUT: &str = "Write a Python function that finds prime numbers up to 1000, without external libraries";

#[test]
fn a_prompt_that_keeps_the_request_beats_one_that_loses_it_and_one_that_rambles() {
    let good = "# Task\nWrite a Python function that finds the prime numbers up to 1000.\n\n# Constraints\n- no external libraries\n\
        - work without any import\n- handle 0 and 1\n\n# Output\nOne code block with the function and a test.";
    let lost = "# Task\nWrite a function about numbers.\n\n# Output\nCode.";
    let rambling = "Please note that it is very important that you simply write some really great Python function that somehow finds \
        prime numbers up to 1000 in an appropriate way without external libraries and various other things as discussed.";
    let rankings =
        ranked(&[prompt(1, rambling), prompt(2, lost), prompt(3, good)], INPUT, &[check("tests", &["test"])]);
    assert_eq!(rankings[0].prompt_id.0.as_u128(), 3);
    assert_eq!(rankings.iter().map(|ranking| ranking.rank).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn the_score_is_the_sum_of_components_by_weight() {
    let ranking = &ranked(&[prompt(1, "Write a Python function. Return a list.")], INPUT, &[check("a", &["list"])])[0];
    let sum: f64 = ranking.components.iter().map(|(name, value)| value * ranking.weights[name]).sum();
    assert!((ranking.score - sum).abs() < 1e-12);
    assert!((ranking.weights.values().sum::<f64>() - 1.0).abs() < 1e-9);
    assert_eq!(ranking.components.keys().collect::<Vec<_>>(), ranking.weights.keys().collect::<Vec<_>>());
}

#[test]
fn what_cannot_be_told_is_absent_and_its_weight_is_shared_out() {
    let one = [prompt(1, "Write.")];
    assert!(!ranked(&one, INPUT, &[])[0].components.contains_key("gaps"));
    assert!(!ranked(&one, INPUT, &[])[0].components.contains_key("history"));
    let history = BTreeMap::from([(one[0].id, 0.9)]);
    let weights = Weights::default();
    let inputs = RankInputs { history: Some(&history), ..inputs(INPUT, &[], &weights) };
    let ranking = &rank(&one, &inputs)[0];
    assert!((ranking.components["history"] - 0.9).abs() < 1e-12);
    assert!((ranking.weights["coverage"] / ranking.weights["clarity"] - 0.55 / 0.10).abs() < 1e-9);
}

#[test]
fn the_personas_checks_are_listed_by_phrases_and_stems_and_count_for_nothing() {
    let checks = [check("edge cases", &["edge case"]), check("tests", &["test"]), check("never", &["unicorn"])];
    let one = [prompt(1, "Handle edge cases. Add testing.")];
    let ranking = &ranked(&one, INPUT, &checks)[0];
    let met: Vec<(&str, bool)> = ranking.checks.iter().map(|check| (check.label.as_str(), check.met)).collect();
    assert_eq!(met, [("edge cases", true), ("tests", true), ("never", false)]);
    assert_eq!(ranking.score.to_bits(), ranked(&one, INPUT, &[])[0].score.to_bits());
}

#[test]
fn those_about_equal_share_a_level_and_stand_by_how_well_they_fit_the_persona() {
    let whole = |more: &str| format!("<request>\n{INPUT}\n</request>\n\n{more}");
    let prompts = [
        prompt(1, &whole("Explain each step.")),
        prompt(2, &whole("Add a test for each step, as discussed.")),
        prompt(3, "Write some code about numbers."),
    ];
    let rankings = ranked(&prompts, INPUT, &[check("tests", &["test"])]);
    let places: Vec<(u128, u32, u32)> =
        rankings.iter().map(|ranking| (ranking.prompt_id.0.as_u128(), ranking.rank, ranking.level)).collect();
    assert_eq!(places, [(2, 1, 1), (1, 2, 1), (3, 3, 2)]);
    assert!(rankings[0].score < rankings[1].score);
}

#[test]
fn a_gap_that_is_asked_for_beats_one_that_is_not() {
    let input = "write a complaint";
    let weights = Weights::default();
    let inputs = RankInputs { gaps: 2, ..inputs(input, &[], &weights) };
    let prompts = [
        prompt(1, "<request>\nwrite a complaint\n</request>\n\nWrite it politely."),
        prompt(2, "<request>\nwrite a complaint\n</request>\n\nFirst ask: what is it about? To whom does it go?"),
    ];
    let rankings = rank(&prompts, &inputs);
    assert_eq!(rankings[0].prompt_id.0.as_u128(), 2);
    assert_eq!((rankings[0].components["gaps"], rankings[1].components["gaps"]), (1.0, 0.0));
    assert!(rankings[0].score > rankings[1].score + 0.1);
}

#[test]
fn ties_are_broken_by_cost_then_tokens_then_hash() {
    let with = |number: u128, content: &str, cost: Option<f64>, tokens: u64| {
        let mut prompt = prompt(number, content);
        prompt.model_metadata.cost_usd = cost;
        prompt.model_metadata.total_tokens = tokens;
        prompt
    };
    let same = "Write a function.";
    let prompts =
        [with(1, same, None, 1), with(2, same, Some(0.2), 1), with(3, same, Some(0.1), 9), with(4, same, Some(0.1), 5)];
    let order: Vec<u128> = ranked(&prompts, INPUT, &[]).iter().map(|ranking| ranking.prompt_id.0.as_u128()).collect();
    assert_eq!(order, [4, 3, 2, 1]);
}

#[test]
fn temperature_and_closeness_in_length_to_the_input_count_for_nothing() {
    let content = "# Task\nWrite a Python function.\n# Output\nOne code block.";
    let mut hot = prompt(1, content);
    hot.temperature = 2.0;
    let scores: Vec<f64> = ranked(&[hot, prompt(2, content)], INPUT, &[]).iter().map(|ranking| ranking.score).collect();
    assert_eq!(scores[0].to_bits(), scores[1].to_bits());
}

#[test]
fn the_explanation_names_every_component_with_weight_and_formula() {
    let text = explain();
    for component in Component::ALL {
        assert!(text.contains(&format!(
            "{} ({:.2}): {}",
            component.as_str(),
            component.default_weight(),
            component.formula()
        )));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn the_personas_that_come_with_the_program_tell_fitting_prompts_from_others() {
    let assets = crate::assets::Assets::default();
    for (persona, fitting) in [
        (
            "code",
            "Write a Python function. Input: a list. Handle empty input and raise an error. Add a test. Return one file.",
        ),
        (
            "writing",
            "Write a letter to a customer in a warm tone, at most 100 words, to thank her. Do not use clichés.",
        ),
        (
            "analysis",
            "Answer the question why sales fell. Use the data given. Compare by month. Cite evidence. Close with a table.",
        ),
    ] {
        let checks = &assets.persona(persona).unwrap().checks;
        let unmet = |content: &str| -> Vec<String> {
            let ranking = ranked(&[prompt(1, content)], INPUT, checks).remove(0);
            ranking.checks.into_iter().filter(|check| !check.met).map(|check| check.label).collect()
        };
        assert_eq!(unmet(fitting), Vec::<String>::new(), "{persona}");
        assert_eq!(unmet("Hello there.").len(), checks.len(), "{persona}");
    }
}

fn content() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "(Write|Use|Keep) [a-z]{1,7}( [a-z]{1,7}){0,8}\\.",
        "- (at most|no|without) [0-9]{1,3} [a-z]{1,6}",
        "# [A-Z][a-z]{2,6}",
        "\\PC{0,30}",
    ];
    prop::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn scores_are_ratios_and_the_order_given_changes_nothing(
        input in content(),
        contents in prop::collection::vec(content(), 1..6),
        turn in any::<prop::sample::Index>(),
    ) {
        let mut prompts: Vec<Prompt> = (1..).zip(&contents).map(|(number, content)| prompt(number, content)).collect();
        let checks = [check("a", &["use"])];
        let first = ranked(&prompts, &input, &checks);
        prop_assert!(first.iter().all(|ranking| (0.0..=1.0).contains(&ranking.score)));
        let turn = turn.index(prompts.len());
        prompts.rotate_left(turn);
        prompts.reverse();
        prop_assert_eq!(ranked(&prompts, &input, &checks), first);
    }

    #[test]
    fn saying_all_twice_never_raises_the_score(input in content(), text in content()) {
        let twice = format!("{text}\n\n{text}");
        let score = |content: &str| ranked(&[prompt(1, content)], &input, &[check("a", &["use"])])[0].score;
        prop_assert!(score(&twice) <= score(&text) + 1e-12);
    }
}
