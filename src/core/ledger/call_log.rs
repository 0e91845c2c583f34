//! The port that records calls and enforces the daily cap, shared by runs and processes.

use crate::error::Error;
use std::pin::Pin;
use std::sync::Arc;

use uuid::Uuid;

use super::account::{Labels, Need};
use super::caller::Caller;
use super::money::Money;
use super::refusal::Refusal;

/// Records calls and enforces the daily cap.
pub trait CallLog: Send + Sync {
    /// The daily cap; `None` if there is none, and calls are then recorded when they have ended.
    fn daily_cap(&self) -> Option<Money>;

    /// The total counted for today's calls, those under way at their worst case.
    fn counted_today(&self) -> Counted<'_>;

    /// What is left of the caps of a caller today, calls under way at their worst case.
    fn left_to(&self, caller: Arc<Caller>) -> LeftToCaller<'_>;

    /// Reserves a need under the daily cap, and under those of the caller, for later calls. Waits
    /// while calls under way or other chains could leave room. Dropping the future before it
    /// completes reserves nothing.
    fn set_aside(&self, need: Need, caller: Option<Arc<Caller>>) -> SettingAside<'_>;

    /// Admits a call before it is sent. Dropping the future before it completes admits nothing.
    fn admit(&self, call: LoggedCall) -> Admission<'_>;

    /// Refuses further calls, such as those of a run being cancelled, and waits until every
    /// admitted call has ended.
    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// An error about calls whose cost could not be recorded, and its consequence. Final once the
    /// underlying store is closed.
    fn unwritten(&self) -> Option<Error> {
        None
    }
}

/// The future of [`CallLog::counted_today`].
pub type Counted<'a> = Pin<Box<dyn Future<Output = Result<Money, Refusal>> + Send + 'a>>;

/// The future of [`CallLog::left_to`].
pub type LeftToCaller<'a> = Pin<Box<dyn Future<Output = Result<Need, Refusal>> + Send + 'a>>;

/// The future of [`CallLog::set_aside`]; `None` without a cap.
pub type SettingAside<'a> =
    Pin<Box<dyn Future<Output = Result<Option<Box<dyn CallLogReservation>>, Refusal>> + Send + 'a>>;

/// An amount reserved for later calls. Dropping it releases the rest.
pub trait CallLogReservation: Send + Sync {
    /// Its id.
    fn id(&self) -> Uuid;
}

/// The reservation that a call draws on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallLogDraw {
    /// The id of the [`CallLogReservation`].
    pub id: Uuid,
    /// What must be left of it for later calls.
    pub keep: Need,
}

/// The future of [`CallLog::admit`].
pub type Admission<'a> = Pin<Box<dyn Future<Output = Result<Box<dyn CallLogEntry>, Refusal>> + Send + 'a>>;

/// The future of [`CallLogEntry::extend`].
pub type Extension<'a> = Pin<Box<dyn Future<Output = Result<(), Refusal>> + Send + 'a>>;

/// An admitted call. Dropping it unclosed counts as [`CallEnd::Unseen`].
pub trait CallLogEntry: Send {
    /// Reserves more for the call, which is under way. Never waits for room.
    fn extend(&mut self, by: Money) -> Extension<'_>;

    /// Records how the call ended. Never waits and never fails: what cannot be recorded is logged
    /// and reported by [`CallLog::unwritten`].
    fn close(self: Box<Self>, end: CallEnd);
}

/// A call to be admitted.
#[derive(Debug, Clone)]
pub struct LoggedCall {
    /// The labels of its run.
    pub labels: Arc<Labels>,
    /// The provider's name in the configuration.
    pub provider: String,
    /// The requested model.
    pub model: String,
    /// Its purpose: a phase's name, `judge`, `embedding`.
    pub purpose: &'static str,
    /// The most it can cost; `None` when the price is unknown.
    pub worst: Option<Money>,
    /// The reservation it draws on, if any.
    pub draw: Option<CallLogDraw>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEnd {
    /// With an answer.
    Answered {
        /// Tokens sent.
        input_tokens: u64,
        /// Tokens received.
        output_tokens: u64,
        /// What it cost; `None` when the price is unknown.
        cost: Option<Money>,
        /// The amount counted against a cap: the cost, or the assumed one.
        counted: Money,
    },
    /// With an error that is not billed.
    Failed,
    /// Unknown: it may be billed, and counts as its worst case.
    Unseen,
    /// Cut by us, because the answer exceeded its reservation. The final cost is unknown.
    Cut {
        /// The amount counted against a cap.
        counted: Money,
    },
}
