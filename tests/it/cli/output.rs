//! Output streams: data to standard output, the rest to standard error, files whole or not at all.

use std::io::Read;
use std::process::Stdio;

use crate::support::Home;

const IDEA: &str = "Plan a garden of 12 beds";

#[test]
fn without_a_terminal_there_is_no_colour_and_no_progress() {
    let home = Home::new();
    home.sim("slow", "answer: {text: 'about {input}'}\npacing: {first_token_ms: 120}\n");
    let said = home.run(&["generate", IDEA, "--count", "2"]).done();
    assert!(!said.stdout.contains('\u{1b}') && !said.stderr.contains('\u{1b}'), "{said:?}");
    assert_eq!(said.stderr.lines().count(), 1, "only where it is stored: {}", said.stderr);
    assert!(said.stderr.contains("aludel show "), "{}", said.stderr);
}

#[test]
fn quiet_prints_the_best_prompt_and_nothing_else() {
    let home = Home::new();
    let said = home.run(&["generate", IDEA, "--quiet"]).quietly_done();
    let session = home.run(&["history", "--limit", "1", "--format", "json"]).done().json()["sessions"][0].clone();
    let best = session["prompts"][0]["content"].as_str().expect("text");
    assert_eq!(said.stdout.trim_end(), best.trim_end());
}

#[test]
fn the_best_prompt_comes_first_in_text() {
    let home = Home::new();
    let said = home.run(&["generate", IDEA, "--count", "4"]).done();
    let session = home.run(&["history", "--limit", "1", "--format", "json"]).done().json()["sessions"][0].clone();
    let places: Vec<usize> = session["prompts"]
        .as_array()
        .expect("prompts")
        .iter()
        .map(|prompt| said.stdout.find(prompt["content"].as_str().expect("text").trim_end()).expect("the prompt"))
        .collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn a_result_is_written_to_a_file_in_the_format_its_name_says() {
    let home = Home::new();
    let cases: [(&str, &[&str], &str); 5] = [
        ("out.json", &[], "{"),
        ("out.md", &[], "# "),
        ("out.yaml", &[], "session_id:"),
        ("out.jsonl", &[], "{\"session_id\""),
        ("out.md", &["--format", "json"], "{"),
    ];
    for (name, options, beginning) in cases {
        let arguments = [&["generate", IDEA, "--output-file", name], options].concat();
        let said = home.run(&arguments).done();
        assert_eq!(said.stdout, "", "{name}");
        assert!(said.stderr.contains(&format!("wrote {name}")), "{}", said.stderr);
        let written = std::fs::read_to_string(home.path().join(name)).expect("the file");
        assert!(written.starts_with(beginning), "{name}: {written}");
    }
    let left: Vec<_> =
        std::fs::read_dir(home.path()).expect("the folder").map(|entry| entry.expect("e").file_name()).collect();
    assert_eq!(left.len(), 5, "something else was left: {left:?}");
}

#[test]
fn a_failed_run_leaves_the_output_file_as_it_was() {
    let home = Home::new();
    home.sim_fixture("all_fail");
    let path = home.write("out.txt", "before");
    home.run(&["generate", IDEA, "--output-file", "out.txt"]).failed(6);
    assert_eq!(std::fs::read_to_string(path).expect("the file"), "before");
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let path = home.write("out.txt", "before");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("a mode");
    home.run(&["generate", IDEA, "--output-file", "out.txt"]).done();
    assert_eq!(std::fs::metadata(&path).expect("the file").permissions().mode() & 0o777, 0o600);
}

#[test]
fn streamed_text_is_labelled_and_goes_where_no_data_goes() {
    let home = Home::new();
    let labelled = "── variant 1 · prima-materia";
    let text = home.run(&["generate", IDEA, "--count", "2", "--stream"]).done();
    // In parallel, so variants are printed in the order they first produce text.
    assert!(text.stdout.starts_with("── variant "), "{}", text.stdout);
    assert!(text.stdout.contains(labelled), "{}", text.stdout);
    assert!(text.stdout.contains("── variant 2 · coagulatio"), "{}", text.stdout);
    assert!(text.stdout.contains("best of 2"), "the summary follows");
    let json = home.run(&["generate", IDEA, "--count", "2", "--stream", "--format", "json"]).done();
    assert_eq!(json.json()["prompts"].as_array().map(Vec::len), Some(2));
    assert!(json.stderr.contains(labelled), "{}", json.stderr);
}

#[test]
fn streamed_text_is_all_the_text_there_is() {
    let home = Home::new();
    let text = home.run(&["generate", IDEA, "--count", "3", "--stream"]).done().stdout;
    let session = home.run(&["history", "--limit", "1", "--format", "json"]).done().json()["sessions"][0].clone();
    for prompt in session["prompts"].as_array().expect("prompts") {
        for step in prompt["steps"].as_array().expect("steps") {
            assert!(text.contains(step["content"].as_str().expect("text").trim_end()), "a step is missing");
        }
    }
}

/// Runs a command whose reader leaves after a few bytes; returns exit code and standard error.
fn with_a_short_reader(home: &Home, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = home.command();
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut few = [0; 10];
    stdout.read_exact(&mut few).expect("a beginning");
    drop(stdout);
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    let home = Home::new();
    // More than a pipe holds, so that the writer meets the closed pipe.
    home.sim("long", "answer: {words: 30000}\n");
    let run = ["generate", IDEA, "--max-tokens", "100000", "--format", "jsonl"];
    assert_eq!(with_a_short_reader(&home, &run), (Some(0), String::new()));
    home.run(&["generate", IDEA, "--max-tokens", "100000", "--quiet"]).done();
    assert_eq!(with_a_short_reader(&home, &["list", "--format", "json"]), (Some(0), String::new()));
}
