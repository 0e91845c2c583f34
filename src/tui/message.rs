//! What may change the model: keys, pastes, sizes, time, and the answers to what was asked of the core.

use aludel_core::domain::{CompareResult, ImportReport, Job, JobDetails, Prompt, PromptId, ProviderTest};
use aludel_core::engine::{DetectedProvider, Indexing, KeptLabel, Labelling, ProviderFacts};
use aludel_core::error::Problem;
use aludel_core::event::Event;
use aludel_core::trace::LogLine;
use aludel_core::transfer::TransferProgress;
use crossterm::event::KeyEvent;
use ratatui::layout::Position;
use serde_json::Value;

use super::effect::Ticket;
use super::model::drafts::Leftovers;
use super::model::history::Answer;
use super::model::jobs::Listed;
use super::model::listing::SettingRow;
use super::model::spend::Spent;
use super::model::{Costly, Names};
use super::terminal::{Copied, Edited};

/// Anything that may change the model.
#[derive(Debug, Clone)]
pub(crate) enum Message {
    /// A key was pressed.
    Key(KeyEvent),
    /// A text was pasted, of any length. It is typed, never obeyed.
    Paste(String),
    /// The mouse did something, at this cell.
    Pointer {
        /// What.
        pointer: Pointer,
        /// Where.
        at: Position,
    },
    /// The terminal has this size now.
    Resize {
        /// Columns.
        width: u16,
        /// Rows.
        height: u16,
    },
    /// The terminal gained or lost the user's attention.
    Attention(bool),
    /// Time has passed; see [`crate::tui::update::next_change`].
    Tick,
    /// Asks for a run of this raw request, whoever wrote it.
    Run(Value),
    /// Events of the run or judging with this ticket, in order.
    RunEvents {
        /// Which run.
        ticket: Ticket,
        /// What happened, at least one event.
        events: Vec<Event>,
    },
    /// The run or judging with this ticket was refused because it may cost more than passes without asking.
    CostAsked {
        /// Which run or judging.
        ticket: Ticket,
        /// What would begin, and what it may cost.
        costly: Box<Costly>,
    },
    /// Prompts beside each other.
    Compared {
        /// Which question it answers.
        ticket: Ticket,
        /// What came of it.
        outcome: Outcome<Box<CompareResult>>,
    },
    /// The run or judging with this ticket was refused before it began.
    RunRefused {
        /// Which run.
        ticket: Ticket,
        /// Why.
        problem: Box<Problem>,
    },
    /// An answer about what is stored.
    History {
        /// Which question it answers.
        ticket: Ticket,
        /// What it is.
        news: HistoryReply,
    },
    /// An answer that concerns what is being written.
    DraftState(DraftReply),
    /// An answer to what a place asked.
    Reply {
        /// Which question it answers.
        ticket: Ticket,
        /// What it is.
        reply: QueryReply,
    },
    /// The newest lines of the log, the oldest first.
    Log(Vec<LogLine>),
    /// So far the vectors are.
    Indexing(Indexing),
    /// The names that exist here.
    Names(Names),
    /// Providers that could be used and that nobody configured, at least one; told once.
    DetectedProviders(Vec<DetectedProvider>),
    /// A text was copied so.
    Copied(Copied),
    /// Back from the user's editor.
    Edited(Edited),
    /// Back from the shell; `false` when this terminal cannot suspend.
    Resumed(bool),
}

impl Message {
    /// False when there is nothing to draw for it.
    pub(crate) fn can_be_seen(&self) -> bool {
        !matches!(self, Self::DraftState(DraftReply::Left(left)) if *left == Leftovers::default())
    }
}

/// What the mouse does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pointer {
    /// Its first button went down.
    Click,
    /// It went down again at the same cell, soon after.
    Double,
    /// It moved while that button was down.
    Drag,
    /// That button was let go.
    Release,
    /// Its wheel turned away from the user.
    Up,
    /// Its wheel turned towards the user.
    Down,
}

/// What the core answered, or why it did not.
pub(crate) type Outcome<T> = Result<T, Box<Problem>>;

/// An answer to what a place asked.
#[derive(Debug, Clone)]
pub(crate) enum QueryReply {
    /// Who could write.
    Providers(Vec<ProviderFacts>),
    /// What a real call to a provider told.
    Tested(Outcome<Box<ProviderTest>>),
    /// What was spent.
    Spent(Outcome<Box<Spent>>),
    /// The jobs.
    Jobs(Outcome<Box<Listed>>),
    /// A job in full.
    Job(Outcome<Box<JobDetails>>),
    /// A job was asked to stop, and stands so now.
    JobStopped(Outcome<Box<Job>>),
    /// A job is taken up; its events follow.
    JobResumed(Outcome<Box<JobDetails>>),
    /// Every setting.
    Settings(Outcome<Vec<SettingRow>>),
    /// Pairs to label.
    Pairs(Outcome<Box<Labelling>>),
    /// A label is on the disk.
    LabelKept(Outcome<Box<KeptLabel>>),
    /// The last label is gone from it.
    LabelTakenBack(Outcome<()>),
}

/// An answer about what is stored.
#[derive(Debug, Clone)]
pub(crate) enum HistoryReply {
    /// Rows.
    Found(Outcome<Box<Answer>>),
    /// A whole prompt.
    Read(Outcome<Box<Prompt>>),
    /// A prompt was changed and is so now.
    Updated(Outcome<Box<Prompt>>),
    /// These are gone.
    Deleted(Outcome<Vec<PromptId>>),
    /// These are stored again.
    Restored(Outcome<Vec<PromptId>>),
    /// So far a file is written or read.
    Transferring(TransferProgress),
    /// So many prompts are in a file.
    Exported(Outcome<u64>),
    /// A file was read.
    Imported(Outcome<Box<ImportReport>>),
}

/// An answer that concerns what is being written.
#[derive(Debug, Clone)]
pub(crate) enum DraftReply {
    /// What an earlier workbench left.
    Left(Leftovers),
    /// The draft could not be written down.
    NotKept(Box<Problem>),
    /// The inputs of earlier runs, the newest first.
    Inputs(Outcome<Vec<String>>),
}
