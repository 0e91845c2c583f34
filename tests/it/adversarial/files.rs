//! Endless files, endlessly nested files and files full of faults, wherever a file is read.

use std::fmt::Write as _;
use std::fs::File;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::{CommandOutput, Home};

const ZERO: &str = "/dev/zero";

/// Runs the program with `/dev/zero` as standard input.
fn fed_with_zeros(home: &Home, arguments: &[&str]) -> CommandOutput {
    let mut command = home.bounded();
    command.args(arguments).stdin(File::open(ZERO).expect("/dev/zero"));
    CommandOutput::from(command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().expect("the program ends"))
}

fn pipe(home: &Home, name: &str) {
    let path = home.write(name, "");
    std::fs::remove_file(&path).expect("removed");
    assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
}

#[test]
fn a_named_file_without_an_end_is_refused_at_its_limit() {
    let home = Home::new();
    home.run(&["generate", "x", "-n2", "-q"]).done();
    let stored = home.run(&["list", "--format", "json"]).done().json()["prompts"].take();
    let [first, second] = [0, 1].map(|at| stored[at]["id"].as_str().expect("an id").to_owned());
    for (arguments, says) in [
        (&["--config", ZERO, "list"][..], "256 KiB"),
        (&["generate", "--input-file", ZERO], "4 MiB"),
        (&["generate", "x", "--context", "@/dev/zero"], "4 MiB"),
        (&["update", "@last", "--content", "@/dev/zero"], "4 MiB"),
        (&["select", &first, &second, "--criteria", ZERO], "256 KiB"),
        (&["import", ZERO], "do not tell its format"),
        (&["import", "--format", "json", ZERO], "record 1"),
        (&["import", "--format", "jsonl", ZERO], "64 MiB"),
        (&["import", "--format", "csv", ZERO], "64 MiB"),
        (&["import", "--format", "yaml", ZERO], "10 MiB"),
    ] {
        let said = home.run_bounded(arguments, b"");
        assert!((1..=3).contains(&said.code), "{arguments:?}: {} {}", said.code, said.stderr);
        assert!(said.stderr.contains(says) && said.stderr.len() < 2000, "{arguments:?}: {}", said.stderr);
    }
}

#[test]
fn standard_input_without_an_end_is_refused_at_its_limit() {
    let home = Home::new();
    for (arguments, says) in [
        (&["generate"][..], "4 MiB"),
        (&["generate", "x", "--context", "-"], "4 MiB"),
        (&["import", "-"], "do not tell its format"),
        (&["import", "-", "--format", "jsonl"], "64 MiB"),
    ] {
        let said = fed_with_zeros(&home, arguments);
        assert!((1..=3).contains(&said.code), "{arguments:?}: {} {}", said.code, said.stderr);
        assert!(said.stderr.contains(says), "{arguments:?}: {}", said.stderr);
    }
}

#[test]
fn endless_bad_records_on_a_pipe_end_the_import() {
    let home = Home::new();
    let mut yes = Command::new("yes").stdout(Stdio::piped()).spawn().expect("yes");
    let lines = yes.stdout.take().expect("a pipe");
    let mut command = home.bounded();
    command.args(["import", "-", "--format", "jsonl"]).stdin(lines).stdout(Stdio::piped()).stderr(Stdio::piped());
    let said = CommandOutput::from(command.output().expect("the program ends"));
    yes.kill().and_then(|()| yes.wait()).expect("ended");
    assert!(said.code > 0 && said.stderr.contains("records are bad; nothing was imported"), "{}", said.stderr);
}

#[test]
fn what_lies_in_the_home_without_an_end_is_named_with_the_limit() {
    let theme = "tui: {theme: mine}\n";
    let sim = "providers: {lab: {kind: sim, script: zero.yaml}}\n";
    let certificates = "providers: {lab: {kind: openai, base_url: \"https://127.0.0.1:1\", api_key: k, ca_file: zero.yaml, model: m}}\n";
    for (config, file, arguments) in [
        ("", "personas/mine.md", &["generate", "x", "--persona", "mine"][..]),
        ("", "models.yaml", &["validate"]),
        ("", "judge/default.yaml", &["validate"]),
        (theme, "themes/mine.yaml", &["validate"]),
        (sim, "zero.yaml", &["generate", "x", "--no-save"]),
        (certificates, "zero.yaml", &["generate", "x", "--no-save"]),
    ] {
        let home = Home::new();
        home.config(config);
        home.write(&format!(".aludel/{file}"), "x".repeat(20 << 20));
        let said = home.run_bounded(arguments, b"");
        let words = [said.stdout.as_str(), &said.stderr].concat();
        let is_told = words.contains("larger than") || words.contains("more than");
        assert!(said.code > 0 && is_told, "{file}: {} {words}", said.code);

        // A device or a pipe has no size, and opening a pipe waits for a writer.
        let path = home.data().join(file);
        std::fs::remove_file(&path).expect("removed");
        symlink(ZERO, &path).expect("a link");
        let said = home.run_bounded(arguments, b"");
        let words = [said.stdout.as_str(), &said.stderr].concat();
        assert!(said.code > 0 && words.contains("device"), "{file}: {} {words}", said.code);
        std::fs::remove_file(&path).expect("removed");
        pipe(&home, &format!(".aludel/{file}"));
        let said = home.run_bounded(arguments, b"");
        let words = [said.stdout.as_str(), &said.stderr].concat();
        assert!(said.code > 0 && words.contains("it is a pipe"), "{file}: {} {words}", said.code);
    }
}

#[test]
fn a_configuration_that_is_a_pipe_is_not_waited_for_unless_it_is_named() {
    let home = Home::new();
    pipe(&home, ".aludel/config.yaml");
    for arguments in [&["list"][..], &["config", "set", "log.level", "debug"], &["validate"]] {
        let said = home.run_bounded(arguments, b"");
        assert!(said.code > 0 && said.stderr.contains("it is a pipe"), "{arguments:?} {}", said.stderr);
    }
    // As a shell's `<(…)` does.
    let said = home.run_bounded(&["--config", "/dev/stdin", "config", "get", "log.level"], b"log: {level: trace}\n");
    assert_eq!(said.done().stdout.trim(), "trace");
}

#[test]
fn nesting_without_a_bottom_is_refused_with_its_line_wherever_yaml_is_read() {
    let deep = format!("\n{}", "{a: ".repeat(50_000));
    let says = "nested more than 128 deep";
    for (config, file, arguments) in [
        ("", "config.yaml", &["list"][..]),
        ("", "models.yaml", &["validate"]),
        ("", "judge/default.yaml", &["validate"]),
        ("tui: {theme: mine}\n", "themes/mine.yaml", &["validate"]),
        ("providers: {lab: {kind: sim, script: lab.yaml}}\n", "lab.yaml", &["generate", "x", "--no-save"]),
        ("", "personas/mine.md", &["generate", "x", "--persona", "mine"]),
        ("", "prompts.yaml", &["import", ".aludel/prompts.yaml"]),
    ] {
        let home = Home::new();
        home.config(config);
        let (front, back) = if file.starts_with("personas/") { ("---", "\n---\ntext\n") } else { ("", "") };
        home.write(&format!(".aludel/{file}"), format!("{front}{deep}{back}"));
        let said = home.run_bounded(arguments, b"");
        let words = [said.stdout.as_str(), &said.stderr].concat();
        assert!(said.code > 0 && words.contains(says), "{file}: {} {words}", said.code);
        assert!(["line 2", "yaml:2"].into_iter().any(|place| words.contains(place)), "{file}: {words}");
    }
}

#[test]
fn a_text_that_nests_is_exported_and_imported_as_it_is() {
    let home = Home::new();
    let content = "{a: [".repeat(5_000);
    let record = json!({ "content": content, "original_input": content }).to_string();
    home.run_bounded(&["import", "-", "--format", "jsonl"], record.as_bytes()).done();
    let text = home.run_bounded(&["export", "--format", "yaml"], b"").quietly_done().stdout;
    let other = Home::new();
    other.run_bounded(&["import", "-"], text.as_bytes()).done();
    assert_eq!(other.run(&["list", "--format", "json"]).done().json()["prompts"][0]["content"], json!(content));
}

#[test]
fn a_file_full_of_faults_names_the_first_fifty() {
    let home = Home::new();
    let mut keys = String::new();
    for number in 0..3_000 {
        writeln!(keys, "k{number}: 1").expect("memory");
    }
    home.config(&keys);
    let said = home.run_bounded(&["list"], b"").failed(3);
    assert_eq!(said.stderr.lines().filter(|line| line.contains("is not a known key")).count(), 50, "{}", said.stderr);
    assert!(said.stderr.contains("there are more faults"), "{}", said.stderr);
    home.config("");
    home.write(".aludel/themes/mine.yaml", keys);
    home.config("tui: {theme: mine}\n");
    let said = home.run_bounded(&["validate"], b"");
    assert!(said.code > 0 && said.stdout.contains("there may be more"), "{}", said.stdout);
    let line = said.stdout.lines().find(|line| line.contains("cannot use")).expect("a line");
    assert_eq!(line.matches("is not a key here").count(), 50, "{line}");
}
