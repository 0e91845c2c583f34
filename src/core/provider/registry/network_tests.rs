//! Networked providers: each protocol through the whole stack, missing keys and models, embeddings.

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};

use super::*;
use crate::config::Secret;
use crate::error::Code;
use crate::ledger::Account;
use crate::provider::embedding::Purpose;
use crate::provider::settings::KeySource;
use crate::provider::sim::testing::request;
use crate::provider::transport::testing::{Script, ScriptedServer};
use crate::provider::{ChatRequest, Chunk, complete};

const CANARY: &str = "canary-key-of-the-registry-tests";

fn keyed(kind: ProviderKind, base_url: Option<String>) -> ProviderSettings {
    crate::redact::register(CANARY);
    let key = KeySource::Given(Secret::from(CANARY));
    ProviderSettings { base_url, key, ..ProviderSettings::new(kind.as_str(), kind) }
}

/// A provider of this kind at `server`, with the model `m`.
fn at(server: &ScriptedServer, kind: ProviderKind, root: &str) -> Registry {
    let settings = ProviderSettings { model: Some("m".into()), ..keyed(kind, Some(format!("{}{root}", server.url()))) };
    Registry::new([settings], 0)
}

/// Each protocol's root, chat path and key header.
const PROTOCOLS: [(ProviderKind, &str, &str, &str); 5] = [
    (ProviderKind::OpenAi, "/v1", "/v1/chat/completions", "authorization"),
    (ProviderKind::Anthropic, "", "/v1/messages", "x-api-key"),
    (ProviderKind::Google, "/v1beta", "/v1beta/models/m:streamGenerateContent?alt=sse", "x-goog-api-key"),
    (ProviderKind::OpenRouter, "/api/v1", "/api/v1/chat/completions", "authorization"),
    (ProviderKind::Ollama, "", "/api/chat", "authorization"),
];

/// A recorded answer of this kind, sent in small pieces.
fn recorded(kind: ProviderKind) -> Script {
    let (file, content_type) = match kind {
        ProviderKind::Ollama => ("text.ndjson", "application/x-ndjson"),
        _ => ("text.sse", "text/event-stream; charset=utf-8"),
    };
    let path = format!("{}/../../tests/fixtures/wire/{kind}/{file}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(path).unwrap();
    bytes.chunks(61).fold(Script::stream(content_type), Script::chunk).end()
}

#[tokio::test]
async fn each_protocol_answers_through_the_whole_stack() {
    for (kind, root, path, header) in PROTOCOLS {
        let server = ScriptedServer::start([recorded(kind)]).await;
        let registry = at(&server, kind, root);
        let (text, completion) = complete(&*registry.get(kind.as_str()).unwrap(), request(0)).await.unwrap();
        assert!(text.starts_with("A default answer, long enough to be split"), "{kind}: {text}");
        assert_eq!((completion.provider.as_str(), completion.retries), (kind.as_str(), 0));
        assert!(completion.first_token.unwrap() <= completion.latency);
        let mut asked = server.requests().remove(0);
        assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", path), "{kind}");
        assert!(asked.header(header).unwrap().ends_with(CANARY), "{kind}");
        asked.headers.retain(|(name, _)| name != header);
        assert!(!format!("{asked:?} {}", asked.json()).contains("canary"), "{kind}: {asked:?}");
    }
}

#[tokio::test]
async fn the_stack_retries_waits_as_told_and_tells_nobody_the_key() {
    for (kind, root, _, _) in PROTOCOLS {
        let busy = Script::whole(503, &[("retry-after", "0")], format!("<title>Busy with {CANARY}</title>"));
        let server = ScriptedServer::start([busy, recorded(kind)]).await;
        let registry = at(&server, kind, root);
        let chunks: Vec<_> = registry.get(kind.as_str()).unwrap().stream(request(0)).collect().await;
        assert!(!format!("{chunks:?}").contains("canary"), "{kind}: {chunks:?}");
        let retrying = chunks.iter().find_map(|chunk| match chunk {
            Ok(Chunk::Retrying { delay, error, .. }) => Some((*delay, error.upstream_status)),
            _ => None,
        });
        assert_eq!(retrying, Some((Duration::ZERO, Some(503))), "{kind}: {chunks:?}");
        let Some(Ok(Chunk::Done(done))) = chunks.last() else { panic!("{kind}: {chunks:?}") };
        assert_eq!(done.retries, 1, "{kind}");
    }
}

#[test]
fn a_service_that_wants_a_key_says_which_variable_may_hold_it() {
    let registry = Registry::new([ProviderSettings::new("groq", ProviderKind::OpenAi)], 0);
    for (name, variables) in [
        ("groq", "GROQ_API_KEY, or `providers.groq.api_key`"),
        ("openai", "OPENAI_API_KEY, or `providers.openai.api_key`"),
        ("anthropic", "ANTHROPIC_API_KEY, or"),
        ("google", "GOOGLE_API_KEY or GEMINI_API_KEY, or"),
        ("openrouter", "OPENROUTER_API_KEY, or"),
    ] {
        let error = registry.get(name).err().unwrap();
        assert_eq!(error.code(), Code::ProviderAuth);
        assert!(error.to_string().contains(&format!("no key: set {variables}")), "{error}");
        let info = registry.infos().into_iter().find(|info| info.name == name).unwrap();
        assert!(!info.available && info.reason.unwrap().contains(variables), "{name}");
    }
    assert!(registry.get("ollama").is_ok(), "a local one needs none");
}

#[test]
fn a_server_of_ones_own_and_a_header_of_ones_own_need_no_key() {
    let local = ProviderSettings {
        base_url: Some("http://127.0.0.1:8000/v1".into()),
        ..ProviderSettings::new("vllm", ProviderKind::OpenAi)
    };
    let mut with_header = ProviderSettings::new("anthropic", ProviderKind::Anthropic);
    with_header.headers.insert("X-Api-Key".into(), Secret::from("k"));
    let mut with_another = ProviderSettings::new("openrouter", ProviderKind::OpenRouter);
    with_another.headers.insert("X-Api-Key".into(), Secret::from("k"));
    let registry = Registry::new([local, with_header, with_another], 0);
    let available = |name: &str| registry.infos().iter().any(|info| info.name == name && info.available);
    assert!(available("vllm") && registry.get("vllm").is_ok());
    assert!(available("anthropic") && registry.get("anthropic").is_ok());
    assert!(!available("openrouter"));
}

#[test]
fn what_is_not_called_makes_no_client() {
    let registry = Registry::new([keyed(ProviderKind::OpenAi, None)], 0);
    registry.infos();
    registry.get("openai").unwrap();
    registry.embedder("openai", None, None).unwrap();
    drop(registry.models("openai").unwrap());
    assert!(registry.clients.is_empty());
}

#[test]
fn every_provider_is_listed_with_where_it_is_reached() {
    let own = keyed(ProviderKind::OpenAi, Some("http://127.0.0.1:8000/v1".into()));
    let registry = Registry::new([own], 0);
    let place = |name: &str| registry.infos().into_iter().find(|info| info.name == name).unwrap().base_url;
    assert_eq!(place("openai").as_deref(), Some("http://127.0.0.1:8000/v1"));
    assert_eq!(place("anthropic").as_deref(), Some("https://api.anthropic.com"));
    assert_eq!(place("ollama").as_deref(), Some("http://localhost:11434"));
    assert_eq!(place("builtin"), None);
    let embeds: Vec<String> =
        registry.infos().into_iter().filter(|info| info.supports_embeddings).map(|info| info.name).collect();
    assert_eq!(embeds, ["openai", "builtin", "google", "ollama"]);
}

#[test]
fn the_embedded_model_is_one_of_its_own_dimensions() {
    let registry = Registry::new([], 0);
    for model in [None, Some(crate::embed::MODEL)] {
        let embedder = registry.embedder("builtin", model, None).unwrap();
        let whose = (embedder.provider(), embedder.model(), embedder.dimensions());
        assert_eq!(whose, ("builtin", "all-minilm-l6-v2", Some(384)));
    }
    let field = |model, dimensions| {
        let error = registry.embedder("builtin", model, std::num::NonZeroUsize::new(dimensions)).err().unwrap();
        error.faults()[0].field.clone()
    };
    assert_eq!(field(Some("other"), 384), "provider");
    assert_eq!(field(None, 256), "dimensions");
    assert!(registry.embedder("anthropic", None, None).err().unwrap().to_string().contains("builtin"));
}

#[tokio::test]
async fn a_vendors_usual_model_is_asked_where_none_is_named_and_an_own_servers_models_are_listed() {
    let server = ScriptedServer::start([recorded(ProviderKind::Anthropic)]).await;
    let registry = Registry::new([keyed(ProviderKind::Anthropic, Some(server.url().to_owned()))], 0);
    let provider = registry.get("anthropic").unwrap();
    let usual = registry.infos()[0].default_model.clone().unwrap();
    assert_eq!(provider.default_model(), usual);
    complete(&*provider, request(0)).await.unwrap();
    assert_eq!(server.requests()[0].json()["model"], Value::from(usual));
    for (kind, root, list) in [
        (ProviderKind::Ollama, "", json!({"models": [{"name": "qwen3:8b", "model": "qwen3:8b"}]})),
        (ProviderKind::OpenAi, "/v1", json!({"object": "list", "data": [{"id": "qwen3:8b", "object": "model"}]})),
    ] {
        let server = ScriptedServer::start([Script::json(200, &list)]).await;
        let registry = Registry::new([keyed(kind, Some(format!("{}{root}", server.url())))], 0);
        assert_eq!(registry.infos()[0].default_model, None, "{kind}");
        let error = complete(&*registry.get(kind.as_str()).unwrap(), request(0)).await.unwrap_err();
        assert_eq!(error.code(), Code::ProviderRejected);
        let told = format!("write `{kind}/MODEL`, or set `providers.{kind}.model`; it has qwen3:8b");
        assert!(error.message.contains(&told), "{error}");
        assert_eq!((server.requests().len(), server.requests()[0].method.as_str()), (1, "GET"));
        assert_eq!(registry.models(kind.as_str()).unwrap().await.unwrap(), ["qwen3:8b"]);
    }
}

#[tokio::test]
async fn a_named_model_is_asked_for() {
    let server = ScriptedServer::start([recorded(ProviderKind::Ollama)]).await;
    let registry = Registry::new([keyed(ProviderKind::Ollama, Some(server.url().to_owned()))], 0);
    let named = ChatRequest { model: Some("qwen3:8b".into()), ..request(0) };
    let (_, completion) = complete(&*registry.get("ollama").unwrap(), named).await.unwrap();
    assert_eq!(server.requests()[0].json()["model"], "qwen3:8b");
    assert_eq!(completion.cost_usd, Some(0.0), "what this machine answers itself costs nothing");
}

#[tokio::test]
async fn those_that_embed_do_and_the_others_say_who_does() {
    let answers = [
        (
            ProviderKind::OpenAi,
            "/v1",
            json!({"data": [{"index": 0, "embedding": [3.0, 4.0]}], "usage": {"prompt_tokens": 2, "total_tokens": 2}}),
        ),
        (ProviderKind::Google, "/v1beta", json!({"embeddings": [{"values": [3.0, 4.0]}]})),
        (ProviderKind::Ollama, "", json!({"model": "m", "embeddings": [[3.0, 4.0]], "prompt_eval_count": 2})),
    ];
    for (kind, root, answer) in answers {
        let server = ScriptedServer::start([Script::json(200, &answer)]).await;
        let registry = Registry::new([keyed(kind, Some(format!("{}{root}", server.url())))], 0);
        let embedder = registry.embedder(kind.as_str(), Some("some-model"), None).unwrap();
        let embedded = embedder.embed(vec!["hello".into()], Purpose::Query, Account::default()).await.unwrap();
        assert_eq!(embedded.vectors, [[0.6, 0.8]], "{kind}");
        assert_eq!(embedder.model(), "some-model");
        assert!(!format!("{:?}", server.requests()[0].json()).contains("canary"));
    }
    let registry = Registry::new([keyed(ProviderKind::Anthropic, None), keyed(ProviderKind::Google, None)], 0);
    let error = registry.embedder("anthropic", None, None).err().unwrap();
    assert_eq!(error.code(), Code::ValidationFailed);
    assert!(error.to_string().contains("openai, google, ollama"), "{error}");
    assert_eq!(registry.embedder("openai", None, None).err().unwrap().code(), Code::ProviderAuth);
    let usual = registry.embedder("google", None, None).unwrap();
    assert!(usual.model().contains("embedding") && usual.dimensions().is_some(), "{}", usual.model());
    let short = registry.embedder("google", None, NonZeroUsize::new(256)).unwrap();
    assert_eq!(short.dimensions(), Some(256));
    let own = keyed(ProviderKind::OpenAi, Some("http://127.0.0.1:1/v1".into()));
    let error = Registry::new([own.clone()], 0).embedder("openai", None, None).err().unwrap();
    assert_eq!(error.faults()[0].field, "providers.openai.embedding_model");
    let own = ProviderSettings { embedding_model: Some("mine".into()), ..own };
    assert_eq!(Registry::new([own], 0).embedder("openai", None, None).unwrap().model(), "mine");
}

#[tokio::test]
async fn the_models_are_those_the_provider_lists() {
    let pages = [
        json!({"data": [{"type": "model", "id": "one"}], "has_more": true, "first_id": "one", "last_id": "one"}),
        json!({"data": [{"type": "model", "id": "two"}], "has_more": false, "first_id": "two", "last_id": "two"}),
    ];
    let server = ScriptedServer::start(pages.map(|page| Script::json(200, &page))).await;
    let registry = Registry::new([keyed(ProviderKind::Anthropic, Some(server.url().to_owned()))], 0);
    assert_eq!(registry.models("anthropic").unwrap().await.unwrap(), ["one", "two"]);
    assert_eq!(server.requests()[0].header("x-api-key"), Some(CANARY));
    assert!(server.requests()[1].path.contains("after_id=one"), "{}", server.requests()[1].path);
    assert_eq!(registry.models("builtin").unwrap().await.unwrap_err().code(), Code::ProviderRejected);
    assert_eq!(registry.models("nonsense").err().unwrap().code(), Code::ValidationFailed);
}

#[tokio::test]
async fn an_ollama_that_runs_is_found_where_it_is_configured() {
    let server = ScriptedServer::start([Script::json(200, &json!({"version": "0.14.2"}))]).await;
    let registry = Registry::new([keyed(ProviderKind::Ollama, Some(server.url().to_owned()))], 0);
    assert_eq!(registry.running_ollama().await.unwrap().version, "0.14.2");
}

#[test]
fn what_cannot_be_reached_so_is_told_with_its_key_of_the_configuration() {
    let wrong = keyed(ProviderKind::OpenAi, Some("http://me:canary@127.0.0.1/v1".into()));
    let error = Registry::new([wrong], 0).get("openai").err().unwrap();
    assert_eq!(error.faults()[0].field, "providers.openai.base_url");
    let missing = ProviderSettings { ca_file: Some("/nowhere/ca.pem".into()), ..keyed(ProviderKind::OpenAi, None) };
    let error = Registry::new([missing], 0).get("openai").err().unwrap();
    assert_eq!(error.code(), Code::File);
    assert!(error.to_string().contains("`providers.openai.ca_file`"), "{error}");
}
