//! Where a sentence of a request belongs, told by its own words: task, context, requirements, things to avoid, form.
//! Also what is no content at all: labels, attempts to take over; and which sentence the request turns on.

use super::super::craft::Craft;
use super::super::cues;
use super::super::cues::sentences::{self as words, Part};
use super::{ListItem, polish};
use crate::text::blocks::{Block, BlockKind};
use crate::text::facts;
use crate::text::sentences::sentences;

/// The part that a sentence belongs to by its own words.
pub(super) fn part_of(sentence: &str, craft: &Craft) -> Part {
    let bare = polish::bare(sentence);
    // "Then add a summary": the task goes on.
    if let Some(word) = cues::beginning(
        &bare,
        "then | afterwards | after that | finally | dann | danach | ensuite | después | luego | затем",
    ) {
        let rest = bare[word.len()..].trim_start_matches([',', ' ']);
        let goes_on = cues::beginning(rest, words::REQUEST_VERBS)
            .or_else(|| cues::beginning(rest, "add | include | end | append | ask"));
        if goes_on.is_some() {
            return Part::Task;
        }
    }
    if cues::beginning(&bare, "if | when | wherever | in case | unless | wenn | falls | si | если | もし | 如果 | إذا")
        .is_some()
        && !bare.ends_with(['?', '？', '؟'])
    {
        return Part::Requirements;
    }
    let names_form = cues::any(&bare, words::FORMAT_NOUNS) && cues::any(&bare, words::FORMAT_CUES);
    let short = bare.split_whitespace().count() <= 30;
    if cues::beginning(&bare, words::MANNER_BEGINNINGS).is_some() {
        let prohibits = cues::beginning(&bare, words::PROHIBITION_CUES).is_some() || starts_prohibition(&bare);
        return match (prohibits, names_form && short) {
            (true, _) => Part::Avoid,
            (false, true) => Part::Format,
            (false, false) => Part::Requirements,
        };
    }
    if cues::beginning(&bare, words::ANSWER_BEGINNINGS).is_some() {
        return if cues::any(&bare, words::FORMAT_NOUNS) && short { Part::Format } else { Part::Requirements };
    }
    if cues::beginning(&bare, words::REQUEST_VERBS).is_some() || bare.ends_with(['?', '？', '؟']) {
        return Part::Task;
    }
    // What people say of themselves and of what happens is told, not demanded.
    let told = cues::beginning(&bare, words::TOLD_BEGINNINGS).is_some()
        || (craft.name == "debug" && !cues::any(&bare, words::STRONG_CUES));
    if told && !cues::any(&bare, words::STRONG_CUES) {
        return Part::Context;
    }
    if names_form && short && cues::any(&bare, words::STRONG_CUES) {
        return Part::Format;
    }
    if cues::any(&bare, words::CONSTRAINT_CUES) && short {
        return if starts_prohibition(&bare) { Part::Avoid } else { Part::Requirements };
    }
    let fragment = bare.split_whitespace().count() <= 6 && cues::any(&bare, super::facets::TONES);
    if fragment && !told {
        return Part::Requirements;
    }
    if short && !told && (cues::any(&bare, words::TONE_CUES) || cues::any(&bare, words::AUDIENCE_CUES)) {
        return Part::Requirements;
    }
    Part::Context
}

/// True when a statement prohibits rather than merely holds a "no" somewhere.
pub(super) fn starts_prohibition(bare: &str) -> bool {
    let demands = cues::any(bare, "should | must | has to | have to | soll | muss | doit | debe")
        && !cues::any(bare, "should not | must not | soll nicht | ne doit pas | no debe");
    !demands
        && cues::any(bare, words::PROHIBITING_VERBS)
        && !cues::any(bare, "i don't | i do not | we don't | we do not | they don't | it doesn't")
}

pub(super) fn list_part(lead: Option<&str>, items: &[ListItem], craft: &Craft) -> Part {
    if let Some(lead) = lead {
        let lower = lead.to_lowercase();
        if cues::any(&lower, "avoid | do not | don't | never | without | vermeide | évite | evita") {
            return Part::Avoid;
        }
        if cues::any(&lower, "column | columns | fields | keys | format | structure | sections | output") {
            return Part::Format;
        }
        if cues::any(&lower, words::CONSTRAINT_CUES)
            || cues::any(&lower, "requirements | rules | features | include | cover | criteria | points")
        {
            return Part::Requirements;
        }
        return Part::Context;
    }
    let ruling = items.iter().filter(|item| !matches!(part_of(&item.text, craft), Part::Context)).count();
    if ruling * 2 >= items.len() { Part::Requirements } else { Part::Context }
}

/// The part that a label in front of a sentence opens, and what follows it.
pub(super) fn labelled(sentence: &str) -> Option<(Part, &str)> {
    let (head, rest) = sentence.split_once([':', '：'])?;
    label(head).map(|part| (part, rest.trim_start()))
}

/// The part that a label opens; the label is nothing but a word of the table, with or without marks.
pub(super) fn label(text: &str) -> Option<Part> {
    let lower = text.trim().trim_matches(['*', '#', ':', '：', ' ', '_', '[', ']', '-']).to_lowercase();
    words::LABELS.iter().find(|(labels, _)| cues::holds(labels, &lower)).map(|(_, part)| *part)
}

pub(super) fn is_role(sentence: &str) -> bool {
    let lower = sentence.trim_start().to_lowercase();
    cues::beginning(
        &lower,
        "you are a | you are an | you are the | you're a | you're an | du bist ein | du bist eine | tu es un | \
            tu es une | vous êtes un | vous êtes une | eres un | eres una",
    )
    .is_some()
}

/// True for a sentence that gives orders against the prompt itself, outside quotation marks.
pub(super) fn is_takeover(sentence: &str) -> bool {
    let mut lower = sentence.to_lowercase();
    if !cues::any(&lower, words::INJECTION_CUES) {
        return false;
    }
    for quoted in facts::quoted(sentence) {
        lower = lower.replace(&quoted.to_lowercase(), "");
    }
    cues::any(&lower, words::INJECTION_CUES)
}

/// The sentence a request turns on: the first that asks for something, else the first question, else the first that
/// is no courtesy.
pub(super) fn turning_point(blocks: &[Block]) -> String {
    let mut request = None;
    let mut first = None;
    let mut question = None;
    let prose = blocks.iter().filter(|block| matches!(block.kind, BlockKind::Paragraph));
    let mut seen = 0;
    for block in prose {
        for sentence in sentences(&block.text) {
            if polish::is_courtesy(sentence) || label(sentence).is_some() || is_takeover(sentence) {
                continue;
            }
            let sentence = match labelled(sentence) {
                Some((Part::Task, rest)) if !rest.is_empty() => return rest.to_owned(),
                Some(_) => continue,
                None => sentence,
            };
            seen += 1;
            if seen > 200 {
                break;
            }
            let bare = polish::bare(sentence);
            let manner = cues::beginning(&bare, words::MANNER_BEGINNINGS).is_some();
            let wants = cues::beginning(&bare, words::WANT_BEGINNINGS).is_some();
            if !manner && (wants || cues::beginning(&bare, words::REQUEST_VERBS).is_some()) {
                if cues::any(&bare, words::POINTS_ABOVE) || cues::any(&bare, words::POINTS_BELOW) {
                    return sentence.to_owned();
                }
                request.get_or_insert(sentence);
            }
            if question.is_none() && sentence.ends_with(['?', '？', '؟']) {
                question = Some(sentence);
            }
            if first.is_none() && !is_role(sentence) {
                first = Some(sentence);
            }
        }
    }
    let titled =
        || blocks.iter().find(|block| matches!(block.kind, BlockKind::Heading)).map(|block| block.text.clone());
    request.or(question).or(first).map(str::to_owned).or_else(titled).unwrap_or_default()
}
