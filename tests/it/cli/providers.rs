//! `providers` and `test-providers`: availability, working state, messages and exit codes.

use serde_json::{Value, json};

use crate::support::Home;

/// A home with a healthy scripted provider, one that fails, and one that answers late.
fn three() -> Home {
    let home = Home::new();
    home.write("healthy.yaml", "{model: h-1, answer: {text: ready steady go}, pacing: {chunk_chars: 4}}");
    home.write("broken.yaml", "{model: b-1, rules: [{fault: {kind: auth, status: 401}}]}");
    home.write("silent.yaml", "{model: s-1, rules: [{fault: hang}]}");
    home.config(
        "providers:
  healthy: {kind: sim, script: ../healthy.yaml}
  broken: {kind: sim, script: ../broken.yaml}
  silent: {kind: sim, script: ../silent.yaml}
",
    );
    home
}

/// The statuses of a test's checks, in order.
fn statuses(test: &Value) -> Vec<&str> {
    test["checks"].as_array().expect("checks").iter().map(|check| check["status"].as_str().expect("one")).collect()
}

#[test]
fn without_configuration_the_embedded_writer_is_there_and_works() {
    let home = Home::new();
    let listed = home.run(&["providers", "--format", "json"]).quietly_done().json();
    let listed = listed["providers"].as_array().expect("providers");
    let names: Vec<&str> = listed.iter().map(|it| it["name"].as_str().expect("a name")).collect();
    assert_eq!(names[0], "builtin");
    assert!(["openai", "anthropic", "google", "openrouter", "ollama"].iter().all(|name| names.contains(name)));
    assert_eq!(home.run(&["providers", "--quiet"]).quietly_done().stdout.lines().next(), Some("builtin"));
    let said = home.run(&["test-providers", "builtin"]).quietly_done().stdout;
    assert!(said.contains("✓ builtin") && said.ends_with("it works\n"), "{said}");
    assert!(!home.data().exists(), "looking makes no file");
}

#[test]
fn a_provider_that_fails_is_a_result_and_exits_6() {
    let home = three();
    let said = home.run(&["test-providers", "healthy", "broken", "--format", "json"]);
    assert_eq!((said.code, said.stderr.as_str()), (6, ""));
    let tests = said.json();
    assert_eq!(tests["ok"], false);
    let (healthy, broken) = (&tests["providers"][0], &tests["providers"][1]);
    assert_eq!((&healthy["name"], &healthy["model"], &healthy["ok"]), (&json!("healthy"), &json!("h-1"), &json!(true)));
    assert_eq!(statuses(healthy), ["ok", "skipped", "ok", "ok", "skipped"]);
    assert!(healthy["latency_ms"].is_u64() && healthy["first_token_ms"].is_u64());
    assert_eq!((&broken["tested"], &broken["ok"]), (&json!(true), &json!(false)));
    assert_eq!(statuses(broken), ["ok", "failed", "skipped", "skipped", "skipped"]);
    let text = home.run(&["test-providers", "healthy", "broken"]).stdout;
    assert!(text.contains("✗ broken: key: the key was refused") && text.ends_with("1 of 2 failed\n"), "{text}");
    home.run(&["test-providers", "healthy"]).quietly_done();
}

#[test]
fn all_are_tested_side_by_side_and_none_longer_than_the_limit() {
    let home = three();
    let said = home.run(&["test-providers", "--timeout", "3", "--format", "json"]);
    assert_eq!(said.code, 6);
    let tests = said.json();
    let tests = tests["providers"].as_array().expect("tests");
    let of = |name: &str| tests.iter().find(|test| test["name"] == name).expect("the test");
    assert_eq!(statuses(of("silent"))[0], "failed");
    assert!(of("silent")["checks"][0]["detail"].as_str().expect("text").contains("3 s"));
    assert_eq!(&of("healthy")["ok"], &json!(true));
}

#[test]
fn what_a_test_costs_is_written_down() {
    let home = three();
    home.run(&["test-providers", "healthy"]).quietly_done();
    let spent = home.run(&["spend", "--by", "command", "--format", "json"]).done().stdout;
    assert!(spent.contains("test-providers"), "{spent}");
}

#[test]
fn an_ollama_that_does_not_run_is_told_by_where_it_should_be() {
    let home = Home::new();
    let why = |home: &Home| {
        let listed = home.run(&["providers", "--format", "json"]).quietly_done().json();
        let mut providers = listed["providers"].as_array().expect("providers").clone().into_iter();
        providers.find(|it| it["name"] == "ollama").expect("ollama")["reason"].as_str().unwrap_or_default().to_owned()
    };
    assert!(why(&home).ends_with("start it with `ollama serve`, or correct OLLAMA_HOST"), "{}", why(&home));
    home.config("providers:\n  ollama: {base_url: 'http://127.0.0.1:1'}\n");
    assert!(why(&home).ends_with("or correct `providers.ollama.base_url`"), "{}", why(&home));
    home.config("providers:\n  ollama: {base_url: 'http://ollama.example.com:11434'}\n");
    assert_eq!(why(&home), "", "another machine is not asked unasked");
}

#[test]
fn the_formats_tell_the_same() {
    let home = three();
    let run = |command: &str, format: &str| home.run(&[command, "healthy", "broken", "--format", format]);
    let json = run("test-providers", "json").json();
    let rows = json["providers"].as_array().expect("tests");
    let lines = run("test-providers", "jsonl").json_lines();
    let yaml: Value = serde_yaml::from_str(&run("test-providers", "yaml").stdout).expect("YAML");
    let names = |rows: &[Value]| rows.iter().map(|row| (row["name"].clone(), row["ok"].clone())).collect::<Vec<_>>();
    assert_eq!(names(&lines), names(rows));
    assert_eq!(names(yaml["providers"].as_array().expect("tests")), names(rows));
    let markdown = run("test-providers", "markdown").stdout;
    let listed = home.run(&["providers", "--format", "markdown"]).quietly_done().stdout;
    for row in rows {
        let name = row["name"].as_str().expect("a name");
        assert!(markdown.contains(&format!("| {name} | ")) && listed.contains(&format!("| {name} | ")), "{name}");
    }
    home.run(&["test-providers", "--format", "csv"]).failed(2);
}

#[test]
fn who_is_not_there_is_refused_with_the_near_one() {
    let home = three();
    let said = home.run(&["test-providers", "helthy", "healthy", "healthy"]).failed(2);
    assert!(said.stderr.contains("Did you mean `healthy`?"), "{}", said.stderr);
    assert!(said.stderr.contains("providers[2]") && said.stderr.contains("named twice"), "{}", said.stderr);
    let said = home.run(&["test-providers", "--timeout", "0"]).failed(2);
    assert!(said.stderr.contains("--timeout: "), "{}", said.stderr);
}
