//! Extracts the one JSON object of a reply: tolerant of form, strict in meaning.
//!
//! Models think aloud, add sentences before and after, use fences, leave trailing commas, and break
//! lines inside strings. All that is accepted. Rejected are two different objects that could both
//! be the answer, no object, and an object that occurs in a candidate, which is only quoted.
//!
//! Every step is linear in the length of the reply: an object can start in [`MOST_STARTS`] places.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::de::DeserializeOwned;

/// The most places where an object is looked for.
const MOST_STARTS: usize = 8;

/// What begins the thinking of a model.
const THOUGHT_BEGINS: [&str; 6] = ["<think>", "<thinking>", "<reasoning>", "[THINK]", "◁think▷", "<|channel|>analysis"];

/// What ends the thinking of a model; the answer follows.
const THOUGHT_ENDS: [&str; 6] =
    ["</think>", "</thinking>", "</reasoning>", "[/THINK]", "◁/think▷", "<|channel|>final<|message|>"];

/// An object that is meant as an answer has one of these keys.
const KEYS: [&str; 3] = ["\"reasons\"", "\"criteria\"", "\"verdict\""];

/// Reads the object of a reply. `given` are the judged texts.
///
/// # Errors
/// What is wrong with the reply, worded for the model.
pub(super) fn read<T: DeserializeOwned>(reply: &str, given: &[&str]) -> Result<T, String> {
    if is_thought_alone(reply) {
        return Err("it ends while thinking, with no answer".into());
    }
    let answers = match answers_of(spoken(reply)) {
        // A string of the answer can contain an end-of-thinking marker.
        none if none.is_empty() => answers_of(reply),
        found => found,
    };
    let mut answers = answers.into_iter().map(|object| tidied(object).into_owned());
    let Some(answer) = answers.next() else { return Err(without_an_object(reply)) };
    let squeezed = squeezed(&answer);
    if answers.any(|other| self::squeezed(&other) != squeezed) {
        return Err("it holds several JSON objects that could be the answer".into());
    }
    if given.iter().any(|text| self::squeezed(text).contains(&squeezed)) {
        return Err("its JSON object stands in a candidate to the letter, so it is quoted, not an answer".into());
    }
    serde_json::from_str(&answer).or_else(|error: serde_json::Error| {
        let closed = if error.is_eof() { closed(&answer) } else { None };
        closed.and_then(|closed| serde_json::from_str(&closed).ok()).ok_or_else(|| error.to_string())
    })
}

/// The part of a reply after the thinking.
fn spoken(reply: &str) -> &str {
    let ends = THOUGHT_ENDS.into_iter().filter_map(|end| reply.rfind(end).map(|at| at + end.len()));
    ends.max().map_or(reply, |at| &reply[at..])
}

fn is_thought_alone(reply: &str) -> bool {
    let begins = THOUGHT_BEGINS.iter().any(|begin| reply.trim_start().starts_with(begin));
    begins && spoken(reply).len() == reply.len()
}

fn without_an_object(reply: &str) -> String {
    if reply.trim().is_empty() {
        return "it is empty".into();
    }
    "it holds no JSON object with the keys that were asked for; one was expected".into()
}

/// The objects meant as an answer. A truncated one counts only if there is no complete one.
fn answers_of(text: &str) -> Vec<&str> {
    let (mut whole, mut broken, mut from) = (Vec::new(), None, 0);
    for _ in 0..MOST_STARTS {
        let Some(start) = start_of_an_object(text, from) else { break };
        match end_of_the_object(&text[start..]) {
            Some(length) => {
                let object = &text[start..start + length];
                whole.extend(KEYS.iter().any(|key| object.contains(key)).then_some(object));
                from = start + length;
            }
            None => {
                broken = broken.or(Some(&text[start..]));
                from = start + 1;
            }
        }
    }
    if whole.is_empty() {
        let without_fence = |rest: &str| rest.trim_end().strip_suffix("```").map_or(rest.trim_end().len(), str::len);
        let broken = broken.filter(|rest| KEYS.iter().any(|key| rest.contains(key)));
        whole.extend(broken.map(|rest| rest[..without_fence(rest)].trim_end()));
    }
    whole
}

/// The position of the next brace that is followed by a key.
fn start_of_an_object(text: &str, from: usize) -> Option<usize> {
    text[from..].match_indices('{').map(|(at, _)| from + at).find(|at| text[at + 1..].trim_start().starts_with('"'))
}

/// The length of the object at the start of the text; `None` if it is truncated.
fn end_of_the_object(text: &str) -> Option<usize> {
    let (mut depth, mut is_in_text, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_in_text => is_escaped = true,
            b'"' => is_in_text = !is_in_text,
            b'{' | b'[' if !is_in_text => depth += 1,
            b'}' | b']' if !is_in_text => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Removes trailing commas and escapes line breaks in strings.
fn tidied(object: &str) -> Cow<'_, str> {
    let mut tidy = String::with_capacity(object.len());
    let (mut is_in_text, mut is_escaped, mut comma) = (false, false, None);
    for character in object.chars() {
        if is_in_text && character.is_ascii_control() {
            is_escaped = false;
            let _ = write!(tidy, "\\u{:04x}", u32::from(character));
            continue;
        }
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_in_text => is_escaped = true,
            '"' => is_in_text = !is_in_text,
            _ => {}
        }
        match character {
            ',' if !is_in_text => comma = Some(tidy.len()),
            '}' | ']' if !is_in_text => {
                if let Some(at) = comma.take() {
                    tidy.remove(at);
                }
            }
            _ if character.is_whitespace() && !is_in_text => {}
            _ => comma = None,
        }
        tidy.push(character);
    }
    if tidy == object { Cow::Borrowed(object) } else { Cow::Owned(tidy) }
}

/// Removes white space, escaped or not, because models change it in quotations.
fn squeezed(text: &str) -> String {
    let bare: String = text.chars().filter(|character| !character.is_whitespace()).collect();
    ["\\n", "\\r", "\\t", "\\u000a", "\\u000d", "\\u0009"].iter().fold(bare, |bare, escape| bare.replace(escape, ""))
}

/// Completes a truncated JSON object by closing the last string and all open brackets. `None` if
/// the last value may be incomplete: a number.
fn closed(text: &str) -> Option<String> {
    let (mut open, mut is_in_text, mut is_escaped) = (Vec::new(), false, false);
    let mut escape = 0;
    for (at, character) in text.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_in_text => (is_escaped, escape) = (true, at),
            '"' => is_in_text = !is_in_text,
            '{' if !is_in_text => open.push('}'),
            '[' if !is_in_text => open.push(']'),
            '}' | ']' if !is_in_text => _ = open.pop(),
            _ => {}
        }
    }
    if !is_in_text && text.ends_with(|last: char| last.is_ascii_digit()) {
        return None;
    }
    // A truncated escape: `\`, or `\u` with fewer than four digits.
    let is_cut = is_in_text && (is_escaped || (text[escape..].starts_with("\\u") && text.len() < escape + 6));
    let mut whole = text[..if is_cut { escape } else { text.len() }].to_owned();
    if is_in_text {
        whole.push('"');
    }
    whole.extend(open.iter().rev());
    Some(whole)
}
