//! Our own prompts, given as requests: recognised by writing them again, to the letter, and taken off.

use super::frame::Case;
use super::library::Library;
use super::render::Beside;
use super::text;
use crate::domain::Phase;
use crate::provider::TargetFamily;

/// The request inside a prompt of ours; `None` for any other text.
pub(super) fn request_in<'t>(prompt: &'t str, library: &Library) -> Option<&'t str> {
    let prompt = prompt.trim();
    let inside = marked(prompt)?;
    let case = Case::of(inside, false, library);
    let beside = Beside { context: &[], draft: None };
    let targets =
        [TargetFamily::Generic, TargetFamily::Gpt, TargetFamily::Claude, TargetFamily::Gemini, TargetFamily::Llama];
    let is_written = |phase: Phase| {
        case.shapes()
            .into_iter()
            .any(|shape| targets.into_iter().any(|target| text(&case, phase, shape, target, &beside) == prompt))
    };
    Phase::ALL.into_iter().any(is_written).then_some(inside)
}

/// What stands in the tag of a request, if one is there: from the first line that opens it to the last that closes it.
fn marked(prompt: &str) -> Option<&str> {
    let mut start = 0;
    for line in prompt.split_inclusive('\n') {
        let end = start + line.len();
        let name =
            line.strip_suffix('\n').and_then(|line| line.strip_prefix('<')).and_then(|line| line.strip_suffix('>'));
        if let Some(name) = name.filter(|name| name.starts_with("request")) {
            let closing = ["\n</", name, ">"].concat();
            let close = prompt[end..].rfind(&closing)?;
            return Some(&prompt[end..end + close]);
        }
        start = end;
    }
    None
}
