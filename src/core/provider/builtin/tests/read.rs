//! Prompts that were read and approved: all variants of some sixty requests of every kind, and the
//! phases of a few. After changing a sentence of a frame, read the results here as a user would.

use super::*;

/// The requests, by name.
fn requests() -> Vec<(&'static str, String)> {
    let mut requests: Vec<(&str, String)> = include_str!("requests.txt")
        .split("=== ")
        .filter(|part| !part.is_empty())
        .map(|part| part.split_once('\n').unwrap())
        .map(|(name, text)| (name, text.trim_end_matches('\n').to_owned()))
        .collect();
    let line = "The heating in flat 12 has been cold since Monday, the second time this winter, and the caretaker does not answer. ";
    requests.push(("one-long-line", format!("Write a letter to the landlord. {}", line.repeat(70))));
    requests
}

fn shown(prompt: &str) -> String {
    let long = |line: &str| {
        if line.len() > 1000 {
            format!("{}[… a line of {} bytes]", &line[..200], line.len())
        } else {
            line.to_owned()
        }
    };
    prompt.lines().map(long).collect::<Vec<_>>().join("\n")
}

#[test]
fn all_variants_are_those_that_were_read() {
    for (name, input) in requests() {
        let strategies = WRITER.strategies(&input, false, &Phase::ALL).unwrap();
        let first = strategies.iter().zip(0..).take_while(|(strategy, at)| *at == 0 || **strategy != strategies[0]);
        let variants = first.map(|(strategy, variant)| {
            let ask = Ask { strategy, variant, ..Ask::plain(&Phase::ALL) };
            format!("======== {strategy}\n\n{}", shown(&ask.run(&input)))
        });
        insta::assert_snapshot!(format!("read__{name}"), variants.collect::<Vec<_>>().join("\n\n"));
    }
}

#[test]
fn the_phases_are_those_that_were_read() {
    for (name, input) in
        requests().into_iter().filter(|(name, _)| ["letter-to-bob", "trace", "german-spec"].contains(name))
    {
        let all = Phase::ALL.map(|phase| {
            let phases: &'static [Phase] = match phase {
                Phase::PrimaMateria => &[Phase::PrimaMateria],
                Phase::Solutio => &[Phase::Solutio],
                Phase::Coagulatio => &[Phase::Coagulatio],
            };
            format!("======== {phase}\n\n{}", Ask { strategy: "structured", ..Ask::plain(phases) }.run(&input))
        });
        insta::assert_snapshot!(format!("phases__{name}"), all.join("\n\n"));
    }
}

#[test]
fn the_forms_are_those_that_were_read() {
    let (_, input) = requests().into_iter().find(|(name, _)| *name == "tank-problem").unwrap();
    let input = format!("Solve the equation. {input}");
    let all = TARGETS.map(|target| {
        format!(
            "======== {}\n\n{}",
            target.as_str(),
            Ask { strategy: "structured", target, ..Ask::plain(&Phase::ALL) }.run(&input)
        )
    });
    insta::assert_snapshot!("forms", all.join("\n\n"));
}
