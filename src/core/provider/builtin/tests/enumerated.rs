//! Every sentence of every frame: present in all ten languages, and safe to use.

use crate::assets::frame::{GENERAL, LocalisedText};
use crate::assets::{Assets, Frame};
use crate::text::language::Language;

fn frames() -> Vec<std::sync::Arc<Frame>> {
    Assets::families().map(|name| Assets::default().frame(name).unwrap()).collect()
}

fn texts(frame: &Frame) -> Vec<&LocalisedText> {
    let mut texts = vec![&frame.opening, &frame.check];
    texts.extend(frame.work.iter().chain(&frame.steps).map(|sentence| &sentence.text));
    texts.extend(frame.ask.iter().map(|question| &question.text));
    texts.extend(frame.headings.values().chain(frame.rows.values()));
    if frame.name == GENERAL {
        texts.extend([&frame.brief, &frame.wins, &frame.assume, &frame.ask_lead, &frame.ask_after]);
        texts.extend([&frame.several, &frame.count, &frame.input_lead, &frame.context, &frame.draft]);
    }
    texts
}

#[test]
fn every_frame_speaks_ten_languages() {
    for frame in frames() {
        for text in texts(&frame) {
            for code in Language::FRAMED.map(Language::code) {
                let said = text.0.get(code).map(|text| text.trim()).unwrap_or_default();
                assert!(!said.is_empty(), "{}: no `{code}` for {:?}", frame.name, text.get("en"));
            }
        }
    }
}

/// A number, a quotation or a tag of ours could be mistaken for the request's.
#[test]
fn no_sentence_of_ours_holds_a_number_a_quotation_or_a_tag() {
    for frame in frames() {
        for text in texts(&frame) {
            for (code, said) in &text.0 {
                let odd = said.find(|c: char| c.is_numeric() || "\"“”«»„「」`<>{}".contains(c));
                assert!(odd.is_none(), "{}, {code}: {said}", frame.name);
            }
        }
    }
}

#[test]
fn sentences_are_short_enough_to_read() {
    for frame in frames() {
        for text in texts(&frame) {
            for (code, said) in &text.0 {
                assert!(said.chars().count() <= 300, "{}, {code}: {said}", frame.name);
            }
        }
    }
}
