//! One provider as configured: what every kind of provider is made from.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use indexmap::IndexMap;

use super::retry::RetryPolicy;
use super::timeout::Timeouts;
use crate::config::Secret;
use crate::domain::ProviderKind;

/// Where a key comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum KeySource {
    /// No key; none is sent.
    #[default]
    None,
    /// A configured key.
    Given(Secret),
    /// The first non-blank line printed by a shell command.
    Command(KeyCommand),
}

/// A command that prints a key.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyCommand {
    /// The shell command. It can contain a credential, so it is never shown.
    pub line: String,
    /// Environment variables removed for it: the keys of other providers.
    pub withheld: BTreeSet<String>,
}

/// Shows only the names of the withheld variables.
impl std::fmt::Debug for KeyCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyCommand").field("withheld", &self.withheld).finish_non_exhaustive()
    }
}

/// One provider as configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderSettings {
    /// Its name in the configuration.
    pub name: String,
    /// The protocol it speaks.
    pub kind: ProviderKind,
    /// The last step's model.
    pub model: Option<String>,
    /// Its address; `None`: the vendor's own.
    pub base_url: Option<String>,
    /// The embedding model; `None`: the vendor's usual one.
    pub embedding_model: Option<String>,
    /// Where its key comes from.
    pub key: KeySource,
    /// Whether a key may be sent unencrypted to another machine.
    pub allow_http: bool,
    /// True when one of `headers` carries a credential.
    pub has_secret_header: bool,
    /// Headers sent with every call; they override those of the protocol.
    pub headers: IndexMap<String, Secret>,
    /// A PEM file with an additional root certificate to trust.
    pub ca_file: Option<PathBuf>,
    /// The script of a `sim` provider.
    pub script: Option<PathBuf>,
    /// Retries after a failed call; 0 means none.
    pub max_retries: u32,
    /// The maximum number of requests in flight; `NonZeroUsize::MAX`: no limit but the run's own.
    pub max_concurrency: NonZeroUsize,
    /// The timeouts of a call.
    pub patience: Timeouts,
}

impl ProviderSettings {
    /// A provider with every default.
    pub fn new(name: impl Into<String>, kind: ProviderKind) -> Self {
        Self {
            name: name.into(),
            kind,
            model: None,
            base_url: None,
            embedding_model: None,
            key: KeySource::None,
            allow_http: false,
            has_secret_header: false,
            headers: IndexMap::new(),
            ca_file: None,
            script: None,
            max_retries: RetryPolicy::default().max_retries,
            max_concurrency: NonZeroUsize::MAX,
            patience: Timeouts::default(),
        }
    }

    /// How often and with which delays its calls are repeated.
    pub(super) fn retry_policy(&self) -> RetryPolicy {
        RetryPolicy { max_retries: self.max_retries, ..RetryPolicy::default() }
    }
}
