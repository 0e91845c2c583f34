//! Framing: selects the sentences around a request. They never repeat words of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::decide::Decision;
use super::library::Library;
use super::read::Reading;
use super::slots::{self, Missing};
use crate::assets::Frame;
use crate::assets::frame::{LocalisedText, Sentence, Slot, applies};
use crate::text::language::Language;

/// How a prompt is structured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Strategy {
    /// The task, and notes.
    Direct,
    /// Separate sections for how to work and what to check.
    Structured,
    /// An ordered list of steps.
    Stepwise,
    /// Asks for what is missing first.
    Clarify,
}

/// Where our sentences go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Layout {
    /// The task before the request, the rest after it, under headings.
    Around,
    /// All of it after the request, under headings.
    After,
    /// A paragraph before and one after, without headings.
    Plain,
}

/// What distinguishes one variant from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub(super) strategy: Strategy,
    pub(super) layout: Layout,
}

/// A part of the text after a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PromptPart {
    /// A heading of `general`, by its key.
    Heading(&'static str),
    /// A paragraph.
    Text(String),
    /// A bulleted list.
    Points(Vec<String>),
    /// A numbered list.
    Steps(Vec<String>),
}

/// A request and all decisions about it.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) reading: Arc<Reading>,
    pub(super) decision: Decision,
    pub(super) stated: BTreeSet<Slot>,
    pub(super) missing: Vec<Missing>,
    pub(super) library: Arc<Library>,
}

/// Up to this many words, a request without a family gets only one sentence.
const TINY: usize = 4;
/// Up to this many words, a request without a family can be ambiguous.
const SHORT: usize = 8;
/// From this many words on, a family with steps offers them; shorter requests are answered at once.
const WORTH_STEPS: usize = 45;

impl Strategy {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Structured => "structured",
            Self::Stepwise => "stepwise",
            Self::Clarify => "clarify",
        }
    }

    /// The closest equivalent of a strategy for models.
    pub(super) fn nearest(name: &str) -> Self {
        match name {
            "stepwise" => Self::Stepwise,
            "structured" | "constraint-first" | "rubric" | "example-led" => Self::Structured,
            "clarify" | "question-first" => Self::Clarify,
            _ => Self::Direct,
        }
    }
}

impl Case {
    pub(super) fn of(request: &str, has_context: bool, library: &Arc<Library>) -> Self {
        let reading = Reading::of(request, has_context, library);
        let decision = super::decide::decide(&reading, library);
        let stated = slots::stated(&reading, library);
        let asks = decision.family.as_ref().or((reading.size <= TINY).then_some(&library.general));
        let missing = asks.map_or_else(Vec::new, |family| {
            let missing = slots::missing(&reading, library, family, &stated);
            let has_room = !(family.strict || stated.contains(&Slot::AnswerOnly));
            missing.into_iter().filter(|one| has_room || one.is_needed).collect()
        });
        Self { reading: Arc::new(reading), decision, stated, missing, library: Arc::clone(library) }
    }

    fn frame(&self) -> &Frame {
        self.decision.family.as_deref().unwrap_or(&self.library.general)
    }

    pub(super) fn say<'t>(&self, text: &'t LocalisedText) -> &'t str {
        text.get(self.reading.language.code())
    }

    fn shared(&self, text: impl Fn(&Frame) -> &LocalisedText) -> String {
        self.say(text(&self.library.general)).to_owned()
    }

    /// The task, in one sentence.
    pub(super) fn opening(&self) -> String {
        self.say(&self.frame().opening).to_owned()
    }

    /// True for a request without a family that is too short for more than one sentence.
    fn is_tiny(&self) -> bool {
        self.decision.family.is_none() && self.reading.size <= TINY
    }

    /// The strategies whose texts differ for this request, the most useful first.
    pub(super) fn strategies(&self) -> Vec<Strategy> {
        // One sentence has nothing to arrange.
        let mut strategies = vec![Strategy::Direct];
        if !self.is_tiny() {
            strategies.push(Strategy::Structured);
        }
        // If everything missing is needed, every strategy asks for it.
        if self.missing.iter().any(|one| !one.is_needed) {
            strategies.push(Strategy::Clarify);
        }
        let is_worth_steps = self.reading.size >= WORTH_STEPS && !self.stated.contains(&Slot::Steps);
        if !self.frame().steps.is_empty() && is_worth_steps {
            strategies.push(Strategy::Stepwise);
        }
        strategies
    }

    /// The shapes whose texts differ for this request: all strategies in the first layout, then in the next.
    pub(super) fn shapes(&self) -> Vec<Shape> {
        let strategies = self.strategies();
        let layouts: &[Layout] = if self.reading.is_long {
            &[Layout::After, Layout::Plain]
        } else {
            &[Layout::Around, Layout::Plain, Layout::After]
        };
        let mut shapes = Vec::with_capacity(layouts.len() * strategies.len());
        for layout in layouts {
            let of = |strategy: &Strategy| Shape { strategy: *strategy, layout: *layout };
            // One sentence has no headings to omit, and one question is asked once.
            let is_same = |shape: &Shape| {
                self.is_tiny()
                    && (*layout == Layout::Plain || (*layout == Layout::After && shape.strategy == Strategy::Clarify))
            };
            shapes.extend(strategies.iter().map(of).filter(|shape| !is_same(shape)));
        }
        shapes
    }

    /// The shape of a variant, or the first with the strategy nearest to the one requested.
    pub(super) fn shape(&self, strategy: &str, variant: u32) -> Shape {
        let shapes = self.shapes();
        let own = usize::try_from(variant).unwrap_or_default() % shapes.len();
        if shapes[own].strategy.name() == strategy {
            return shapes[own];
        }
        let wanted = Strategy::nearest(strategy);
        shapes.iter().find(|shape| shape.strategy == wanted).copied().unwrap_or(shapes[0])
    }

    /// The parts after the request; the last one says which instruction wins over which.
    pub(super) fn parts(&self, strategy: Strategy) -> Vec<PromptPart> {
        if self.is_tiny() && strategy == Strategy::Direct {
            return vec![PromptPart::Text(self.shared(|general| &general.brief))];
        }
        let mut parts = Vec::new();
        let needs = self.missing.iter().any(|one| one.is_needed);
        if strategy == Strategy::Clarify && !self.missing.iter().all(|one| one.is_needed) {
            parts.push(PromptPart::Heading("ask"));
            parts.push(PromptPart::Text(self.shared(|general| &general.ask_lead)));
            parts.push(PromptPart::Points(self.asked(|_| true)));
            if !needs {
                parts.push(PromptPart::Text(self.shared(|general| &general.ask_after)));
            }
        } else if needs {
            parts.push(PromptPart::Heading("ask"));
            parts.push(PromptPart::Text(self.shared(|general| &general.input_lead)));
            parts.push(PromptPart::Points(self.asked(|one| one.is_needed)));
        }
        let work = self.work(strategy);
        match strategy {
            Strategy::Direct | Strategy::Clarify => {
                parts.extend([PromptPart::Heading("notes"), PromptPart::Points(work)]);
            }
            Strategy::Structured => {
                parts.extend([PromptPart::Heading("work"), PromptPart::Points(work), PromptPart::Heading("check")]);
                parts.push(PromptPart::Points(vec![self.say(&self.frame().check).to_owned()]));
            }
            Strategy::Stepwise => {
                parts.extend([PromptPart::Heading("steps"), PromptPart::Steps(self.sentences(&self.frame().steps))]);
                parts.extend([PromptPart::Heading("notes"), PromptPart::Points(self.added(strategy))]);
            }
        }
        let parts = without_empty(parts);
        if parts.is_empty() {
            parts
        } else {
            [parts, vec![PromptPart::Text(self.shared(|general| &general.wins))]].concat()
        }
    }

    fn work(&self, strategy: Strategy) -> Vec<String> {
        // A long enough request without a family needs nothing added.
        let says_enough = self.decision.family.is_none() && self.reading.size > SHORT;
        let is_told = says_enough || self.is_tiny();
        let mut work = if is_told { Vec::new() } else { self.sentences(&self.frame().work) };
        work.extend(self.added(strategy));
        work
    }

    /// Sentences added to the family's own.
    fn added(&self, strategy: Strategy) -> Vec<String> {
        let mut added = Vec::new();
        if self.decision.is_several {
            added.push(self.shared(|general| &general.several));
        }
        if self.decision.family.is_some() && !self.frame().strict && self.stated.contains(&Slot::Counted) {
            added.push(self.shared(|general| &general.count));
        }
        let may_add = !self.frame().strict && !self.stated.contains(&Slot::AnswerOnly);
        let is_asked = strategy == Strategy::Clarify || self.missing.iter().any(|one| one.is_needed);
        if may_add && !is_asked && !self.missing.is_empty() && !self.is_tiny() {
            added.push(self.shared(|general| &general.assume));
        }
        let language = self.reading.language;
        let is_unframed = !language.code().is_empty() && !Language::FRAMED.contains(&language);
        if is_unframed && !self.stated.contains(&Slot::Language) {
            added.push(self.shared(|general| &general.language));
        }
        added
    }

    fn sentences(&self, sentences: &[Sentence]) -> Vec<String> {
        let is_said = |sentence: &&Sentence| applies(&sentence.when, &sentence.unless, &self.stated);
        sentences.iter().filter(is_said).map(|sentence| self.say(&sentence.text).to_owned()).collect()
    }

    fn asked(&self, is_wanted: impl Fn(&Missing) -> bool) -> Vec<String> {
        let asked = self.missing.iter().filter(|one| is_wanted(one)).filter_map(|one| self.frame().ask.get(one.at));
        asked.map(|question| self.say(&question.text).to_owned()).collect()
    }
}

/// Removes empty lists, and headings with nothing under them.
fn without_empty(parts: Vec<PromptPart>) -> Vec<PromptPart> {
    let is_full =
        |part: &PromptPart| !matches!(part, PromptPart::Points(list) | PromptPart::Steps(list) if list.is_empty());
    let full: Vec<PromptPart> = parts.into_iter().filter(is_full).collect();
    let follows = |at: usize| full.get(at + 1).is_some_and(|next| !matches!(next, PromptPart::Heading(_)));
    let kept = full.iter().enumerate().filter(|(at, part)| !matches!(part, PromptPart::Heading(_)) || follows(*at));
    kept.map(|(_, part)| part.clone()).collect()
}
