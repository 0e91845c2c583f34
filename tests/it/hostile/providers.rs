//! A provider that answers with terminal sequences in every field.

use aludel_core::provider::transport::testing::{ReceivedRequest, Script, ScriptedServer};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::HOSTILE;
use super::oracle::assert_harmless;
#[cfg(unix)]
use super::oracle::assert_harmless_on_a_terminal;
use crate::support::Home;

/// An OpenAI server with hostile names, texts, reasons, ids, headers and errors.
fn hostile(request: &ReceivedRequest) -> Script {
    let chunk = |delta: &Value, finish: &Value| {
        json!({
            "id": HOSTILE, "object": "chat.completion.chunk", "created": 1, "model": HOSTILE, "system_fingerprint": HOSTILE,
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }]
        })
        .to_string()
    };
    match request.path.as_str() {
        "/v1/models" => {
            let named = |id: &str| json!({ "id": id, "object": "model", "created": 1, "owned_by": HOSTILE });
            Script::json(200, &json!({ "object": "list", "data": [named(HOSTILE), named("fine-1")] }))
        }
        _ if request.json()["model"] == "failing" => {
            let error = json!({ "message": HOSTILE, "type": HOSTILE, "code": HOSTILE, "param": HOSTILE });
            Script::json(400, &json!({ "error": error }))
        }
        "/v1/chat/completions" => Script::events([
            chunk(&json!({ "role": "assistant", "content": format!("Write {HOSTILE} and") }), &Value::Null),
            chunk(&json!({ "content": "\u{1b}" }), &Value::Null),
            chunk(&json!({ "content": "[2J\u{202e}done" }), &Value::Null),
            chunk(&json!({}), &json!("stop")),
            "[DONE]".to_owned(),
        ]),
        _ => Script::whole(404, &[("content-type", "text/plain"), ("x-request-id", "a\tb")], HOSTILE),
    }
}

struct Stage {
    home: Home,
    /// Runs until dropped.
    _server: ScriptedServer,
    _runtime: Runtime,
}

fn stage(model: &str) -> Stage {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let server = runtime.block_on(ScriptedServer::answering(hostile));
    let home = Home::new();
    home.config(&format!(
        "providers:\n  mine: {{kind: openai, base_url: '{}/v1', api_key: k, model: {model}, max_retries: 0}}\n",
        server.url()
    ));
    Stage { home, _server: server, _runtime: runtime }
}

const CALLS: &[&[&str]] = &[
    &["generate", "harbour", "--count", "1"],
    &["generate", "harbour", "--count", "1", "--stream"],
    &["generate", "harbour", "--count", "1", "--quiet", "--stream"],
    &["generate", "harbour", "--count", "1", "--format", "json"],
    &["generate", "harbour", "--count", "1", "--format", "jsonl"],
    &["generate", "harbour", "--count", "2", "--auto-select"],
    &["test-providers"],
    &["test-providers", "--format", "json"],
    &["providers", "--models"],
    &["providers", "--models", "--format", "json"],
    &["list"],
    &["spend"],
    &["--log-level", "trace", "generate", "harbour", "--count", "1"],
];

#[test]
fn what_a_provider_says_does_not_come_through_a_pipe() {
    for model in ["fine-1", "failing"] {
        let stage = stage(model);
        for call in CALLS {
            let said = stage.home.run(call);
            let what = format!("{model} {call:?} exits {}", said.code);
            assert_harmless(&what, &said.stderr);
            // With --quiet, standard output is the prompt alone, verbatim.
            if !call.contains(&"--quiet") {
                assert_harmless(&what, &said.stdout);
            }
        }
        let logs = stage.home.data().join("logs");
        for file in std::fs::read_dir(logs).into_iter().flatten() {
            let path = file.expect("a file").path();
            assert_harmless(&path.display().to_string(), &std::fs::read_to_string(&path).expect("a log"));
        }
    }
}

#[cfg(unix)]
#[test]
fn what_a_provider_says_does_not_drive_a_terminal() {
    for model in ["fine-1", "failing"] {
        let stage = stage(model);
        for call in CALLS {
            let written = crate::cli::on_a_terminal(&stage.home, call);
            assert_harmless_on_a_terminal(&format!("{model} {call:?}"), &written);
        }
    }
}

#[test]
fn the_model_that_was_asked_for_stands_in_for_one_that_is_no_name() {
    let stage = stage("fine-1");
    let said = stage.home.run(&["generate", "harbour", "--count", "1", "--format", "json"]).done();
    let result = said.json();
    assert_eq!(result["prompts"][0]["model"], "fine-1");
    assert_eq!(result["prompts"][0]["steps"][0]["model_metadata"]["model"], "fine-1");
    assert!(result["warnings"].to_string().contains("`fine-1` is recorded"), "{}", result["warnings"]);
    let listed = stage.home.run(&["providers", "--models", "--format", "json"]).stdout;
    assert!(listed.contains("fine-1") && !listed.contains("PWN"), "{listed}");
}
