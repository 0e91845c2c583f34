//! Real processes over one file: racing to create it, and being killed while they write.
//!
//! A child is this test binary, running [`child`] only. It reads its task from standard input, so
//! that `--include-ignored` without a parent has nothing to do, and reports by lines.

use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::SqliteStore;
use crate::domain::{Filter, Order};
use crate::store::{Store, conformance, samples};

/// Stores `count` prompts from `first` on, one at a time, reporting each; closes only at the end.
#[test]
#[ignore = "a child process of the tests below"]
fn child() {
    let mut task = String::new();
    if std::io::stdin().is_terminal() || std::io::stdin().read_line(&mut task).unwrap() == 0 {
        return;
    }
    let mut words = task.trim_end().splitn(3, ' ');
    let mut number = || words.next().unwrap().parse::<u32>().unwrap();
    let (first, count) = (number(), number());
    let store = SqliteStore::open(words.next().unwrap());
    for seed in first..first + count {
        store.append(vec![samples::prompt(seed)]).wait().unwrap();
        println!("stored {seed}");
    }
    store.close().wait().unwrap();
}

fn start() -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::sqlite::process_tests::child", "--ignored", "--nocapture", "--test-threads=1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The child begins once it has its task.
fn give_task(child: &mut Child, first: u32, count: u32, path: &Path) {
    writeln!(child.stdin.take().unwrap(), "{first} {count} {}", path.display()).unwrap();
}

fn folder_and_path() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("home").join("aludel.db");
    (folder, path)
}

#[test]
fn many_processes_may_meet_a_missing_file_at_once() {
    const PROCESSES: u32 = 16;
    let (_folder, path) = folder_and_path();
    let mut children: Vec<Child> = (0..PROCESSES).map(|_| start()).collect();
    for (number, child) in (0..PROCESSES).zip(&mut children) {
        give_task(child, number * 3, 3, &path);
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let store = SqliteStore::open(&path);
    let all = conformance::read_all(&store, &Filter::default(), Order::Oldest, 1000);
    assert_eq!(all, samples::prompts(PROCESSES * 3));
}

#[test]
fn what_a_killed_process_reported_as_stored_is_there() {
    let (_folder, path) = folder_and_path();
    let mut reported = Vec::new();
    for round in 0..3 {
        let mut child = start();
        give_task(&mut child, round * 10_000, 10_000, &path);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut stored = |lines: &mut dyn Iterator<Item = String>| {
            let seeds = lines.filter_map(|line| line.split("stored ").nth(1)?.parse::<u32>().ok());
            reported.extend(seeds);
        };
        stored(&mut lines.by_ref().take(20 + round as usize * 7));
        child.kill().unwrap();
        child.wait().unwrap();
        // What it reported before it died.
        stored(&mut lines);
    }
    assert!(reported.len() > 60, "{}", reported.len());

    let store = SqliteStore::open(&path);
    for seed in &reported {
        let prompt = samples::prompt(*seed);
        assert_eq!(store.get(prompt.id).wait().unwrap(), Some(prompt), "a stored prompt was lost");
    }
    // The last one of each round may have been committed without being reported.
    let count = store.count(Filter::default()).wait().unwrap();
    assert!((reported.len() as u64..=reported.len() as u64 + 3).contains(&count), "{count}");
    let opened = super::connection::open_for_reading(&path).unwrap().unwrap();
    let sound: String = opened.connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    super::terms::tests::assert_index_says_what_the_rows_say(&path);
}
