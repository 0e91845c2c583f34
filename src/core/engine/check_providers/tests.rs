//! Tests of the provider and model checks. The engine's clock is set to the end of 2023.

use super::*;
use crate::api::ValidateRequest;
use crate::engine::system::CheckStatus;
use crate::engine::tests::Home;

async fn said(config: &str, name: &str) -> Vec<(CheckStatus, String)> {
    let validation = Home::with_config(config).engine().validate(ValidateRequest::default()).await;
    let of_name = validation.checks.into_iter().filter(|check| check.name == name);
    of_name.map(|check| (check.status, check.detail)).collect()
}

fn warned(name: &str, kind: ProviderKind, url: &str, has_key: bool) -> Vec<String> {
    let mut provider = ProviderConfig::of_kind(kind);
    provider.base_url = Some(url.to_owned());
    provider.api_key = has_key.then(|| "sk-canary-0123456789".into());
    misplaced(name, &provider).collect()
}

#[test]
fn an_address_without_the_path_of_its_protocol_is_warned_of() {
    for (kind, url) in [
        (ProviderKind::OpenAi, "http://127.0.0.1:8000"),
        (ProviderKind::Google, "https://gateway.example.com/gemini/"),
        (ProviderKind::Anthropic, "https://api.anthropic.com/v1"),
        (ProviderKind::Ollama, "http://localhost:11434/v1"),
    ] {
        let warnings = warned("x", kind, url, false);
        assert!(warnings.len() == 1 && warnings[0].contains("`providers.x.base_url`"), "{url}: {warnings:?}");
    }
    for (kind, url) in [
        (ProviderKind::OpenAi, "https://api.groq.com/openai/v1/"),
        (ProviderKind::OpenRouter, "https://openrouter.ai/api/v1"),
        (ProviderKind::Google, "https://generativelanguage.googleapis.com/v1beta"),
        (ProviderKind::Anthropic, "https://gateway.example.com/anthropic"),
        (ProviderKind::Ollama, "http://localhost:11434/"),
    ] {
        assert_eq!(warned("x", kind, url, false), [""; 0], "{url}");
    }
}

#[test]
fn a_key_that_would_travel_in_the_clear_is_warned_of() {
    let warnings = warned("x", ProviderKind::OpenAi, "http://gpu.example.com:8000/v1", true);
    assert!(warnings.len() == 1 && warnings[0].contains("unencrypted") && !warnings[0].contains("canary"));
    assert_eq!(warned("x", ProviderKind::OpenAi, "http://localhost:8000/v1", true), [""; 0]);
    assert_eq!(warned("x", ProviderKind::OpenAi, "http://gpu.example.com:8000/v1", false), [""; 0]);
}

#[test]
fn models_that_end_or_cost_nobody_knows_what_are_remarked() {
    let catalog = Catalog::default()
        .with_user_rows(
            "openai: {models: {old: {ends: 2026-12-11, price: {input: 1, output: 2}}, dear: {temperature: true}}}",
        )
        .unwrap();
    let of = |kind, model: &str, today: &str| remark(&catalog, kind, "x", None, model, today.parse().unwrap());
    let openai = |model, today| of(ProviderKind::OpenAi, model, today).unwrap_or_default();
    assert_eq!(openai("old", "2026-10-01"), "");
    assert!(openai("old", "2026-11-21").contains("shuts it down on 2026-12-11, in 20 days"));
    assert!(openai("old", "2026-12-11").contains("shut it down on 2026-12-11"));
    assert!(openai("dear", "2026-11-21").starts_with("its price is not known"));
    assert!(openai("nobody", "2026-11-21").contains("--assume-price"));
    assert_eq!(of(ProviderKind::Ollama, "qwen3:8b", "2026-11-21"), None);
    assert_eq!(of(ProviderKind::OpenRouter, "who/knows", "2026-11-21"), None);
}

#[tokio::test]
async fn an_unconfigured_kind_is_no_warning_and_builtin_is_in_order() {
    let validation = Home::new().engine().validate(ValidateRequest::default()).await;
    let names: Vec<&str> = validation.checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names.iter().filter(|name| name.starts_with("provider ")).collect::<Vec<_>>(), [&"provider builtin"]);
    assert!(validation.checks.iter().all(|check| check.status == CheckStatus::Ok), "{validation:?}");
}

#[tokio::test]
async fn rows_of_the_user_for_nobody_are_named() {
    let home = Home::new();
    std::fs::write(home.folder.path().join("models.yaml"), "grok: {models: {m: {temperature: true}}}\n").unwrap();
    let validation = home.engine().validate(ValidateRequest::default()).await;
    let found = validation.checks.iter().find(|check| check.name == "models of grok").unwrap();
    assert!(found.status == CheckStatus::Warning && validation.valid);
}

#[tokio::test]
async fn a_phase_whose_provider_or_fallback_has_no_model_fails() {
    let bare = "providers:\n  bare: {kind: openai, base_url: 'http://127.0.0.1:9/v1'}\n";
    let config =
        format!("{bare}phases:\n  solutio: {{model: m}}\n  coagulatio: {{model: m, fallback: [builtin, bare]}}\n");
    assert_eq!(said(&config, "provider bare").await[1].0, CheckStatus::Warning);
    let failed = said(&config, "phase prima-materia").await;
    assert!(failed[0].0 == CheckStatus::Failed && failed[0].1.contains("`providers.bare.model`"), "{failed:?}");
    assert_eq!(said(&config, "phase solutio").await, [(CheckStatus::Ok, "bound to bare/m".into())]);
    assert_eq!(said(&config, "phase coagulatio").await[0].0, CheckStatus::Failed);
    let named = config.replace("builtin, bare]", "builtin, bare/n]");
    assert_eq!(said(&named, "phase coagulatio").await[0].1, "bound to bare/m, then builtin, then bare/n");
}

#[tokio::test]
async fn a_key_that_is_missing_fails_without_repeating_the_name() {
    let found = said("providers:\n  anthropic: {}\n", "provider anthropic").await;
    let words = "no key: set ANTHROPIC_API_KEY, or `providers.anthropic.api_key`";
    assert_eq!(found, [(CheckStatus::Failed, words.to_owned())]);
}

#[tokio::test]
async fn a_certificate_that_cannot_be_read_fails() {
    let config =
        "providers:\n  lab: {kind: openai, base_url: 'https://lab.example.com/v1', ca_file: none.pem, model: m}\n";
    let found = said(config, "provider lab").await;
    assert!(found[0].0 == CheckStatus::Failed && found[0].1.contains("`providers.lab.ca_file`"), "{found:?}");
}

#[tokio::test]
async fn a_sim_without_a_script_fails_and_one_with_a_script_does_not() {
    let found = said("providers:\n  play: {kind: sim}\n", "provider play").await;
    assert!(found[0].0 == CheckStatus::Failed && found[0].1.contains("`providers.play.script`"), "{found:?}");
}
