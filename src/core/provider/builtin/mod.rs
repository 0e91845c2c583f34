//! The embedded, deterministic prompt writer: a provider without key, network or model.
//!
//! It is no language model and understands nothing. It can do three things: frame a request, add
//! what is safe, ask for what is missing. The prompt contains the request byte for byte, in a tag;
//! the text around it comes only from the frames ([`crate::assets::frame`]). A finished prompt (a
//! template with placeholders, a system prompt, an image prompt) and a request in a language
//! without frames are returned unchanged.
//!
//! # How it reads and writes
//! [`read`] extracts the form of the request; [`decide`] whether it certainly belongs to a family,
//! by `library`'s cue words; [`slots`] what it states, so that ours does not, and what is missing;
//! [`frame`] selects the sentences; [`render`] puts them around the request. Every phase is a
//! function of the request: prima-materia is the general frame and the reading, solutio two
//! paragraphs around the request, coagulatio the finished prompt. Another provider's phase output
//! is added as a draft; our own is recognised by writing it again ([`own`]).
//!
//! To add a family, add a file to `assets/frames` and a row to the table of assets.

mod decide;
mod essence;
mod frame;
pub mod judge;
mod library;
mod own;
mod read;
mod ready;
mod render;
mod slots;
mod stream;
#[cfg(test)]
mod tests;
mod words;

pub use stream::{Builtin, MODEL};

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::PhaseBrief;
use crate::assets::Assets;
use crate::domain::{Phase, TargetFamily};
use crate::error::Result;
use frame::{Case, Layout, Shape};
use library::Library;
use render::GivenTexts;

/// The built-in frames, shared by all writers without user frames.
static SHARED: OnceLock<Arc<Library>> = OnceLock::new();

/// How many requests stay in memory after reading, for further variants and phases.
const KEPT_REQUESTS: usize = 8;

/// Writes prompts with the frames of its assets.
#[derive(Debug, Clone, Default)]
pub struct Writer {
    assets: Arc<Assets>,
    library: Arc<Mutex<Option<Arc<Library>>>>,
    /// The last requests read, newest last.
    read: Arc<Mutex<VecDeque<Arc<ParsedRequest>>>>,
}

/// A request after reading.
#[derive(Debug)]
struct ParsedRequest {
    /// The input, verbatim.
    input: String,
    has_context: bool,
    /// True for a prompt made by this writer; the request inside it was read.
    is_own: bool,
    case: Case,
}

impl Writer {
    /// Creates a writer with the frames of these assets.
    pub fn new(assets: Arc<Assets>) -> Self {
        Self { assets, ..Self::default() }
    }

    /// Writes the text of one phase. Deterministic, and empty only for an empty request.
    ///
    /// # Errors
    /// `file` when one of the user's frames is invalid.
    pub fn write(&self, brief: &PhaseBrief) -> Result<String> {
        let known = self.known(&brief.original_input, !brief.context.is_empty())?;
        let case = &known.case;
        let is_own = is_same(&brief.input, &brief.original_input) || {
            let before = brief.phases.iter().take_while(|phase| **phase != brief.phase).last();
            before.is_some_and(|phase| is_same(&brief.input, &written(case, brief, *phase, None)))
        };
        Ok(written(case, brief, brief.phase, (!is_own).then_some(brief.input.as_str())))
    }

    /// The strategies of a request's variants, in order, for which the text of the last of these
    /// phases differs. Further variants start over from the first.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub fn strategies(&self, request: &str, has_context: bool, phases: &[Phase]) -> Result<Vec<&'static str>> {
        let known = self.known(request, has_context)?;
        let case = &known.case;
        let is_one = (case.decision.is_ready && !has_context) || phases.last() == Some(&Phase::PrimaMateria);
        let mut shapes = if is_one { vec![case.shapes()[0]] } else { case.shapes() };
        if phases.last() == Some(&Phase::Solutio) {
            // Solutio has one layout, so each strategy gives one text.
            shapes.truncate(case.strategies().len());
        }
        Ok(shapes.into_iter().map(|shape| shape.strategy.name()).collect())
    }

    /// The number of gaps a prompt should ask about; 0 unless the request has a certain family.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub fn gaps(&self, request: &str, has_context: bool) -> Result<usize> {
        let known = self.known(request, has_context)?;
        let case = &known.case;
        let is_certain = case.decision.family.is_some() && !case.decision.is_ready;
        Ok(if is_certain { case.missing.len() } else { 0 })
    }

    /// True if the request is a prompt made by this writer; only the request inside it is used.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub fn is_own(&self, request: &str) -> Result<bool> {
        Ok(self.known(request, false)?.is_own)
    }

    /// Reads a request once, for all its variants and phases.
    fn known(&self, input: &str, has_context: bool) -> Result<Arc<ParsedRequest>> {
        let library = self.library()?;
        let is_it = |known: &&Arc<ParsedRequest>| {
            known.has_context == has_context && Arc::ptr_eq(&known.case.library, &library) && known.input == input
        };
        let kept = || self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().iter().rev().find(is_it) {
            return Ok(Arc::clone(known));
        }
        let own = own::request_in(input, &library);
        let case = Case::of(own.unwrap_or(input), has_context, &library);
        let known = Arc::new(ParsedRequest { input: input.to_owned(), has_context, is_own: own.is_some(), case });
        let mut kept = kept();
        if kept.len() == KEPT_REQUESTS {
            kept.pop_front();
        }
        kept.push_back(Arc::clone(&known));
        Ok(known)
    }

    fn library(&self) -> Result<Arc<Library>> {
        let mut kept = self.library.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = &*kept
            && library.is_current(&self.assets)?
        {
            return Ok(Arc::clone(library));
        }
        let shared = match SHARED.get() {
            Some(shared) => shared,
            None => {
                let ours = Arc::new(Library::of(&Assets::default())?);
                SHARED.get_or_init(|| ours)
            }
        };
        let own = !shared.is_current(&self.assets)?;
        let library = if own { Arc::new(Library::of(&self.assets)?) } else { Arc::clone(shared) };
        *kept = Some(Arc::clone(&library));
        Ok(library)
    }
}

/// Maps a strategy of the writer to one of the models, which have the templates.
pub fn strategy_of_models(name: &str) -> &str {
    if name == frame::Strategy::Clarify.name() { "question-first" } else { name }
}

/// True if two texts differ only in white space.
fn is_same(a: &str, b: &str) -> bool {
    a == b || a.split_whitespace().eq(b.split_whitespace())
}

fn written(case: &Case, brief: &PhaseBrief, phase: Phase, draft: Option<&str>) -> String {
    let given = GivenTexts { context: &brief.context, draft };
    let shape = case.shape(&brief.strategy, brief.variant);
    text(case, phase, shape, brief.target, &given)
}

/// The text of a phase in this shape.
fn text(case: &Case, phase: Phase, shape: Shape, target: TargetFamily, given: &GivenTexts<'_>) -> String {
    if case.decision.is_ready && given.draft.is_none() && given.context.is_empty() {
        return String::from(&*case.reading.request);
    }
    match phase {
        Phase::PrimaMateria => render::essence(case, target, given),
        Phase::Solutio => render::render(case, Shape { layout: Layout::Plain, ..shape }, target, given),
        Phase::Coagulatio => render::render(case, shape, target, given),
    }
}
