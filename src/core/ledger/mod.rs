//! The ledger: who pays for a call, what it may cost at most, and what it did cost.
//!
//! Pure arithmetic. An [`Account`] travels with every request of a run, so that each call that goes out (a retry, a
//! fallback, the judge's) is counted where it goes out. [`Account::reserve`] sets the worst case of a call aside before
//! it is sent and [`Reservation::settle`] puts what it did cost in its place; money is whole billionths of a US dollar,
//! so that sums and caps compare exactly.
//!
//! What always holds: spent and reserved together never pass a cap, whatever runs side by side; a call whose end nobody
//! saw counts as its worst case; a call that went out counts as a call even if it failed. A call that does not fit now but
//! may fit once others have settled waits its turn, first come first served; one that can never fit is refused at once.
//!
//! Under a cap the calls that make one prompt are set aside together before the first of them goes out
//! ([`Account::set_aside`]), so that a budget buys whole prompts; each call then draws on its [`Allotment`].
//!
//! The caps of a run are kept by the `run_budget`, its arithmetic is the `balance`; what several runs and processes share, and what is to be
//! remembered, is behind the port [`CallLog`], which [`crate::store::StoreBook`] fills. The layer that reserves and
//! settles for every provider is [`crate::provider::metered`].

mod account;
mod balance;
mod call_log;
mod money;
mod refusal;
mod reservation;
mod run_budget;

pub use account::{Account, Allotment, Call, Caps, Labels, Need, WorstCase};
pub use call_log::{
    Admission, BookDraw, BookEntry, BookHold, BookedCall, CallEnd, CallLog, Counted, Extension, SettingAside,
};
pub use money::Money;
pub use refusal::Refusal;
pub use reservation::{Actual, Reservation};
pub use run_budget::{Answered, Tally, Unseen};
