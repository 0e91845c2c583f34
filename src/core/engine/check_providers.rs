//! Checks the configured providers and the models of the phases for `validate`. Sends nothing.
//!
//! A provider is built as a run would build it, so this finds what would keep it from starting: a
//! missing key, an invalid address, an unreadable certificate. `test-providers` makes real calls.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::system::Check;
use super::{Engine, wiring};
use crate::config::ProviderConfig;
use crate::config::address::is_in_the_clear;
use crate::domain::{Phase, ProviderKind};
use crate::error::Error;
use crate::probe::KeySource;
use crate::provider::catalog::Catalog;
use crate::provider::route::OnRefusal;

/// How many days before a model is shut down the warnings begin.
const NOTICE_DAYS: i32 = 60;

impl Engine {
    /// Checks the configured providers and `builtin`, no others.
    pub(super) fn check_providers(&self) -> Vec<Check> {
        let mut checks = Vec::new();
        for info in self.inner.registry.infos() {
            let name = format!("provider {}", info.name);
            let Some(provider) = self.config().providers.get(&info.name) else {
                if info.kind == ProviderKind::Builtin {
                    checks.push(Check::ok(name, "inside this program"));
                }
                continue;
            };
            let built = self.inner.registry.get(&info.name);
            let in_words = || self.in_words(&info.name, provider, info.default_model.as_deref());
            match built {
                Ok(_) => checks.push(Check::ok(&name, in_words())),
                // The name of the check already has the provider.
                Err(Error::Provider(error)) => checks.push(Check::failed_with(&name, error.message)),
                Err(error) => checks.push(Check::failed(&name, &error)),
            }
            if info.default_model.is_none() && info.kind.is_networked() {
                checks.push(Check::warning(&name, nameless(&info.name)));
            }
            checks.extend(misplaced(&info.name, provider).map(|warning| Check::warning(&name, warning)));
        }
        checks
    }

    /// Checks that a phase's provider and fallbacks can be used.
    pub(super) fn check_phase(&self, phase: Phase) -> Check {
        let config = self.config();
        let name = format!("phase {phase}");
        let (target, fallbacks) = (wiring::bound_target(config, phase), &config.phases.get(phase).fallback);
        if let Err(error) = wiring::routed(&self.inner.registry, &target, fallbacks, OnRefusal::Report) {
            return Check::failed(name, &error);
        }
        let infos = self.inner.registry.infos();
        let default_model = |target: &wiring::Target<'_>| {
            let info = infos.iter().find(|info| info.name == target.provider)?;
            // A provider that is no network's brings its own.
            if info.kind.is_networked() { info.default_model.clone() } else { Some(String::new()) }
        };
        let all: Vec<_> = std::iter::once(target).chain(fallbacks.iter().map(|it| wiring::Target::parse(it))).collect();
        if let Some(target) = all.iter().find(|target| target.model.is_none() && default_model(target).is_none()) {
            return Check::failed_with(name, nameless(target.provider));
        }
        let shown: Vec<String> = all
            .iter()
            .map(|target| match target.model.map(str::to_owned).or_else(|| default_model(target)) {
                Some(model) if !model.is_empty() => format!("{}/{model}", target.provider),
                _ => target.provider.to_owned(),
            })
            .collect();
        Check::ok(name, format!("bound to {}", shown.join(", then ")))
    }

    /// Describes a provider in one line.
    fn in_words(&self, name: &str, provider: &ProviderConfig, model: Option<&str>) -> String {
        let mut parts = vec![format!("kind {}", provider.kind)];
        parts.extend(model.map(|model| format!("model {model}")));
        match wiring::key_source(&self.inner.loaded, name, provider.kind) {
            KeySource::NotNeeded => {}
            KeySource::Without { .. } | KeySource::Missing { .. } => parts.push("no key".to_owned()),
            KeySource::Configured => parts.push("a key in the configuration".to_owned()),
            KeySource::Command => parts.push("the key of a command, which was not run".to_owned()),
            KeySource::Variable(variable) => parts.push(format!("the key in {variable}")),
        }
        parts.join(", ")
    }

    /// Warns about models with known problems, and about catalogue rows without a provider.
    pub(super) fn check_models(&self) -> Vec<Check> {
        // The template checks report a catalogue that cannot be read.
        let Ok(catalog) = self.inner.assets.catalog() else { return Vec::new() };
        let today = self.inner.clock.now().to_zoned(TimeZone::UTC).date();
        let strangers =
            catalog.provider_names().filter(|name| !self.config().providers.contains_key(*name)).map(|name| {
                let detail = format!(
                    "your models.yaml has rows for `{name}`, which is not a provider here: they have no effect"
                );
                Check::warning(format!("models of {name}"), detail)
            });
        let asked = self.models_asked_for();
        let warnings = asked.iter().filter_map(|(kind, provider, model)| {
            let detail = remark(&catalog, *kind, provider, self.base_url(provider), model, today)?;
            Some(Check::warning(format!("model {provider}/{model}"), detail))
        });
        strangers.chain(warnings).collect()
    }

    /// The distinct models of the providers, the phases, their fallbacks and the judge.
    fn models_asked_for(&self) -> Vec<(ProviderKind, String, String)> {
        let config = self.config();
        let infos = self.inner.registry.infos();
        let mut asked: Vec<(ProviderKind, String, String)> = Vec::new();
        let mut ask = |target: &wiring::Target<'_>| {
            let Some(info) = infos.iter().find(|info| info.name == target.provider) else { return };
            let Some(model) = target.model.or(info.default_model.as_deref()) else { return };
            let row = (info.kind, info.name.clone(), model.to_owned());
            if info.kind.is_networked() && !asked.contains(&row) {
                asked.push(row);
            }
        };
        for (name, provider) in &config.providers {
            ask(&wiring::Target { provider: name, model: None });
            if let Some(model) = &provider.embedding_model {
                ask(&wiring::Target { provider: name, model: Some(model) });
            }
        }
        for phase in Phase::ALL {
            ask(&wiring::bound_target(config, phase));
            config.phases.get(phase).fallback.iter().for_each(|fallback| ask(&wiring::Target::parse(fallback)));
        }
        if let Some(provider) = &config.judge.provider {
            ask(&wiring::Target { provider, model: config.judge.model.as_deref() });
        }
        asked
    }

    fn base_url(&self, provider: &str) -> Option<&str> {
        self.config().providers.get(provider)?.base_url.as_deref()
    }
}

/// The warning about a model; `None` if there is nothing to say.
fn remark(
    catalog: &Catalog,
    kind: ProviderKind,
    provider: &str,
    base_url: Option<&str>,
    model: &str,
    today: Date,
) -> Option<String> {
    let card = catalog.card(kind, provider, model);
    if let Some(ends) = card.and_then(|card| card.ends) {
        let days = (ends - today).get_days();
        if days <= 0 {
            return Some(format!("its vendor shut it down on {ends}; name another model"));
        }
        if days <= NOTICE_DAYS {
            return Some(format!("its vendor shuts it down on {ends}, in {days} days; name another model soon"));
        }
    }
    if catalog.price(kind, provider, base_url, model).is_some() || kind == ProviderKind::OpenRouter {
        // OpenRouter reports the price in each response.
        return None;
    }
    let known = if card.is_some() { "its price is not known" } else { "neither it nor its price is known" };
    Some(format!(
        "{known}: a run with a cap in dollars needs --assume-price, or a row for it in models.yaml (`aludel templates edit models`)"
    ))
}

/// The message for a provider without a model.
fn nameless(provider: &str) -> String {
    format!("no model is set: set `providers.{provider}.model`, or write `{provider}/MODEL` where it is bound")
}

/// Warnings about a provider's base URL.
fn misplaced(name: &str, provider: &ProviderConfig) -> impl Iterator<Item = String> {
    let url = provider.base_url.as_deref().unwrap_or_default().trim_end_matches('/');
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let key = format!("providers.{name}.base_url");
    let has_version =
        path.split('/').any(|part| part.starts_with('v') && part[1..].starts_with(|c: char| c.is_ascii_digit()));
    let path_fault = match provider.kind {
        _ if url.is_empty() => None,
        ProviderKind::OpenAi | ProviderKind::OpenRouter | ProviderKind::Google if !has_version => Some(format!(
            "`{key}` has no version in its path; it is usually the root that ends in /v1, such as {url}/v1"
        )),
        ProviderKind::Anthropic if has_version => Some(format!(
            "`{key}` ends in a path; for this protocol it is the bare root, such as {scheme}://{authority}"
        )),
        ProviderKind::Ollama if !path.is_empty() => Some(format!(
            "`{key}` ends in a path; for this protocol it is the bare root, such as {scheme}://{authority} (with /v1 the kind is openai)"
        )),
        _ => None,
    };
    let has_key = provider.api_key.is_some() || provider.api_key_cmd.is_some() || provider.has_secret_header();
    let in_the_clear = (has_key && is_in_the_clear(url)).then(|| {
        format!("`{key}` is plain HTTP: the key and all texts are sent unencrypted; write https:// if the server supports it")
    });
    path_fault.into_iter().chain(in_the_clear)
}

#[cfg(test)]
mod tests;
