//! The formats of one result agree with each other, and each is well formed.

use aludel_core::event::{Event, RunState, RunView};
use serde_json::Value;

use crate::support::Home;

const IDEA: &str = "Compare three ways to cache HTTP answers";

/// The result of `generate --format jsonl`: from its last event, and folded from all events.
fn folded(lines: &str) -> (Value, Value) {
    let mut view = RunView::default();
    let mut last = Value::Null;
    for (position, line) in lines.lines().enumerate() {
        let event: Event = serde_json::from_str(line).expect("an event in every line");
        assert_eq!(event.seq, position as u64, "a gap");
        view.apply(&event);
        last = serde_json::from_str(line).expect("JSON");
    }
    assert!(matches!(view.state, RunState::Finished(_)));
    assert_eq!(last["type"], "finished");
    (last["result"].clone(), serde_json::to_value(view.generation()).expect("JSON"))
}

/// Normalises what differs between runs.
fn without_chance(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| {
                let by_chance =
                    ["id", "session_id", "prompt_id", "created_at", "updated_at", "latency_ms", "first_token_ms"];
                let value = if by_chance.contains(&name.as_str()) { Value::Null } else { without_chance(value) };
                (name.clone(), value)
            })
            .collect(),
        Value::Array(items) => items.iter().map(without_chance).collect(),
        other => other.clone(),
    }
}

#[test]
fn json_yaml_and_folded_events_are_the_same_result() {
    let home = Home::new();
    let run = |format: &str| home.run(&["generate", IDEA, "--format", format]).quietly_done();
    let json = run("json").json();
    let yaml: Value = serde_yaml::from_str(&run("yaml").stdout).expect("YAML");
    let (carried, folded) = folded(&run("jsonl").stdout);
    assert_eq!(carried, folded);
    assert_eq!(without_chance(&yaml), without_chance(&json));
    assert_eq!(without_chance(&folded), without_chance(&json));
}

#[test]
fn text_and_markdown_carry_every_prompt_score_and_step() {
    let home = Home::new();
    let run = |format: &str, file: &str| {
        home.run(&["generate", IDEA, "--format", format, "--output-file", file]).done();
        std::fs::read_to_string(home.path().join(file)).expect("the file")
    };
    let json: Value = serde_json::from_str(&run("json", "a.json")).expect("JSON");
    let text = run("text", "a.out");
    let markdown = run("markdown", "a.md");
    for (prompt, ranking) in
        json["prompts"].as_array().expect("prompts").iter().zip(json["rankings"].as_array().expect("r"))
    {
        let content = prompt["content"].as_str().expect("text").trim_end();
        let score = format!("{:.2}", ranking["score"].as_f64().expect("a score"));
        for (name, form) in [("text", &text), ("markdown", &markdown)] {
            assert!(form.contains(content), "a prompt is missing in {name}");
            assert!(form.contains(&score), "the score {score} is missing in {name}");
            for component in ranking["components"].as_object().expect("components").keys() {
                assert!(form.contains(component.as_str()), "{component} is missing in {name}");
            }
        }
        for step in prompt["steps"].as_array().expect("steps") {
            assert!(markdown.contains(step["content"].as_str().expect("text").trim_end()), "a step is missing");
        }
    }
}

#[test]
fn events_come_in_the_order_of_their_run() {
    let lines = Home::new().run(&["generate", IDEA, "--count", "1", "--format", "jsonl"]).quietly_done().json_lines();
    let types: Vec<&str> = lines.iter().map(|line| line["type"].as_str().expect("a type")).collect();
    assert_eq!(types.first(), Some(&"started"));
    assert_eq!(types.last(), Some(&"finished"));
    let mut without_deltas: Vec<&str> = types.into_iter().filter(|kind| *kind != "delta").collect();
    without_deltas.dedup();
    let phase = ["phase_started", "phase_finished"];
    let expected = [&["started"][..], &phase, &phase, &phase, &["variant_finished", "ranked", "finished"]].concat();
    assert_eq!(without_deltas, expected);
}

#[test]
fn a_failed_run_ends_its_events_with_the_error() {
    let home = Home::new();
    home.sim_fixture("all_fail");
    let said = home.run(&["generate", IDEA, "--format", "jsonl"]);
    assert_eq!(said.code, 6);
    let lines = said.json_lines();
    let last = lines.last().expect("events");
    assert_eq!(last["type"], "failed");
    assert_eq!(last["error"]["code"], said.problem()["code"]);
}

#[test]
fn a_list_has_the_same_rows_in_every_format() {
    let home = Home::new();
    home.run(&["generate", IDEA, "--tags", "x,y"]).done();
    let run = |format: &str| home.run(&["list", "--format", format]).quietly_done();
    let json = run("json").json();
    assert!(json["next_cursor"].is_null());
    let rows = json["prompts"].as_array().expect("prompts");
    assert_eq!(run("jsonl").json_lines(), *rows);
    let yaml: Value = serde_yaml::from_str(&run("yaml").stdout).expect("YAML");
    assert_eq!(yaml, json);
    let text = run("text").stdout;
    let markdown = run("markdown").stdout;
    let csv = run("csv").stdout;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let records: Vec<csv::StringRecord> = reader.records().map(|record| record.expect("a record")).collect();
    assert_eq!(records.len(), rows.len());
    for (row, record) in rows.iter().zip(&records) {
        let id = row["id"].as_str().expect("an id");
        assert!(markdown.contains(id) && text.contains(&id[id.len() - 8..]));
        let cell = |name: &str| &record[header.iter().position(|title| title == name).expect("a column")];
        assert_eq!(cell("id"), id);
        assert_eq!(cell("tags"), "x,y");
        assert_eq!(cell("content"), row["content"].as_str().expect("text"));
    }
}

#[test]
fn output_is_an_alias_of_format_but_not_where_a_file_could_be_meant() {
    let home = Home::new();
    assert_eq!(home.run(&["list", "--output", "json"]).quietly_done().json()["prompts"], Value::Array(vec![]));
    let said = home.run(&["generate", IDEA, "--output", "json"]).failed(2);
    assert!(said.stderr.contains("--output-file"), "{}", said.stderr);
    home.run(&["list", "--output", "json", "--format", "yaml"]).failed(2);
}

#[test]
fn a_format_that_makes_no_sense_is_refused_with_those_that_do() {
    let home = Home::new();
    let said = home.run(&["generate", IDEA, "--format", "csv"]).failed(2);
    assert!(said.stderr.contains("text, json, jsonl, yaml, markdown"), "{}", said.stderr);
    assert!(!home.data().exists());
    let said = home.run(&["list", "--format", "xml"]).failed(2);
    assert!(said.stderr.contains("csv"), "{}", said.stderr);
}
