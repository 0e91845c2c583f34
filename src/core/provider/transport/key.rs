//! Where a provider's key comes from, and the command that prints one.
//!
//! The command runs when the key is first needed, and again after a refused key. Calls waiting for
//! the same run share its result. The output stays in memory and goes only into a [`Secret`]:
//! errors show the configuration key and the exit status. [`command`] runs it.

mod command;

use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::config::Secret;
use crate::error::{ProviderError, ProviderFailure};
use crate::provider::settings::KeySource;
use crate::redact;

/// The key of one provider.
#[derive(Debug)]
pub(super) struct Key {
    provider: String,
    source: KeySource,
    last: Mutex<LastRun>,
}

/// The result of the command's last run.
#[derive(Debug, Default)]
struct LastRun {
    key: Option<Secret>,
    failure: Option<(Instant, ProviderError)>,
}

impl Key {
    pub(super) fn new(provider: impl Into<String>, source: KeySource) -> Self {
        Self { provider: provider.into(), source, last: Mutex::default() }
    }

    /// The key; `None` if the provider has none.
    ///
    /// # Errors
    /// `provider_auth` when the command yields none.
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
            return Err(error.clone()); // The command ran while this call waited for it.
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

    /// Makes the next call run the command again, because the provider refused `key`. Does nothing
    /// for a configured key, or if another call has already got a newer one.
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
