//! `config show`, `get` and `export`: the effective configuration, secrets redacted.
//!
//! Everything here comes from the serialised [`Config`], whose secrets serialise as
//! [`REDACTED`](crate::config::REDACTED), so none can leak.

use serde_json::{Map, Value};

use super::change::escaped;
use crate::config::table::TABLE;
use crate::config::{Config, Loaded, Origin, keys};
use crate::domain::Phase;
use crate::error::{ConfigError, ConfigFault, ConfigSource, Error};

/// One line of `config show`.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Dotted key.
    pub key: String,
    /// Its value; null if unset without a default, `<redacted>` for secrets and command arguments.
    pub value: Value,
    /// Where the value came from.
    pub origin: Origin,
}

/// Every key with its value and origin, in the order of the table; providers, headers, weights and
/// keys as far as they are configured.
///
/// # Errors
/// `internal` on a bug.
pub fn show(loaded: &Loaded) -> Result<Vec<Setting>, Error> {
    let tree = tree(&loaded.config)?;
    let keys = concrete_keys(&loaded.config);
    let settings = keys.into_iter().map(|key| {
        let value = at(&tree, &keys::segments(&key)).cloned().unwrap_or_default();
        let origin = loaded.origins.of(&key);
        Setting { key, value, origin }
    });
    Ok(settings.collect())
}

/// The effective value of a key or of everything in a section; the empty key gives everything. Null
/// when unset without a default.
///
/// # Errors
/// `config_invalid` when there is no such key.
pub fn get(loaded: &Loaded, key: &str) -> Result<Value, Error> {
    let path = if key.is_empty() { Vec::new() } else { keys::segments(key) };
    let tree = tree(&loaded.config)?;
    match (at(&tree, &path), keys::named(&path)) {
        (Some(value), _) => Ok(value.clone()),
        (None, keys::KeyLookup::Nothing) => {
            Err(unknown(key, format!("is not a known key; {}", keys::suggestion(&path))))
        }
        (None, _) => match path[..] {
            ["providers", name, ..] if !loaded.config.providers.contains_key(name) => {
                Err(unknown(key, format!("there is no provider `{name}` in the configuration")))
            }
            _ => Ok(Value::Null),
        },
    }
}

/// The effective configuration as loadable YAML, without unset values and with secrets redacted.
///
/// # Errors
/// `internal` on a bug.
pub fn export(loaded: &Loaded) -> Result<String, Error> {
    let mut config = loaded.config.clone();
    // In a file, unbound phases use the first provider. Write the bindings where that differs.
    let first = config.providers.keys().next().map(String::as_str);
    if first.is_some_and(|first| first != config.default_provider()) {
        let bound = config.default_provider().to_owned();
        for phase in [&mut config.phases.prima_materia, &mut config.phases.solutio, &mut config.phases.coagulatio] {
            phase.provider.get_or_insert_with(|| bound.clone());
        }
    }
    let tree = escaped(without_nulls(tree(&config)?));
    serde_yaml::to_string(&tree).map_err(|error| Error::Internal(format!("cannot write the configuration: {error}")))
}

fn tree(config: &Config) -> Result<Value, Error> {
    serde_json::to_value(config).map_err(|error| Error::Internal(format!("cannot write the configuration: {error}")))
}

fn at<'a>(tree: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(tree, |below, segment| below.get(segment))
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(key, value)| (key, without_nulls(value))).collect::<Map<_, _>>())
        }
        other => other,
    }
}

/// The table's keys with this configuration's names filled in, grouped by provider.
fn concrete_keys(config: &Config) -> Vec<String> {
    let mut keys = Vec::new();
    let below = |section: &'static str| TABLE.iter().filter_map(move |row| row.pattern.strip_prefix(section));
    for (position, row) in TABLE.iter().enumerate() {
        let section = row.pattern.split('.').next().unwrap_or_default();
        let first_of_section = position == 0 || !TABLE[position - 1].pattern.starts_with(section);
        match section {
            "providers" if first_of_section => {
                for (name, provider) in &config.providers {
                    for leaf in below("providers.*.") {
                        match leaf.strip_suffix(".*") {
                            Some(map) => {
                                keys.extend(
                                    provider.headers.keys().map(|header| format!("providers.{name}.{map}.{header}")),
                                );
                            }
                            None => keys.push(format!("providers.{name}.{leaf}")),
                        }
                    }
                }
            }
            "phases" if first_of_section => {
                for phase in Phase::ALL {
                    keys.extend(below("phases.<phase>.").map(|leaf| format!("phases.{phase}.{leaf}")));
                }
            }
            "providers" | "phases" => {}
            _ => match row.pattern.strip_suffix(".*") {
                Some(map) => {
                    let names: Vec<&String> = match section {
                        "tui" => config.tui.keys.keys().collect(),
                        _ => config.ranking.weights.keys().collect(),
                    };
                    keys.extend(names.into_iter().map(|name| format!("{map}.{name}")));
                }
                None => keys.push(row.pattern.to_owned()),
            },
        }
    }
    keys
}

fn unknown(key: &str, message: String) -> Error {
    let key = crate::redact::mask(key).into_owned();
    ConfigError::one(ConfigFault { source: ConfigSource::Argument, key, line: None, column: None, message }).into()
}
