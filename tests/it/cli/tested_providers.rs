//! `test-providers` and `providers` over HTTP: causes, fixes, and no leaked key.

#[cfg(unix)]
use std::process::{Command, Stdio};

use aludel_core::provider::transport::testing::{ReceivedRequest, Script, ScriptedServer, refusing_url};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::support::{CommandOutput, Home};

/// Looked for in every output.
const KEY: &str = "canary-key-0123456789";

/// A home and a server that runs next to the program.
struct Stage {
    home: Home,
    server: ScriptedServer,
    runtime: Runtime,
}

impl Stage {
    /// A server with these answers, and a configuration in which `{url}` is its address.
    fn open(configuration: &str, answer: impl Fn(&ReceivedRequest) -> Script + Send + Sync + 'static) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let server = runtime.block_on(ScriptedServer::answering(answer));
        let home = Home::new();
        home.config(&configuration.replace("{url}", server.url()).replace("{key}", KEY));
        Self { home, server, runtime }
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        let said = self.home.run(arguments);
        assert!(!format!("{said:?}").contains("canary"), "a key is shown: {said:?}");
        said
    }

    /// Tests one provider and returns its row.
    fn test(&self, name: &str) -> Value {
        let said = self.run(&["test-providers", name, "--format", "json", "--timeout", "20"]);
        let tests = said.json();
        assert_eq!(said.code, if tests["ok"] == true { 0 } else { 6 }, "{tests}");
        tests["providers"][0].clone()
    }
}

/// The checks that were not skipped, with their results.
fn verdicts(test: &Value) -> Vec<String> {
    let checks = test["checks"].as_array().expect("checks").iter();
    let shown = checks.filter(|check| check["status"] != "skipped");
    shown.map(|check| format!("{} {}", check["name"], check["status"]).replace('"', "")).collect()
}

/// The detail of the check that failed.
fn failure(test: &Value) -> &str {
    let mut checks = test["checks"].as_array().expect("checks").iter();
    let failed = checks.find(|check| check["status"] == "failed").unwrap_or_else(|| panic!("none failed: {test}"));
    failed["detail"].as_str().expect("a detail")
}

/// An OpenAI server with the models `gpt-6-luna` and `text-embedding-3-small`.
fn openai(request: &ReceivedRequest) -> Script {
    let model = request.json()["model"].as_str().unwrap_or_default().to_owned();
    match request.path.as_str() {
        "/v1/models" => Script::json(
            200,
            &json!({ "object": "list", "data": [model_named("gpt-6-luna"), model_named("text-embedding-3-small")] }),
        ),
        _ if request.header("authorization") != Some(&format!("Bearer {KEY}")) => {
            let message = format!("Incorrect API key provided: {}.", request.header("authorization").unwrap_or("none"));
            Script::json(401, &json!({ "error": { "message": message, "code": "invalid_api_key" } }))
        }
        "/v1/chat/completions" if model == "gpt-6-luna" => Script::events([
            chunk(&json!([{ "index": 0, "delta": { "content": "ready" }, "finish_reason": null }]), &Value::Null),
            chunk(&json!([{ "index": 0, "delta": { "content": " steady go" }, "finish_reason": null }]), &Value::Null),
            chunk(&json!([{ "index": 0, "delta": {}, "finish_reason": "stop" }]), &Value::Null),
            chunk(&json!([]), &json!({ "prompt_tokens": 20, "completion_tokens": 4, "total_tokens": 24 })),
            "[DONE]".to_owned(),
        ]),
        "/v1/embeddings" => Script::json(
            200,
            &json!({
                "object": "list", "model": model, "usage": { "prompt_tokens": 3, "total_tokens": 3 },
                "data": [{ "object": "embedding", "index": 0, "embedding": vec![0.5; 1536] }]
            }),
        ),
        "/v1/chat/completions" => Script::json(
            404,
            &json!({ "error": { "message": "The model does not exist.", "type": "invalid_request_error", "code": "model_not_found" } }),
        ),
        _ => Script::whole(404, &[("content-type", "text/html")], "<html>Not Found</html>"),
    }
}

fn model_named(id: &str) -> Value {
    json!({ "id": id, "object": "model", "created": 1_790_000_000, "owned_by": "openai" })
}

fn chunk(choices: &Value, usage: &Value) -> String {
    json!({ "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-6-luna", "choices": choices, "usage": usage })
        .to_string()
}

/// An Ollama server with only these models.
fn ollama(models: &'static [&'static str]) -> impl Fn(&ReceivedRequest) -> Script + Send + Sync {
    move |request| match request.path.as_str() {
        "/api/version" => Script::json(200, &json!({ "version": "0.14.2" })),
        "/api/tags" => {
            let listed: Vec<Value> = models.iter().map(|name| json!({ "name": name, "model": name })).collect();
            Script::json(200, &json!({ "models": listed }))
        }
        "/api/chat" => {
            let model = request.json()["model"].as_str().unwrap_or_default().to_owned();
            if !models.contains(&model.as_str()) {
                return Script::json(404, &json!({ "error": format!("model '{model}' not found") }));
            }
            Script::lines([
                json!({ "model": model, "message": { "role": "assistant", "content": "ready " }, "done": false }).to_string(),
                json!({ "model": model, "message": { "role": "assistant", "content": "steady go" }, "done": false }).to_string(),
                json!({ "model": model, "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop",
                        "prompt_eval_count": 20, "eval_count": 4 })
                .to_string(),
            ])
        }
        _ => Script::whole(404, &[], "404 page not found"),
    }
}

const OPENAI: &str = "providers:
  mine: {kind: openai, base_url: '{url}/v1', api_key: {key}, model: gpt-6-luna, embedding_model: text-embedding-3-small, max_retries: 0}
";

#[test]
fn a_provider_in_order_passes_every_check_with_one_chat_call() {
    let stage = Stage::open(OPENAI, openai);
    let test = stage.test("mine");
    let all = ["reachable ok", "key ok", "model ok", "streaming ok", "embeddings ok"];
    assert_eq!(verdicts(&test), all, "{test}");
    assert_eq!((&test["model"], &test["total_tokens"]), (&json!("gpt-6-luna"), &json!(27)));
    assert_eq!(test["checks"][4]["detail"], "`text-embedding-3-small` gives 1536 dimensions");
    assert!(test["cost_usd"].as_f64().is_some_and(|cost| cost > 0.0 && cost < 0.001), "{test}");
    let paths: Vec<String> = stage.server.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/v1/chat/completions", "/v1/embeddings"]);
    let text = stage.run(&["test-providers", "mine"]).quietly_done().stdout;
    assert!(text.contains("works, embeds") && text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_key_that_is_refused_is_told_by_where_it_comes_from() {
    let configured = OPENAI.replace("{key}", "canary-wrong-0123456789");
    let from_command = OPENAI.replace("api_key: {key}", "api_key_cmd: echo canary-wrong-0123456789");
    let none = OPENAI.replace(" api_key: {key},", "");
    for (configuration, hint) in [
        (&configured, "`providers.mine.api_key`"),
        (&from_command, "`providers.mine.api_key_cmd`"),
        (&none, "`providers.mine.api_key`"),
    ] {
        let test = Stage::open(configuration, openai).test("mine");
        assert_eq!(verdicts(&test), ["reachable ok", "key failed"], "{test}");
        assert!(failure(&test).contains(hint), "{test}");
    }
    let stage = Stage::open(&none, openai);
    let wrong = [("MINE_API_KEY", "canary-wrong-0123456789")];
    let said = stage.home.run_with_env(&["test-providers", "mine"], &wrong);
    assert!(said.code == 6 && said.stdout.contains("MINE_API_KEY") && !said.stdout.contains("canary"), "{said:?}");
    let right = stage.home.run_with_env(&["test-providers", "mine", "--format", "json"], &[("MINE_API_KEY", KEY)]);
    assert_eq!(right.done().json()["providers"][0]["checks"][1]["detail"], "MINE_API_KEY is accepted");
}

#[test]
fn a_model_that_is_not_there_is_told_with_the_near_ones() {
    let stage = Stage::open(&OPENAI.replace("model: gpt-6-luna", "model: gpt-6-lunar"), openai);
    let test = stage.test("mine");
    assert_eq!(verdicts(&test), ["reachable ok", "key ok", "model failed"], "{test}");
    assert_eq!(failure(&test), "there is no model `gpt-6-lunar`: correct `providers.mine.model`; it has `gpt-6-luna`");
    assert_eq!(verdicts(&stage.test("mine/gpt-6-luna")).len(), 5);
    assert!(failure(&stage.test("mine/nobody")).contains("name another model"));
}

#[test]
fn an_address_that_is_wrong_is_told() {
    let stage = Stage::open(&OPENAI.replace("{url}/v1", "{url}/v2"), openai);
    let test = stage.test("mine");
    assert_eq!(verdicts(&test), ["reachable failed"], "{test}");
    assert!(failure(&test).contains("`providers.mine.base_url`"), "{test}");

    let nobody = stage.runtime.block_on(refusing_url());
    let refused = Stage::open(&OPENAI.replace("{url}", &nobody), openai).test("mine");
    assert_eq!(verdicts(&refused), ["reachable failed"]);
    assert!(failure(&refused).contains("refused") && failure(&refused).contains("`providers.mine.base_url`"));

    let secure = stage.runtime.block_on(ScriptedServer::start_tls([Script::whole(200, &[], "")]));
    let untrusted = Stage::open(&OPENAI.replace("{url}", secure.url()), openai).test("mine");
    assert_eq!(verdicts(&untrusted), ["reachable failed"]);
    assert!(failure(&untrusted).contains("`providers.mine.ca_file`"), "{untrusted}");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_test_and_its_call() {
    let stage = Stage::open(OPENAI, |_| Script::nothing().hang());
    let mut command = stage.home.command();
    command.args(["test-providers", "mine"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("it starts");
    assert!(stage.runtime.block_on(stage.server.until_asked(1)));
    let status = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(status.expect("a shell").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0));
    assert!(stage.runtime.block_on(stage.server.until_closed(0)));
}

#[test]
fn an_ollama_without_the_model_is_told_to_pull_it() {
    let configuration = "providers:\n  ollama: {base_url: '{url}', model: 'qwen3:8b', max_retries: 0}\n";
    let stage = Stage::open(configuration, ollama(&["gemma3:latest"]));
    let test = stage.test("ollama");
    assert_eq!(verdicts(&test), ["reachable ok", "model failed"], "{test}");
    assert!(failure(&test).contains("`ollama pull qwen3:8b`") && failure(&test).contains("`gemma3:latest`"), "{test}");
    let well = Stage::open(configuration, ollama(&["qwen3:8b"])).test("ollama");
    assert_eq!(verdicts(&well), ["reachable ok", "model ok", "streaming ok"], "{well}");
    assert_eq!(well["cost_usd"], 0.0);
}

#[test]
fn an_ollama_that_runs_is_found_and_tested_with_a_model_it_has() {
    let stage = Stage::open("generation: {default_count: 1}\n", ollama(&["nomic-embed-text:latest", "gemma3:latest"]));
    let host = [("OLLAMA_HOST", stage.server.url())];
    let listed = stage.home.run_with_env(&["providers", "--models", "--format", "json"], &host).quietly_done().json();
    let of = |name: &str| {
        let providers = listed["providers"].as_array().expect("providers").iter();
        providers.clone().find(|it| it["name"] == name).expect("the provider").clone()
    };
    assert_eq!((&of("ollama")["available"], &of("openai")["available"]), (&json!(true), &json!(false)));
    assert_eq!(of("ollama")["models"], json!(["nomic-embed-text:latest", "gemma3:latest"]));
    let tests = stage.home.run_with_env(&["test-providers", "--format", "json"], &host).quietly_done().json();
    let tested = tests["providers"].as_array().expect("tests").iter().find(|it| it["name"] == "ollama").expect("it");
    assert_eq!((&tested["ok"], &tested["model"]), (&json!(true), &json!("gemma3:latest")));

    let empty = Stage::open("generation: {default_count: 1}\n", ollama(&[]));
    let said = empty.home.run_with_env(&["test-providers"], &[("OLLAMA_HOST", empty.server.url())]).quietly_done();
    assert!(said.stdout.contains("`ollama pull gemma3`"), "{}", said.stdout);
}

#[test]
fn a_key_and_an_ollama_are_pointed_out_once() {
    let stage = Stage::open("generation: {default_count: 1}\n", ollama(&["gemma3:latest"]));
    let surroundings = [("OLLAMA_HOST", stage.server.url()), ("OPENAI_API_KEY", KEY)];
    let run = |arguments: &[&str]| {
        stage.home.run_with_env(&[&["generate", "Name a boat"], arguments].concat(), &surroundings)
    };
    for silent in [&["--quiet"][..], &["--format", "json"]] {
        assert!(!run(silent).done().stderr.contains("--provider"), "{silent:?}");
    }
    assert!(!stage.home.data().join("told.json").exists());
    let first = run(&[]).done().stderr;
    assert!(first.contains("OPENAI_API_KEY is set, so `openai` can be used: pass --provider openai"), "{first}");
    assert!(first.contains("Ollama runs at") && first.contains("--provider ollama"), "{first}");
    assert!(!first.contains("canary"));
    let second = run(&[]).done();
    assert!(!second.stderr.contains("--provider"), "{}", second.stderr);
    assert!(second.stdout.contains("builtin"), "a newcomer binds nothing");
    let asked = stage.server.requests().len();
    run(&[]).done();
    assert_eq!(stage.server.requests().len(), asked, "who was pointed out is not looked for again");

    let bare = Home::new();
    let said = bare.run_with_env(&["generate", "Name a boat", "--no-save"], &surroundings).done();
    assert!(!said.stderr.contains("--provider") && !bare.data().exists(), "{}", said.stderr);
}

#[test]
fn who_is_configured_or_asked_for_is_not_pointed_out() {
    let configuration = "providers:\n  builtin: {}\n  mine: {kind: openai, api_key: {key}}\n";
    let stage = Stage::open(configuration, ollama(&["gemma3:latest"]));
    let said = stage.home.run_with_env(&["generate", "Name a boat"], &[("OPENAI_API_KEY", KEY)]).done();
    assert!(!said.stderr.contains("--provider"), "{}", said.stderr);
    let host = [("OLLAMA_HOST", stage.server.url())];
    let asked = ["generate", "Name a boat", "--count", "1", "--provider", "ollama/gemma3:latest"];
    assert!(!stage.home.run_with_env(&asked, &host).done().stderr.contains("can be used"));
    let later = stage.home.run_with_env(&["generate", "Name a boat"], &host).done();
    assert!(!later.stderr.contains("can be used"), "{}", later.stderr);
}

#[cfg(unix)]
#[test]
fn a_home_that_cannot_be_written_is_no_error_and_no_nuisance() {
    let stage = Stage::open("generation: {default_count: 1}\n", ollama(&["gemma3:latest"]));
    stage.home.write(".aludel/told.json/in-the-way", "");
    let said = stage.home.run_with_env(&["generate", "Name a boat"], &[("OPENAI_API_KEY", KEY)]).done();
    assert!(!said.stderr.contains("told.json") && !said.stderr.contains("--provider"), "{}", said.stderr);
}
