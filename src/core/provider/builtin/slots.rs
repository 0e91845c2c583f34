//! Slots: what a request states, so that ours does not, and what it lacks and has to be asked for.

use std::collections::BTreeSet;

use super::library::Library;
use super::read::Reading;
use crate::assets::Frame;
use crate::assets::frame::{Slot, applies};

/// Up to this many words, what a request does not state is missing, not left out on purpose.
const SHORT: usize = 14;

/// Up to this many words, what only the user can know counts as missing.
const FEW_PARTICULARS: usize = 20;

/// In scripts without spaces, this many halved letters make one detail.
const ENOUGH_UNSPACED: usize = 7;

/// The slots the request states.
pub(super) fn stated(reading: &Reading, library: &Library) -> BTreeSet<Slot> {
    let lexicon = library.lexicon(reading.language);
    let words = reading.words();
    let unspaced = reading.is_unspaced();
    let shown = lexicon
        .stated
        .iter()
        .filter(|(_, cues)| if unspaced { cues.is_in(&reading.plain) } else { cues.is_among(&words) });
    let mut stated: BTreeSet<Slot> = shown.map(|(slot, _)| *slot).collect();
    // English words such as `json` and `python` occur in any language.
    let english = library.lexicon(crate::text::language::Language::English);
    for slot in [Slot::Format, Slot::AnswerOnly] {
        if english.stated.get(&slot).is_some_and(|cues| cues.is_among(&words)) {
            stated.insert(slot);
        }
    }
    let names = |list: &str| reading.names(library, list);
    if names("programming_language") {
        stated.insert(Slot::ProgrammingLanguage);
    }
    if names("target_language") {
        stated.extend([Slot::TargetLanguage, Slot::Language]);
    }
    if reading.plain.contains(|c: char| c.is_numeric()) {
        stated.insert(Slot::Length);
    }
    if reading.has_material {
        stated.extend([Slot::Material, Slot::Schema]);
    }
    if stated.contains(&Slot::Counted) && !counts(reading, library) {
        stated.remove(&Slot::Counted);
    }
    if reading.plain.contains([':', '/', '：']) || reading.plain.matches([',', '、', '،']).count() >= 2 {
        stated.insert(Slot::Labels);
    }
    stated
}

/// True if a number precedes a unit: "80 words", "four sentences".
fn counts(reading: &Reading, library: &Library) -> bool {
    if reading.is_unspaced() {
        return reading.plain.contains(char::is_numeric);
    }
    let lexicon = library.lexicon(reading.language);
    let (Some(units), Some(lengths)) = (lexicon.stated.get(&Slot::Counted), lexicon.stated.get(&Slot::Length)) else {
        return false;
    };
    let words = reading.words();
    (1..words.len()).any(|at| {
        let before = words[at - 1];
        let is_number = before.contains(char::is_numeric) || lengths.at(&[before]).is_some();
        is_number && units.at(&words[at..]).is_some()
    })
}

/// What is missing, in the order of the family's questions.
pub(super) fn missing(reading: &Reading, library: &Library, family: &Frame, stated: &BTreeSet<Slot>) -> Vec<Missing> {
    let is_short = reading.size <= SHORT;
    let details = details(reading, library);
    let is_sent = family.ask.iter().any(|question| question.slot == Slot::Recipient);
    let has_topic = library.names("topics").is_some_and(|topics| topics.is_among(&reading.words()));
    // The recipient of a message is not its topic.
    let says_what_for = details > 0 && (!is_sent || has_topic || reading.is_unspaced());
    let is_missing = |slot: Slot| match slot {
        Slot::Material
        | Slot::Schema
        | Slot::Recipient
        | Slot::Options
        | Slot::Deadline
        | Slot::Tone
        | Slot::Length
        | Slot::Audience
        | Slot::Format
        | Slot::Labels
        | Slot::TargetLanguage
        | Slot::Jurisdiction
        | Slot::ProgrammingLanguage => is_short && !stated.contains(&slot),
        _ => is_short && !says_what_for,
    };
    let mut stated_here = stated.clone();
    if details > 0 {
        stated_here.insert(Slot::Purpose);
    }
    let asked = family.ask.iter().enumerate().filter(|(_, one)| applies(&one.when, &one.unless, &stated_here));
    let asks_purpose =
        asked.clone().any(|(_, one)| matches!(one.slot, Slot::Purpose | Slot::Material) && is_missing(one.slot));
    let lacks_particulars = reading.size <= FEW_PARTICULARS && !reading.has_material && !asks_purpose;
    let questions =
        asked.filter(|(_, one)| if one.slot == Slot::Particulars { lacks_particulars } else { is_missing(one.slot) });
    let missing: Vec<Missing> =
        questions.map(|(at, one)| Missing { at, slot: one.slot, is_needed: one.needed }).collect();
    // A slot that only refines is not a gap by itself.
    let refines = |slot: Slot| {
        matches!(
            slot,
            Slot::Tone
                | Slot::Length
                | Slot::Audience
                | Slot::Deadline
                | Slot::Schema
                | Slot::ProgrammingLanguage
                | Slot::Recipient
        )
    };
    let has = |is_wanted: &dyn Fn(Slot) -> bool| missing.iter().any(|one| is_wanted(one.slot));
    if has(&|slot| slot == Slot::Particulars) {
        return missing.into_iter().filter(|one| !refines(one.slot)).collect();
    }
    if has(&|slot| !refines(slot)) { missing } else { Vec::new() }
}

/// A slot the request does not state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Missing {
    /// The index of its question in the frame.
    pub(super) at: usize,
    pub(super) slot: Slot,
    /// True if work cannot begin without it.
    pub(super) is_needed: bool,
}

/// How many details the request gives beyond naming a thing: about, for, that.
fn details(reading: &Reading, library: &Library) -> usize {
    if reading.is_unspaced() {
        return reading.size / ENOUGH_UNSPACED;
    }
    let stops = &library.lexicon(reading.language).stops;
    let words = reading.words();
    // A stop at the start of a sentence adds no detail.
    (1..words.len()).filter(|at| stops.at(&words[*at..]).is_some()).count() + usize::from(reading.sentences.len() > 1)
}
