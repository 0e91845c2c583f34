//! `test-providers`: makes a real, cheap call to each provider, all at once.
//!
//! Decides which providers are tested; the test itself is in [`crate::probe`].

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::time::timeout;

use super::{Engine, wiring};
use crate::api::TestProvidersRequest;
use crate::domain::{Operation, ProviderInfo, ProviderTest, ProviderTests, SessionId};
use crate::error::Error;
use crate::event::Outcome;
use crate::event::run::Run;
use crate::ledger::{Account, Caps, Labels};
use crate::pipeline::Reporter;
use crate::probe::{self, Setup, Subject};
use crate::provider::catalog::ModelCard;
use crate::provider::transport::proxy::ProxyInUse;

/// The most tokens of a test's answer. The provider stack adds what a model needs for reasoning.
const MAX_TOKENS: u32 = 16;
/// The same for a model not in the catalogue, which may reason first.
const MAX_TOKENS_OF_UNKNOWN: u32 = 512;

impl Engine {
    /// Calls the providers of the request, or all configured or usable ones, and lists the others
    /// as left out. Each is a unit of the run; dropping it cancels them. Needs a tokio runtime.
    pub fn test_providers(&self, request: TestProvidersRequest) -> Run {
        let engine = self.clone();
        let session = self.inner.ids.session();
        self.start_task(session, Operation::TestProviders, None, move |report| async move {
            engine.providers_tested(request, session, &report).await.map(Outcome::TestProviders)
        })
    }

    async fn providers_tested(
        &self,
        request: TestProvidersRequest,
        session: SessionId,
        report: &Reporter,
    ) -> Result<ProviderTests, Error> {
        let limit = Duration::from_secs_f64(request.timeout_s);
        let labels = Labels { session: Some(session), command: "test-providers", ..Labels::default() };
        let account = self.account(Caps::default(), labels);
        let infos = self.providers().await;
        let mut tests: Vec<Option<ProviderTest>> = Vec::new();
        let mut calls = FuturesUnordered::new();
        let is_asked_for = request.providers.is_some();
        for (info, model) in chosen(&infos, request.providers.as_deref()) {
            let setup = self.setup(info, model);
            let place = tests.len();
            let is_configured = self.config().providers.contains_key(&info.name);
            report.unit_started(&info.name).await;
            let known = if !(is_asked_for || is_configured || info.available) {
                Some(probe::left_out(&setup, &reason(info, &setup)))
            } else if info.available {
                let test = self.test(setup, is_asked_for || is_configured, limit, account.clone());
                calls.push(async move { (place, test.await) });
                None
            } else {
                Some(probe::unusable(&setup, &reason(info, &setup)))
            };
            if let Some(test) = &known {
                report.unit_finished(&test.name, test).await?;
            }
            tests.push(known);
        }
        while let Some((place, test)) = calls.next().await {
            report.unit_finished(&test.name, &test).await?;
            tests[place] = Some(test);
        }
        let providers: Vec<ProviderTest> = tests.into_iter().flatten().collect();
        Ok(ProviderTests { ok: providers.iter().all(|test| test.ok || !test.tested), providers })
    }

    /// Tests a usable provider. Without a configured or default model, as with Ollama, it takes the
    /// first that the provider lists; if there is none, it is left out unless it `must` be tested.
    async fn test(&self, mut setup: Setup, must: bool, limit: Duration, account: Account) -> ProviderTest {
        let is_named = setup.model.is_some();
        let outcome = async {
            if !is_named {
                setup.model = self.first_model(&setup, limit).await?;
            }
            self.subject(setup.clone())
        };
        let mut test = match outcome.await {
            Ok(subject) if subject.setup.model.is_some() || must => probe::probe(subject, limit, account).await,
            Ok(subject) => probe::left_out(&subject.setup, &probe::no_model(&subject.setup)),
            Err(Error::Provider(error)) => probe::unusable(&setup, &error.message),
            Err(error) => probe::unusable(&setup, &error.to_string()),
        };
        if test.ok && !is_named {
            test.warnings.extend(probe::nameless(&setup));
        }
        test
    }

    /// The first listed model that is not known to be an embedding model.
    async fn first_model(&self, setup: &Setup, limit: Duration) -> Result<Option<String>, Error> {
        let catalog = self.inner.assets.catalog()?;
        let listing = timeout(limit, self.inner.registry.models(&setup.name)?).await;
        let embeds = |model: &String| catalog.card(setup.kind, &setup.name, model).is_some_and(ModelCard::embeds);
        // If listing fails, the call that follows reports it.
        let models = listing.ok().and_then(Result::ok).unwrap_or_default();
        Ok(models.into_iter().find(|model| !embeds(model)))
    }

    fn setup(&self, info: &ProviderInfo, model: Option<&str>) -> Setup {
        let configured = self.config().providers.get(&info.name);
        let environment = &self.inner.loaded.environment;
        Setup {
            name: info.name.clone(),
            kind: info.kind,
            base_url: info.base_url.clone(),
            has_own_url: configured.is_some_and(|provider| provider.base_url.is_some()),
            model: model.map(str::to_owned).or_else(|| info.default_model.clone()),
            model_was_asked_for: model.is_some(),
            has_embedding_model: configured.is_some_and(|provider| provider.embedding_model.is_some()),
            key: wiring::key_source(&self.inner.loaded, &info.name, info.kind),
            proxy: info.base_url.as_deref().and_then(|url| ProxyInUse::of(url, environment)),
        }
    }

    fn subject(&self, setup: Setup) -> Result<Subject, Error> {
        let provider = self.inner.registry.get(&setup.name)?;
        // Without a known embedding model there is no embedding to test.
        let embedder = self.inner.registry.embedder(&setup.name, None, None).ok();
        let listing = self.inner.registry.models(&setup.name)?;
        let catalog = self.inner.assets.catalog()?;
        let is_known = setup.model.as_ref().is_none_or(|model| catalog.card(setup.kind, &setup.name, model).is_some());
        let max_tokens = if is_known { MAX_TOKENS } else { MAX_TOKENS_OF_UNKNOWN };
        Ok(Subject { setup, provider, embedder, models: Box::new(|| listing), max_tokens })
    }
}

/// The providers to test, each with the requested model, in the order of `infos` or of the request.
fn chosen<'a>(infos: &'a [ProviderInfo], named: Option<&'a [String]>) -> Vec<(&'a ProviderInfo, Option<&'a str>)> {
    let Some(named) = named else { return infos.iter().map(|info| (info, None)).collect() };
    let find = |target: &'a String| {
        let target = wiring::Target::parse(target);
        infos.iter().find(|info| info.name == target.provider).map(|info| (info, target.model))
    };
    named.iter().filter_map(find).collect()
}

/// Why the provider cannot be called, and the fix.
fn reason(info: &ProviderInfo, setup: &Setup) -> String {
    info.reason.clone().unwrap_or_else(|| probe::set_up(setup))
}
