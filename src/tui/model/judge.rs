//! A judging, as shown: who stands for it, the comparisons as they come, and what they came to.
//!
//! [`RunView`] folds the events as it does for every run; here is beside it what only a screen needs.

use aludel_core::domain::{Comparison, PromptId, SelectResult, with_names};
use aludel_core::error::Problem;
use aludel_core::event::{Event, RunState, RunView};
use serde_json::{Map, Value, json};

use super::Costly;
use super::choice::Chosen;
use crate::tui::effect::Ticket;
use crate::tui::screens::judge::After;
use crate::tui::widgets::blocks::Blocks;
use crate::tui::widgets::figures::score;
use crate::tui::widgets::safe::safe;
use crate::tui::widgets::wrapped::Wrapped;

/// How a block of what is said is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// Says what follows.
    Heading,
    /// The judge's words, or ours about them.
    Text,
    /// To be known.
    Warning,
}

/// The judge at work.
#[derive(Debug)]
pub(crate) struct Judged {
    /// Names the run.
    pub(crate) ticket: Ticket,
    /// What is true of it.
    pub(crate) view: RunView,
    /// Why it was refused before it began.
    pub(crate) refusal: Option<Box<Problem>>,
    /// Set where it was refused only until the user agrees to what it may cost.
    pub(crate) asks: Option<Costly>,
    /// When it was asked for.
    pub(crate) since: u64,
    /// How long it took, once it is over.
    pub(crate) took: Option<u64>,
}

impl Judged {
    /// True until it is over or refused.
    pub(crate) fn is_live(&self) -> bool {
        self.refusal.is_none() && !self.view.is_over()
    }

    /// What it came to.
    pub(crate) fn result(&self) -> Option<&SelectResult> {
        match &self.view.state {
            RunState::Finished(outcome) => outcome.selection(),
            _ => None,
        }
    }

    /// Why it came to nothing.
    pub(crate) fn failure(&self) -> Option<&Problem> {
        match &self.view.state {
            RunState::Failed(problem) => Some(problem),
            _ => self.refusal.as_deref(),
        }
    }
}

/// How one of them stands, as a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row<'a> {
    /// Which.
    pub(crate) chosen: &'a Chosen,
    /// The strength and its interval, 0..=1, once concluded.
    pub(crate) strength: Option<(f64, [f64; 2])>,
    /// Comparisons won, lost and even.
    pub(crate) tally: [u32; 3],
    /// How many of its comparisons came out alike in both orders, and how many there are.
    pub(crate) orders: (u32, u32),
}

/// The screen of a judging.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    /// Who stands for it, at least two once there is anything.
    pub(crate) prompts: Vec<Chosen>,
    /// What they are judged for, where the user said so; else what they were made from.
    pub(crate) task: Option<String>,
    /// The judge at work, or what it came to.
    pub(crate) judged: Option<Judged>,
    /// The marked row.
    pub(crate) marked: usize,
    /// The first visible row of what is said.
    pub(crate) top: usize,
    /// A candidate that is being read, and what is done with it then.
    pub(crate) reading: Option<(Ticket, After)>,
    /// What is said.
    pub(crate) said: Blocks<Said>,
}

impl Judge {
    /// These prompts, not judged yet.
    pub(crate) fn of(prompts: Vec<Chosen>, task: Option<String>) -> Self {
        Self { prompts, task, ..Self::default() }
    }

    /// The raw request.
    pub(crate) fn request(&self, budget_usd: Option<f64>) -> Value {
        let ids: Vec<PromptId> = self.prompts.iter().map(|chosen| chosen.id).collect();
        let mut raw = Map::from_iter([("prompt_ids".to_owned(), json!(ids))]);
        raw.extend(self.task.as_ref().map(|task| ("task_description".to_owned(), json!(task))));
        raw.extend(budget_usd.map(|most| ("budget_usd".to_owned(), json!(most))));
        raw.into()
    }

    /// The judge at work.
    pub(crate) fn live(&self) -> Option<&Judged> {
        self.judged.as_ref().filter(|judged| judged.is_live())
    }

    /// Begins anew.
    pub(crate) fn begin(&mut self, ticket: Ticket, now: u64) {
        let view = RunView::default();
        self.judged = Some(Judged { ticket, view, refusal: None, asks: None, since: now, took: None });
        (self.marked, self.top) = (0, 0);
        self.say_all();
    }

    /// Takes in events of the run with this ticket.
    pub(crate) fn apply(&mut self, ticket: Ticket, events: &[Event], now: u64) {
        let Some(judged) = self.judged.as_mut().filter(|judged| judged.ticket == ticket) else { return };
        for event in events {
            judged.view.apply(event);
        }
        if judged.view.is_over() && judged.took.is_none() {
            judged.took = Some(now.saturating_sub(judged.since));
            (self.marked, self.top) = (0, 0);
        }
        self.say_all();
    }

    /// Takes in that the run with this ticket waits until the user agrees to what it may cost.
    pub(crate) fn ask(&mut self, ticket: Ticket, costly: &Costly) {
        if let Some(judged) = self.judged.as_mut().filter(|judged| judged.ticket == ticket) {
            judged.asks = Some(costly.clone());
            self.say_all();
        }
    }

    /// Takes in that the run with this ticket was refused.
    pub(crate) fn refuse(&mut self, ticket: Ticket, problem: Box<Problem>) {
        if let Some(judged) = self.judged.as_mut().filter(|judged| judged.ticket == ticket) {
            judged.refusal = Some(problem);
            self.say_all();
        }
    }

    /// What a prompt is called here.
    pub(crate) fn label(&self, id: PromptId) -> String {
        let known = self.prompts.iter().find(|chosen| chosen.id == id);
        known.map_or_else(|| id.short(), |chosen| chosen.label.clone())
    }

    /// Best first once concluded; before that as they were chosen.
    pub(crate) fn rows(&self) -> Vec<Row<'_>> {
        let comparisons = self.comparisons();
        let row = |chosen: &'_ Chosen| -> ([u32; 3], (u32, u32)) {
            let own = comparisons.iter().filter(|comparison| [comparison.a, comparison.b].contains(&chosen.id));
            own.fold(([0; 3], (0, 0)), |([won, lost, even], (alike, all)), comparison| {
                let tally = match comparison.winner {
                    None => [won, lost, even + 1],
                    Some(winner) if winner == chosen.id => [won + 1, lost, even],
                    Some(_) => [won, lost + 1, even],
                };
                (tally, (alike + u32::from(comparison.agreed), all + 1))
            })
        };
        let mut rows: Vec<Row<'_>> = self
            .prompts
            .iter()
            .map(|chosen| {
                let (tally, orders) = row(chosen);
                Row { chosen, strength: None, tally, orders }
            })
            .collect();
        if let Some(result) = self.judged.as_ref().and_then(Judged::result) {
            let place = |id| result.ranking.iter().position(|standing| standing.prompt_id == id).unwrap_or(usize::MAX);
            for row in &mut rows {
                let standing = result.ranking.iter().find(|standing| standing.prompt_id == row.chosen.id);
                row.strength = standing.map(|standing| (standing.score, standing.interval));
            }
            rows.sort_by_key(|row| place(row.chosen.id));
        }
        rows
    }

    /// The comparisons so far.
    pub(crate) fn comparisons(&self) -> &[Comparison] {
        self.judged.as_ref().map_or(&[], |judged| &judged.view.comparisons)
    }

    /// The prompt of the marked row.
    pub(crate) fn marked_prompt(&self) -> Option<Chosen> {
        self.rows().get(self.marked).map(|row| row.chosen.clone())
    }

    /// The winner, once there is one.
    pub(crate) fn winner(&self) -> Option<PromptId> {
        Some(self.judged.as_ref()?.result()?.prompt.id)
    }

    /// How many rows what is said has.
    pub(crate) const fn said_rows(&self) -> usize {
        self.said.len()
    }

    /// Wraps what is said to `width` columns and keeps its place within `height` rows.
    pub(crate) fn reflow(&mut self, width: u16, height: usize) {
        self.said.set_width(width);
        self.top = self.top.min(self.said_rows().saturating_sub(height));
        self.marked = self.marked.min(self.prompts.len().saturating_sub(1));
    }

    /// Says anew what there is to say: who won and why, then each comparison, the newest first.
    fn say_all(&mut self) {
        let mut said = Vec::new();
        let mut say = |kind, text: &str| said.push((kind, Wrapped::of(safe(text), 80)));
        let Some(judged) = &self.judged else {
            self.said = Blocks::default();
            return;
        };
        if let Some(problem) = judged.failure() {
            match &judged.asks {
                Some(costly) => say(Said::Heading, &format!("{} Nothing was sent.", costly.told())),
                None => say(Said::Warning, &format!("{} ({})", problem.title, problem.code)),
            }
            if problem.errors.is_empty() {
                say(Said::Text, &self.with_labels(&problem.detail));
            }
            for fault in &problem.errors {
                say(Said::Text, &self.with_labels(&fault.to_string()));
            }
        }
        if let Some(result) = judged.result() {
            say(Said::Heading, &result.sureness(|id| self.label(id)));
            say(Said::Text, &self.with_labels(&result.reasoning));
        }
        for warning in &judged.view.warnings {
            say(Said::Warning, &self.with_labels(warning));
        }
        for comparison in judged.view.comparisons.iter().rev() {
            say(Said::Heading, &format!("\n{}", self.comparison(comparison)));
            say(Said::Text, &self.with_labels(&comparison.reasoning));
        }
        self.said = Blocks::of(said);
    }

    /// `A over B by 0.50 · both orders agree`.
    fn comparison(&self, comparison: &Comparison) -> String {
        let (a, b) = (self.label(comparison.a), self.label(comparison.b));
        let said = match comparison.winner {
            None => format!("{a} and {b} are even"),
            Some(winner) if winner == comparison.a => format!("{a} over {b} by {}", score(comparison.margin.abs())),
            Some(_) => format!("{b} over {a} by {}", score(comparison.margin.abs())),
        };
        let orders = if comparison.agreed { "both orders agree" } else { "the two orders differ" };
        format!("{said} · {orders}")
    }

    /// A text with labels where it names short ids.
    fn with_labels(&self, text: &str) -> String {
        let label = |word: &str| {
            self.prompts.iter().find(|chosen| chosen.id.short() == word).map(|chosen| chosen.label.clone())
        };
        with_names(text, label)
    }
}
