//! Operations over adversarial texts: allocations grow in line with the length of the text.
//!
//! Counted in separate processes (this program with one ignored test), where nothing else
//! allocates. The core's own tests count the work of single functions.

use std::alloc::System;
use std::fmt::Write as _;
use std::io::{Cursor, Write};
use std::process::{Command, Stdio};

use aludel_core::engine::Engine;
use aludel_core::event::Outcome;
use aludel_core::text::adversarial::SHAPES;
use aludel_core::text::shown::escape_json_as_yaml;
use aludel_core::transfer::Input;
use serde_json::{Value, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

use crate::rest::{Api, Reply};
use crate::seeded::Seeded;

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Processes that share the shapes.
const SHARES: usize = 4;

/// Bytes of the shorter texts; the longer ones have [`GROWTH`] times as many.
const SHORT: usize = 1_000;
const GROWTH: usize = 4;

/// The most that allocations can grow when the text grows by [`GROWTH`].
const MOST_GROWTH: f64 = 4.6;

/// Bytes that are not compared: fixed costs of an operation, and buffers that double.
const FLOOR: f64 = 256.0 * 1024.0;

/// The shapes that get vectors, which are slow to make.
const EMBEDDED: &[&str] = &["one long word", "camel case", "ideographs"];

/// An API over an empty store, with a provider that echoes the text and judges.
struct ApiFixture {
    api: Api,
    engine: Engine,
}

impl ApiFixture {
    fn new(text: &str) -> Self {
        let text = Value::from(text).to_string();
        let script =
            format!("{{seed: 3, judge: {{quality_spread: 2}}, answer: {{text: {}}}}}", escape_json_as_yaml(&text));
        let seeded = Seeded::with_script(&script, "");
        let engine = seeded.engine.clone();
        Self { api: Api::new(seeded), engine }
    }

    async fn post(&self, path: &str, body: Value) -> Reply {
        let reply = self.api.post(path, &body).await;
        assert!(reply.status.as_u16() < 500 || reply.status == 502, "{path}: {}", reply.text());
        reply
    }

    async fn import(&self, text: &str, no_vectors: bool) {
        let mut records = String::new();
        for number in 0..2 {
            let record =
                json!({ "content": format!("Import {number}: {text}"), "original_input": text, "notes": text });
            writeln!(records, "{record}").expect("memory");
        }
        let input = Input { name: "all.jsonl".into(), source: Cursor::new(records.into_bytes()) };
        let request = self.engine.decode(json!({ "no_vectors": no_vectors })).expect("a valid request");
        match self.engine.import(request, input).outcome().await.expect("it is imported") {
            Outcome::Import(report) => assert_eq!(report.imported, 2),
            other => panic!("{other:?}"),
        }
        if !no_vectors {
            // Prompts that lacked vectors before get them, too.
            match self.engine.embed_missing().outcome().await.expect("they are embedded") {
                Outcome::Reindex(made) => assert!(made.vectors >= 2, "{made:?}"),
                other => panic!("{other:?}"),
            }
        }
    }

    /// The ids of all stored prompts.
    async fn ids(&self) -> Vec<Value> {
        let page = self.api.get("/api/v1/prompts").await.json();
        page["prompts"].as_array().expect("prompts").iter().map(|prompt| prompt["id"].clone()).collect()
    }
}

/// The bytes each operation allocates over this text, in the order they run.
async fn allocated(text: &str, with_vectors: bool) -> Vec<(&'static str, f64)> {
    let mut counts = Vec::new();
    let mut region = Region::new(COUNTING);
    let mut count = |name| {
        counts.push((name, region.change_and_reset().bytes_allocated as f64));
    };
    let world = ApiFixture::new(text);
    count("a script");
    let request = json!({ "input": format!("Do it: {text}"), "provider": "builtin", "count": 1 });
    world.post("/api/v1/prompts/generate", request).await;
    count("generate, the input");
    let context = json!([text, text]);
    let request =
        json!({ "input": "Summarise the background.", "provider": "builtin", "count": 1, "context": context });
    world.post("/api/v1/prompts/generate", request).await;
    count("generate, the context");
    world.post("/api/v1/prompts/generate", json!({ "input": "Do it.", "count": 1, "max_tokens": 100_000 })).await;
    count("generate, the answer");
    world.import(text, true).await;
    count("import");
    if with_vectors {
        world.import(&format!("{text} again"), false).await;
        count("import, with vectors");
    }
    let ids = world.ids().await;
    count("list");
    let pair = json!(ids[..2]);
    world.post("/api/v1/prompts/compare", json!({ "prompt_ids": pair, "task_description": text })).await;
    count("compare");
    world.post("/api/v1/prompts/select", json!({ "prompt_ids": pair, "task_description": text })).await;
    count("select");
    world.post("/api/v1/prompts/search", json!({ "query": text })).await;
    count("search, the query");
    world.post("/api/v1/prompts/search", json!({ "query": "import" })).await;
    count("search, the prompts");
    if with_vectors {
        let request = world.engine.decode(json!({ "prompt_id": ids[0] })).expect("a valid request");
        world.engine.similar(request).await.expect("its vector is there");
        count("similar");
        world.post("/api/v1/prompts/search", json!({ "query": text, "semantic": true })).await;
        count("search by meaning");
    }
    let request = world.engine.decode(json!({})).expect("a valid request");
    world.engine.metrics(request).await.expect("metrics");
    count("metrics");
    let request = world.engine.decode(json!({})).expect("a valid request");
    world.engine.export_bounded(request).await.expect("an export");
    count("export");
    world.engine.close().await.expect("nothing is left to store");
    counts
}

/// The faults in the growth of the work over texts of this shape.
async fn faults(shape: &aludel_core::text::adversarial::Shape) -> Vec<String> {
    let with_vectors = EMBEDDED.contains(&shape.name);
    let less = allocated(&shape.text(SHORT), with_vectors).await;
    let more = allocated(&shape.text(GROWTH * SHORT), with_vectors).await;
    less.into_iter()
        .zip(more)
        .filter(|((_, less), (_, more))| *more > MOST_GROWTH * less + FLOOR)
        .map(|((name, less), (_, more))| format!("{name}, {}: {less} bytes grew to {more}", shape.name))
        .collect()
}

#[test]
#[ignore = "the process that its sibling counts in"]
fn counted_alone() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).expect("a line");
    let share: usize = line.trim().parse().expect("a share");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    // The words of a text are not to be known from an earlier one.
    aludel_core::text::terms::stay_cold();
    // One-time costs of the first use are not counted.
    let _warm = runtime.block_on(allocated("to begin with", true));
    let shapes = SHAPES.iter().skip(share).step_by(SHARES);
    let faults: Vec<String> = shapes.flat_map(|shape| runtime.block_on(faults(shape))).collect();
    assert!(faults.is_empty(), "more work than the text is long:\n{}", faults.join("\n"));
}

#[test]
fn the_work_of_whole_operations_grows_in_line_with_the_text() {
    let begin = |share: usize| {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "adversarial::growth::counted_alone", "--ignored", "--test-threads=1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        writeln!(child.stdin.take().expect("a pipe"), "{share}").expect("its share");
        child
    };
    let children: Vec<_> = (0..SHARES).map(begin).collect();
    for child in children {
        let said = child.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&said.stdout);
        assert!(said.status.success() && told.contains("1 passed"), "{told}{}", String::from_utf8_lossy(&said.stderr));
    }
}
