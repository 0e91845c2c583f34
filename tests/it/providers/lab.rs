//! An engine in its own folder over a [`Stage`], and its runs with all their output.

use std::time::Duration;

use aludel_core::config::{self, Environment, Flags};
use aludel_core::domain::{GenerationResult, Prompt};
use aludel_core::engine::Engine;
use aludel_core::error::Problem;
use aludel_core::event::{Event, EventKind, laws};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::stage::{Actor, Stage, write_templates};

/// The matrix's key. It resembles no vendor's, so that it is only masked if it is known.
pub(super) const KEY: &str = "canary.7f3a91c2e5b84d06";

/// An engine and the stage its providers are on.
pub(super) struct Lab {
    pub(super) engine: Engine,
    pub(super) stage: Stage,
    pub(super) folder: TempDir,
}

/// A run that is over.
#[derive(Debug)]
pub(super) struct FinishedRun {
    pub(super) events: Vec<Event>,
    pub(super) took: Duration,
}

impl Lab {
    /// Opens with these actors; `more` is added to the configuration.
    pub(super) async fn open(more: &str, actors: impl FnOnce(&str) -> Vec<Actor>) -> Self {
        let stage = Stage::open(actors).await;
        let folder = tempfile::tempdir().expect("a folder");
        write_templates(folder.path());
        let configuration = format!("{}{more}", stage.configuration());
        std::fs::write(folder.path().join("config.yaml"), configuration).expect("a configuration");
        let flags = Flags { data_dir: Some(folder.path().to_owned()), ..Flags::default() };
        let loaded = config::load(&flags, &Environment::default()).expect("a valid configuration");
        let engine = Engine::open(loaded);
        // Indexing after a run is not tested here.
        engine.stop_indexing();
        Self { engine, stage, folder }
    }

    /// Runs to the end, with a fixed input. The laws of event streams are checked for every run.
    pub(super) async fn run(&self, mut request: Value) -> Result<FinishedRun, String> {
        request["input"] = json!("Distil something");
        let request = self.engine.decode(request).map_err(|error| format!("not decoded: {error}"))?;
        let began = tokio::time::Instant::now();
        let mut run = self.engine.generate(request).map_err(|error| format!("not started: {error}"))?;
        let mut events = Vec::new();
        while let Some(event) = run.next().await {
            events.push(event);
        }
        laws::check(&events)?;
        Ok(FinishedRun { events, took: began.elapsed() })
    }

    /// The stored form of a prompt.
    pub(super) async fn stored(&self, prompt: &Prompt) -> Result<Prompt, String> {
        let request = json!({"prompt_id": prompt.id.to_string()});
        let request = self.engine.decode(request).map_err(|error| error.to_string())?;
        self.engine.show(request).await.map_err(|error| error.to_string())
    }
}

impl FinishedRun {
    /// The result of a successful run.
    pub(super) fn result(&self) -> Result<&GenerationResult, String> {
        match self.events.last().map(|event| &event.kind) {
            Some(EventKind::Finished { outcome }) => {
                outcome.generation().ok_or_else(|| format!("no result of a generation: {outcome:?}"))
            }
            Some(EventKind::Failed { error }) => Err(format!("it failed: {}", error.detail)),
            other => Err(format!("it did not finish: {other:?}")),
        }
    }

    /// Why a run failed.
    pub(super) fn failure(&self) -> Result<&Problem, String> {
        match self.events.last().map(|event| &event.kind) {
            Some(EventKind::Failed { error }) => Ok(error),
            other => Err(format!("it did not fail: {other:?}")),
        }
    }

    /// The waits before each retry, in milliseconds, with the provider called next.
    pub(super) fn retries(&self) -> Vec<(String, u64)> {
        let retries = self.events.iter().filter_map(|event| match &event.kind {
            EventKind::Retrying { provider, delay_ms, .. } => Some((provider.clone(), *delay_ms)),
            _ => None,
        });
        retries.collect()
    }

    /// Everything it reported, as JSON and as Rust's debug output, without very long texts.
    pub(super) fn everything(&self) -> String {
        let is_long = |event: &Event| matches!(&event.kind, EventKind::Delta { text, .. } if text.len() > 4096);
        let events: Vec<&Event> = self.events.iter().filter(|event| !is_long(event)).collect();
        let json = serde_json::to_string(&events).expect("events are JSON");
        format!("{json}\n{events:?}")
    }
}
