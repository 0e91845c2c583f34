//! `test-providers`: a real, cheap call to each provider, all at once.
//!
//! Owns who is tested and who is left out; what a test asks and says is [`crate::probe`]'s.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use super::{Engine, wiring};
use crate::api::TestProvidersRequest;
use crate::domain::{ProviderInfo, ProviderTest, ProviderTests};
use crate::error::Error;
use crate::ledger::{Caps, Labels};
use crate::probe::{self, Setup, Subject};

/// Most tokens of the answer to a test.
const MAX_TOKENS: u32 = 16;

impl Engine {
    /// Calls each provider that the request names, or each that is configured or can be used; the others are listed
    /// as left out. `watch` is told of each as soon as it is known. Needs a tokio runtime; dropping the future cancels
    /// the calls.
    pub async fn test_providers(
        &self,
        request: TestProvidersRequest,
        mut watch: impl FnMut(&ProviderTest),
    ) -> ProviderTests {
        let limit = Duration::from_secs_f64(request.timeout_s);
        let account = self.account(Caps::default(), Labels { command: "test-providers", ..Labels::default() });
        let infos = self.providers();
        let mut tests: Vec<Option<ProviderTest>> = Vec::new();
        let mut calls = FuturesUnordered::new();
        for (info, model) in chosen(&infos, request.providers.as_deref()) {
            let setup = self.setup(info, model);
            let place = tests.len();
            let is_wanted = request.providers.is_some() || info.available || self.is_configured(&info.name);
            let known = if !is_wanted {
                Some(probe::left_out(&setup, &reason(info, &setup)))
            } else if info.available {
                match self.subject(setup.clone()) {
                    Ok(subject) => {
                        let call = probe::probe(subject, limit, account.clone());
                        calls.push(async move { (place, call.await) });
                        None
                    }
                    Err(error) => Some(probe::unusable(&setup, &error.to_string())),
                }
            } else {
                Some(probe::unusable(&setup, &reason(info, &setup)))
            };
            if let Some(test) = &known {
                watch(test);
            }
            tests.push(known);
        }
        while let Some((place, test)) = calls.next().await {
            watch(&test);
            tests[place] = Some(test);
        }
        let providers: Vec<ProviderTest> = tests.into_iter().flatten().collect();
        ProviderTests { ok: providers.iter().all(|test| test.ok || !test.tested), providers }
    }

    fn is_configured(&self, name: &str) -> bool {
        self.config().providers.contains_key(name)
    }

    fn setup(&self, info: &ProviderInfo, model: Option<&str>) -> Setup {
        let configured = self.config().providers.get(&info.name);
        Setup {
            name: info.name.clone(),
            kind: info.kind,
            base_url: info.base_url.clone(),
            has_own_url: configured.is_some_and(|provider| provider.base_url.is_some()),
            model: model.map(str::to_owned).or_else(|| info.default_model.clone()),
            model_was_asked_for: model.is_some(),
            key: wiring::key_source(&self.inner.loaded, &info.name, info.kind),
        }
    }

    fn subject(&self, setup: Setup) -> Result<Subject, Error> {
        let provider = self.inner.registry.get(&setup.name)?;
        // Where it embeds with no model that is known, there is nothing to test.
        let embedder = self.inner.registry.embedder(&setup.name, None, None).ok();
        let listing = self.inner.registry.models(&setup.name)?;
        Ok(Subject { setup, provider, embedder, models: Box::new(|| listing), max_tokens: MAX_TOKENS })
    }
}

/// The providers that are looked at, each with the model asked for, in the order of `infos` or of the request.
fn chosen<'a>(infos: &'a [ProviderInfo], named: Option<&'a [String]>) -> Vec<(&'a ProviderInfo, Option<&'a str>)> {
    let Some(named) = named else { return infos.iter().map(|info| (info, None)).collect() };
    let find = |target: &'a String| {
        let target = wiring::Target::parse(target);
        infos.iter().find(|info| info.name == target.provider).map(|info| (info, target.model))
    };
    named.iter().filter_map(find).collect()
}

/// Why it cannot be asked, and what to do.
fn reason(info: &ProviderInfo, setup: &Setup) -> String {
    info.reason.clone().unwrap_or_else(|| probe::set_up(setup))
}
