//! aludel turns a rough idea into a tested prompt. This crate has the faces and wires them up.
//!
//! The core is a package of its own (`aludel-core`); its documentation has the map of the layers.
//! The faces `cli`, `server` and `tui` do not know each other; each has a feature of its name. Only
//! [`run`] sees them all: it gives the command line launchers for the others or, in a program
//! without one, starts the face that `mode` names.

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "tui")]
pub mod tui;

#[cfg(any(feature = "cli", feature = "tui"))]
mod figures;
mod launchers;
#[cfg(not(feature = "cli"))]
mod without_command_line;

use std::process::ExitCode;

use aludel_core::config::Environment;

/// Runs the program with this process's arguments and environment; returns its exit code.
pub fn run() -> ExitCode {
    let environment = Environment::from_process();
    #[cfg(feature = "cli")]
    return cli::run(std::env::args_os(), &environment, &launchers::for_command_line());
    #[cfg(not(feature = "cli"))]
    without_command_line::run(&environment)
}
