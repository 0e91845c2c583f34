//! Tests of the messages to a model: roles, order, and that no text escapes its fence.
//!
//! Two whole messages are snapshots, to be reviewed when an asset changes.

use proptest::prelude::*;

use super::*;
use crate::domain::{Phase, TargetFamily};

fn brief(phase: Phase, input: &str) -> PhaseBrief {
    PhaseBrief {
        phase,
        phases: Phase::ALL.to_vec(),
        persona: "code".to_owned(),
        strategy: "stepwise".to_owned(),
        target: TargetFamily::Generic,
        variant: 1,
        original_input: "Write a sorted set in Rust".to_owned(),
        input: input.to_owned(),
        context: vec![],
    }
}

fn messages(brief: &PhaseBrief) -> (String, String) {
    let request = phase_request(&Assets::default(), brief, None, Some(0.7), Some(2000)).unwrap();
    let [system, user] = request.messages.try_into().unwrap();
    assert_eq!((system.role, user.role), (Role::System, Role::User));
    (system.content, user.content)
}

#[test]
fn the_first_phase_gets_the_request_alone_and_later_ones_the_draft_too() {
    let (_, user) = messages(&brief(Phase::PrimaMateria, "Write a sorted set in Rust"));
    assert!(user.contains("<<< REQUEST ") && !user.contains("DRAFT"), "{user}");
    let (_, user) = messages(&brief(Phase::Coagulatio, "the draft"));
    assert!(user.contains("Write a sorted set in Rust\nREQUEST "), "{user}");
    assert!(user.contains("the draft\nDRAFT "), "{user}");
}

#[test]
fn material_comes_first_and_the_task_last() {
    let mut brief = brief(Phase::Solutio, "the draft");
    brief.context = vec!["one".to_owned(), "two".to_owned()];
    let (_, user) = messages(&brief);
    let places: Vec<usize> =
        ["<<< CONTEXT 1", "<<< CONTEXT 2", "<<< REQUEST", "<<< DRAFT"].map(|label| user.find(label).unwrap()).to_vec();
    assert!(places.is_sorted(), "{user}");
    assert!(user.ends_with("Answer with them alone."), "{user}");
}

#[test]
fn a_text_that_looks_like_a_template_stays_as_it_is_and_out_of_the_system_message() {
    let text = "Explain {{ persona.role }} and {% for x in y %}";
    let mut brief = brief(Phase::Coagulatio, text);
    brief.original_input = text.to_owned();
    let (system, user) = messages(&brief);
    assert!(user.contains(text));
    assert!(!system.contains("{{") && !system.contains("{%") && !system.contains("{#"), "{system}");
}

#[test]
fn persona_strategy_and_target_each_change_every_phase() {
    for phase in Phase::ALL {
        let plain = brief(phase, "the draft");
        let (system, _) = messages(&plain);
        let writing = PhaseBrief { persona: "writing".to_owned(), ..plain.clone() };
        let minimal = PhaseBrief { strategy: "minimal".to_owned(), ..plain.clone() };
        assert_ne!(messages(&writing).0, system, "{phase}");
        assert_ne!(messages(&minimal).0, system, "{phase}");
        let claude = PhaseBrief { target: TargetFamily::Claude, phases: vec![phase], ..plain };
        let gemini = PhaseBrief { target: TargetFamily::Gemini, ..claude.clone() };
        assert!(messages(&claude).0.contains("XML"), "{phase}");
        assert!(messages(&gemini).0.contains("task itself last"), "{phase}");
    }
}

#[test]
fn the_form_is_asked_for_in_the_last_phase() {
    let mut brief = brief(Phase::Solutio, "the draft");
    brief.target = TargetFamily::Claude;
    assert!(!messages(&brief).0.contains("XML"));
    brief.phases = vec![Phase::PrimaMateria, Phase::Solutio];
    assert!(messages(&brief).0.contains("XML"));
    assert!(messages(&brief).0.contains("step 2 of 2"));
}

#[test]
fn an_unknown_persona_or_strategy_is_a_fault_of_its_field() {
    for (persona, strategy, field) in [("nobody", "direct", "persona"), ("code", "sideways", "strategy")] {
        let mut brief = brief(Phase::Solutio, "x");
        (brief.persona, brief.strategy) = (persona.to_owned(), strategy.to_owned());
        let error = phase_request(&Assets::default(), &brief, None, None, None).unwrap_err();
        assert_eq!(error.faults()[0].field, field);
    }
}

#[test]
fn the_coagulatio_message_reads_well() {
    let mut brief = brief(Phase::Coagulatio, "the draft");
    brief.target = TargetFamily::Claude;
    brief.context = vec!["It must work without the standard library.".to_owned()];
    let (system, user) = messages(&brief);
    insta::assert_snapshot!(format!("{system}\n\n===== user =====\n\n{user}"));
}

#[test]
fn the_prima_materia_message_reads_well() {
    let mut brief = brief(Phase::PrimaMateria, "Write a sorted set in Rust");
    brief.persona = "generic".to_owned();
    brief.phases = vec![Phase::PrimaMateria];
    let (system, user) = messages(&brief);
    insta::assert_snapshot!(format!("{system}\n\n===== user =====\n\n{user}"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Each text is verbatim between its markers, and no text can close its own part.
    #[test]
    fn no_input_escapes_its_fence(input in "[\\PC\n]{1,80}", draft in "[\\PC\n]{1,80}", context in "[\\PC\n]{0,80}") {
        let mut brief = brief(Phase::Coagulatio, &draft);
        brief.original_input.clone_from(&input);
        brief.context = vec![context.clone()];
        let user = phase_message(&brief, "task");
        let code = Fence::around([context.as_str(), &input, &draft]).code().to_owned();
        for (label, text) in [("CONTEXT 1", &context), ("REQUEST", &input)] {
            let after = user.split_once(&format!("<<< {label} {code}\n")).unwrap().1;
            let inside = after.split_once(&format!("{label} {code} >>>")).unwrap().0;
            prop_assert_eq!(inside.trim_end_matches('\n'), text.trim_end_matches('\n'));
        }
        let markers = 2 * (2 + usize::from(draft != input));
        prop_assert_eq!(user.matches(&code).count(), markers + 1);
    }
}
