//! The options that limit the cost of a command, the same for all that call models.

use clap::Args;

use super::raw::Raw;

/// The budget.
#[derive(Debug, Default, Args)]
pub(crate) struct CapArgs {
    /// Budget in US dollars; a call that could exceed it is not made
    #[arg(long, value_name = "USD", allow_negative_numbers = true, help_heading = "Budget")]
    pub budget_usd: Option<String>,
    /// Maximum calls to models, including retries
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Budget")]
    pub max_calls: Option<String>,
    /// US dollars per million tokens for a model of unknown price
    #[arg(long, value_name = "USD", allow_negative_numbers = true, help_heading = "Budget")]
    pub assume_price: Option<String>,
}

impl CapArgs {
    /// Adds these limits to a request.
    pub(crate) fn add_to(&self, raw: Raw) -> Raw {
        raw.text("budget_usd", self.budget_usd.as_ref())
            .text("max_calls", self.max_calls.as_ref())
            .text("assume_price", self.assume_price.as_ref())
    }
}
