//! What can change the model: keys, pastes, sizes, time, and replies from the core.

use aludel_core::domain::{BatchRow, CompareResult, ImportReport, Job, JobDetails, Prompt, PromptId, ProviderTest};
use aludel_core::engine::{DetectedProvider, Indexing, Labelling, ProviderDetails, StoredLabel};
use aludel_core::error::Problem;
use aludel_core::event::Event;
use aludel_core::trace::LogLine;
use aludel_core::transfer::TransferProgress;
use crossterm::event::KeyEvent;
use ratatui::layout::Position;
use serde_json::Value;

use super::batch::BatchOffer;
use super::effect::{CoreResult, Ticket};
use super::model::batch::RowsPage;
use super::model::drafts::Leftovers;
use super::model::history::ResultPage;
use super::model::jobs::JobListing;
use super::model::listing::SettingRow;
use super::model::spend::Spent;
use super::model::{Costly, Names};

/// Anything that can change the model.
#[derive(Debug, Clone)]
pub(crate) enum Message {
    /// A key was pressed.
    Key(KeyEvent),
    /// A text of any length was pasted. It is typed, never executed.
    Paste(String),
    /// A mouse event at this cell.
    Pointer {
        /// The event.
        pointer: Pointer,
        /// The cell.
        at: Position,
    },
    /// The terminal was resized.
    Resize {
        /// Columns.
        width: u16,
        /// Rows.
        height: u16,
    },
    /// The terminal gained or lost focus.
    Attention(bool),
    /// Time has passed; see [`crate::tui::update::next_change`].
    Tick,
    /// Starts a run of this raw request, from any source.
    Run(Value),
    /// Checks this file of rows as a batch, from any source; `raw` is the same for all rows.
    Batch {
        /// What is the same for all rows.
        raw: Value,
        /// The file.
        path: String,
    },
    /// Events of the run or judging with this ticket, in order.
    RunEvents {
        /// Which run.
        ticket: Ticket,
        /// The events, at least one.
        events: Vec<Event>,
    },
    /// The run or judging with this ticket needs confirmation: it may cost more than the limit.
    CostAsked {
        /// Which run or judging.
        ticket: Ticket,
        /// The request, and what it may cost.
        costly: Box<Costly>,
    },
    /// The comparison of prompts.
    Compared {
        /// The request it answers.
        ticket: Ticket,
        /// The result.
        outcome: CoreResult<Box<CompareResult>>,
    },
    /// The run or judging with this ticket was refused before it began.
    RunRefused {
        /// Which run.
        ticket: Ticket,
        /// The reason.
        problem: Box<Problem>,
    },
    /// A reply about what is stored.
    History {
        /// The request it answers.
        ticket: Ticket,
        /// The reply.
        news: HistoryReply,
    },
    /// A reply about the draft.
    DraftState(DraftReply),
    /// A reply to a query of a screen or an overlay.
    Reply {
        /// The request it answers.
        ticket: Ticket,
        /// The reply.
        reply: QueryReply,
    },
    /// The newest lines of the log, the oldest first.
    Log(Vec<LogLine>),
    /// The progress of embedding.
    Indexing(Indexing),
    /// The personas and providers that exist here.
    Names(Names),
    /// Providers that could be used but are not configured, at least one; reported once.
    DetectedProviders(Vec<DetectedProvider>),
    /// A text was copied.
    Copied(Copied),
    /// The user's editor was closed.
    Edited(Edited),
    /// The program was resumed; `false` if this terminal cannot suspend.
    Resumed(bool),
}

impl Message {
    /// False if it cannot change what is drawn.
    pub(crate) fn can_be_seen(&self) -> bool {
        !matches!(self, Self::DraftState(DraftReply::Left(left)) if *left == Leftovers::default())
    }
}

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pointer {
    /// The primary button went down.
    Click,
    /// The button went down again on the same cell soon after.
    Double,
    /// The mouse moved while the button was down.
    Drag,
    /// The button was released.
    Release,
    /// The wheel turned away from the user.
    Up,
    /// The wheel turned towards the user.
    Down,
}

/// A reply to a query of a screen or an overlay.
#[derive(Debug, Clone)]
pub(crate) enum QueryReply {
    /// The providers.
    Providers(Vec<ProviderDetails>),
    /// The result of a real call to a provider.
    Tested(CoreResult<Box<ProviderTest>>),
    /// What was spent.
    Spent(CoreResult<Box<Spent>>),
    /// The jobs.
    Jobs(CoreResult<Box<JobListing>>),
    /// A job in full.
    Job(CoreResult<Box<JobDetails>>),
    /// A job was asked to stop, and its new state.
    JobStopped(CoreResult<Box<Job>>),
    /// A job is being resumed; its events follow.
    JobResumed(CoreResult<Box<JobDetails>>),
    /// So many rows of a file are checked.
    BatchChecking(u64),
    /// The rows of a file are checked, and their batch can start.
    BatchChecked(CoreResult<Box<BatchOffer>>),
    /// A batch has started.
    BatchStarted(CoreResult<Box<Job>>),
    /// A batch is resumed.
    BatchResumed(CoreResult<Box<Job>>),
    /// A batch that was started or resumed here has ended.
    BatchEnded(Box<Job>),
    /// A batch, with a page of its rows.
    Batch(CoreResult<Box<RowsPage>>),
    /// A row of a batch.
    BatchRow(CoreResult<Box<BatchRow>>),
    /// Every setting.
    Settings(CoreResult<Vec<SettingRow>>),
    /// Pairs to label.
    Pairs(CoreResult<Box<Labelling>>),
    /// A label was stored.
    LabelKept(CoreResult<Box<StoredLabel>>),
    /// The last label was removed.
    LabelTakenBack(CoreResult<()>),
}

/// A reply about what is stored.
#[derive(Debug, Clone)]
pub(crate) enum HistoryReply {
    /// Rows.
    Found(CoreResult<Box<ResultPage>>),
    /// A whole prompt.
    Read(CoreResult<Box<Prompt>>),
    /// A prompt was changed; its new state.
    Updated(CoreResult<Box<Prompt>>),
    /// These prompts were deleted.
    Deleted(CoreResult<Vec<PromptId>>),
    /// These prompts were restored.
    Restored(CoreResult<Vec<PromptId>>),
    /// The progress of an export or import.
    Transferring(TransferProgress),
    /// This many prompts were exported.
    Exported(CoreResult<u64>),
    /// A file was imported.
    Imported(CoreResult<Box<ImportReport>>),
}

/// A reply about the draft.
#[derive(Debug, Clone)]
pub(crate) enum DraftReply {
    /// What an earlier workbench left unfinished.
    Left(Leftovers),
    /// The draft could not be saved.
    NotKept(Box<Problem>),
    /// The inputs of earlier runs, the newest first.
    Inputs(CoreResult<Vec<String>>),
}

/// Where a text was copied to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Copied {
    /// True if the system's clipboard took it.
    pub(crate) system: bool,
    /// True if it was sent to the terminal.
    pub(crate) terminal: bool,
    /// The file written as well, or why there is none; only for a text that the terminal may cut.
    pub(crate) file: Option<Result<String, String>>,
}

impl Copied {
    /// A sentence that says where it was copied to.
    pub(crate) fn told(&self) -> String {
        let ways = match (self.system, self.terminal) {
            (true, true) => "copied to the clipboard and sent to the terminal's (OSC 52)",
            (true, false) => "copied to the clipboard",
            (false, _) => "sent to the terminal's clipboard (OSC 52)",
        };
        match &self.file {
            None => ways.to_owned(),
            Some(Ok(file)) => format!("{ways}; it is long, so it is in {file} too"),
            Some(Err(reason)) => format!("{ways}; terminals may cut it, and {reason}"),
        }
    }
}

/// The result of editing a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Edited {
    /// The text as saved.
    Saved(String),
    /// Why it was not edited.
    Failed(String),
}
