//! How a document looks to a family of models: Markdown headings, XML sections, or plain labelled paragraphs.
//!
//! User text is never markup: a line of it that could pass for a heading of ours was made plain by the reader, tags
//! of ours that occur in it get another name, and material stands between delimiters it cannot forge.

use super::document::{Document, Piece, Section, SectionId, delimiter, fence};
use super::headings::heading;
use crate::provider::TargetFamily;

/// The finished text of a document.
pub(super) fn render(document: &Document, target: TargetFamily) -> String {
    let mut document = document.clone();
    arrange(&mut document, target);
    let user_text = user_text(&document);
    let mut blocks: Vec<String> = Vec::new();
    if !document.opening.is_empty() {
        blocks.push(document.opening.join(" "));
    }
    for section in &document.sections {
        let body = section.pieces.iter().map(|piece| piece_text(piece, target)).collect::<Vec<_>>().join("\n\n");
        blocks.push(section_text(section, &body, document.plain, target, &user_text));
    }
    let mut text = blocks.join("\n\n");
    text.truncate(text.trim_end().len());
    text
}

/// Puts the sections where the family reads them best.
fn arrange(document: &mut Document, target: TargetFamily) {
    if document.plain {
        return;
    }
    match target {
        TargetFamily::Gemini => {
            document.put_first(&[SectionId::Material, SectionId::Context]);
            document.put_last(&[SectionId::Task, SectionId::Closing]);
        }
        TargetFamily::Llama => document.put_last(&[SectionId::Output, SectionId::Closing]),
        TargetFamily::Claude | TargetFamily::Gpt | TargetFamily::Generic => {}
    }
    if is_long(document) {
        document.put_first(&[SectionId::Material]);
    }
}

/// Material of so many bytes stands before the instructions, which are then read last.
const LONG_MATERIAL: usize = 4000;

fn is_long(document: &Document) -> bool {
    let size = |piece: &Piece| match piece {
        Piece::Data { text, .. } | Piece::Fenced { text, .. } => text.len(),
        _ => 0,
    };
    document.sections.iter().flat_map(|section| &section.pieces).map(size).sum::<usize>() > LONG_MATERIAL
}

fn section_text(section: &Section, body: &str, plain: bool, target: TargetFamily, user_text: &str) -> String {
    if plain || section.id == SectionId::Closing {
        return body.to_owned();
    }
    let title = heading(section.id, target);
    match target {
        TargetFamily::Claude => {
            let tag = delimiter(&title, user_text);
            format!("<{tag}>\n{body}\n</{tag}>")
        }
        TargetFamily::Llama => {
            let short =
                section.pieces.len() == 1 && matches!(section.pieces[0], Piece::Text(_)) && !body.contains('\n');
            if short { format!("{title}: {body}") } else { format!("{title}:\n{body}") }
        }
        TargetFamily::Gpt => format!("# {title}\n\n{body}"),
        TargetFamily::Generic | TargetFamily::Gemini => format!("## {title}\n\n{body}"),
    }
}

/// All text that came from the user, for choosing tags it does not hold.
fn user_text(document: &Document) -> String {
    let mut text = String::new();
    for section in &document.sections {
        for piece in &section.pieces {
            match piece {
                Piece::Text(words) | Piece::Data { text: words, .. } | Piece::Fenced { text: words, .. } => {
                    text.push_str(words);
                }
                Piece::Bullets(items) | Piece::Steps(items) => text.extend(items.iter().map(String::as_str)),
                Piece::List { lead, items } => {
                    text.push_str(lead.as_deref().unwrap_or_default());
                    text.extend(items.iter().map(|(_, item)| item.as_str()));
                }
            }
            text.push('\n');
        }
    }
    text
}

fn piece_text(piece: &Piece, target: TargetFamily) -> String {
    match piece {
        Piece::Text(text) => text.clone(),
        Piece::Bullets(items) => {
            items.iter().map(|item| format!("- {}", indented(item))).collect::<Vec<_>>().join("\n")
        }
        Piece::Steps(steps) => steps_text(steps, target),
        Piece::List { lead, items } => {
            let lines: Vec<String> = lead
                .iter()
                .cloned()
                .chain(
                    items
                        .iter()
                        .map(|(marker, item)| format!("{} {}", marker.as_deref().unwrap_or("-"), indented(item))),
                )
                .collect();
            lines.join("\n")
        }
        Piece::Data { name, text } => {
            let tag = delimiter(name, text);
            format!("<{tag}>\n{text}\n</{tag}>")
        }
        Piece::Fenced { info, text } => {
            let fence = fence(text);
            let info: String = info.chars().filter(|c| *c != '`').collect();
            format!("{fence}{info}\n{text}\n{fence}")
        }
    }
}

fn indented(item: &str) -> String {
    item.replace('\n', "\n  ")
}

/// Steps one after the other: lettered for small models, else with the words that put them in order.
fn steps_text(steps: &[String], target: TargetFamily) -> String {
    let last = steps.len().saturating_sub(1);
    let lines = steps.iter().enumerate().map(|(at, step)| {
        if target == TargetFamily::Llama {
            let letter = char::from(b'a' + u8::try_from(at % 26).unwrap_or(0));
            return format!("{letter}) {}.", super::words::capitalised(step));
        }
        format!("- {} {step}.", super::words::ordinal(at, last))
    });
    lines.collect::<Vec<_>>().join("\n")
}
