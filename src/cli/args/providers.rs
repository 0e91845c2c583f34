//! The options of `aludel providers` and `aludel test-providers`.

use aludel_core::api::TestProvidersRequest;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;

const PROVIDERS_EXAMPLES: &str = "\
Examples:
  aludel providers
  aludel providers --models
  aludel providers --format json | jq '.providers[].reason'

Keys are never shown. The only request is to find out whether a local Ollama
runs; with --models every available provider is asked for its models.
`aludel test-providers` makes a real call to each.";

/// List providers, and why one cannot be used
#[derive(Debug, Default, Args)]
#[command(after_help = PROVIDERS_EXAMPLES, globals_last())]
pub(crate) struct ProvidersArgs {
    /// Ask each provider for its models
    #[arg(long)]
    pub models: bool,
}

const TEST_PROVIDERS_EXAMPLES: &str = "\
Examples:
  aludel test-providers
  aludel test-providers openai local/qwen3:8b
  aludel test-providers --timeout 10 --format json

Each provider is asked for three words, and for one embedding if it supports
them: real calls, which cost a fraction of a cent. Exits with 6 if one fails.";

/// Test each provider with a real call, and say what is wrong
#[derive(Debug, Default, Args)]
#[command(after_help = TEST_PROVIDERS_EXAMPLES, globals_last())]
pub(crate) struct TestProvidersArgs {
    /// Providers to call, as NAME or NAME/MODEL; by default all that are set up
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Seconds allowed for each (60)
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub timeout: Option<String>,
}

impl TestProvidersArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<TestProvidersRequest>()
            .items("providers", &self.names)
            .text("timeout_s", self.timeout.as_ref())
            .into_value()
    }
}
