//! The History screen: a search box, the rows found, and a preview of the selected prompt.
//!
//! Plain data; [`crate::tui::screens::history`] handles keys and replies. Each request to the core
//! has its own ticket, and only the reply to the newest one is accepted.

mod preview;
mod question;
mod row;

use std::collections::BTreeSet;

use aludel_core::domain::{Prompt, PromptId, Timestamp};
use aludel_core::engine::Indexing;
use aludel_core::error::Problem;
use aludel_core::transfer::{Stage, TransferProgress};

pub(crate) use preview::{Preview, Role};
pub(crate) use question::{Mode, Start, Typed};
pub(crate) use row::Row;

use row::by_their_runs;

use super::Composer;
use crate::tui::action::Context;
use crate::tui::effect::Ticket;
use crate::tui::widgets::figures::thousands;

/// The focused part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Part {
    /// Keys type.
    Search,
    /// Letters are commands; arrows select rows.
    #[default]
    List,
    /// Letters are commands; arrows scroll.
    Preview,
}

impl Part {
    /// The context of its keys.
    pub(crate) const fn context(self) -> Context {
        match self {
            Self::Search => Context::Search,
            Self::List | Self::Preview => Context::History,
        }
    }

    /// The next range, in a cycle.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::Search => Self::List,
            Self::List => Self::Preview,
            Self::Preview => Self::Search,
        }
    }
}

/// How the prompts of one run are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Grouping {
    /// Together, under the run's request.
    #[default]
    ByRun,
    /// Each in its own place in the result.
    Flat,
}

/// The reason for a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchReason {
    /// The query changed: the result is read from its start.
    Fresh,
    /// What is stored may have changed: the selection is kept.
    Again,
    /// The end of the rows is near: more rows are appended.
    More,
}

/// A pending search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PendingSearch {
    /// Identifies it.
    pub(crate) ticket: Ticket,
    /// The reason.
    pub(crate) why: SearchReason,
}

/// A search result, ready to show.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResultPage {
    /// The rows.
    pub(crate) rows: Vec<Row>,
    /// Where the rest begins; `None` if there is no more.
    pub(crate) next: Option<Start>,
    /// What is known of the result.
    pub(crate) facts: ResultFacts,
}

/// What is known of a search result as a whole.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResultFacts {
    /// The total number of matches, if known.
    pub(crate) total: Option<u64>,
    /// Warnings for the user.
    pub(crate) warnings: Vec<String>,
    /// How long it took, in milliseconds.
    pub(crate) took_ms: u64,
    /// What it cost, if anything.
    pub(crate) cost_usd: Option<f64>,
    /// If words found nothing: the prompt nearest in meaning, if it is near.
    pub(crate) nearest: Option<String>,
    /// When it was made; ages count from here.
    pub(crate) at: Timestamp,
}

/// An export or import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Transfer {
    /// Identifies it.
    pub(crate) ticket: Ticket,
    /// Its progress, once reported.
    pub(crate) progress: Option<TransferProgress>,
}

impl Transfer {
    /// A sentence that says where it was copied to.
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

/// A deleted prompt that can still be restored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Deleting {
    /// Its row.
    pub(crate) row: Row,
    /// Its index in the list.
    pub(crate) at: usize,
    /// The raw request that deletes it.
    pub(crate) raw: serde_json::Value,
    /// Until when it can be restored.
    pub(crate) until: u64,
}

/// The History screen.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The focused part.
    pub(crate) focus: Part,
    /// True while it fills the screen.
    pub(crate) zoom: bool,
    /// The search box.
    pub(crate) search: Composer,
    /// What is searched by.
    pub(crate) mode: Mode,
    /// The pending search.
    pub(crate) asked: Option<PendingSearch>,
    /// True if the query waits for the key that starts the search.
    pub(crate) unasked: bool,
    /// How rows are grouped, for as long as the workbench runs.
    pub(crate) grouping: Grouping,
    /// The rows.
    pub(crate) rows: Vec<Row>,
    /// Where more rows begin.
    pub(crate) next: Option<Start>,
    /// What is known of the result; `None` before the first.
    pub(crate) facts: Option<ResultFacts>,
    /// When they arrived, in the time of [`super::Model::now`].
    pub(crate) arrived: u64,
    /// The problem of the last search.
    pub(crate) problem: Option<Box<Problem>>,
    /// The selected row.
    pub(crate) marked: usize,
    /// The first visible row.
    pub(crate) top: usize,
    /// The prompt of the selected row, once read.
    pub(crate) preview: Option<Preview>,
    /// The newest request for a whole prompt.
    pub(crate) reading: Option<Ticket>,
    /// The last deleted prompt, while it can be restored.
    pub(crate) deleting: Option<Deleting>,
    /// A prompt with tags or notes, deleted only if that is asked for again.
    pub(crate) confirming_delete: Option<PromptId>,
    /// What this workbench moved to the trash, the latest last.
    pub(crate) trashed: Vec<PromptId>,
    /// Prompts being deleted, until the core confirms it.
    pub(crate) gone: BTreeSet<PromptId>,
    /// The export or import under way.
    pub(crate) transfer: Option<Transfer>,
    /// The progress of embedding; `None` before it is watched.
    pub(crate) indexing: Option<Indexing>,
    /// The last ticket issued.
    pub(crate) last_ticket: Ticket,
}

impl History {
    /// An empty screen with a one-line search box.
    pub(crate) fn new() -> Self {
        Self { search: Composer::line(), ..Self::default() }
    }

    /// The next ticket.
    pub(crate) fn ticket(&mut self) -> Ticket {
        self.last_ticket = self.last_ticket.next();
        self.last_ticket
    }

    /// The query, parsed.
    pub(crate) fn typed(&self) -> Typed {
        Typed::read(&self.search.text())
    }

    /// The selected row.
    pub(crate) fn marked_row(&self) -> Option<&Row> {
        self.rows.get(self.marked)
    }

    /// The number of rows of one run that start with this one; 0 if it is not the first of several.
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

    /// True if the row before or after this one is of the same run.
    pub(crate) fn is_among_its_run(&self, at: usize) -> bool {
        let run = |at: usize| self.rows.get(at).map(|row| row.run);
        self.grouping == Grouping::ByRun && (run(at + 1) == run(at) || at > 0 && run(at - 1) == run(at))
    }

    /// The rows of a result in display order, after those already there.
    pub(crate) fn placed(&self, mut rows: Vec<Row>) -> Vec<Row> {
        let first = self.rows.iter().map(|row| row.place + 1).max().unwrap_or(0);
        for (place, row) in (first..).zip(&mut rows) {
            row.place = place;
        }
        self.grouped(rows)
    }

    /// Toggles the grouping; the selection is kept.
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

    /// The prompt of the selected row, once read.
    pub(crate) fn prompt(&self) -> Option<&Prompt> {
        let row = self.marked_row()?;
        self.preview.as_ref().map(|preview| &*preview.prompt).filter(|prompt| prompt.id == row.id)
    }

    /// Adjusts the total by this many rows.
    pub(crate) fn count(&mut self, by: i64) {
        if let Some(total) = self.facts.as_mut().and_then(|facts| facts.total.as_mut()) {
            *total = total.saturating_add_signed(by);
        }
    }

    /// Removes from a result what the user deleted and the database still has.
    pub(crate) fn without_the_deleted(&self, mut answer: ResultPage) -> ResultPage {
        let deleting = self.deleting.as_ref().map(|deleting| deleting.row.id);
        let before = answer.rows.len();
        answer.rows.retain(|row| Some(row.id) != deleting && !self.gone.contains(&row.id));
        let left_out = (before - answer.rows.len()) as u64;
        answer.facts.total = answer.facts.total.map(|total| total.saturating_sub(left_out));
        answer
    }

    /// True while a result that replaces the rows is pending.
    pub(crate) fn is_searching(&self) -> bool {
        self.asked.is_some_and(|asked| asked.why != SearchReason::More)
    }
}
