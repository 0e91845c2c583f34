//! The writer as a whole: what must survive, what must not appear, and prompts that were read and approved.

use super::*;
use crate::provider::TargetFamily;
use crate::text::facts::{self, Facts};

/// The fixtures: requests of very different kinds.
const FIXTURES: &[(&str, &str)] = &[
    ("bug-report", include_str!("fixtures/bug-report.txt")),
    ("compare", include_str!("fixtures/compare.txt")),
    ("cover-letter", include_str!("fixtures/cover-letter.txt")),
    ("german-complaint", include_str!("fixtures/german-complaint.txt")),
    ("injection", include_str!("fixtures/injection.txt")),
    ("japanese", include_str!("fixtures/japanese.txt")),
    ("legal-summary", include_str!("fixtures/legal-summary.txt")),
    ("lesson-plan", include_str!("fixtures/lesson-plan.txt")),
    ("meeting-notes", include_str!("fixtures/meeting-notes.txt")),
    ("one-word", include_str!("fixtures/one-word.txt")),
    ("primes", include_str!("fixtures/primes.txt")),
    ("regex", include_str!("fixtures/regex.txt")),
    ("requirements-list", include_str!("fixtures/requirements-list.txt")),
    ("russian", include_str!("fixtures/russian.txt")),
    ("rust-review", include_str!("fixtures/rust-review.txt")),
    ("sales-csv", include_str!("fixtures/sales-csv.txt")),
    ("sql", include_str!("fixtures/sql.txt")),
    ("story", include_str!("fixtures/story.txt")),
    ("translate", include_str!("fixtures/translate.txt")),
    ("tweet", include_str!("fixtures/tweet.txt")),
    ("vague", include_str!("fixtures/vague.txt")),
];

const PERSONAS: [&str; 5] = ["code", "writing", "analysis", "generic", "somebodys-own"];
const TARGETS: [TargetFamily; 5] =
    [TargetFamily::Generic, TargetFamily::Gpt, TargetFamily::Claude, TargetFamily::Gemini, TargetFamily::Llama];
const SUBSETS: [&[Phase]; 6] = [
    &[Phase::PrimaMateria],
    &[Phase::Solutio],
    &[Phase::Coagulatio],
    &[Phase::PrimaMateria, Phase::Coagulatio],
    &[Phase::Coagulatio, Phase::Solutio],
    &Phase::ALL,
];

/// Runs the phases as the pipeline does and gives the last text.
fn run(input: &str, phases: &[Phase], strategy: &str, persona: &str, target: TargetFamily) -> String {
    let mut text = input.to_owned();
    for phase in phases {
        text = write(&PhaseBrief {
            phase: *phase,
            phases: phases.to_vec(),
            persona: persona.into(),
            strategy: strategy.into(),
            target,
            variant: 0,
            original_input: input.into(),
            input: text,
            context: Vec::new(),
        });
    }
    text
}

/// What is missing in `output` or is there too much, in words; nothing when all is well.
fn faults(input: &str, output: &str) -> Vec<String> {
    let input = crate::text::printable::printable(input);
    let Facts { numbers, quoted, names, formats, placeholders, addresses } = facts::facts(&input);
    let mut faults = Vec::new();
    let present: std::collections::HashSet<&str> = facts::numbers(output).into_iter().collect();
    faults.extend(numbers.iter().filter(|n| !present.contains(n.as_str())).map(|n| format!("lost the number {n}")));
    let given: std::collections::HashSet<&str> = numbers.iter().map(String::as_str).collect();
    faults.extend(present.iter().filter(|n| !given.contains(**n)).map(|n| format!("made up the number {n}")));
    for (kind, list) in [("quotation", quoted), ("placeholder", placeholders), ("address", addresses)] {
        faults.extend(
            list.iter().filter(|fact| !output.contains(fact.as_str())).map(|fact| format!("lost the {kind} {fact}")),
        );
    }
    let lower = output.to_lowercase();
    for (kind, list) in [("name", names), ("format", formats)] {
        faults.extend(
            list.iter()
                .filter(|fact| !lower.contains(&fact.to_lowercase()))
                .map(|fact| format!("lost the {kind} {fact}")),
        );
    }
    faults
}

#[test]
fn every_fact_of_every_fixture_survives_and_no_number_is_added() {
    for (name, input) in FIXTURES {
        for strategy in Strategy::ALL {
            for phases in SUBSETS {
                let persona = PERSONAS[(strategy as usize + phases.len()) % PERSONAS.len()];
                // Only the last phase looks different for each family.
                let few = input.len() > 6000 || phases.last() != Some(&Phase::Coagulatio);
                let targets = if few { &TARGETS[strategy as usize % 5..][..1] } else { &TARGETS[..] };
                for target in targets.iter().copied() {
                    let output = run(input, phases, strategy.name(), persona, target);
                    let faults = faults(input, &output);
                    assert!(
                        faults.is_empty(),
                        "{name}, {}, {persona}, {target:?}, {phases:?}: {faults:?}\n{output}",
                        strategy.name()
                    );
                }
            }
        }
    }
}

#[test]
fn writing_is_deterministic() {
    for (_, input) in FIXTURES {
        let write = || run(input, &Phase::ALL, "structured", "code", TargetFamily::Claude);
        assert_eq!(write(), write());
    }
}

/// Its answers pass through the same cleaner as a model's, which must find nothing to take away.
#[test]
fn cleaning_takes_nothing_from_what_it_writes() {
    for (name, input) in FIXTURES {
        for strategy in Strategy::ALL {
            for phases in [&Phase::ALL[..1], &Phase::ALL[1..2], &Phase::ALL[2..]] {
                let target = TARGETS[strategy as usize % TARGETS.len()];
                let output = run(input, phases, strategy.name(), "generic", target);
                let cleaned = crate::text::clean::clean(&output);
                assert!(cleaned == output.trim(), "{name}, {}, {phases:?}:\n{output}", strategy.name());
            }
        }
    }
}

/// What opens and ends a request like a model's small talk is the user's, and stays.
#[test]
fn cleaning_leaves_a_request_that_sounds_like_small_talk() {
    for input in [
        "Let me know if you want any changes to my 3 slides.",
        "Sure! Here is your prompt: write 2 haiku",
        "Translate:\n\nHope this helps, feel free to change your 4 lines.\n\nLet me know if you need anything else changed!",
        "```\nlet x = 1;\n```",
    ] {
        for strategy in Strategy::ALL {
            for phases in SUBSETS {
                let mut cleaner = crate::text::clean::Cleaner::keeping([input]);
                let mut output = cleaner.push(&run(input, phases, strategy.name(), "generic", TARGETS[0]));
                output.push_str(&cleaner.finish());
                let faults = faults(input, &output);
                assert!(faults.is_empty(), "{input}, {}, {phases:?}: {faults:?}\n{output}", strategy.name());
            }
        }
    }
}
