//! Chooses the embedding model and checks it for `validate`.
//!
//! It is the embedded model unless `generation.default_embedding_model` names another as `provider`
//! or `provider/model`. It is created once, when first needed.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::system::Check;
use super::{Engine, wiring};
use crate::domain::{BUILTIN, ProviderKind};
use crate::error::{ConfigError, ConfigFault, ConfigSource, Error, Result};
use crate::ledger::{Caps, Labels};
use crate::provider::embedding::Embedder;
use crate::search::EmbeddingContext;

const MODEL_KEY: &str = "generation.default_embedding_model";
const DIMENSIONS_KEY: &str = "generation.default_embedding_dimensions";

impl Engine {
    /// The configured embedder.
    ///
    /// # Errors
    /// `config_invalid` for a provider or model that cannot embed; `provider_auth`; `file`.
    pub(super) fn embedder(&self) -> Result<Arc<dyn Embedder>> {
        if let Some(known) = self.inner.embedder.get() {
            return Ok(Arc::clone(known));
        }
        let generation = &self.config().generation;
        let target = self.embedding_target();
        let dimensions = generation.default_embedding_dimensions;
        let dimensions = dimensions.and_then(|number| NonZeroUsize::new(number as usize));
        let made = self.inner.registry.embedder(target.provider, target.model, dimensions);
        let made = made.map_err(|error| self.misconfigured(error))?;
        Ok(Arc::clone(self.inner.embedder.get_or_init(|| made)))
    }

    /// True when what makes vectors here is never paid for: it may be asked as often as one likes.
    pub fn embeds_for_free(&self) -> bool {
        match self.config().providers.get(self.embedding_target().provider) {
            Some(provider) => matches!(provider.kind, ProviderKind::Builtin | ProviderKind::Ollama | ProviderKind::Sim),
            None => self.embedding_target().provider == BUILTIN,
        }
    }

    /// The provider and model that are named for making vectors.
    fn embedding_target(&self) -> wiring::Target<'_> {
        wiring::Target::parse(self.config().generation.default_embedding_model.as_deref().unwrap_or(BUILTIN))
    }

    /// The configured embedder with an account that records its calls under this command.
    pub(super) fn meaning(&self, command: &'static str) -> Result<EmbeddingContext> {
        let account = self.account(Caps::default(), Labels { command, ..Labels::default() });
        Ok(EmbeddingContext { embedder: self.embedder()?, account })
    }

    /// Whether search by meaning works, as far as that can be known without a call.
    pub(super) fn check_embedding(&self) -> Check {
        const NAME: &str = "embeddings";
        match self.embedder() {
            Ok(embedder) => {
                let dimensions = embedder.dimensions().map(|number| format!(", {number} dimensions"));
                let model = format!("{}/{}", embedder.provider(), embedder.model());
                Check::ok(NAME, format!("made by {model}{}", dimensions.unwrap_or_default()))
            }
            Err(Error::Provider(error)) => Check::failed_with(NAME, error.message),
            Err(error) => Check::failed(NAME, &error),
        }
    }

    /// Turns a value error into a configuration error that points at its file and line.
    fn misconfigured(&self, error: Error) -> Error {
        let Error::Value(faults) = error else { return error };
        let fault = |fault: crate::error::Fault| {
            let key = if fault.field == "dimensions" { DIMENSIONS_KEY } else { MODEL_KEY };
            let (source, line) = wiring::place(self.origins().of(key));
            // Server clients may see paths in the user's own folder, and no others.
            let source = match source {
                ConfigSource::File(path) => ConfigSource::File(self.paths().shown(&path)),
                other => other,
            };
            ConfigFault { source, key: key.to_owned(), line, column: None, message: fault.message }
        };
        ConfigError { faults: faults.into_iter().map(fault).collect() }.into()
    }
}
