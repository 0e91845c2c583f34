//! An engine in its own folder with repeatable clock and ids, for faces tested in this process.

use std::path::Path;
use std::sync::Arc;

use aludel_core::config::{self, Environment, Flags};
use aludel_core::engine::Engine;
use aludel_core::ids::SeededIds;
use aludel_core::time::FixedClock;
use serde_json::Value;
use tempfile::TempDir;

/// An engine and its folder, which is removed on drop.
pub(crate) struct Seeded {
    /// The engine.
    pub(crate) engine: Engine,
    _folder: Option<TempDir>,
}

impl Seeded {
    /// An engine without a configuration file.
    pub(crate) fn new() -> Self {
        Self::with_config("")
    }

    /// An engine with this configuration file.
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
        let Self { engine, .. } = Self::at(folder.path());
        Self { engine, _folder: Some(folder) }
    }

    /// Wraps this engine. The caller keeps its folder.
    pub(crate) fn over(engine: Engine) -> Self {
        Self { engine, _folder: None }
    }

    /// An engine in a folder of the caller. Its prompts get no vectors; see [`Seeded::indexing`].
    pub(crate) fn at(folder: &Path) -> Self {
        let seeded = Self::indexing_at(folder);
        seeded.engine.stop_indexing();
        seeded
    }

    /// An engine without a configuration file that makes vectors in the background.
    pub(crate) fn indexing() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let Self { engine, .. } = Self::indexing_at(folder.path());
        Self { engine, _folder: Some(folder) }
    }

    fn indexing_at(folder: &Path) -> Self {
        let flags = Flags { data_dir: Some(folder.to_owned()), ..Flags::default() };
        let loaded = config::load(&flags, &Environment::default()).expect("a valid configuration");
        let clock = Arc::new(FixedClock::ticking_from(1_790_000_000_000));
        let engine = Engine::open_with(loaded, clock, Arc::new(SeededIds::new(7)));
        Self { engine, _folder: None }
    }

    /// An engine whose scripted provider echoes its input.
    pub(crate) fn with_echo() -> Self {
        Self::with_script("answer: echo", "")
    }

    /// An engine with a scripted provider `sim` for every phase and `more` configuration.
    pub(crate) fn with_script(script: &str, more: &str) -> Self {
        let config_text = format!("providers:\n  sim: {{script: script.yaml, max_retries: 0}}\n{more}");
        Self::with_files(&config_text, &[("script.yaml", script)])
    }
}

/// Removes what time and chance change between two runs of the same request.
pub(crate) fn without_chance(mut value: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                for name in
                    ["id", "session_id", "prompt_id", "created_at", "updated_at", "latency_ms", "first_token_ms"]
                {
                    map.remove(name);
                }
                map.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut value);
    value
}
