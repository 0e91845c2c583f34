//! The options of `aludel health`.

use clap::Args;

use super::global::GlobalsLast;

const EXAMPLES: &str = "\
Examples:
  aludel health
  aludel health --url http://localhost:8080
  aludel health --url http://localhost:8080 --quiet || echo down

Asks `/health/detailed`; a server that wants a token for it is asked whether it
is ready. Exits with 1 when the server is down or none answers, so that it can
be the health check of a container.";

/// Report whether a server is alive, ready and well
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, globals_last())]
pub(crate) struct HealthArgs {
    /// The server, by default that of `server.host` and `server.port`
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
}
