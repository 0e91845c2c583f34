//! The options of `aludel serve`.

use aludel_core::api::ServeRequest;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel serve
  aludel serve --read-only
  aludel serve --tools generate_prompts,search_prompts,get_prompt_details
  aludel serve --budget-usd 2

An MCP host starts it: it speaks JSON-RPC on standard input and output, and
exits at the end of its input.";

/// Serve MCP over standard input and output
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct ServeArgs {
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

impl ServeArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<ServeRequest>()
            .list("tools", &self.tools)
            .switch("read_only", self.read_only)
            .text("budget_usd", self.budget_usd.as_ref())
            .into_value()
    }
}
