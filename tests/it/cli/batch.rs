//! `aludel batch`: rows in every format, what is paid for, what a kill leaves, what is written.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Home;

/// Three calls a row; the answer tells the row.
const HEALTHY: &str = "
answer: {text: 'made of {original_input}'}
price: {input: 1.0, output: 10.0}
usage: {input_tokens: 500, output_tokens: 40}
";

/// As [`HEALTHY`], but a request with `broken` is refused.
const ONE_BROKEN: &str = "
answer: {text: 'made of {original_input}'}
price: {input: 1.0, output: 10.0}
usage: {input_tokens: 500, output_tokens: 40}
rules:
  - when: {input: broken}
    fault: rejected
";

/// As [`HEALTHY`], but the last phase of a request with `slow` never answers.
const ONE_HANGS: &str = "
answer: {text: 'made of {original_input}'}
price: {input: 1.0, output: 10.0}
usage: {input_tokens: 500, output_tokens: 40}
rules:
  - when: {input: slow, phase: coagulatio}
    fault: hang
";

fn home_with(script: &str) -> Home {
    let home = Home::new();
    home.sim("lab", script);
    home
}

/// The lines of an output.
fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn rows_of_file(home: &Home, name: &str) -> Vec<Value> {
    rows(&fs::read_to_string(home.path().join(name)).expect("the output"))
}

/// The text made for each row, by id.
fn made(rows: &[Value]) -> BTreeMap<String, String> {
    let text = |row: &Value| row["result"]["prompts"][0]["content"].as_str().unwrap_or_default().to_owned();
    rows.iter().map(|row| (row["id"].as_str().expect("an id").to_owned(), text(row))).collect()
}

fn calls(home: &Home) -> u64 {
    home.run(&["spend", "--format", "json"]).quietly_done().json()["total"]["calls"].as_u64().expect("a number")
}

#[test]
fn rows_of_every_format_come_to_the_same() {
    let home = home_with(HEALTHY);
    let first = "Say \"hi\", twice\nand again";
    let (json_rows, lines) = (
        json!([{ "id": "a", "input": first, "count": 1 }, { "id": "b", "input": "Name a boat", "count": 1, "tags": ["x", "y"] }]),
        "{\"id\":\"a\",\"input\":\"Say \\\"hi\\\", twice\\nand again\",\"count\":1}\r\n\r\n{\"id\":\"b\",\"input\":\"Name a boat\",\"count\":1,\"tags\":[\"x\",\"y\"]}",
    );
    home.write("rows.json", json_rows.to_string());
    home.write("rows.jsonl", format!("\u{feff}{lines}"));
    home.write(
        "rows.csv",
        "\u{feff}id,input,count,tags\r\na,\"Say \"\"hi\"\", twice\nand again\",1,\r\nb,Name a boat,1,\"x,y\"\r\n",
    );
    home.write(
        "rows.yaml",
        "- id: a\n  input: |-\n    Say \"hi\", twice\n    and again\n  count: 1\n- {id: b, input: Name a boat, count: 1, tags: [x, y]}\n",
    );
    fs::copy(home.path().join("rows.csv"), home.path().join("unnamed")).expect("a copy");
    let expected: BTreeMap<String, String> =
        [("a".to_owned(), format!("made of {first}")), ("b".to_owned(), "made of Name a boat".to_owned())].into();
    for file in ["rows.json", "rows.jsonl", "rows.csv", "rows.yaml", "unnamed"] {
        let said = home.run(&["batch", file, "--no-vectors"]).done();
        let rows = rows(&said.stdout);
        assert_eq!(made(&rows), expected, "{file}");
        let tags = rows.iter().find(|row| row["id"] == "b").map(|row| row["result"]["prompts"][0]["tags"].clone());
        assert_eq!(tags, Some(json!(["x", "y"])), "{file}");
        assert!(rows.iter().all(|row| row["status"] == "ok" && row["error"].is_null()), "{file}");
    }
    let said = home.run_with_stdin(&["batch", "process", "-", "--count", "1", "--no-save"], b"one\n\ntwo\r\n").done();
    let expected = [("1", "made of one"), ("2", "made of two")].map(|(id, text)| (id.to_owned(), text.to_owned()));
    assert_eq!(made(&rows(&said.stdout)), expected.into());
    // Five times two rows, stored once each; the last two were not.
    let stored = home.run(&["list", "--limit", "100", "--format", "json"]).done().json();
    assert_eq!(stored["prompts"].as_array().map(Vec::len), Some(10));
}

#[test]
fn a_bad_row_in_a_file_is_named_before_anything_is_sent() {
    let home = home_with(HEALTHY);
    home.write(
        "rows.jsonl",
        "{\"input\":\"fine\"}\n{\"input\":\"\"}\n{\"inptu\":\"x\"}\n{\"id\":\"1\",\"input\":\"y\"}\n{\"input\":\"z\",\"budget_usd\":1}\nnonsense\n",
    );
    let said = home.run(&["batch", "rows.jsonl"]).failed(2);
    for word in [
        "5 of 6 rows are bad",
        "row 2 (line 2): input",
        "row 3 (line 3)",
        "row 4 (line 4): id",
        "row 5",
        "row 6 (line 6, column 2)",
    ] {
        assert!(said.stderr.contains(word), "{word}: {}", said.stderr);
    }
    assert_eq!((calls(&home), said.stdout.as_str()), (0, ""));
    home.write("rows.csv", "id,input,count\n1,fine,1\n2,\"two\nlines\",zero\n3,fine,1\n");
    let said = home.run(&["batch", "rows.csv"]).failed(2);
    assert!(said.stderr.contains("row 2 (line 3): count"), "{}", said.stderr);
    for ends in ["\n", "\r\n"] {
        let csv = ["id,input,count", "1,fine,1", "2,\"b\"\"x\",2", "3,\"c\" d,3", "4,e,1", ""].join(ends);
        home.write("rows.csv", csv);
        let said = home.run(&["batch", "rows.csv"]).failed(2);
        assert!(said.stderr.contains("row 3 (line 4)"), "{}", said.stderr);
        assert!(said.stderr.contains("line 4, column 6: text follows a closing quote"), "{}", said.stderr);
        home.write("rows.csv", ["id,input", "1,fine", "2,\"open", "3,x", "4,y", ""].join(ends));
        let said = home.run(&["batch", "rows.csv"]).failed(2);
        assert!(said.stderr.contains("line 3, column 3: a quote is opened and never closed"), "{}", said.stderr);
    }
    for (yaml, place) in [
        ("- input: fine\n- input: [a\n- input: x\n", "row 2 (line "),
        ("input: fine\n--- {input: a, b: ]}\n", "row 2 (line 2, column 19)"),
    ] {
        home.write("rows.yaml", yaml);
        let said = home.run(&["batch", "rows.yaml"]).failed(2);
        assert!(said.stderr.contains(place) && said.stderr.contains(", column "), "{}", said.stderr);
    }
    // Several rows in one line: counted by hand.
    home.write("rows.json", r#"[{"input":"fine"},{"input":"é"}, {"input":"y","count":"zz"},{"input":}]"#);
    let said = home.run(&["batch", "rows.json"]).failed(2);
    for place in ["row 3 (line 1, column 35): count", "row 4 (line 1, column 71)"] {
        assert!(said.stderr.contains(place), "{}", said.stderr);
    }
    assert_eq!(calls(&home), 0);
    home.write("empty.txt", "\n \n");
    assert!(home.run(&["batch", "empty.txt"]).failed(2).stderr.contains("no rows"));
    assert!(home.run(&["batch", "nowhere.txt"]).failed(1).stderr.contains("nowhere.txt"));
    assert!(home.run(&["batch", "a", "--input-file", "b"]).failed(2).stderr.contains("given twice"));
}

#[test]
fn a_bad_row_from_standard_input_fails_alone() {
    let home = home_with(HEALTHY);
    let lines = b"{\"input\":\"one\"}\n{\"input\":7}\n{\"id\":\"third\",\"input\":\"three\"}\n";
    let said = home.run_with_stdin(&["batch", "--count", "1", "--ordered", "--junit", "report.xml"], lines);
    assert_eq!(said.code, 1, "{}", said.stderr);
    let rows = rows(&said.stdout);
    let seen: Vec<(&Value, &Value)> = rows.iter().map(|row| (&row["id"], &row["status"])).collect();
    assert_eq!(seen, [(&json!("1"), &json!("ok")), (&json!("2"), &json!("failed")), (&json!("third"), &json!("ok"))]);
    assert_eq!(rows[1]["error"]["code"], "validation_failed");
    assert!(
        rows[1]["error"]["detail"].as_str().is_some_and(|detail| detail.contains("row 2 (line 2, column 1)")),
        "{}",
        rows[1]
    );
    assert_eq!(calls(&home), 6);
    let report = fs::read_to_string(home.path().join("report.xml")).expect("a report");
    assert!(report.contains("tests=\"3\" failures=\"1\"") && report.contains("name=\"third\""), "{report}");
}

#[test]
fn a_row_that_fails_ends_nothing_unless_it_is_asked_to() {
    let home = home_with(ONE_BROKEN);
    home.write("rows.txt", "one\nbroken\nthree\n");
    let said = home.run(&["batch", "rows.txt", "--count", "1", "-o", "out.jsonl"]);
    assert_eq!(said.code, 1, "{}", said.stderr);
    assert!(said.stdout.contains("2 of 3 rows ok, 1 failed"), "{}", said.stdout);
    let rows = rows_of_file(&home, "out.jsonl");
    let failed: Vec<&Value> = rows.iter().filter(|row| row["status"] == "failed").collect();
    assert_eq!((rows.len(), failed.len(), &failed[0]["id"]), (3, 1, &json!("2")));
    assert_eq!(failed[0]["error"]["code"], "provider_rejected");

    let arguments = ["batch", "rows.txt", "--count", "1", "-o", "fast.jsonl", "--fail-fast", "--concurrency", "1"];
    let said = home.run(&arguments).failed(6);
    assert!(said.stderr.contains("--resume"), "{}", said.stderr);
    assert_eq!(rows_of_file(&home, "fast.jsonl").len(), 2);
    // What failed stays so; the rest is done.
    assert_eq!(home.run(&[&arguments[..], &["--resume"]].concat()).code, 1);
    assert_eq!(rows_of_file(&home, "fast.jsonl").len(), 3);
}

#[test]
fn a_finished_file_is_not_overwritten() {
    let home = home_with(HEALTHY);
    home.write("rows.txt", "one\ntwo\n");
    let arguments = ["batch", "rows.txt", "--count", "1", "-o", "out.jsonl"];
    let said = home.run(&[&arguments[..], &["--resume", "--format", "json"]].concat()).done();
    assert_eq!((&said.json()["ok"], &said.json()["total"], &said.json()["failed"]), (&json!(2), &json!(2), &json!(0)));
    let before = fs::read_to_string(home.path().join("out.jsonl")).expect("the output");
    let refused = home.run(&arguments).failed(1);
    assert!(refused.stderr.contains("overwrites no file"), "{}", refused.stderr);
    let again = home.run(&[&arguments[..], &["--resume"]].concat()).done();
    assert!(again.stderr.contains("nothing is left to do"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(home.path().join("out.jsonl")).expect("the output"), before);
    assert_eq!(calls(&home), 6);
    home.write("notes.txt", "mine\n");
    home.run(&["batch", "rows.txt", "-o", "notes.txt"]).failed(1);
    assert_eq!(fs::read_to_string(home.path().join("notes.txt")).expect("a file"), "mine\n");
    assert!(home.run(&["batch", "rows.txt", "--resume"]).failed(2).stderr.contains("--output-file"));
}

#[test]
fn a_budget_buys_whole_rows_and_a_larger_one_the_rest() {
    let home = home_with(HEALTHY);
    home.write("rows.txt", "one\ntwo\nthree\n");
    let arguments = ["batch", "rows.txt", "--count", "2", "-o", "out.jsonl", "--max-calls"];
    // Six calls a row: two rows, and two calls that buy nothing whole.
    let said = home.run(&[&arguments[..], &["14"]].concat()).failed(7);
    assert!(said.stderr.contains("2 of 3 rows are done") && said.stderr.contains("--resume"), "{}", said.stderr);
    assert_eq!((calls(&home), rows_of_file(&home, "out.jsonl").len()), (12, 2));
    home.run(&[&arguments[..], &["17", "--resume"]].concat()).failed(7);
    assert_eq!(calls(&home), 12);
    home.run(&[&arguments[..], &["18", "--resume"]].concat()).done();
    let rows = rows_of_file(&home, "out.jsonl");
    assert_eq!((calls(&home), rows.len(), made(&rows).len()), (18, 3, 3));
    assert!(rows.iter().all(|row| row["result"]["prompts"].as_array().map(Vec::len) == Some(2)));

    let dry = home.run(&["batch", "rows.txt", "--count", "2", "--dry-run", "--format", "json"]).done().json();
    assert_eq!((&dry["rows"], &dry["estimate"]["calls"]), (&json!(3), &json!(18)));
    // Three answers of at most 2,000 tokens for each of six variants.
    assert_eq!(dry["estimate"]["output_tokens"], 36_000, "{dry}");
    assert!(dry["seconds"].is_number(), "its model has made prompts: {dry}");
    assert!(dry["estimate"]["input_tokens"].as_u64().is_some_and(|tokens| tokens > 18), "{dry}");
    assert_eq!(calls(&home), 18);
    let fresh = home_with(HEALTHY);
    fresh.write("rows.txt", "one\n");
    let dry = fresh.run(&["batch", "rows.txt", "--dry-run"]).done();
    assert!(dry.stdout.contains("how long it takes is unknown"), "{}", dry.stdout);
    // A thousand rows cost a thousand times as much as one, and a rounding.
    let most = |rows: usize| {
        home.write("same.txt", "the same\n".repeat(rows));
        let dry = home.run(&["batch", "same.txt", "--count", "1", "--dry-run", "--format", "json"]).done().json();
        dry["estimate"]["most_usd"].as_f64().expect("a price")
    };
    let (one, thousand) = (most(1), most(1_000));
    assert!((thousand - one * 1_000.0).abs() <= 0.011, "{one} {thousand}");
    let said = home.run(&["batch", "rows.txt", "--budget-usd", "0.000001"]).failed(7);
    assert!(said.stderr.contains("0 of 3 rows are done"), "{}", said.stderr);
}

#[test]
fn a_killed_batch_goes_on_and_pays_for_nothing_twice() {
    let home = home_with(ONE_HANGS);
    let inputs = ["one", "two", "slow", "four", "five", "six"];
    home.write("rows.txt", inputs.join("\n"));
    let arguments = ["batch", "rows.txt", "--count", "1", "-o", "out.jsonl", "--ordered", "--concurrency", "2"];
    let mut child = home.command();
    child.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().expect("it starts");
    // Five rows are done, and two phases of the slow one.
    let begun = Instant::now();
    while calls(&home) < 17 {
        assert!(begun.elapsed() < Duration::from_mins(1), "the rows before the kill");
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_millis(300));
    child.kill().expect("it is there");
    child.wait().expect("it ends");
    assert_eq!(made(&rows_of_file(&home, "out.jsonl")).len(), 2, "in order, only those before the slow one");
    let half = fs::read_to_string(home.path().join("out.jsonl")).expect("the output");
    home.write("out.jsonl", format!("{half}{{\"row\":3,\"id\":\"3\",\"sta"));
    assert!(home.run(&arguments).failed(1).stderr.contains("--resume"));

    home.sim("lab", HEALTHY);
    let said = home.run(&[&arguments[..], &["--resume"]].concat()).done();
    assert!(said.stderr.contains("was killed; waiting"), "{}", said.stderr);
    let rows = rows_of_file(&home, "out.jsonl");
    let expected: Vec<(String, String)> =
        (1..).zip(inputs).map(|(id, input): (u32, _)| (id.to_string(), format!("made of {input}"))).collect();
    let seen: Vec<(String, String)> = rows.iter().flat_map(|row| made(std::slice::from_ref(row))).collect();
    assert_eq!(seen, expected);
    assert!(rows.iter().all(|row| row["result"]["prompts"][0]["score"].is_number()));
    // Eighteen calls were answered. The one in flight at the kill is not recorded.
    assert_eq!(calls(&home), 18);
    assert!(!home.path().join("out.jsonl.job").exists());
}

#[test]
fn a_batch_killed_while_its_rows_were_stored_starts_again() {
    let home = home_with(ONE_HANGS);
    home.write("rows.txt", "slow\ntwo\n");
    let arguments = ["batch", "rows.txt", "--count", "1", "-o", "out.jsonl"];
    let mut child = home.command();
    child.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child.spawn().expect("it starts");
    let begun = Instant::now();
    while !home.path().join("out.jsonl.job").exists() || calls(&home) < 1 {
        assert!(begun.elapsed() < Duration::from_mins(1), "the batch begins");
        sleep(Duration::from_millis(20));
    }
    child.kill().expect("it is there");
    child.wait().expect("it ends");
    // As if only its first row had been stored.
    #[expect(clippy::disallowed_methods, reason = "the test forges what a kill leaves")]
    let connection = rusqlite::Connection::open(home.database()).expect("the database");
    let stored = connection.execute("DELETE FROM job_units WHERE unit <> '0000000001'", ()).expect("the units");
    assert!(stored > 0);
    drop(connection);

    home.sim("lab", HEALTHY);
    let said = home.run(&[&arguments[..], &["--resume"]].concat()).done();
    assert!(said.stderr.contains("starts again"), "{}", said.stderr);
    let expected = [("1", "made of slow"), ("2", "made of two")].map(|(id, text)| (id.to_owned(), text.to_owned()));
    assert_eq!(made(&rows_of_file(&home, "out.jsonl")), expected.into());
    assert!(!home.path().join("out.jsonl.job").exists());
}

#[test]
fn a_storm_of_refusals_fails_no_row_and_uses_up_no_call() {
    let home = home_with(&format!("{HEALTHY}limit: {{calls_per_s: 40}}\n"));
    home.write("rows.txt", (0..30).map(|row| format!("row {row}")).collect::<Vec<_>>().join("\n"));
    // Without retries, and with room for the calls that are answered and no others.
    let arguments = ["batch", "rows.txt", "--count", "1", "-o", "out.jsonl", "--concurrency", "8", "--max-calls", "90"];
    home.run_with_env(&arguments, &[("ALUDEL_PROVIDERS__LAB__MAX_RETRIES", "0")]).done();
    assert_eq!(made(&rows_of_file(&home, "out.jsonl")).len(), 30);
}

#[test]
fn an_interrupted_batch_says_how_to_go_on() {
    let home = home_with(ONE_HANGS);
    home.write("rows.txt", "one\nslow\n");
    for (more, advice) in [(&[][..], "aludel jobs resume"), (&["-o", "out.jsonl"], "--resume")] {
        home.sim("lab", ONE_HANGS);
        let mut child = home.command();
        child.args([&["batch", "rows.txt", "--count", "1"], more].concat());
        let child =
            child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let (before, begun) = (calls(&home), Instant::now());
        while calls(&home) < before + 5 {
            assert!(begun.elapsed() < Duration::from_mins(1), "the first row");
            sleep(Duration::from_millis(20));
        }
        sleep(Duration::from_millis(200));
        let status = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
        assert!(status.expect("a shell").success());
        let ended = child.wait_with_output().expect("it ends");
        let said = String::from_utf8(ended.stderr).expect("UTF-8");
        assert_eq!(ended.status.code(), Some(130), "{said}");
        assert!(said.contains("1 of 2 rows done") && said.contains(advice), "{said}");
    }
    home.sim("lab", HEALTHY);
    let rest = home.run(&["jobs", "--format", "json"]).done().json();
    let ids: Vec<&str> = rest["jobs"].as_array().expect("jobs").iter().filter_map(|job| job["id"].as_str()).collect();
    assert_eq!(ids.len(), 2);
    let resumed = home.run(&["jobs", "resume", ids[1]]).done();
    assert_eq!(made(&rows(&resumed.stdout)), [("2".to_owned(), "made of slow".to_owned())].into());
    home.run(&["batch", "-o", "out.jsonl", "--resume"]).done();
    assert_eq!(made(&rows_of_file(&home, "out.jsonl")).len(), 2);
}

#[test]
fn several_target_models_make_a_row_each() {
    let home = home_with(HEALTHY);
    home.write(
        "rows.jsonl",
        "{\"id\":\"a\",\"input\":\"one\"}\n{\"input\":\"two\"}\n{\"id\":\"own\",\"input\":\"three\",\"target_model\":\"gemini-3\"}\n",
    );
    let said = home
        .run(&[
            "batch",
            "rows.jsonl",
            "--count=1",
            "--target-model",
            "gpt-5.5,claude-sonnet-5-5",
            "--ordered",
            "--no-save",
        ])
        .done();
    let rows = rows(&said.stdout);
    let ids: Vec<&str> = rows.iter().filter_map(|row| row["id"].as_str()).collect();
    assert_eq!(ids, ["a:gpt-5.5", "a:claude-sonnet-5-5", "2:gpt-5.5", "2:claude-sonnet-5-5", "own"]);
    assert_eq!(calls(&home), 15);
    let said = home.run(&["batch", "rows.jsonl", "--target-model", "gpt-5.5,gpt-5.5"]).failed(2);
    assert!(said.stderr.contains("--target-model[1]: `gpt-5.5` is named twice"), "{}", said.stderr);
    // With one model a row keeps its id.
    let said =
        home.run(&["batch", "rows.jsonl", "--count=1", "--target-model=gpt-5.5", "--ordered", "--no-save"]).done();
    assert_eq!(made(&self::rows(&said.stdout)).into_keys().collect::<Vec<_>>(), ["2", "a", "own"]);
}

#[test]
fn what_came_of_a_batch_is_shown_later() {
    let home = home_with(ONE_BROKEN);
    home.write("rows.txt", "Name a boat\nbroken\nName a cat\n");
    assert_eq!(home.run(&["batch", "rows.txt", "--count=1", "--no-vectors"]).code, 1);
    let said = home.run(&["jobs", "result", "@last"]).done();
    for word in ["made of Name a boat", "failed", "3 of 3, 1 failed"] {
        assert!(said.stdout.contains(word), "{word}: {}", said.stdout);
    }
    let said = home.run(&["jobs", "result", "@last", "--status=failed", "--quiet"]).done();
    assert_eq!(said.stdout, "2\n");
    let said = home.run(&["jobs", "result", "@last", "--limit=1"]).done();
    assert!(said.stdout.contains("--after 1` shows the next rows"), "{}", said.stdout);
    let page = home.run(&["jobs", "result", "@last", "--after=1", "--format=json"]).done().json();
    assert_eq!((page["rows"].as_array().map(Vec::len), &page["rows"][0]["row"]), (Some(2), &json!(2)));
    assert_eq!((&page["result"]["failed"], &page["next_after"]), (&json!(1), &Value::Null));
}
