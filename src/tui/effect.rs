//! What the workbench wants done outside itself, as data. [`update`](crate::tui::update::update) asks; the executor
//! does what concerns the core, the runtime what concerns the terminal. Answers come back as messages.

use aludel_core::domain::{PromptId, SessionId, SpendBy};
use aludel_core::engine::{Better, KeptLabel};
use aludel_core::judge::labels::blind::BlindPair;
use aludel_core::notices::Notice;
use serde_json::Value;

use super::model::drafts::Draft;
use super::model::history::Question;
use super::model::spend::Range;

/// Names one question. An answer whose ticket is no longer current is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Ticket(pub(crate) u64);

impl Ticket {
    /// The next one.
    pub(crate) const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Something to be done outside the model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    /// Of the core.
    Core(CoreEffect),
    /// Of the terminal.
    Terminal(TerminalEffect),
}

/// What the executor does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CoreEffect {
    /// Decode this raw request and start the run. Answers with `RunEvents`, `RunRefused` or `CostAsked`.
    Generate {
        /// Names the run.
        ticket: Ticket,
        /// The request as the user made it.
        raw: Value,
    },
    /// Decode this raw request and start the judge. Answers with `RunEvents`, `RunRefused` or `CostAsked`.
    Select {
        /// Names the judging.
        ticket: Ticket,
        /// The request.
        raw: Value,
    },
    /// Put the prompts of this raw request beside each other. Answers with `Compared`.
    Compare {
        /// Names the question.
        ticket: Ticket,
        /// The request.
        raw: Value,
    },
    /// Resume this job. Answers with `QueryReply` and, where it can be resumed, with `RunEvents` of the
    /// same ticket.
    Resume {
        /// Names the run or judging that comes of it.
        ticket: Ticket,
        /// Which job.
        job: SessionId,
    },
    /// Stop a run or a judging; its terminal event still arrives.
    CancelRun(Ticket),
    /// Stop one variant of a run.
    CancelVariant(Ticket, u32),
    /// Take up what an earlier workbench left. Answers with `DraftState`.
    TakeUpDraft,
    /// Write down what is being written, in the place of what was. Answers with `DraftState` when that fails.
    KeepDraft(Draft),
    /// Read the inputs of earlier runs. Answers with `DraftState`.
    LoadInputs,
    /// Remember that this was explained.
    Explained(Notice),
    /// List personas and providers. Answers with `Names`.
    LoadNames,
    /// Ask for, or change, what is stored. Answers with `History`.
    History {
        /// Names the question.
        ticket: Ticket,
        /// What it is.
        command: HistoryCommand,
    },
    /// Stop the file that is written or read; what is stored by then stays.
    StopTransfer,
    /// Ask for what a place shows. Answers with `QueryReply`.
    Inquire {
        /// Names the question.
        ticket: Ticket,
        /// What it is.
        inquiry: Query,
    },
    /// Tell the newest lines of the log, whenever there are new ones. Answers with `Log`, as long as the program runs.
    WatchLog,
    /// Tell how far the vectors are, whenever that changes. Answers with `Indexing`, as long as the program runs.
    WatchIndexing,
}

/// What a place asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Query {
    /// Who could write, and how each is set up.
    Providers,
    /// Make a real call to the provider of this name.
    TestProvider(String),
    /// What was spent, and what is stored of that time.
    Spend {
        /// How far back it reaches.
        range: Range,
        /// What calls are added up by.
        by: SpendBy,
    },
    /// Which jobs there are.
    Jobs {
        /// Those that have finished, too.
        all: bool,
    },
    /// What was asked for of this job, and what came of it.
    Job(SessionId),
    /// Stop this job.
    StopJob(SessionId),
    /// Every setting, with its value and where that comes from.
    Settings,
    /// Pairs to label, of these prompts; of the newest runs where there are none.
    Pairs(Vec<PromptId>),
    /// Write down which of a pair is better.
    KeepLabel(Box<BlindPair>, Better),
    /// Take the last label back.
    TakeLabelBack(Box<KeptLabel>),
}

/// What is wished of what is stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum HistoryCommand {
    /// Rows. A wish for rows that is not answered yet is dropped for it.
    Find {
        /// Milliseconds to wait before asking, so that what is typed fast is asked once.
        wait_ms: u64,
        /// What is asked.
        question: Question,
    },
    /// A whole prompt.
    Read(PromptId),
    /// Change a prompt: the raw request.
    Update(Value),
    /// Delete prompts: the raw request.
    Delete(Value),
    /// Restore prompts from the trash: the raw request.
    Restore(Value),
    /// Write prompts to a file.
    Export {
        /// The raw request.
        raw: Value,
        /// The file.
        path: String,
        /// True when a file that is there may go.
        replace: bool,
    },
    /// Store the prompts of this file.
    Import(String),
}

/// What the runtime does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TerminalEffect {
    /// Copy this text. Answers with `Copied`.
    Copy(String),
    /// Give the terminal back to the shell until it is asked for again. Answers with `Resumed`.
    Suspend,
    /// Let the user edit this text in their editor. Answers with `Edited`.
    Edit(String),
    /// Draw every cell anew.
    Repaint,
    /// Leave.
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
