//! The four faces compared: which operations each has, one success, and every bad input they share.
//!
//! The table is built from the faces' own sources: the tree of commands, the routes, the tools and
//! the workbench's actions. A gap in it is a visible decision. A request is written once, as raw
//! JSON, and given to each face in its own form; the results must be equal but for names and times.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use aludel::cli;
use aludel::server::{mcp, rest};
use aludel::tui;
use aludel_core::domain::{Operation, PromptFields};
use aludel_core::error::Problem;
use aludel_core::operation::{self, Face};
use axum::body::Body;
use serde_json::{Map, Value, json};

use crate::mcp::Wire;
use crate::rest::{Api, request};
use crate::seeded::{Seeded, without_chance};
use crate::support::{CommandOutput, Home};

const SCRIPT: &str = "answer: echo";

/// The columns, in this order.
#[derive(Default)]
struct Row {
    cli: Vec<String>,
    rest: Vec<String>,
    mcp: Vec<String>,
    tui: Vec<String>,
}

/// Every command that acts, by its path: `config show`.
fn commands(command: &clap::Command, path: &str) -> Vec<String> {
    let inner: Vec<String> = command
        .get_subcommands()
        // It describes the others and does nothing itself.
        .filter(|inner| inner.get_name() != "help")
        .flat_map(|inner| commands(inner, format!("{path} {}", inner.get_name()).trim_start()))
        .collect();
    // A command that acts alone, and differently with a subcommand.
    let acts_alone = inner.is_empty() || Operation::parse(path).is_some();
    if acts_alone { std::iter::once(path.to_owned()).chain(inner).collect() } else { inner }
}

#[test]
fn the_operations_of_every_face_are_as_reviewed() {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let mut tree = cli::command_tree();
    tree.build();
    for path in commands(&tree, "") {
        rows.entry(path.clone()).or_default().cli.push(path);
    }
    for route in rest::ROUTES {
        rows.entry(route.operation.to_string()).or_default().rest.push(format!("{} {}", route.method, route.path));
    }
    for tool in mcp::TOOLS {
        rows.entry(tool.operation.to_string()).or_default().mcp.push(tool.name.into());
    }
    for action in tui::actions() {
        if let Some(operation) = action.operation {
            rows.entry(operation.to_string()).or_default().tui.push(action.id.into());
        }
    }
    let mut table = format!("{:<18} {:<18} {:<40} {:<22} tui\n", "operation", "cli", "rest", "mcp");
    for (operation, row) in rows {
        let cell = |names: Vec<String>| if names.is_empty() { "-".to_owned() } else { names.join(", ") };
        let Row { cli, rest, mcp, tui } = row;
        let _ = writeln!(table, "{operation:<18} {:<18} {:<40} {:<22} {}", cell(cli), cell(rest), cell(mcp), cell(tui));
    }
    insta::assert_snapshot!(table);
}

/// The compiler checks the lists of the other faces against the table of operations.
#[test]
fn the_commands_are_those_of_the_table_of_operations() {
    let mut tree = cli::command_tree();
    tree.build();
    let listed: Vec<Operation> = commands(&tree, "")
        .iter()
        .map(|path| Operation::parse(path).unwrap_or_else(|| panic!("`{path}` is no operation")))
        .collect();
    assert!(operation::has_all(Face::Cli, &listed), "{listed:?}");
    for operation in listed {
        let words = operation.as_str().split(' ');
        let command = words.fold(&tree, |command, name| command.find_subcommand(name).expect("a command"));
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        assert!(about.starts_with(operation::of(operation).about), "{operation}: {about}");
    }
}

/// The result or the problem of a request, by a face.
type FaceResult = Result<Value, Value>;

/// A problem without its request id, which differs each time.
fn told(problem: &Problem) -> Value {
    let mut value = serde_json::to_value(problem).expect("JSON");
    value.as_object_mut().expect("an object").remove("request_id");
    value
}

/// A raw generation request as command-line arguments; standard input has the idea.
fn arguments(raw: &Value) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    };
    let fields = raw.as_object().expect("an object");
    let mut arguments = ["generate", "-", "--format", "json"].map(str::to_owned).to_vec();
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("input", _) => {}
            ("auto_select", Value::Bool(true)) => arguments.push("--auto-select".into()),
            ("save", Value::Bool(false)) => arguments.push("--no-save".into()),
            ("context", Value::Array(texts)) => {
                arguments.extend(texts.iter().map(|given| format!("--context={}", text(given))));
            }
            ("timeout_s", value) => arguments.push(format!("--timeout={}", text(value))),
            (name, value) => arguments.push(format!("--{}={}", name.replace('_', "-"), text(value))),
        }
    }
    arguments
}

fn by_cli(script: &str, raw: &Value) -> FaceResult {
    let home = Home::new();
    home.sim("sim", script);
    let arguments = arguments(raw);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let said = home.run_with_stdin(&arguments, raw["input"].as_str().expect("an idea").as_bytes());
    if said.code == 0 { Ok(said.json()) } else { Err(refused(&said)) }
}

/// The problem of a command, which must exit with its code.
fn refused(said: &CommandOutput) -> Value {
    let problem: Problem = serde_json::from_value(said.problem()).expect("a problem");
    assert_eq!(said.code, i32::from(problem.code.row().exit), "{}", said.stderr);
    told(&problem)
}

async fn by_rest(script: &str, raw: &Value) -> FaceResult {
    let api = Api::new(Seeded::with_script(script, ""));
    let reply = api.post("/api/v1/prompts/generate", raw).await;
    if reply.status == 200 { Ok(reply.json()) } else { Err(told(&reply.problem())) }
}

async fn by_mcp(script: &str, raw: &Value) -> FaceResult {
    let mut wire = Wire::newer(Seeded::with_script(script, ""));
    by_tool(&mut wire, "generate_prompts", raw.clone()).await
}

async fn by_tool(wire: &mut Wire, tool: &str, raw: Value) -> FaceResult {
    let result = wire.call(tool, raw).await;
    if result["isError"] == false {
        return Ok(result["structuredContent"].clone());
    }
    let text = result["content"][0]["text"].as_str().expect("text");
    Err(told(&serde_json::from_str(text).expect("a problem")))
}

async fn by_tui(script: &str, raw: &Value) -> FaceResult {
    let seeded = Seeded::with_script(script, "");
    match tui::headless::run(seeded.engine.clone(), raw.clone()).await {
        Ok(view) => Ok(serde_json::to_value(view.generation().expect("a result")).expect("JSON")),
        Err(problem) => Err(told(&problem)),
    }
}

async fn by_all(script: &str, raw: &Value) -> [(&'static str, FaceResult); 4] {
    [
        ("rest", by_rest(script, raw).await),
        ("cli", by_cli(script, raw)),
        ("mcp", by_mcp(script, raw).await),
        ("tui", by_tui(script, raw).await),
    ]
}

#[tokio::test]
async fn the_same_request_gives_the_same_result_by_every_face() {
    let raw = json!({
        "input": "Write a function that finds prime numbers", "count": 2, "persona": "code",
        "phases": ["prima-materia", "coagulatio"], "temperature": 0.3, "max_tokens": 900,
        "tags": ["numbers", "math"], "context": ["It is for beginners."], "target_model": "claude-sonnet-5-5"
    });
    let outcomes = by_all(SCRIPT, &raw).await.map(|(face, outcome)| (face, outcome.map(without_chance)));
    let (_, first) = &outcomes[0];
    let result = first.as_ref().expect("a result");
    assert_eq!(result["prompts"].as_array().expect("prompts").len(), 2);
    for (face, outcome) in &outcomes {
        assert_eq!(outcome, first, "{face}");
    }
}

/// Requests that every face rejects, with the code and the fields each must name.
fn bad_requests() -> Vec<(Value, &'static str, Vec<&'static str>)> {
    let with = |more: Value| {
        let mut raw = Map::from_iter([("input".to_owned(), json!("an idea"))]);
        raw.extend(more.as_object().expect("an object").clone());
        Value::Object(raw)
    };
    vec![
        (json!({ "input": "" }), "validation_failed", vec!["input"]),
        (json!({ "input": " \n\t" }), "validation_failed", vec!["input"]),
        (json!({ "input": "é".repeat(100_001) }), "validation_failed", vec!["input"]),
        (with(json!({ "phases": ["nigredo"] })), "validation_failed", vec!["phases[0]"]),
        (with(json!({ "phases": ["solutio", "solutio"] })), "validation_failed", vec!["phases[1]"]),
        (with(json!({ "persona": "pirate" })), "validation_failed", vec!["persona"]),
        (with(json!({ "provider": "nobody" })), "validation_failed", vec!["provider"]),
        (with(json!({ "count": 0 })), "validation_failed", vec!["count"]),
        (with(json!({ "count": 101 })), "validation_failed", vec!["count"]),
        (with(json!({ "count": "many" })), "invalid_request", vec!["count"]),
        (with(json!({ "count": 2.5 })), "invalid_request", vec!["count"]),
        (with(json!({ "temperature": "NaN" })), "validation_failed", vec!["temperature"]),
        (with(json!({ "temperature": 2.01 })), "validation_failed", vec!["temperature"]),
        (with(json!({ "temperature": "warm" })), "invalid_request", vec!["temperature"]),
        (with(json!({ "max_tokens": 0 })), "validation_failed", vec!["max_tokens"]),
        (with(json!({ "max_tokens": 1_000_001 })), "validation_failed", vec!["max_tokens"]),
        (with(json!({ "tags": ["x".repeat(65)] })), "validation_failed", vec!["tags[0]"]),
        (with(json!({ "context": [" "] })), "validation_failed", vec!["context[0]"]),
        (with(json!({ "timeout_s": 0 })), "validation_failed", vec!["timeout_s"]),
        (with(json!({ "budget_usd": 0 })), "validation_failed", vec!["budget_usd"]),
        (with(json!({ "budget_usd": "inf" })), "validation_failed", vec!["budget_usd"]),
        (with(json!({ "max_calls": 0 })), "validation_failed", vec!["max_calls"]),
        (with(json!({ "max_calls": 1.5 })), "invalid_request", vec!["max_calls"]),
        (with(json!({ "assume_price": -0.5 })), "validation_failed", vec!["assume_price"]),
        (
            json!({ "input": " ", "count": 0, "persona": "pirate", "temperature": 9, "tags": ["x".repeat(65)] }),
            "validation_failed",
            vec!["input", "count", "persona", "temperature", "tags[0]"],
        ),
    ]
}

#[tokio::test]
async fn the_same_bad_request_is_refused_in_the_same_words_by_every_face() {
    for (raw, code, fields) in bad_requests() {
        let shown: String = raw.to_string().chars().take(100).collect();
        let outcomes = by_all(SCRIPT, &raw).await;
        let (_, first) = &outcomes[0];
        let problem = first.as_ref().expect_err(&shown);
        assert_eq!(problem["code"], code, "{shown}");
        let named: Vec<&str> =
            problem["errors"].as_array().expect("faults").iter().filter_map(|it| it["field"].as_str()).collect();
        assert_eq!(named, fields, "{shown}");
        for (face, outcome) in &outcomes {
            assert_eq!(outcome, first, "{face}: {shown}");
        }
    }
}

#[tokio::test]
async fn a_provider_that_fails_is_told_in_the_same_words_by_every_face() {
    for (fault, code) in
        [("auth", "provider_auth"), ("quota", "provider_rate_limited"), ("refusal", "provider_rejected")]
    {
        let raw = json!({ "input": "an idea", "count": 1 });
        let outcomes = by_all(&format!("rules: [{{fault: {fault}}}]"), &raw).await;
        let (_, first) = &outcomes[0];
        let problem = first.as_ref().expect_err("a failure");
        assert_eq!((&problem["code"], &problem["provider"]), (&json!(code), &json!("sim")));
        for (face, outcome) in &outcomes {
            assert_eq!(outcome, first, "{face}");
        }
    }
}

#[tokio::test]
async fn a_run_that_must_be_confirmed_is_refused_in_the_same_words_by_every_face() {
    let script = "{answer: echo, price: {input: 1, output: 10}}";
    let more = "spend: {preflight_usd: 0.01}\n";
    let raw = json!({ "input": "an idea" });
    let seeded = || Seeded::with_script(script, more);

    let home = Home::new();
    home.sim("sim", script);
    let config = std::fs::read_to_string(home.data().join("config.yaml")).expect("the configuration");
    home.config(&format!("{config}{more}"));
    let by_cli = refused(&home.run(&["generate", "an idea", "--format", "json"]));
    assert_eq!((&by_cli["code"], &by_cli["status"]), (&json!("budget_exceeded"), &json!(422)));

    let reply = Api::new(seeded()).post("/api/v1/prompts/generate", &raw).await;
    assert!(reply.status == 422, "{}", reply.status);
    assert_eq!(told(&reply.problem()), by_cli);
    let mut wire = Wire::newer(seeded());
    assert_eq!(by_tool(&mut wire, "generate_prompts", raw.clone()).await, Err(by_cli.clone()));
    let by_tui = tui::headless::run(seeded().engine.clone(), raw).await.expect_err("a refusal");
    assert_eq!(told(&by_tui), by_cli);
}

#[tokio::test]
async fn a_bad_question_about_what_is_stored_is_refused_in_the_same_words() {
    let home = Home::new();
    home.sim("sim", SCRIPT);
    home.run(&["generate", "Write a haiku", "--count", "1"]).done();
    let api = Api::new(Seeded::at(&home.data()));
    let mut wire = Wire::newer(Seeded::at(&home.data()));
    let nobody = "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21";
    let shown = |id: &str| {
        (format!("show {id}"), format!("/api/v1/prompts/{id}"), "get_prompt_details", json!({ "prompt_id": id }))
    };
    let listed = |options: &str, query: &str, raw| {
        (format!("list {options}"), format!("/api/v1/prompts?{query}"), "list_prompts", raw)
    };
    let questions = [
        shown(nobody),
        shown("nonsense"),
        shown("abc"),
        listed("--limit 0", "limit=0", json!({ "limit": 0 })),
        listed(
            "--limit 1001 --phase nigredo",
            "limit=1001&phase=nigredo",
            json!({ "limit": 1001, "phase": "nigredo" }),
        ),
        listed("--limit ten", "limit=ten", json!({ "limit": "ten" })),
        listed("--since yesteryear", "since=yesteryear", json!({ "since": "yesteryear" })),
        listed("--cursor nonsense", "cursor=nonsense", json!({ "cursor": "nonsense" })),
    ];
    for (command, path, tool, raw) in questions {
        let arguments: Vec<&str> = command.split(' ').chain(["--format", "json"]).collect();
        let by_cli = refused(&home.run(&arguments));
        assert_eq!(told(&api.get(&path).await.problem()), by_cli, "{path}");
        assert_eq!(by_tool(&mut wire, tool, raw).await, Err(by_cli), "{command}");
    }
}

#[tokio::test]
async fn what_is_stored_by_one_face_is_read_alike_by_the_others() {
    let home = Home::new();
    home.sim("sim", SCRIPT);
    let made =
        home.run(&["generate", "Write a haiku", "--count", "2", "--tags", "water", "--format", "json"]).done().json();
    let id = made["prompts"][0]["id"].as_str().expect("an id");

    let api = Api::new(Seeded::at(&home.data()));
    let mut wire = Wire::newer(Seeded::at(&home.data()));
    let shown = home.run(&["show", id, "--format", "json"]).done().json();
    let mut as_made = made["prompts"][0].clone();
    // The vectors were made after the run was reported.
    for name in ["embedding_provider", "embedding_model"] {
        as_made["model_metadata"][name] = shown["model_metadata"][name].clone();
    }
    assert_eq!(shown, as_made);
    assert_eq!(api.get(&format!("/api/v1/prompts/{id}")).await.json(), shown);
    assert_eq!(wire.prompt(&json!(id)).await, shown);

    let listed = home.run(&["list", "--tags", "water", "--limit", "1", "--format", "json"]).done().json();
    assert_eq!(api.get("/api/v1/prompts?tags=water&limit=1").await.json(), listed);
    let all = PromptFields::NAMES;
    assert_eq!(wire.content("list_prompts", json!({ "tags": ["water"], "limit": 1, "fields": all })).await, listed);
}

/// Only these fields of each prompt, without the extra fields of a list or a search.
fn only(mut rows: Value, fields: &[&str]) -> Value {
    for row in rows.as_array_mut().expect("rows") {
        let row = row.as_object_mut().expect("a row");
        row.retain(|name, _| {
            ["id", "match", "near_duplicate_of"].contains(&name.as_str()) || fields.contains(&name.as_str())
        });
    }
    rows
}

#[tokio::test]
async fn the_fields_that_are_chosen_are_those_of_the_whole_prompt_by_every_face() {
    let home = Home::new();
    home.sim("sim", SCRIPT);
    home.run(&["generate", "Write a haiku about rivers", "--count", "3", "--tags", "water"]).done();
    let api = Api::new(Seeded::at(&home.data()));
    let mut wire = Wire::newer(Seeded::at(&home.data()));
    let whole = home.run(&["list", "--format", "json"]).done().json()["prompts"].clone();
    let found = home.run(&["search", "rivers", "--format", "json"]).done().json();
    assert_eq!((whole.as_array().map(Vec::len), found.as_array().map(Vec::len)), (Some(3), Some(3)));
    for fields in [&["content", "score"][..], &["tags", "notes", "created_at"], &["steps", "variant"], &["id"]] {
        let names = fields.join(",");
        let listed = only(whole.clone(), fields);
        let by_cli = home.run(&["list", "--format", "json", "--fields", &names]).done().json();
        assert_eq!(by_cli["prompts"], listed, "{names}");
        let lines = home.run(&["list", "--format", "jsonl", "--fields", &names]).done().stdout;
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(json!(lines), listed, "{names}");
        assert_eq!(api.get(&format!("/api/v1/prompts?fields={names}")).await.json()["prompts"], listed, "{names}");
        assert_eq!(wire.content("list_prompts", json!({ "fields": fields })).await["prompts"], listed, "{names}");

        let matched = only(found.clone(), fields);
        let by_cli = home.run(&["search", "rivers", "--format", "json", "--fields", &names]).done().json();
        assert_eq!(by_cli, matched, "{names}");
        let by_rest = api.get(&format!("/api/v1/prompts/search?q=rivers&fields={names}")).await.json();
        assert_eq!(by_rest, matched, "{names}");
        let raw = json!({ "query": "rivers", "fields": fields });
        assert_eq!(api.post("/api/v1/prompts/search", &raw).await.json(), matched, "{names}");
        assert_eq!(wire.content("search_prompts", raw).await["prompts"], matched, "{names}");
    }
    // A model's default fields: enough to choose by, without the long texts.
    let brief = [
        "session_id",
        "variant",
        "original_input",
        "persona",
        "provider",
        "model",
        "tags",
        "notes",
        "strategy",
        "score",
        "created_at",
    ];
    assert_eq!(wire.content("list_prompts", json!({})).await["prompts"], only(whole, &brief));
    assert_eq!(wire.content("search_prompts", json!({ "query": "rivers" })).await["prompts"], only(found, &brief));

    for names in ["contents", "content,content", "content,nonsense"] {
        let by_cli = refused(&home.run(&["list", "--format", "json", "--fields", names]));
        assert_eq!(by_cli["errors"][0]["field"].as_str().map(|field| &field[..6]), Some("fields"), "{by_cli}");
        assert_eq!(told(&api.get(&format!("/api/v1/prompts?fields={names}")).await.problem()), by_cli);
        let fields: Vec<&str> = names.split(',').collect();
        assert_eq!(by_tool(&mut wire, "list_prompts", json!({ "fields": fields })).await, Err(by_cli));
    }
    for arguments in [["list", "--fields", "id"], ["list", "--format=csv", "--fields=id"]] {
        let said = home.run(&arguments);
        assert!(said.code == 2 && said.stderr.contains("--fields: chooses what json, jsonl and yaml hold"), "{said:?}");
    }
}

#[tokio::test]
async fn an_export_is_the_same_text_by_every_face_and_is_refused_in_the_same_words() {
    let home = Home::new();
    home.sim("sim", SCRIPT);
    home.run(&["generate", "Write a haiku", "--count", "2", "--tags", "water"]).done();
    home.run(&["generate", "Name a boat", "--count", "2", "--tags", "sea"]).done();
    let api = Api::new(Seeded::at(&home.data()));
    let mut wire = Wire::newer(Seeded::at(&home.data()));
    // The options of a command as a query string.
    let query = |options: &str| options.replace("--", "&").replace(" &", "&").replace(' ', "=");
    for format in ["json", "jsonl", "csv", "yaml", "markdown"] {
        for (options, raw, count) in [
            ("--limit 3", json!({ "limit": 3 }), 3),
            ("--limit 9 --tags water", json!({ "limit": 9, "tags": ["water"] }), 2),
            ("--limit 9 --tags fire", json!({ "limit": 9, "tags": ["fire"] }), 0),
        ] {
            let arguments: Vec<&str> = ["export", "--format", format].into_iter().chain(options.split(' ')).collect();
            let by_cli = home.run(&arguments).done().stdout;
            let mut raw = raw;
            raw["format"] = json!(format);
            let by_mcp = wire.content("export_prompts", raw).await;
            assert_eq!((&by_mcp["text"], &by_mcp["count"]), (&json!(by_cli), &json!(count)), "{format} {options}");
            let by_rest = api.get(&format!("/api/v1/prompts/export?format={format}{}", query(options))).await;
            assert_eq!((by_rest.status.as_u16(), by_rest.text()), (200, by_cli), "{format} {options}");
        }
    }
    for (options, raw) in [
        ("--limit 0", json!({ "limit": 0, "format": "json" })),
        ("--phase nigredo --since yesteryear", json!({ "phase": "nigredo", "since": "yesteryear", "format": "json" })),
    ] {
        let arguments: Vec<&str> = ["export", "--format", "json"].into_iter().chain(options.split(' ')).collect();
        let by_cli = refused(&home.run(&arguments));
        let by_rest = api.get(&format!("/api/v1/prompts/export?format=json{}", query(options))).await;
        assert_eq!(told(&by_rest.problem()), by_cli, "{options}");
        assert_eq!(by_tool(&mut wire, "export_prompts", raw).await, Err(by_cli), "{options}");
    }
}

#[tokio::test]
async fn an_import_gives_the_same_report_by_every_face_and_is_refused_in_the_same_words() {
    let texts = [
        (
            "jsonl",
            "application/x-ndjson",
            "{\"content\": \"a\", \"tags\": [\"x\"]}\n{\"content\": \"b\", \"colour\": 1}\n",
        ),
        ("csv", "text/csv", "content,score\na,0.5\nb,\na,0.5\n"),
        ("yaml", "application/yaml", "- content: a\n- content: b\n"),
        ("json", "application/json", "[{\"content\": \"a\"}]"),
        ("csv", "text/csv", "content,score\na,7\n ,0.5\n"),
        ("jsonl", "application/x-ndjson", "{\"content\": 1}\n{oops\n"),
    ];
    for (format, media_type, text) in texts {
        for options in [&["--dry-run"][..], &[]] {
            let (home, other) = (Home::new(), Home::new());
            home.sim("sim", SCRIPT);
            other.sim("sim", SCRIPT);
            home.write("prompts", text);
            let api = Api::new(Seeded::at(&other.data()));
            let arguments = [&["import", "prompts", "--format", format, "--report", "json"], options].concat();
            let said = home.run(&arguments);
            let by_cli = if said.code == 0 { Ok(said.json()) } else { Err(refused(&said)) };
            let path =
                if options.is_empty() { "/api/v1/prompts/import" } else { "/api/v1/prompts/import?dry_run=true" };
            let body = Body::from(text);
            let reply = api.send(request("POST", path, &[("content-type", media_type)], body)).await;
            let by_rest = if reply.status == 200 { Ok(reply.json()) } else { Err(told(&reply.problem())) };
            assert_eq!(by_rest, by_cli, "{format} {options:?} {text}");
            // What is stored is the same, too; the server makes its vectors later.
            let stored = |list: Value| without_embeddings(without_chance(list["prompts"].clone()));
            let by_cli = stored(home.run(&["list", "--format", "json"]).done().json());
            assert_eq!(stored(api.get("/api/v1/prompts").await.json()), by_cli, "{format} {options:?}");
        }
    }
}

#[tokio::test]
async fn what_a_prompt_is_like_how_it_came_to_be_and_what_was_spent_is_the_same_by_every_face() {
    let home = Home::new();
    home.sim("sim", SCRIPT);
    let made = home.run(&["generate", "Write a haiku about the sea", "--format", "json"]).done().json();
    home.run(&["generate", "Explain how tides work", "--format", "json"]).done();
    let id = made["prompts"][0]["id"].as_str().expect("an id");
    let api = Api::new(Seeded::at(&home.data()));
    let mut wire = Wire::newer(Seeded::at(&home.data()));
    let prompt = format!("/api/v1/prompts/{id}");

    let by_cli = home.run(&["similar", id, "--limit", "4", "--format", "json"]).done().json();
    let by_rest = api.get(&format!("{prompt}/similar?limit=4")).await;
    assert_eq!(by_rest.json(), by_cli);
    let count = by_rest.headers["x-total-count"].to_str().expect("text").parse::<u64>().expect("a number");
    let fields = json!(PromptFields::NAMES);
    let by_mcp = by_tool(&mut wire, "similar_prompts", json!({ "prompt_id": id, "limit": 4, "fields": fields })).await;
    let by_mcp = by_mcp.expect("prompts like it");
    assert_eq!((&by_mcp["prompts"], &by_mcp["total"]), (&by_cli, &json!(count)));
    assert!(by_cli.as_array().is_some_and(|prompts| prompts.len() == 4 && prompts.iter().all(|it| it["id"] != id)));

    let why = home.run(&["why", id, "--format", "json"]).done().json();
    assert_eq!(by_tool(&mut wire, "why_prompt", json!({ "prompt_id": id })).await, Ok(why.clone()));
    assert_eq!(api.get(&format!("{prompt}/why")).await.json(), why);

    let spent = home.run(&["spend", "--by", "phase", "--since", "2020-01-01", "--format", "json"]).done().json();
    assert_eq!(api.get("/api/v1/spend?by=phase&since=2020-01-01").await.json(), spent);
    let raw = json!({ "by": "phase", "since": "2020-01-01" });
    assert_eq!(by_tool(&mut wire, "spend", raw).await, Ok(spent.clone()));
    assert!(spent["total"]["calls"].as_u64().is_some_and(|calls| calls >= 18), "{spent}");

    let nobody = "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21";
    for (arguments, path, tool, raw) in [
        (
            vec!["similar", nobody],
            format!("/api/v1/prompts/{nobody}/similar"),
            "similar_prompts",
            json!({ "prompt_id": nobody }),
        ),
        (
            vec!["similar", id, "--limit", "0"],
            format!("{prompt}/similar?limit=0"),
            "similar_prompts",
            json!({ "prompt_id": id, "limit": 0 }),
        ),
        (vec!["why", nobody], format!("/api/v1/prompts/{nobody}/why"), "why_prompt", json!({ "prompt_id": nobody })),
        (
            vec!["spend", "--since", "yesteryear"],
            "/api/v1/spend?since=yesteryear".to_owned(),
            "spend",
            json!({ "since": "yesteryear" }),
        ),
    ] {
        let by_cli = refused(&home.run(&[&arguments[..], &["--format", "json"]].concat()));
        assert_eq!(told(&api.get(&path).await.problem()), by_cli, "{arguments:?}");
        assert_eq!(by_tool(&mut wire, tool, raw).await, Err(by_cli), "{arguments:?}");
    }
}

#[tokio::test]
async fn the_same_selection_gives_the_same_choice_and_the_same_refusals_by_every_face() {
    let home = Home::new();
    home.sim("sim", SCRIPT);
    let made = home.run(&["generate", "Write a haiku", "--format", "json"]).done().json();
    let ids: Vec<&str> = (0..3).map(|at| made["prompts"][at]["id"].as_str().expect("an id")).collect();
    let api = Api::new(Seeded::at(&home.data()));
    let choice = |options: &[&str]| {
        let arguments = [&["select", "--format", "json", "--no-cache"], options].concat();
        home.run(&arguments)
    };
    let raw = json!({ "prompt_ids": ids, "task_description": "Write a haiku about the sea", "thorough": true, "no_cache": true });
    let by_cli = choice(&[&ids[..], &["--task", "Write a haiku about the sea", "--thorough"]].concat()).done().json();
    let by_rest = api.post("/api/v1/prompts/select", &raw).await.json();
    assert_eq!(by_cli["prompt"]["id"], by_rest["prompt"]["id"]);
    assert_eq!(without_chance(by_cli), without_chance(by_rest));

    let of_cli = home.run(&["why", ids[0], "--limit", "1", "--format", "json"]).done().json();
    let of_rest = api.get(&format!("/api/v1/prompts/{}/why?limit=1", ids[0])).await.json();
    assert_eq!(of_cli, of_rest);

    let nobody = "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21";
    for (options, raw) in [
        (vec![ids[0]], json!({ "prompt_ids": [ids[0]] })),
        (vec![ids[0], ids[0]], json!({ "prompt_ids": [ids[0], ids[0]] })),
        (vec![ids[0], nobody], json!({ "prompt_ids": [ids[0], nobody] })),
        (vec![ids[0], ids[1], "--task", " "], json!({ "prompt_ids": ids[..2], "task_description": " " })),
        (vec![ids[0], ids[1], "--criteria", "x"], json!({ "prompt_ids": ids[..2], "criteria": "x" })),
        (vec![ids[0], ids[1], "--judge-provider", "x"], json!({ "prompt_ids": ids[..2], "judge_provider": ["x"] })),
        (vec![ids[0], ids[1], "--budget-usd", "0"], json!({ "prompt_ids": ids[..2], "budget_usd": 0 })),
    ] {
        let by_cli = refused(&choice(&options));
        let mut raw = raw;
        raw["no_cache"] = json!(true);
        assert_eq!(told(&api.post("/api/v1/prompts/select", &raw).await.problem()), by_cli, "{options:?}");
    }
}

#[tokio::test]
async fn the_same_comparison_is_the_same_by_every_face_and_is_refused_in_the_same_words() {
    let home = Home::new();
    home.sim("sim", SCRIPT);
    let made = home.run(&["generate", "Write a haiku", "--format", "json"]).done().json();
    let ids: Vec<&str> = (0..3).map(|at| made["prompts"][at]["id"].as_str().expect("an id")).collect();
    let api = Api::new(Seeded::at(&home.data()));
    let mut wire = Wire::newer(Seeded::at(&home.data()));
    let by_cli = |options: &[&str]| home.run(&[&["compare", "--format", "json"], options].concat());
    let told_of_task = ["--task", "Write a haiku about the sea", "--no-cache"];
    for (options, raw) in [
        (ids[..2].to_vec(), json!({ "prompt_ids": ids[..2] })),
        (ids.clone(), json!({ "prompt_ids": ids })),
        (
            [&ids[..], &told_of_task].concat(),
            json!({ "prompt_ids": ids, "task_description": "Write a haiku about the sea", "no_cache": true }),
        ),
    ] {
        let of_cli = without_chance(by_cli(&options).done().json());
        assert_eq!(of_cli, without_chance(api.post("/api/v1/prompts/compare", &raw).await.json()), "{options:?}");
        assert_eq!(of_cli, without_chance(wire.content("compare_prompts", raw).await), "{options:?}");
    }
    let nobody = "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21";
    for (options, raw) in [
        (vec![ids[0]], json!({ "prompt_ids": [ids[0]] })),
        (vec![ids[0], ids[0]], json!({ "prompt_ids": [ids[0], ids[0]] })),
        (vec![ids[0], nobody], json!({ "prompt_ids": [ids[0], nobody] })),
        (vec![ids[0], ids[1], "--thorough"], json!({ "prompt_ids": ids[..2], "thorough": true })),
        (vec![ids[0], ids[1], "--task", " "], json!({ "prompt_ids": ids[..2], "task_description": " " })),
    ] {
        let of_cli = refused(&by_cli(&options));
        let of_rest = told(&api.post("/api/v1/prompts/compare", &raw).await.problem());
        assert_eq!(of_rest, of_cli, "{options:?}");
        assert_eq!(by_tool(&mut wire, "compare_prompts", raw).await, Err(of_cli), "{options:?}");
    }
}

/// The rows of a batch. The workbench lists those that failed first, and shows each in brief.
#[tokio::test]
async fn a_batch_gives_the_same_rows_by_every_face() {
    let script = "{answer: echo, rules: [{when: {input: broken}, fault: rejected}]}";
    let rows = json!([
        { "id": "a", "input": "Name a boat", "count": 1 }, { "input": "broken" },
        { "input": "Thank a customer", "persona": "code", "tags": ["x", "y"] }
    ]);
    let lines = rows.as_array().expect("rows").iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let raw = json!({ "rows": rows, "count": 2, "target_model": ["claude-sonnet-5-5", "gpt-5.5"] });

    let home = Home::new();
    home.sim("sim", script);
    home.write("rows.jsonl", &lines);
    let batch = ["batch", "rows.jsonl", "--count=2", "--target-model=claude-sonnet-5-5,gpt-5.5", "--ordered"];
    let said = home.run(&batch);
    assert_eq!(said.code, 1, "{}", said.stderr);
    let by_cli: Vec<Value> = said.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let ids =
        |rows: &Value| -> Vec<Value> { rows.as_array().expect("rows").iter().map(|row| row["id"].clone()).collect() };
    let named = ids(&json!(by_cli));
    assert_eq!((named.len(), &named[0], &named[3]), (6, &json!("a:claude-sonnet-5-5"), &json!("2:gpt-5.5")));
    let by_cli = without_chance(json!(by_cli));
    let kept = home.run(&["jobs", "result", "@last", "--format", "jsonl"]).done();
    let kept: Vec<Value> = kept.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(without_embeddings(without_chance(json!(kept))), without_embeddings(by_cli.clone()));

    let seeded = || Seeded::with_script(script, "");
    let api = Api::new(seeded());
    let by_rest = api.post("/api/v1/prompts/batch", &raw).await.json()["rows"].clone();
    assert_eq!(ids(&by_rest), named);
    assert_eq!(without_chance(by_rest), by_cli);
    let path = "/api/v1/prompts/batch?count=2&target_model=claude-sonnet-5-5,gpt-5.5";
    let streamed = request("POST", path, &[("content-type", "application/x-ndjson")], lines.into());
    let by_stream = api.send(streamed).await.json()["rows"].clone();
    assert_eq!(ids(&by_stream), named);
    assert_eq!(without_chance(by_stream), by_cli);

    let mut wire = Wire::newer(seeded());
    let job = wire.content("start_batch", raw.clone()).await["id"].clone();
    while wire.content("job_status", json!({ "job_id": job })).await["state"] == "running" {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let by_mcp = wire.content("job_result", json!({ "job_id": job, "brief": false })).await["rows"].clone();
    assert_eq!(ids(&by_mcp), named);
    assert_eq!(without_chance(by_mcp), by_cli);

    let raw = json!({ "count": 2, "target_model": ["claude-sonnet-5-5", "gpt-5.5"] });
    let path = home.path().join("rows.jsonl").display().to_string();
    let by_tui = tui::headless::batch(seeded().engine.clone(), raw, &path).await.expect("rows");
    let listed: Vec<u64> = by_tui.iter().map(|row| row.row).collect();
    assert_eq!(listed, [3, 4, 1, 2, 5, 6]);
    let mut by_tui = by_tui;
    by_tui.sort_by_key(|row| row.row);
    let by_tui = serde_json::to_value(by_tui).expect("JSON");
    assert_eq!(ids(&by_tui), named);
    let in_brief = without_embeddings(without_chance(in_brief(by_cli)));
    assert_eq!(without_embeddings(without_chance(by_tui)), in_brief);
}

#[tokio::test]
async fn a_bad_file_of_rows_is_refused_in_the_same_words_by_every_face() {
    let home = Home::new();
    home.sim("sim", SCRIPT);
    for (name, text) in [
        ("none.jsonl", ""),
        ("bad.jsonl", "{\"input\": \"Name a boat\"}\n{\"input\": \"\", \"count\": 0}\n{\"input\": 7\n"),
        ("twice.csv", "id,input\na,Name a boat\na,Name a ship\n"),
    ] {
        home.write(name, text);
        let by_cli = refused(&home.run(&["batch", name, "--format", "json"]));
        let path = home.path().join(name).display().to_string();
        let seeded = Seeded::with_script(SCRIPT, "");
        let by_tui = tui::headless::batch(seeded.engine.clone(), json!({}), &path).await.expect_err("a refusal");
        let words = |problem: Value| problem.to_string().replace(&path, name);
        assert_eq!(words(told(&by_tui)), words(by_cli), "{name}");
    }
}

/// Rows as the workbench reads them: of each only the best prompt, without its steps.
fn in_brief(mut rows: Value) -> Value {
    for result in rows.as_array_mut().into_iter().flatten().filter_map(|row| row.get_mut("result")) {
        for list in ["prompts", "rankings"] {
            if let Value::Array(all) = &mut result[list] {
                all.truncate(1);
            }
        }
        result["prompts"][0]["steps"] = json!([]);
    }
    rows
}

/// Without the names of what embedded the prompts, which is done after a batch.
fn without_embeddings(mut value: Value) -> Value {
    match &mut value {
        Value::Object(map) => {
            map.retain(|name, _| !name.starts_with("embedding_"));
            map.values_mut().for_each(|inner| *inner = without_embeddings(inner.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|inner| *inner = without_embeddings(inner.take())),
        _ => {}
    }
    value
}
