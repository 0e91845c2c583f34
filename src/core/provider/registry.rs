//! Which providers there are, and the layers each is wrapped in.
//!
//! Owns the list that users see and the stack around one provider: breaker over retry over what the
//! model takes over permit over the ledger over timeout over the checks of an answer over the transport. Nothing is
//! read, opened or run before a provider is asked for by name. `builtin` is always there.
//! Routes over several providers are put together by whoever knows the phases' bindings, from what [`Registry::get`] gives.

mod known;
#[cfg(test)]
mod network_tests;
mod settings;
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
use super::metered::{CostBounds, Metered, TermsOf};
use super::permit::{Permit, Permits, room};
use super::retry::{Jitter, Retry};
use super::sim::Sim;
use super::timeout::Timeout;
use super::transport::probe::{self, OLLAMA_URL, RunningOllama};
use super::transport::{CallPolicy, Clients, CostOf, HttpEmbedder, HttpTransport, Listing, ProviderClient};
use crate::assets::Assets;
use crate::domain::{ProviderInfo, ProviderKind};
use crate::embed;
use crate::error::{Error, ProviderError, ProviderFailure};
use crate::time::{Clock, SystemClock};
use known::Known;
use settings::Obstacle;
pub use settings::ProviderSettings;
use wires::VENDORS;

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
    fn with_terms(provider: impl Provider + 'static, terms: CostBounds) -> Self {
        Self { provider: Arc::new(provider), terms_of: Arc::new(move |_| terms) }
    }
}

struct Entry {
    settings: ProviderSettings,
    /// One that is already there.
    transport: Option<Transport>,
    /// Calls under way, whatever they ask.
    permits: Permits,
    /// The way to it over the network.
    link: OnceLock<Arc<ProviderClient>>,
    stack: OnceLock<Arc<Breaker>>,
    /// What its calls may cost; there once the stack is.
    terms_of: OnceLock<TermsOf>,
}

/// Every provider by name, in the order of the configuration.
pub struct Registry {
    entries: IndexMap<String, Entry>,
    jitter: Arc<Jitter>,
    assets: Arc<Assets>,
    /// The embedded writer, with what it has made of its frames.
    writer: OnceLock<Writer>,
    clock: Arc<dyn Clock>,
    clients: Arc<Clients>,
    /// Requests under way at once, to all of them together.
    room: Arc<Semaphore>,
}

impl Registry {
    /// The providers of a configuration, in its order; after them `builtin`, and the kinds over a network, which can be
    /// used by name. The later of two with one name wins. `seed` spreads the retries; any number will do.
    pub fn new(settings: impl IntoIterator<Item = ProviderSettings>, seed: u64) -> Self {
        let mut registry = Self {
            entries: IndexMap::new(),
            jitter: Arc::new(Jitter::new(seed)),
            assets: Arc::default(),
            writer: OnceLock::new(),
            clock: Arc::new(SystemClock),
            clients: Arc::default(),
            room: room(NonZeroUsize::MAX),
        };
        for settings in settings {
            registry.enter(settings, None);
        }
        for kind in std::iter::once(ProviderKind::Builtin).chain(VENDORS) {
            if !registry.entries.contains_key(kind.as_str()) {
                registry.enter(ProviderSettings::new(kind.as_str(), kind), None);
            }
        }
        registry
    }

    /// The same registry with one more provider, whose transport is already there: for embedders, and for tests that
    /// keep a clone of a scripted one. It gets the same layers as any other; its prices are unknown.
    #[must_use]
    pub fn with_transport(mut self, settings: ProviderSettings, transport: Arc<dyn Provider>) -> Self {
        let terms_of: TermsOf = Arc::new(|_| CostBounds::default());
        self.enter(settings, Some(Transport { provider: transport, terms_of }));
        self
    }

    /// The same registry with one more provider; one of the same name gives way and leaves it its place.
    #[must_use]
    pub fn with_settings(mut self, settings: ProviderSettings) -> Self {
        self.enter(settings, None);
        self
    }

    /// The same registry with what these assets know of models, instead of what is built in alone, and with a clock
    /// that tells which of them are gone.
    #[must_use]
    pub fn with_catalog(self, assets: Arc<Assets>, clock: Arc<dyn Clock>) -> Self {
        Self { assets, clock, writer: OnceLock::new(), ..self }
    }

    /// The same registry, with so many requests under way at once to all its providers together.
    #[must_use]
    pub fn limited_to(mut self, most: NonZeroUsize) -> Self {
        self.room = room(most);
        for entry in self.entries.values_mut() {
            entry.permits = Permits::new(&entry.settings.name, entry.settings.max_concurrency, Arc::clone(&self.room));
        }
        self
    }

    fn enter(&mut self, settings: ProviderSettings, transport: Option<Transport>) {
        let permits = Permits::new(&settings.name, settings.max_concurrency, Arc::clone(&self.room));
        let (link, stack, terms_of) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let entry = Entry { settings, transport, permits, link, stack, terms_of };
        self.entries.insert(entry.settings.name.clone(), entry);
    }

    /// Every name: those of the configuration in its order, `builtin`, and the kinds over a network. Whether each can be
    /// used is another matter.
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
    /// `validation_failed` on `provider` for a name that is not there or cannot be used; `provider_auth` for one that
    /// lacks its key; `file` and `config_invalid` for what it is built from, the user's `models.yaml` included.
    pub fn get(&self, name: &str) -> Result<Arc<dyn Provider>, Error> {
        let entry = self.entry(name)?;
        if let Some(stack) = entry.stack.get() {
            return Ok(Arc::clone(stack) as _);
        }
        let transport = self.transport(entry)?;
        entry.terms_of.get_or_init(|| Arc::clone(&transport.terms_of));
        let stack = self.stack(entry, transport)?;
        Ok(Arc::clone(entry.stack.get_or_init(|| stack)) as _)
    }

    /// What embeds with `model` of the provider `name`, or with its configured or usual one. It keeps to the limits
    /// of the provider's chats.
    ///
    /// # Errors
    /// As [`Registry::get`]; `validation_failed` for a provider that does not embed, where no model is known, or on
    /// `dimensions` that the embedded model has not.
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
        let usual = || Known::of(&self.assets, &*self.clock).default_embedding_model(settings);
        let model = model.map(str::to_owned).or_else(|| settings.embedding_model.clone()).or_else(usual);
        let Some(model) = model else {
            let field = format!("providers.{name}.embedding_model");
            return Err(Error::value(field, "no model is known that embeds; name one"));
        };
        let known = catalog.card(settings.kind, name, &model).and_then(|card| card.dimensions);
        // A model is not asked for what it does anyway: some take no such wish.
        let wanted = dimensions.filter(|wanted| Some(wanted.get()) != known);
        let manners = CallPolicy {
            policy: settings.retry_policy(),
            jitter: Arc::clone(&self.jitter),
            permits: entry.permits.clone(),
            patience: settings.patience,
            terms_of: terms_of(settings, &catalog),
            cost_of: cost_of(settings, &catalog),
        };
        Ok(Arc::new(HttpEmbedder::new(link, model, wanted, known, manners)))
    }

    /// The models that the provider `name` has, as it lists them itself. The call goes out when the list is awaited.
    ///
    /// # Errors
    /// As [`Registry::get`]. The list fails with `provider_rejected` where there is none to ask for.
    pub fn models(&self, name: &str) -> Result<Listing, Error> {
        let entry = self.entry(name)?;
        if wires::wire_of(&entry.settings).is_some() && entry.transport.is_none() {
            return Ok(self.link(entry)?.listing(entry.settings.patience));
        }
        let error = ProviderError::new(name, ProviderFailure::Rejected, "it lists no models").before_sending();
        Ok(Box::pin(async move { Err(error) }))
    }

    /// The Ollama that runs on this machine; `None` where there is none. Waits 300 ms at most.
    pub async fn running_ollama(&self) -> Option<RunningOllama> {
        let configured = self.settings(ProviderKind::Ollama.as_str()).and_then(|settings| settings.base_url.as_deref());
        probe::running_ollama(&self.clients, configured.unwrap_or(OLLAMA_URL)).await
    }

    fn entry(&self, name: &str) -> Result<&Entry, Error> {
        self.entries.get(name).ok_or_else(|| Error::value("provider", self.unknown(name)))
    }

    /// The way to a provider over the network; made when first asked for.
    fn link(&self, entry: &Entry) -> Result<Arc<ProviderClient>, Error> {
        if let Some(link) = entry.link.get() {
            return Ok(Arc::clone(link));
        }
        let Entry { settings, .. } = entry;
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

    /// What speaks to the model itself.
    fn transport(&self, entry: &Entry) -> Result<Transport, Error> {
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
                let usual = || Known::of(&self.assets, &*self.clock).default_model(settings);
                let model = model.clone().or_else(usual);
                let provider = HttpTransport::new(link, model, settings.patience, cost_of(settings, &catalog));
                Ok(Transport { provider: Arc::new(provider), terms_of: terms_of(settings, &catalog) })
            }
        }
    }

    /// What a call to `model` of the provider `name`, or to its default model, may cost; and that model.
    ///
    /// # Errors
    /// As [`Registry::get`].
    pub fn terms(&self, name: &str, model: Option<&str>) -> Result<(String, CostBounds), Error> {
        let provider = self.get(name)?;
        let model = model.unwrap_or_else(|| provider.default_model()).to_owned();
        let terms_of = self.entries.get(name).and_then(|entry| entry.terms_of.get());
        let terms = terms_of.map(|terms_of| terms_of(&model)).unwrap_or_default();
        Ok((model, terms))
    }

    /// The layers around a transport, innermost first.
    fn stack(&self, entry: &Entry, transport: Transport) -> Result<Arc<Breaker>, Error> {
        let settings = &entry.settings;
        let checked = Arc::new(Checked::new(transport.provider));
        let timed = Arc::new(Timeout::new(checked, settings.patience));
        let metered = Arc::new(Metered::new(timed, transport.terms_of));
        let limited = Arc::new(Permit::sharing(metered, entry.permits.clone()));
        let adapted: Arc<dyn Provider> = match settings.kind {
            // It takes everything, and whoever needs no other provider needs no catalogue.
            ProviderKind::Builtin => limited,
            kind => Arc::new(Adapt::new(limited, kind, self.assets.catalog()?, Arc::clone(&self.clock))),
        };
        let retried = Arc::new(Retry::new(adapted, settings.retry_policy(), Arc::clone(&self.jitter)));
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

    /// Everything users are told, in the order of [`Registry::names`].
    pub fn infos(&self) -> Vec<ProviderInfo> {
        let known = Known::of(&self.assets, &*self.clock);
        let info = |entry: &Entry| {
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

/// The kinds that embed.
const fn embeds(kind: ProviderKind) -> bool {
    matches!(kind, ProviderKind::Builtin | ProviderKind::OpenAi | ProviderKind::Google | ProviderKind::Ollama)
}

/// The model inside the program, which is one and has its own dimensions.
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

/// What calls to a provider may cost, as the catalogue says.
fn terms_of(settings: &ProviderSettings, catalog: &Arc<Catalog>) -> TermsOf {
    let (name, kind, base_url) = (settings.name.clone(), settings.kind, settings.base_url.clone());
    let catalog = Arc::clone(catalog);
    Arc::new(move |model| {
        let terms = catalog.card(kind, &name, model).map(CostBounds::of_card).unwrap_or_default();
        CostBounds { price: catalog.price(kind, &name, base_url.as_deref(), model), ..terms }
    })
}

/// What a call to a provider did cost, as the catalogue says.
fn cost_of(settings: &ProviderSettings, catalog: &Arc<Catalog>) -> CostOf {
    let (name, kind, base_url) = (settings.name.clone(), settings.kind, settings.base_url.clone());
    let catalog = Arc::clone(catalog);
    Arc::new(move |model, usage| Some(catalog.price(kind, &name, base_url.as_deref(), model)?.cost(usage)))
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
        supports_embeddings: embeds(settings.kind),
        models: known.models(settings, default_model.as_deref()),
        kind: settings.kind,
        default_model,
        base_url: settings.base_url.clone().or_else(|| Some(wires::wire_of(settings)?.default_base_url().to_owned())),
        reason: obstacle,
    }
}
