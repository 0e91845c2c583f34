//! What an MCP server offers its hosts, for the commands that start or configure one.

use clap::Args;

use super::raw::Raw;

/// Which tools, and for how much.
#[derive(Debug, Default, Args)]
pub(crate) struct OfferArgs {
    /// Offer only the tools that change nothing and spend nothing
    #[arg(long)]
    pub read_only: bool,
    /// Offer only these tools
    #[arg(long, value_name = "TOOL,…")]
    pub tools: Vec<String>,
    /// US dollars that all calls of the host may cost together
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub budget_usd: Option<String>,
}

impl OfferArgs {
    /// Adds these options to a request.
    pub(crate) fn add_to(&self, raw: Raw) -> Raw {
        raw.list("tools", &self.tools).switch("read_only", self.read_only).text("budget_usd", self.budget_usd.as_ref())
    }
}
