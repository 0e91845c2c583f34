//! Which providers there are, and the layers each is wrapped in.
//!
//! Owns the list that users see and the stack around one provider: breaker over retry over what the
//! model takes over permit over the ledger over timeout over the checks of an answer over the transport. Nothing is
//! read, opened or run before a provider is asked for by name. `builtin` is always there.
//! Routes over several providers are put together by whoever knows the phases' bindings, from what [`Registry::get`] gives.

mod known;
mod settings;
#[cfg(test)]
mod tests;
mod wires;

use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;

use super::Provider;
use super::adapt::Adapt;
use super::breaker::{Breaker, BreakerPolicy};
use super::builtin::{Builtin, MODEL as BUILTIN_MODEL};
use super::checked::Checked;
use super::metered::{Metered, Terms, TermsOf};
use super::permit::Permit;
use super::retry::{Jitter, Retry, RetryPolicy};
use super::sim::Sim;
use super::timeout::Timeout;
use crate::assets::Assets;
use crate::domain::{ProviderInfo, ProviderKind};
use crate::error::Error;
use crate::time::{Clock, SystemClock};
use known::Known;
use settings::Obstacle;
pub use settings::ProviderSettings;

/// The name of the provider that needs no configuration.
pub const BUILTIN: &str = "builtin";

/// What speaks to the model itself, and what its calls may cost.
#[derive(Clone)]
struct Transport {
    provider: Arc<dyn Provider>,
    terms_of: TermsOf,
}

impl Transport {
    /// The terms are the same for every model.
    fn with_terms(provider: impl Provider + 'static, terms: Terms) -> Self {
        Self { provider: Arc::new(provider), terms_of: Arc::new(move |_| terms) }
    }
}

struct Entry {
    settings: ProviderSettings,
    transport: Option<Transport>,
    stack: OnceLock<Arc<Breaker>>,
}

impl Entry {
    /// What speaks to the model itself.
    fn transport(&self) -> Result<Transport, Error> {
        if let Some(transport) = &self.transport {
            return Ok(transport.clone());
        }
        let ProviderSettings { name, kind, model, script, .. } = &self.settings;
        match (kind, script) {
            (ProviderKind::Builtin, _) => Ok(Transport::with_terms(Builtin::new(name), Terms::EMBEDDED)),
            (ProviderKind::Sim, Some(script)) => {
                let mut sim = Sim::from_file(name, script)?;
                if let Some(model) = model {
                    sim = sim.with_model(model);
                }
                let terms = Terms { price: sim.price(), ..Terms::default() };
                Ok(Transport::with_terms(sim, terms))
            }
            _ => {
                let no_way = || Error::Internal(format!("there is no way to the provider `{name}`"));
                Err(self.settings.obstacle().map_or_else(no_way, |obstacle| obstacle.error(name)))
            }
        }
    }
}

/// Every provider by name, in the order of the configuration.
pub struct Registry {
    entries: IndexMap<String, Entry>,
    jitter: Arc<Jitter>,
    assets: Arc<Assets>,
    clock: Arc<dyn Clock>,
}

impl Registry {
    /// The providers of a configuration, in its order, and `builtin` after them unless it is among them. The later of
    /// two with one name wins. `seed` spreads the retries; any number will do.
    pub fn new(settings: impl IntoIterator<Item = ProviderSettings>, seed: u64) -> Self {
        let mut registry = Self {
            entries: IndexMap::new(),
            jitter: Arc::new(Jitter::new(seed)),
            assets: Arc::default(),
            clock: Arc::new(SystemClock),
        };
        for settings in settings {
            registry.enter(settings, None);
        }
        if !registry.entries.contains_key(BUILTIN) {
            registry.enter(ProviderSettings::new(BUILTIN, ProviderKind::Builtin), None);
        }
        registry
    }

    /// The same registry with one more provider, whose transport is already there: for embedders, and for tests that
    /// keep a clone of a scripted one. It gets the same layers as any other; its prices are unknown.
    #[must_use]
    pub fn with_transport(mut self, settings: ProviderSettings, transport: Arc<dyn Provider>) -> Self {
        let terms_of: TermsOf = Arc::new(|_| Terms::default());
        self.enter(settings, Some(Transport { provider: transport, terms_of }));
        self
    }

    /// The same registry with what these assets know of models, instead of what is built in alone, and with a clock
    /// that tells which of them are gone.
    #[must_use]
    pub fn informed_by(self, assets: Arc<Assets>, clock: Arc<dyn Clock>) -> Self {
        Self { assets, clock, ..self }
    }

    fn enter(&mut self, settings: ProviderSettings, transport: Option<Transport>) {
        let entry = Entry { settings, transport, stack: OnceLock::new() };
        self.entries.insert(entry.settings.name.clone(), entry);
    }

    /// Every name, in the order of the configuration, `builtin` last unless it is configured.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// The settings of `name`.
    pub fn settings(&self, name: &str) -> Option<&ProviderSettings> {
        self.entries.get(name).map(|entry| &entry.settings)
    }

    /// The provider `name` with its layers; built when first asked for, the same one ever after.
    ///
    /// # Errors
    /// `validation_failed` on `provider` for a name that is not there or cannot be used; `file` and `config_invalid`
    /// for what it is built from, the user's `models.yaml` included.
    pub fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Error> {
        let Some(entry) = self.entries.get(name) else {
            return Err(Error::value("provider", self.unknown(name)));
        };
        if let Some(stack) = entry.stack.get() {
            return Ok(Arc::clone(stack) as _);
        }
        let stack = self.stack(&entry.settings, entry.transport()?)?;
        Ok(Arc::clone(entry.stack.get_or_init(|| stack)) as _)
    }

    /// The layers around a transport, innermost first.
    fn stack(&self, settings: &ProviderSettings, transport: Transport) -> Result<Arc<Breaker>, Error> {
        let checked = Arc::new(Checked::new(transport.provider));
        let timed = Arc::new(Timeout::new(checked, settings.patience));
        let metered = Arc::new(Metered::new(timed, transport.terms_of));
        let limited = Arc::new(Permit::new(metered, settings.max_concurrency));
        let adapted: Arc<dyn Provider> = match settings.kind {
            // It takes everything, and whoever needs no other provider needs no catalogue.
            ProviderKind::Builtin => limited,
            kind => Arc::new(Adapt::new(limited, kind, self.assets.catalog()?, Arc::clone(&self.clock))),
        };
        let policy = RetryPolicy { max_retries: settings.max_retries, ..RetryPolicy::default() };
        let retried = Arc::new(Retry::new(adapted, policy, Arc::clone(&self.jitter)));
        Ok(Arc::new(Breaker::new(retried, BreakerPolicy::default())))
    }

    /// Why `name` is no provider, and which there are.
    fn unknown(&self, name: &str) -> String {
        if let Some(kind) = ProviderKind::parse(name) {
            let reason = ProviderSettings::new(name, kind).obstacle();
            return format!("`{name}` is not configured: {}", reason.map(Obstacle::reason).unwrap_or_default());
        }
        let known: Vec<&str> = self.names().collect();
        let nearest = known.iter().min_by_key(|known| strsim::damerau_levenshtein(name, known));
        let suggestion = match nearest {
            Some(nearest) if strsim::damerau_levenshtein(name, nearest) <= 2 => format!("; did you mean `{nearest}`?"),
            _ => String::new(),
        };
        format!("`{name}` is no provider, expected one of {}{suggestion}", known.join(", "))
    }

    /// Everything users are told: the providers of the registry, then the kinds that nobody configured.
    pub fn infos(&self) -> Vec<ProviderInfo> {
        let known = Known::of(&self.assets, &*self.clock);
        let configured = self.entries.values().map(|entry| {
            let obstacle =
                if entry.transport.is_some() { None } else { entry.settings.obstacle().map(Obstacle::reason) };
            let outage = || entry.stack.get().and_then(|stack| stack.outage());
            let obstacle = obstacle.or_else(|| outage().map(|outage| outage.message));
            let default_model = match entry.stack.get() {
                Some(stack) => Some(stack.default_model().to_owned()),
                None if entry.settings.kind == ProviderKind::Builtin => Some(BUILTIN_MODEL.to_owned()),
                None => entry.settings.model.clone(),
            };
            info(&entry.settings, &known, obstacle, default_model)
        });
        let others = ProviderKind::ALL.into_iter().filter(|kind| {
            let is_vendor = !matches!(kind, ProviderKind::Builtin | ProviderKind::Sim);
            is_vendor && !self.entries.contains_key(kind.as_str())
        });
        let others = others.map(|kind| {
            let settings = ProviderSettings::new(kind.as_str(), kind);
            info(&settings, &known, settings.obstacle().map(Obstacle::reason), None)
        });
        configured.chain(others).collect()
    }
}

fn info(
    settings: &ProviderSettings,
    known: &Known,
    obstacle: Option<String>,
    default_model: Option<String>,
) -> ProviderInfo {
    let obstacle = obstacle.or_else(|| known.obstacle(settings));
    let default_model = default_model.or_else(|| known.default_model(settings));
    ProviderInfo {
        name: settings.name.clone(),
        available: obstacle.is_none(),
        supports_embeddings: matches!(
            settings.kind,
            ProviderKind::OpenAi | ProviderKind::Google | ProviderKind::Ollama
        ),
        models: known.models(settings, default_model.as_deref()),
        kind: settings.kind,
        default_model,
        base_url: settings.base_url.clone(),
        reason: obstacle,
    }
}
