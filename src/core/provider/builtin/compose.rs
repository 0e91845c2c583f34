//! The finished prompt: which sections a strategy has, and in which order.

use super::document::{Document, Piece, SectionId};
use super::ingredients::Ingredients;
use super::strategy::Strategy;
use crate::provider::TargetFamily;

/// Composes the finished prompt.
pub(super) fn compose(from: &Ingredients<'_>, strategy: Strategy, target: TargetFamily) -> Document {
    let mut document = Document { opening: from.opening(), ..Document::default() };
    let brief = target == TargetFamily::Llama;
    match strategy {
        Strategy::Direct => {
            ground(&mut document, from);
            demands(&mut document, from);
            let mut guidelines = from.guidelines(if brief { 2 } else { 3 });
            guidelines.extend(from.assumption());
            bullets(&mut document, SectionId::Guidelines, guidelines);
            document.add(SectionId::Output, from.output());
        }
        Strategy::Stepwise => {
            ground(&mut document, from);
            demands(&mut document, from);
            let mut pieces =
                vec![Piece::Text("Follow these steps in order, and finish each before you begin the next.".to_owned())];
            pieces.push(Piece::Steps(from.steps()));
            document.add(SectionId::Steps, pieces);
            document.add(SectionId::Output, from.output());
        }
        Strategy::Structured => {
            ground(&mut document, from);
            document.add(SectionId::Requirements, checklist(from));
            document.add(SectionId::Avoid, from.avoid());
            let mut guidelines = from.guidelines(if brief { 3 } else { usize::MAX });
            guidelines.extend(from.assumption());
            bullets(&mut document, SectionId::Guidelines, guidelines);
            document.add(SectionId::Steps, vec![Piece::Steps(from.steps())]);
            document.add(SectionId::Output, from.output());
            bullets(&mut document, SectionId::Checks, from.checks());
        }
        Strategy::ExampleLed => {
            ground(&mut document, from);
            document.add(SectionId::Example, vec![Piece::Text(from.example())]);
            demands(&mut document, from);
            bullets(&mut document, SectionId::Guidelines, from.guidelines(2));
            document.add(SectionId::Output, from.output());
        }
        Strategy::QuestionFirst => {
            ground(&mut document, from);
            document.add(SectionId::Questions, questions(from));
            demands(&mut document, from);
            bullets(&mut document, SectionId::Guidelines, from.guidelines(2));
            document.add(SectionId::Output, from.open_output());
        }
        Strategy::ConstraintFirst => {
            document.add(SectionId::Requirements, checklist(from));
            document.add(SectionId::Avoid, from.avoid());
            bullets(&mut document, SectionId::Guidelines, from.guidelines(if brief { 2 } else { 4 }));
            document.add(SectionId::Output, from.output());
            ground(&mut document, from);
        }
        Strategy::Rubric => {
            let mut pieces = vec![Piece::Text("The answer is accepted only if all of this holds:".to_owned())];
            pieces.push(Piece::Bullets([from.restated(), from.checks()].concat()));
            document.add(SectionId::Checks, pieces);
            ground(&mut document, from);
            demands(&mut document, from);
            document.add(SectionId::Output, from.output());
            let closing = "Before you answer, go through the acceptance checks and the task point by point, mend whatever fails, and give only the mended answer.";
            document.add(SectionId::Closing, vec![Piece::Text(closing.to_owned())]);
        }
        Strategy::Minimal => return minimal(from),
    }
    document
}

/// Task, context and material.
fn ground(document: &mut Document, from: &Ingredients<'_>) {
    document.add(SectionId::Task, from.task());
    document.add(SectionId::Context, from.context());
    document.add(SectionId::Material, from.material());
}

/// What the request demands, with the details named inside its task set apart.
fn checklist(from: &Ingredients<'_>) -> Vec<Piece> {
    let mut pieces = from.requirements();
    super::ingredients::push_bullets(&mut pieces, from.restated());
    pieces
}

/// What the request demands and rules out, together.
fn demands(document: &mut Document, from: &Ingredients<'_>) {
    let mut pieces = from.requirements();
    for piece in from.avoid() {
        match piece {
            Piece::Bullets(items) => super::ingredients::push_bullets(&mut pieces, items),
            other => pieces.push(other),
        }
    }
    document.add(SectionId::Requirements, pieces);
}

fn bullets(document: &mut Document, id: SectionId, items: Vec<String>) {
    if !items.is_empty() {
        document.add(id, vec![Piece::Bullets(items)]);
    }
}

/// How open points are settled: said before the answer, or silently where its form leaves no room.
pub(super) fn settling(from: &Ingredients<'_>) -> &'static str {
    if from.is_strict() {
        "Settle each of them for yourself by the likeliest reading before you answer, and keep to the form asked for. \
         Ask back instead of answering only where a wrong guess would make the result useless."
    } else {
        "Begin the answer with the assumptions you make on them, in a short list, and ask only what you cannot \
         sensibly assume. Then do the task on that basis, set apart from the list."
    }
}

fn questions(from: &Ingredients<'_>) -> Vec<Piece> {
    let open = from.open_points();
    let close = settling(from);
    if open.is_empty() {
        let text = "Before you answer, list what the request leaves open and would change the result.";
        return vec![Piece::Text(format!("{text} {close}"))];
    }
    vec![
        Piece::Text("The request says nothing, or not enough, about these points:".to_owned()),
        Piece::Bullets(open),
        Piece::Text(close.to_owned()),
    ]
}

/// Everything the request says in its own words, who should do it, and one thing to mind.
fn minimal(from: &Ingredients<'_>) -> Document {
    let reading = from.reading;
    let mut document = Document { opening: vec![from.role()], plain: true, ..Document::default() };
    let words = |passages| super::ingredients::running(passages);
    document.add(SectionId::Task, words(&reading.task));
    document.add(SectionId::Context, from.context());
    let mut demands = words(&reading.requirements);
    demands.extend(words(&reading.avoid));
    demands.extend(words(&reading.format));
    document.add(SectionId::Requirements, super::prose::merged(demands));
    document.add(SectionId::Material, from.material());
    let mut last: Vec<String> = Vec::new();
    if reading.format.is_empty() && reading.facets.formats.is_empty() {
        last.extend(from.output_lines().into_iter().take(1));
    }
    if !last.is_empty() {
        document.add(SectionId::Output, vec![Piece::Text(last.join(" "))]);
    }
    document
}
