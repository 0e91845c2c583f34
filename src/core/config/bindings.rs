//! Providers and the phases bound to them, as typed values.
//!
//! Split from [`super::settings`] because it also knows where a key comes from if none is
//! configured, and what a fallback names. Whether a provider is usable is decided elsewhere.

use std::path::PathBuf;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::settings::sounds_secret;
use super::{CommandLine, Environment, Secret};
use crate::domain::{Phase, ProviderKind};
use crate::redact;

/// One provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderConfig {
    /// The protocol it speaks; defaults to its name.
    pub kind: ProviderKind,
    /// The key, if it is in the configuration; see [`ProviderConfig::key`].
    pub api_key: Option<Secret>,
    /// A command that prints the key.
    pub api_key_cmd: Option<CommandLine>,
    /// The root of the service; the vendor's own when unset.
    pub base_url: Option<String>,
    /// Whether a key may be sent unencrypted to another machine.
    pub allow_http: bool,
    /// The model used when none is named.
    pub model: Option<String>,
    /// The model for embeddings.
    pub embedding_model: Option<String>,
    /// A PEM file with an additional root certificate to trust.
    pub ca_file: Option<PathBuf>,
    /// Seconds of silence after which a call is given up, 1..=3600.
    pub timeout_s: u64,
    /// Retries of a call, 0..=20.
    pub max_retries: u32,
    /// Calls at the same time, 1..=1000.
    pub max_concurrency: Option<usize>,
    /// Headers sent with every call.
    #[serde(default)]
    pub headers: IndexMap<String, Secret>,
    /// The script of a provider of kind `sim`.
    pub script: Option<PathBuf>,
}

impl ProviderConfig {
    /// A provider of `kind` with all defaults. It stands in for a name that is not configured.
    pub fn of_kind(kind: ProviderKind) -> Self {
        super::build::provider(kind)
    }

    /// True when one of the user's headers has the name of a credential.
    pub fn has_secret_header(&self) -> bool {
        self.headers.keys().any(|name| sounds_secret(name))
    }

    /// The headers without secret-sounding names, as they are sent. For comparing requests only.
    pub fn plain_headers(&self) -> Vec<(String, String)> {
        let plain = self.headers.iter().filter(|(name, _)| !sounds_secret(name));
        plain.map(|(name, value)| (name.clone(), value.expose().to_owned())).collect()
    }

    /// The key: the configured one, else `<NAME>_API_KEY` of the environment, for google also
    /// `GEMINI_API_KEY`. A provider with `api_key_cmd` takes none from the environment. The key
    /// found is registered with [`redact`].
    pub fn key(&self, name: &str, environment: &Environment) -> Option<Secret> {
        if self.api_key.is_some() || self.api_key_cmd.is_some() {
            return self.api_key.clone();
        }
        Self::key_of_environment(name, self.kind, environment).map(|(_, key)| key)
    }

    /// The key that the environment holds for the provider `name`, and its variable. The key found
    /// is registered with [`redact`].
    pub fn key_of_environment(name: &str, kind: ProviderKind, environment: &Environment) -> Option<(String, Secret)> {
        let mut variables = Self::key_variables(name, kind).into_iter();
        let (variable, key) = variables
            .find_map(|variable| Some((environment.get(&variable)?.trim(), variable)))
            .map(|(key, variable)| (variable, key))?;
        redact::register(key);
        Some((variable, Secret::from(key)))
    }

    /// The environment variables that may hold the key of the provider `name`, in the order they are tried.
    pub fn key_variables(name: &str, kind: ProviderKind) -> Vec<String> {
        let mut names = vec![format!("{}_API_KEY", name.to_ascii_uppercase().replace(['-', '.'], "_"))];
        if kind == ProviderKind::Google {
            names.push("GEMINI_API_KEY".to_owned());
        }
        names.dedup();
        names
    }
}

/// The bindings of the three phases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PhasesConfig {
    /// The first phase.
    pub prima_materia: PhaseConfig,
    /// The second phase.
    pub solutio: PhaseConfig,
    /// The third phase.
    pub coagulatio: PhaseConfig,
}

impl PhasesConfig {
    /// The binding of one phase.
    pub const fn get(&self, phase: Phase) -> &PhaseConfig {
        match phase {
            Phase::PrimaMateria => &self.prima_materia,
            Phase::Solutio => &self.solutio,
            Phase::Coagulatio => &self.coagulatio,
        }
    }

    /// All bindings, in the natural order of the phases.
    pub fn iter(&self) -> impl Iterator<Item = (Phase, &PhaseConfig)> {
        Phase::ALL.into_iter().map(|phase| (phase, self.get(phase)))
    }
}

/// What a phase is bound to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseConfig {
    /// The provider's name.
    pub provider: Option<String>,
    /// The model; the provider's when unset.
    pub model: Option<String>,
    /// The temperature, 0..=2.
    pub temperature: Option<f64>,
    /// The most tokens, 1..=1,000,000.
    pub max_tokens: Option<u32>,
    /// Tried in order when the first fails, each `provider` or `provider/model`.
    pub fallback: Vec<String>,
    /// Whether fallbacks are also tried when a model declines to answer.
    pub fallback_on_refusal: bool,
}

impl PhaseConfig {
    /// The fallbacks as provider and model. A model's name can contain slashes.
    pub fn fallbacks(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.fallback.iter().map(|target| split_target(target))
    }
}

/// Splits `provider/model` at the first slash.
pub(super) fn split_target(target: &str) -> (&str, Option<&str>) {
    match target.split_once('/') {
        Some((provider, model)) => (provider, Some(model)),
        None => (target, None),
    }
}
