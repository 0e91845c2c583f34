//! `providers`: lists the providers and which of them can be used now.
//!
//! Whether a key is set is known without a call. A local Ollama has to be asked whether it runs.
//! Model lists are requested only on demand ([`Engine::list_models`]).

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::timeout;

use super::{Engine, wiring};
use crate::config::address::is_on_this_machine;
use crate::domain::{Phase, ProviderInfo, ProviderKind};
use crate::error::{Error, ProviderError, ProviderFailure};
use crate::ledger::Price;
use crate::probe::KeySource;

/// The longest wait for a model list.
const LISTING: Duration = Duration::from_secs(15);

/// A listed provider and its setup. Names the source of the key, never the key.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderDetails {
    /// The list entry.
    pub info: ProviderInfo,
    /// True when it is in the configuration.
    pub is_configured: bool,
    /// Where its key comes from.
    pub key: KeySource,
    /// The phases bound to it.
    pub phases: Vec<Phase>,
    /// The phases that have it as a fallback.
    pub fallback_of: Vec<Phase>,
    /// The price of its default model, if known.
    pub price: Option<Price>,
}

impl Engine {
    /// [`Engine::providers`], each with its setup. Needs a tokio runtime.
    pub async fn provider_details(&self) -> Vec<ProviderDetails> {
        self.providers().await.into_iter().map(|info| self.details_of(info)).collect()
    }

    fn details_of(&self, info: ProviderInfo) -> ProviderDetails {
        let config = self.config();
        let configured = config.providers.get(&info.name);
        let falls_back = |phase: &Phase| config.phases.get(*phase).fallbacks().any(|(name, _)| name == info.name);
        let price = info.default_model.as_deref().and_then(|model| {
            // `validate` reports a catalogue that cannot be read.
            let catalog = self.inner.assets.catalog().ok()?;
            catalog.price(info.kind, &info.name, info.base_url.as_deref(), model)
        });
        ProviderDetails {
            is_configured: configured.is_some(),
            key: wiring::key_source(&self.inner.loaded, &info.name, info.kind),
            phases: Phase::ALL.into_iter().filter(|phase| config.provider_of(*phase) == info.name).collect(),
            fallback_of: Phase::ALL.into_iter().filter(falls_back).collect(),
            price: if info.kind == ProviderKind::Builtin { Some(Price::FREE) } else { price },
            info,
        }
    }

    /// The providers: the configured ones, then `builtin` and the kinds that can be used by name.
    /// Waits at most 300 ms for a local Ollama. Needs a tokio runtime.
    pub async fn providers(&self) -> Vec<ProviderInfo> {
        let mut infos = self.inner.registry.infos();
        let ollama = infos.iter_mut().find(|info| info.name == ProviderKind::Ollama.as_str());
        if let Some(info) = ollama.filter(|info| info.kind == ProviderKind::Ollama && info.available)
            && info.base_url.as_deref().is_some_and(is_on_this_machine)
            && self.inner.registry.running_ollama().await.is_none()
        {
            let place = info.base_url.as_deref().unwrap_or_default();
            let is_configured = self.config().providers.get(&info.name).is_some_and(|it| it.base_url.is_some());
            let said_by = match self.inner.loaded.environment.get("OLLAMA_HOST") {
                Some(_) if !is_configured => "OLLAMA_HOST",
                _ => "`providers.ollama.base_url`",
            };
            info.available = false;
            info.reason =
                Some(format!("no Ollama answers at {place}: start it with `ollama serve`, or correct {said_by}"));
        }
        infos
    }

    /// Replaces the known models of each usable provider by the ones that it lists; returns the
    /// errors. Asks all at once and waits at most 15 s. Needs a tokio runtime.
    pub async fn list_models(&self, providers: &mut [ProviderInfo]) -> Vec<Error> {
        let asked = providers.iter_mut().filter(|info| info.available && info.kind.is_networked());
        let listings = asked.map(|info| async move {
            let listed = self.models_of(&info.name).await;
            listed.map(|models| info.models = models).err()
        });
        join_all(listings).await.into_iter().flatten().collect()
    }

    async fn models_of(&self, name: &str) -> Result<Vec<String>, Error> {
        let listing = self.inner.registry.models(name)?;
        let late = || {
            let message = format!("no list of models came within {} s", LISTING.as_secs());
            ProviderError::new(name, ProviderFailure::Timeout, message)
        };
        timeout(LISTING, listing).await.unwrap_or_else(|_| Err(late())).map_err(Error::from)
    }
}
