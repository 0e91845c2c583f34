//! Builds the provider settings from the configuration and the environment.
//!
//! A provider kind that is not configured can still be used by name, with its key from the
//! environment, but no phase is bound to it. Nothing is read, run or opened here.

use std::num::NonZeroUsize;
use std::time::Duration;

use crate::config::{Environment, Loaded, ProviderConfig};
use crate::domain::ProviderKind;
use crate::probe;
use crate::provider::registry::Registry;
use crate::provider::settings::{KeyCommand, KeySource, ProviderSettings};
use crate::provider::transport::probe::ollama_url;

/// The registry of the configured providers and the kinds that can be used by name.
pub(in crate::engine) fn registry(loaded: &Loaded) -> Registry {
    let Loaded { config, environment, .. } = loaded;
    let configured = config.providers.iter().map(|(name, provider)| configured(name, provider, loaded));
    let by_name = ProviderKind::ALL
        .into_iter()
        .filter(|kind| kind.is_networked() && !config.providers.contains_key(kind.as_str()));
    let by_name: Vec<ProviderSettings> = by_name.map(|kind| unconfigured(kind, environment)).collect();
    // Processes that fail together should not retry together.
    let registry = Registry::new(configured, u64::from(std::process::id()));
    let registry = by_name.into_iter().fold(registry, Registry::with_settings);
    // The settings table already requires 1 or more.
    registry.limited_to(NonZeroUsize::new(config.run.max_concurrency).unwrap_or(NonZeroUsize::MIN))
}

/// The settings of a configured provider.
fn configured(name: &str, provider: &ProviderConfig, loaded: &Loaded) -> ProviderSettings {
    let environment = &loaded.environment;
    let mut settings = ProviderSettings::new(name, provider.kind);
    settings.model.clone_from(&provider.model);
    settings.embedding_model.clone_from(&provider.embedding_model);
    settings.base_url = provider.base_url.clone().or_else(|| place_of_environment(provider.kind, environment));
    settings.key = match (provider.key(name, environment), &provider.api_key_cmd) {
        (Some(key), _) => KeySource::Given(key),
        (None, Some(command)) => KeySource::Command(KeyCommand {
            line: command.expose().to_owned(),
            withheld: environment.secrets_of_others(&loaded.config, name, provider.kind),
        }),
        (None, None) => KeySource::None,
    };
    settings.allow_http = provider.allow_http;
    settings.has_secret_header = provider.has_secret_header();
    settings.headers.clone_from(&provider.headers);
    settings.ca_file.clone_from(&provider.ca_file);
    settings.script.clone_from(&provider.script);
    settings.max_retries = provider.max_retries;
    settings.patience.silence = Duration::from_secs(provider.timeout_s);
    if let Some(limit) = provider.max_concurrency.and_then(NonZeroUsize::new) {
        settings.max_concurrency = limit;
    }
    settings
}

/// The settings of an unconfigured kind, under its own name.
fn unconfigured(kind: ProviderKind, environment: &Environment) -> ProviderSettings {
    let name = kind.as_str();
    let key = ProviderConfig::key_of_environment(name, kind, environment);
    ProviderSettings {
        base_url: place_of_environment(kind, environment),
        key: key.map_or(KeySource::None, |(_, key)| KeySource::Given(key)),
        ..ProviderSettings::new(name, kind)
    }
}

/// The base URL from the environment. Only Ollama has a variable for it.
fn place_of_environment(kind: ProviderKind, environment: &Environment) -> Option<String> {
    let host = environment.get("OLLAMA_HOST").filter(|_| kind == ProviderKind::Ollama)?;
    ollama_url(host)
}

/// Where a provider's key comes from, for display; never the key itself.
pub(in crate::engine) fn key_source(loaded: &Loaded, name: &str, kind: ProviderKind) -> probe::KeySource {
    let Loaded { config, environment, .. } = loaded;
    let configured = config.providers.get(name);
    match (kind, configured) {
        _ if !kind.is_networked() => return probe::KeySource::NotNeeded,
        (_, Some(provider)) if provider.api_key.is_some() => return probe::KeySource::Configured,
        (_, Some(provider)) if provider.api_key_cmd.is_some() => return probe::KeySource::Command,
        _ => {}
    }
    if let Some((variable, _)) = ProviderConfig::key_of_environment(name, kind, environment) {
        return probe::KeySource::Variable(variable);
    }
    let variables = ProviderConfig::key_variables(name, kind);
    match (kind, configured) {
        (ProviderKind::Ollama, _) => probe::KeySource::Without { variables },
        (_, Some(provider)) if provider.base_url.is_some() => probe::KeySource::Without { variables },
        _ => probe::KeySource::Missing { variables },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{self, Flags};
    use crate::error::Code;

    /// The registry of this configuration and environment.
    fn of(yaml: &str, variables: &[(&str, &str)]) -> (tempfile::TempDir, Registry) {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.yaml"), yaml).unwrap();
        let place = [("ALUDEL_HOME", home.path().to_str().unwrap())];
        let environment = Environment::from_pairs(place.into_iter().chain(variables.iter().copied()));
        let loaded = config::load(&Flags::default(), &environment).unwrap();
        (home, registry(&loaded))
    }

    fn key(registry: &Registry, name: &str) -> KeySource {
        registry.settings(name).unwrap().key.clone()
    }

    #[test]
    fn kinds_that_nobody_configured_take_their_keys_from_the_environment() {
        let (_home, registry) = of("{}", &[("OPENAI_API_KEY", "sk-one"), ("GEMINI_API_KEY", "two")]);
        assert_eq!(key(&registry, "openai"), KeySource::Given("sk-one".into()));
        assert_eq!(key(&registry, "google"), KeySource::Given("two".into()));
        assert!(registry.get("openai").is_ok() && registry.get("ollama").is_ok());
        let error = registry.get("anthropic").err().unwrap();
        assert_eq!(error.code(), Code::ProviderAuth);
        assert!(error.to_string().contains("ANTHROPIC_API_KEY"), "{error}");
        let names: Vec<&str> = registry.names().collect();
        assert_eq!(names, ["builtin", "openai", "anthropic", "google", "openrouter", "ollama"]);
    }

    #[test]
    fn a_provider_is_as_configured() {
        let yaml = "providers:
  lab:
    kind: openai
    base_url: http://127.0.0.1:9/v1
    model: small
    embedding_model: tiny
    api_key_cmd: pass show lab
    headers: {X-Team: blue}
    ca_file: /etc/lab.pem
    timeout_s: 7
    max_retries: 0
    max_concurrency: 2
  openai: {api_key: own}
";
        let (_home, registry) = of(yaml, &[("LAB_API_KEY", "unused"), ("OPENAI_API_KEY", "unused")]);
        let lab = registry.settings("lab").unwrap();
        assert_eq!((lab.model.as_deref(), lab.embedding_model.as_deref()), (Some("small"), Some("tiny")));
        assert_eq!(lab.base_url.as_deref(), Some("http://127.0.0.1:9/v1"));
        let KeySource::Command(command) = &lab.key else { panic!("no command: {:?}", lab.key) };
        assert_eq!(command.line, "pass show lab");
        assert_eq!(command.withheld.iter().collect::<Vec<_>>(), ["OPENAI_API_KEY"]);
        assert_eq!(lab.headers["X-Team"].expose(), "blue");
        assert_eq!(lab.ca_file.as_deref(), Some(std::path::Path::new("/etc/lab.pem")));
        assert_eq!((lab.patience.silence.as_secs(), lab.max_retries, lab.max_concurrency.get()), (7, 0, 2));
        assert_eq!(key(&registry, "openai"), KeySource::Given("own".into()));
        assert_eq!(registry.names().take(2).collect::<Vec<_>>(), ["lab", "openai"]);
    }

    #[test]
    fn a_key_of_the_environment_is_not_sent_in_the_clear_to_another_machine() {
        let lab =
            |more: &str| format!("providers: {{lab: {{kind: openai, base_url: 'http://gpu-box/v1', model: m{more}}}}}");
        let key = [("LAB_API_KEY", "canary-key-of-the-lab")];
        let (_home, registry) = of(&lab(""), &key);
        let error = registry.get("lab").err().unwrap();
        assert_eq!(error.code(), Code::ConfigInvalid);
        let told = error.to_string();
        assert!(
            told.contains("providers.lab.base_url: ") && told.contains("`providers.lab.allow_http: true`"),
            "{told}"
        );
        assert!(!told.contains("canary"), "{told}");
        let info = registry.infos().into_iter().find(|info| info.name == "lab").unwrap();
        assert!(!info.available && info.reason.unwrap().contains("allow_http"));
        assert!(registry.models("lab").is_err() && registry.embedder("lab", None, None).is_err());
        assert!(of(&lab(", allow_http: true"), &key).1.get("lab").is_ok());
        assert!(of(&lab(""), &[]).1.get("lab").is_ok(), "there is no key to show");
        let ollama = [("OLLAMA_HOST", "http://gpu-box:1234"), ("OLLAMA_API_KEY", "canary-key-of-ollama")];
        assert_eq!(of("{}", &ollama).1.get("ollama").err().unwrap().code(), Code::ConfigInvalid);
        let here = [("OLLAMA_HOST", "0.0.0.0"), ("OLLAMA_API_KEY", "canary-key-of-ollama")];
        assert!(of("{}", &here).1.get("ollama").is_ok());
    }

    #[test]
    fn ollama_is_where_its_variable_says_unless_it_is_configured() {
        let host = [("OLLAMA_HOST", "gpu-box:1234")];
        let place = |yaml| of(yaml, &host).1.settings("ollama").unwrap().base_url.clone();
        assert_eq!(place("{}").as_deref(), Some("http://gpu-box:1234"));
        assert_eq!(place("providers: {ollama: {model: m}}").as_deref(), Some("http://gpu-box:1234"));
        assert_eq!(place("providers: {ollama: {base_url: 'http://own:1'}}").as_deref(), Some("http://own:1"));
    }

    #[test]
    fn where_a_key_comes_from_is_told_without_it() {
        let environment =
            Environment::from_pairs([("HOME", "/nowhere"), ("GROQ_API_KEY", "canary-in-the-environment")]);
        let mut loaded = config::load(&Flags::default(), &environment).unwrap();
        loaded.config.providers.insert("groq".into(), ProviderConfig::of_kind(ProviderKind::OpenAi));
        let source = key_source(&loaded, "groq", ProviderKind::OpenAi);
        assert_eq!(source, probe::KeySource::Variable("GROQ_API_KEY".into()));
        let missing = key_source(&loaded, "google", ProviderKind::Google);
        let variables = vec!["GOOGLE_API_KEY".to_owned(), "GEMINI_API_KEY".to_owned()];
        assert_eq!(missing, probe::KeySource::Missing { variables });
    }
}
