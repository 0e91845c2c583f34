//! The port behind which calls are written down and the caps live that several runs and processes share.

use crate::error::Error;
use std::pin::Pin;
use std::sync::Arc;

use uuid::Uuid;

use super::account::Labels;
use super::money::Money;
use super::refusal::Refusal;

/// Remembers calls, and keeps the cap of a day.
pub trait CallLog: Send + Sync {
    /// The most that may be spent a day; `None`: no cap, calls are written down when they have ended.
    fn daily_cap(&self) -> Option<Money>;

    /// What the calls of today count as, those under way at their worst case.
    fn counted_today(&self) -> Counted<'_>;

    /// Sets an amount aside under the cap of the day for calls to come. Waits while calls under way or other chains may
    /// leave room. Dropping the future before it answers sets nothing aside.
    fn set_aside(&self, amount: Money) -> SettingAside<'_>;

    /// Takes a call in before it goes out. Dropping the future before it answers takes nothing in.
    fn admit(&self, call: BookedCall) -> Admission<'_>;

    /// Takes no more calls in, and waits until every call that was taken in has ended. A run that is being cancelled may
    /// still ask; it is refused.
    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// The calls whose cost could not be written down so far, as an error that says what follows from it. Known once the
    /// store behind the book is closed.
    fn unwritten(&self) -> Option<Error> {
        None
    }
}

/// A sum to come.
pub type Counted<'a> = Pin<Box<dyn Future<Output = Result<Money, Refusal>> + Send + 'a>>;

/// What was set aside, to come; `None` where there is no cap of a day.
pub type SettingAside<'a> = Pin<Box<dyn Future<Output = Result<Option<Box<dyn BookHold>>, Refusal>> + Send + 'a>>;

/// An amount that is set aside for calls to come. Dropping it frees what is left.
pub trait BookHold: Send + Sync {
    /// Its name.
    fn id(&self) -> Uuid;
}

/// From where a call is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookDraw {
    /// The name of a [`BookHold`].
    pub id: Uuid,
    /// What is to be left of it for later calls.
    pub keep: Money,
}

/// The answer to come.
pub type Admission<'a> = Pin<Box<dyn Future<Output = Result<Box<dyn BookEntry>, Refusal>> + Send + 'a>>;

/// Whether there was room for more.
pub type Extension<'a> = Pin<Box<dyn Future<Output = Result<(), Refusal>> + Send + 'a>>;

/// A call that was taken in. Dropped without an end it counts as [`CallEnd::Unseen`].
pub trait BookEntry: Send {
    /// Sets more aside for the call, which is under way. Never waits for room.
    fn extend(&mut self, by: Money) -> Extension<'_>;

    /// Says how the call ended. Never waits and never fails; what cannot be written down is logged, and
    /// [`CallLog::unwritten`] tells of it.
    fn close(self: Box<Self>, end: CallEnd);
}

/// A call as the book takes it in.
#[derive(Debug, Clone)]
pub struct BookedCall {
    /// The run it belongs to.
    pub labels: Arc<Labels>,
    /// The provider asked, by its name in the configuration.
    pub provider: String,
    /// The model asked.
    pub model: String,
    /// What for: a phase's name, `judge`, `embedding`.
    pub purpose: &'static str,
    /// The most it can cost; `None` when the price is unknown.
    pub worst: Option<Money>,
    /// What it draws on, if something was set aside for it.
    pub draw: Option<BookDraw>,
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
        /// What it counts as against a cap: the cost, or what was assumed in its place.
        counted: Money,
    },
    /// With a refusal that is not billed.
    Failed,
    /// Nobody saw the end: it may have been paid for, and counts as its worst case.
    Unseen,
    /// By us, because the answer outran what was set aside for it. Nobody saw the end either.
    Cut {
        /// What it counts as against a cap.
        counted: Money,
    },
}
