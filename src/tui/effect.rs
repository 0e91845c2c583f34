//! What [`update`](crate::tui::update::update) wants done, as data. The executor carries out what
//! concerns the core, the runtime what concerns the terminal. Replies come back as messages.

use aludel_core::domain::{PromptId, SessionId, SpendBy};
use aludel_core::engine::{Better, RowCursor, StoredLabel};
use aludel_core::error::Problem;
use aludel_core::judge::labels::blind::BlindPair;
use aludel_core::notices::Notice;
use serde_json::Value;

use super::range::Range;

/// Identifies one request. A reply whose ticket is no longer current is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Ticket(pub(crate) u64);

impl Ticket {
    /// The next range, in a cycle.
    pub(crate) const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// A reply from the core, or why there is none.
pub(crate) type CoreResult<T> = Result<T, Box<Problem>>;

/// Work to be done outside the model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    /// For the core.
    Core(CoreEffect),
    /// For the terminal.
    Terminal(TerminalEffect),
}

/// What the executor does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CoreEffect {
    /// Starts a run of this raw request. Replies with `RunEvents`, `RunRefused` or `CostAsked`.
    Generate {
        /// Identifies the run.
        ticket: Ticket,
        /// The request as the user made it.
        raw: Value,
    },
    /// Starts the judge on this raw request. Replies with `RunEvents`, `RunRefused` or `CostAsked`.
    Select {
        /// Identifies the judging.
        ticket: Ticket,
        /// The request.
        raw: Value,
    },
    /// Compares the prompts of this raw request. Replies with `Compared`.
    Compare {
        /// Identifies the request.
        ticket: Ticket,
        /// The request.
        raw: Value,
    },
    /// Resumes this job. Replies with `QueryReply` and, if it starts, `RunEvents` (same ticket).
    Resume {
        /// Identifies the resumed run or judging.
        ticket: Ticket,
        /// The job.
        job: SessionId,
    },
    /// Checks the rows of a file and prepares a batch of them. Replies with `BatchChecking` and
    /// `BatchChecked`.
    CheckBatch {
        /// Identifies the batch.
        ticket: Ticket,
        /// What is the same for all rows, as the user set it.
        raw: Value,
        /// The file.
        path: String,
    },
    /// Starts the batch that was checked with this ticket. Replies with `BatchStarted`, and with
    /// `BatchEnded` once it has ended.
    StartBatch {
        /// Identifies the batch.
        ticket: Ticket,
        /// Its budget, if the user consented to one.
        budget_usd: Option<f64>,
    },
    /// Stops the check of a batch, or forgets the checked one.
    ForgetBatch,
    /// Resumes this batch. Replies with `BatchResumed`, and with `BatchEnded` once it has ended.
    ResumeBatch {
        /// Identifies the request.
        ticket: Ticket,
        /// The raw request: the job, and a new cap if there is one.
        raw: Value,
    },
    /// Stops a run or a judging; its terminal event still arrives.
    CancelRun(Ticket),
    /// Stops one variant of a run.
    CancelVariant(Ticket, u32),
    /// Loads what an earlier workbench left unfinished. Replies with `DraftState`.
    TakeUpDraft,
    /// Saves the draft, replacing the one before. Replies with `DraftState` only if that fails.
    KeepDraft(Draft),
    /// Reads the inputs of earlier runs. Replies with `DraftState`.
    LoadInputs,
    /// Records that this notice was shown.
    Explained(Notice),
    /// Lists personas and providers. Replies with `Names`.
    LoadNames,
    /// Queries or changes what is stored. Replies with `History`.
    History {
        /// Identifies the request.
        ticket: Ticket,
        /// The command.
        command: HistoryCommand,
    },
    /// Stops the export or import under way; what is already stored stays.
    StopTransfer,
    /// Queries what a screen or overlay shows. Replies with `QueryReply`.
    RunQuery {
        /// Identifies the request.
        ticket: Ticket,
        /// The query.
        inquiry: Query,
    },
    /// Sends `Log` whenever there are new lines in the log, until the program ends.
    WatchLog,
    /// Sends `Indexing` whenever the progress of embedding changes, until the program ends.
    WatchIndexing,
}

/// A query from a screen or an overlay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Query {
    /// The providers, and how each is set up.
    Providers,
    /// Makes a real call to the provider of this name.
    TestProvider(String),
    /// What was spent, and what was stored in that time.
    Spend {
        /// How far back it reaches.
        range: Range,
        /// How calls are grouped.
        by: SpendBy,
    },
    /// The jobs.
    Jobs {
        /// True to include finished ones.
        all: bool,
    },
    /// A job's request and its result.
    Job(SessionId),
    /// Stops this job.
    StopJob(SessionId),
    /// A batch, with a page of its rows.
    Batch(SessionId, RowCursor),
    /// A row of a batch, by number.
    BatchRow(SessionId, u64),
    /// Every setting, with its value and where that comes from.
    Settings,
    /// Pairs to label from these prompts, or from the newest runs if there are none.
    Pairs(Vec<PromptId>),
    /// Stores which prompt of a pair is better.
    KeepLabel(Box<BlindPair>, Better),
    /// Takes back the last label.
    TakeLabelBack(Box<StoredLabel>),
}

/// A command about what is stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum HistoryCommand {
    /// Finds rows. Replaces a search that is still under way.
    Find {
        /// Milliseconds to wait before searching, which merges quick typing into one search.
        wait_ms: u64,
        /// The search.
        question: Question,
    },
    /// Reads a whole prompt.
    Read(PromptId),
    /// Changes a prompt: the raw request.
    Update(Value),
    /// Deletes prompts: the raw request.
    Delete(Value),
    /// Restores prompts from the trash: the raw request.
    Restore(Value),
    /// Writes prompts to a file.
    Export {
        /// The raw request.
        raw: Value,
        /// The file.
        path: String,
        /// True to overwrite an existing file.
        replace: bool,
    },
    /// Stores the prompts of this file.
    Import(String),
}

/// A request for rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Question {
    /// Stored prompts, the newest first.
    List(Value),
    /// Matches, the best first.
    Search(Value),
}

/// A draft as saved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Draft {
    /// The text; empty if there is nothing to keep.
    pub(crate) text: String,
    /// The run in progress.
    pub(crate) run: Option<SessionId>,
}

/// What the runtime does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TerminalEffect {
    /// Copies this text. Replies with `Copied`.
    Copy(String),
    /// Suspends the program and returns to the shell. Replies with `Resumed`.
    Suspend,
    /// Opens this text in the user's editor. Replies with `Edited`.
    Edit(String),
    /// Redraws every cell.
    Repaint,
    /// Leaves the workbench.
    Quit,
}

impl From<CoreEffect> for Effect {
    fn from(effect: CoreEffect) -> Self {
        Self::Core(effect)
    }
}

impl From<TerminalEffect> for Effect {
    fn from(effect: TerminalEffect) -> Self {
        Self::Terminal(effect)
    }
}
