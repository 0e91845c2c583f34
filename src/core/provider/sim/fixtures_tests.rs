//! The scripts under `tests/fixtures/sim`: each does what its first line says.

use std::path::PathBuf;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::join_all;
use tokio::time::Instant;

use super::Sim;
use super::testing::{judge_request, phase_request};
use crate::domain::{Phase, ProviderKind};
use crate::error::{Code, ProviderError};
use crate::provider::registry::Registry;
use crate::provider::settings::ProviderSettings;
use crate::provider::{Brief, Chunk, Completion, Provider, complete};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/sim")
}

/// The whole stack over a fixture.
fn provider(name: &str) -> std::sync::Arc<dyn Provider> {
    let script = Some(folder().join(format!("{name}.yaml")));
    let settings = ProviderSettings { script, ..ProviderSettings::new(name, ProviderKind::Sim) };
    Registry::new([settings], 1).get(name).unwrap()
}

/// One variant through the three phases, as in a pipeline.
async fn variant(provider: &dyn Provider, number: u32) -> Result<(String, Vec<Completion>), ProviderError> {
    let mut input = "find prime numbers".to_owned();
    let mut completions = Vec::new();
    for phase in Phase::ALL {
        let mut request = phase_request(phase, number);
        if let Brief::Phase(brief) = &mut request.brief {
            brief.input = input;
        }
        let (text, completion) = complete(provider, request).await?;
        input = text;
        completions.push(completion);
    }
    Ok((input, completions))
}

#[test]
fn every_fixture_is_a_script_that_says_what_it_is_for() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("# "), "{}", path.display());
        Sim::from_file("sim", &path).unwrap();
        count += 1;
    }
    assert!(count >= 13, "{count}");
}

#[tokio::test(start_paused = true)]
async fn healthy_ones_answer_every_phase_from_the_input() {
    for name in ["healthy", "instant"] {
        let (text, completions) = variant(provider(name).as_ref(), 0).await.unwrap();
        assert!(text.contains("# Task") && text.contains("find prime numbers"), "{text}");
        assert!(completions.iter().all(|completion| completion.cost_usd.is_some_and(|cost| cost > 0.0)));
    }
    let (text, _) = variant(provider("nested").as_ref(), 0).await.unwrap();
    assert_eq!(text, "coagulatio(solutio(prima-materia(find prime numbers)))");
}

#[tokio::test(start_paused = true)]
async fn failing_ones_fail_where_they_say() {
    let partial = provider("one_variant_fails");
    let outcomes = join_all((0..3).map(|number| variant(partial.as_ref(), number))).await;
    assert_eq!(outcomes.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    for (name, code) in [("all_fail", Code::ProviderAuth), ("down", Code::ProviderUnavailable)] {
        assert_eq!(variant(provider(name).as_ref(), 0).await.unwrap_err().code(), code, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_flaky_one_succeeds_at_the_second_attempt_of_every_phase() {
    let start = Instant::now();
    let (_, completions) = variant(provider("flaky").as_ref(), 0).await.unwrap();
    assert_eq!(completions.iter().map(|completion| completion.retries).collect::<Vec<_>>(), [1, 1, 1]);
    assert!(start.elapsed() < Duration::from_millis(200), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn the_slow_one_finishes_variant_after_variant() {
    let slow = provider("slow");
    let start = Instant::now();
    let mut moments = join_all((0..32).map(|number| {
        let slow = slow.clone();
        async move {
            variant(slow.as_ref(), number).await.unwrap();
            start.elapsed()
        }
    }))
    .await;
    moments.sort();
    assert!(moments[0] > Duration::from_millis(150) && moments[31] < Duration::from_secs(3), "{moments:?}");
    moments.dedup();
    assert!(moments.len() >= 4, "{moments:?}");
}

#[tokio::test(start_paused = true)]
async fn the_hanging_one_begins_and_falls_silent() {
    let hanging = provider("hanging");
    let mut stream = hanging.stream(phase_request(Phase::Solutio, 0));
    for _ in 0..2 {
        assert!(matches!(stream.next().await, Some(Ok(Chunk::Text(_)))));
    }
    assert!(tokio::time::timeout(Duration::from_mins(1), stream.next()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn the_fixed_one_takes_fifty_milliseconds_a_call() {
    let start = Instant::now();
    variant(provider("fixed_latency").as_ref(), 0).await.unwrap();
    assert_eq!(start.elapsed().as_millis(), 150);
}

#[tokio::test(start_paused = true)]
async fn the_judges_judge_as_they_say() {
    let fair = provider("judge");
    let mut right = 0;
    for number in 0..50 {
        let (good, poor) = (format!("text {number} [best]"), format!("text {number}"));
        right += u32::from(complete(fair.as_ref(), judge_request(&poor, &good)).await.unwrap().0.contains("B>"));
    }
    assert!((35..50).contains(&right), "right {right} times of 50, against its bias");
    let stuck = provider("judge_stuck");
    for (a, b) in [("x", "y"), ("y", "x")] {
        assert!(complete(stuck.as_ref(), judge_request(a, b)).await.unwrap().0.contains("\"A>>B\""));
    }
    let unreliable = provider("judge_unreliable");
    let mut unreadable = 0;
    for number in 0..100 {
        let (answer, _) = complete(unreliable.as_ref(), judge_request(&number.to_string(), "x")).await.unwrap();
        unreadable += u32::from(serde_json::from_str::<serde_json::Value>(&answer).is_err());
    }
    assert!((25..=55).contains(&unreadable), "{unreadable}");
}
