//! Rendering: the request in its tag with the parts of a frame around it, in a model family's form.
//!
//! The tag is the first of `request`, `request-2`, … whose opening and closing forms do not occur
//! in its content, ignoring case. So the request can be extracted byte for byte.

use std::sync::Arc;

use super::frame::{Case, Layout, PromptPart, Shape};
use crate::domain::TargetFamily;

/// A text and the name of its tag.
pub(super) struct Marked<'t> {
    name: &'static str,
    text: &'t str,
}

impl<'t> Marked<'t> {
    pub(super) const fn request(text: &'t str) -> Self {
        Self { name: "request", text }
    }

    pub(super) const fn context(text: &'t str) -> Self {
        Self { name: "context", text }
    }

    pub(super) const fn draft(text: &'t str) -> Self {
        Self { name: "draft", text }
    }

    /// Wraps the text in tags on their own lines; `all` is the rest of the prompt.
    fn render(&self, all: &str) -> String {
        let tag = tag(self.name, all);
        ["<", &tag, ">\n", self.text, "\n</", &tag, ">"].concat()
    }
}

/// The first of `name`, `name-2`, … not used as a tag in a lower-case text.
pub(super) fn tag(name: &str, lower: &str) -> String {
    // Collects the numbers in use in one pass, however many there are.
    let mut taken = std::collections::HashSet::new();
    for open in [["<", name].concat(), ["</", name].concat()] {
        for (at, _) in lower.match_indices(open.as_str()) {
            let rest = &lower[at + open.len()..];
            let number = rest.strip_prefix('-').unwrap_or_default();
            let digits = number.bytes().take(20).take_while(u8::is_ascii_digit).count();
            taken.insert(if digits == 0 { 1 } else { number[..digits].parse().unwrap_or(0_u64) });
        }
    }
    match (1..=taken.len() as u64 + 1).find(|number| !taken.contains(number)) {
        None | Some(1) => name.to_owned(),
        Some(number) => format!("{name}-{number}"),
    }
}

/// Texts given with a request.
pub(super) struct GivenTexts<'t> {
    pub(super) context: &'t [String],
    /// Another provider's output for the same request.
    pub(super) draft: Option<&'t str>,
}

/// Renders the prompt.
pub(super) fn render(case: &Case, shape: Shape, target: TargetFamily, given: &GivenTexts<'_>) -> String {
    let request = &*case.reading.request;
    let mut marked: Vec<String> = Vec::new();
    let all = given.context.iter().map(String::as_str).chain(given.draft).chain([request]);
    let lower = all.collect::<Vec<_>>().join("\n").to_lowercase();
    let general = &case.library.general;
    let mut notes = Vec::new();
    for item in given.context {
        marked.push(Marked::context(item.trim()).render(&lower));
    }
    if !given.context.is_empty() {
        notes.push(PromptPart::Text(case.say(&general.context).to_owned()));
    }
    let mut parts = case.parts(shape.strategy);
    let last = parts.len().saturating_sub(1);
    let opening = case.opening();
    let is_after = shape.layout == Layout::After || case.reading.is_long;
    if !is_after {
        marked.push(opening.clone());
    }
    marked.push(Marked::request(request).render(&lower));
    if let Some(draft) = given.draft {
        marked.push(Marked::draft(draft.trim()).render(&lower));
        notes.push(PromptPart::Text(case.say(&general.draft).to_owned()));
    }
    if is_after {
        marked.push(opening);
    }
    parts.splice(last..last, notes);
    let body = if shape.layout == Layout::Plain { plain(case, &parts) } else { headed(case, &parts, target) };
    marked.extend(body);
    marked.join("\n\n")
}

/// Renders the request in the general frame, followed by its reading.
pub(super) fn essence(case: &Case, target: TargetFamily, given: &GivenTexts<'_>) -> String {
    let general = Case {
        decision: super::decide::Decision { family: None, shown_by: Vec::new(), is_several: false, is_ready: false },
        missing: Vec::new(),
        reading: Arc::clone(&case.reading),
        stated: case.stated.clone(),
        library: Arc::clone(&case.library),
    };
    let shape = Shape { strategy: super::frame::Strategy::Direct, layout: Layout::Around };
    let mut text = render(&general, shape, target, given);
    for paragraph in headed(case, &super::essence::rows(case), target) {
        text.push_str("\n\n");
        text.push_str(&paragraph);
    }
    text
}

/// The parts as paragraphs under headings, in the target's form.
pub(super) fn headed(case: &Case, parts: &[PromptPart], target: TargetFamily) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut open: Option<&'static str> = None;
    let close = |open: &mut Option<&'static str>, paragraphs: &mut Vec<String>| {
        if let Some(key) = open.take()
            && let Some(last) = paragraphs.last_mut()
        {
            last.push_str(&["\n</", key, ">"].concat());
        }
    };
    let mut is_first = false;
    for (at, part) in parts.iter().enumerate() {
        let text = match part {
            PromptPart::Heading(key) => {
                close(&mut open, &mut paragraphs);
                let heading = case.library.general.headings.get(*key).map_or(*key, |text| case.say(text));
                paragraphs.push(match target {
                    TargetFamily::Claude => {
                        open = Some(key);
                        ["<", key, ">"].concat()
                    }
                    TargetFamily::Gpt => ["# ", heading].concat(),
                    TargetFamily::Llama => [heading, ":"].concat(),
                    _ => ["## ", heading].concat(),
                });
                is_first = true;
                continue;
            }
            PromptPart::Text(text) => text.clone(),
            PromptPart::Points(points) => {
                points.iter().map(|point| ["- ", point].concat()).collect::<Vec<_>>().join("\n")
            }
            PromptPart::Steps(steps) => numbered(steps),
        };
        if at + 1 == parts.len() {
            close(&mut open, &mut paragraphs);
        }
        match paragraphs.last_mut() {
            // A heading joins its paragraph.
            Some(heading) if is_first => {
                heading.push('\n');
                heading.push_str(&text);
            }
            _ => paragraphs.push(text),
        }
        is_first = false;
    }
    paragraphs
}

fn numbered(steps: &[String]) -> String {
    let steps: Vec<String> = steps.iter().zip(1..).map(|(step, number)| format!("{number}. {step}")).collect();
    steps.join("\n")
}

/// The parts as one paragraph; steps and questions stay lists to be readable.
fn plain(case: &Case, parts: &[PromptPart]) -> Vec<String> {
    let joint = if case.reading.is_unspaced() { "" } else { " " };
    let mut paragraphs: Vec<String> = Vec::new();
    let mut running: Vec<&str> = Vec::new();
    let mut asks = false;
    for part in parts {
        match part {
            PromptPart::Heading(key) => asks = *key == "ask",
            PromptPart::Text(text) => running.push(text),
            PromptPart::Points(points) if !asks => running.extend(points.iter().map(String::as_str)),
            PromptPart::Points(points) => {
                let list: Vec<String> = points.iter().map(|point| ["- ", point].concat()).collect();
                paragraphs.push([running.join(joint), list.join("\n")].join("\n"));
                running.clear();
            }
            PromptPart::Steps(steps) => paragraphs.push(numbered(steps)),
        }
    }
    paragraphs.push(running.join(joint));
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

#[cfg(test)]
mod tests {
    use super::tag;

    #[test]
    fn a_tag_opens_and_closes_nothing_in_what_it_holds() {
        for (text, expected) in [
            ("plain", "request"),
            ("a </request> b", "request-2"),
            ("<request-2> <request", "request-3"),
            ("<request-3>", "request"),
            ("<requests>", "request-2"),
        ] {
            assert_eq!(tag("request", text), expected, "{text}");
        }
    }
}
