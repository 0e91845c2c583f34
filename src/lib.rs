//! aludel: a rough idea becomes a tested prompt. The faces, and the composition root that puts them together.
//!
//! The core is a package of its own (`aludel-core`); its documentation has the map of the layers. Here are the faces,
//! siblings that do not know each other: `cli`, `server` and `tui`, each behind the feature of its name.
//! [`run`] is the only place that sees them all: it hands the command line its doors to the others, or, in
//! a program built without a command line, opens the one that `mode` names.

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "tui")]
pub mod tui;

mod doors;
#[cfg(any(feature = "cli", feature = "tui"))]
mod figures;
#[cfg(not(feature = "cli"))]
mod without_command_line;

use std::process::ExitCode;

use aludel_core::config::Environment;

/// Runs the program with this process's arguments and environment; answers its exit code.
pub fn run() -> ExitCode {
    let environment = Environment::from_process();
    #[cfg(feature = "cli")]
    return cli::run(std::env::args_os(), &environment, &doors::for_command_line());
    #[cfg(not(feature = "cli"))]
    without_command_line::run(&environment)
}
