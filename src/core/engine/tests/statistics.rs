//! Measuring stored prompts through the facade.

use serde_json::{Value, json};

use super::*;
use crate::api::{MetricsRequest, ShowRequest, StatsRequest};
use crate::domain::{MetricsReport, StatsBy, StatsReport};

async fn stats(engine: &Engine, raw: Value) -> StatsReport {
    engine.stats(engine.decode::<StatsRequest>(raw).unwrap()).await.unwrap()
}

async fn metrics(engine: &Engine, raw: Value) -> Result<MetricsReport, Error> {
    engine.metrics(engine.decode::<MetricsRequest>(raw)?).await
}

#[tokio::test]
async fn totals_are_those_of_what_is_stored_and_go_with_it() {
    let home = Home::new();
    let engine = home.engine();
    let first = generate(&engine, json!({ "input": "Name a boat", "count": 2, "tags": ["a", "b"] })).await.unwrap();
    let raw = json!({ "input": "Plan a trip to Rome", "count": 1, "phases": ["solutio"], "persona": "writing" });
    let second = generate(&engine, raw).await.unwrap();
    let report = stats(&engine, json!({})).await;
    assert_eq!((report.total.prompts, report.total.steps, report.total.calls), (3, 7, 7));
    let tokens = first.model_metadata.total_tokens + second.model_metadata.total_tokens;
    assert_eq!((report.total.total_tokens, report.total.cost_usd), (tokens, Some(0.0)));
    assert_eq!(report.total.latency_ms.map(|spread| spread.count), Some(7));
    assert_eq!(report.groups.iter().map(|group| group.by).collect::<Vec<_>>(), StatsBy::USUAL);
    let phases: Vec<_> = report.groups[1].lines.iter().map(|line| (line.key.as_str(), line.totals.prompts)).collect();
    assert_eq!(phases, [("prima-materia", 2), ("solutio", 3), ("coagulatio", 2)]);

    let tagged = stats(&engine, json!({ "by": ["tag"], "limit": 1 })).await;
    assert_eq!((tagged.groups[0].keys, tagged.groups[0].lines.len()), (3, 1));
    assert_eq!(stats(&engine, json!({ "persona": "writing" })).await.total.prompts, 1);
    assert_eq!(stats(&engine, json!({ "until": "2020-01-01" })).await.total.prompts, 0);
    engine.delete(engine.decode(json!({ "all": true })).unwrap()).await.unwrap();
    assert_eq!(stats(&engine, json!({})).await.total.prompts, 0);
}

#[tokio::test]
async fn a_prompt_is_measured_with_its_rank_and_its_kin() {
    let home = Home::new();
    let engine = home.engine();
    let result = generate(&engine, json!({ "input": "Write a letter about 2 windows", "count": 3 })).await.unwrap();
    let second = &result.prompts[1];
    let raw = json!({ "prompt_id": second.id, "content": "Write about 2 windows" });
    let child = engine.update(engine.decode(raw).unwrap()).await.unwrap();

    let of = async |id: String| {
        engine.prompt_metrics(engine.decode::<ShowRequest>(json!({ "prompt_id": id })).unwrap()).await.unwrap()
    };
    let measured = of(second.id.to_string()).await;
    assert_eq!((measured.rank, measured.ranked, measured.score), (Some(2), 3, second.score));
    assert_eq!((measured.children, measured.parent_id), (vec![child.id], None));
    assert_eq!(measured.model_metadata, second.model_metadata);
    let ranking = &result.rankings[1];
    for (name, value) in ranking.components.iter().filter(|(name, _)| *name != "gaps") {
        assert_eq!(measured.measures.get(name), Some(value), "{name}: the ranking's own rules");
    }
    let derived = of(child.id.short()).await;
    assert_eq!((derived.parent_id, derived.rank, derived.steps.len()), (Some(second.id), None, 0));
}

#[tokio::test]
async fn several_prompts_are_named_or_chosen() {
    let home = Home::new();
    let engine = home.engine();
    let result = generate(&engine, json!({ "input": "Name a boat", "count": 4, "tags": ["sea"] })).await.unwrap();
    let ids: Vec<String> = result.prompts.iter().map(|prompt| prompt.id.to_string()).collect();
    let named =
        metrics(&engine, json!({ "prompt_ids": [ids[0], ids[1], result.prompts[0].id.short()] })).await.unwrap();
    assert_eq!((named.summary.matched, named.prompts.len()), (2, 2), "one was named in two ways");
    assert_eq!(named.prompts[1].prompt_id, result.prompts[1].id, "in the order named");
    let chosen = metrics(&engine, json!({ "tags": ["sea"], "limit": 3 })).await.unwrap();
    assert_eq!((chosen.summary.matched, chosen.summary.measured), (4, 3));
    let none = metrics(&engine, json!({ "tags": ["land"] })).await.unwrap();
    assert_eq!((none.summary.matched, none.prompts.len()), (0, 0));
    let unknown = json!({ "prompt_ids": [ids[0], "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21"] });
    assert_eq!(metrics(&engine, unknown).await.unwrap_err().code(), Code::NotFound);
}

#[test]
fn measuring_needs_no_runtime_and_makes_no_file() {
    let home = Home::new();
    let engine = home.engine();
    let mut asked = std::pin::pin!(stats(&engine, json!({})));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(report) = asked.as_mut().poll(&mut context) else { panic!("it waits") };
    assert_eq!((report.total.prompts, report.total.cost_usd), (0, Some(0.0)));
    assert_eq!(std::fs::read_dir(home.folder.path()).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_count_that_nobody_waits_for_any_more_is_ended() {
    let home = Home::new();
    let engine = home.engine();
    let lines: Vec<String> = (0..6_000).map(|number| format!("{{\"content\": \"Idea {number}\"}}\n")).collect();
    let source = std::io::Cursor::new(lines.concat().into_bytes());
    let input = crate::transfer::Input { name: "ideas".into(), source };
    imported(engine.import(engine.decode(json!({ "format": "jsonl" })).unwrap(), input)).await.unwrap();
    let request: StatsRequest = engine.decode(json!({ "since": "2020-01-01" })).unwrap();
    let (told, mut seen) = tokio::sync::mpsc::channel(8);
    let (release, held) = std::sync::mpsc::sync_channel::<()>(1);
    let held = std::sync::Mutex::new(held);
    let watch = move |progress| {
        told.try_send(progress).unwrap();
        // The first progress report blocks until the future is dropped.
        let _ = held.lock().unwrap().recv();
    };
    let counting = tokio::spawn(async move { engine.stats_watched(request, watch).await });
    assert_eq!(seen.recv().await, Some(MeasureProgress { done: 2_000, total: 6_000 }));
    counting.abort();
    assert!(counting.await.unwrap_err().is_cancelled());
    drop(release);
    assert_eq!(seen.recv().await, None, "it went on counting");
}
