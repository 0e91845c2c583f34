//! Why a call is refused, with messages that name the cap, the spend and the fix.

use std::sync::Arc;

use super::account::Need;
use super::caller::Caller;
use super::money::Money;
use crate::domain::Timestamp;
use crate::error::{ProviderError, ProviderFailure};

/// Why a call or a chain of calls is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The cap of calls is used up.
    Calls {
        /// The cap.
        cap: u64,
        /// The least cap that would admit this call.
        wanted: u64,
    },
    /// The call could exceed the run's budget.
    Budget {
        /// The cap.
        cap: Money,
        /// The cost of the ended calls.
        spent: Money,
        /// The worst case of calls under way.
        reserved: Money,
        /// The worst case of this one.
        wanted: Money,
    },
    /// A chain does not fit the cap of calls.
    ChainCalls {
        /// The cap.
        cap: u64,
        /// What is left of it.
        left: u64,
        /// The calls of the chain, with the judge's share.
        wanted: u64,
        /// True if a judge needs more for one more candidate.
        is_judged: bool,
    },
    /// A chain could exceed the run's budget.
    ChainBudget {
        /// The cap.
        cap: Money,
        /// What is left of it.
        left: Money,
        /// The worst case of the chain, with the judge's share.
        wanted: Money,
        /// True if a judge needs more for one more candidate.
        is_judged: bool,
    },
    /// A chain could exceed the daily budget.
    ChainDay {
        /// The cap.
        cap: Money,
        /// What is left of it.
        left: Money,
        /// The worst case of the chain.
        wanted: Money,
    },
    /// The call could exceed the daily budget.
    Day {
        /// The cap.
        cap: Money,
        /// The cost of today's calls, those under way at their worst case.
        counted: Money,
        /// The worst case of this one.
        wanted: Money,
    },
    /// The call could exceed a cap of the caller's token.
    Caller(Box<CallerRefusal>),
    /// A chain could exceed a cap of the caller's token.
    ChainCaller(Box<CallerRefusal>),
    /// There is a cap in dollars, and the model's price is unknown.
    UnknownPrice {
        /// The model.
        model: String,
    },
    /// There is a cap in dollars, and the answer is unbounded.
    UnboundedAnswer {
        /// The model.
        model: String,
    },
    /// The call log cannot be used.
    CallLogFailed(String),
    /// The program is shutting down, and the call log is closed.
    Closed,
    /// The run is over.
    Gone,
}

/// What does not fit the caps of a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallerRefusal {
    /// The caller.
    pub caller: Arc<Caller>,
    /// What counts in the period of the caps, calls under way at their worst case.
    pub used: Need,
    /// What was asked for.
    pub wanted: Need,
    /// When the caps start again; `None`: never.
    pub resets_at: Option<Timestamp>,
}

impl CallerRefusal {
    /// The cap that is in the way, what counts against it, and when it starts again.
    fn explain(&self, f: &mut std::fmt::Formatter<'_>, what: &str) -> std::fmt::Result {
        let Self { caller, used, wanted, resets_at } = self;
        let (who, period) = caller.period.in_words();
        let since = if resets_at.is_some() { " since midnight UTC" } else { "" };
        match (caller.max_calls, caller.budget) {
            (Some(cap), _) if used.calls.saturating_add(wanted.calls) > cap => write!(
                f,
                "{what} takes {}, and {who} allows {}{period} ({} used or reserved{since})",
                calls(wanted.calls),
                calls(cap),
                used.calls
            )?,
            (_, budget) => write!(
                f,
                "{what} may cost up to {}, and {who} allows {}{period} ({} used or reserved{since})",
                wanted.money,
                budget.unwrap_or_default(),
                used.money
            )?,
        }
        match resets_at {
            Some(resets_at) => write!(f, "; this starts again at {resets_at}"),
            None => f.write_str("; `--budget-usd` of the server sets it"),
        }
    }
}

impl Refusal {
    /// The error for a call to `provider` by the operation `command`, with advice to spend less.
    pub fn of(self, provider: &str, command: &str) -> ProviderError {
        let failure = match self {
            Self::CallLogFailed(_) => ProviderFailure::CallLogFailed,
            _ => ProviderFailure::Budget,
        };
        let ways: Vec<&str> = match self {
            Self::Calls { .. } => fewer(command).into_iter().collect(),
            Self::Budget { .. } => shorter(command).into_iter().chain(fewer(command)).collect(),
            Self::Day { .. } => shorter(command).into_iter().chain(fewer(command)).chain(["go on tomorrow"]).collect(),
            _ => Vec::new(),
        };
        let mut message = self.to_string();
        for (at, way) in ways.iter().enumerate() {
            message.push_str(if at + 1 == ways.len() { ", or " } else { ", " });
            message.push_str(way);
        }
        ProviderError::new(provider, failure, message).before_sending()
    }
}

/// The advice for making fewer calls in an operation.
fn fewer(command: &str) -> Option<&'static str> {
    match command {
        "generate" => Some("ask for fewer variants or phases"),
        "select" | "compare" => Some("name fewer prompts or a cheaper judge"),
        "judge audit" => Some("choose a cheaper judge"),
        _ => None,
    }
}

/// The advice for shorter answers in an operation, if the user can control that.
fn shorter(command: &str) -> Option<&'static str> {
    (command == "generate").then_some("lower `max_tokens`")
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Calls { cap, wanted } => {
                write!(f, "the next call would pass the cap of {}; raise `max_calls` to at least {wanted}", calls(*cap))
            }
            Self::Budget { cap, spent, reserved, wanted } => {
                write!(f, "the next call may cost up to {wanted} and could pass the budget of {cap} ({spent} spent")?;
                if *reserved != Money::ZERO {
                    write!(f, ", up to {reserved} for calls under way")?;
                }
                let enough = (*spent + *reserved + *wanted).advised();
                write!(f, "); raise `budget_usd` to at least {enough}")
            }
            Self::ChainCalls { cap, left, wanted, is_judged } => write!(
                f,
                "a whole variant takes {}{}, and the cap of {} leaves {left}",
                calls(*wanted),
                share(*is_judged),
                calls(*cap)
            ),
            Self::ChainBudget { cap, left, wanted, is_judged } => write!(
                f,
                "a whole variant may cost up to {wanted}{}, and the budget of {cap} leaves {left}",
                share(*is_judged)
            ),
            Self::ChainDay { cap, left, wanted } => {
                write!(f, "a whole variant may cost up to {wanted}, and the daily budget of {cap} leaves {left}")
            }
            Self::Day { cap, counted, wanted } => write!(
                f,
                "the next call may cost up to {wanted} and could pass the daily budget of {cap} ({counted} used or \
                 reserved since midnight UTC); raise `spend.daily_budget_usd` to at least {}",
                (*counted + *wanted).advised()
            ),
            Self::Caller(refusal) => refusal.explain(f, "the next call"),
            Self::ChainCaller(refusal) => refusal.explain(f, "a whole variant"),
            Self::UnknownPrice { model } => write!(
                f,
                "the price of `{model}` is unknown, so a budget in dollars cannot be kept; give `assume_price` (US \
                 dollars for a million tokens), or cap `max_calls` instead"
            ),
            Self::UnboundedAnswer { model } => write!(
                f,
                "nothing bounds the length of an answer of `{model}`, so a budget in dollars cannot be kept; this model \
                 takes no limit of tokens that is known: ask another, or cap `max_calls` instead"
            ),
            Self::CallLogFailed(reason) => {
                write!(f, "the daily budget cannot be kept, because spending cannot be recorded: {reason}")
            }
            Self::Closed => f.write_str("aludel is shutting down; try again after it has restarted"),
            Self::Gone => f.write_str("the run is over"),
        }
    }
}

fn share(is_judged: bool) -> &'static str {
    if is_judged { " with what the judge needs for it" } else { "" }
}

fn calls(number: u64) -> String {
    format!("{number} {}", if number == 1 { "call" } else { "calls" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    #[test]
    fn a_refusal_names_the_cap_what_is_spent_and_the_way_out() {
        let dollars = Money::from_dollars_up;
        let refusals = [
            (Refusal::Calls { cap: 1, wanted: 2 }, &["cap of 1 call;", "`max_calls` to at least 2"][..]),
            (
                Refusal::Budget {
                    cap: dollars(0.5),
                    spent: dollars(0.4),
                    reserved: dollars(0.05),
                    wanted: dollars(0.1),
                },
                &[
                    "up to $0.10",
                    "budget of $0.50",
                    "$0.40 spent",
                    "$0.05 for calls under way",
                    "`budget_usd` to at least $0.55",
                ],
            ),
            (
                Refusal::Day { cap: dollars(5.0), counted: dollars(4.99), wanted: dollars(0.1) },
                &["daily budget of $5.00", "$4.99", "`spend.daily_budget_usd` to at least $5.09"],
            ),
            (Refusal::UnknownPrice { model: "m-1".into() }, &["`m-1`", "`assume_price`"]),
            (Refusal::UnboundedAnswer { model: "m-1".into() }, &["`m-1`", "`max_calls`"]),
        ];
        for (refusal, words) in refusals {
            let error = refusal.of("sim", "generate");
            assert_eq!((error.code(), error.provider.as_str()), (Code::BudgetExceeded, "sim"));
            assert!(error.never_sent && !error.is_retryable());
            assert!(words.iter().all(|word| error.message.contains(word)), "{}", error.message);
        }
        assert_eq!(Refusal::CallLogFailed("x".into()).of("sim", "select").code(), Code::Storage);
    }

    #[test]
    fn what_would_cost_less_fits_the_operation() {
        let dollars = Money::from_dollars_up;
        let said = |command: &str| {
            let one = dollars(1.0);
            let budget = Refusal::Budget { cap: one, spent: one, reserved: Money::ZERO, wanted: one };
            let day = Refusal::Day { cap: one, counted: one, wanted: one };
            let calls = Refusal::Calls { cap: 1, wanted: 2 };
            [calls, budget, day].map(|refusal| {
                let message = refusal.of("sim", command).message;
                message.rsplit_once(" to at least ").unwrap().1.split_once(", ").map_or("", |(_, ways)| ways).to_owned()
            })
        };
        let variants = "ask for fewer variants or phases";
        assert_eq!(
            said("generate"),
            [
                format!("or {variants}"),
                format!("lower `max_tokens`, or {variants}"),
                format!("lower `max_tokens`, {variants}, or go on tomorrow"),
            ]
        );
        for command in ["select", "compare"] {
            let prompts = "name fewer prompts or a cheaper judge";
            assert_eq!(
                said(command),
                [format!("or {prompts}"), format!("or {prompts}"), format!("{prompts}, or go on tomorrow")]
            );
        }
        assert_eq!(said("judge audit")[0], "or choose a cheaper judge");
        assert_eq!(said("reindex"), ["", "", "or go on tomorrow"]);
    }
}
