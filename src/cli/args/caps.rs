//! The options that limit the cost of a command, the same for all that call models.

use clap::Args;

use super::raw::Raw;

/// What it may cost.
#[derive(Debug, Default, Args)]
pub(crate) struct CapArgs {
    /// Most US dollars to spend: a call that could pass it is not made
    #[arg(long, value_name = "USD", allow_negative_numbers = true, help_heading = "What it may cost")]
    pub budget_usd: Option<String>,
    /// Most calls to models, retries included
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "What it may cost")]
    pub max_calls: Option<String>,
    /// US dollars for a million tokens of a model whose price is unknown
    #[arg(long, value_name = "USD", allow_negative_numbers = true, help_heading = "What it may cost")]
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
