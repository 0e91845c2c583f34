//! `validate` finds damage and gives the fix; a store that cannot be written can still be read.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{CommandOutput, Home};

fn home_with_prompts() -> Home {
    let home = Home::new();
    home.run(&["generate", "Plan a trip to the sea", "--count", "20", "--quiet"]).done();
    home
}

/// Changes the database behind the program's back.
fn change(home: &Home, sql: &str) {
    #[expect(clippy::disallowed_methods, reason = "the test breaks the file")]
    let connection = rusqlite::Connection::open(home.database()).expect("the database");
    connection.execute_batch(sql).expect("it is changed");
}

/// The check of this name.
fn check(said: &CommandOutput, name: &str) -> (String, String) {
    let checks = said.json()["checks"].as_array().expect("checks").clone();
    let check = checks.iter().find(|check| check["name"] == name).expect("the check");
    let text = |member: &str| check[member].as_str().unwrap_or_default().to_owned();
    (text("status"), text("detail"))
}

fn assert_says_what_to_do(detail: &str) {
    for wanted in ["is damaged", "restore a backup", "aludel export --output-file", "aludel import"] {
        assert!(detail.contains(wanted), "no `{wanted}` in: {detail}");
    }
}

#[test]
fn a_database_with_lost_pages_is_not_in_order() {
    let home = home_with_prompts();
    let whole = fs::read(home.database()).expect("the file");
    let mut found = 0;
    // Every third page in the middle, until some are detected: free pages can be lost without harm.
    for page in (4..whole.len() / 4096).step_by(3) {
        let mut bytes = whole.clone();
        bytes[page * 4096..(page + 1) * 4096].fill(0);
        fs::write(home.database(), bytes).expect("written");
        let said = home.run(&["validate", "--format", "json"]);
        if said.code == 1 && check(&said, "database").1.contains("is damaged (") {
            assert_says_what_to_do(&check(&said, "database").1);
            found += 1;
        }
        if found == 3 {
            return;
        }
    }
    panic!("of all lost pages {found} were found");
}

#[test]
fn a_dropped_table_is_named_with_and_without_quick() {
    for (drop, wanted) in [
        ("DROP TABLE judgements", "the table `judgements` is missing"),
        ("DROP TABLE prompts", "the table `prompts` is missing"),
    ] {
        let home = home_with_prompts();
        change(&home, &format!("PRAGMA foreign_keys = OFF; {drop}"));
        for options in [&["validate", "--format", "json"][..], &["validate", "--quick", "--format", "json"]] {
            let said = home.run(options);
            assert_eq!(said.code, 1, "{}", said.stdout);
            let (status, detail) = check(&said, "database");
            assert_eq!(status, "failed");
            assert!(detail.contains(wanted), "{detail}");
            assert_says_what_to_do(&detail);
        }
    }
}

#[test]
fn a_whole_database_is_in_order_and_says_how_closely_it_was_looked_at() {
    let home = home_with_prompts();
    let detail = |arguments: &[&str]| check(&home.run(arguments).quietly_done(), "database").1;
    assert!(detail(&["validate", "--format", "json"]).contains("holds 20 prompts; all of it was read"));
    let quick = detail(&["validate", "--quick", "--format", "json"]);
    assert!(quick.contains("holds 20 prompts") && quick.contains("without --quick"), "{quick}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_home_that_cannot_be_written_is_a_failure() {
    // Root can write everywhere but here: no folder can be made in /proc.
    let said = Home::new().run(&["validate", "--format", "json", "--data-dir", "/proc/aludel"]);
    assert_eq!(said.code, 1, "{}", said.stdout);
    let (status, detail) = check(&said, "data folder");
    assert_eq!(status, "failed");
    assert!(detail.contains("/proc/aludel") && detail.contains("--data-dir"), "{detail}");
}

/// Removes write permission from a folder and everything in it.
#[cfg(unix)]
fn make_read_only(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let is_folder = path.is_dir();
    if is_folder {
        fs::read_dir(path).expect("a folder").for_each(|entry| make_read_only(&entry.expect("an entry").path()));
    }
    let mode = if is_folder { 0o555 } else { 0o444 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("its mode");
}

/// Runs the program as a user to whom file modes apply, unlike root.
#[cfg(unix)]
fn run_unprivileged(home: &Home, program: &Path, arguments: &[&str]) -> CommandOutput {
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65_534;
    let plain = home.command();
    let mut command = std::process::Command::new(program);
    command.env_clear().envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.args(arguments).current_dir(home.path()).stdin(std::process::Stdio::null());
    let is_root = std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self").expect("this process")) == 0;
    if is_root {
        command.uid(NOBODY).gid(NOBODY);
    }
    CommandOutput::from(command.output().expect("it runs"))
}

#[cfg(target_os = "linux")]
#[test]
fn a_store_that_cannot_be_written_can_be_read_and_is_not_called_in_order() {
    use std::os::unix::fs::PermissionsExt;
    let home = home_with_prompts();
    // Other users may not have access to the build folder.
    let tools = tempfile::tempdir().expect("a folder");
    let program = tools.path().join("aludel");
    fs::copy(env!("CARGO_BIN_EXE_aludel"), &program).expect("a copy");
    fs::set_permissions(tools.path(), fs::Permissions::from_mode(0o755)).expect("its mode");
    make_read_only(home.path());
    let run = |arguments: &[&str]| run_unprivileged(&home, &program, arguments);

    let listed: Value = run(&["list", "--limit", "10", "--format", "json"]).quietly_done().json();
    assert_eq!(listed["prompts"].as_array().map(Vec::len), Some(10));
    for arguments in [
        &["show", "@last"][..],
        &["search", "sea"],
        &["search", "--semantic", "a journey to the coast"],
        &["similar", "@last"],
        &["history"],
        &["stats"],
        &["spend"],
        &["why", "@last"],
        &["metrics"],
        &["export", "--format", "jsonl"],
    ] {
        let said = run(arguments).done();
        assert!(!said.stderr.contains("read-only") && !said.stderr.contains("cannot"), "{}", said.stderr);
        assert!(said.stdout.lines().count() > 1, "{arguments:?}: {}", said.stdout);
    }
    let said = run(&["update", "@last", "--add-tag", "x"]).failed(1);
    assert!(said.stderr.contains("read-only") && said.stderr.contains("write permission"), "{}", said.stderr);
    let said = run(&["validate", "--format", "json"]);
    assert_eq!(said.code, 1, "{}", said.stdout);
    assert_eq!(check(&said, "data folder").0, "failed");

    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).expect("its mode");
    fs::set_permissions(home.data(), fs::Permissions::from_mode(0o755)).expect("its mode");
}
