//! The options of `aludel config`.

use clap::{Args, Subcommand};

use super::global::GlobalsLast;

const EXAMPLES: &str = "\
Examples:
  aludel config init
  aludel config set providers.openai.api_key '${OPENAI_API_KEY}'
  aludel config set generation.default_count 5
  aludel config get generation.default_count
  aludel config show --origin
  aludel config validate";

/// Show and change the configuration
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, disable_help_subcommand = true, arg_required_else_help = true, globals_last())]
pub(crate) struct ConfigArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ConfigCommand,
}

/// What to do with the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every value in force, secrets hidden
    #[command(after_help = "Examples:\n  aludel config show --origin")]
    Show {
        /// Show where each value comes from
        #[arg(long)]
        origin: bool,
    },
    /// Print one value
    #[command(after_help = "Examples:\n  aludel config get generation.default_count")]
    Get {
        /// Dotted key, such as generation.default_count
        key: String,
    },
    /// Change one value in the file, keeping its comments and order
    #[command(after_help = "Examples:\n  aludel config set generation.default_count 5")]
    Set {
        /// Dotted key, such as generation.default_count
        key: String,
        /// The new value; a secret is best given as ${NAME}
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Check only the configuration file
    #[command(after_help = "Examples:\n  aludel config validate")]
    Validate,
    /// Print the configuration in force as a file, secrets hidden
    #[command(after_help = "Examples:\n  aludel config export > exported.yaml")]
    Export,
    /// Print the path of the file
    #[command(after_help = "Examples:\n  aludel config path")]
    Path,
    /// Write a commented file to start from
    #[command(after_help = "Examples:\n  aludel config init")]
    Init,
}
