//! A batch on the Jobs screen: its progress, a page of its rows, and the row that is open.
//!
//! One page of rows is held at a time, however many the batch has. The cursors of the pages before
//! lead back.

use aludel_core::domain::{BatchRow, Job, JobDetails, RowStatus, SessionId, Timestamp};
use aludel_core::engine::RowCursor;
use aludel_core::error::Problem;

use crate::tui::batch::words;
use crate::tui::effect::{CoreResult, Ticket};
use crate::tui::widgets::figures::thousands;

/// A row in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowLine {
    /// Its number in the input.
    pub(crate) row: u64,
    /// Its id.
    pub(crate) id: String,
    /// How it ended.
    pub(crate) status: RowStatus,
    /// Its error or the beginning of its best prompt, in one line and safe to show.
    pub(crate) text: String,
}

/// A batch as read, with a page of its rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RowsPage {
    /// The job with its request and result.
    pub(crate) details: JobDetails,
    /// Calls that it made.
    pub(crate) calls: u64,
    /// US dollars that they count as.
    pub(crate) most_usd: f64,
    /// The rows.
    pub(crate) lines: Vec<RowLine>,
    /// The next page.
    pub(crate) next: Option<RowCursor>,
    /// When it was read.
    pub(crate) at: Timestamp,
}

/// Which page is asked for, from the one that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageMove {
    /// The same again.
    Same,
    /// The first.
    First,
    /// The next; its first row is marked.
    Next,
    /// The one before; its last row is marked.
    Previous,
}

/// A page that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PendingPage {
    /// Identifies the request.
    pub(crate) ticket: Ticket,
    /// Which page.
    pub(crate) to: PageMove,
    /// When it was asked for.
    pub(crate) since: u64,
}

/// The row that is open.
#[derive(Debug, Clone)]
pub(crate) struct OpenRow {
    /// Its number.
    pub(crate) row: u64,
    /// The pending request for it.
    pub(crate) reading: Ticket,
    /// The row, or why it could not be read; `None` until then.
    pub(crate) outcome: Option<CoreResult<Box<BatchRow>>>,
    /// The first visible row of its text.
    pub(crate) top: usize,
}

/// A batch that is shown.
#[derive(Debug)]
pub(crate) struct Batch {
    /// The job, as far as known.
    pub(crate) job: Job,
    /// The page last read.
    pub(crate) page: Option<RowsPage>,
    /// When it arrived, and how long reading it took.
    pub(crate) arrived: (u64, u64),
    /// The cursors of the pages up to the one shown, which is the last.
    pub(crate) pages: Vec<RowCursor>,
    /// The page that is asked for.
    pub(crate) asked: Option<PendingPage>,
    /// Why the last page could not be read.
    pub(crate) problem: Option<Box<Problem>>,
    /// The selected row of the page.
    pub(crate) marked: usize,
    /// The first visible row of the page.
    pub(crate) top: usize,
    /// The open row.
    pub(crate) open: Option<OpenRow>,
    /// The first visible row of the facts.
    pub(crate) facts_top: usize,
    /// The attempt that is watched, with what was done and the time when that was first seen.
    baseline: Option<(u32, u64, Timestamp)>,
}

impl Batch {
    /// This batch, before any of its rows are read.
    pub(crate) fn new(job: Job) -> Self {
        Self {
            job,
            page: None,
            arrived: (0, 0),
            pages: vec![RowCursor::FIRST],
            asked: None,
            problem: None,
            marked: 0,
            top: 0,
            open: None,
            facts_top: 0,
            baseline: None,
        }
    }

    /// The id of its job.
    pub(crate) const fn id(&self) -> SessionId {
        self.job.id
    }

    /// The rows of the page.
    pub(crate) fn lines(&self) -> &[RowLine] {
        self.page.as_ref().map_or(&[], |page| &page.lines)
    }

    /// The selected row.
    pub(crate) fn marked(&self) -> Option<&RowLine> {
        self.lines().get(self.marked)
    }

    /// Where a page begins; `None` if there is no such page.
    pub(crate) fn cursor(&self, to: PageMove) -> Option<RowCursor> {
        match to {
            PageMove::Same => self.pages.last().copied(),
            PageMove::First => Some(RowCursor::FIRST),
            PageMove::Next => self.page.as_ref().and_then(|page| page.next),
            PageMove::Previous => self.pages.len().checked_sub(2).and_then(|at| self.pages.get(at)).copied(),
        }
    }

    /// Shows this page, which is reached by `to`. The marked row stays marked if it is the same page.
    pub(crate) fn take(&mut self, to: PageMove, page: RowsPage) {
        let row = self.marked().map(|line| line.row);
        match to {
            PageMove::Same => {}
            PageMove::First => self.pages.truncate(1),
            PageMove::Next => self.pages.extend(self.cursor(to)),
            PageMove::Previous => _ = self.pages.pop(),
        }
        let last = page.lines.len().saturating_sub(1);
        let same = row.and_then(|row| page.lines.iter().position(|line| line.row == row));
        self.marked = match to {
            PageMove::Same => same.unwrap_or(self.marked).min(last),
            PageMove::First | PageMove::Next => 0,
            PageMove::Previous => last,
        };
        let job = &page.details.job;
        if self.baseline.is_none_or(|(attempt, ..)| attempt != job.attempt) {
            self.baseline = Some((job.attempt, job.done, page.at));
        }
        self.job = job.clone();
        self.page = Some(page);
        self.problem = None;
    }

    /// Rows that the present attempt has done, and the milliseconds they took, as far as was seen.
    pub(crate) fn pace(&self) -> Option<(u64, u64)> {
        let page = self.page.as_ref()?;
        let job = &page.details.job;
        if let Some(first) = words::since_begun(job, page.at) {
            return Some(first);
        }
        let (_, before, since) = self.baseline.filter(|(attempt, ..)| *attempt == job.attempt)?;
        let until = job.ended_at.unwrap_or(page.at);
        let elapsed = until.as_millisecond().saturating_sub(since.as_millisecond());
        Some((job.done.saturating_sub(before), u64::try_from(elapsed).unwrap_or(0)))
    }

    /// `rows 51 to 100 of 1,204`; `None` before there are any.
    pub(crate) fn place(&self) -> Option<String> {
        let (shown, before) = (self.lines().len() as u64, self.pages.last()?.before);
        let all = self.job.done.max(before + shown);
        (shown > 0).then(|| format!("{} to {} of {}", thousands(before + 1), thousands(before + shown), thousands(all)))
    }
}
