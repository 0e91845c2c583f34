//! Cold start of whole processes, each with a yardstick in the same run.
//!
//! `version` is compared with a program that prints one line; `list` of 20 from 10,000 prompts with
//! this program called with `yardstick-list PATH`, which reads the same 20 rows with the same
//! SQLite and prints them. Runs alternate and the median of pairwise ratios is reported: times on
//! shared machines mean little, ratios of neighbours more.
#![expect(clippy::expect_used, clippy::print_stdout, reason = "a bench prints, and stops where it cannot go on")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 60;
const WARM_UP: usize = 5;
const PROMPTS: usize = 10_000;

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("yardstick-list") {
        list_twenty(Path::new(&arguments.next().expect("a path")));
        return;
    }
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let aludel = Path::new(env!("CARGO_BIN_EXE_aludel"));
    let hello = build_hello(scratch.path());
    report("version / bare program", || run(aludel, &["version"], scratch.path()), || run(&hello, &[], scratch.path()));
    report("--help / bare program", || run(aludel, &["--help"], scratch.path()), || run(&hello, &[], scratch.path()));

    let database = fill(aludel, scratch.path());
    let own = std::env::current_exe().expect("this program's path");
    let path = database.to_str().expect("a UTF-8 path");
    report(
        "list --limit 20 of 10,000 / bare program with SQLite",
        || run(aludel, &["list", "--limit", "20"], scratch.path()),
        || run(&own, &["yardstick-list", path], scratch.path()),
    );
}

/// The smallest program that prints a line, compiled now with optimisation.
fn build_hello(folder: &Path) -> PathBuf {
    let source = folder.join("hello.rs");
    std::fs::write(&source, "fn main() { println!(\"hello\"); }\n").expect("the source is written");
    let program = folder.join("hello");
    let status = Command::new("rustc")
        .args(["-O", "-C", "panic=abort", "-o"])
        .arg(&program)
        .arg(&source)
        .status()
        .expect("rustc runs");
    assert!(status.success(), "the yardstick does not compile");
    program
}

/// The minimum to show the newest 20 rows: open, read, print.
fn list_twenty(database: &Path) {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX;
    #[expect(clippy::disallowed_methods, reason = "the yardstick is a program of its own")]
    let connection = rusqlite::Connection::open_with_flags(database, flags).expect("the database opens");
    let mut statement = connection
        .prepare("SELECT hex(id), content FROM prompts ORDER BY created_at DESC, id DESC LIMIT 20")
        .expect("the statement is right");
    let mut rows = statement.query([]).expect("it runs");
    while let Some(row) = rows.next().expect("a row") {
        let (id, content): (String, String) = (row.get(0).expect("an id"), row.get(1).expect("a content"));
        println!("{id} {}", content.lines().next().unwrap_or_default());
    }
}

/// A home with `PROMPTS` prompts, made by the program itself.
fn fill(aludel: &Path, home: &Path) -> PathBuf {
    // Vectors are not measured: without an embedding model none are made.
    let configuration = home.join("config.yaml");
    std::fs::write(&configuration, "generation: {default_embedding_model: openai}\n").expect("a configuration");
    for _ in 0..PROMPTS / 100 {
        run(aludel, &["generate", "write a note about the weather in spring", "--count", "100", "--quiet"], home);
    }
    std::fs::remove_file(configuration).expect("it was there");
    home.join("aludel.db")
}

fn run(program: &Path, arguments: &[&str], home: &Path) -> Duration {
    let began = Instant::now();
    let status = Command::new(program)
        .args(arguments)
        .env_clear()
        .env("ALUDEL_HOME", home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the program starts");
    assert!(status.success(), "{} {arguments:?} failed", program.display());
    began.elapsed()
}

/// Alternates the two and prints both medians and the median of pairwise ratios.
fn report(name: &str, mut ours: impl FnMut() -> Duration, mut yardstick: impl FnMut() -> Duration) {
    for _ in 0..WARM_UP {
        ours();
        yardstick();
    }
    let pairs: Vec<(f64, f64)> =
        (0..ROUNDS).map(|_| (ours().as_secs_f64() * 1e3, yardstick().as_secs_f64() * 1e3)).collect();
    let ratio = median(pairs.iter().map(|(ours, yardstick)| ours / yardstick).collect());
    let ours = median(pairs.iter().map(|pair| pair.0).collect());
    let yardstick = median(pairs.iter().map(|pair| pair.1).collect());
    println!("{name}: {ratio:.2}x ({ours:.2} ms / {yardstick:.2} ms, median of {ROUNDS} pairs)");
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
