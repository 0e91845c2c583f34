//! The program without a command line: starts the face that `mode` (`ALUDEL_MODE`) names.

use std::io::Write;
use std::process::ExitCode;

use aludel_core::config::{self, Environment, Flags, Mode};
use aludel_core::engine::Engine;
use aludel_core::error::Result;
#[cfg(not(all(feature = "server", feature = "tui")))]
use aludel_core::error::{Code, Error};
use aludel_core::text::shown::escape;
use aludel_core::trace::{self, LogSettings};

/// Starts the configured face, or prints why it cannot to standard error.
pub(crate) fn run(environment: &Environment) -> ExitCode {
    match open(environment) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If this fails, too, there is no place left to report it.
            let _ = writeln!(std::io::stderr(), "error: {}", escape(&error.to_string()));
            ExitCode::from(error.code().row().exit)
        }
    }
}

fn open(environment: &Environment) -> Result<()> {
    let loaded = config::load(&Flags::default(), environment)?;
    let log = LogSettings::of(&loaded);
    trace::init(if loaded.config.mode == Mode::Workbench { log.to_file_alone() } else { log });
    let engine = Engine::open(loaded);
    match engine.config().mode {
        #[cfg(feature = "server")]
        Mode::Server => crate::launchers::http_server(engine),
        #[cfg(feature = "tui")]
        Mode::Workbench => crate::launchers::workbench(engine, environment),
        #[cfg(not(all(feature = "server", feature = "tui")))]
        mode => Err(missing(mode)),
    }
}

/// Explains what is not built in, and what is.
#[cfg(not(all(feature = "server", feature = "tui")))]
fn missing(mode: Mode) -> Error {
    let detail = match (mode, cfg!(feature = "server"), cfg!(feature = "tui")) {
        (Mode::Workbench, true, _) => "this build has no workbench; set ALUDEL_MODE=server for its HTTP server",
        (Mode::Server, _, true) => "this build has no HTTP server; set ALUDEL_MODE=workbench for its workbench",
        _ => "this build has no interface: build it with one of the features cli, server and tui",
    };
    Error::Refused { code: Code::InvalidRequest, detail: detail.to_owned() }
}
