//! The configured providers, and the stack of layers around each.
//!
//! Owns the provider list shown to users and the stack of one provider: breaker, retry, adapt,
//! permit, ledger, turn, timeout, checks, transport, outermost first. Nothing is read, opened or run
//! before a provider is requested by name. `builtin` always exists. Routes over several providers
//! are built by callers of [`Registry::get`], which know the bindings.

mod known;
#[cfg(test)]
mod network_tests;
mod obstacle;
#[cfg(test)]
mod tests;
mod wires;

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use tokio::sync::Semaphore;

use super::Provider;
use super::adapt::Adapt;
use super::breaker::{Breaker, BreakerPolicy};
use super::builtin::{Builtin, MODEL as BUILTIN_MODEL, Writer};
use super::catalog::Catalog;
use super::checked::Checked;
use super::embedding::Embedder;
use super::metered::{CostBounds, CostBoundsOf, Metered};
use super::permit::{LastCall, Permit, Permits, Turn, room};
use super::retry::{Jitter, Retry};
use super::settings::ProviderSettings;
use super::sim::Sim;
use super::timeout::Timeout;
use super::transport::probe::{self, OLLAMA_URL, RunningOllama};
use super::transport::server_health::server_health;
use super::transport::{CallPolicy, Clients, CostOf, HttpEmbedder, HttpTransport, Listing, ProviderClient};
use crate::assets::Assets;
use crate::domain::{HealthReport, ProviderInfo, ProviderKind};
use crate::embed;
use crate::error::{Error, ProviderError, ProviderFailure};
use crate::metrics::Metrics;
use crate::time::{Clock, SystemClock};
use known::ModelData;
use obstacle::Obstacle;

/// A transport and the cost bounds of its models.
#[derive(Clone)]
struct Transport {
    provider: Arc<dyn Provider>,
    cost_bounds_of: CostBoundsOf,
}

impl Transport {
    /// Gives every model the same bounds.
    fn with_terms(provider: impl Provider + 'static, terms: CostBounds) -> Self {
        Self { provider: Arc::new(provider), cost_bounds_of: Arc::new(move |_| terms) }
    }
}

struct ProviderEntry {
    settings: ProviderSettings,
    /// A ready-made transport.
    transport: Option<Transport>,
    /// Limits its calls in flight, chat and embedding alike.
    permits: Permits,
    /// The client that reaches it over the network.
    link: OnceLock<Arc<ProviderClient>>,
    stack: OnceLock<Arc<Breaker>>,
    /// Cost bounds of its models; set once the stack is built.
    cost_bounds_of: OnceLock<CostBoundsOf>,
}

/// Every provider by name, in the order of the configuration.
pub struct Registry {
    entries: IndexMap<String, ProviderEntry>,
    jitter: Arc<Jitter>,
    assets: Arc<Assets>,
    /// The embedded writer, with its parsed frames.
    writer: OnceLock<Writer>,
    clock: Arc<dyn Clock>,
    clients: Arc<Clients>,
    /// Limits the requests in flight to all providers together, to `most`.
    room: Arc<Semaphore>,
    most: usize,
    metrics: Metrics,
}

impl Registry {
    /// Registers the configured providers in order, then `builtin` and the networked kinds. The
    /// later of two with one name wins. `seed` spreads the retry delays; any number will do.
    pub fn new(settings: impl IntoIterator<Item = ProviderSettings>, seed: u64) -> Self {
        let mut registry = Self {
            entries: IndexMap::new(),
            jitter: Arc::new(Jitter::new(seed)),
            assets: Arc::default(),
            writer: OnceLock::new(),
            clock: Arc::new(SystemClock),
            clients: Arc::default(),
            room: room(NonZeroUsize::MAX),
            most: Semaphore::MAX_PERMITS,
            metrics: Metrics::default(),
        };
        for settings in settings {
            registry.enter(settings, None);
        }
        let networked = ProviderKind::ALL.into_iter().filter(|kind| kind.is_networked());
        for kind in std::iter::once(ProviderKind::Builtin).chain(networked) {
            if !registry.entries.contains_key(kind.as_str()) {
                registry.enter(ProviderSettings::new(kind.as_str(), kind), None);
            }
        }
        registry
    }

    /// Adds a provider with a ready-made transport, for embedders and for tests that keep a clone
    /// of a scripted one. It gets the same layers as any other; its prices are unknown.
    #[must_use]
    pub fn with_transport(mut self, settings: ProviderSettings, transport: Arc<dyn Provider>) -> Self {
        let cost_bounds_of: CostBoundsOf = Arc::new(|_| CostBounds::default());
        self.enter(settings, Some(Transport { provider: transport, cost_bounds_of }));
        self
    }

    /// Adds a provider. One with the same name is replaced at its position.
    #[must_use]
    pub fn with_settings(mut self, settings: ProviderSettings) -> Self {
        self.enter(settings, None);
        self
    }

    /// Sets the source of model data, and the clock that decides which models have been shut down.
    #[must_use]
    pub fn with_catalog(self, assets: Arc<Assets>, clock: Arc<dyn Clock>) -> Self {
        Self { assets, clock, writer: OnceLock::new(), ..self }
    }

    /// Limits the requests in flight to all providers together.
    #[must_use]
    pub fn limited_to(mut self, most: NonZeroUsize) -> Self {
        self.room = room(most);
        self.most = self.room.available_permits();
        for entry in self.entries.values_mut() {
            let ProviderSettings { name, max_concurrency, .. } = &entry.settings;
            entry.permits = Permits::new(name, *max_concurrency, Arc::clone(&self.room), &self.metrics);
        }
        self
    }

    fn enter(&mut self, settings: ProviderSettings, transport: Option<Transport>) {
        let permits = Permits::new(&settings.name, settings.max_concurrency, Arc::clone(&self.room), &self.metrics);
        let (link, stack, cost_bounds_of) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let entry = ProviderEntry { settings, transport, permits, link, stack, cost_bounds_of };
        self.entries.insert(entry.settings.name.clone(), entry);
    }

    /// The most requests in flight to all providers together.
    pub fn most_calls(&self) -> usize {
        self.most
    }

    /// How many are in flight.
    pub fn calls(&self) -> usize {
        self.most.saturating_sub(self.room.available_permits())
    }

    /// How the last call to the provider `name` ended, if there was one.
    pub fn last_call(&self, name: &str) -> Option<LastCall> {
        self.entries.get(name).and_then(|entry| entry.permits.last_call())
    }

    /// The counters of the calls to all providers, and of the process.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Every name: configured providers in order, `builtin`, and the networked kinds.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// The settings of `name`.
    pub fn settings(&self, name: &str) -> Option<&ProviderSettings> {
        self.entries.get(name).map(|entry| &entry.settings)
    }

    /// The provider `name` with its layers. Built on first use and shared afterwards.
    ///
    /// # Errors
    /// `validation_failed` on `provider` for an unknown or unusable name; `provider_auth` for a
    /// missing key; `file` and `config_invalid` for its files and the user's `models.yaml`.
    pub fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Error> {
        let entry = self.entry(name)?;
        if let Some(stack) = entry.stack.get() {
            return Ok(Arc::clone(stack) as _);
        }
        let transport = self.transport(entry)?;
        entry.cost_bounds_of.get_or_init(|| Arc::clone(&transport.cost_bounds_of));
        let stack = self.stack(entry, transport)?;
        Ok(Arc::clone(entry.stack.get_or_init(|| stack)) as _)
    }

    /// An embedder for `model` of the provider `name`, or for its configured or usual model. It
    /// shares the limits of the provider's chats.
    ///
    /// # Errors
    /// As [`Registry::get`]; `validation_failed` for a provider that does not embed, without a
    /// known model, or on `dimensions` the embedded model does not have.
    pub fn embedder(
        &self,
        name: &str,
        model: Option<&str>,
        dimensions: Option<NonZeroUsize>,
    ) -> Result<Arc<dyn Embedder>, Error> {
        let entry = self.entry(name)?;
        let settings = &entry.settings;
        if settings.kind == ProviderKind::Builtin {
            return embedded(name, model.or(settings.embedding_model.as_deref()), dimensions);
        }
        if !embeds(settings.kind) {
            let kinds = ProviderKind::ALL.into_iter().filter(|kind| embeds(*kind)).map(ProviderKind::as_str);
            let kinds = kinds.collect::<Vec<_>>().join(", ");
            return Err(Error::value("provider", format!("`{name}` makes no embeddings; use one of kind {kinds}")));
        }
        let link = self.link(entry)?;
        let catalog = self.assets.catalog()?;
        let usual = || ModelData::of(&self.assets, &*self.clock).default_embedding_model(settings);
        let model = model.map(str::to_owned).or_else(|| settings.embedding_model.clone()).or_else(usual);
        let Some(model) = model else {
            let field = format!("providers.{name}.embedding_model");
            return Err(Error::value(field, "no model is known that embeds; name one"));
        };
        let known = catalog.card(settings.kind, name, &model).and_then(|card| card.dimensions);
        // The model's own dimensions are not requested: some models reject the parameter.
        let wanted = dimensions.filter(|wanted| Some(wanted.get()) != known);
        let call_policy = CallPolicy {
            policy: settings.retry_policy(),
            jitter: Arc::clone(&self.jitter),
            permits: entry.permits.clone(),
            patience: settings.patience,
            cost_bounds_of: cost_bounds_of(settings, &catalog),
            cost_of: cost_of(settings, &catalog),
        };
        Ok(Arc::new(HttpEmbedder::new(link, model, wanted, known, call_policy)))
    }

    /// The models that the provider `name` lists. The call goes out when the list is awaited.
    ///
    /// # Errors
    /// As [`Registry::get`]. The list fails with `provider_rejected` if there is none.
    pub fn models(&self, name: &str) -> Result<Listing, Error> {
        let entry = self.entry(name)?;
        if wires::wire_of(&entry.settings).is_some() && entry.transport.is_none() {
            return Ok(self.link(entry)?.listing(entry.settings.patience));
        }
        let error = ProviderError::new(name, ProviderFailure::Rejected, "it lists no models").before_sending();
        Ok(Box::pin(async move { Err(error) }))
    }

    /// The Ollama server running on this machine, if any. Waits 300 ms at most.
    pub async fn running_ollama(&self) -> Option<RunningOllama> {
        let configured = self.settings(ProviderKind::Ollama.as_str()).and_then(|settings| settings.base_url.as_deref());
        probe::running_ollama(&self.clients, configured.unwrap_or(OLLAMA_URL)).await
    }

    /// How the aludel server at this address is.
    ///
    /// # Errors
    /// As [`server_health`].
    pub async fn server_health(&self, url: &str) -> Result<HealthReport, Error> {
        server_health(&self.clients, url).await
    }

    fn entry(&self, name: &str) -> Result<&ProviderEntry, Error> {
        self.entries.get(name).ok_or_else(|| Error::value("provider", self.unknown(name)))
    }

    /// The client of a provider over the network, created on first use.
    fn link(&self, entry: &ProviderEntry) -> Result<Arc<ProviderClient>, Error> {
        if let Some(link) = entry.link.get() {
            return Ok(Arc::clone(link));
        }
        let ProviderEntry { settings, .. } = entry;
        let name = &settings.name;
        if let Some(obstacle) = settings.obstacle() {
            return Err(obstacle.error(name));
        }
        let wire = wires::wire_of(settings)
            .ok_or_else(|| Error::value("provider", format!("`{name}` is reached over no network")))?;
        let link = ProviderClient::new(settings, wire, Arc::clone(&self.clients), Arc::clone(&self.clock))?;
        Ok(Arc::clone(entry.link.get_or_init(|| Arc::new(link))))
    }

    /// The embedded writer.
    pub fn writer(&self) -> &Writer {
        self.writer.get_or_init(|| Writer::new(Arc::clone(&self.assets)))
    }

    /// Creates the transport of a provider.
    fn transport(&self, entry: &ProviderEntry) -> Result<Transport, Error> {
        if let Some(transport) = &entry.transport {
            return Ok(transport.clone());
        }
        let settings = &entry.settings;
        let ProviderSettings { name, kind, model, script, .. } = settings;
        match (kind, script) {
            (ProviderKind::Builtin, _) => {
                Ok(Transport::with_terms(Builtin::new(name, self.writer().clone()), CostBounds::EMBEDDED))
            }
            (ProviderKind::Sim, Some(script)) => {
                let mut sim = Sim::from_file(name, script)?;
                if let Some(model) = model {
                    sim = sim.with_model(model);
                }
                let terms = CostBounds { price: sim.price(), ..CostBounds::default() };
                Ok(Transport::with_terms(sim, terms))
            }
            _ => {
                let link = self.link(entry)?;
                let catalog = self.assets.catalog()?;
                let usual = || ModelData::of(&self.assets, &*self.clock).default_model(settings);
                let model = model.clone().or_else(usual);
                let provider = HttpTransport::new(link, model, settings.patience, cost_of(settings, &catalog));
                Ok(Transport { provider: Arc::new(provider), cost_bounds_of: cost_bounds_of(settings, &catalog) })
            }
        }
    }

    /// The cost bounds of `model`, or of the default model, of the provider `name`; and that model.
    ///
    /// # Errors
    /// As [`Registry::get`].
    pub fn terms(&self, name: &str, model: Option<&str>) -> Result<(String, CostBounds), Error> {
        let provider = self.get(name)?;
        let model = model.unwrap_or_else(|| provider.default_model()).to_owned();
        let cost_bounds_of = self.entries.get(name).and_then(|entry| entry.cost_bounds_of.get());
        let terms = cost_bounds_of.map(|cost_bounds_of| cost_bounds_of(&model)).unwrap_or_default();
        Ok((model, terms))
    }

    /// Builds the layers around a transport, innermost first.
    fn stack(&self, entry: &ProviderEntry, transport: Transport) -> Result<Arc<Breaker>, Error> {
        let settings = &entry.settings;
        let checked = Arc::new(Checked::new(transport.provider));
        let timed = Arc::new(Timeout::new(checked, settings.patience));
        let in_turn = Arc::new(Turn::new(timed, entry.permits.clone()));
        let metered = Arc::new(Metered::new(in_turn, transport.cost_bounds_of));
        let limited = Arc::new(Permit::sharing(metered, entry.permits.clone()));
        let adapted: Arc<dyn Provider> = match settings.kind {
            // `builtin` accepts every parameter, so using it alone does not load the catalogue.
            ProviderKind::Builtin => limited,
            kind => Arc::new(Adapt::new(limited, kind, self.assets.catalog()?, Arc::clone(&self.clock))),
        };
        let retried = Arc::new(Retry::new(adapted, settings.retry_policy(), Arc::clone(&self.jitter)));
        Ok(Arc::new(Breaker::new(retried, BreakerPolicy::default())))
    }

    /// Explains why `name` is unknown or unusable, and lists the providers.
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

    /// What users see of every provider, in the order of [`Registry::names`].
    pub fn infos(&self) -> Vec<ProviderInfo> {
        let known = ModelData::of(&self.assets, &*self.clock);
        let info = |entry: &ProviderEntry| {
            let settings = &entry.settings;
            let obstacle = if entry.transport.is_some() { None } else { settings.obstacle().map(Obstacle::reason) };
            let outage = || entry.stack.get().and_then(|stack| stack.outage());
            let obstacle = obstacle.or_else(|| outage().map(|outage| outage.message));
            let default_model = match entry.stack.get() {
                Some(stack) => Some(stack.default_model().to_owned()).filter(|model| !model.is_empty()),
                None if settings.kind == ProviderKind::Builtin => Some(BUILTIN_MODEL.to_owned()),
                None => settings.model.clone(),
            };
            info(settings, &known, obstacle, default_model)
        };
        self.entries.values().map(info).collect()
    }
}

/// True for the kinds that embed.
const fn embeds(kind: ProviderKind) -> bool {
    matches!(kind, ProviderKind::Builtin | ProviderKind::OpenAi | ProviderKind::Google | ProviderKind::Ollama)
}

/// The embedded model, which has fixed dimensions.
fn embedded(name: &str, model: Option<&str>, dimensions: Option<NonZeroUsize>) -> Result<Arc<dyn Embedder>, Error> {
    if let Some(model) = model.filter(|model| *model != embed::MODEL) {
        let message = format!("`{name}` embeds with `{}` alone, not with `{model}`", embed::MODEL);
        return Err(Error::value("provider", message));
    }
    if let Some(wanted) = dimensions.filter(|wanted| wanted.get() != embed::DIMENSIONS) {
        let message = format!("`{name}` gives {} dimensions and no other, not {wanted}", embed::DIMENSIONS);
        return Err(Error::value("dimensions", message));
    }
    Ok(embed::embedder())
}

/// Cost bounds of a provider's calls, from the catalogue.
fn cost_bounds_of(settings: &ProviderSettings, catalog: &Arc<Catalog>) -> CostBoundsOf {
    let (name, kind, base_url) = (settings.name.clone(), settings.kind, settings.base_url.clone());
    let catalog = Arc::clone(catalog);
    Arc::new(move |model| {
        let terms = catalog.card(kind, &name, model).map(CostBounds::of_card).unwrap_or_default();
        CostBounds { price: catalog.price(kind, &name, base_url.as_deref(), model), ..terms }
    })
}

/// Actual cost of a provider's calls, from the catalogue.
fn cost_of(settings: &ProviderSettings, catalog: &Arc<Catalog>) -> CostOf {
    let (name, kind, base_url) = (settings.name.clone(), settings.kind, settings.base_url.clone());
    let catalog = Arc::clone(catalog);
    Arc::new(move |model, usage| Some(catalog.price(kind, &name, base_url.as_deref(), model)?.cost(usage)))
}

fn info(
    settings: &ProviderSettings,
    known: &ModelData,
    obstacle: Option<String>,
    default_model: Option<String>,
) -> ProviderInfo {
    let obstacle = obstacle.or_else(|| known.obstacle(settings));
    let default_model = default_model.or_else(|| known.default_model(settings));
    ProviderInfo {
        name: settings.name.clone(),
        available: obstacle.is_none(),
        supports_embeddings: embeds(settings.kind),
        models: known.models(settings, default_model.as_deref()),
        kind: settings.kind,
        default_model,
        base_url: settings.base_url.clone().or_else(|| Some(wires::wire_of(settings)?.default_base_url().to_owned())),
        reason: obstacle,
    }
}
