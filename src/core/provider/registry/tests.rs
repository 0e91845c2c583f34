//! The list, the layers, and the errors of a name.

use std::num::NonZeroUsize;

use super::*;
use crate::assets::AssetDirs;
use crate::domain::BUILTIN;
use crate::error::Code;
use crate::provider::sim::testing::{request, sim};
use crate::provider::timeout::Timeouts;
use crate::provider::{ChatRequest, Chunk, complete};
use crate::time::FixedClock;

fn scripted(folder: &tempfile::TempDir, name: &str, script: &str) -> ProviderSettings {
    let path = folder.path().join(format!("{name}.yaml"));
    std::fs::write(&path, script).unwrap();
    ProviderSettings { script: Some(path), ..ProviderSettings::new(name, ProviderKind::Sim) }
}

fn message(error: &Error) -> String {
    assert_eq!(error.code(), Code::ValidationFailed);
    assert_eq!(error.faults()[0].field, "provider");
    error.faults()[0].message.clone()
}

#[test]
fn names_are_in_the_order_of_the_configuration_and_builtin_is_always_there() {
    let names =
        |settings: Vec<ProviderSettings>| Registry::new(settings, 0).names().map(str::to_owned).collect::<Vec<_>>();
    let new = ProviderSettings::new;
    let vendors = ["openai", "anthropic", "google", "openrouter", "ollama"];
    assert_eq!(names(vec![]), [&["builtin"], &vendors[..]].concat());
    let configured = names(vec![new("z", ProviderKind::Sim), new("google", ProviderKind::OpenAi)]);
    assert_eq!(configured, ["z", "google", "builtin", "openai", "anthropic", "openrouter", "ollama"]);
    let with_builtin = names(vec![new("builtin", ProviderKind::Builtin), new("a", ProviderKind::Sim)]);
    assert_eq!(with_builtin, [&["builtin", "a"], &vendors[..]].concat());
}

#[tokio::test]
async fn a_script_is_read_when_its_provider_is_asked_for_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let settings = scripted(&folder, "model", "answer: {text: hello}");
    let path = settings.script.clone().unwrap();
    std::fs::write(&path, "answr: oops").unwrap();
    let registry = Registry::new([settings], 0);
    assert!(registry.infos()[0].available, "nothing is read for the list");
    assert_eq!(registry.get("model").err().unwrap().code(), Code::ConfigInvalid);
    std::fs::write(&path, "{model: scripted, answer: {text: mended}}").unwrap();
    let provider = registry.get("model").unwrap();
    assert_eq!(complete(provider.as_ref(), request(0)).await.unwrap().0, "mended");
    std::fs::remove_file(&path).unwrap();
    assert!(Arc::ptr_eq(&provider, &registry.get("model").unwrap()));
    assert_eq!(registry.infos()[0].default_model.as_deref(), Some("scripted"));
}

#[tokio::test(start_paused = true)]
async fn the_stack_retries_limits_and_times_out_as_configured() {
    let sim = sim(
        "{answer: {words: 30}, pacing: {tokens_per_s: 30}, rules: [{when: {variant: 9}, fault: hang}, {when: {attempt: 1}, fault: server_error}]}",
    );
    let settings = ProviderSettings {
        max_retries: 1,
        max_concurrency: NonZeroUsize::new(2).unwrap(),
        patience: Timeouts { silence: std::time::Duration::from_secs(5), ..Timeouts::default() },
        ..ProviderSettings::new("sim", ProviderKind::Sim)
    };
    let registry = Registry::new([], 0).with_transport(settings, Arc::new(sim.clone()));
    let provider = registry.get("sim").unwrap();
    let answers =
        futures_util::future::join_all((0..6).map(|variant| complete(provider.as_ref(), request(variant)))).await;
    assert!(answers.iter().all(|answer| answer.as_ref().is_ok_and(|(_, completion)| completion.retries == 1)));
    assert_eq!((sim.asked(), sim.peak_in_flight()), (12, 2));
    let start = tokio::time::Instant::now();
    let error = complete(provider.as_ref(), request(9)).await.unwrap_err();
    assert_eq!((error.code(), start.elapsed().as_secs()), (Code::ProviderTimeout, 5));
}

#[tokio::test(start_paused = true)]
async fn a_provider_whose_circuit_is_open_is_listed_as_down_until_it_is_tried_again() {
    let sim = sim("{answer: {text: x}, rules: [{times: 5, fault: server_error}]}");
    let settings = ProviderSettings { max_retries: 0, ..ProviderSettings::new("sim", ProviderKind::Sim) };
    let registry = Registry::new([], 0).with_transport(settings, Arc::new(sim.clone()));
    let find = || registry.infos().into_iter().find(|info| info.name == "sim").unwrap();
    for _ in 0..5 {
        assert!(find().available);
        assert!(complete(registry.get("sim").unwrap().as_ref(), request(0)).await.is_err());
    }
    let down = find();
    assert!(!down.available && down.reason.as_ref().unwrap().contains("5 calls in a row"), "{down:?}");
    tokio::time::advance(std::time::Duration::from_secs(30)).await;
    assert!(find().available);
    assert!(complete(registry.get("sim").unwrap().as_ref(), request(0)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn without_a_limit_of_its_own_a_provider_takes_all_at_once() {
    let sim = sim("{answer: {text: x}, pacing: {first_token_ms: 10}}");
    let settings = ProviderSettings::new("sim", ProviderKind::Sim);
    let registry = Registry::new([], 0).with_transport(settings, Arc::new(sim.clone()));
    let provider = registry.get("sim").unwrap();
    futures_util::future::join_all((0..100).map(|variant| complete(provider.as_ref(), request(variant)))).await;
    assert_eq!(sim.peak_in_flight(), 100);
}

#[tokio::test]
async fn the_configured_model_goes_before_the_scripts() {
    let folder = tempfile::tempdir().unwrap();
    let settings = ProviderSettings { model: Some("mine".into()), ..scripted(&folder, "model", "model: own") };
    let registry = Registry::new([settings], 0);
    assert_eq!(registry.infos()[0].default_model.as_deref(), Some("mine"));
    assert_eq!(registry.get("model").unwrap().default_model(), "mine");
}

#[tokio::test]
async fn builtin_answers_with_no_configuration_and_is_listed_with_its_model() {
    let registry = Registry::new([], 0);
    let provider = registry.get(BUILTIN).unwrap();
    let (text, completion) = complete(provider.as_ref(), request(0)).await.unwrap();
    assert!(text.contains("prime numbers"), "{text}");
    assert_eq!((completion.provider.as_str(), completion.cost_usd), (BUILTIN, Some(0.0)));
    for registry in [registry, Registry::new([], 0)] {
        let info = &registry.infos()[0];
        assert!(info.available && info.reason.is_none());
        assert_eq!(info.default_model.as_deref(), Some(completion.model.as_str()));
    }
}

#[test]
fn a_name_that_is_not_there_is_told_with_those_that_are() {
    let registry = Registry::new([ProviderSettings::new("local", ProviderKind::Sim)], 0);
    let told = message(&registry.get("locla").err().unwrap());
    assert!(told.contains("expected one of local, builtin") && told.contains("did you mean `local`?"), "{told}");
    assert!(!message(&registry.get("nonsense").err().unwrap()).contains("did you mean"));
}

#[test]
fn a_sim_without_a_script_says_where_to_name_one() {
    let registry = Registry::new([ProviderSettings::new("suite", ProviderKind::Sim)], 0);
    assert!(!registry.infos()[0].available);
    assert!(message(&registry.get("suite").err().unwrap()).contains("`providers.suite.script`"));
    assert!(message(&registry.get("sim").err().unwrap()).contains("`providers.sim.script`"));
}

/// The assets of a user's folder with this catalogue, as of 2026-11-21.
fn informed(registry: Registry, rows: &str) -> (tempfile::TempDir, Registry) {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("models.yaml"), rows).unwrap();
    let assets = Assets::new(Some(AssetDirs::below(home.path())));
    let clock = Arc::new(FixedClock::at(1_795_219_200_000));
    (home, registry.with_catalog(Arc::new(assets), clock))
}

#[tokio::test(start_paused = true)]
async fn what_a_model_does_not_take_is_left_out_below_the_retries() {
    let sim = sim("{answer: {text: hello}, rules: [{nth: 1, fault: server_error}]}");
    let settings = ProviderSettings::new("sim", ProviderKind::Sim);
    let registry = Registry::new([], 0).with_transport(settings, Arc::new(sim.clone()));
    let (_home, registry) = informed(registry, "sim: {models: {picky: {temperature: false}}}\n");
    let provider = registry.get("sim").unwrap();
    let asked = ChatRequest { model: Some("picky".into()), ..request(0) };
    assert_eq!(asked.temperature, Some(0.7));
    let mut answer = provider.stream(asked);
    let mut warnings = 0;
    while let Some(chunk) = futures_util::StreamExt::next(&mut answer).await {
        warnings += usize::from(matches!(chunk.unwrap(), Chunk::Warning(said) if said.contains("0.7 was left out")));
    }
    assert_eq!((sim.asked(), warnings), (2, 2), "each attempt says it; a run says it once");
    assert!(sim.journal().iter().all(|entry| entry.request.temperature.is_none()));
}

#[test]
fn the_list_names_the_models_that_are_known_and_alive_the_default_first() {
    let settings = [
        ProviderSettings { model: Some("gpt-6-sol".into()), ..ProviderSettings::new("openai", ProviderKind::OpenAi) },
        ProviderSettings {
            base_url: Some("http://127.0.0.1:8000/v1".into()),
            ..ProviderSettings::new("vllm", ProviderKind::OpenAi)
        },
    ];
    let (_home, registry) = informed(Registry::new(settings, 0), "vllm: {models: {qwen3: {}, e5: {dimensions: 3}}}\n");
    let infos = registry.infos();
    let models = |name: &str| infos.iter().find(|info| info.name == name).unwrap().models.clone();
    assert_eq!(models("openai")[..2], ["gpt-6-sol", "gpt-6-luna"]);
    assert!(!models("openai").contains(&"o1".to_owned()));
    assert_eq!(models("vllm"), ["qwen3"]);
    assert_eq!(models("anthropic")[0], "claude-haiku-5-5");
    let ollama = infos.iter().find(|info| info.name == "ollama").unwrap();
    assert_eq!(ollama.default_model, None, "what is installed there, nobody knows");
}

#[test]
fn a_broken_catalogue_stops_all_but_the_embedded_one_and_says_so() {
    let settings = ProviderSettings::new("suite", ProviderKind::Sim);
    let registry = Registry::new([], 0).with_transport(settings, Arc::new(sim("answer: {text: x}")));
    let (_home, registry) = informed(registry, "openai: {modles: {}}\n");
    assert_eq!(registry.get("suite").err().unwrap().code(), Code::File);
    assert!(registry.get(BUILTIN).is_ok());
    for info in registry.infos() {
        assert_eq!(info.available, info.name == BUILTIN, "{info:?}");
    }
    let suite = registry.infos().into_iter().find(|info| info.name == "suite").unwrap();
    assert!(suite.reason.unwrap().contains("did you mean `models`?"));
}
