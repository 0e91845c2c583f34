//! The text of a run as it arrives, for `--stream`: one variant at a time, so that it can be read.
//!
//! Variants run in parallel; printing their text as it arrives would mix them word by word. So one
//! section, a phase of a variant, is live, the others are buffered, and the next one starts when it
//! ends. Nothing is lost or shown twice.

use std::collections::VecDeque;

use crate::cli::view::symbols::ACROSS;
use crate::cli::view::symbols::DOT;
use aludel_core::domain::Phase;
use aludel_core::event::EventKind;

/// Turns the events of a run into text to print.
#[derive(Debug, Default)]
pub(crate) struct LiveText {
    /// The first one is live; all others wait.
    sections: VecDeque<Section>,
}

/// A phase of a variant.
#[derive(Debug)]
struct Section {
    variant: u32,
    phase: Phase,
    strategy: String,
    /// Text that has arrived and is not printed yet.
    waiting: String,
    is_over: bool,
    has_heading: bool,
    ends_a_line: bool,
}

impl LiveText {
    /// Handles an event and returns what to print now.
    pub(crate) fn take(&mut self, event: &EventKind) -> String {
        match event {
            EventKind::PhaseStarted { variant, phase, strategy, .. } => self.sections.push_back(Section {
                variant: *variant,
                phase: *phase,
                strategy: strategy.clone(),
                waiting: String::new(),
                is_over: false,
                has_heading: false,
                ends_a_line: true,
            }),
            EventKind::Delta { variant, phase, text } => self.add(*variant, *phase, text),
            EventKind::PhaseFinished { variant, phase, .. } => self.end(*variant, Some(*phase), ""),
            EventKind::VariantFailed { variant, phase, error } => {
                self.end(*variant, *phase, &format!("[failed: {}]", error.detail));
            }
            EventKind::Retrying { variant, phase, attempt, error, .. } => {
                if let Some(section) = self.find(*variant, Some(*phase)) {
                    let void = if section.has_heading { "discard the text above; " } else { "" };
                    section.waiting = format!("\n[{}; {void}attempt {attempt}]\n", error.title.to_lowercase());
                }
            }
            terminal if terminal.is_terminal() => {
                for section in &mut self.sections {
                    section.is_over = true;
                }
            }
            _ => {}
        }
        self.print()
    }

    fn find(&mut self, variant: u32, phase: Option<Phase>) -> Option<&mut Section> {
        self.sections.iter_mut().rev().find(|section| {
            section.variant == variant && phase.is_none_or(|phase| section.phase == phase) && !section.is_over
        })
    }

    fn add(&mut self, variant: u32, phase: Phase, text: &str) {
        if let Some(section) = self.find(variant, Some(phase)) {
            section.waiting.push_str(text);
        }
    }

    fn end(&mut self, variant: u32, phase: Option<Phase>, remark: &str) {
        if let Some(section) = self.find(variant, phase) {
            if !remark.is_empty() {
                if !section.waiting.is_empty() && !section.waiting.ends_with('\n') {
                    section.waiting.push('\n');
                }
                section.waiting.push_str(remark);
            }
            section.is_over = true;
        }
    }

    /// Prints what the live section has, and those after it while they are finished.
    fn print(&mut self) -> String {
        let mut text = String::new();
        while let Some(section) = self.sections.front_mut() {
            if section.waiting.is_empty() && !section.is_over {
                break;
            }
            if !section.has_heading {
                text.push_str(&section.heading());
                section.has_heading = true;
            }
            if !section.waiting.is_empty() {
                section.ends_a_line = section.waiting.ends_with('\n');
                text.push_str(&std::mem::take(&mut section.waiting));
            }
            if !section.is_over {
                break;
            }
            text.push_str(if section.ends_a_line { "\n" } else { "\n\n" });
            self.sections.pop_front();
        }
        text
    }
}

impl Section {
    fn heading(&self) -> String {
        let strategy = if self.strategy.is_empty() { String::new() } else { format!("{DOT}{}", self.strategy) };
        format!("{ACROSS}{ACROSS} variant {}{DOT}{}{strategy} {ACROSS}{ACROSS}\n", self.variant + 1, self.phase)
    }
}

#[cfg(test)]
mod tests {
    use aludel_core::domain::ModelMetadata;
    use aludel_core::error::{Error, Problem};

    use super::*;

    fn begun(variant: u32) -> EventKind {
        EventKind::PhaseStarted {
            variant,
            phase: Phase::Solutio,
            provider: "p".into(),
            model: "m".into(),
            strategy: String::new(),
        }
    }

    fn delta(variant: u32, text: &str) -> EventKind {
        EventKind::Delta { variant, phase: Phase::Solutio, text: text.into() }
    }

    fn finished(variant: u32) -> EventKind {
        EventKind::PhaseFinished {
            variant,
            phase: Phase::Solutio,
            provider: "p".into(),
            model: "m".into(),
            content: String::new(),
            model_metadata: ModelMetadata::default(),
        }
    }

    fn printed(events: &[EventKind]) -> Vec<String> {
        let mut live = LiveText::default();
        events.iter().map(|event| live.take(event)).collect()
    }

    #[test]
    fn one_variant_is_live_and_the_other_waits_its_turn() {
        let steps =
            printed(&[begun(0), begun(1), delta(1, "x"), delta(0, "a"), delta(1, "y"), finished(0), delta(1, "z")]);
        assert_eq!(steps, ["", "", "", "── variant 1 · solutio ──\na", "", "\n\n── variant 2 · solutio ──\nxy", "z"]);
    }

    #[test]
    fn a_variant_that_ended_while_waiting_is_printed_whole() {
        let text = printed(&[begun(0), begun(1), delta(1, "x\n"), finished(1), delta(0, "a"), finished(0)]).concat();
        assert_eq!(text, "── variant 1 · solutio ──\na\n\n── variant 2 · solutio ──\nx\n\n");
    }

    #[test]
    fn text_made_void_by_a_retry_is_said_to_be() {
        let error = Box::new(Problem::from(Error::Internal("it broke".into())));
        let retrying = EventKind::Retrying {
            variant: 0,
            phase: Phase::Solutio,
            provider: "p".into(),
            model: "m".into(),
            attempt: 2,
            delay_ms: 10,
            error,
        };
        let text = printed(&[begun(0), delta(0, "half"), retrying, delta(0, "whole"), finished(0)]).concat();
        assert!(text.contains("half\n[internal error; discard the text above; attempt 2]\nwhole"), "{text}");
    }

    #[test]
    fn everything_that_came_is_printed_when_the_run_ends() {
        let text = printed(&[begun(0), begun(1), delta(1, "x"), EventKind::Cancelled {}]).concat();
        assert!(text.contains("variant 2 · solutio ──\nx"), "{text}");
    }
}
