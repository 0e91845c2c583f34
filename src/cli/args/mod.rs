//! The arguments: one file per command, and the global options.
//!
//! Values with a meaning in the core stay text here; each command puts them into a raw JSON object
//! ([`raw`]) that the core decodes. So this face refuses exactly what the others refuse, with the
//! same messages. The parser only knows which options exist.

mod batch;
mod caps;
mod compare;
mod config;
mod delete;
mod export;
mod filters;
mod formats;
mod generate;
mod global;
mod health;
mod history;
mod import;
mod jobs;
mod judge;
mod judging;
mod list;
mod mcp_config;
mod migrate;
mod offer;
mod providers;
mod raw;
mod reindex;
mod search;
mod select;
mod serve;
mod show;
mod simple;
mod spend;
mod stats;
mod token;
mod trash;
mod update;
mod validate;

use std::ffi::OsString;

use aludel_core::error::Result;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub(crate) use batch::BatchArgs;
pub(crate) use compare::CompareArgs;
pub(crate) use config::{ConfigArgs, ConfigCommand};
pub(crate) use delete::DeleteArgs;
pub(crate) use export::ExportArgs;
pub(crate) use formats::formats_of;
pub(crate) use generate::GenerateArgs;
pub(crate) use global::{Globals, format_in};
pub(crate) use health::HealthArgs;
pub(crate) use history::HistoryArgs;
pub(crate) use import::ImportArgs;
pub(crate) use jobs::{JobFollowArgs, JobResultArgs, JobResumeArgs, JobShowArgs, JobStopArgs, JobsArgs, JobsCommand};
pub(crate) use judge::{JudgeArgs, JudgeAuditArgs, JudgeCommand};
pub(crate) use list::ListArgs;
pub(crate) use mcp_config::McpConfigArgs;
pub(crate) use migrate::MigrateArgs;
pub(crate) use providers::{ProvidersArgs, TestProvidersArgs};
pub(crate) use reindex::ReindexArgs;
pub(crate) use search::{SearchArgs, SimilarArgs};
pub(crate) use select::{SelectArgs, WhyArgs};
pub(crate) use serve::ServeArgs;
pub(crate) use show::ShowArgs;
pub(crate) use simple::{
    CompletionsArgs, EditableCommand, HttpServerArgs, ManArgs, PersonasArgs, TemplatesArgs, TuiArgs, VersionArgs,
};
pub(crate) use spend::SpendArgs;
pub(crate) use stats::{MetricsArgs, StatsArgs};
pub(crate) use token::TokenArgs;
pub(crate) use trash::{TrashArgs, TrashCommand, TrashEmptyArgs, TrashListArgs, TrashRestoreArgs};
pub(crate) use update::UpdateArgs;
pub(crate) use validate::ValidateArgs;

use super::format::Format;

/// Turns a rough idea into a tested prompt for a language model.
#[derive(Debug, Parser)]
#[command(
    name = "aludel",
    version = super::version::LINE,
    help_template = HELP_TEMPLATE,
    max_term_width = 80
)]
pub(crate) struct Arguments {
    /// Options of every command.
    #[command(flatten)]
    pub globals: Globals,
    /// The command; none starts the workbench on a terminal.
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Arguments {
    /// Parses the command line; returns it with the name of the command.
    ///
    /// # Errors
    /// That of clap, `--help` included.
    pub(crate) fn read(typed: &[OsString]) -> std::result::Result<(Self, Option<String>), clap::Error> {
        let mut matches = Self::command().try_get_matches_from(typed)?;
        let name = matches.subcommand_name().map(str::to_owned);
        let arguments = Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut Self::command()))?;
        Ok((arguments, name))
    }
}

/// The commands, in the order of the help.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Turn a request into ranked prompts
    Generate(GenerateArgs),
    /// Generate prompts for many requests at once
    Batch(BatchArgs),
    /// Find stored prompts by words or by meaning
    Search(SearchArgs),
    /// Find stored prompts similar to one of them
    Similar(SimilarArgs),
    /// List stored prompts, newest first
    List(ListArgs),
    /// Show a prompt with every step
    Show(ShowArgs),
    /// List runs with their variants, newest first
    History(HistoryArgs),
    /// Let the judge choose the best of several prompts
    Select(SelectArgs),
    /// Compare prompts: what differs, which is best
    Compare(CompareArgs),
    /// Test judges, and list earlier test results
    Judge(JudgeArgs),
    /// Explain how a prompt was made and ranked
    Why(WhyArgs),
    /// Measure prompts: cost, latency, length, quality, rank
    Metrics(MetricsArgs),
    /// Show totals of stored prompts by day, phase, provider and model
    Stats(StatsArgs),
    /// Change a prompt's tags, notes or text
    Update(UpdateArgs),
    /// Delete prompts
    Delete(DeleteArgs),
    /// List, restore and remove deleted prompts
    Trash(TrashArgs),
    /// Export stored prompts to back up, move or read
    Export(ExportArgs),
    /// Import prompts from a file
    Import(ImportArgs),
    /// List, follow, stop and resume jobs
    Jobs(JobsArgs),
    /// Open the workbench
    #[command(hide = cfg!(not(feature = "tui")))]
    Tui(TuiArgs),
    /// Serve MCP over standard input and output, or over HTTP
    #[command(hide = cfg!(not(feature = "server")))]
    Serve(ServeArgs),
    /// Print or install the configuration of an MCP host
    #[command(hide = cfg!(not(feature = "server")))]
    McpConfig(McpConfigArgs),
    /// Serve REST over HTTP
    #[command(hide = cfg!(not(feature = "server")))]
    HttpServer(HttpServerArgs),
    /// Report whether a server is alive, ready and well
    Health(HealthArgs),
    /// Show and change the configuration
    Config(ConfigArgs),
    /// List, show and edit personas
    Personas(PersonasArgs),
    /// List, show and edit templates and themes
    Templates(TemplatesArgs),
    /// List providers, and why one cannot be used
    Providers(ProvidersArgs),
    /// Test each provider with a real call, and say what is wrong
    TestProviders(TestProvidersArgs),
    /// Show what was spent, and the budgets in force
    Spend(SpendArgs),
    /// Make a token for clients of the servers
    Token(TokenArgs),
    /// Check configuration, providers, templates and database
    Validate(ValidateArgs),
    /// Rebuild the search indexes
    Reindex(ReindexArgs),
    /// Migrate the database to the newest schema
    Migrate(MigrateArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man(ManArgs),
    /// Print the version
    Version(VersionArgs),
}

impl Command {
    /// The output format, given that of `--format`: the same, unless that is the format of a file.
    ///
    /// # Errors
    /// `validation_failed` for a format that the command does not have.
    pub(crate) fn answers_in(&self, format: Option<Format>) -> Result<Format> {
        match self {
            Self::Import(args) => args.answers_in(format),
            _ => Ok(format.unwrap_or(Format::Text)),
        }
    }
}

/// The help of the program, with its commands grouped by purpose. A test keeps the list complete.
const HELP_TEMPLATE: &str = "\
{about}

{usage-heading} {usage}

Prompts:
  generate        Turn a request into ranked prompts
  batch           Generate prompts for many requests at once
  search          Find stored prompts by words or by meaning
  similar         Find stored prompts similar to one of them
  list            List stored prompts, newest first
  show            Show a prompt with every step
  history         List runs with their variants, newest first
  select          Let the judge choose the best of several prompts
  compare         Compare prompts: what differs, which is best
  judge           Test judges, and list earlier test results
  why             Explain how a prompt was made and ranked
  metrics         Measure prompts: cost, latency, length, quality, rank
  stats           Show totals of stored prompts by day, phase, provider and model
  update          Change a prompt's tags, notes or text
  delete          Delete prompts
  trash           List, restore and remove deleted prompts
  export          Export stored prompts to back up, move or read
  import          Import prompts from a file
  jobs            List, follow, stop and resume jobs

Interfaces:
  tui             Open the workbench
  serve           Serve MCP over standard input and output, or over HTTP
  mcp-config      Print or install the configuration of an MCP host
  http-server     Serve REST over HTTP
  health          Report whether a server is alive, ready and well

Setup:
  config          Show and change the configuration
  providers       List providers, and why one cannot be used
  test-providers  Test each provider with a real call, and say what is wrong
  personas        List, show and edit personas
  templates       List, show and edit templates and themes
  spend           Show what was spent, and the budgets in force
  token           Make a token for clients of the servers
  validate        Check configuration, providers, templates and database
  reindex         Rebuild the search indexes
  migrate         Migrate the database to the newest schema
  completions     Print a completion script for a shell
  man             Print the manual page
  version         Print the version
  help            Print this message or the help of the given subcommand(s)

Global options:
{options}

Examples:
  aludel generate \"Write a python function that finds prime numbers\"
  aludel generate \"Announce our move to Lyon\" --persona writing --quiet
  aludel search --semantic \"say sorry to a customer\"
  aludel show @last

Without a command on a terminal, the workbench opens.
`aludel COMMAND --help` says more about each.
";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_tree_of_commands_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_help_lists_every_command_with_its_line() {
        let mut tree = Arguments::command();
        let help = tree.render_help().to_string();
        for command in tree.get_subcommands() {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let line = format!("  {:<15} {about}", command.get_name());
            assert!(help.lines().any(|shown| shown == line), "not in the help: {line}");
        }
    }
}
