//! The storage seam: coarse, object-safe, and plural on purpose (SQLite now, PostgreSQL to come).
//!
//! Every operation answers with a [`Pending`]: SQLite fills reads in place and writes from its writer thread;
//! a backend over a network fills both from its own runtime. So callers may `.await` it in a server or
//! [`Pending::wait`] for it in a local command, and the store itself needs no runtime.
//!
//! What calls to models cost is kept behind the same seam ([`SpendStore`]), because a cap that several processes share
//! needs what they share; [`StoreBook`] makes the ledger's book of it. Deleting prompts never deletes what they cost.
//!
//! Prompts are found by words and by nearness through [`FindStore`], and added up through
//! [`MeasureStore`]; what judges said of them is kept through [`JudgementStore`]. What is being
//! worked on, and what of it is done, is kept through [`JobStore`].
//!
//! Filters are applied inside the store, never after a limit. What every backend must do is
//! `conformance`, one suite that each runs (feature `test-support`).

mod call_log;
#[cfg(any(test, feature = "test-support"))]
pub mod conformance;
mod edit;
#[cfg(any(test, feature = "test-support"))]
pub mod faulty;
mod find;
mod form;
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

use crate::domain::{Phase, Prompt, PromptId, PromptSummary, Ranking, SessionId, Timestamp};

pub use call_log::StoreBook;
pub use edit::Edit;
pub use find::{FindStore, Found, Hit, Lexical, Nearest, Part, PromptVectors, Space, SpaceUse, Unembedded};
pub use form::{PromptForm, SessionForm};
pub use jobs::{
    ENDED_FOR, Held, INTERRUPTED_FOR, JobEnd, JobEvents, JobProgress, JobStore, JobUnit, MOST_ATTEMPTS, NewJob,
    Renewal, Taken, Taking, Worker,
};
pub use judgements::JudgementStore;
pub use measure::{MeasureProgress, MeasureStore, MeasureWatch, Measured, Relations};
pub use nearness::{CONTENT_SHARE, nearness};
pub use pending::{Completer, Pending};
pub use spend::{Admitted, Draw, LEASE, Room, SetAside, SpendCall, SpendQuery, SpendRow, SpendStore};

/// A database of prompts and runs, and of what was spent on them.
pub trait Store: SpendStore + FindStore + MeasureStore + JudgementStore + JobStore {
    /// Stores a new run. Its prompts come later, one by one.
    ///
    /// Fails with `conflict` when its id is already there.
    fn begin_session(&self, session: Session) -> Pending<()>;

    /// Stores new prompts with their steps and tags, all or none. Answers after the commit is durable.
    ///
    /// A prompt whose run is not known (it was never begun here, or deleted meanwhile) brings a run of its own, told
    /// from the prompt. Moments are kept to the millisecond; a tag that stands twice is kept once. Fails with
    /// `conflict` when an id is already there, with `validation_failed` for a number that is not finite.
    fn append(&self, prompts: Vec<Prompt>) -> Pending<()> {
        self.append_with_sessions(prompts, Vec::new())
    }

    /// As [`Store::append`], with the runs of the prompts: one that is not known yet is stored as it is given here, one
    /// that is stays as it is. A run that none of the prompts is of is passed over.
    fn append_with_sessions(&self, prompts: Vec<Prompt>, sessions: Vec<Session>) -> Pending<()>;

    /// Changes what is there. Answers after the commit is durable.
    fn apply(&self, mutation: Mutation) -> Pending<Applied>;

    /// One prompt, whole.
    fn get(&self, id: PromptId) -> Pending<Option<Prompt>>;

    /// The ids whose hexadecimal form begins or ends with `fragment`, at most `limit`, newest first.
    ///
    /// Dashes and case are ignored. A fragment that is empty, too long or not hexadecimal names none.
    fn resolve(&self, fragment: String, limit: usize) -> Pending<Vec<PromptId>>;

    /// A page of prompts, in `order`, whole.
    ///
    /// Rows that come or go between two pages neither hide nor double any other. Fails with `validation_failed` for a
    /// `limit` out of range and for a `cursor` of another list.
    fn page(&self, filter: Filter, order: Order, page: PageSpec) -> Pending<Page<Prompt>>;

    /// As [`Store::page`], in short: what lists show, read in one statement.
    fn summaries(&self, filter: Filter, order: Order, page: PageSpec) -> Pending<Page<PromptSummary>>;

    /// A page of runs, newest first, each with its prompts in rank order. Fails as [`Store::page`] does.
    fn sessions(&self, page: PageSpec) -> Pending<Page<SessionWithPrompts>>;

    /// As [`Store::sessions`], with the prompts in short.
    fn sessions_with_summaries(&self, page: PageSpec) -> Pending<Page<SessionWithPrompts<PromptSummary>>>;

    /// These runs without their prompts, in no order; ids that are not there are passed over.
    fn fetch_sessions(&self, ids: Vec<SessionId>) -> Pending<Vec<Session>>;

    /// How many prompts pass the filter.
    fn count(&self, filter: Filter) -> Pending<u64>;

    /// What was moved to the trash at this moment or later, deleted last coming first.
    fn trashed(&self, since: Timestamp, limit: u32, offset: u64) -> Pending<TrashedPage>;

    /// The ids in the trash that begin or end with `fragment`, deleted last coming first, at most `limit` of them. As
    /// [`Store::resolve`].
    fn resolve_trashed(&self, fragment: String, limit: usize) -> Pending<Vec<PromptId>>;

    /// Waits for queued writes, folds the log into the file, closes. Further calls fail with `storage`.
    fn close(&self) -> Pending<()>;
}

/// A generate run as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Session {
    /// Its name: the `session_id` of its prompts.
    pub id: SessionId,
    /// What was run: `generate`.
    pub operation: String,
    /// What the user asked for.
    pub original_input: String,
    /// The phases, in order.
    pub phases: Vec<Phase>,
    /// The persona.
    pub persona: String,
    /// How many variants were asked for.
    pub count: u32,
    /// When it began.
    #[serde(with = "crate::domain::moment::written")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
}

/// A run and what came of it: whole prompts, or another form of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SessionWithPrompts")]
pub struct SessionWithPrompts<P = Prompt> {
    /// The run.
    #[serde(flatten)]
    pub session: Session,
    /// Its stored variants: by score from best, then unranked ones by number.
    pub prompts: Vec<P>,
}

/// A change of what is stored.
#[derive(Debug, Clone, PartialEq)]
pub enum Mutation {
    /// Changes tags or notes in place, raises `revision`, sets `updated_at`.
    Edit {
        /// Which prompt.
        id: PromptId,
        /// Fails with `conflict` unless this is the present revision.
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
    /// Deletes these; unknown ids are passed over. A run goes with its last prompt.
    Delete {
        /// Which prompts.
        ids: Vec<PromptId>,
        /// Fails with `conflict`, deleting nothing, unless this is the present revision of every one of them.
        expected_revision: Option<u32>,
    },
    /// Deletes all that pass the filter. A run goes with its last prompt; the empty filter deletes runs without any, too.
    DeleteWhere {
        /// Which prompts.
        filter: Filter,
    },
    /// Moves these to the trash; unknown ids are passed over. To all other reads they are gone, and a run with its last one.
    Trash {
        /// Which prompts.
        ids: Vec<PromptId>,
        /// Fails with `conflict`, changing nothing, unless this is the present revision of every one of them.
        expected_revision: Option<u32>,
        /// The moment.
        at: Timestamp,
    },
    /// Moves all that pass the filter to the trash.
    TrashWhere {
        /// Which prompts.
        filter: Filter,
        /// The moment.
        at: Timestamp,
    },
    /// Stores these as they were, each with its revision raised, and the runs they were of; ids that are not in the trash are
    /// passed over.
    Restore {
        /// Which prompts.
        ids: Vec<PromptId>,
        /// The moment, which becomes their `updated_at`.
        at: Timestamp,
    },
    /// Deletes from the trash for good.
    EmptyTrash {
        /// Which prompts; all where none are named.
        ids: Option<Vec<PromptId>>,
        /// Those alone that were deleted before this moment.
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
    /// As it was then.
    #[serde(flatten)]
    pub prompt: Prompt,
}

/// A part of the trash.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrashedPage {
    /// Deleted last coming first.
    pub prompts: Vec<Trashed>,
    /// How many there are in all.
    pub total: u64,
}

/// What a mutation did.
#[derive(Debug, Clone, PartialEq)]
pub enum Applied {
    /// The prompt as it is now; `None` when there is no such prompt.
    Edited(Option<Box<Prompt>>),
    /// How many were ranked.
    Ranked(u64),
    /// The ids that were there and are gone.
    Deleted(Vec<PromptId>),
    /// The prompts that were in the trash and are stored again.
    Restored(Vec<Prompt>),
}

/// Which prompts. An empty filter passes all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// All of these tags.
    pub tags: Vec<String>,
    /// The last step's phase.
    pub phase: Option<Phase>,
    /// The last step's provider.
    pub provider: Option<String>,
    /// The last step's model.
    pub model: Option<String>,
    /// The persona.
    pub persona: Option<String>,
    /// The run.
    pub session_id: Option<SessionId>,
    /// Made at this moment or later.
    pub since: Option<Timestamp>,
    /// Made before this moment.
    pub until: Option<Timestamp>,
}

/// In which order a page comes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// By moment of making, newest first; the id breaks ties.
    #[default]
    Newest,
    /// By moment of making, oldest first.
    Oldest,
    /// By score, best first, unranked last; newest first among equals.
    Score,
}

/// Which part of a long list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageSpec {
    /// At most so many, 1..=1000.
    pub limit: u32,
    /// Skips so many after the cursor.
    pub offset: u64,
    /// Where the last page ended; opaque, from [`Page::next_cursor`].
    pub cursor: Option<String>,
}

/// A part of a long list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// The rows.
    pub items: Vec<T>,
    /// Where the next page begins; `None` on the last one.
    pub next_cursor: Option<String>,
}
