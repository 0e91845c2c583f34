//! The embedded, deterministic prompt writer: a provider without key, network or model.
//!
//! It is no language model and understands nothing. It may do three things: frame a request, add what is safe, ask for what is
//! missing. The request stands whole in the prompt, byte for byte, in a tag; what stands before and after comes
//! from the frames ([`crate::assets::frame`]) alone and holds no word of the request. A prompt that is ready already (a
//! template with placeholders, a system prompt, an image prompt), and a request in a language that no frame is written in, is its
//! own output.
//!
//! # How it reads and writes
//! [`read`] tells what can be told from the request's form; [`decide`] whether it is certainly of one family, by `library`'s
//! cue words; [`slots`] what it says itself, where ours keeps silent, and what is missing; [`frame`] which
//! sentences that gives; [`render`] puts them around the request. Every phase is a function of the request: prima-materia is the
//! general frame and the reading, solutio two paragraphs around the request, coagulatio the finished prompt. The text of
//! another provider's phase stands beside the request as a draft; our own is recognised by writing it again ([`own`]).
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
use crate::domain::Phase;
use crate::error::Result;
use frame::{Case, Layout, Shape};
use library::Library;
use render::GivenTexts;

/// Our own frames, for all writers whose user has none.
static SHARED: OnceLock<Arc<Library>> = OnceLock::new();

/// So many requests are kept read, for the variants and phases that follow.
const KEPT: usize = 8;

/// Writes prompts with the frames of these assets.
#[derive(Debug, Clone, Default)]
pub struct Writer {
    assets: Arc<Assets>,
    library: Arc<Mutex<Option<Arc<Library>>>>,
    /// The last ones, newest last.
    read: Arc<Mutex<VecDeque<Arc<Known>>>>,
}

/// A request that was read.
#[derive(Debug)]
struct Known {
    /// As it was given.
    input: String,
    has_context: bool,
    /// True for a prompt of ours, whose request is what was read.
    is_own: bool,
    case: Case,
}

impl Writer {
    /// A writer with these frames.
    pub fn new(assets: Arc<Assets>) -> Self {
        Self { assets, ..Self::default() }
    }

    /// The text of one phase. Deterministic and never empty but for an empty request.
    ///
    /// # Errors
    /// `file` when a frame of the user's cannot be used.
    pub fn write(&self, brief: &PhaseBrief) -> Result<String> {
        let known = self.known(&brief.original_input, !brief.context.is_empty())?;
        let case = &known.case;
        let is_own = is_same(&brief.input, &brief.original_input) || {
            let before = brief.phases.iter().take_while(|phase| **phase != brief.phase).last();
            before.is_some_and(|phase| is_same(&brief.input, &written(case, brief, *phase, None)))
        };
        Ok(written(case, brief, brief.phase, (!is_own).then_some(brief.input.as_str())))
    }

    /// The strategies of the variants of a request, in order, as far as the texts of the last of these phases differ. Where
    /// more variants are asked for they are taken from the first again.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub fn strategies(&self, request: &str, has_context: bool, phases: &[Phase]) -> Result<Vec<&'static str>> {
        let known = self.known(request, has_context)?;
        let case = &known.case;
        let is_one = (case.decision.is_ready && !has_context) || phases.last() == Some(&Phase::PrimaMateria);
        let mut shapes = if is_one { vec![case.shapes()[0]] } else { case.shapes() };
        if phases.last() == Some(&Phase::Solutio) {
            // It has one layout, so each strategy gives one text.
            shapes.truncate(case.strategies().len());
        }
        Ok(shapes.into_iter().map(|shape| shape.strategy.name()).collect())
    }

    /// How many things a request plainly leaves open, which a prompt should ask for: of a short one of a certain family only.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub fn gaps(&self, request: &str, has_context: bool) -> Result<usize> {
        let known = self.known(request, has_context)?;
        let case = &known.case;
        let is_certain = case.decision.family.is_some() && !case.decision.is_ready;
        Ok(if is_certain { case.missing.len() } else { 0 })
    }

    /// True when the request is a prompt that this writer made, which it takes off again.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub fn is_own(&self, request: &str) -> Result<bool> {
        Ok(self.known(request, false)?.is_own)
    }

    /// A request, read once for all that is written of it.
    fn known(&self, input: &str, has_context: bool) -> Result<Arc<Known>> {
        let library = self.library()?;
        let is_it = |known: &&Arc<Known>| {
            known.has_context == has_context && Arc::ptr_eq(&known.case.library, &library) && known.input == input
        };
        let kept = || self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().iter().rev().find(is_it) {
            return Ok(Arc::clone(known));
        }
        let own = own::request_in(input, &library);
        let case = Case::of(own.unwrap_or(input), has_context, &library);
        let known = Arc::new(Known { input: input.to_owned(), has_context, is_own: own.is_some(), case });
        let mut kept = kept();
        if kept.len() == KEPT {
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

/// The strategy of the models that one of the writer's stands for: its own have no template.
pub fn strategy_of_models(name: &str) -> &str {
    if name == frame::Strategy::Clarify.name() { "question-first" } else { name }
}

/// True when two texts differ in white space alone.
fn is_same(a: &str, b: &str) -> bool {
    a == b || a.split_whitespace().eq(b.split_whitespace())
}

fn written(case: &Case, brief: &PhaseBrief, phase: Phase, draft: Option<&str>) -> String {
    let beside = GivenTexts { context: &brief.context, draft };
    let shape = case.shape(&brief.strategy, brief.variant);
    text(case, phase, shape, brief.target, &beside)
}

/// The text of a phase in a shape.
fn text(case: &Case, phase: Phase, shape: Shape, target: super::TargetFamily, beside: &GivenTexts<'_>) -> String {
    if case.decision.is_ready && beside.draft.is_none() && beside.context.is_empty() {
        return String::from(&*case.reading.request);
    }
    match phase {
        Phase::PrimaMateria => render::essence(case, target, beside),
        Phase::Solutio => render::render(case, Shape { layout: Layout::Plain, ..shape }, target, beside),
        Phase::Coagulatio => render::render(case, shape, target, beside),
    }
}
