//! The spending part of the storage seam: recorded calls, and the daily cap.
//!
//! With a daily cap, a call is admitted before it goes out and ended later; without one, it is
//! recorded once it has ended. Each day has one running total of what its calls count as, and one
//! for each caller, so checks take constant time. It is updated without a cap too, so a cap set at noon includes the morning.

use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use super::Pending;
use crate::domain::{SessionId, SpendBy, Timestamp};
use crate::ledger::{CallEnd, Caller, Money, Need};

/// A database of spending. Requests of a process take effect in order, awaited or not.
pub trait SpendStore: Send + Sync {
    /// Admits a call, unless its worst case would take the day's counted total past `cap`, or those
    /// of its caller past the caller's caps. Atomic across processes. Until it ends the call counts as its worst case, even if its process dies.
    fn admit_call(&self, call: SpendCall, cap: Money) -> Pending<Admitted>;

    /// Reserves an amount on its day for later calls, unless it would take the day's counted total
    /// past `cap`, or those of its caller past the caller's caps. It counts until it is drawn on, withdrawn with [`SpendStore::withdraw_call`], or
    /// untouched for [`LEASE`]: a reservation of a process that died was not spent.
    fn set_aside(&self, amount: SpendReservation, cap: Money) -> Pending<ReservationReply>;

    /// As [`SpendStore::admit_call`], for a call that draws on a reservation; the rest of its worst
    /// case has to fit the cap. Any part of the reservation beyond [`Draw::keep`] is released.
    fn admit_call_from(&self, call: SpendCall, draw: Draw, cap: Money) -> Pending<Admitted>;

    /// Removes an admitted call that never went out. Does nothing if it is unknown or has ended.
    fn withdraw_call(&self, id: Uuid) -> Pending<()>;

    /// Raises the worst case of an admitted call that has not ended, unless that would take the
    /// day's counted total past `cap`, or that of its caller past the caller's budget. An unknown
    /// call is admitted, and nothing changes.
    fn extend_call(&self, id: Uuid, by: Money, cap: Money, caller: Option<Arc<Caller>>) -> Pending<Admitted>;

    /// Records how an admitted call ended, which sets what it counts as on the day it went out.
    /// Does nothing if it is unknown or has ended.
    fn end_call(&self, id: Uuid, end: CallEnd) -> Pending<()>;

    /// Records a call that has ended, regardless of any cap.
    fn record_call(&self, call: SpendCall, end: CallEnd) -> Pending<()>;

    /// Totals of calls: one row per key, unordered; without a key one row, even for no calls.
    fn spend(&self, query: SpendQuery) -> Pending<Vec<SpendRow>>;

    /// How many calls of this run went out, and what they count as, calls in flight at their worst
    /// case.
    fn counted_for(&self, session: SessionId) -> Pending<Need>;

    /// What the calls of the day of `moment` (UTC) count as, calls in flight at their worst case.
    fn counted_on(&self, moment: Timestamp) -> Pending<Money>;

    /// The same of the calls of one caller in the period of its caps, with their number.
    fn counted_to(&self, caller: Arc<Caller>, moment: Timestamp) -> Pending<Need>;
}

/// A call that goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpendCall {
    /// Its id.
    pub id: Uuid,
    /// When it goes out; decides its day (UTC).
    pub at: Timestamp,
    /// The run it belongs to.
    pub session_id: Option<SessionId>,
    /// The operation: `generate`.
    pub command: String,
    /// Its purpose: a phase's name, `judge`, `embedding`.
    pub phase: String,
    /// The provider called.
    pub provider: String,
    /// The model called.
    pub model: String,
    /// The labels of the run.
    pub tags: Vec<String>,
    /// The most it can cost; `None` when the price is unknown.
    pub worst: Option<Money>,
    /// The client of a server that it is charged to.
    pub caller: Option<Arc<Caller>>,
}

/// How long a reservation counts without being drawn on: longer than any call can take.
pub const LEASE: Duration = Duration::from_mins(15);

/// A reservation for later calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpendReservation {
    /// Its id.
    pub id: Uuid,
    /// When it is made; decides its day (UTC).
    pub at: Timestamp,
    /// The amount.
    pub amount: Money,
    /// The calls of the caller that it reserves.
    pub calls: u64,
    /// The client of a server that they are charged to.
    pub caller: Option<Arc<Caller>>,
}

/// How a call draws on a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    /// The id of the reservation.
    pub id: Uuid,
    /// How much of it must remain for later calls.
    pub keep: Need,
}

/// Whether an amount could be reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReservationReply {
    /// It is reserved.
    Yes,
    /// There is no room.
    No {
        /// What the day's calls count as, including reservations.
        counted: Money,
        /// How many chains hold a reservation and may yet release some of it.
        chains: u64,
    },
    /// There is no room under the caps of the caller.
    NoneForCaller {
        /// What the caller's calls of the day count as, including reservations.
        used: Need,
    },
}

/// Whether a call was admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admitted {
    /// It is admitted.
    Yes,
    /// There is no room.
    No {
        /// What the day's calls count as.
        counted: Money,
    },
    /// There is no room under the caps of the caller.
    NoneForCaller {
        /// What the caller's calls of the day count as.
        used: Need,
    },
}

/// Which calls to total, and by which key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpendQuery {
    /// `None`: all together.
    pub by: Option<SpendBy>,
    /// Those that went out at this moment or later.
    pub since: Option<Timestamp>,
    /// Those that went out before this moment.
    pub until: Option<Timestamp>,
}

/// Totals of the calls of one key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpendRow {
    /// The day, the model, …; empty when not grouped, and for calls of runs without a label.
    pub key: String,
    /// Calls that went out.
    pub calls: u64,
    /// Of these, refused before any answer.
    pub failed: u64,
    /// Of these, not ended, or with an unknown outcome.
    pub unseen: u64,
    /// Of these, answered at an unknown price.
    pub unpriced: u64,
    /// Tokens sent, by the answered ones.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// What the answered ones of known price cost.
    pub cost: Money,
    /// What the calls with an unknown outcome count as.
    pub unseen_cost: Money,
}
