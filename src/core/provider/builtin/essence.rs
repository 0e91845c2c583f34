//! Renders the reading of a request for prima-materia: rows of short quotations.

use super::frame::{Case, PromptPart};
use super::read::place_in;
use crate::text::facts;

/// The maximum length of a quotation, in characters.
const PIECE: usize = 40;
/// The maximum number of quotations in a row.
const PIECES: usize = 12;

/// The rows as points, without empty ones.
pub(super) fn rows(case: &Case) -> Vec<PromptPart> {
    let general = &case.library.general;
    let name = |key: &str| general.rows.get(key).map_or("", |text| case.say(text)).to_owned();
    let request = &*case.reading.request;
    let family = case.decision.family.as_ref();
    let kind = family.map_or_else(|| name("none"), |frame| frame.name.clone());
    let blocks = case.reading.blocks.iter().map(|(language, lines)| format!("{language} ({lines})").trim().to_owned());
    let rows = [
        ("family", vec![kind]),
        ("cues", case.decision.shown_by.clone()),
        ("language", vec![case.reading.language.code().to_owned()]),
        ("numbers", quoted(facts::numbers(request))),
        ("limits", quoted(limits(request))),
        ("placeholders", quoted(case.reading.placeholders.iter().map(|at| &request[at.clone()]).collect())),
        ("blocks", blocks.take(PIECES).collect()),
    ];
    let rows = rows.into_iter().filter(|(_, pieces)| pieces.iter().any(|piece| !piece.is_empty()));
    let points = rows.map(|(key, pieces)| [name(key), pieces.join(", ")].join(": ")).collect();
    vec![PromptPart::Heading("reading"), PromptPart::Points(points)]
}

/// The first pieces in quotation marks, without duplicates, truncated.
fn quoted(pieces: Vec<&str>) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    for piece in pieces {
        let line: String = piece.split_whitespace().collect::<Vec<_>>().join(" ");
        let short: String = line.chars().take(PIECE).collect();
        let piece = format!("`{}`", short.replace('`', "'"));
        if shown.len() < PIECES && !shown.contains(&piece) {
            shown.push(piece);
        }
    }
    shown
}

/// Numbers with the words around them: "under 50 words".
fn limits(request: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let words: Vec<(usize, &str)> = words_with_places(request).collect();
    for at in 0..words.len().saturating_sub(1) {
        let ((start, number), (next, unit)) = (words[at], words[at + 1]);
        let is_number =
            number.starts_with(|c: char| c.is_ascii_digit()) && number.ends_with(|c: char| c.is_ascii_digit());
        if !is_number || !unit.starts_with(char::is_alphabetic) {
            continue;
        }
        let before = at.checked_sub(1).map(|at| words[at]).filter(|(_, word)| word.ends_with(char::is_alphabetic));
        let from = before.map_or(start, |(place, _)| place);
        found.push(request[from..next + unit.len()].trim_end_matches(|c: char| !c.is_alphanumeric()));
        if found.len() >= PIECES {
            break;
        }
    }
    found
}

fn words_with_places(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace().map(move |word| (place_in(text, word), word))
}
