//! Every command in every format, to a pipe and to a terminal, over the hostile database.

use std::collections::BTreeSet;

use clap::Command;
use serde_json::{Value, json};

use super::HOSTILE;
use super::database::hostile_home;
use super::oracle::assert_harmless;
#[cfg(unix)]
use super::oracle::assert_harmless_on_a_terminal;
use crate::support::{Home, cancelled_job};

const FORMATS: [&str; 7] = ["text", "json", "jsonl", "yaml", "markdown", "csv", "html"];

/// Commands that start another face, tested elsewhere.
const FACES: [&str; 3] = ["tui", "serve", "http-server"];

/// Calls of every command that prints output of its own. `A` and `B` are ids.
const CALLS: &[&[&str]] = &[
    &["generate", HOSTILE, "--count", "1", "--no-save"],
    &["generate", HOSTILE, "--count", "1", "--no-save", "--stream"],
    &["batch", "rows.jsonl", "--count", "1", "--no-save"],
    &["batch", "process", "bad.jsonl"],
    &["batch", "rows.jsonl", "--dry-run", "--count", "1"],
    &["search", "harbour"],
    &["search", "harbour", "--semantic"],
    &["similar", "A"],
    &["list"],
    &["show", "A"],
    &["history"],
    &["select", "A", "B", "--task", HOSTILE],
    &["compare", "A", "B"],
    &["compare", "A", "B", "--task", HOSTILE],
    &["judge", "audit", "--list"],
    &["judge", "audit", "builtin", "--labels", "labels.jsonl"],
    &["judge", "audit", "builtin", "--labels", "bad.jsonl"],
    &["judge", "audit", "builtin", "--labels", HOSTILE],
    &["why", "A"],
    &["metrics"],
    &["metrics", "A"],
    &["stats", "--by", "model,provider,persona,tag,strategy,phase,day"],
    &["update", "B", "--notes", HOSTILE],
    &["delete", "A", "--yes"],
    &["trash", "list"],
    &["trash", "restore", "A"],
    &["trash", "empty", HOSTILE, "--yes"],
    &["jobs", "--all"],
    &["jobs", "show", "@last"],
    &["jobs", "result", "@last"],
    &["jobs", "follow", "@last"],
    &["jobs", "stop", "@last"],
    &["jobs", "resume", "@last"],
    &["jobs", "show", HOSTILE],
    &["export"],
    &["import", "bad.jsonl"],
    &["migrate"],
    &["migrate", "--status"],
    &["health", "--url", "http://127.0.0.1:9"],
    &["mcp-config", "cursor"],
    &["mcp-config", HOSTILE],
    &["mcp-config", "zed", "--tools", HOSTILE],
    &["token", "--scope", HOSTILE],
    &["token", "--subject", HOSTILE],
    &["config", "show"],
    &["config", "get", "judge.model"],
    &["config", "set", "judge.model", HOSTILE],
    &["config", "validate"],
    &["config", "export"],
    &["config", "path"],
    &["config", "init"],
    &["personas", "list"],
    &["personas", "show", "generic"],
    &["personas", "edit", "evil"],
    &["templates", "list"],
    &["templates", "show", "evil"],
    &["templates", "edit", "solutio"],
    &["providers", "--models"],
    &["test-providers"],
    &["spend", "--by", "model"],
    &["spend", "--by", "command"],
    &["spend", "--by", "tag"],
    &["validate"],
    &["reindex"],
    &["completions", "bash"],
    &["man"],
    &["version"],
    // Errors quote the input.
    &["show", HOSTILE],
    &["list", "--persona", HOSTILE],
    &["list", HOSTILE],
    &[HOSTILE],
    &["export", "--format", HOSTILE],
    &["import", HOSTILE],
];

/// Commands with only text and machine formats, which pass the same place in the printer.
const SIMPLE: [&str; 15] = [
    "batch",
    "completions",
    "config",
    "delete",
    "jobs",
    "judge",
    "man",
    "migrate",
    "personas",
    "reindex",
    "templates",
    "trash",
    "validate",
    "version",
    "why",
];

/// Commands whose text is a file to keep: a pipe gets it verbatim, as `--quiet` prints a prompt.
const FILES: [&[&str]; 3] = [&["config", "export"], &["personas", "show", "generic"], &["templates", "show", "evil"]];

/// The commands of the tree that act, by their paths.
fn leaves(command: &Command, path: &str) -> Vec<String> {
    let inner: Vec<String> = command
        .get_subcommands()
        // It describes the others and does nothing itself.
        .filter(|inner| inner.get_name() != "help")
        .flat_map(|inner| leaves(inner, format!("{path} {}", inner.get_name()).trim_start()))
        .collect();
    if inner.is_empty() { vec![path.to_owned()] } else { inner }
}

#[test]
fn every_command_is_tried() {
    let mut tree = aludel::cli::command_tree();
    tree.build();
    let tried: Vec<String> = CALLS.iter().map(|call| format!("{} ", call.join(" "))).collect();
    let missing: BTreeSet<String> = leaves(&tree, "")
        .into_iter()
        .filter(|leaf| !FACES.contains(&leaf.as_str()))
        .filter(|leaf| !tried.iter().any(|call| call.starts_with(&format!("{leaf} "))))
        .collect();
    assert!(missing.is_empty(), "add a call of: {missing:?}");
}

fn arguments<'a>(call: &[&'a str], ids: &'a [String]) -> Vec<&'a str> {
    let place = |word: &&'a str| match *word {
        "A" => ids[0].as_str(),
        "B" => ids[1].as_str(),
        word => word,
    };
    call.iter().map(place).collect()
}

fn home() -> (Home, Vec<String>) {
    let (home, ids) = hostile_home();
    let bad = format!(
        "{{\"content\":\"x\",\"persona\":{0},\"{1}\":1,\"steps\":[{{\"phase\":\"solutio\",\"provider\":\"p\",\"model\":{0},\"content\":\"y\"}}]}}\n",
        Value::from(HOSTILE),
        "\\u001b[2J"
    );
    home.write("bad.jsonl", bad);
    home.write("rows.jsonl", format!("{}\n", json!({ "id": "a row", "input": HOSTILE })));
    let label = json!({ "a": ids[0], "b": ids[1], "choice": "a", "task": HOSTILE, "persona": HOSTILE });
    home.write("labels.jsonl", format!("{label}\n"));
    cancelled_job(&home.database(), HOSTILE, HOSTILE);
    (home, ids)
}

#[test]
fn no_command_lets_a_stored_value_through_a_pipe_in_any_format() {
    let (home, ids) = home();
    for call in CALLS {
        let refuses_others = SIMPLE.contains(&call[0]) || call.contains(&HOSTILE) && !call.contains(&"--count");
        for &format in if refuses_others { &FORMATS[..2] } else { &FORMATS[..] } {
            let mut arguments = arguments(call, &ids);
            arguments.extend(["--format", format]);
            let said = home.run(&arguments);
            let what = format!("{arguments:?} exits {}", said.code);
            assert_harmless(&what, &said.stderr);
            if !FILES.contains(call) || format == "json" {
                assert_harmless(&what, &said.stdout);
            }
        }
    }
}

#[test]
fn the_text_of_a_prompt_alone_goes_to_a_pipe_to_the_letter() {
    let (home, ids) = home();
    let shown = home.run(&["show", &ids[0], "--quiet"]).done();
    let exact = home.run(&["show", &ids[0], "--format", "json"]).done().json();
    assert_eq!(shown.stdout.strip_suffix('\n'), exact["content"].as_str());
    assert!(shown.stdout.contains(HOSTILE));
}

#[test]
fn machine_formats_keep_the_stored_values_exact() {
    let (home, ids) = home();
    let show = |format: &str| home.run(&["show", &ids[0], "--format", format]).done().stdout;
    let json: Value = serde_json::from_str(&show("json")).expect("JSON");
    let yaml: Value = serde_yaml::from_str(&show("yaml")).expect("YAML");
    let line: Value = serde_json::from_str(&show("jsonl")).expect("JSON");
    assert_eq!(json, yaml);
    assert_eq!(json, line);
    for field in ["model", "provider", "persona", "strategy", "original_input", "notes"] {
        assert!(json[field].as_str().is_some_and(|text| text.ends_with(HOSTILE)), "{field}: {}", json[field]);
    }
    assert!(json["steps"][0]["model"].as_str().is_some_and(|text| text.ends_with(HOSTILE)));
}

#[cfg(unix)]
#[test]
fn no_command_lets_a_stored_value_through_to_a_terminal() {
    let (home, ids) = home();
    for call in CALLS {
        for more in [&[][..], &["--quiet"], &["--format", "json"], &["--format", "yaml"]] {
            let mut arguments = arguments(call, &ids);
            arguments.extend(more);
            if matches!(call[0], "personas" | "templates") && call[1] == "edit" {
                continue;
            }
            let written = crate::cli::on_a_terminal(&home, &arguments);
            assert_harmless_on_a_terminal(&format!("{arguments:?}"), &written);
        }
    }
}

#[cfg(unix)]
#[test]
fn an_output_file_that_is_a_terminal_gets_no_controls() {
    let (home, ids) = home();
    for format in ["json", "jsonl", "csv", "yaml", "markdown"] {
        let written = crate::cli::on_a_terminal(&home, &["export", "--format", format, "--output-file", "/dev/stdout"]);
        assert_harmless_on_a_terminal(format, &written);
    }
    let written = crate::cli::on_a_terminal(
        &home,
        &[
            "generate",
            &format!("{}{HOSTILE}", ids[0]),
            "--count",
            "1",
            "--no-save",
            "--quiet",
            "--output-file",
            "/dev/stdout",
        ],
    );
    assert_harmless_on_a_terminal("generate", &written);
}

#[test]
fn exported_files_hold_nothing_hidden_and_texts_come_back() {
    let (home, _) = home();
    for format in ["json", "jsonl", "csv", "yaml", "markdown"] {
        let file = format!("out.{format}");
        home.run(&["export", "--format", format, "--output-file", &file]).done();
        let bytes = std::fs::read_to_string(home.path().join(&file)).expect("the file");
        assert_harmless(&file, &bytes);
    }
    // A record with hostile texts is data; one with hostile names is invalid.
    let fresh = Home::new();
    let texts =
        serde_json::json!({ "content": HOSTILE, "original_input": HOSTILE, "notes": HOSTILE, "context": [HOSTILE] });
    fresh.write("texts.json", texts.to_string());
    fresh.run(&["import", "texts.json", "--no-vectors"]).done();
    for format in ["csv", "yaml", "jsonl"] {
        let file = format!("again.{format}");
        fresh.run(&["export", "--format", format, "--output-file", &file]).done();
        let other = Home::new();
        let path = fresh.path().join(&file);
        other.run(&["import", path.to_str().expect("a path"), "--no-vectors"]).done();
        let prompt = other.run(&["show", "@last", "--format", "json"]).done().json();
        for field in ["content", "original_input", "notes"] {
            assert_eq!(prompt[field], HOSTILE, "{format} {field}");
        }
        assert_eq!(prompt["context"][0], HOSTILE, "{format}");
    }
}

#[test]
fn an_import_with_a_hostile_name_is_refused_by_line_and_field() {
    let home = Home::new();
    let step = |name: &str| serde_json::json!({ "phase": "solutio", "provider": "p", "model": "m", "content": "x", name: HOSTILE });
    for (record, field) in [
        (serde_json::json!({ "content": "x", "persona": HOSTILE }), "persona"),
        (serde_json::json!({ "content": "x", "strategy": HOSTILE }), "strategy"),
        (serde_json::json!({ "content": "x", "provider": HOSTILE }), "provider"),
        (serde_json::json!({ "content": "x", "model": HOSTILE }), "model"),
        (serde_json::json!({ "content": "x", "model": "a\nb" }), "model"),
        (serde_json::json!({ "content": "x", "tags": [HOSTILE] }), "tags"),
        (serde_json::json!({ "content": "x", "steps": [step("provider")] }), "steps[0].provider"),
        (serde_json::json!({ "content": "x", "steps": [step("model")] }), "steps[0].model"),
        (serde_json::json!({ "content": "x", "model_metadata": { "model": HOSTILE } }), "model_metadata.model"),
    ] {
        home.write("names.jsonl", format!("{{\"content\":\"fine\"}}\n{record}\n"));
        let said = home.run(&["import", "names.jsonl", "--no-vectors"]).failed(2);
        assert!(said.stderr.contains("line 2") && said.stderr.contains(field), "{field}: {}", said.stderr);
        assert_harmless(field, &said.stderr);
    }
    assert!(home.run(&["list", "--quiet"]).stdout.is_empty(), "a refused file stored something");
}
