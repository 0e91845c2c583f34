//! The options of `aludel token`.

use aludel_core::api::TokenRequest;
use clap::Args;
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel token
  aludel token --scope spend --budget-usd 5 --max-calls 100 --subject ci
  aludel token --scope read,write --ttl 12h
  aludel token --scope admin --ttl 2030-01-01 --format json

read shows and searches what is stored; write changes it, and spend calls
models, each of them including read; admin allows everything. The limits are for
a day (UTC).

A token is shown once and not stored. It is signed with `server.auth.secret`, and
a new secret revokes all tokens. The server needs them with
`server.auth.enabled: true`. Clients send one as `Authorization: Bearer TOKEN`.";

/// Make a token for clients of the servers
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct TokenArgs {
    /// What it allows: read, write, spend, admin (read)
    #[arg(long, value_name = "SCOPE,…")]
    pub scope: Vec<String>,
    /// Who it is for: shown in reports; tokens of one subject differ by their id
    #[arg(long, value_name = "NAME")]
    pub subject: Option<String>,
    /// How long it is valid, such as 12h or 90d, or until when (30d)
    #[arg(long, value_name = "TIME", visible_alias = "expires")]
    pub ttl: Option<String>,
    /// US dollars that its bearer can spend a day
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub budget_usd: Option<String>,
    /// Calls to models that its bearer can make a day, including retries
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_calls: Option<String>,
}

impl TokenArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<TokenRequest>()
            .list("scope", &self.scope)
            .text("subject", self.subject.as_ref())
            .text("ttl", self.ttl.as_ref())
            .text("budget_usd", self.budget_usd.as_ref())
            .text("max_calls", self.max_calls.as_ref())
            .into_value()
    }
}
