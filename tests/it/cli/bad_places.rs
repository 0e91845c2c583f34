//! Paths that cannot be read or written: which, why, what to do; nothing half-written is left.

use std::fs;

use serde_json::json;

use crate::support::Home;

#[test]
fn an_output_file_in_a_missing_folder_is_refused_before_anything_is_made() {
    let home = Home::new();
    let arguments = ["generate", "x", "--output-file", "none/out.json"];
    let said = home.run(&arguments).failed(1);
    assert!(said.stderr.contains("`none`") && said.stderr.contains("make it first"), "{}", said.stderr);
    assert!(!home.database().exists());
    let problem = home.run(&[&arguments[..], &["--format", "json"]].concat()).failed(1).problem();
    assert_eq!((&problem["code"], &problem["status"]), (&json!("file"), &json!(422)));
}

#[test]
fn an_output_file_that_is_a_folder() {
    let home = Home::new();
    let said = home.run(&["generate", "x", "--output-file", "."]).failed(1);
    assert!(said.stderr.contains("it is a folder"), "{}", said.stderr);
    assert!(!home.database().exists());
}

#[test]
fn input_and_context_files_that_cannot_be_read() {
    let home = Home::new();
    for arguments in [["generate", "--input-file", "none.txt"], ["update", "@last", "--content=@none.txt"]] {
        let said = home.run(&arguments).failed(1);
        assert!(said.stderr.contains("`none.txt`"), "{}", said.stderr);
    }
    let said = home.run(&["generate", "x", "--context", "@none.txt"]).failed(1);
    assert!(said.stderr.contains("`none.txt`"), "{}", said.stderr);
    let said = home.run(&["generate", "--input-file", "."]).failed(1);
    assert!(said.stderr.contains("it is a folder"), "{}", said.stderr);
    home.write("latin.txt", b"caf\xe9");
    let said = home.run(&["generate", "x", "--context", "@latin.txt"]).failed(2);
    assert!(said.stderr.contains("context[0]") && said.stderr.contains("offset 3"), "{}", said.stderr);
}

#[test]
fn a_configuration_folder_that_is_a_file() {
    let home = Home::new();
    home.write(".aludel", "not a folder");
    for arguments in [&["generate", "x"][..], &["list"], &["config", "show"], &["validate"]] {
        let said = home.run(arguments).failed(1);
        assert!(said.stderr.contains("must be a folder") && said.stderr.contains("--data-dir"), "{}", said.stderr);
    }
    assert_eq!(fs::read_to_string(home.data()).expect("the file"), "not a folder");
}

#[test]
fn a_home_that_is_a_file() {
    let home = Home::new();
    let file = home.write("home", "a file");
    let said = home.run_with_env(&["generate", "x"], &[("HOME", file.to_str().expect("UTF-8"))]);
    assert_eq!((said.code, said.stdout.as_str()), (1, ""), "{}", said.stderr);
    assert!(said.stderr.starts_with("error: "), "{}", said.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn a_home_that_cannot_be_written_to() {
    // Root can write everywhere but here: no folder can be made in /proc.
    let said = Home::new().run(&["generate", "x", "--data-dir", "/proc/aludel"]);
    assert_eq!((said.code, said.stdout.as_str()), (1, ""), "{}", said.stderr);
    assert!(said.stderr.contains("/proc/aludel"), "{}", said.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let home = Home::new();
    let said = home.run(&["generate", "x", "--output-file", "/dev/full"]);
    assert_eq!(said.code, 1);
    assert!(said.stderr.contains("the disk is full"), "{}", said.stderr);
    // The prompts were paid for, so the error says where they are.
    assert!(said.stderr.contains("nothing is lost: 3 prompts are stored"), "{}", said.stderr);
    let handle = said.stderr.split("aludel show ").nth(1).and_then(|rest| rest.split('`').next()).expect("an id");
    home.run(&["show", handle]).quietly_done();
    let said = home.run(&["generate", "x", "--no-save", "--output-file", "/dev/full"]);
    assert!(said.stderr.contains("with --no-save nothing is stored"), "{}", said.stderr);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
    let output = home.command().args(["generate", "x", "--count", "1"]).stdout(full).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("standard output") && said.contains("1 prompt is stored"), "{said}");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
    let output = home.command().args(["list"]).stdout(full).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the disk is full"));
}

#[test]
fn a_corrupt_database_is_left_as_it_is() {
    let home = Home::new();
    let garbage = "this is not a database ".repeat(500);
    home.write(".aludel/aludel.db", &garbage);
    for arguments in [&["list"][..], &["generate", "x"], &["migrate"], &["migrate", "--status"]] {
        let said = home.run(arguments);
        assert_eq!((said.code, said.stdout.as_str()), (1, ""), "{arguments:?}: {}", said.stderr);
        assert!(said.stderr.contains("aludel.db"), "{}", said.stderr);
        let problem = home.run(&[arguments, &["--format", "json"]].concat()).problem();
        assert_eq!(problem["code"], "storage");
    }
    let said = home.run(&["validate"]);
    assert_eq!(said.code, 1);
    assert!(said.stdout.contains("✗ database"), "{}", said.stdout);
    assert_eq!(fs::read_to_string(home.database()).expect("the file"), garbage);
}

#[test]
fn a_database_of_a_newer_version() {
    let home = Home::new();
    home.run(&["generate", "x", "--count", "1"]).done();
    {
        #[expect(clippy::disallowed_methods, reason = "the test makes what a newer version would leave behind")]
        let connection = rusqlite::Connection::open(home.database()).expect("the database");
        connection.pragma_update(None, "user_version", 9999).expect("a pragma");
    }
    let said = home.run(&["list"]).failed(1);
    assert!(said.stderr.contains("newer"), "{}", said.stderr);
}

#[test]
fn a_locked_database() {
    let home = Home::new();
    home.run(&["generate", "x", "--count", "1"]).done();
    #[expect(clippy::disallowed_methods, reason = "the test is the other process")]
    let connection = rusqlite::Connection::open(home.database()).expect("the database");
    connection.execute_batch("BEGIN EXCLUSIVE").expect("the lock");
    let said = home.run(&["update", "@last", "--add-tag", "t"]).failed(1);
    assert!(said.stderr.contains("another process"), "{}", said.stderr);
    connection.execute_batch("ROLLBACK").expect("the lock is given back");
    home.run(&["update", "@last", "--add-tag", "t"]).done();
}
