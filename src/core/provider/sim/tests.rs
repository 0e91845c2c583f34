//! The provider as its callers see it: chunks, clocks, counts and ends.

use futures_util::StreamExt;
use proptest::prelude::*;

use super::testing::{judge_request, phase_request, request, sim};
use super::*;
use crate::domain::Phase;
use crate::error::ProviderFailure;
use crate::provider::complete;

/// All chunks of a stream, with the milliseconds at which they came.
async fn record(sim: &Sim, request: ChatRequest) -> Vec<(u128, Result<Chunk, ProviderError>)> {
    let start = Instant::now();
    let mut stream = sim.stream(request);
    let mut all = Vec::new();
    while let Some(chunk) = stream.next().await {
        all.push((start.elapsed().as_millis(), chunk));
    }
    all
}

/// The text pieces and the end, in short.
async fn outline(script: &str) -> String {
    let chunks = record(&sim(script), request(0)).await;
    let words: Vec<String> = chunks
        .into_iter()
        .map(|(at, chunk)| match chunk {
            Ok(Chunk::Text(text)) => format!("{at}:{text}"),
            Ok(Chunk::Done(_)) => format!("{at}:done"),
            Ok(other) => format!("{at}:{other:?}"),
            Err(error) => format!("{at}:{:?}", error.failure),
        })
        .collect();
    words.join(" ")
}

#[tokio::test]
async fn every_example_of_the_documentation_is_a_script() {
    let documentation = include_str!("format.md");
    let examples: Vec<&str> =
        documentation.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 4);
    for example in examples {
        let _ = sim(example);
    }
}

#[test]
fn every_key_and_every_fault_is_documented() {
    let documentation = include_str!("format.md");
    let error = |text: &str| format!("{:?}", Sim::from_yaml("x", text).unwrap_err());
    for probe in [
        "xxxxxxxx: 1",
        "rules: [{xxxxxxxx: 1}]",
        "rules: [{when: {xxxxxxxx: 1}}]",
        "pacing: {xxxxxxxx: 1}",
        "judge: {xxxxxxxx: 1}",
        "rules: [{fault: xxxxxxxx}]",
        "rules: [{fault: {xxxxxxxx: 1}}]",
        "recorded: [{xxxxxxxx: 1}]",
        "answer: {xxxxxxxx: 1}",
    ] {
        let message = error(probe);
        let names: Vec<&str> = message.split('`').skip(1).step_by(2).filter(|name| *name != "xxxxxxxx").collect();
        assert!(!names.is_empty(), "{message}");
        for name in names {
            assert!(documentation.contains(name), "`{name}` is not documented");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn pieces_come_when_the_pacing_says() {
    let pacing = "pacing: {first_token_ms: 200, chunk_ms: 50, chunk_chars: 4}";
    assert_eq!(
        outline(&format!("{{answer: {{text: 'one two three'}}, {pacing}}}")).await,
        "200:one  250:two  300:thre 350:e 350:done"
    );
    let slow = "{answer: {words: 100}, pacing: {first_token_ms: 1000, tokens_per_s: 10}}";
    let (_, completion) = complete(&sim(slow), request(0)).await.unwrap();
    assert_eq!(completion.first_token, Some(Duration::from_secs(1)));
    assert!((10.0..=12.0).contains(&completion.latency.as_secs_f64()), "{completion:?}");
}

#[tokio::test(start_paused = true)]
async fn a_rule_may_pace_some_answers_otherwise() {
    let script = "{answer: {text: x}, rules: [{when: {variant: 1}, pacing: {first_token_ms: 500}}]}";
    let sim = sim(script);
    assert_eq!(record(&sim, request(0)).await[0].0, 0);
    assert_eq!(record(&sim, request(1)).await[0].0, 500);
}

#[tokio::test(start_paused = true)]
async fn every_fault_ends_its_own_way() {
    let base = "answer: {text: abcdef}, pacing: {first_token_ms: 10, chunk_ms: 5, chunk_chars: 2}";
    for (fault, expected) in [
        ("rate_limit", "10:RateLimited"),
        ("server_error", "10:Unavailable"),
        ("{kind: server_error, after_chunks: 2}", "10:ab 15:cd 15:Unavailable"),
        ("auth", "10:Auth"),
        ("quota", "10:QuotaExhausted"),
        ("rejected", "10:Rejected"),
        ("too_long", "10:Rejected"),
        ("refusal", "10:Refused"),
        ("{kind: refusal, after_chunks: 1}", "10:ab 10:Refused"),
        ("cut", "10:ab"),
        ("{kind: cut, after_chunks: 0}", ""),
        ("{kind: cut, after_chunks: 99}", "10:ab 15:cd 20:ef"),
        ("empty", "10:done"),
        ("malformed", r#"10:{" 15:an 20:sw 25:er 30:": 35: " 40:ab 45:c" 50:,  55:" 55:done"#),
    ] {
        assert_eq!(outline(&format!("{{{base}, rules: [{{fault: {fault}}}]}}")).await, expected, "{fault}");
    }
}

#[tokio::test(start_paused = true)]
async fn hanging_and_endless_answers_never_end() {
    for (fault, least) in [("hang", 0), ("{kind: hang, after_chunks: 2}", 2), ("endless", 500)] {
        let script = format!(
            "{{answer: {{text: abcdef}}, pacing: {{chunk_ms: 5, chunk_chars: 2}}, rules: [{{fault: {fault}}}]}}"
        );
        let sim = sim(&script);
        let mut stream = sim.stream(request(0));
        let mut pieces = 0;
        let end = Instant::now() + Duration::from_secs(10);
        while let Ok(chunk) = tokio::time::timeout_at(end, stream.next()).await {
            assert!(matches!(chunk, Some(Ok(Chunk::Text(_)))), "{fault}: {chunk:?}");
            pieces += 1;
        }
        assert!(if fault == "endless" { pieces > least } else { pieces == least }, "{fault}: {pieces}");
    }
}

#[tokio::test]
async fn tokens_are_estimated_and_flagged_unless_given() {
    let (text, completion) = complete(&sim("answer: {words: 40}"), request(0)).await.unwrap();
    assert_eq!(completion.usage.output_tokens, tokens::estimate(&text));
    assert_eq!((completion.usage.input_tokens, completion.usage.output_tokens), (5, 40));
    assert!(completion.usage.estimated && completion.cost_usd.is_none());
    let script = "{usage: {input_tokens: 1000, output_tokens: 500}, price: {input: 3, output: 15}}";
    let (_, completion) = complete(&sim(script), request(0)).await.unwrap();
    assert!(!completion.usage.estimated);
    assert_eq!(completion.cost_usd, Some((3000.0 + 7500.0) / 1e6));
}

#[tokio::test]
async fn answers_are_cut_at_max_tokens() {
    let sim = sim("answer: {words: 40}");
    for (max_tokens, tokens, truncated) in [(10, 10, true), (40, 40, false), (99, 40, false)] {
        let request = ChatRequest { max_tokens: Some(max_tokens), ..request(0) };
        let (text, completion) = complete(&sim, request).await.unwrap();
        assert_eq!((tokens::estimate(&text), completion.truncated), (tokens, truncated));
        assert_eq!(completion.usage.output_tokens, tokens);
    }
}

#[tokio::test]
async fn the_model_is_the_requests_then_the_configurations_then_the_scripts() {
    let sim = sim("{model: from-script, answer: {text: '{model}'}}");
    assert_eq!(complete(&sim, request(0)).await.unwrap().0, "from-script");
    let sim = sim.with_model("from-configuration");
    assert_eq!(sim.default_model(), "from-configuration");
    assert_eq!(complete(&sim, request(0)).await.unwrap().0, "from-configuration");
    let asked = ChatRequest { model: Some("asked-for".into()), ..request(0) };
    let (text, completion) = complete(&sim, asked).await.unwrap();
    assert_eq!((text.as_str(), completion.model.as_str()), ("asked-for", "asked-for"));
}

#[tokio::test]
async fn the_journal_knows_every_call_and_how_it_ended_for_all_clones() {
    let sim = sim(
        "rules: [{when: {variant: 1}, fault: auth}, {when: {variant: 2}, fault: cut}, {when: {variant: 3}, fault: hang}]",
    );
    let other = sim.clone();
    complete(&sim, request(0)).await.unwrap();
    complete(&other, request(0)).await.unwrap();
    complete(&sim, request(1)).await.unwrap_err();
    complete(&sim, request(2)).await.unwrap_err();
    let never_polled = sim.stream(request(4));
    drop(never_polled);
    {
        let mut hanging = sim.stream(request(3));
        assert!(futures_util::poll!(hanging.next()).is_pending());
        assert_eq!((other.in_flight(), other.journal().last().unwrap().end), (1, CallEnd::UnderWay));
    }
    let told: Vec<_> =
        other.journal().iter().map(|e| (e.number, e.variant().unwrap(), e.attempt, e.rule, e.end)).collect();
    assert_eq!(
        told,
        [
            (1, 0, 1, None, CallEnd::Answered),
            (2, 0, 2, None, CallEnd::Answered),
            (3, 1, 1, Some(0), CallEnd::Failed),
            (4, 2, 1, Some(1), CallEnd::Failed),
            (5, 3, 1, Some(2), CallEnd::Dropped),
        ]
    );
    assert_eq!((sim.asked(), sim.in_flight(), sim.peak_in_flight()), (5, 0, 1));
}

#[tokio::test]
async fn the_journal_keeps_the_newest_calls_and_counts_all() {
    let sim = sim("answer: {text: x}");
    for _ in 0..=KEPT {
        complete(&sim, request(0)).await.unwrap();
    }
    assert_eq!((sim.journal().len(), sim.asked()), (KEPT, KEPT as u64 + 1));
    assert_eq!(sim.journal()[0].number, 2);
}

#[tokio::test]
async fn rules_apply_in_order_and_are_passed_over_once_used_up() {
    let sim = sim("{answer: {text: own}, rules: [{times: 1, fault: rate_limit}, {nth: 2, answer: {text: second}}]}");
    let mut told = Vec::new();
    for _ in 0..4 {
        told.push(
            complete(&sim, request(0)).await.map_or_else(|error| format!("{:?}", error.failure), |(text, _)| text),
        );
    }
    // The call that the first rule took is not counted by the second.
    assert_eq!(told, ["RateLimited", "own", "second", "own"]);
}

#[tokio::test]
async fn a_chain_of_phases_shows_each_answer_inside_the_next() {
    let sim = sim("answer: {text: '{phase}({input})'}");
    let mut input = "x".to_owned();
    for phase in Phase::ALL {
        let mut request = phase_request(phase, 0);
        if let Brief::Phase(brief) = &mut request.brief {
            brief.input = input;
        }
        input = complete(&sim, request).await.unwrap().0;
    }
    assert_eq!(input, "coagulatio(solutio(prima-materia(x)))");
}

#[tokio::test]
async fn a_judge_prefers_what_has_the_higher_hidden_quality() {
    let sim = sim("{seed: 5, judge: {markers: {gold: 3}}}");
    for n in 0..20 {
        let (a, b) = (format!("text {n}"), format!("other {n}"));
        let difference = sim.hidden_quality(&a) - sim.hidden_quality(&b);
        let (answer, _) = complete(&sim, judge_request(&a, &b)).await.unwrap();
        let verdict = serde_json::from_str::<serde_json::Value>(&answer).unwrap()["verdict"].clone();
        assert_eq!(verdict.as_str().unwrap().starts_with("A>"), difference >= 0.35, "{difference}: {verdict}");
    }
    assert!((sim.hidden_quality("x gold") - sim.hidden_quality("x gold")).abs() < f64::EPSILON);
}

#[tokio::test]
async fn a_scripts_answer_is_for_phases_and_a_rules_answer_for_whatever_it_matches() {
    let sim = sim("{answer: {text: own}, rules: [{when: {input: special}, answer: {text: ruled}}]}");
    assert!(complete(&sim, judge_request("a", "b")).await.unwrap().0.contains("verdict"));
    assert_eq!(complete(&sim, judge_request("a special", "b")).await.unwrap().0, "ruled");
    assert_eq!(complete(&sim, request(0)).await.unwrap().0, "own");
}

#[test]
fn an_unpaced_script_needs_no_runtime() {
    let chunks: Vec<_> = futures_util::stream::StreamExt::collect::<Vec<_>>(sim("").stream(request(0)))
        .now_or_never()
        .expect("nothing to wait for");
    assert!(matches!(chunks.last(), Some(Ok(Chunk::Done(_)))));
}

use futures_util::FutureExt;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn answers_are_a_function_of_seed_and_request(seed: u64, variants in proptest::collection::vec(0_u32..20, 1..12)) {
        let script = format!("{{seed: {seed}, answer: {{words: 20}}, rules: [{{when: {{attempt: 1}}, probability: 0.5, fault: refusal}}]}}");
        let play = |order: &[u32]| {
            let sim = sim(&script);
            let mut told: Vec<(u32, u32, Result<String, ProviderFailure>)> = order
                .iter()
                .map(|variant| {
                    let answer = complete(&sim, request(*variant)).now_or_never().expect("nothing to wait for");
                    let attempt = sim.journal().last().unwrap().attempt;
                    (*variant, attempt, answer.map(|(text, _)| text).map_err(|error| error.failure))
                })
                .collect();
            told.sort_by_key(|(variant, attempt, _)| (*variant, *attempt));
            told
        };
        let backwards: Vec<u32> = variants.iter().rev().copied().collect();
        prop_assert_eq!(play(&variants), play(&backwards));
    }
}
