//! The command line, one of the four faces.
//!
//! Owns the arguments ([`args`]), what each command does with the engine ([`mod@run`]), the
//! presentation of results ([`view`]) and all output ([`printer`]). Owns no rule about prompts: the
//! core decodes requests. The launchers of the other faces are passed in.
//!
//! Dispatch comes before any setup: `version` and `--help` read nothing, and a runtime starts only
//! for commands that need one: for the network, timers or signals.

mod args;
mod exit;
mod failure;
mod flags;
mod format;
mod input;
mod interrupt;
mod live;
mod piped;
mod printer;
mod progress;
mod run;
mod shown;
mod version;
mod view;
mod wait;

use std::ffi::OsString;
use std::process::ExitCode;

use aludel_core::api::ServeRequest;
use aludel_core::config::{self, Environment, Flags, Loaded};
use aludel_core::engine::{Engine, SettingsCheck};
use aludel_core::error::{ConfigFault, ConfigSource, Error, Fault, Result};
use aludel_core::trace::{self, LogSettings};
use clap::CommandFactory;

use args::{Arguments, Command, Globals};
use exit::Exit;
use failure::CommandResult;
use format::Format;
use printer::Printer;
use view::Paint;

/// Starts another face with this engine and returns when it ends.
pub type Launcher = fn(Engine) -> Result<()>;

/// As [`Launcher`], for a server whose options were given.
pub type McpLauncher = fn(Engine, ServeRequest) -> Result<()>;

/// As [`Launcher`], for a face that draws on the terminal.
pub type ScreenLauncher = fn(Engine, Surroundings<'_>) -> Result<()>;

/// The environment of a face that draws.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// The environment variables of this process.
    pub environment: &'a Environment,
    /// True when `--no-color` was given.
    pub no_color: bool,
    /// True for plain lines instead of a screen.
    pub plain: bool,
}

/// The launchers of the other faces; `None` for one that was not built in.
#[derive(Debug, Clone, Copy, Default)]
pub struct Launchers {
    /// The workbench.
    pub workbench: Option<ScreenLauncher>,
    /// MCP over standard input and output.
    pub mcp_server: Option<McpLauncher>,
    /// MCP over HTTP, on `server.host` and `server.port`.
    pub mcp_http_server: Option<McpLauncher>,
    /// Checks what an MCP server is to offer, without starting one.
    pub mcp_check: Option<fn(ServeRequest) -> Result<()>>,
    /// REST over HTTP, on `server.host` and `server.port`.
    pub http_server: Option<Launcher>,
    /// Checks the workbench's settings.
    pub workbench_check: Option<SettingsCheck>,
}

/// A parsed command with what it needs to run.
struct Invocation<'a> {
    globals: Globals,
    environment: &'a Environment,
    launchers: &'a Launchers,
    printer: Printer,
    /// The requested format; `None` leaves the choice to the command.
    format: Option<Format>,
}

/// The fault as one of an argument; `None` if it comes from another source.
fn flag_fault(fault: &ConfigFault) -> Option<Fault> {
    match &fault.source {
        ConfigSource::Flag(name) => Some(Fault::new(name, &fault.message)),
        _ => None,
    }
}

impl Invocation<'_> {
    /// Reads the configuration. If all faults come from flags, reports bad arguments.
    fn load(&self, flags: &Flags) -> Result<Loaded> {
        config::load(flags, self.environment).map_err(|error| match &error {
            Error::Config(config) => config
                .faults
                .iter()
                .map(flag_fault)
                .collect::<Option<Vec<Fault>>>()
                .map_or(error, |faults| Error::Value(faults.into())),
            _ => error,
        })
    }

    /// Opens the engine, logging to its file and, from warnings on, to standard error.
    fn engine(&self) -> Result<Engine> {
        self.engine_with(&self.globals.flags())
    }

    /// As [`Invocation::engine`], with these flags.
    fn engine_with(&self, flags: &Flags) -> Result<Engine> {
        let loaded = self.load(flags)?;
        trace::init(LogSettings::of(&loaded).with_ansi(self.printer.talk_paint() == Paint::Colour));
        let engine = Engine::open(loaded);
        progress::watch_migrations(&engine, &self.printer);
        self.launchers.workbench_check.into_iter().for_each(|check| engine.check_workbench_by(check));
        Ok(engine)
    }

    /// The workbench's environment.
    fn surroundings(&self) -> Surroundings<'_> {
        Surroundings { environment: self.environment, no_color: self.globals.no_color, plain: false }
    }

    /// Opens the engine for the workbench: the log must not write to its terminal.
    fn silent_engine(&self) -> Result<Engine> {
        let loaded = self.load(&self.globals.flags())?;
        trace::init(LogSettings::of(&loaded).to_file_alone());
        Ok(Engine::open(loaded))
    }
}

/// Runs the command in `arguments`, which begin with the program's name; returns the exit code.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    environment: &Environment,
    launchers: &Launchers,
) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let no_color = arguments.iter().any(|argument| argument == "--no-color");
    let printer = Printer::new(args::format_in(&arguments), false, no_color, environment);
    let outcome = match Arguments::read(&arguments) {
        Ok((parsed, name)) => dispatch(parsed, name.as_deref(), environment, launchers),
        Err(error) => Err((printer, error.into())),
    };
    let exit = outcome.unwrap_or_else(|(printer, failure)| {
        printer.failure(&failure);
        failure.exit()
    });
    exit.into()
}

/// A failure comes with the printer that reports it.
type DispatchResult<T> = std::result::Result<T, (Printer, failure::Failure)>;

fn dispatch(
    parsed: Arguments,
    name: Option<&str>,
    environment: &Environment,
    launchers: &Launchers,
) -> DispatchResult<Exit> {
    let Arguments { globals, command } = parsed;
    let printer = Printer::new(Format::Text, globals.quiet, globals.no_color, environment);
    let format = match globals.format(args::formats_of(name)) {
        Ok(format) => format,
        Err(error) => return Err((printer, error.into())),
    };
    let printer = match command.as_ref().map_or(Ok(format.unwrap_or(Format::Text)), |it| it.answers_in(format)) {
        Ok(answers_in) => printer.with_format(answers_in),
        Err(error) => return Err((printer, error.into())),
    };
    let invocation = Invocation { globals, environment, launchers, printer, format };
    let outcome = perform(command, &invocation);
    outcome.map_err(|failure| {
        let is_for_people = !invocation.printer.format().is_json();
        let failure = if is_for_people { flags::with_flag_names(failure, name) } else { failure };
        (invocation.printer, failure)
    })
}

fn perform(command: Option<Command>, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    match command {
        None => run::no_command(invocation),
        Some(Command::Generate(args)) => run::generate(&args, invocation),
        Some(Command::Batch(args)) => run::batch(&args, invocation),
        Some(Command::Search(args)) => run::search(&args, invocation),
        Some(Command::Similar(args)) => run::similar(&args, invocation),
        Some(Command::List(args)) => run::list(&args, invocation),
        Some(Command::Show(args)) => run::show(&args, invocation),
        Some(Command::History(args)) => run::history(&args, invocation),
        Some(Command::Select(args)) => run::select(&args, invocation),
        Some(Command::Compare(args)) => run::compare(&args, invocation),
        Some(Command::Judge(args)) => run::judge(&args.command, invocation),
        Some(Command::Why(args)) => run::why(&args, invocation),
        Some(Command::Metrics(args)) => run::metrics(&args, invocation),
        Some(Command::Stats(args)) => run::stats(&args, invocation),
        Some(Command::Update(args)) => run::update(&args, invocation),
        Some(Command::Delete(args)) => run::delete(&args, invocation),
        Some(Command::Trash(args)) => run::trash(&args, invocation),
        Some(Command::Export(args)) => run::export(&args, invocation),
        Some(Command::Import(args)) => run::import(&args, invocation),
        Some(Command::Jobs(args)) => run::jobs(&args, invocation),
        Some(Command::Tui(args)) => run::workbench(&args, invocation),
        Some(Command::Serve(args)) => run::serve(&args, invocation),
        Some(Command::McpConfig(args)) => run::mcp_config(&args, invocation),
        Some(Command::HttpServer(args)) => run::http_server(&args, invocation),
        Some(Command::Health(args)) => run::health(&args, invocation),
        Some(Command::Config(args)) => run::config(&args, invocation),
        Some(Command::Personas(args)) => run::personas(&args, invocation),
        Some(Command::Templates(args)) => run::templates(&args, invocation),
        Some(Command::Providers(args)) => run::providers(&args, invocation),
        Some(Command::TestProviders(args)) => run::test_providers(&args, invocation),
        Some(Command::Spend(args)) => run::spend(&args, invocation),
        Some(Command::Token(args)) => run::token(&args, invocation),
        Some(Command::Validate(args)) => run::validate(&args, invocation),
        Some(Command::Reindex(args)) => run::reindex(&args, invocation),
        Some(Command::Migrate(args)) => run::migrate(&args, invocation),
        Some(Command::Completions(args)) => run::completions(&args, invocation),
        Some(Command::Man(_)) => run::man(invocation),
        Some(Command::Version(_)) => run::version(invocation),
    }
}

/// The command tree, for completions, the manual page and tests of other faces.
pub fn command_tree() -> clap::Command {
    Arguments::command()
}
