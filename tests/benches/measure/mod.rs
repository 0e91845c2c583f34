//! Shared by the benches of runs: a run to measure, and its cost to the process.

use std::time::{Duration, Instant};

use aludel_core::api::GenerateRequest;
use aludel_core::engine::Engine;
use aludel_core::event::EventKind;
use serde_json::json;

/// A whole run through `provider`, to its last event. A failure or retry ends the bench. Waits for
/// the vectors made afterwards without counting that time.
pub(crate) async fn generate(engine: &Engine, provider: &str, variants: u32) -> Duration {
    let began = Instant::now();
    let raw = json!({ "input": "Write a function that finds primes", "count": variants, "provider": provider });
    let request: GenerateRequest = engine.decode(raw).expect("a request");
    let mut run = engine.generate(request).expect("a run");
    let mut finished = false;
    while let Some(event) = run.next().await {
        match &event.kind {
            EventKind::Failed { error } | EventKind::VariantFailed { error, .. } => {
                panic!("it failed: {}", error.detail)
            }
            EventKind::Retrying { error, .. } => panic!("it is retried: {}", error.detail),
            _ => {}
        }
        finished |= matches!(event.kind, EventKind::Finished { .. });
    }
    assert!(finished, "the run did not finish");
    let took = began.elapsed();
    engine.settle().await;
    took
}

/// CPU time of this process so far, user and system, in milliseconds (proc(5): fields 14 and 15, in ticks of 10 ms).
pub(crate) fn cpu_ms() -> f64 {
    cpu_ms_of(std::process::id())
}

/// As [`cpu_ms`], of another process.
pub(crate) fn cpu_ms_of(process: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    let fields: Vec<f64> = after_name.split(' ').filter_map(|field| field.parse().ok()).collect();
    // The state letter does not parse, so user time is the eleventh number after it.
    fields.get(10).zip(fields.get(11)).map_or(f64::NAN, |(user, system)| (user + system) * 10.0)
}

/// The peak memory of this process (proc(5), VmHWM).
pub(crate) fn peak_kb() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("VmHWM: 0");
    line.split_whitespace().nth(1).unwrap_or("0").to_owned()
}

/// The median; of an even number of values the upper one.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
