//! Where a provider's key comes from, and the command that prints one.
//!
//! A command is run when the key is first needed and what it prints is kept in memory; after a refusal it is run again by the
//! next call. Calls that wait for the same run share its outcome. Its output goes into a [`Secret`] and nowhere else:
//! an error names the key of the configuration and the exit status. How a command is run is in [`command`].

mod command;

use std::collections::BTreeSet;

use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::config::Secret;
use crate::error::{ProviderError, ProviderFailure};
use crate::redact;

/// Where a key comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum KeySource {
    /// There is none, and none is sent.
    #[default]
    None,
    /// This one.
    Given(Secret),
    /// The first line that a shell command prints.
    Command(KeyCommand),
}

/// A command that prints a key.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyCommand {
    /// The command, for a shell. It may hold a credential, so it is never shown.
    pub line: String,
    /// Variables of the environment that it does not get: the keys of others.
    pub withheld: BTreeSet<String>,
}

/// The names of the variables alone.
impl std::fmt::Debug for KeyCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyCommand").field("withheld", &self.withheld).finish_non_exhaustive()
    }
}

/// The key of one provider.
#[derive(Debug)]
pub(super) struct Key {
    provider: String,
    source: KeySource,
    last: Mutex<LastRun>,
}

/// What the command gave when it last ran.
#[derive(Debug, Default)]
struct LastRun {
    key: Option<Secret>,
    failure: Option<(Instant, ProviderError)>,
}

impl Key {
    pub(super) fn new(provider: impl Into<String>, source: KeySource) -> Self {
        Self { provider: provider.into(), source, last: Mutex::default() }
    }

    /// The key; `None` where the provider has none.
    ///
    /// # Errors
    /// `provider_auth` when the command gives none.
    pub(super) async fn get(&self) -> Result<Option<Secret>, ProviderError> {
        let command = match &self.source {
            KeySource::None => return Ok(None),
            KeySource::Given(key) => return Ok(Some(key.clone())),
            KeySource::Command(command) => command,
        };
        let asked = Instant::now();
        let mut last = self.last.lock().await;
        if let Some(key) = &last.key {
            return Ok(Some(key.clone()));
        }
        if let Some((failed, error)) = &last.failure
            && *failed >= asked
        {
            return Err(error.clone()); // it ran while this call waited for it
        }
        match command::run(command).await {
            Ok(key) => {
                redact::register(key.expose());
                *last = LastRun { key: Some(key.clone()), failure: None };
                Ok(Some(key))
            }
            Err(why) => {
                let name = &self.provider;
                let message = format!("no key: the command of `providers.{name}.api_key_cmd` {why}");
                let error = ProviderError::new(name, ProviderFailure::Auth, message);
                last.failure = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    /// The provider refused `key`: the next call runs the command again. Does nothing for a key that is given, or when
    /// another call has got a newer one meanwhile.
    pub(super) async fn refused(&self, key: &Secret) {
        let mut last = self.last.lock().await;
        if last.key.as_ref() == Some(key) {
            last.key = None;
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
