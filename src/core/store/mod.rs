//! The storage seam: coarse, object-safe, and plural on purpose (SQLite now, PostgreSQL to come).
//!
//! Every operation returns a [`Pending`]: SQLite fills reads in place and writes from its writer
//! thread; a backend over a network fills both from its own runtime. A server can `.await` it and a
//! local command can block on it with [`Pending::wait`]; the store itself needs no runtime.
//!
//! [`SpendStore`] records what model calls cost. It is part of this seam because processes that
//! share a cap need shared storage; [`StoreCallLog`] is the ledger's call log over it. Deleting
//! prompts keeps their cost.
//!
//! [`FindStore`] searches prompts by words and by vectors, [`MeasureStore`] computes totals,
//! [`JudgementStore`] stores judgements and judge profiles, [`JobStore`] stores jobs,
//! [`IdempotencyStore`] stores answers to requests that may be repeated.
//!
//! Filters are applied inside the store, never after a limit. `conformance` (feature
//! `test-support`) is the test suite that every backend must pass.

mod call_log;
mod caller_lanes;
#[cfg(any(test, feature = "test-support"))]
pub mod conformance;
mod edit;
#[cfg(any(test, feature = "test-support"))]
pub mod faulty;
mod find;
mod form;
mod idempotency;
mod jobs;
mod judgements;
mod measure;
mod nearness;
mod pending;
#[cfg(any(test, feature = "test-support"))]
pub mod samples;
mod spend;
pub mod sqlite;
pub mod tally;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{
    Filter, Order, Phase, Prompt, PromptId, PromptOutline, PromptSummary, Ranking, SessionId, Timestamp,
};

pub use call_log::StoreCallLog;
pub use edit::Edit;
pub use find::{FindStore, Hit, Lexical, Nearest, Part, PromptVectors, SearchHits, Space, SpaceUse, Unembedded};
pub use form::{PromptForm, SessionForm};
pub use idempotency::{Fingerprint, Fingerprinter, HeldKey, IdempotencyStore, KeyClaim, KeyedAnswer, NewKeyClaim};
pub use jobs::{
    ClaimedJob, Held, INTERRUPTED_JOB_RETENTION, JobClaim, JobEnd, JobEvents, JobProgress, JobStore, JobUnit,
    LeaseRenewal, MAX_ATTEMPTS, NewJob, STOPPED_JOB_RETENTION, Worker,
};
pub use judgements::JudgementStore;
pub use measure::{MeasureProgress, MeasureStore, MeasureWatch, PromptTotals, Relations};
pub use nearness::{CONTENT_SHARE, nearness};
pub use pending::{Completer, Pending};
pub use spend::{
    Admitted, Draw, LEASE, ReservationReply, SpendCall, SpendQuery, SpendReservation, SpendRow, SpendStore,
};

/// A database of prompts and runs, and of what they cost.
pub trait Store: SpendStore + FindStore + MeasureStore + JudgementStore + JobStore + IdempotencyStore {
    /// Stores a new run. Its prompts follow one by one.
    ///
    /// Fails with `conflict` when its id already exists.
    fn begin_session(&self, session: Session) -> Pending<()>;

    /// Stores new prompts with steps and tags, all or none. Returns after the commit is durable.
    ///
    /// A prompt of an unknown run (never begun here, or deleted meanwhile) creates one, derived
    /// from the prompt. Moments are stored to the millisecond; duplicate tags are stored once.
    /// Fails with `conflict` for an existing id, `validation_failed` for a number not finite.
    fn append(&self, prompts: Vec<Prompt>) -> Pending<()> {
        self.append_with_sessions(prompts, Vec::new())
    }

    /// As [`Store::append`], with the runs of the prompts. An unknown run is stored as given here,
    /// a known one is left as it is, and one without any of the prompts is ignored.
    fn append_with_sessions(&self, prompts: Vec<Prompt>, sessions: Vec<Session>) -> Pending<()>;

    /// Applies a mutation. Returns after the commit is durable.
    fn apply(&self, mutation: Mutation) -> Pending<Applied>;

    /// One whole prompt.
    fn get(&self, id: PromptId) -> Pending<Option<Prompt>>;

    /// The ids whose hexadecimal form begins or ends with `fragment`, at most `limit`, newest first.
    ///
    /// Dashes and case are ignored. An empty, too long or not hexadecimal one matches nothing.
    fn resolve(&self, fragment: String, limit: usize) -> Pending<Vec<PromptId>>;

    /// A page of whole prompts, in `order`.
    ///
    /// Rows added or removed between two pages neither hide nor duplicate others. Fails with
    /// `validation_failed` for a `limit` out of range or a `cursor` of another list.
    fn page(&self, filter: Filter, order: Order, page: PageSpec) -> Pending<Page<Prompt>>;

    /// As [`Store::page`], returning summaries: what lists show, read in one statement.
    fn summaries(&self, filter: Filter, order: Order, page: PageSpec) -> Pending<Page<PromptSummary>>;

    /// As [`Store::page`], newest first and without reading the prompts' texts.
    fn outlines(&self, filter: Filter, page: PageSpec) -> Pending<Page<PromptOutline>>;

    /// A page of runs, newest first, each with its prompts in rank order. Fails as [`Store::page`] does.
    fn sessions(&self, page: PageSpec) -> Pending<Page<SessionWithPrompts>>;

    /// As [`Store::sessions`], with prompt summaries.
    fn sessions_with_summaries(&self, page: PageSpec) -> Pending<Page<SessionWithPrompts<PromptSummary>>>;

    /// These runs without their prompts, unordered; unknown ids are skipped.
    fn fetch_sessions(&self, ids: Vec<SessionId>) -> Pending<Vec<Session>>;

    /// How many prompts pass the filter.
    fn count(&self, filter: Filter) -> Pending<u64>;

    /// How many changes stored prompts have seen, by any process: prompts added, edited, deleted,
    /// moved to the trash and restored. Never falls, so what was read before is current while it
    /// stays the same. Ranking does not count.
    fn change_count(&self) -> Pending<u64>;

    /// The prompts moved to the trash at `since` or later, last deleted first.
    fn trashed(&self, since: Timestamp, limit: u32, offset: u64) -> Pending<TrashedPage>;

    /// As [`Store::resolve`], for the trash, last deleted first.
    fn resolve_trashed(&self, fragment: String, limit: usize) -> Pending<Vec<PromptId>>;

    /// Waits for queued writes, checkpoints the log and closes. Later calls fail with `storage`.
    fn close(&self) -> Pending<()>;
}

/// A generate run as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Session {
    /// Its id: the `session_id` of its prompts.
    pub id: SessionId,
    /// The operation: `generate`.
    pub operation: String,
    /// The user's request.
    pub original_input: String,
    /// The phases, in order.
    pub phases: Vec<Phase>,
    /// The persona.
    pub persona: String,
    /// How many variants were requested.
    pub count: u32,
    /// When it started.
    #[serde(with = "crate::domain::moment::written")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
}

/// A run and its prompts: whole prompts, or some of their fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SessionWithPrompts")]
pub struct SessionWithPrompts<P = Prompt> {
    /// The run.
    #[serde(flatten)]
    pub session: Session,
    /// Its stored variants, best score first, then unranked ones by number.
    pub prompts: Vec<P>,
}

/// A change to stored prompts.
#[derive(Debug, Clone, PartialEq)]
pub enum Mutation {
    /// Changes tags or notes in place, raises `revision`, sets `updated_at`.
    Edit {
        /// Which prompt.
        id: PromptId,
        /// Fails with `conflict` unless this is the current revision.
        expected_revision: Option<u32>,
        /// What to change.
        edit: Edit,
        /// The moment of the change.
        at: Timestamp,
    },
    /// Records the ranking of a run: sets `score` and rank. Does not raise `revision`.
    Rank {
        /// Best first.
        rankings: Vec<Ranking>,
    },
    /// Deletes these prompts; unknown ids are skipped. A run is deleted with its last prompt.
    Delete {
        /// Which prompts.
        ids: Vec<PromptId>,
        /// Fails with `conflict`, deleting nothing, unless all have this revision.
        expected_revision: Option<u32>,
    },
    /// Deletes all that pass the filter. A run is deleted with its last prompt; the empty filter
    /// also deletes runs without prompts.
    DeleteWhere {
        /// Which prompts.
        filter: Filter,
    },
    /// Moves these to the trash; unknown ids are skipped. Hides them, and runs left empty.
    Trash {
        /// Which prompts.
        ids: Vec<PromptId>,
        /// Fails with `conflict`, changing nothing, unless all have this revision.
        expected_revision: Option<u32>,
        /// The moment of deletion.
        at: Timestamp,
    },
    /// Moves all that pass the filter to the trash.
    TrashWhere {
        /// Which prompts.
        filter: Filter,
        /// The moment of deletion.
        at: Timestamp,
    },
    /// Restores these from the trash, each with its revision raised, and their runs; ids that are
    /// not in the trash are skipped.
    Restore {
        /// Which prompts.
        ids: Vec<PromptId>,
        /// The moment of restoring, which becomes their `updated_at`.
        at: Timestamp,
    },
    /// Deletes from the trash permanently.
    EmptyTrash {
        /// Which prompts; `None` for all.
        ids: Option<Vec<PromptId>>,
        /// Only prompts deleted before this moment.
        before: Option<Timestamp>,
    },
}

/// A prompt in the trash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trashed {
    /// When it was deleted.
    #[serde(with = "crate::domain::moment::written")]
    #[schemars(with = "String")]
    pub deleted_at: Timestamp,
    /// The prompt as it was when deleted.
    #[serde(flatten)]
    pub prompt: Prompt,
}

/// A part of the trash.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrashedPage {
    /// Last deleted first.
    pub prompts: Vec<Trashed>,
    /// Total number in the trash since the given moment.
    pub total: u64,
}

/// The result of a mutation.
#[derive(Debug, Clone, PartialEq)]
pub enum Applied {
    /// The prompt as it is now; `None` when there is no such prompt.
    Edited(Option<Box<Prompt>>),
    /// How many were ranked.
    Ranked(u64),
    /// The ids that were deleted.
    Deleted(Vec<PromptId>),
    /// The restored prompts.
    Restored(Vec<Prompt>),
}

/// A part of a long list to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageSpec {
    /// Maximum number of rows, 1..=1000.
    pub limit: u32,
    /// How many rows after the cursor to skip.
    pub offset: u64,
    /// The end of the previous page; opaque, from [`Page::next_cursor`].
    pub cursor: Option<String>,
}

/// A part of a long list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// The rows.
    pub items: Vec<T>,
    /// The cursor of the next page; `None` on the last one.
    pub next_cursor: Option<String>,
}
