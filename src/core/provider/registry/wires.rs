//! The codec of each kind.

use std::sync::Arc;

use crate::domain::ProviderKind;
use crate::provider::settings::ProviderSettings;
use crate::provider::wire::Wire;
use crate::provider::wire::anthropic::Anthropic;
use crate::provider::wire::google::Google;
use crate::provider::wire::ollama::Ollama;
use crate::provider::wire::openai::OpenAi;
use crate::provider::wire::openrouter::OpenRouter;

/// The codec of a provider; `None` for kinds without a network.
pub(super) fn wire_of(settings: &ProviderSettings) -> Option<Arc<dyn Wire>> {
    let name = &settings.name;
    Some(match settings.kind {
        ProviderKind::OpenAi => Arc::new(OpenAi::new(name, is_openai_itself(settings))),
        ProviderKind::Anthropic => Arc::new(Anthropic::new(name)),
        ProviderKind::Google => Arc::new(Google::new(name)),
        ProviderKind::OpenRouter => Arc::new(OpenRouter::new(name)),
        ProviderKind::Ollama => Arc::new(Ollama::new(name)),
        ProviderKind::Builtin | ProviderKind::Sim => return None,
    })
}

/// False for other servers that speak OpenAI's protocol.
pub(super) fn is_openai_itself(settings: &ProviderSettings) -> bool {
    const HOST: &str = "api.openai.com";
    let host = |url: &str| {
        let authority = url.split_once("://")?.1.split(['/', '?', '#']).next()?;
        Some(authority.split(':').next()?.to_ascii_lowercase())
    };
    // Its regional endpoints are subdomains.
    let is_its = |host: &str| host.strip_suffix(HOST).is_some_and(|region| region.is_empty() || region.ends_with('.'));
    settings.base_url.as_deref().is_none_or(|url| host(url).as_deref().is_some_and(is_its))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_over_a_network_have_a_codec_each_and_a_vendors_address() {
        for kind in ProviderKind::ALL {
            let wire = wire_of(&ProviderSettings::new("acme", kind));
            assert_eq!(wire.is_some(), kind.is_networked(), "{kind}");
            let root = wire.map_or("http://none", |wire| wire.default_base_url());
            assert!(root.starts_with("http") && !root.ends_with('/'), "{kind}: {root}");
        }
    }

    #[test]
    fn openai_itself_is_told_from_servers_that_speak_its_protocol() {
        for (base_url, is_itself) in [
            (None, true),
            (Some("https://api.openai.com/v1"), true),
            (Some("https://API.OpenAI.com:443/v1/"), true),
            (Some("http://127.0.0.1:8000/v1"), false),
            (Some("https://api.openai.com.example.com/v1"), false),
            (Some("https://eu.api.openai.com/v1"), true),
            (Some("https://notapi.openai.com/v1"), false),
        ] {
            let base_url = base_url.map(str::to_owned);
            let settings = ProviderSettings { base_url, ..ProviderSettings::new("acme", ProviderKind::OpenAi) };
            assert_eq!(is_openai_itself(&settings), is_itself, "{settings:?}");
        }
    }
}
