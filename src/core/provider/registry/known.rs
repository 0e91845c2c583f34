//! Model data for the list of providers, from the catalogue.
//!
//! Omits models that their vendor has shut down, and a vendor's models for a user's own server that
//! merely speaks its protocol. Only a call can tell which models a server really has.

use std::sync::Arc;

use jiff::civil::Date;
use jiff::tz::Offset;

use super::wires::is_openai_itself;
use crate::assets::Assets;
use crate::domain::ProviderKind;
use crate::error::Error;
use crate::provider::catalog::Catalog;
use crate::provider::settings::ProviderSettings;
use crate::time::Clock;

/// Today's view of the catalogue, or why it cannot be used.
pub(super) struct ModelData {
    catalog: Result<Arc<Catalog>, Error>,
    today: Date,
}

impl ModelData {
    pub(super) fn of(assets: &Assets, clock: &dyn Clock) -> Self {
        Self { catalog: assets.catalog(), today: Offset::UTC.to_datetime(clock.now()).date() }
    }

    /// Why a well configured provider cannot be used: the user's catalogue is broken.
    pub(super) fn obstacle(&self, settings: &ProviderSettings) -> Option<String> {
        let needs_it = settings.kind != ProviderKind::Builtin;
        self.catalog.as_ref().err().filter(|_| needs_it).map(Error::to_string)
    }

    /// The default model if neither settings nor request name one. `None` for Ollama, which has no
    /// usual model, only those that somebody installed.
    pub(super) fn default_model(&self, settings: &ProviderSettings) -> Option<String> {
        let has_a_usual_one = has_its_kinds_models(settings) && settings.kind != ProviderKind::Ollama;
        let catalog = self.catalog.as_ref().ok().filter(|_| has_a_usual_one)?;
        catalog.default_model(settings.kind).map(str::to_owned)
    }

    /// The embedding model used if none is named.
    pub(super) fn default_embedding_model(&self, settings: &ProviderSettings) -> Option<String> {
        let catalog = self.catalog.as_ref().ok().filter(|_| has_its_kinds_models(settings))?;
        catalog.default_embedding_model(settings.kind).map(str::to_owned)
    }

    /// The chat models: `default`, then those under the provider's name, then those of its kind.
    pub(super) fn models(&self, settings: &ProviderSettings, default: Option<&str>) -> Vec<String> {
        let mut models: Vec<String> = default.map(str::to_owned).into_iter().collect();
        let Ok(catalog) = &self.catalog else { return models };
        let kind = settings.kind.as_str();
        let own = Some(settings.name.as_str()).filter(|name| ProviderKind::parse(name).is_none());
        let groups = own.into_iter().chain(Some(kind).filter(|_| has_its_kinds_models(settings)));
        for model in groups.flat_map(|group| catalog.chat_models(group, self.today)) {
            if !models.iter().any(|known| known == model) {
                models.push(model.to_owned());
            }
        }
        models
    }
}

/// False for other servers that speak OpenAI's protocol.
fn has_its_kinds_models(settings: &ProviderSettings) -> bool {
    settings.kind != ProviderKind::OpenAi || is_openai_itself(settings)
}
