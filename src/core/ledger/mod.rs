//! The ledger: accounts, budgets, and what calls may cost and did cost.
//!
//! Pure arithmetic. An [`Account`] travels with every request of a run, so that each call sent (a
//! retry, a fallback, the judge's) is counted where it is sent. [`Account::reserve`] reserves the
//! worst case of a call before it is sent, and [`Reservation::settle`] replaces it by the actual
//! cost. Money is whole billionths of a US dollar, so sums and caps compare exactly.
//!
//! Invariants: spent plus reserved never exceeds a cap, whatever runs concurrently; a call whose
//! end is not seen counts as its worst case; a call that was sent counts even if it failed. A call
//! that could fit later waits its turn, first come first served; one that never can is refused.
//!
//! Under a cap the calls for one prompt are reserved together before the first is sent
//! ([`Account::set_aside`]), so a budget buys whole prompts; each call draws on its [`Allotment`].
//!
//! `run_budget` enforces the caps of a run, with the arithmetic of `balance`. The record of calls
//! and the daily cap, shared by all runs and processes, are behind the port [`CallLog`], which
//! [`crate::store::StoreCallLog`] implements. [`crate::provider::metered`] reserves and settles for
//! every provider.

mod account;
mod balance;
mod call_log;
mod caller;
mod money;
mod price;
mod refusal;
mod reservation;
mod run_budget;

pub use account::{Account, Allotment, Call, Caps, Labels, Need, WorstCase};
pub use call_log::{
    Admission, CallEnd, CallLog, CallLogDraw, CallLogEntry, CallLogReservation, Counted, Extension, LeftToCaller,
    LoggedCall, SettingAside,
};
pub use caller::{Caller, CapPeriod};
pub use money::Money;
pub use price::{BilledTokens, Price, Tier};
pub use refusal::{CallerRefusal, Refusal};
pub use reservation::{CallUsage, Reservation};
pub use run_budget::{AnsweredUsage, Tally, UnseenCalls};
