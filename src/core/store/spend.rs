//! The spending side of the storage seam: calls as they are written down, and the cap of a day.
//!
//! A call is either admitted before it goes out, where a daily cap is in force, and ended later; or recorded once
//! it has ended. Each day keeps one running total, what its calls count as, so that asking for room costs the same
//! however many calls there were; it is kept without a cap too, so that one set at noon knows the morning.

use std::time::Duration;

use uuid::Uuid;

use super::Pending;
use crate::domain::{SessionId, SpendBy, Timestamp};
use crate::ledger::{CallEnd, Money, Need};

/// A database of what was spent. What one process asks for takes effect in the order it was asked, whether or not
/// somebody waits for the answers.
pub trait SpendStore: Send + Sync {
    /// Takes a call in, unless what the day's calls count as would pass `cap` with its worst case added. All processes
    /// together, atomically. Until it is ended it counts as its worst case, even if its process dies.
    fn admit_call(&self, call: SpendCall, cap: Money) -> Pending<Admitted>;

    /// Sets an amount aside on its day for calls to come, unless what the day's calls count as would pass `cap` with it.
    /// It counts until it is drawn on, taken back with [`SpendStore::withdraw_call`], or not touched for [`LEASE`]: what
    /// a process that died had set aside was not spent.
    fn set_aside(&self, amount: SetAside, cap: Money) -> Pending<Room>;

    /// As [`SpendStore::admit_call`], for a call that draws on what was set aside; the rest of its worst case has to fit
    /// the cap. What is set aside beyond [`Draw::keep`] is free again.
    fn admit_call_from(&self, call: SpendCall, draw: Draw, cap: Money) -> Pending<Admitted>;

    /// Takes an admitted call out again: it never went out. Nothing happens for one that is not there or has ended.
    fn withdraw_call(&self, id: Uuid) -> Pending<()>;

    /// Raises the worst case of an admitted call that has not ended, unless what the day's calls count as would pass
    /// `cap`. Nothing happens, and there is room, for one that is not there.
    fn extend_call(&self, id: Uuid, by: Money, cap: Money) -> Pending<Admitted>;

    /// Says how an admitted call ended; it then counts as that says, for the day it went out. Nothing happens for one that
    /// is not there or has ended.
    fn end_call(&self, id: Uuid, end: CallEnd) -> Pending<()>;

    /// Writes down a call that has ended, past any cap.
    fn record_call(&self, call: SpendCall, end: CallEnd) -> Pending<()>;

    /// Calls added up: a row for each key, in no order; for no key one row, also where there is no call.
    fn spend(&self, query: SpendQuery) -> Pending<Vec<SpendRow>>;

    /// How many calls of this run went out, and what they count as, those under way at their worst
    /// case.
    fn counted_for(&self, session: SessionId) -> Pending<Need>;

    /// What the calls of the day of `moment` (UTC) count as, those under way at their worst case.
    fn counted_on(&self, moment: Timestamp) -> Pending<Money>;
}

/// A call that goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpendCall {
    /// Its name.
    pub id: Uuid,
    /// When it goes out; decides its day (UTC).
    pub at: Timestamp,
    /// The run it belongs to.
    pub session_id: Option<SessionId>,
    /// The operation: `generate`.
    pub command: String,
    /// What for: a phase's name, `judge`, `embedding`.
    pub phase: String,
    /// The provider asked.
    pub provider: String,
    /// The model asked.
    pub model: String,
    /// The labels of the run.
    pub tags: Vec<String>,
    /// The most it can cost; `None` when the price is unknown.
    pub worst: Option<Money>,
}

/// How long what is set aside counts when nobody draws on it: longer than any call may take.
pub const LEASE: Duration = Duration::from_mins(15);

/// An amount for calls to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Its name.
    pub id: Uuid,
    /// When; decides its day (UTC).
    pub at: Timestamp,
    /// How much.
    pub amount: Money,
}

/// From where a call is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    /// The name of what was set aside.
    pub id: Uuid,
    /// What is to be left of it for later calls.
    pub keep: Money,
}

/// Whether there was room to set an amount aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// It is set aside.
    Yes,
    /// It is not.
    No {
        /// What the day's calls count as, with what is set aside.
        counted: Money,
        /// How many chains have something set aside, and may yet leave some of it.
        chains: u64,
    },
}

/// Whether there was room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admitted {
    /// It is taken in.
    Yes,
    /// It is not.
    No {
        /// What the day's calls count as.
        counted: Money,
    },
}

/// Which calls, and what they are added up by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpendQuery {
    /// `None`: all together.
    pub by: Option<SpendBy>,
    /// Those that went out at this moment or later.
    pub since: Option<Timestamp>,
    /// Those that went out before this moment.
    pub until: Option<Timestamp>,
}

/// What the calls of one key came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpendRow {
    /// The day, the model, …; empty for all together, and for calls of runs without a label.
    pub key: String,
    /// Calls that went out.
    pub calls: u64,
    /// Of these, refused before any answer.
    pub failed: u64,
    /// Of these, not ended, or with an end that nobody saw.
    pub unseen: u64,
    /// Of these, answered at an unknown price.
    pub unpriced: u64,
    /// Tokens sent, by the answered ones.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// What the answered ones of known price cost.
    pub cost: Money,
    /// What the unseen ones count as.
    pub unseen_cost: Money,
}
