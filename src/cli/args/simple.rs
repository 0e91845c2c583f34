//! The options of the small commands, with their help.

use clap::{Args, Subcommand};
use clap_complete::Shell;

use super::global::GlobalsLast;

const PERSONAS_EXAMPLES: &str = "\
Examples:
  aludel personas
  aludel personas show code
  aludel personas edit code

`edit` makes a copy in ~/.aludel/personas that wins over the built-in one, and
opens it in $VISUAL or $EDITOR. Removing the copy brings the built-in one back.";

/// List, show and edit personas
#[derive(Debug, Args)]
#[command(after_help = PERSONAS_EXAMPLES, disable_help_subcommand = true, globals_last())]
pub(crate) struct PersonasArgs {
    /// What to do; lists when nothing is said.
    #[command(subcommand)]
    pub command: Option<EditableCommand>,
}

const TEMPLATES_EXAMPLES: &str = "\
Examples:
  aludel templates
  aludel templates show solutio
  aludel templates edit solutio
  aludel templates edit theme/dark

`edit` makes a copy in ~/.aludel that wins over the built-in one, and opens it
in $VISUAL or $EDITOR. Removing the copy brings the built-in one back.

A theme of the workbench has its format explained at its head; one of another
name is a theme of its own, which `aludel config set tui.theme NAME` takes.";

/// List, show and edit templates and themes
#[derive(Debug, Args)]
#[command(after_help = TEMPLATES_EXAMPLES, disable_help_subcommand = true, globals_last())]
pub(crate) struct TemplatesArgs {
    /// What to do; lists when nothing is said.
    #[command(subcommand)]
    pub command: Option<EditableCommand>,
}

const EDIT_EXAMPLES: &str = "\
Examples:
  aludel personas edit code
  aludel templates edit theme/dark";

/// What to do with files that can be copied and edited.
#[derive(Debug, Subcommand)]
pub(crate) enum EditableCommand {
    /// List them
    #[command(after_help = "Examples:\n  aludel personas list\n  aludel templates list --format json")]
    List,
    /// Print one as it is used
    #[command(after_help = "Examples:\n  aludel personas show code\n  aludel templates show solutio --quiet")]
    Show {
        /// Its name
        name: String,
    },
    /// Edit a copy of one
    #[command(after_help = EDIT_EXAMPLES)]
    Edit {
        /// Its name
        name: String,
    },
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  aludel completions bash > ~/.local/share/bash-completion/completions/aludel
  aludel completions zsh > ~/.zfunc/_aludel
  aludel completions fish > ~/.config/fish/completions/aludel.fish";

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES, globals_last())]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

const HTTP_SERVER_EXAMPLES: &str = "\
Examples:
  aludel http-server
  aludel http-server --host 127.0.0.1 --port 9000";

/// Serve REST over HTTP
#[derive(Debug, Default, Args)]
#[command(after_help = HTTP_SERVER_EXAMPLES, globals_last())]
pub(crate) struct HttpServerArgs {
    /// Where to listen, instead of `server.host` (localhost)
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// The port to listen on, instead of `server.port` (8080)
    #[arg(long, value_name = "PORT", allow_negative_numbers = true)]
    pub port: Option<String>,
    /// Listen beyond this machine although requests need no token
    #[arg(long)]
    pub insecure_no_auth: bool,
}

const TUI_EXAMPLES: &str = "\
Examples:
  aludel tui
  aludel tui --plain

In plain lines nothing is drawn over and nothing moves: for screen readers, for
terminals that cannot place text. TERM=dumb and `tui.screen_reader` ask for it.";

/// Open the workbench
#[derive(Debug, Default, Args)]
#[command(after_help = TUI_EXAMPLES, globals_last())]
pub(crate) struct TuiArgs {
    /// Read and print plain lines instead of drawing a screen
    #[arg(long)]
    pub plain: bool,
}

const SERVE_EXAMPLES: &str = "\
Examples:
  aludel serve

A host starts it: it speaks JSON-RPC on standard input and output, and ends with
its input.";

/// Serve MCP over standard input and output
#[derive(Debug, Default, Args)]
#[command(after_help = SERVE_EXAMPLES, globals_last())]
pub(crate) struct ServeArgs {}

const MAN_EXAMPLES: &str = "\
Examples:
  aludel man > ~/.local/share/man/man1/aludel.1";

/// Print the manual page
#[derive(Debug, Default, Args)]
#[command(after_help = MAN_EXAMPLES, globals_last())]
pub(crate) struct ManArgs {}

const VERSION_EXAMPLES: &str = "\
Examples:
  aludel version
  aludel version --format json";

/// Print the version
#[derive(Debug, Default, Args)]
#[command(after_help = VERSION_EXAMPLES, globals_last())]
pub(crate) struct VersionArgs {}
