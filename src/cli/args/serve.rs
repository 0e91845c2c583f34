//! The options of `aludel serve`.

use aludel_core::api::ServeRequest;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::offer::OfferArgs;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel serve
  aludel serve --read-only
  aludel serve --tools generate_prompts,search_prompts,get_prompt_details
  aludel serve --budget-usd 2
  aludel serve --port 8765
  aludel serve --port 8765 --host 0.0.0.0 --insecure-no-auth

An MCP host starts it: it speaks JSON-RPC on standard input and output, and
exits at the end of its input. With `--port` it serves many hosts over
streamable HTTP, at http://localhost:PORT/mcp, until it is stopped.";

/// Serve MCP over standard input and output, or over HTTP
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub offer: OfferArgs,
    /// Serve over HTTP on this port; 0 takes any that is free
    #[arg(long, value_name = "PORT", allow_negative_numbers = true)]
    pub port: Option<String>,
    /// The host to listen on, instead of `server.host` (localhost)
    #[arg(long, value_name = "HOST", requires = "port")]
    pub host: Option<String>,
    /// Allow listening beyond this machine without `server.auth`
    #[arg(long, requires = "port")]
    pub insecure_no_auth: bool,
}

impl ServeArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        self.offer.add_to(Raw::of::<ServeRequest>()).into_value()
    }
}
