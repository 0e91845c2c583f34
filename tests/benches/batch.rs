//! `aludel batch` as a command: throughput over a provider that takes 50 ms a call, over one that
//! refuses more than 50 calls a second, and memory.
//!
//! `cargo bench --bench batch [-- COUNT]`. The yardstick of throughput is the ideal, rows × phases ×
//! latency ÷ concurrency, or rows × phases ÷ 50 a second; whole commands are timed, from start to
//! exit, their results stored. The
//! yardstick of memory is the same batch of 1,000 rows; COUNT (100,000) rows follow, made by
//! `builtin`, which answers at once. Each command is a process of its own.
#![expect(clippy::expect_used, clippy::print_stdout, reason = "a bench prints, and stops where it cannot go on")]

#[expect(dead_code, clippy::panic, reason = "shared by benches, each of which needs some of it")]
mod measure;

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use measure::{median, peak_kb};

const PHASES: u32 = 3;
const LATENCY_MS: u32 = 50;
/// Rows, and how many are made at once.
const LOADS: [(u32, u32); 3] = [(200, 4), (800, 16), (3_200, 64)];
const ROUNDS: usize = 3;
const FEW: u32 = 1_000;
/// Calls a second that a provider takes, and how many at once after a pause.
const LIMIT: u32 = 50;
const BURSTS: [u32; 2] = [1, 50];
const LIMITED_ROWS: u32 = 400;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if arguments.first().is_some_and(|first| first == "batch") {
        // A process of its own: the command itself, and then its memory.
        let code = aludel::run();
        println!("{}", peak_kb());
        return code;
    }
    let most: u32 = arguments.first().map_or(100_000, |count| count.parse().expect("how many rows"));
    for (rows, concurrency) in LOADS {
        let ideal = f64::from(rows * PHASES * LATENCY_MS) / f64::from(concurrency) / 1e3;
        let ratios: Vec<f64> = (0..ROUNDS).map(|_| batch(rows, concurrency, &paced(LATENCY_MS)).0 / ideal).collect();
        println!(
            "{rows} rows, {concurrency} at once: {:.3}x the ideal ({ideal:.2} s, median of {ROUNDS})",
            median(ratios)
        );
    }
    for burst in BURSTS {
        let ideal = f64::from(LIMITED_ROWS * PHASES) / f64::from(LIMIT);
        let script = format!("{}limit: {{calls_per_s: {LIMIT}, burst: {burst}}}\n", paced(LATENCY_MS));
        let ratio = batch(LIMITED_ROWS, 16, &script).0 / ideal;
        println!("{LIMITED_ROWS} rows, {LIMIT} calls a second, {burst} at once: {ratio:.3}x the ideal ({ideal:.2} s)");
    }
    let (few_s, few_mb) = batch(FEW, 64, "");
    println!("{FEW} rows of `builtin`: {:.0} a second, peak {few_mb:.0} MB", f64::from(FEW) / few_s);
    let (most_s, most_mb) = batch(most, 64, "");
    let (rate, growth) = (f64::from(most) / most_s, most_mb / few_mb);
    println!("{most} rows of `builtin`: {rate:.0} a second, peak {most_mb:.0} MB, {growth:.2}x");
    ExitCode::SUCCESS
}

/// The script of a provider that answers after so long.
fn paced(latency_ms: u32) -> String {
    let usage = "usage: {input_tokens: 900, output_tokens: 120}";
    let pacing = format!("pacing: {{first_token_ms: {latency_ms}, chunk_chars: 1000000}}");
    format!("answer: {{words: 120}}\n{usage}\n{pacing}\n")
}

/// Runs a batch in a process of its own, over a provider with this script, or over `builtin` if it
/// is empty: seconds, and peak memory in megabytes.
fn batch(rows: u32, concurrency: u32, script: &str) -> (f64, f64) {
    let home = tempfile::tempdir().expect("a folder");
    let path = |name: &str| home.path().join(name).to_str().expect("UTF-8").to_owned();
    if !script.is_empty() {
        write(path("sim.yaml"), script);
        let provider = format!("lab: {{kind: sim, script: {}, max_concurrency: 64}}", path("sim.yaml"));
        std::fs::create_dir(home.path().join(".aludel")).expect("a folder");
        write(path(".aludel/config.yaml"), &format!("providers:\n  {provider}\nrun: {{max_concurrency: 64}}\n"));
    }
    let mut text = String::new();
    for row in 0..rows {
        writeln!(text, "Write a short note about topic number {row}").expect("a text takes all");
    }
    write(path("rows.txt"), &text);
    let began = Instant::now();
    let (rows_file, output) = (path("rows.txt"), path("out.jsonl"));
    let output = Command::new(std::env::current_exe().expect("this program's path"))
        .args(["batch", &rows_file, "--output-file", &output, "--count", "1", "--no-vectors"])
        .args(["--concurrency", &concurrency.to_string()])
        .env_clear()
        .env("HOME", home.path())
        .env("OLLAMA_HOST", "127.0.0.1:1")
        .output()
        .expect("this program starts");
    let took = began.elapsed().as_secs_f64();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = std::fs::read_to_string(path("out.jsonl")).expect("the output").lines().count();
    assert_eq!(lines, rows as usize, "every row has a line");
    let said = String::from_utf8_lossy(&output.stdout);
    let peak_kb: f64 = said.lines().last().and_then(|line| line.parse().ok()).expect("the peak");
    (took, peak_kb / 1024.0)
}

fn write(path: impl AsRef<Path>, text: &str) {
    std::fs::write(path, text).expect("a file is written");
}
