//! The second phase: what was found, as flowing instructions to the model, without headings.

use super::document::{Document, Piece, SectionId};
use super::ingredients::{Ingredients, running};
use super::strategy::Strategy;
use super::words::{lowered, ordinal};

/// Writes the instructions, paragraph by paragraph.
pub(super) fn prose(from: &Ingredients<'_>, strategy: Strategy) -> Document {
    let mut document = Document { plain: true, ..Document::default() };
    let opening = from.opening().join(" ");
    match strategy {
        Strategy::Direct => {
            task(&mut document, from, &opening);
            demands(&mut document, from);
            let mut guidance = from.guidelines(3);
            guidance.extend(from.assumption());
            paragraph(&mut document, SectionId::Guidelines, &guidance);
            output(&mut document, from);
        }
        Strategy::Stepwise => {
            task(&mut document, from, &opening);
            demands(&mut document, from);
            paragraph(&mut document, SectionId::Steps, &steps(from));
            output(&mut document, from);
        }
        Strategy::Structured => {
            task(&mut document, from, &opening);
            demands(&mut document, from);
            paragraph(&mut document, SectionId::Guidelines, &from.guidelines(usize::MAX));
            paragraph(&mut document, SectionId::Steps, &steps(from));
            output(&mut document, from);
            paragraph(
                &mut document,
                SectionId::Checks,
                &[checks(from, "Before you hand it over, make sure that all of this holds:")],
            );
        }
        Strategy::ExampleLed => {
            task(&mut document, from, &opening);
            paragraph(&mut document, SectionId::Example, &[from.example()]);
            demands(&mut document, from);
            paragraph(&mut document, SectionId::Guidelines, &from.guidelines(2));
            output(&mut document, from);
        }
        Strategy::QuestionFirst => {
            task(&mut document, from, &opening);
            paragraph(&mut document, SectionId::Questions, &[questions(from)]);
            demands(&mut document, from);
            paragraph(&mut document, SectionId::Guidelines, &from.guidelines(2));
            let pieces = merged(from.open_output().into_iter().map(sentences_of).collect());
            document.add(SectionId::Output, pieces);
        }
        Strategy::ConstraintFirst => {
            let demanded = demands(&mut document, from);
            if demanded {
                document.sections.insert(
                    0,
                    super::document::Section {
                        id: SectionId::Task,
                        pieces: vec![Piece::Text(format!("{opening} Keep to this throughout."))],
                    },
                );
                output(&mut document, from);
                task(&mut document, from, "Within these limits, the task is this.");
            } else {
                paragraph(&mut document, SectionId::Guidelines, &[vec![opening], from.guidelines(3)].concat());
                output(&mut document, from);
                task(&mut document, from, "The task is this.");
            }
        }
        Strategy::Rubric => {
            let opening =
                format!("{opening} {}", checks(from, "The answer will be judged by whether all of this holds:"));
            paragraph(&mut document, SectionId::Checks, &[opening]);
            task(&mut document, from, "");
            demands(&mut document, from);
            output(&mut document, from);
            let last = "Judge your draft by these points before you answer, and mend whatever falls short.";
            paragraph(&mut document, SectionId::Closing, &[last.to_owned()]);
        }
        Strategy::Minimal => {
            task(&mut document, from, "");
            let reading = from.reading;
            let all: Vec<_> =
                [&reading.requirements, &reading.avoid, &reading.format].into_iter().flatten().cloned().collect();
            document.add(SectionId::Requirements, running(&all));
        }
    }
    document
}

/// Sentences of neighbouring pieces run into one paragraph.
pub(super) fn merged(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut merged: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (piece, merged.last_mut()) {
            (Piece::Text(text), Some(Piece::Text(before))) => {
                super::words::append(before, &text);
            }
            (piece, _) => merged.push(piece),
        }
    }
    merged
}

fn task(document: &mut Document, from: &Ingredients<'_>, opening: &str) {
    let mut pieces = Vec::new();
    if !opening.is_empty() {
        pieces.push(Piece::Text(opening.to_owned()));
    }
    pieces.extend(from.task());
    document.add(SectionId::Task, merged(pieces));
    document.add(SectionId::Context, from.context());
    document.add(SectionId::Material, from.material());
}

/// What the request demands and rules out; false when it does neither.
fn demands(document: &mut Document, from: &Ingredients<'_>) -> bool {
    let mut pieces = from.requirements();
    pieces.extend(from.avoid());
    let sentences = merged(pieces.into_iter().map(sentences_of).collect());
    let any = !sentences.is_empty();
    document.add(SectionId::Requirements, sentences);
    any
}

fn output(document: &mut Document, from: &Ingredients<'_>) {
    let pieces = merged(from.output().into_iter().map(sentences_of).collect());
    document.add(SectionId::Output, pieces);
}

/// Bullets that are whole sentences as running text; other bullets stay bullets.
fn sentences_of(piece: Piece) -> Piece {
    match piece {
        Piece::Bullets(items)
            if items
                .iter()
                .all(|item| item.ends_with(['.', '!', '?', '。', '؟', '"', '”']) && !item.contains('\n')) =>
        {
            Piece::Text(items.join(" "))
        }
        other => other,
    }
}

fn paragraph(document: &mut Document, id: SectionId, sentences: &[String]) {
    if !sentences.is_empty() {
        document.add(id, vec![Piece::Text(sentences.join(" "))]);
    }
}

fn steps(from: &Ingredients<'_>) -> Vec<String> {
    let steps = from.steps();
    let last = steps.len().saturating_sub(1);
    let mut sentences = vec!["Work in order.".to_owned()];
    sentences.extend(steps.iter().enumerate().map(|(at, step)| format!("{} {step}.", ordinal(at, last))));
    sentences
}

fn checks(from: &Ingredients<'_>, opening: &str) -> String {
    let checks: Vec<String> = from.checks().iter().map(|check| lowered(check.trim_end_matches('.'))).collect();
    format!("{opening} {}.", checks.join("; "))
}

fn questions(from: &Ingredients<'_>) -> String {
    let open: Vec<String> = from.open_points().iter().map(|point| lowered(point.trim_end_matches('.'))).collect();
    let points = if open.is_empty() {
        "Before you begin, consider what the request leaves open.".to_owned()
    } else {
        format!("Before you begin, note that these points are left open: {}.", open.join("; "))
    };
    format!("{points} {}", super::compose::settling(from))
}
