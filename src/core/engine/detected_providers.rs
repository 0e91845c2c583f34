//! Detects usable providers that are not configured: a key in the environment, or a running Ollama.
//!
//! A detected provider is never bound to a phase, because that would spend money unasked; the first
//! run that finds one mentions it, once ([`crate::notices`]). Detection never fails or delays a
//! run: Ollama is asked alongside it, and only on this machine.

use std::path::PathBuf;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{Engine, wiring};
use crate::config::ProviderConfig;
use crate::domain::ProviderKind;
use crate::notices::{self, Notice};
use crate::provider::transport::probe::RunningOllama;

/// How long a finished run waits for Ollama's answer.
const LAST_WAIT: Duration = Duration::from_millis(50);

/// A provider that could be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetectedProvider {
    /// The name that a request uses for it.
    pub name: String,
    /// Why it can be used: `OPENAI_API_KEY is set`.
    pub reason: String,
}

/// A detection in progress. Dropping it has no effect on anything else.
#[derive(Debug)]
pub struct DetectedProviders {
    with_key: Vec<DetectedProvider>,
    ollama: Option<JoinHandle<Option<RunningOllama>>>,
    /// The unconfigured provider this run uses, which the user therefore knows already.
    in_use: Option<String>,
    file: PathBuf,
}

impl Engine {
    /// True when `notice` was explained to the user before.
    pub fn was_explained(&self, notice: Notice) -> bool {
        notices::was_explained(&self.paths().home.join(notices::FILE), notice)
    }

    /// Remembers that `notice` was explained. Without a data folder it will be explained again.
    pub fn explained(&self, notice: Notice) {
        notices::explained(&self.paths().home.join(notices::FILE), notice);
    }

    /// Starts looking for providers that are not configured, alongside a run that uses `provider`,
    /// which is left out. Needs a tokio runtime.
    pub fn look_for_providers(&self, provider: Option<&str>) -> DetectedProviders {
        let file = self.paths().home.join(notices::FILE);
        let in_use = provider.map(|named| wiring::Target::parse(named).provider);
        let is_configured = |kind| self.config().providers.values().any(|provider| provider.kind == kind);
        let strangers = ProviderKind::ALL.into_iter().filter(|kind| kind.is_networked() && !is_configured(*kind));
        let (mut with_key, mut asks_ollama, mut met) = (Vec::new(), false, None);
        for kind in strangers {
            let name = kind.as_str();
            let key = ProviderConfig::key_of_environment(name, kind, &self.inner.loaded.environment);
            match (kind, key) {
                _ if in_use == Some(name) => met = Some(name.to_owned()),
                (ProviderKind::Ollama, _) => asks_ollama = true,
                (_, Some((variable, _))) => {
                    with_key.push(DetectedProvider { name: name.to_owned(), reason: format!("{variable} is set") });
                }
                (_, None) => {}
            }
        }
        let is_new = |name: &str| !notices::not_mentioned(&file, [name.to_owned()]).is_empty();
        with_key.retain(|newcomer| is_new(&newcomer.name));
        let in_use = met.filter(|name| is_new(name));
        let ollama = (asks_ollama && is_new(ProviderKind::Ollama.as_str())).then(|| {
            let engine = self.clone();
            tokio::spawn(async move { engine.inner.registry.running_ollama().await })
        });
        DetectedProviders { with_key, ollama, in_use, file }
    }
}

impl DetectedProviders {
    /// Returns the new providers and marks them as mentioned. Returns none if that cannot be saved.
    pub async fn point_out(self) -> Vec<DetectedProvider> {
        let Self { with_key: mut found, ollama, in_use, file } = self;
        if let Some(asked) = ollama
            && let Ok(Ok(Some(running))) = timeout(LAST_WAIT, asked).await
        {
            let reason = format!("Ollama runs at {}", running.base_url);
            found.push(DetectedProvider { name: ProviderKind::Ollama.as_str().to_owned(), reason });
        }
        let mut names: Vec<String> = found.iter().map(|newcomer| newcomer.name.clone()).collect();
        names.extend(in_use);
        if names.is_empty() || !notices::remember(&file, &names) {
            return Vec::new();
        }
        found
    }
}
