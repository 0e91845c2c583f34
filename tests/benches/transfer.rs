//! Export and import of everything: prompts a second and peak memory, in each lossless format.
//!
//! `cargo bench --bench transfer [-- COUNT]` makes databases of COUNT (100,000) and COUNT / 10
//! prompts of some 2 kB, exports each in every format, and imports each file into an empty
//! database, without vectors. Steps are separate processes: memory that does not grow with the
//! count is bounded. Each import, exported as JSON lines, must equal the source's, byte by byte.
//! YAML over its limit is not imported; a COUNT of 40,000 shows its import, of a tenth of them.
#![expect(clippy::expect_used, clippy::print_stdout, reason = "a bench prints, and stops where it cannot go on")]

#[expect(dead_code, clippy::panic, reason = "shared by benches, each of which needs some of it")]
mod measure;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use aludel_core::api::{ExportRequest, ImportRequest};
use aludel_core::config::{self, Environment, Flags};
use aludel_core::domain::Operation;
use aludel_core::engine::Engine;
use aludel_core::event::Outcome;
use aludel_core::store::sqlite::SqliteStore;
use aludel_core::store::{Store, samples};
use aludel_core::transfer::{Input, YAML_BYTES};
use measure::peak_kb;
use serde_json::json;

const FORMATS: [&str; 4] = ["jsonl", "json", "csv", "yaml"];
/// Prompts stored at once while the source is made.
const AT_ONCE: u32 = 1000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["fill", home, count] => fill(Path::new(home), count.parse().expect("a count")),
        ["export", home, format, file] => export(Path::new(home), format, Path::new(file)),
        ["import", home, format, file] => import(Path::new(home), format, Path::new(file)),
        ref rest => {
            let most: u32 = rest.first().map_or(100_000, |count| count.parse().expect("how many prompts"));
            [most / 10, most].into_iter().for_each(compare);
        }
    }
}

/// All formats, with this many prompts.
fn compare(count: u32) {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let source = place("source");
    step(&["fill", &source, &count.to_string()]);
    let told = place("source.jsonl");
    step(&["export", &source, "jsonl", &told]);
    println!("{count} prompts, {} MB of JSON lines:", std::fs::metadata(&told).expect("a file").len() >> 20);
    for format in FORMATS {
        let (file, target, again) = (place(format), place(&format!("home-{format}")), place("again.jsonl"));
        let (out, out_mb) = step(&["export", &source, format, &file]);
        let rate = |seconds: f64| f64::from(count) / seconds;
        if format == "yaml" && std::fs::metadata(&file).expect("a file").len() > YAML_BYTES as u64 {
            println!("  {format:<5} out {:>7.0} a second, peak {out_mb:>4.0} MB; too large to come in", rate(out));
            continue;
        }
        let (back, back_mb) = step(&["import", &target, format, &file]);
        step(&["export", &target, "jsonl", &again]);
        assert!(same(&told, &again), "{format} loses something");
        println!(
            "  {format:<5} out {:>7.0} a second, peak {out_mb:>4.0} MB; in {:>7.0} a second, peak {back_mb:>4.0} MB; equal",
            rate(out),
            rate(back)
        );
        for done in [&file, &again] {
            std::fs::remove_file(done).expect("a file");
        }
        std::fs::remove_dir_all(target).expect("a folder");
    }
}

/// Runs a step in a process of its own: seconds, and peak memory in megabytes.
fn step(arguments: &[&str]) -> (f64, f64) {
    let own = std::env::current_exe().expect("this program's path");
    let output = Command::new(own).args(arguments).output().expect("this program starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = said.split_whitespace().map(|number| number.parse().expect("a number")).collect();
    (numbers[0], numbers[1] / 1024.0)
}

/// True if two files are equal.
fn same(a: &str, b: &str) -> bool {
    let same = Command::new("cmp").args(["--silent", a, b]).status();
    same.expect("cmp compares files").success()
}

fn told(began: Instant) {
    println!("{} {}", began.elapsed().as_secs_f64(), peak_kb());
}

fn fill(home: &Path, count: u32) {
    let began = Instant::now();
    std::fs::create_dir_all(home).expect("a folder");
    let store = SqliteStore::open(home.join("aludel.db"));
    for first in (0..count).step_by(AT_ONCE as usize) {
        let prompts = (first..count.min(first + AT_ONCE)).map(|seed| {
            let mut prompt = samples::prompt(seed);
            for part in 0..24 {
                let rule = "say what is meant, plainly, \"once\", and no more";
                write!(prompt.content, "\n- Rule {part} of {seed}: {rule}.").expect("a text takes all");
            }
            prompt
        });
        store.append(prompts.collect()).wait().expect("prompts are stored");
    }
    store.close().wait().expect("it closes");
    told(began);
}

fn engine(home: &Path) -> Engine {
    let environment = Environment::from_pairs([("ALUDEL_HOME", home.to_str().expect("UTF-8"))]);
    Engine::open(config::load(&Flags::default(), &environment).expect("a configuration"))
}

fn on_a_runtime<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}

fn export(home: &Path, format: &str, file: &Path) {
    let began = Instant::now();
    let engine = engine(home);
    let request: ExportRequest = engine.decode(json!({ "format": format })).expect("a request");
    let mut file = BufWriter::new(File::create(file).expect("a file"));
    on_a_runtime(async {
        let mut export = engine.export(&request);
        while let Some(piece) = export.next().await.expect("a piece") {
            file.write_all(piece.as_bytes()).expect("it is written");
        }
        engine.close().await.expect("it closes");
    });
    file.flush().expect("it is written");
    told(began);
}

fn import(home: &Path, format: &str, file: &Path) {
    let began = Instant::now();
    std::fs::create_dir_all(home).expect("a folder");
    let engine = engine(home);
    let request: ImportRequest = engine.decode(json!({ "format": format, "no_vectors": true })).expect("a request");
    let input = Input { name: file.to_owned(), source: File::open(file).expect("the file") };
    on_a_runtime(async {
        match engine.import(request, input).outcome().await.expect("an import") {
            Outcome::Import(report) => assert_eq!(report.imported, report.records, "every record is new"),
            other => assert_eq!(other.operation(), Operation::Import),
        }
        engine.close().await.expect("it closes");
    });
    told(began);
}
