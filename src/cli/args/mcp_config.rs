//! The options of `aludel mcp-config`.

use aludel_core::api::McpConfigRequest;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::offer::OfferArgs;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel mcp-config claude-code --install
  aludel mcp-config vscode --project --install
  aludel mcp-config zed | pbcopy
  aludel mcp-config cursor --read-only --tools search_prompts,list_prompts
  aludel mcp-config gemini --budget-usd 1 --format json

Standard output has only the configuration; standard error says where it goes.
--install keeps every other entry and comment, and a copy of the file as it was.

The server has the data folder and configuration file of this command
(--data-dir, --config, ALUDEL_HOME, ALUDEL_CONFIG). No key is written: the
server reads its own configuration file. Hosts pass on little of your
environment, so a key given as ${NAME} may be missing there; `api_key_cmd` of a
provider works with every host.";

/// Print or install the configuration of an MCP host
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct McpConfigArgs {
    /// claude-desktop, claude-code, vscode, cursor, zed, codex, gemini or
    /// windsurf
    #[arg(value_name = "HOST")]
    pub host: String,
    /// Merge it into the host's file (claude-code and vscode only)
    #[arg(long)]
    pub install: bool,
    /// For the project in this folder, not for the user
    #[arg(long)]
    pub project: bool,
    #[command(flatten)]
    pub offer: OfferArgs,
}

impl McpConfigArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        let raw = Raw::of::<McpConfigRequest>()
            .set("host", self.host.as_str())
            .switch("install", self.install)
            .switch("project", self.project);
        self.offer.add_to(raw).into_value()
    }
}
