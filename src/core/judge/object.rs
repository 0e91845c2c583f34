//! The one JSON object of a reply, however the model dressed it: tolerant of form, strict of meaning.
//!
//! Models think aloud, say a sentence before and after, fence, leave a comma behind the last item, break lines inside
//! texts. All that is passed over. What is not: two different objects that could each be the answer, none at all, and one
//! that stands in a candidate, which is quoted and not said.
//!
//! Every step is linear in the length of the reply: an object is looked for from [`MOST_STARTS`] places at most.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::de::DeserializeOwned;

/// From so many places an object is looked for.
const MOST_STARTS: usize = 8;

/// With which a model begins that thinks aloud.
const THOUGHT_BEGINS: [&str; 6] = ["<think>", "<thinking>", "<reasoning>", "[THINK]", "◁think▷", "<|channel|>analysis"];

/// Behind which the answer of a model begins that thinks aloud.
const THOUGHT_ENDS: [&str; 6] =
    ["</think>", "</thinking>", "</reasoning>", "[/THINK]", "◁/think▷", "<|channel|>final<|message|>"];

/// Keys of which an object has one that is meant as an answer.
const KEYS: [&str; 3] = ["\"reasons\"", "\"criteria\"", "\"verdict\""];

/// Reads the object of a reply. `given` are the texts that were judged.
///
/// # Errors
/// What is wrong with it, in words for the model.
pub(super) fn read<T: DeserializeOwned>(reply: &str, given: &[&str]) -> Result<T, String> {
    if is_thought_alone(reply) {
        return Err("it ends while thinking, with no answer".into());
    }
    let answers = match answers_of(spoken(reply)) {
        // The end of a thought may stand inside a text of the answer.
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

/// What is said after thinking aloud.
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

/// The objects that are meant as an answer. One that breaks off counts where there is none that is whole.
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

/// Where the next brace is behind which a key follows.
fn start_of_an_object(text: &str, from: usize) -> Option<usize> {
    text[from..].match_indices('{').map(|(at, _)| from + at).find(|at| text[at + 1..].trim_start().starts_with('"'))
}

/// The length of the object that the text begins with; `None` where it breaks off.
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

/// Without a comma behind the last item of a list or an object, and with the line breaks in texts escaped.
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

/// Without white space, escaped or not: what a model may change in what it quotes.
fn squeezed(text: &str) -> String {
    let bare: String = text.chars().filter(|character| !character.is_whitespace()).collect();
    ["\\n", "\\r", "\\t", "\\u000a", "\\u000d", "\\u0009"].iter().fold(bare, |bare, escape| bare.replace(escape, ""))
}

/// A JSON object that breaks off, with its last text and what is open closed. `None` where its last value may have gone
/// on: a number.
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
    // An escape that breaks off: `\`, or `\u` with fewer than four digits.
    let is_cut = is_in_text && (is_escaped || (text[escape..].starts_with("\\u") && text.len() < escape + 6));
    let mut whole = text[..if is_cut { escape } else { text.len() }].to_owned();
    if is_in_text {
        whole.push('"');
    }
    whole.extend(open.iter().rev());
    Some(whole)
}
