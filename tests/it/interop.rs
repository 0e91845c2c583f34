//! Tests against independent provider servers: a mock of all five protocols behind a front that
//! checks every request against the vendors' own SDK types and refuses what they would refuse.
//!
//! The servers are not in this repository, so the tests are ignored by default (`.ci/run` runs
//! them): `ALUDEL_STRICT=http://127.0.0.1:4500 ALUDEL_AIMOCK=http://127.0.0.1:4010 cargo test
//! --test it interop -- --ignored`. A refused request never reaches the mock's journal: as many
//! calls there as we made, without an error, mean that none was. Each test has its own name there.

use std::fmt::Write;
use std::io::{Read, Write as _};
use std::net::TcpStream;

use aludel_core::ids::{IdSource, SystemIds};
use serde_json::Value;

use crate::support::Home;

/// One provider and the path of its protocol at the front.
struct Bound {
    name: &'static str,
    kind: &'static str,
    root: &'static str,
    model: &'static str,
    /// The model for embeddings; empty where the protocol does not embed.
    embedding_model: &'static str,
    /// Further headers, as YAML.
    headers: &'static str,
}

const fn bound(kind: &'static str, root: &'static str, model: &'static str, embedding_model: &'static str) -> Bound {
    Bound { name: kind, kind, root, model, embedding_model, headers: "" }
}

const LUNA: Bound = bound("openai", "/v1", "gpt-6-luna", "text-embedding-3-small");
const HAIKU: Bound = bound("anthropic", "", "claude-haiku-5-5", "");
const FLASH: Bound = bound("google", "/v1beta", "gemini-3.8-flash", "gemini-embedding-2");
const ROUTER: Bound = bound("openrouter", "/api/v1", "anthropic/claude-haiku-5.5", "");
const LOCAL: Bound = bound("ollama", "", "qwen3:8b", "nomic-embed-text");

/// The address in an environment variable of the test run.
#[expect(clippy::disallowed_methods, reason = "where the counterparts listen is told from outside")]
fn address(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| panic!("{variable} names no counterpart; see the head of this file"))
}

/// A name unique to this run, as the servers can outlive one.
fn unique(test: &str) -> String {
    format!("{test}-{}", SystemIds.session())
}

/// A home with these providers, whose calls the journal shows under `test`.
fn home(test: &str, providers: &[&Bound]) -> Home {
    let base = address("ALUDEL_STRICT");
    let mut yaml = String::from("providers:\n");
    for Bound { name, kind, root, model, embedding_model, headers } in providers {
        write!(yaml, "  {name}: {{kind: {kind}, base_url: \"{base}{root}\", api_key: test-key, max_retries: 0")
            .expect("a string takes all");
        write!(yaml, ", model: \"{model}\", headers: {{X-Test-Id: {test}{headers}}}").expect("a string takes all");
        if !embedding_model.is_empty() {
            write!(yaml, ", embedding_model: {embedding_model}").expect("a string takes all");
        }
        yaml.push_str("}\n");
    }
    let home = Home::new();
    home.config(&yaml);
    home
}

/// The calls that reached the mock under this name, oldest first.
fn journal(test: &str) -> Vec<Value> {
    let base = address("ALUDEL_AIMOCK");
    let host = base.trim_start_matches("http://");
    let mut socket = TcpStream::connect(host).expect("the mock listens");
    write!(socket, "GET /__aimock/journal?limit=10000 HTTP/1.0\r\nhost: {host}\r\n\r\n").expect("a request");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("an answer");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
    let calls: Vec<Value> = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error} in the journal"));
    calls.into_iter().filter(|call| call["headers"]["x-test-id"] == test).collect()
}

/// Runs three phases of two variants and returns the calls the mock received.
fn generated(test: &str, providers: &[&Bound], arguments: &[&str]) -> (Value, Vec<Value>) {
    let test = &unique(test);
    let home = home(test, providers);
    let idea = "Write a letter that declines an invitation";
    let said = home.run(&[&["generate", idea, "--count", "2", "--format", "json"], arguments].concat()).done();
    let calls = journal(test);
    assert_eq!(calls.len(), 6, "a request was refused before it reached the mock: {}", said.stderr);
    assert!(calls.iter().all(|call| call["response"]["status"] == 200), "{calls:?}");
    let result = said.json();
    assert_eq!(
        (result["model_metadata"]["calls"].as_u64(), result["model_metadata"]["retries"].as_u64()),
        (Some(6), Some(0))
    );
    assert_eq!(result["failures"], serde_json::json!([]));
    let texts: Vec<&str> =
        result["prompts"].as_array().expect("prompts").iter().filter_map(|p| p["content"].as_str()).collect();
    assert!(texts.len() == 2 && texts.iter().all(|text| text.contains("ünïcödé ✓ 日本語")), "{texts:?}");
    (result, calls)
}

/// A member that is the same in all request bodies.
fn asked<'a>(calls: &'a [Value], pointer: &str) -> Option<&'a Value> {
    let first = calls[0]["body"].pointer(pointer);
    assert!(calls.iter().all(|call| call["body"].pointer(pointer) == first), "{pointer} differs");
    first
}

#[test]
#[ignore = "needs the counterparts"]
fn a_reasoning_model_of_openai_is_asked_without_temperature() {
    let (result, calls) = generated("openai-reasoning", &[&LUNA], &[]);
    assert_eq!(asked(&calls, "/temperature"), None);
    assert!(result["warnings"].to_string().contains("temperature"), "{}", result["warnings"]);
}

#[test]
#[ignore = "needs the counterparts"]
fn a_sampling_model_of_openai_gets_its_temperature() {
    let (result, calls) =
        generated("openai-sampling", &[&Bound { model: "gpt-4.1", ..LUNA }], &["--temperature", "0.3"]);
    assert_eq!(asked(&calls, "/temperature"), Some(&serde_json::json!(0.3)));
    assert_eq!(result["warnings"], serde_json::json!([]));
}

#[test]
#[ignore = "needs the counterparts"]
fn a_claude_of_the_newer_api_is_asked_without_temperature() {
    let newer = Bound { headers: ", anthropic-version: \"2026-10-21\"", ..HAIKU };
    let (_, calls) = generated("anthropic-newer", &[&newer], &[]);
    assert_eq!(calls[0]["headers"]["anthropic-version"], "2026-10-21");
    assert!(calls.iter().all(|call| call["body"].get("temperature").is_none()));
    let (_, calls) = generated("anthropic-current", &[&HAIKU], &[]);
    assert!(calls.iter().all(|call| call["body"].get("temperature").is_none()));
}

#[test]
#[ignore = "needs the counterparts"]
fn a_claude_of_the_older_api_gets_its_temperature() {
    let (result, calls) =
        generated("anthropic-older", &[&Bound { model: "claude-haiku-4-5", ..HAIKU }], &["--temperature", "0.3"]);
    assert_eq!(calls[0]["headers"]["anthropic-version"], "2023-06-01");
    assert_eq!(result["warnings"], serde_json::json!([]));
}

#[test]
#[ignore = "needs the counterparts"]
fn geminis_of_both_generations_answer_at_both_roots() {
    generated("google-3", &[&FLASH], &[]);
    generated("google-3-stable-root", &[&Bound { root: "/v1", ..FLASH }], &[]);
    let older = Bound { model: "gemini-2.5-flash", ..FLASH };
    let (result, _) = generated("google-2", &[&older], &["--temperature", "0.3"]);
    assert_eq!(result["warnings"], serde_json::json!([]));
}

#[test]
#[ignore = "needs the counterparts"]
fn openrouter_and_ollama_answer() {
    generated("openrouter", &[&ROUTER], &[]);
    generated("ollama", &[&LOCAL], &[]);
}

#[test]
#[ignore = "needs the counterparts"]
fn three_providers_share_the_phases_of_one_run() {
    let test = &unique("three-providers");
    let home = home(test, &[&LUNA, &HAIKU, &FLASH]);
    let bindings = [("prima-materia", "google"), ("solutio", "anthropic"), ("coagulatio", "openai")];
    for (phase, provider) in bindings {
        home.run(&["config", "set", &format!("phases.{phase}.provider"), provider]).done();
    }
    let result = home.run(&["generate", "Name a cat", "--count", "2", "--format", "json"]).done().json();
    let steps = result["prompts"][0]["steps"].as_array().expect("steps").clone();
    let said: Vec<_> = steps.iter().map(|step| (step["phase"].as_str(), step["provider"].as_str())).collect();
    assert_eq!(said, bindings.map(|(phase, provider)| (Some(phase), Some(provider))));
    let calls = journal(test);
    assert_eq!(calls.len(), 6);
    assert!(calls.iter().all(|call| call["response"]["status"] == 200), "{calls:?}");
}

#[test]
#[ignore = "needs the counterparts"]
fn structured_answers_are_asked_for_in_each_vendors_own_form() {
    for (test, provider) in [
        ("judge-openai", &LUNA),
        ("judge-anthropic", &HAIKU),
        ("judge-google", &FLASH),
        ("judge-openrouter", &ROUTER),
        ("judge-ollama", &LOCAL),
    ] {
        let test = &unique(test);
        let home = home(test, &[provider]);
        // The mock answers prose, so the judge reaches no verdict; what counts is that its requests
        // were accepted. Equal texts, like the mock's, are not compared.
        let made = home.run(&["generate", "Name a cat", "--count", "1", "--format", "json"]).done().json();
        let id = made["prompts"][0]["id"].as_str().expect("an id");
        home.run(&["update", id, "--content", "Name a cat, and say why."]).done();
        home.run(&["select", id, "@last"]).failed(6);
        let calls = journal(test);
        let spent = home.run(&["spend", "--format", "json"]).done().json();
        assert!(calls.len() > 3, "{test}: the judge asked nothing");
        assert_eq!(spent["total"]["calls"].as_u64(), Some(calls.len() as u64), "{test}: a request was refused");
        assert!(calls.iter().all(|call| call["response"]["status"] == 200), "{calls:?}");
    }
}

#[test]
#[ignore = "needs the counterparts"]
fn every_provider_passes_its_own_test() {
    let providers = [&LUNA, &HAIKU, &FLASH, &ROUTER, &LOCAL];
    let home = home(&unique("test-providers"), &providers);
    let report = home.run(&["test-providers", "--format", "json"]).done().json();
    let tested = report["providers"].as_array().expect("providers");
    for Bound { name, embedding_model, .. } in providers {
        let provider = tested.iter().find(|tested| tested["name"] == *name).expect("it was tested");
        assert_eq!(provider["ok"], true, "{provider:#}");
        let status = |check: &str| {
            let checks = provider["checks"].as_array().expect("checks");
            checks.iter().find(|found| found["name"] == check).map(|found| found["status"].clone())
        };
        for check in ["reachable", "key", "model", "streaming"] {
            assert_eq!(status(check), Some("ok".into()), "{check}: {provider:#}");
        }
        let embeds = !embedding_model.is_empty();
        assert_eq!(status("embeddings") == Some("ok".into()), embeds, "{provider:#}");
    }
}
