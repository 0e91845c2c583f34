//! The embedded model: finding paraphrases, load time, a query, many texts of 32, 128 and 256
//! tokens, memory; on all cores and on one.
//!
//! The yardstick is the original 32-bit model, in numpy and in ONNX Runtime
//! (`embedding_yardstick.py`), on the same texts, alternating with ours; the median of pairwise
//! ratios is reported. The environment gives its location: ALUDEL_BENCH_MINILM is the model's
//! package (a wheel), ALUDEL_BENCH_PYTHON the interpreter. Without the former there is no
//! yardstick. This program restarts itself to measure loading and, under `taskset`, one core.
#![expect(clippy::expect_used, clippy::print_stdout, reason = "a bench prints, and stops where it cannot go on")]

#[expect(dead_code, clippy::panic, reason = "shared by benches, each of which needs some of it")]
mod measure;
mod paraphrases;

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use aludel_core::embed::embed_now;
use measure::{median, peak_kb};

const ROUNDS: usize = 7;
const QUERY_ROUNDS: usize = 60;
const LOADS: usize = 9;
/// Total tokens of each measurement of many texts.
const BULK_TOKENS: usize = 16 * 1024;
/// Single-token words.
const WORDS: [&str; 12] =
    ["write", "letter", "about", "summer", "code", "report", "river", "short", "history", "music", "plan", "water"];

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("load") => load(),
        Some("memory") => memory(),
        Some("paraphrases") => paraphrases::table(&mut yardsticks()),
        Some("one-core") => compare("one core"),
        _ => {
            paraphrases::table(&mut yardsticks());
            compare("every core");
            let own = std::env::current_exe().expect("this program's path");
            let on_one = Command::new("taskset").args(["--cpu-list", "0"]).arg(own).arg("one-core").status();
            if !on_one.is_ok_and(|status| status.success()) {
                println!("one core: not measured, `taskset` is not there");
            }
        }
    }
}

/// In a fresh process: the first query, which loads, and the second, in milliseconds; memory.
fn load() {
    let query = [text(12, 0)];
    println!("{} {} {}", ours(&query), ours(&query), peak_kb());
}

/// In a fresh process: peak memory after embedding many texts, in kilobytes.
fn memory() {
    ours(&bulk());
    println!("{}", peak_kb());
}

/// The texts of a measurement with 128 tokens each.
fn bulk() -> Vec<String> {
    (0..BULK_TOKENS / 128).map(|number| text(128, number)).collect()
}

/// The original models available here.
fn yardsticks() -> Vec<Yardstick> {
    ["numpy", "onnx"].into_iter().filter_map(Yardstick::start).collect()
}

fn compare(cores: &str) {
    let mut yardsticks = yardsticks();
    if yardsticks.is_empty() {
        println!("{cores}: no yardstick; set ALUDEL_BENCH_MINILM to the package of the original model");
    }
    let loads: Vec<Vec<f64>> = (0..LOADS).map(|_| fresh_process("load")).collect();
    let middle = |at: usize| median(loads.iter().map(|load| load[at]).collect());
    println!("{cores}: loading {:.1} ms, memory after a query {:.0} MB", middle(0) - middle(1), middle(2) / 1024.0);
    println!("{cores}: peak memory with many texts {:.0} MB", fresh_process("memory")[0] / 1024.0);
    for yardstick in &mut yardsticks {
        yardstick.embed(&bulk());
        let (name, load_ms, peak) = (yardstick.name, yardstick.load_ms, yardstick.peak_kb() / 1024.0);
        println!("  {name} loads in {load_ms:.0} ms, peak memory with many texts {peak:.0} MB");
    }
    ours(&[text(12, 0)]);

    report(&format!("{cores}: query of 12 tokens"), QUERY_ROUNDS, &mut yardsticks, 12, 1);
    for tokens in [32, 128, 256] {
        let name = format!("{cores}: texts of {tokens} tokens");
        report(&name, ROUNDS, &mut yardsticks, tokens, BULK_TOKENS / tokens);
    }
    println!("{cores}: peak memory of this process {} kB", peak_kb());
}

fn fresh_process(what: &str) -> Vec<f64> {
    let own = std::env::current_exe().expect("this program's path");
    let said = Command::new(own).arg(what).output().expect("this program starts").stdout;
    String::from_utf8_lossy(&said).split_whitespace().map(|number| number.parse().expect("a number")).collect()
}

/// Runs ours and the yardsticks alternately on the same texts, new ones each round.
fn report(name: &str, rounds: usize, yardsticks: &mut [Yardstick], tokens: usize, count: usize) {
    let mut took: Vec<Vec<f64>> = vec![Vec::new(); yardsticks.len() + 1];
    for round in 0..=rounds {
        let texts: Vec<String> = (0..count).map(|number| text(tokens, round * count + number)).collect();
        let own = ours(&texts);
        let others: Vec<f64> = yardsticks.iter_mut().map(|yardstick| yardstick.embed(&texts)).collect();
        // The first round warms up.
        if round > 0 {
            took.iter_mut().zip(std::iter::once(own).chain(others)).for_each(|(all, one)| all.push(one));
        }
    }
    let own = median(took[0].clone());
    println!("{name}: {own:.2} ms, {:.1} texts/s", count as f64 / own * 1e3);
    for (yardstick, theirs) in yardsticks.iter().zip(&took[1..]) {
        let ratio = median(took[0].iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect());
        println!("  {ratio:.2}x of {} ({:.2} ms)", yardstick.name, median(theirs.clone()));
    }
}

/// Milliseconds to embed with ours.
fn ours(texts: &[String]) -> f64 {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let began = Instant::now();
    let done = embed_now(&texts).expect("vectors");
    let took = began.elapsed().as_secs_f64() * 1e3;
    assert_eq!(done.vectors.len(), texts.len(), "a vector each");
    took
}

/// A text of this many tokens, including the start and end markers.
fn text(tokens: usize, number: usize) -> String {
    let word = |at: usize| WORDS[(number + at * (1 + number % 5)) % WORDS.len()];
    (0..tokens - 2).map(word).collect::<Vec<_>>().join(" ")
}

/// The original model in its own process.
struct Yardstick {
    name: &'static str,
    load_ms: f64,
    process: Child,
    asked: ChildStdin,
    said: Lines<BufReader<ChildStdout>>,
}

impl Yardstick {
    /// `None` when it is not available here.
    #[expect(clippy::disallowed_methods, reason = "where the yardstick is, this machine must say")]
    fn start(name: &'static str) -> Option<Self> {
        let package = std::env::var_os("ALUDEL_BENCH_MINILM")?;
        let python = std::env::var_os("ALUDEL_BENCH_PYTHON").unwrap_or_else(|| "python3".into());
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/benches/embedding_yardstick.py");
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut process = Command::new(python)
            .arg(script)
            .args([package, name.into()])
            .env("OPENBLAS_NUM_THREADS", cores.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let (asked, said) = (process.stdin.take()?, process.stdout.take()?);
        let mut said = BufReader::new(said).lines();
        let load_ms = said.next()?.ok()?.parse::<f64>().ok()? * 1e3;
        Some(Self { name, load_ms, process, asked, said })
    }

    fn ask(&mut self, question: &serde_json::Value) -> String {
        writeln!(self.asked, "{question}").expect("the yardstick listens");
        self.said.next().expect("the yardstick answers").expect("a line")
    }

    /// How many ideas rank above each query's own.
    fn ahead(&mut self, ideas: &[String], queries: &[String]) -> Vec<usize> {
        let answer = self.ask(&serde_json::json!({ "ideas": ideas, "queries": queries }));
        serde_json::from_str(&answer).expect("numbers")
    }

    /// The peak memory of its process.
    fn peak_kb(&mut self) -> f64 {
        self.ask(&serde_json::json!({})).parse().expect("a number")
    }

    /// Milliseconds to embed, as it measured itself.
    fn embed(&mut self, texts: &[String]) -> f64 {
        let answer = self.ask(&serde_json::json!(texts));
        answer.split(' ').next().and_then(|seconds| seconds.parse::<f64>().ok()).expect("seconds") * 1e3
    }
}

impl Drop for Yardstick {
    fn drop(&mut self) {
        // It is no longer needed, and may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
