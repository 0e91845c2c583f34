//! The first phase: the findings laid out, in the user's own words, with what is left open.

use super::document::{Document, Piece, SectionId};
use super::ingredients::{Ingredients, push_bullets};
use super::strategy::Strategy;
use crate::text::language::Language;

/// Lays the findings out.
pub(super) fn findings(from: &Ingredients<'_>, strategy: Strategy) -> Document {
    let mut document = Document {
        opening: vec![
            "A brief of what is asked for: the request in its own words, what it rests on, and what it leaves open."
                .to_owned(),
        ],
        ..Document::default()
    };
    document.add(SectionId::Findings, vec![Piece::Bullets(summary(from))]);
    document.add(SectionId::Task, from.task());
    document.add(SectionId::Context, from.context());
    document.add(SectionId::Requirements, from.requirements());
    document.add(SectionId::Avoid, from.avoid());
    let mut output = from.output();
    if strategy == Strategy::Minimal {
        output.clear();
        push_passages(&mut output, from);
    }
    document.add(SectionId::Output, output);
    match strategy {
        Strategy::Stepwise | Strategy::Structured => {
            document.add(SectionId::Steps, vec![Piece::Steps(from.steps())]);
        }
        Strategy::ExampleLed => document.add(SectionId::Example, vec![Piece::Text(from.example())]),
        _ => {}
    }
    if matches!(strategy, Strategy::Rubric | Strategy::Structured) {
        document.add(SectionId::Checks, vec![Piece::Bullets(from.checks())]);
    }
    let open = from.open_points();
    if strategy != Strategy::Minimal && !open.is_empty() {
        let text = "Settle each by the likeliest reading, and state it as an assumption.".to_owned();
        document.add(SectionId::Questions, vec![Piece::Bullets(open), Piece::Text(text)]);
    }
    document.add(SectionId::Material, from.material());
    match strategy {
        Strategy::ConstraintFirst => {
            document.put_first(&[SectionId::Requirements, SectionId::Avoid, SectionId::Output]);
        }
        Strategy::QuestionFirst => document.put_first(&[SectionId::Questions]),
        Strategy::Rubric => document.put_first(&[SectionId::Checks]),
        _ => {}
    }
    document
}

fn push_passages(output: &mut Vec<Piece>, from: &Ingredients<'_>) {
    let lines = from.reading.format.iter().map(super::reading::Passage::plain).collect();
    push_bullets(output, lines);
}

/// What was found, a line each; what was not found has no line.
fn summary(from: &Ingredients<'_>) -> Vec<String> {
    let reading = from.reading;
    let facets = &reading.facets;
    let mut lines = vec![format!("Kind of task: {}", reading.craft.called)];
    let one = [
        ("Subject", facets.subject.as_deref().filter(|_| reading.craft.name != "improve")),
        ("Purpose", facets.goal.as_deref()),
        ("Reader", facets.audience.as_deref()),
        ("Programming language", reading.code_language),
        ("Tone", facets.tone.as_deref()),
        ("Length", facets.length.as_deref()),
        ("Deadline", facets.deadline.as_deref()),
    ];
    lines.extend(one.into_iter().filter_map(|(name, found)| found.map(|found| format!("{name}: {found}"))));
    let quoted: Vec<String> = facets.facts.quoted.iter().take(12).map(|quoted| format!("\"{quoted}\"")).collect();
    // Where every noun has a capital, capitals tell nothing.
    let names = if reading.language == Language::German { Vec::new() } else { facets.facts.names.clone() };
    let many = [
        ("Forms named", &facets.formats),
        ("Quantities", &facets.quantities),
        ("Names and terms", &names),
        ("Quoted", &quoted),
        ("Addresses", &facets.facts.addresses),
        ("Placeholders", &facets.facts.placeholders),
    ];
    for (name, found) in many {
        if !found.is_empty() {
            lines.push(format!("{name}: {}", found.iter().take(20).cloned().collect::<Vec<_>>().join(", ")));
        }
    }
    lines
}
