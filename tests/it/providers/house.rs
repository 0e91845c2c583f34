//! The built program in its own home, with its providers on a [`Stage`] in this process.
//! `rest_server` runs it as a server.

use std::process::Command;

use tokio::runtime::{Builder, Runtime};

use super::stage::{Actor, Stage, write_templates};
use crate::support::{CommandOutput, Home};

/// A home configured for a stage.
pub(super) struct House {
    pub(super) home: Home,
    pub(super) stage: Stage,
    /// Drives the stage; dropped after it.
    runtime: Runtime,
}

impl House {
    /// Opens with these actors and `more` configuration. All phases use the first actor.
    pub(super) fn open(more: &str, actors: impl FnOnce(&str) -> Vec<Actor>) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let stage = runtime.block_on(Stage::open(actors));
        let home = Home::new();
        home.config(&format!("{}{more}", stage.configuration()));
        write_templates(&home.data());
        Self { home, stage, runtime }
    }

    /// Runs the program to its end.
    pub(super) fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.home.run(arguments)
    }

    /// Waits for a future of the stage.
    pub(super) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}

/// Sends a signal with the shell's `kill`, as there is no safe function for it.
pub(super) fn signal(process: u32, name: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {process}")]).status();
    assert!(status.expect("a shell").success());
}
