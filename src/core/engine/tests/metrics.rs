//! What an engine counts, beside what its results say.

use prometheus_client::encoding::prometheus_text;
use prometheus_client::registry::Registry;

use super::*;

const SCRIPT: &str = "seed: 3
price: {input: 2.0, output: 8.0}
answer: {words: 30}
rules:
  - {when: {input: hang}, fault: {kind: hang, after_chunks: 1}}
  - {when: {input: break}, fault: server_error}
";

struct Counted {
    _home: Home,
    engine: Engine,
    registry: Registry,
}

impl Counted {
    fn new() -> Self {
        let home = Home::with_config(
            "providers: {lab: {kind: sim, script: lab.yaml, max_retries: 1, max_concurrency: 3}}\nrun: {max_concurrency: 7}\n",
        );
        std::fs::write(home.folder.path().join("lab.yaml"), SCRIPT).unwrap();
        let engine = home.engine();
        let mut registry = Registry::default();
        engine.register_metrics(&mut registry);
        Self { _home: home, engine, registry }
    }

    /// The value of a series, by its name and labels as written.
    fn value(&self, series: &str) -> Option<f64> {
        let mut text = String::new();
        prometheus_text::encode(&mut text, &self.registry).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        line.map(|value| value.parse().unwrap())
    }

    async fn until(&self, series: &str, wanted: f64) {
        let comes = async {
            while self.value(series) != Some(wanted) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let came = tokio::time::timeout(Duration::from_secs(10), comes).await;
        assert!(came.is_ok(), "{series} is {:?}, not {wanted}", self.value(series));
    }
}

#[tokio::test]
async fn a_run_is_counted_with_its_calls_tokens_and_cost() {
    let counted = Counted::new();
    let result = generate(&counted.engine, json!({ "input": "Name a boat", "count": 2 })).await.unwrap();
    let spent = &result.model_metadata;
    let value = |series: &str| counted.value(series);
    assert_eq!(value(r#"aludel_runs_total{operation="generate",outcome="finished"}"#), Some(1.0));
    assert_eq!(value(r#"aludel_run_duration_seconds_count{operation="generate"}"#), Some(1.0));
    assert_eq!(value(r#"aludel_runs_in_progress{operation="generate"}"#), Some(0.0));
    let calls = Some(f64::from(spent.calls));
    assert_eq!(spent.calls, 6);
    assert_eq!(value(r#"aludel_provider_calls_total{provider="lab",outcome="ok"}"#), calls);
    assert_eq!(value(r#"aludel_provider_call_duration_seconds_count{provider="lab"}"#), calls);
    let tokens = |direction: &str| value(&format!(r#"aludel_tokens_total{{provider="lab",direction="{direction}"}}"#));
    assert_eq!(tokens("input"), Some(spent.input_tokens as f64));
    assert_eq!(tokens("output"), Some(spent.output_tokens as f64));
    let cost = value(r#"aludel_cost_usd_total{provider="lab"}"#).unwrap();
    assert!(cost > 0.0 && (cost - spent.cost_usd.unwrap()).abs() < 1e-9, "{cost} {spent:?}");
    assert_eq!((value("aludel_permits"), value("aludel_permits_in_use")), (Some(7.0), Some(0.0)));
}

#[tokio::test]
async fn a_run_that_is_dropped_is_cancelled_with_its_call() {
    let counted = Counted::new();
    let request = counted.engine.decode(json!({ "input": "please hang", "count": 1 })).unwrap();
    let mut run = counted.engine.generate(request).unwrap();
    while !matches!(run.next().await.unwrap().kind, EventKind::Delta { .. }) {}
    let value = |series: &str| counted.value(series);
    assert_eq!(value(r#"aludel_runs_in_progress{operation="generate"}"#), Some(1.0));
    assert_eq!(value(r#"aludel_provider_calls_in_progress{provider="lab"}"#), Some(1.0));
    assert_eq!(value(r#"aludel_provider_permits_in_use{provider="lab"}"#), Some(1.0));
    assert_eq!(value("aludel_permits_in_use"), Some(1.0));
    drop(run);
    counted.until(r#"aludel_provider_calls_total{provider="lab",outcome="cancelled"}"#, 1.0).await;
    counted.until(r#"aludel_provider_permits_in_use{provider="lab"}"#, 0.0).await;
    assert_eq!(value(r#"aludel_runs_total{operation="generate",outcome="cancelled"}"#), Some(1.0));
    assert_eq!(value(r#"aludel_runs_in_progress{operation="generate"}"#), Some(0.0));
    assert_eq!(value(r#"aludel_provider_calls_in_progress{provider="lab"}"#), Some(0.0));
    assert_eq!(value(r#"aludel_provider_calls_total{provider="lab",outcome="ok"}"#), None);
}

#[tokio::test(start_paused = true)]
async fn a_failed_call_is_counted_once_for_each_time_it_went_out() {
    let counted = Counted::new();
    let request = counted.engine.decode(json!({ "input": "please break", "count": 1 })).unwrap();
    assert!(counted.engine.generate(request).unwrap().outcome().await.is_err());
    let value = |series: &str| counted.value(series);
    assert_eq!(value(r#"aludel_provider_calls_total{provider="lab",outcome="unavailable"}"#), Some(2.0));
    assert_eq!(value(r#"aludel_runs_total{operation="generate",outcome="failed"}"#), Some(1.0));
}

#[tokio::test]
async fn calls_that_wait_for_a_permit_are_the_queue() {
    let counted = Counted::new();
    let request = counted.engine.decode(json!({ "input": "please hang", "count": 5 })).unwrap();
    let run = counted.engine.generate(request).unwrap();
    counted.until(r#"aludel_provider_calls_waiting{provider="lab"}"#, 2.0).await;
    counted.until("aludel_permits_in_use", 3.0).await;
    drop(run);
    counted.until(r#"aludel_provider_calls_waiting{provider="lab"}"#, 0.0).await;
    counted.until("aludel_permits_in_use", 0.0).await;
}

#[tokio::test]
async fn a_dependency_says_how_it_is_without_a_call() {
    let counted = Counted::new();
    let status = |name: &'static str| {
        let engine = counted.engine.clone();
        async move {
            let all = engine.dependencies().await;
            all.into_iter().find(|dependency| dependency.name == name).unwrap_or_else(|| panic!("no {name}"))
        }
    };
    for name in ["store", "search", "jobs"] {
        let dependency = status(name).await;
        assert_eq!((dependency.status, dependency.needed), (HealthStatus::Ok, name == "store"), "{dependency:?}");
        assert!(dependency.latency_ms.is_some());
    }
    let lab = status("provider lab").await;
    assert_eq!((lab.status, lab.latency_ms, lab.detail.as_deref()), (HealthStatus::Ok, None, Some("not called yet")));
    assert_eq!(counted.value(r#"aludel_provider_calls_total{provider="lab",outcome="ok"}"#), None);
    generate(&counted.engine, json!({ "input": "Name a boat", "count": 1 })).await.unwrap();
    let lab = status("provider lab").await;
    assert!(lab.status == HealthStatus::Ok && lab.latency_ms.is_some() && lab.detail.is_none(), "{lab:?}");
    let request = counted.engine.decode(json!({ "input": "please break", "count": 1 })).unwrap();
    assert!(counted.engine.generate(request).unwrap().outcome().await.is_err());
    let lab = status("provider lab").await;
    assert!(lab.status == HealthStatus::Degraded && lab.detail.unwrap().contains("lab"), "after a failure");
}
