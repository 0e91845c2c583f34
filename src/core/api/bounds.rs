//! The fields that bound a run: time, money, calls, and whether cached answers are allowed.
//!
//! All operations that call models share them, so a limit means the same everywhere. Where a run
//! leaves something other than variants behind, the wording differs ([`Field::with_doc`]).

use super::field::{Field, Kind};
use crate::domain::limits;

pub(super) const TIMEOUT_S: Field = Field::new(
    "timeout_s",
    Kind::Number { min: 0.001, max: limits::MAX_TIMEOUT_S },
    "Seconds for the whole run; variants finished by then are kept. No limit by default.",
);
pub(super) const BUDGET_USD: Field = Field::new(
    "budget_usd",
    Kind::Number { min: limits::MIN_BUDGET_USD, max: limits::MAX_BUDGET_USD },
    "Budget of the run in US dollars: a call that could exceed it is not made; what is finished is kept. None by default.",
);
pub(super) const MAX_CALLS: Field = Field::new(
    "max_calls",
    Kind::Integer { min: 1, max: limits::MAX_CALLS },
    "Maximum calls to models, including retries and the judge's. No limit by default.",
);
pub(super) const ASSUME_PRICE: Field = Field::new(
    "assume_price",
    Kind::Number { min: 0.0, max: limits::MAX_PRICE },
    "US dollars per million tokens, input and output alike, for a model of unknown price: a budget needs one.",
);
pub(super) const NO_CACHE: Field = Field::new(
    "no_cache",
    Kind::Boolean,
    "Neither read nor write the answer cache, including the judge's; false by default.",
);
