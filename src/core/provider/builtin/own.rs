//! Recognises prompts made by this writer when they are given as requests, and unwraps them.
//!
//! All phases but prima-materia, which quotes the request, surround it with text independent of it.
//! So they are written around nothing and compared, at no cost for long requests.

use std::sync::Arc;

use super::frame::Case;
use super::library::Library;
use super::read::Reading;
use super::render::{GivenTexts, tag};
use super::text;
use crate::domain::{Phase, TargetFamily};

/// A prompt split at its request tag.
struct SplitPrompt<'t> {
    tag: &'t str,
    /// The text up to and including the tag's line.
    before: &'t str,
    inside: &'t str,
    /// The closing tag and the text after it.
    after: &'t str,
}

/// The request inside a prompt made by this writer; `None` for any other text.
pub(super) fn request_in<'t>(prompt: &'t str, library: &Arc<Library>) -> Option<&'t str> {
    let prompt = prompt.trim();
    let cut = cut(prompt)?;
    let case = Case::of(cut.inside, false, library);
    let is_trimmed = case.reading.request.len() == cut.inside.len();
    if !is_trimmed || tag("request", &cut.inside.to_lowercase()) != cut.tag {
        return None;
    }
    let given = GivenTexts { context: &[], draft: None };
    let shapes = case.shapes();
    let is_essence = |target| text(&case, Phase::PrimaMateria, shapes[0], target, &given) == prompt;
    if TargetFamily::ALL.into_iter().any(is_essence) {
        return Some(cut.inside);
    }
    // The writer's own text around nothing has a tag without a number.
    let named = |part: &str| part.replacen(cut.tag, "request", 1);
    let around = [&named(cut.before), "\n", &named(cut.after)].concat();
    let reading = Reading { request: Arc::from(""), ..Reading::clone(&case.reading) };
    let hollow = Case { reading: Arc::new(reading), ..case };
    let is_written = |phase, shape| {
        TargetFamily::ALL.into_iter().any(|target| text(&hollow, phase, shape, target, &given) == around)
    };
    let phases = [Phase::Solutio, Phase::Coagulatio];
    let is_ours = shapes.into_iter().any(|shape| phases.into_iter().any(|phase| is_written(phase, shape)));
    is_ours.then_some(cut.inside)
}

/// Splits a prompt at its first opening and its last closing request tag.
fn cut(prompt: &str) -> Option<SplitPrompt<'_>> {
    let mut start = 0;
    for line in prompt.split_inclusive('\n') {
        let end = start + line.len();
        let name =
            line.strip_suffix('\n').and_then(|line| line.strip_prefix('<')).and_then(|line| line.strip_suffix('>'));
        if let Some(tag) = name.filter(|name| name.starts_with("request")) {
            let close = prompt[end..].rfind(&["\n</", tag, ">"].concat())?;
            let (inside, after) = prompt[end..].split_at(close);
            return Some(SplitPrompt { tag, before: &prompt[..end], inside, after: after.strip_prefix('\n')? });
        }
        start = end;
    }
    None
}
