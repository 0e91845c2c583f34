//! Assembles the parts. The only module that sees both the configuration and the implementations.
//!
//! A provider's stack, outermost first: the cache (`kept`), the route (the binding, then its
//! fallbacks), then the layers that [`Registry`] assembles for each provider.

mod providers;

use std::path::PathBuf;
use std::sync::Arc;

use super::trash::oldest_restorable;
use crate::assets::{Assets, DEFAULT_PERSONA};
use crate::config::{Config, IdleKey, Loaded, Origin, Origins, Paths};
use crate::domain::Phase;
use crate::error::{ConfigError, ConfigFault, ConfigSource, Fault, Result};
use crate::provider::Provider;
use crate::provider::registry::Registry;
use crate::provider::route::{self, OnRefusal, Route};
use crate::rank::Weights;
use crate::store::Store;
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::migrate::Watch;
use crate::time::Clock;
pub(super) use providers::{key_source, registry};

/// A provider and, if named, a model: `name` or `name/model`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Target<'a> {
    pub(super) provider: &'a str,
    pub(super) model: Option<&'a str>,
}

impl<'a> Target<'a> {
    /// Parses `name` or `name/model`. The model can contain slashes.
    pub(super) fn parse(text: &'a str) -> Self {
        match text.split_once('/') {
            Some((provider, model)) => Self { provider, model: Some(model) },
            None => Self { provider: text, model: None },
        }
    }
}

/// The provider and model that the configuration binds a phase to.
pub(super) fn bound_target(config: &Config, phase: Phase) -> Target<'_> {
    Target { provider: config.provider_of(phase), model: config.phases.get(phase).model.as_deref() }
}

/// The persona for requests that name none.
pub(super) fn default_persona(config: &Config) -> &str {
    config.generation.default_persona.as_deref().unwrap_or(DEFAULT_PERSONA)
}

/// The warning that a configuration key has no effect.
pub(super) fn without_effect(idle: IdleKey, origin: &Origin) -> String {
    let place = match origin {
        // There is only one configuration file, so the line is enough.
        Origin::File { line, .. } => format!("line {line} of the configuration"),
        other => other.to_string(),
    };
    format!("`{}` is set ({place}) and has no effect in this version", idle.key)
}

/// Where a value comes from, for an error message: its source and its line.
pub(super) fn place(origin: Origin) -> (ConfigSource, Option<usize>) {
    match origin {
        Origin::File { path, line } => (ConfigSource::File(path), Some(line)),
        Origin::Environment { name } => (ConfigSource::Environment(name), None),
        Origin::Flag { name } => (ConfigSource::Flag(name), None),
        Origin::Default => (ConfigSource::Argument, None),
    }
}

/// The configured weights of the ranking.
pub(super) fn ranking_weights(config: &Config, origins: &Origins) -> Result<Weights> {
    let placed = |fault: Fault| {
        let (source, line) = place(origins.of(&fault.field));
        ConfigFault { source, key: fault.field, line, column: None, message: fault.message }
    };
    Weights::with(&config.ranking.weights)
        .map_err(|faults| ConfigError { faults: faults.into_iter().map(placed).collect() }.into())
}

/// The built-in assets, overridden by the user's own files.
pub(super) fn assets(paths: &Paths) -> Assets {
    Assets::below(&paths.home)
}

/// The configured database. Touches nothing yet. `watch` gets the progress of a migration; the
/// first write deletes what has expired in the trash by this clock.
pub(super) fn store(loaded: &Loaded, watch: Watch, clock: Arc<dyn Clock>) -> Arc<dyn Store> {
    let Paths { database, home, .. } = &loaded.paths;
    // Server clients may see paths in the user's own folder, and no others.
    let shown = if database.starts_with(home) {
        loaded.paths.shown(database)
    } else {
        database.file_name().map_or_else(|| database.clone(), PathBuf::from)
    };
    let days = loaded.config.storage.trash_days;
    let expiry = move || oldest_restorable(days, clock.now());
    Arc::new(SqliteStore::open(database).shown_as(shown).watched_by(watch).expiring(expiry))
}

/// A provider that tries a target, then its fallbacks.
pub(super) fn routed(
    registry: &Registry,
    target: &Target<'_>,
    fallbacks: &[String],
    on_refusal: OnRefusal,
) -> Result<Arc<dyn Provider>> {
    let first = registry.get(target.provider)?;
    if fallbacks.is_empty() {
        return Ok(first);
    }
    let with_model = |provider, model: Option<&str>| route::Target { provider, model: model.map(str::to_owned) };
    let mut behind = Vec::with_capacity(fallbacks.len());
    for fallback in fallbacks.iter().map(|fallback| Target::parse(fallback)) {
        behind.push(with_model(registry.get(fallback.provider)?, fallback.model));
    }
    Ok(Arc::new(Route::new(with_model(first, target.model), behind).on_refusal(on_refusal)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_may_name_a_model_that_holds_slashes() {
        assert_eq!(Target::parse("builtin"), Target { provider: "builtin", model: None });
        assert_eq!(
            Target::parse("router/openai/gpt-6-sol"),
            Target { provider: "router", model: Some("openai/gpt-6-sol") }
        );
    }
}
