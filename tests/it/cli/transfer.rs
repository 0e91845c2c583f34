//! `export`, `import` and `migrate --from`: round trips, and the Go program's history.

use std::path::PathBuf;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::Home;

const FORMATS: [&str; 4] = ["json", "jsonl", "csv", "yaml"];

/// A home with four prompts, one of them derived from another and with tricky content.
fn filled() -> Home {
    let home = Home::new();
    home.run(&["generate", "First idea", "--count", "2", "--tags", "old", "--persona", "code"]).done();
    home.run(&["generate", "Second idea", "--count", "1", "--tags", "new"]).done();
    let hostile = "=1+1\r\n---\n\"quoted\" \u{2028} 😀 \t \n\n";
    home.run_with_stdin(&["update", "@last", "--content", "-", "--notes", "'=x"], hostile.as_bytes()).done();
    home
}

/// Everything stored, without the models of vectors: those are rebuilt on import.
fn listed(home: &Home) -> Value {
    let mut prompts = home.run(&["list", "--format", "json", "--limit", "100"]).quietly_done().json()["prompts"].take();
    for prompt in prompts.as_array_mut().expect("prompts") {
        for name in ["embedding_provider", "embedding_model"] {
            prompt["model_metadata"][name] = Value::Null;
        }
    }
    prompts
}

#[test]
fn every_format_goes_through_a_pipe_into_an_empty_home_and_back() {
    let home = filled();
    let stored = listed(&home);
    assert_eq!(stored.as_array().expect("prompts").len(), 4);
    for format in FORMATS {
        let text = home.run(&["export", "--format", format]).quietly_done().stdout;
        let other = Home::new();
        let said = other.run_with_stdin(&["import", "-"], text.as_bytes()).done();
        assert_eq!(
            (said.stdout.as_str(), said.stderr.as_str()),
            ("", "4 prompts imported\n4 prompts can be found by meaning now\n"),
            "{format}"
        );
        assert_eq!(listed(&other), stored, "{format}");
        let again = other.run_with_stdin(&["import", "-", "--format", format], text.as_bytes()).done();
        if format.starts_with("json") {
            let report = again.json();
            assert_eq!((&report["imported"], &report["existing"]), (&json!(0), &json!(4)));
            assert_eq!(again.stderr, "");
        } else {
            assert_eq!(again.stderr, "0 prompts imported, 4 already there\n");
        }
    }
}

#[test]
fn a_file_is_told_by_its_name_and_is_whole_or_untouched() {
    let home = filled();
    for format in FORMATS {
        let name = format!("out.{format}");
        let said = home.run(&["export", "--output-file", &name]).done();
        assert_eq!((said.stdout.as_str(), said.stderr), ("", format!("wrote 4 prompts to {name}\n")));
        let by_pipe = home.run(&["export", "--format", format]).done().stdout;
        assert_eq!(std::fs::read_to_string(home.path().join(&name)).expect("the file"), by_pipe);
        home.run(&["import", &name, "--quiet"]).quietly_done();
    }
    let untouched = home.write("kept.json", "old");
    home.run(&["export", "--output-file", "kept.json", "--limit", "0"]).failed(2);
    assert_eq!(std::fs::read_to_string(untouched).expect("the file"), "old");
    home.run(&["export", "--output-file", "none/a.json"]).failed(1);
    home.run(&["export", "--output", "json"]).failed(2);
    let left: Vec<_> = std::fs::read_dir(home.path()).expect("the folder").flatten().map(|it| it.file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".tmp")), "{left:?}");
}

#[test]
fn an_export_is_filtered_as_a_list_and_markdown_is_for_reading() {
    let home = filled();
    let count = |options: &[&str]| {
        let said = home.run(&[&["export", "--format", "jsonl"], options].concat()).done();
        said.json_lines().len()
    };
    assert_eq!(count(&["--tags", "old"]), 2);
    assert_eq!(count(&["--persona", "code", "--limit", "1"]), 1);
    assert_eq!(count(&["--since", "1h", "--provider", "builtin", "--phase", "coagulatio"]), 4);
    let said = home.run(&["export", "--tags", "none"]).done();
    assert_eq!(
        (said.stdout.as_str(), said.stderr.as_str()),
        ("[]\n", "no stored prompt matches the filters, so the export is empty\n")
    );
    let all = home.run(&["export"]).done().json();
    let dates: Vec<&str> = all.as_array().expect("prompts").iter().filter_map(|it| it["created_at"].as_str()).collect();
    assert!(dates.len() == 4 && dates.is_sorted(), "{dates:?}");
    let document = home.run(&["export", "--format", "markdown", "--limit", "1"]).done().stdout;
    assert!(document.starts_with("# Prompts\n\n## 1. Second idea\n\n```text\n=1+1"), "{document}");
    home.write("a.md", document);
    let said = home.run(&["import", "a.md"]).failed(2);
    assert!(said.stderr.contains("for reading"), "{}", said.stderr);
    home.run(&["import", "a.md", "--format", "markdown"]).failed(2);
}

#[test]
fn a_bad_file_is_refused_whole_with_its_lines_and_in_both_forms() {
    let home = Home::new();
    home.write("bad.jsonl", "{\"content\": \"good\"}\n{\"content\": \"x\", \"tags\": [\"a,b\"]}\n");
    let said = home.run(&["import", "bad.jsonl"]).failed(2);
    assert!(said.stderr.contains("record 2 (line 2): tags[0]"), "{}", said.stderr);
    assert!(said.stderr.contains("nothing was imported"), "{}", said.stderr);
    let problem = home.run(&["import", "bad.jsonl", "--format", "jsonl"]).failed(2).problem();
    assert_eq!(problem["code"], "validation_failed");
    assert_eq!(problem["errors"][1]["field"], "record 2 (line 2): tags[0]");
    assert!(listed(&home).as_array().expect("a list").is_empty());
    home.run(&["import", "none.json"]).failed(1);
    home.run(&["import", "."]).failed(1);
    home.run(&["import"]).failed(2);
    home.write("what.txt", "Dear reader");
    let said = home.run(&["import", "what.txt"]).failed(2);
    assert!(said.stderr.contains("name json, jsonl, csv or yaml"), "{}", said.stderr);
}

#[test]
fn a_report_for_programs_is_had_of_any_format() {
    let home = filled();
    let text = home.run(&["export", "--format", "csv"]).done().stdout;
    let other = Home::new();
    other.write("all.csv", &text);
    let report = other.run(&["import", "all.csv", "--dry-run", "--report", "json"]).quietly_done().json();
    assert_eq!((&report["imported"], &report["dry_run"]), (&json!(4), &json!(true)));
    let said = other.run_with_stdin(&["import", "-", "--format", "csv", "--report", "jsonl"], text.as_bytes()).done();
    assert_eq!((said.stdout.lines().count(), &said.json()["imported"]), (1, &json!(4)));
    let said = other.run(&["import", "all.csv", "--report", "yaml"]).quietly_done();
    assert!(said.stdout.contains("imported: 0\nexisting: 4\n"), "{}", said.stdout);
    let text = other.run(&["export", "--format", "json"]).done().stdout;
    let said = other.run_with_stdin(&["import", "-", "--format", "json", "--report", "text"], text.as_bytes()).done();
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("", "0 prompts imported, 4 already there\n"));
    other.write("bad.csv", "content,score\na,7\n");
    let problem = other.run(&["import", "bad.csv", "--report", "json"]).failed(2).problem();
    assert_eq!(problem["errors"][1]["field"], "record 1 (line 2): score");
    let said = other.run(&["import", "all.csv", "--report", "csv"]).failed(2);
    assert!(said.stderr.contains("report: `csv` is not one of text, json, jsonl, yaml here"), "{}", said.stderr);
}

#[test]
fn a_run_that_partly_failed_keeps_what_was_asked_of_it() {
    let home = Home::new();
    home.sim("sim", "rules:\n  - when: {variant: 1}\n    fault: refusal\n");
    home.run(&["generate", "Three of an idea", "--count", "3", "--phases", "solutio"]);
    let history = |home: &Home| {
        let mut runs = home.run(&["history", "--format", "json"]).done().json()["sessions"].take();
        let prompts = runs[0]["prompts"].as_array_mut().expect("prompts");
        // Scores are equal, and another test covers the models of vectors.
        prompts.sort_by_key(|prompt| prompt["variant"].as_u64());
        for prompt in prompts {
            prompt["model_metadata"].take();
        }
        runs
    };
    let runs = history(&home);
    assert_eq!((&runs[0]["count"], runs[0]["prompts"].as_array().map(Vec::len)), (&json!(3), Some(2)));
    for format in FORMATS {
        let text = home.run(&["export", "--format", format]).quietly_done().stdout;
        let other = Home::new();
        let said = other.run_with_stdin(&["import", "-", "--no-vectors"], text.as_bytes()).done();
        assert_eq!(said.stderr, "2 prompts imported\n", "{format}");
        assert_eq!(history(&other), runs, "{format}");
    }
}

#[test]
fn a_dry_run_stores_nothing_and_a_conflict_keeps_what_is_stored() {
    let home = filled();
    let text = home.run(&["export", "--format", "jsonl"]).done().stdout;
    let other = Home::new();
    other.write("all.jsonl", &text);
    let said = other.run(&["import", "all.jsonl", "--dry-run"]).done();
    assert_eq!(said.stderr, "4 prompts would be imported\n");
    assert!(!other.database().exists());
    home.write("changed.jsonl", text.replace("\"tags\":[\"old\"]", "\"tags\":[\"older\"]"));
    let stored = listed(&home);
    let said = home.run(&["import", "changed.jsonl"]).done();
    assert!(said.stderr.starts_with("0 prompts imported, 2 already there, 2 in conflict\n"), "{}", said.stderr);
    assert!(said.stderr.contains("record 1 (line 1): ") && said.stderr.contains("different tags; "), "{}", said.stderr);
    assert_eq!(listed(&home), stored);
}

#[test]
fn answers_of_other_commands_are_imported_too() {
    let home = filled();
    for (format, name) in [("json", "listed.json"), ("yaml", "listed.yaml"), ("csv", "listed.csv")] {
        let text = home.run(&["list", "--format", format]).done().stdout;
        let other = Home::new();
        other.write(name, text);
        let said = other.run(&["import", name]).done();
        assert!(said.stderr.contains("4 prompts imported\n4 prompts can be found by meaning now\n"), "{}", said.stderr);
        assert_eq!(said.stderr.contains("ignored, because"), format == "csv", "{}", said.stderr);
    }
    let result = home.run(&["generate", "Third idea", "--format", "json", "--no-save"]).done().stdout;
    let said = home.run_with_stdin(&["import", "-"], result.as_bytes()).done();
    assert!(said.stderr.contains("`rankings`") && said.stderr.contains("3 prompts imported\n"), "{}", said.stderr);
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_ends_an_export_quietly() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let home = Home::new();
    let line = |n| format!("{{\"content\": \"{n} {}\"}}", "long ".repeat(100));
    let lines = (0..2000).map(line).collect::<Vec<_>>().join("\n");
    home.run_with_stdin(&["import", "-", "--quiet", "--no-vectors"], lines.as_bytes()).quietly_done();
    let mut command = home.command();
    let mut child = command.arg("export").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut first = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut first).expect("a line");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

/// A database as prompt-alchemy writes it.
pub(super) fn alchemy(home: &Home) -> PathBuf {
    let path = home.path().join("prompts.db");
    #[expect(clippy::disallowed_methods, reason = "another program's file is made here")]
    let connection = Connection::open(&path).expect("a database");
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE prompts (id TEXT PRIMARY KEY, content TEXT NOT NULL, content_hash TEXT, phase TEXT, provider TEXT,
                 model TEXT, temperature REAL, max_tokens INTEGER, actual_tokens INTEGER, tags TEXT, parent_id TEXT,
                 source_type TEXT, enhancement_method TEXT, relevance_score REAL, usage_count INTEGER,
                 generation_count INTEGER, last_used_at INTEGER, original_input TEXT, persona_used TEXT,
                 target_model_family TEXT, created_at INTEGER, updated_at INTEGER, embedding_model TEXT,
                 embedding_provider TEXT, session_id TEXT);
             INSERT INTO prompts (id, content, phase, provider, model, tags, created_at, updated_at, usage_count) VALUES
                 ('0b6f4c7e-5f0f-4b43-9a8e-2f1f4c1f7a11', 'First', 'idea', 'openai', 'gpt-4', '[\"sea\"]', 1700000000,
                     1700000000, 3),
                 ('old-7', '=Second', 'precision', 'anthropic', 'claude', 'a, b', 1700000100, NULL, 0),
                 ('old-8', '  ', 'human', NULL, NULL, NULL, NULL, NULL, NULL);
             UPDATE prompts SET parent_id = '0b6f4c7e-5f0f-4b43-9a8e-2f1f4c1f7a11' WHERE id = 'old-7';",
        )
        .expect("rows");
    path
}

#[test]
fn the_history_of_the_go_program_comes_over_once() {
    let home = Home::new();
    alchemy(&home);
    let said = home.run(&["migrate", "--from", "prompts.db", "--dry-run"]).done();
    assert_eq!(said.stderr, "2 prompts would be imported, 1 skipped\n  skipped 1: it has no content (row 3)\n");
    assert!(!home.database().exists());
    let report = home.run(&["migrate", "--from", "prompts.db", "--format", "json"]).quietly_done().json();
    let counts = ["records", "imported", "existing", "skipped"].map(|name| report[name].as_u64().expect("a number"));
    assert_eq!(counts, [3, 2, 0, 1]);
    let stored = listed(&home);
    let (second, first) = (&stored[0], &stored[1]);
    assert_eq!((&first["phase"], &second["phase"]), (&json!("prima-materia"), &json!("coagulatio")));
    assert_eq!(second["parent_id"], first["id"]);
    assert_eq!((&second["content"], &second["tags"]), (&json!("=Second"), &json!(["a", "b"])));
    assert_eq!(second["created_at"], "2023-11-14T22:15:00.000Z");
    assert_eq!(first["notes"], "From prompt-alchemy:\nusage_count: 3");
    assert_eq!(second["notes"], "From prompt-alchemy:\nid: old-7");
    let said = home.run(&["migrate", "--from", "prompts.db"]).done();
    assert!(said.stderr.starts_with("0 prompts imported, 2 already there, 1 skipped\n"), "{}", said.stderr);
    let back = home.run(&["export", "--format", "yaml"]).done().stdout;
    let other = Home::new();
    other.run_with_stdin(&["import", "-"], back.as_bytes()).done();
    assert_eq!(listed(&other), stored);
}

#[test]
fn a_file_of_another_program_is_refused_with_the_reason() {
    let home = filled();
    let said = home.run(&["migrate", "--from", home.database().to_str().expect("UTF-8")]).failed(1);
    assert!(said.stderr.contains("aludel itself"), "{}", said.stderr);
    home.write("text.db", "hello");
    assert!(home.run(&["migrate", "--from", "text.db"]).failed(1).stderr.contains("not a SQLite database"));
    home.run(&["migrate", "--from", "none.db"]).failed(1);
    home.run(&["migrate", "--from", "text.db", "--status"]).failed(2);
    let said = home.run(&["import", home.database().to_str().expect("UTF-8")]).failed(2);
    assert!(said.stderr.contains("migrate --from"), "{}", said.stderr);
}
