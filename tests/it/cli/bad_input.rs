//! Bad input: the code, the exit status, a sentence with the fix, and nothing stored.

use serde_json::{Value, json};

use crate::support::{CommandOutput, Home};

/// Runs a command that must fail and returns its JSON problem. As text it must exit the same way.
#[track_caller]
fn refused(arguments: &[&str], stdin: &[u8], exit: i32) -> Value {
    let home = Home::new();
    let in_words: CommandOutput = home.run_with_stdin(arguments, stdin).failed(exit);
    assert!(in_words.stderr.starts_with("error: "), "{}", in_words.stderr);
    let as_json = [arguments, &["--format", "json"]].concat();
    let problem = home.run_with_stdin(&as_json, stdin).failed(exit).problem();
    assert!(!home.database().exists(), "something was stored");
    problem
}

/// The one fault of a problem of this code.
#[track_caller]
fn fault(problem: &Value, code: &str) -> (String, String) {
    assert_eq!(problem["code"], code, "{problem}");
    assert_eq!(problem["type"], format!("urn:aludel:error:{code}"));
    let errors = problem["errors"].as_array().expect("faults");
    assert_eq!(errors.len(), 1, "{problem}");
    let member = |name: &str| errors[0][name].as_str().expect("text").to_owned();
    (member("field"), member("message"))
}

#[test]
fn an_empty_or_blank_idea() {
    for (arguments, stdin) in [(&["generate", ""][..], ""), (&["generate", " \n\t"], ""), (&["generate", "-"], " \n")] {
        let (field, message) = fault(&refused(arguments, stdin.as_bytes(), 2), "validation_failed");
        assert_eq!(field, "input");
        assert!(message.contains("empty"), "{message}");
    }
}

#[test]
fn an_idea_that_is_too_long() {
    let (field, message) = fault(&refused(&["generate"], "é".repeat(100_001).as_bytes(), 2), "validation_failed");
    assert_eq!(field, "input");
    assert!(message.contains("100001") && message.contains("100000"), "{message}");
    let longest = "é".repeat(100_000);
    Home::new().run_with_stdin(&["generate", "--count", "1", "--quiet"], longest.as_bytes()).done();
}

#[test]
fn an_endless_idea() {
    let problem = refused(&["generate"], &vec![b'y'; 5 * 1024 * 1024], 2);
    assert_eq!((&problem["code"], &problem["status"]), (&json!("payload_too_large"), &json!(413)));
}

#[test]
fn an_idea_that_is_not_utf_8() {
    let (field, message) = fault(&refused(&["generate", "-"], b"caf\xe9", 2), "invalid_request");
    assert_eq!(field, "input");
    assert!(message.contains("offset 3"), "{message}");
}

#[test]
fn an_idea_given_twice() {
    let (field, message) = fault(&refused(&["generate", "a", "--input-file", "b"], b"", 2), "invalid_request");
    assert_eq!(field, "input");
    assert!(message.contains("twice"), "{message}");
}

#[test]
fn unknown_names_come_with_the_nearest_known_one() {
    let (field, message) = fault(&refused(&["generate", "x", "--phases", "solutoi"], b"", 2), "validation_failed");
    assert_eq!(field, "phases[0]");
    assert!(message.contains("`solutio`"), "{message}");
    let (field, message) = fault(&refused(&["generate", "x", "--persona", "coder"], b"", 2), "validation_failed");
    assert_eq!(field, "persona");
    assert!(message.contains("`code`"), "{message}");
    let (field, message) = fault(&refused(&["generate", "x", "--provider", "nowhere"], b"", 2), "validation_failed");
    assert_eq!(field, "provider");
    assert!(message.contains("nowhere"), "{message}");
}

#[test]
fn phases_named_twice_or_not_at_all() {
    let (field, _) = fault(&refused(&["generate", "x", "--phases", "solutio,solutio"], b"", 2), "validation_failed");
    assert_eq!(field, "phases[1]");
    let (field, _) = fault(&refused(&["generate", "x", "--phases", ""], b"", 2), "validation_failed");
    assert_eq!(field, "phases");
}

#[test]
fn numbers_out_of_range() {
    let cases = [
        ("--count", "0", "count", "from 1 to 100"),
        ("--count", "101", "count", "from 1 to 100"),
        ("--temperature", "NaN", "temperature", "finite"),
        ("--temperature", "inf", "temperature", "finite"),
        ("--temperature", "2.1", "temperature", "from 0 to 2"),
        ("--max-tokens", "0", "max_tokens", "from 1"),
        ("--timeout", "0", "timeout_s", "from 0.001"),
        ("--budget-usd", "0", "budget_usd", "from 0.000001"),
        ("--budget-usd", "inf", "budget_usd", "finite"),
        ("--max-calls", "0", "max_calls", "from 1"),
        ("--max-calls", "1000001", "max_calls", "to 1000000"),
        ("--assume-price", "-1", "assume_price", "from 0"),
    ];
    for (option, value, expected, limit) in cases {
        let (field, message) = fault(&refused(&["generate", "x", option, value], b"", 2), "validation_failed");
        assert_eq!(field, expected);
        assert!(message.contains(limit), "{option} {value}: {message}");
    }
    for (option, value) in [("--count", "-1"), ("--temperature", "-0.5")] {
        fault(&refused(&["generate", "x", option, value], b"", 2), "validation_failed");
    }
}

#[test]
fn texts_where_numbers_belong() {
    for (option, value) in [("--count", "three"), ("--count", "2.5"), ("--temperature", "warm"), ("--max-tokens", "")] {
        fault(&refused(&["generate", "x", option, value], b"", 2), "invalid_request");
    }
}

#[test]
fn several_faults_are_all_named_at_once() {
    let arguments = ["generate", " ", "--count", "0", "--persona", "nobody", "--temperature", "NaN", "--phases", "a,b"];
    let problem = refused(&arguments, b"", 2);
    let fields: Vec<&Value> =
        problem["errors"].as_array().expect("faults").iter().map(|fault| &fault["field"]).collect();
    assert_eq!(fields, ["input", "count", "phases[0]", "phases[1]", "persona", "temperature"]);
    let said = Home::new().run(&arguments).failed(2);
    assert_eq!(said.stderr.lines().count(), 7, "{}", said.stderr);
}

#[test]
fn a_tag_with_a_comma() {
    let home = Home::new();
    home.run(&["generate", "x", "--count", "1"]).done();
    let problem = home.run(&["update", "@last", "--add-tag", "a,b", "--format", "json"]).failed(2).problem();
    let (field, message) = fault(&problem, "validation_failed");
    assert_eq!(field, "add_tags[0]");
    assert!(message.contains("comma"), "{message}");
}

#[test]
fn ids_that_are_none() {
    let (field, _) = fault(&refused(&["show", "nonsense"], b"", 2), "validation_failed");
    assert_eq!(field, "prompt_id");
    let (_, message) = fault(&refused(&["show", "abc"], b"", 2), "validation_failed");
    assert!(message.contains("at least 6"), "{message}");
    let problem = refused(&["show", "abcdef12"], b"", 5);
    assert_eq!(problem["code"], "not_found");
    assert!(problem["detail"].as_str().expect("text").contains("aludel list"));
    assert_eq!(refused(&["show", "@last"], b"", 5)["code"], "not_found");
}

#[test]
fn moments_and_limits_of_a_list() {
    for (option, value, field) in [
        ("--since", "soon", "since"),
        ("--limit", "0", "limit"),
        ("--limit", "1001", "limit"),
        ("--sort", "colour", "sort"),
        ("--phase", "fermentatio", "phase"),
    ] {
        assert_eq!(fault(&refused(&["list", option, value], b"", 2), "validation_failed").0, field);
    }
}

#[test]
fn what_the_command_line_itself_cannot_read() {
    for arguments in [&["generate", "x", "--no-such-flag"][..], &["transmute"], &["show"], &["generate", "a", "b"]] {
        let problem = refused(arguments, b"", 2);
        assert_eq!((&problem["code"], &problem["status"]), (&json!("invalid_request"), &json!(400)), "{problem}");
    }
}

#[test]
fn an_idea_without_the_command_is_told_the_command() {
    let said = Home::new().run(&["Write a haiku about rivers"]).failed(2);
    assert!(said.stderr.contains("aludel generate"), "{}", said.stderr);
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_not_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let home = Home::new();
    let mut command = home.command();
    command.arg("generate").arg(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    let output = command.output().expect("it runs");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]));
    assert!(String::from_utf8_lossy(&output.stderr).contains("UTF-8"));
}

#[test]
fn a_deletion_needs_a_yes_and_something_to_delete() {
    let home = Home::new();
    home.run(&["generate", "x", "--count", "2"]).done();
    let said = home.run(&["delete", "--all"]).failed(2);
    assert!(said.stderr.contains("--yes"), "{}", said.stderr);
    home.run(&["delete", "--yes"]).failed(2);
    home.run(&["delete", "@last", "--all", "--yes"]).failed(2);
    home.run(&["delete", "@last", "abcdef12", "--yes"]).failed(5);
    let page = home.run(&["list", "--format", "json"]).done().json();
    assert_eq!(page["prompts"].as_array().map(Vec::len), Some(2));
}

#[test]
fn an_update_that_changes_nothing() {
    let home = Home::new();
    home.run(&["generate", "x", "--count", "1"]).done();
    let said = home.run(&["update", "@last"]).failed(2);
    assert!(said.stderr.contains("nothing to change"), "{}", said.stderr);
}
