//! Finished prompts: templates, system and image prompts, short questions, greetings.

use super::decide::QUESTION;
use super::library::Library;
use super::read::Reading;
use super::words::words as words_of;

/// Up to this many words a question needs no frame.
const SHORT_QUESTION: usize = 12;
/// An image prompt has at least this many image model words.
const IMAGE_WORDS: usize = 2;
/// And at least this many commas.
const IMAGE_COMMAS: usize = 3;
/// A system prompt has at least this many sentences or list items.
const SYSTEM_SENTENCES: usize = 2;

/// True for a finished prompt.
pub(super) fn is_ready(reading: &Reading, library: &Library, family: Option<&str>) -> bool {
    let words = reading.words();
    let says = |list: &str| reading.names(library, list);
    // An image prompt can have a negative prompt.
    if says("asks_for_prompt") && !reading.plain.contains("negative prompt") {
        return false;
    }
    // Single braces alone can be part of a program.
    let is_program = library.names("programming_language").is_some_and(|names| names.is_among(&words));
    let is_marked = reading.placeholders.iter().any(|one| {
        let is_line = reading.request[..one.start].ends_with('\n')
            && reading.request[one.end..].lines().next().is_none_or(|rest| rest.trim().is_empty());
        ["{{", "[[", "$"].iter().any(|mark| reading.request[one.clone()].starts_with(mark)) || is_line
    });
    let is_json = reading.request.contains("\": ");
    let ends_a_label = reading.placeholders.iter().any(|one| {
        let before = reading.request[..one.start].trim_end();
        before.ends_with([':', '：', '"', '«', '“', '„'])
    });
    let is_filled_in = (reading.placeholders.len() > 1 || ends_a_label) && !is_program && !is_json;
    let has_placeholders = is_marked || is_filled_in;
    let makes_text =
        ["prompt", "system-prompt", "agent", "template", "image", "code", "tests", "data", "error", "explanation"];
    if has_placeholders && !family.is_some_and(|name| makes_text.contains(&name)) {
        return true;
    }
    // A short question of fact and a greeting are sent unchanged.
    if family == Some(QUESTION) && reading.sentences.len() == 1 && reading.size <= SHORT_QUESTION {
        return true;
    }
    let lexicon = library.lexicon(reading.language);
    let mut at = 0;
    while let Some((_, taken)) = words.get(at..).and_then(|rest| lexicon.leads.at(rest)) {
        at += taken;
    }
    if at > 0 && at == words.len() {
        return true;
    }
    let starts = library.general.names.get("ready_system").into_iter().flatten();
    let below_heading =
        reading.plain.lines().find(|line| !line.starts_with('#') && !line.is_empty()).unwrap_or_default();
    let begins = if reading.is_unspaced() {
        starts.into_iter().any(|start| below_heading.starts_with(start.as_str()))
    } else {
        library.names("ready_system").is_some_and(|cues| cues.at(&words_of(below_heading)).is_some())
    };
    // "You are now my landlord" begins a role play.
    let is_a_game = library
        .names("now")
        .is_some_and(|cues| cues.is_among(&words_of(below_heading).into_iter().take(4).collect::<Vec<_>>()));
    let begins = begins && !is_a_game;
    let has_rules = reading.sentences.len() >= SYSTEM_SENTENCES || reading.items >= SYSTEM_SENTENCES;
    if begins && family.is_none() && has_rules && says("ready_rules") {
        return true;
    }
    let marks = library
        .names("ready_image")
        .map_or(0, |cues| if reading.is_unspaced() { cues.count_in(&reading.plain) } else { cues.count_among(&words) });
    let commas = reading.plain.matches([',', '，', '、', '،']).count();
    marks >= IMAGE_WORDS && commas >= IMAGE_COMMAS && family.is_none()
}
