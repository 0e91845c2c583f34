//! The options of the small commands, with their help.

use clap::{Args, Subcommand};
use clap_complete::Shell;

use super::global::GlobalsLast;

const PERSONAS_EXAMPLES: &str = "\
Examples:
  aludel personas
  aludel personas show code
  aludel personas edit code

`edit` makes a copy in ~/.aludel/personas that overrides the built-in one, and
opens it in $VISUAL or $EDITOR. Removing the copy restores the built-in one.";

/// List, show and edit personas
#[derive(Debug, Args)]
#[command(after_help = PERSONAS_EXAMPLES, disable_help_subcommand = true, globals_last())]
pub(crate) struct PersonasArgs {
    /// What to do; lists by default.
    #[command(subcommand)]
    pub command: Option<EditableCommand>,
}

const TEMPLATES_EXAMPLES: &str = "\
Examples:
  aludel templates
  aludel templates show solutio
  aludel templates edit solutio
  aludel templates edit theme/dark

`edit` makes a copy in ~/.aludel that overrides the built-in one, and opens it
in $VISUAL or $EDITOR. Removing the copy restores the built-in one.

Each theme file of the workbench explains its format at the top. A file with a
new name is a new theme; `aludel config set tui.theme NAME` selects it.";

/// List, show and edit templates and themes
#[derive(Debug, Args)]
#[command(after_help = TEMPLATES_EXAMPLES, disable_help_subcommand = true, globals_last())]
pub(crate) struct TemplatesArgs {
    /// What to do; lists by default.
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
    /// The host to listen on, instead of `server.host` (localhost)
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// The port to listen on, instead of `server.port` (8080)
    #[arg(long, value_name = "PORT", allow_negative_numbers = true)]
    pub port: Option<String>,
    /// Allow listening beyond this machine without `server.auth`
    #[arg(long)]
    pub insecure_no_auth: bool,
}

const TUI_EXAMPLES: &str = "\
Examples:
  aludel tui
  aludel tui --plain

Plain mode prints lines and never redraws: for screen readers and for terminals
without cursor control. TERM=dumb and `tui.screen_reader` select it, too.";

/// Open the workbench
#[derive(Debug, Default, Args)]
#[command(after_help = TUI_EXAMPLES, globals_last())]
pub(crate) struct TuiArgs {
    /// Read and print plain lines instead of drawing a screen
    #[arg(long)]
    pub plain: bool,
}

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
