//! A disk that fills up: what is reported as stored is there, and the rest is named and saved.
//!
//! A real limit on file sizes (`ulimit -f`), which needs no privileges, makes writes fail once the
//! database's log has grown to it. The result is read with SQL, not by the program.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{CommandOutput, Home};

/// Runs the program with a limit of this many blocks (512 bytes) per file.
fn run_limited(home: &Home, blocks: usize, arguments: &[&str]) -> CommandOutput {
    let program = home.command();
    let mut command = std::process::Command::new("sh");
    // A write beyond the limit should fail, not kill.
    let script = "trap '' XFSZ; ulimit -f \"$1\" || exit 99; shift; exec \"$@\"";
    command.args(["-c", script, "sh"]).arg(blocks.to_string()).arg(program.get_program()).args(arguments);
    command.env_clear().envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    // Neither vectors nor the log are tested here.
    command.env("ALUDEL_GENERATION__DEFAULT_EMBEDDING_MODEL", "openai").env("ALUDEL_LOG_LEVEL", "error");
    command.env("PATH", "/usr/bin:/bin");
    command.current_dir(home.path()).stdin(Stdio::null());
    CommandOutput::from(command.output().expect("a shell"))
}

/// The ids in the database.
fn stored(home: &Home) -> BTreeSet<String> {
    #[expect(clippy::disallowed_methods, reason = "the oracle shares nothing with the store")]
    let database = rusqlite::Connection::open(home.database()).expect("the database opens");
    let mut rows = database.prepare("SELECT lower(hex(id)) FROM prompts").expect("prompts");
    let ids = rows.query_map([], |row| row.get::<_, String>(0)).expect("rows");
    ids.map(|id| id.expect("an id")).collect()
}

fn plain(id: &Value) -> String {
    id.as_str().expect("an id").replace('-', "")
}

/// The files of unsaved prompts.
fn unsaved_files(home: &Home) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home.data()).expect("the data folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("unsaved-"))).collect()
}

const ANSWER: &str = "seed: 1\nanswer: {words: 100}\n";

/// A home with a database whose only prompt was deleted again.
fn home() -> Home {
    let home = Home::new();
    home.sim("paid", ANSWER);
    let environment = [("ALUDEL_GENERATION__DEFAULT_EMBEDDING_MODEL", "openai")];
    home.run_with_env(&["generate", "Name a boat", "--count", "1", "-q"], &environment).done();
    home.run(&["delete", "--all", "--yes"]).done();
    home
}

#[test]
fn a_disk_that_fills_up_loses_no_finished_variant_and_the_exit_says_so() {
    const COUNT: usize = 8;
    let mut outcomes = BTreeSet::new();
    // How much is stored depends on which commits are combined, so many sizes are tried.
    for blocks in [100, 150].into_iter().chain((300..=1000).step_by(50)).chain([4000]) {
        let home = home();
        let arguments = ["generate", "Name a river", "--count", "8", "--format", "json"];
        let said = run_limited(&home, blocks, &arguments);
        if said.stdout.is_empty() {
            // Not even the run could be stored, so nothing was spent.
            assert_eq!(said.code, 1, "{}", said.stderr);
            assert_eq!(stored(&home).len(), 0);
            outcomes.insert("refused");
            continue;
        }
        let result: Value = serde_json::from_str(&said.stdout).expect("standard output is the result alone");
        let prompts = result["prompts"].as_array().expect("prompts");
        assert_eq!(prompts.len(), COUNT, "every finished variant is in the result");
        let failures = result["failures"].as_array().expect("failures");
        for failure in failures {
            assert_eq!((&failure["phase"], &failure["error"]["code"]), (&Value::Null, &json!("storage")));
        }
        let of = |prompt: &&Value| failures.iter().any(|failure| failure["variant"] == prompt["variant"]);
        let named: BTreeSet<String> = prompts.iter().filter(of).map(|prompt| plain(&prompt["id"])).collect();
        let all: BTreeSet<String> = prompts.iter().map(|prompt| plain(&prompt["id"])).collect();
        let is_there = stored(&home);
        assert_eq!(is_there, all.difference(&named).cloned().collect(), "{blocks} blocks: {}", said.stderr);
        // What else could not be stored also decides the exit code.
        let is_whole = said.code == 0;
        assert!(!is_whole || (named.is_empty() && said.stderr.is_empty()), "exit 0: {}", said.stderr);
        assert_eq!(said.code, i32::from(!is_whole), "{}", said.stderr);
        for id in &named {
            assert!(said.stderr.contains(&id[id.len() - 8..]), "{id} is not named: {}", said.stderr);
        }

        let files = unsaved_files(&home);
        assert_eq!(files.len(), usize::from(!named.is_empty()), "{blocks} blocks");
        for file in &files {
            let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(file).expect("it").permissions());
            assert_eq!(mode & 0o777, 0o600);
            home.run(&["import", file.to_str().expect("UTF-8"), "--no-vectors"]).done();
        }
        assert_eq!(stored(&home), all, "{blocks} blocks: the import brings back the rest");
        let exported = home.run(&["export", "--format", "json"]).done().json();
        for prompt in prompts.iter().filter(of) {
            let same = exported.as_array().expect("a list").iter().find(|it| it["id"] == prompt["id"]).expect("it");
            let mut same = same.clone();
            assert_eq!(same["session"]["count"], COUNT, "the run comes back too");
            same.as_object_mut().expect("an object").remove("session");
            assert_eq!(&same, prompt, "nothing of it is lost");
        }
        outcomes.insert(match named.len() {
            0 if is_whole => "whole",
            0 => "prompts stored, something else not",
            COUNT => "none stored",
            _ => "some stored",
        });
    }
    assert!(outcomes.contains("whole") && outcomes.contains("some stored"), "{outcomes:?}");
}

/// Runs on ever smaller disks, each in a new home, until a finished variant cannot be stored. How
/// much a run writes depends on which commits are combined, so no single size would do.
fn run_until_not_stored(arguments: &[&str]) -> CommandOutput {
    (100..=600)
        .rev()
        .step_by(50)
        .map(|blocks| run_limited(&home(), blocks, arguments))
        .find(|said| {
            let is_named =
                ["finished but not stored", "\"code\":\"storage\""].iter().any(|it| said.stderr.contains(it));
            is_named && !said.stdout.is_empty()
        })
        .expect("some disk is too small for the prompts, and large enough to begin")
}

#[test]
fn standard_output_is_the_prompt_alone_and_standard_error_names_what_is_not_stored() {
    let said = run_until_not_stored(&["generate", "Name a river", "--count", "8", "-q"]);
    assert_eq!(said.code, 1, "{}", said.stderr);
    assert!(!said.stdout.contains("stored") && !said.stdout.is_empty(), "{}", said.stdout);
    assert!(said.stderr.contains("is finished but not stored: "), "{}", said.stderr);
    assert!(said.stderr.contains("`aludel import ~/.aludel/unsaved-"), "{}", said.stderr);

    let text = run_until_not_stored(&["generate", "Name a river", "--count", "8"]);
    assert_eq!(text.code, 1, "{}", text.stderr);
    let claims: Vec<&str> = text.stderr.lines().filter(|line| line.contains("stored in ")).collect();
    assert!(claims.iter().all(|line| line.contains(" of 8 stored in ")), "{claims:?}");
}

#[test]
fn what_is_not_stored_outranks_a_cap_that_was_reached() {
    let said =
        run_until_not_stored(&["generate", "Name a river", "--count", "8", "--max-calls", "23", "--format", "json"]);
    assert!(said.stdout.contains("budget_exceeded"), "{}", said.stdout);
    assert_eq!(said.code, 1, "{}", said.stderr);
    assert_eq!(said.problem()["code"], "storage");
}
