//! The built program in a home of its own, with its providers on a [`Stage`] that plays while the program runs. As a
//! server it runs in `rest_server`.

use std::process::Command;

use tokio::runtime::{Builder, Runtime};

use super::stage::{Actor, Stage, write_templates};
use crate::support::{Home, Said};

/// A home whose configuration leads to a stage.
pub(super) struct House {
    pub(super) home: Home,
    pub(super) stage: Stage,
    /// Keeps the stage going; outlives it.
    runtime: Runtime,
}

impl House {
    /// Opens with these actors; `more` is added to the configuration. The first actor is every phase's provider.
    pub(super) fn open(more: &str, actors: impl FnOnce(&str) -> Vec<Actor>) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let stage = runtime.block_on(Stage::open(actors));
        let home = Home::new();
        home.config(&format!("{}{more}", stage.configuration()));
        write_templates(&home.data());
        Self { home, stage, runtime }
    }

    /// Runs the program to its end.
    pub(super) fn run(&self, arguments: &[&str]) -> Said {
        self.home.run(arguments)
    }

    /// Waits for something on the stage.
    pub(super) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}

/// Sends a signal. There is no safe function for it, so the shell's own is used.
pub(super) fn signal(process: u32, name: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {process}")]).status();
    assert!(status.expect("a shell").success());
}
