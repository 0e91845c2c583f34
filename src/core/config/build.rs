//! Builds the typed [`Config`] from merged values over the table's defaults.
//!
//! Values were checked before, so filling the structs only fails where a struct and the table
//! disagree. That is a bug, not a user's error; the tests here keep the two in step.

use serde_json::{Map, Value};

use super::bindings::ProviderConfig;
use super::keys;
use super::merge::{Merged, SettingValue};
use super::settings::Config;
use super::table::TABLE;
use crate::domain::{Phase, ProviderKind};
use crate::error::Error;

/// Builds the typed configuration from merged values.
pub(super) fn config(merged: &Merged) -> Result<Config, Error> {
    let mut config: Config = serde_json::from_value(tree(merged)).map_err(|error| disagree(&error))?;
    config.first_of_file = merged.providers.iter().take(merged.in_file).next().cloned();
    config.in_file = merged.in_file;
    Ok(config)
}

/// A provider with all defaults.
pub(super) fn provider(kind: ProviderKind) -> ProviderConfig {
    let mut merged = Merged::default();
    merged.providers.push(kind.as_str().to_owned());
    let built = config(&merged).map(|mut config| config.providers.swap_remove(kind.as_str()));
    match built {
        Ok(Some(provider)) => provider,
        _ => unreachable!("the table of keys and the typed configuration disagree"),
    }
}

/// All defaults.
impl Default for Config {
    fn default() -> Self {
        match config(&Merged::default()) {
            Ok(config) => config,
            Err(error) => unreachable!("{error}"),
        }
    }
}

fn disagree(error: &serde_json::Error) -> Error {
    Error::Internal(format!("the table of keys and the typed configuration disagree: {error}"))
}

fn tree(merged: &Merged) -> Value {
    let mut root = Map::new();
    for row in TABLE {
        let value = row.default.to_value();
        let segments: Vec<&str> = row.pattern.split('.').collect();
        match segments[..] {
            // Maps with user-chosen names have no defaults, but the section exists.
            [.., "*"] if segments[0] != "providers" => {
                insert(&mut root, &segments[..segments.len() - 1], Map::new().into());
            }
            ["providers", "*", leaf] => {
                root.entry("providers").or_insert_with(|| Map::new().into());
                for name in &merged.providers {
                    insert(&mut root, &["providers", name, leaf], value.clone());
                }
            }
            ["phases", "<phase>", leaf] => {
                for phase in Phase::ALL {
                    insert(&mut root, &["phases", phase.as_str(), leaf], value.clone());
                }
            }
            ["providers", ..] => {}
            _ => insert(&mut root, &segments, value),
        }
    }
    for name in &merged.providers {
        if let Some(kind) = ProviderKind::parse(name) {
            insert(&mut root, &["providers", name, "kind"], kind.as_str().into());
        }
    }
    for (dotted, given) in &merged.values {
        if let SettingValue::Known(value) = given {
            insert(&mut root, &keys::segments(dotted), value.clone());
        }
    }
    Value::Object(root)
}

/// Puts `value` at `path`, creating sections on the way.
fn insert(root: &mut Map<String, Value>, path: &[&str], value: Value) {
    match path {
        [] => {}
        [leaf] => {
            root.insert((*leaf).to_owned(), value);
        }
        [section, rest @ ..] => {
            let below = root.entry((*section).to_owned()).or_insert_with(|| Map::new().into());
            if let Value::Object(below) = below {
                insert(below, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_typed_configuration_has_a_field_for_every_row_and_no_other() {
        let mut merged = Merged::default();
        merged.providers.push("openai".into());
        let tree = tree(&merged);
        let config: Config = serde_json::from_value(tree.clone()).unwrap();
        let mut again = serde_json::to_value(&config).unwrap();
        // An empty map of headers is a field without a default in the table.
        assert_eq!(again["providers"]["openai"]["headers"], Value::Object(Map::new()));
        again["providers"]["openai"].as_object_mut().unwrap().remove("headers");
        assert_eq!(again, tree);
    }

    #[test]
    fn defaults_are_those_of_the_contract() {
        let config = Config::default();
        assert!(config.providers.is_empty());
        assert_eq!(config.default_provider(), "builtin");
        assert!((config.generation.default_temperature - 0.7).abs() < f64::EPSILON);
        assert_eq!((config.generation.default_max_tokens, config.generation.default_count), (2000, 3));
        assert!(config.generation.use_parallel && config.judge.order_swaps);
        assert_eq!((config.server.host.as_str(), config.server.port), ("localhost", 8080));
        assert_eq!((config.server.max_connections, config.server.shutdown_grace_s), (100, 30));
        assert_eq!((config.server.rate_limiting.requests_per_minute, config.server.rate_limiting.burst), (60, 100));
        assert_eq!((config.cache.enabled, config.cache.ttl_s, config.cache.max_size), (false, 3600, 1000));
        assert_eq!(config.run.max_concurrency, 16);
        assert!(!config.learning.enabled && !config.server.auth.enabled && !config.server.cors.enabled);
        let provider = ProviderConfig::of_kind(ProviderKind::OpenAi);
        assert_eq!((provider.timeout_s, provider.max_retries, provider.max_concurrency), (120, 3, None));
    }
}
