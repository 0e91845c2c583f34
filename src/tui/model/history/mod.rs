//! What is stored, as shown: a search box, the rows that answer it, and the prompt whose row is marked.
//!
//! Plain data; what keys and answers do to it is in [`crate::tui::screens::history`]. Each question to the core has a
//! ticket of its own, and only the answer to the newest is taken.

mod preview;
mod question;
mod row;

use std::collections::BTreeSet;

use aludel_core::domain::{Prompt, PromptId, Timestamp};
use aludel_core::engine::Indexing;
use aludel_core::error::Problem;
use aludel_core::transfer::{Stage, TransferProgress};

pub(crate) use preview::{Preview, Role};
pub(crate) use question::{Mode, Question, Start, Typed};
pub(crate) use row::Row;

use row::by_their_runs;

use super::Composer;
use crate::tui::action::Context;
use crate::tui::effect::Ticket;
use crate::tui::widgets::figures::thousands;

/// Which part has the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Part {
    /// Keys type.
    Search,
    /// Letters act; arrows mark rows.
    #[default]
    List,
    /// Letters act; arrows scroll.
    Preview,
}

impl Part {
    /// Where its keys are looked up.
    pub(crate) const fn context(self) -> Context {
        match self {
            Self::Search => Context::Search,
            Self::List | Self::Preview => Context::History,
        }
    }

    /// The next, in a circle.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::Search => Self::List,
            Self::List => Self::Preview,
            Self::Preview => Self::Search,
        }
    }
}

/// How the prompts of one run stand in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Grouping {
    /// Together, below what was asked of it.
    #[default]
    ByRun,
    /// Each where the answer has it.
    Flat,
}

/// Why something is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// What was typed has changed: the answer is read from its beginning.
    Fresh,
    /// What is stored may have changed: the marked row stays marked.
    Again,
    /// The end of the rows is near: the answer follows them.
    More,
}

/// A question that was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Names it.
    pub(crate) ticket: Ticket,
    /// Why.
    pub(crate) why: Why,
}

/// What the core answered, made ready to show.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    /// The rows.
    pub(crate) rows: Vec<Row>,
    /// Where the rest begins; `None` when this is all.
    pub(crate) next: Option<Start>,
    /// What is known of the answer.
    pub(crate) facts: Facts,
}

/// What is known of an answer as a whole.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Facts {
    /// How many there are in all, where that is known.
    pub(crate) total: Option<u64>,
    /// What the user should know.
    pub(crate) warnings: Vec<String>,
    /// Milliseconds it took.
    pub(crate) took_ms: u64,
    /// What it cost, where it cost anything.
    pub(crate) cost_usd: Option<f64>,
    /// Where words found nothing: the prompt that is nearest in meaning, if it is near.
    pub(crate) nearest: Option<String>,
    /// When it was given: ages are counted from here.
    pub(crate) at: Timestamp,
}

/// A file that is written or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Transfer {
    /// Names it.
    pub(crate) ticket: Ticket,
    /// How far it is, once told.
    pub(crate) progress: Option<TransferProgress>,
}

impl Transfer {
    /// `storing 300 of 1,204`.
    pub(crate) fn told(&self) -> String {
        let Some(progress) = self.progress else { return "opening the file".to_owned() };
        let doing = match progress.stage {
            Stage::Checking => "checking",
            Stage::Storing => "storing",
            Stage::Writing => "writing",
        };
        let total = progress.total.map_or_else(String::new, |total| format!(" of {}", thousands(total)));
        format!("{doing} {}{total}", thousands(progress.prompts))
    }
}

/// A prompt that was deleted and can still be called back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Deleting {
    /// Its row.
    pub(crate) row: Row,
    /// Where in the list it stood.
    pub(crate) at: usize,
    /// The raw request that deletes it.
    pub(crate) raw: serde_json::Value,
    /// Until when it can be called back.
    pub(crate) until: u64,
}

/// The screen of what is stored.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// Which part has the keys.
    pub(crate) focus: Part,
    /// True while that part fills the screen.
    pub(crate) zoom: bool,
    /// The search box.
    pub(crate) search: Composer,
    /// By what is searched.
    pub(crate) mode: Mode,
    /// The question under way.
    pub(crate) asked: Option<Asked>,
    /// True when what was typed waits for the key that asks it.
    pub(crate) unasked: bool,
    /// How they stand: chosen for as long as the workbench is open.
    pub(crate) grouping: Grouping,
    /// The rows.
    pub(crate) rows: Vec<Row>,
    /// Where the rest of them begins.
    pub(crate) next: Option<Start>,
    /// What is known of them; `None` before the first answer.
    pub(crate) facts: Option<Facts>,
    /// When they arrived, as [`super::Model::now`].
    pub(crate) arrived: u64,
    /// Why the last question had no answer.
    pub(crate) problem: Option<Box<Problem>>,
    /// The marked row.
    pub(crate) marked: usize,
    /// The first visible row.
    pub(crate) top: usize,
    /// The prompt of the marked row, once read.
    pub(crate) preview: Option<Preview>,
    /// The newest question for a whole prompt.
    pub(crate) reading: Option<Ticket>,
    /// What was deleted last, while it can be called back.
    pub(crate) deleting: Option<Deleting>,
    /// A prompt with tags or notes that is deleted when it is asked for again.
    pub(crate) doubted: Option<PromptId>,
    /// What this workbench has moved to the trash, the last one last.
    pub(crate) trashed: Vec<PromptId>,
    /// What is being deleted, until the core says that it is.
    pub(crate) gone: BTreeSet<PromptId>,
    /// The file that is written or read.
    pub(crate) transfer: Option<Transfer>,
    /// How far the vectors are; `None` before that is watched.
    pub(crate) indexing: Option<Indexing>,
    /// The last ticket given out.
    pub(crate) last_ticket: Ticket,
}

impl History {
    /// A search box that holds one line, and nothing read yet.
    pub(crate) fn new() -> Self {
        Self { search: Composer::line(), ..Self::default() }
    }

    /// The next ticket.
    pub(crate) fn ticket(&mut self) -> Ticket {
        self.last_ticket = self.last_ticket.next();
        self.last_ticket
    }

    /// What was typed, read.
    pub(crate) fn typed(&self) -> Typed {
        Typed::read(&self.search.text())
    }

    /// The marked row.
    pub(crate) fn marked_row(&self) -> Option<&Row> {
        self.rows.get(self.marked)
    }

    /// How many rows of one run stand together from this one on; 0 where it is not the first of several.
    pub(crate) fn begins_run_of(&self, at: usize) -> usize {
        if self.grouping == Grouping::Flat {
            return 0;
        }
        let run = |at: usize| self.rows.get(at).map(|row| row.run);
        if at > 0 && run(at - 1) == run(at) {
            return 0;
        }
        let count = self.rows.iter().skip(at).take_while(|row| Some(row.run) == run(at)).count();
        if count > 1 { count } else { 0 }
    }

    /// True where the row before or behind this one is of the same run.
    pub(crate) fn is_among_its_run(&self, at: usize) -> bool {
        let run = |at: usize| self.rows.get(at).map(|row| row.run);
        self.grouping == Grouping::ByRun && (run(at + 1) == run(at) || at > 0 && run(at - 1) == run(at))
    }

    /// The rows of an answer in the order they are shown, behind those that are there already.
    pub(crate) fn placed(&self, mut rows: Vec<Row>) -> Vec<Row> {
        let first = self.rows.iter().map(|row| row.place + 1).max().unwrap_or(0);
        for (place, row) in (first..).zip(&mut rows) {
            row.place = place;
        }
        self.grouped(rows)
    }

    /// Lets the rows stand the other way; the marked one stays marked.
    pub(crate) fn regroup(&mut self) -> Grouping {
        self.grouping = match self.grouping {
            Grouping::ByRun => Grouping::Flat,
            Grouping::Flat => Grouping::ByRun,
        };
        let marked = self.marked_row().map(|row| row.id);
        let mut rows = std::mem::take(&mut self.rows);
        rows.sort_by_key(|row| row.place);
        self.rows = self.grouped(rows);
        let kept = marked.and_then(|id| self.rows.iter().position(|row| row.id == id));
        self.marked = kept.unwrap_or(self.marked);
        self.grouping
    }

    fn grouped(&self, rows: Vec<Row>) -> Vec<Row> {
        match self.grouping {
            Grouping::ByRun => by_their_runs(&rows),
            Grouping::Flat => rows,
        }
    }

    /// The prompt of the marked row, once read.
    pub(crate) fn prompt(&self) -> Option<&Prompt> {
        let row = self.marked_row()?;
        self.preview.as_ref().map(|preview| &*preview.prompt).filter(|prompt| prompt.id == row.id)
    }

    /// Counts rows that come to the answer or leave it.
    pub(crate) fn count(&mut self, by: i64) {
        if let Some(total) = self.facts.as_mut().and_then(|facts| facts.total.as_mut()) {
            *total = total.saturating_add_signed(by);
        }
    }

    /// An answer without what the user has deleted and the database still has.
    pub(crate) fn without_the_deleted(&self, mut answer: Answer) -> Answer {
        let deleting = self.deleting.as_ref().map(|deleting| deleting.row.id);
        let before = answer.rows.len();
        answer.rows.retain(|row| Some(row.id) != deleting && !self.gone.contains(&row.id));
        let left_out = (before - answer.rows.len()) as u64;
        answer.facts.total = answer.facts.total.map(|total| total.saturating_sub(left_out));
        answer
    }

    /// True while an answer that replaces the rows is waited for.
    pub(crate) fn is_searching(&self) -> bool {
        self.asked.is_some_and(|asked| asked.why != Why::More)
    }
}
