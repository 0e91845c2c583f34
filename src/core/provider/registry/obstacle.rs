//! Why a provider may not be usable.
//!
//! Decides which kinds need a key: a vendor's own service does, a user's own server that speaks the
//! same protocol does not. Whether a key is valid only a call can tell.

use super::wires;
use crate::config::ProviderConfig;
use crate::config::address::is_in_the_clear;
use crate::domain::ProviderKind;
use crate::error::{ConfigError, ConfigFault, ConfigSource, Error, ProviderError, ProviderFailure};
use crate::provider::settings::{KeySource, ProviderSettings};
use crate::provider::wire::Auth;

impl ProviderSettings {
    /// Why it cannot be used, and what to do; `None` if it can.
    pub(super) fn obstacle(&self) -> Option<Obstacle> {
        let Self { name, kind, .. } = self;
        match kind {
            ProviderKind::Sim if self.script.is_none() => {
                Some(Obstacle::NoScript(format!("it has no script; name a file in `providers.{name}.script`")))
            }
            _ if self.lacks_key() => {
                let variables = ProviderConfig::key_variables(name, *kind).join(" or ");
                Some(Obstacle::NoKey(format!("no key: set {variables}, or `providers.{name}.api_key`")))
            }
            _ if self.exposes_key() => Some(Obstacle::UnencryptedKey(format!(
                "its key would be sent unencrypted over http:// to another machine; write https:// in `providers.{name}.base_url`, or set `providers.{name}.allow_http: true` where the network is trusted"
            ))),
            _ => None,
        }
    }

    /// True if its key would be sent in clear text without permission.
    fn exposes_key(&self) -> bool {
        !self.allow_http
            && (self.key != KeySource::None || self.has_secret_header)
            && self.base_url.as_deref().is_some_and(is_in_the_clear)
    }

    /// True if the service needs a key and there is none. A header set by the user counts as one.
    fn lacks_key(&self) -> bool {
        let needs_one = match self.kind {
            ProviderKind::OpenAi => wires::is_openai_itself(self),
            ProviderKind::Anthropic | ProviderKind::Google | ProviderKind::OpenRouter => true,
            ProviderKind::Ollama | ProviderKind::Builtin | ProviderKind::Sim => false,
        };
        needs_one && self.key == KeySource::None && !self.has_own_auth()
    }

    fn has_own_auth(&self) -> bool {
        let header = match wires::wire_of(self).map(|wire| wire.auth()) {
            Some(Auth::Header(name)) => name,
            Some(Auth::Bearer) | None => "authorization",
        };
        self.headers.keys().any(|name| name.eq_ignore_ascii_case(header))
    }
}

/// Why a provider cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// A `sim` without a script.
    NoScript(String),
    /// The service needs a key.
    NoKey(String),
    /// Its key would be sent unencrypted.
    UnencryptedKey(String),
}

impl Obstacle {
    /// What is missing, and what to do.
    pub(super) fn reason(self) -> String {
        match self {
            Self::NoScript(reason) | Self::NoKey(reason) | Self::UnencryptedKey(reason) => reason,
        }
    }

    /// The error of using the provider `name` regardless.
    pub(super) fn error(self, name: &str) -> Error {
        match self {
            Self::NoScript(reason) => Error::value("provider", format!("`{name}` cannot be used: {reason}")),
            Self::UnencryptedKey(message) => {
                let key = format!("providers.{name}.base_url");
                let source = ConfigSource::Argument;
                ConfigError::one(ConfigFault { source, key, line: None, column: None, message }).into()
            }
            Self::NoKey(reason) => ProviderError::new(name, ProviderFailure::Auth, reason).before_sending().into(),
        }
    }
}
