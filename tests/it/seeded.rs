//! An engine in a folder of its own, with a clock and identifiers that repeat, for the faces tested in this process.

use std::sync::Arc;

use aludel_core::config::{self, Environment, Flags};
use aludel_core::engine::Engine;
use aludel_core::ids::SeededIds;
use aludel_core::time::FixedClock;
use tempfile::TempDir;

/// An engine and the folder it lives in, which goes when this does.
pub(crate) struct Seeded {
    /// The engine.
    pub(crate) engine: Engine,
    _folder: TempDir,
}

impl Seeded {
    /// An engine without a configuration file.
    pub(crate) fn new() -> Self {
        Self::with_config("")
    }

    /// An engine whose configuration file holds this text.
    pub(crate) fn with_config(text: &str) -> Self {
        Self::with_files(text, &[])
    }

    /// As [`Seeded::with_config`], with further files in its folder.
    pub(crate) fn with_files(config_text: &str, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("config.yaml"), config_text).expect("a configuration");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let environment = Environment::default();
        let flags = Flags { data_dir: Some(folder.path().to_owned()), ..Flags::default() };
        let loaded = config::load(&flags, &environment).expect("a valid configuration");
        let clock = Arc::new(FixedClock::ticking_from(1_790_000_000_000));
        let engine = Engine::open_with(loaded, clock, Arc::new(SeededIds::new(7)));
        Self { engine, _folder: folder }
    }

    /// An engine whose prompts are the scripted provider's echo.
    pub(crate) fn with_echo() -> Self {
        Self::with_script("answer: echo", "")
    }

    /// An engine with a scripted provider `sim`, the default of every phase. `more` is added to the configuration.
    pub(crate) fn with_script(script: &str, more: &str) -> Self {
        let config_text = format!("providers:\n  sim: {{script: script.yaml, max_retries: 0}}\n{more}");
        Self::with_files(&config_text, &[("script.yaml", script)])
    }
}
