//! What is sent for a request, to a vendor that refuses parameters.

use std::time::Duration;

use futures_util::future::join_all;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::domain::TokenUsage;
use crate::error::ProviderFailure;
use crate::provider::Completion;
use crate::provider::sim::testing::request;
use crate::time::FixedClock;

/// 2026-11-21.
const TODAY_MS: i64 = 1_795_219_200_000;

const ROWS: &str = "
openai:
  models:
    fixed: {temperature: false, max_output: 1000, reasoning: default, headroom: 500}
    warm: {temperature: 1, max_output: 3000}
    gone: {ends: 2026-11-21}
    going: {ends: 2026-11-22}
mine:
  models:
    fixed: {temperature: true}
";

/// Refuses some parameters as a vendor does, before any text, and records its requests.
#[derive(Clone, Default)]
struct Vendor {
    refuses: &'static [&'static str],
    /// Sends some text before it refuses.
    after_text: bool,
    /// Refuses parameters that are not there.
    is_stubborn: bool,
    asked: Arc<Mutex<Vec<ChatRequest>>>,
}

impl Vendor {
    fn refusing(refuses: &'static [&'static str]) -> Self {
        Self { refuses, ..Self::default() }
    }

    fn asked(&self) -> Vec<ChatRequest> {
        self.asked.lock().unwrap().clone()
    }
}

impl Provider for Vendor {
    fn name(&self) -> &'static str {
        "vendor"
    }

    fn default_model(&self) -> &'static str {
        "plain"
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        self.asked.lock().unwrap().push(request.clone());
        let is_there = |name: &&&str| match **name {
            "temperature" => request.temperature.is_some(),
            "max_tokens" => request.max_tokens.is_some(),
            _ => request.response_schema.is_some(),
        };
        let is_refused = |name: &&&str| self.is_stubborn || is_there(name);
        let refused = self.refuses.iter().find(is_refused).map(|name| {
            ProviderError::new("vendor", ProviderFailure::Rejected, format!("no {name}"))
                .with_status(400)
                .with_refused_parameter(name)
        });
        let after_text = self.after_text;
        Box::pin(stream! {
            tokio::task::yield_now().await;
            if refused.is_none() || after_text {
                yield Ok(Chunk::Text("hello".into()));
            }
            match refused {
                Some(error) => yield Err(error),
                None => yield Ok(Chunk::Done(done())),
            }
        })
    }
}

fn done() -> Completion {
    Completion {
        provider: "vendor".into(),
        model: "plain".into(),
        usage: TokenUsage { input_tokens: 1, output_tokens: 1, estimated: false },
        cost_usd: None,
        latency: Duration::ZERO,
        first_token: None,
        retries: 0,
        fallback_from: None,
        truncated: false,
        cached: false,
    }
}

fn adapt(vendor: &Vendor) -> Adapt {
    let catalog = Arc::new(Catalog::default().with_user_rows(ROWS).unwrap());
    Adapt::new(Arc::new(vendor.clone()), ProviderKind::OpenAi, catalog, Arc::new(FixedClock::at(TODAY_MS)))
}

fn asking(model: &str, temperature: Option<f64>, max_tokens: Option<u32>) -> ChatRequest {
    ChatRequest { model: Some(model.to_owned()), temperature, max_tokens, ..request(0) }
}

/// The warnings, and the result.
async fn answer(adapt: &Adapt, request: ChatRequest) -> (Vec<String>, Result<Completion, ProviderError>) {
    let mut stream = adapt.stream(request);
    let mut warnings = Vec::new();
    while let Some(chunk) = stream.next().await {
        match chunk {
            Ok(Chunk::Warning(warning)) => warnings.push(warning),
            Ok(Chunk::Done(completion)) => {
                assert!(stream.next().await.is_none());
                return (warnings, Ok(completion));
            }
            Ok(_) => {}
            Err(error) => {
                assert!(stream.next().await.is_none());
                return (warnings, Err(error));
            }
        }
    }
    panic!("the stream ended without an end");
}

/// The request as the vendor got it, and the warnings.
async fn sent(request: ChatRequest) -> (ChatRequest, Vec<String>) {
    let vendor = Vendor::default();
    let (warnings, end) = answer(&adapt(&vendor), request).await;
    end.unwrap();
    let mut asked = vendor.asked();
    assert_eq!(asked.len(), 1);
    (asked.remove(0), warnings)
}

#[tokio::test]
async fn a_temperature_that_is_not_taken_is_left_out_and_named() {
    let (sent, warnings) = sent(asking("fixed", Some(0.7), None)).await;
    assert_eq!(sent.temperature, None);
    assert_eq!(warnings, ["`fixed` takes no temperature; 0.7 was left out"]);
}

#[tokio::test]
async fn a_temperature_above_what_is_taken_is_lowered_and_named() {
    let (above, warnings) = sent(asking("warm", Some(1.5), None)).await;
    assert_eq!(above.temperature, Some(1.0));
    assert_eq!(warnings, ["`warm` takes a temperature up to 1; 1.5 was lowered to that"]);
    let (within, warnings) = sent(asking("warm", Some(1.0), None)).await;
    assert_eq!((within.temperature, warnings.len()), (Some(1.0), 0));
}

#[tokio::test]
async fn what_nobody_knows_is_sent_as_it_is_wanted() {
    let wanted = asking("unheard-of", Some(1.9), Some(1_000_000));
    let (sent, warnings) = sent(wanted.clone()).await;
    assert_eq!((sent, warnings.len()), (wanted, 0));
}

#[tokio::test]
async fn nothing_is_added_where_nothing_is_wanted() {
    let wanted = asking("fixed", None, None);
    let (sent, warnings) = sent(wanted.clone()).await;
    assert_eq!((sent, warnings.len()), (wanted, 0));
}

#[tokio::test]
async fn a_model_that_reasons_gets_head_room_as_far_as_it_writes() {
    for (wanted, expected, warned) in [(200, 700, 0), (500, 1000, 0), (700, 1000, 0), (1000, 1000, 0), (1001, 1000, 1)]
    {
        let (sent, warnings) = sent(asking("fixed", None, Some(wanted))).await;
        assert_eq!((sent.max_tokens, warnings.len()), (Some(expected), warned), "{wanted}: {warnings:?}");
    }
    let (sent, warnings) = sent(asking("warm", None, Some(4000))).await;
    assert_eq!(sent.max_tokens, Some(3000));
    assert_eq!(warnings, ["`warm` writes at most 3000 tokens; max_tokens 4000 was lowered to that"]);
}

#[tokio::test]
async fn the_default_model_is_looked_up_when_none_is_named() {
    let vendor = Vendor::default();
    let rows = "openai: {models: {plain: {temperature: false}}}";
    let catalog = Arc::new(Catalog::default().with_user_rows(rows).unwrap());
    let adapt = Adapt::new(Arc::new(vendor.clone()), ProviderKind::OpenAi, catalog, Arc::new(FixedClock::at(0)));
    let (warnings, _) = answer(&adapt, request(0)).await;
    assert!(warnings[0].starts_with("`plain` takes no temperature"), "{warnings:?}");
    assert_eq!((vendor.asked()[0].temperature, &vendor.asked()[0].model), (None, &None));
}

#[tokio::test]
async fn a_model_that_is_gone_is_named_from_its_last_day_on_and_asked_all_the_same() {
    let (_, warnings) = sent(asking("gone", None, None)).await;
    assert_eq!(warnings, ["`gone` was shut down by its vendor on 2026-11-21; name another model"]);
    let (_, warnings) = sent(asking("going", None, None)).await;
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[tokio::test]
async fn a_refused_parameter_is_left_out_at_once_and_from_then_on() {
    let vendor = Vendor::refusing(&["temperature"]);
    let adapt = adapt(&vendor);
    let (first, end) = answer(&adapt, asking("new", Some(0.7), Some(100))).await;
    assert_eq!((end.unwrap().retries, vendor.asked().len()), (0, 2));
    let (second, end) = answer(&adapt, asking("new", Some(0.7), Some(100))).await;
    assert!(end.is_ok());
    assert_eq!(vendor.asked().len(), 3, "the refusal is remembered");
    assert_eq!(first, ["`new` refuses temperature 0.7; it was left out"]);
    assert_eq!(first, second, "the same words, so that a run says them once");
    assert!(vendor.asked()[1..].iter().all(|asked| asked.temperature.is_none() && asked.max_tokens == Some(100)));
    answer(&adapt, asking("other", Some(0.7), None)).await.1.unwrap();
    assert_eq!(vendor.asked()[3].temperature, Some(0.7), "another model has refused nothing yet");
}

#[tokio::test]
async fn each_parameter_is_left_out_once_so_three_refusals_are_the_most() {
    let vendor = Vendor::refusing(&["response_schema", "max_tokens", "temperature"]);
    let wanted = ChatRequest { response_schema: Some(json!({"type": "object"})), ..asking("new", Some(0.7), Some(9)) };
    let (warnings, end) = answer(&adapt(&vendor), wanted).await;
    assert!(end.is_ok());
    assert_eq!((vendor.asked().len(), warnings.len()), (4, 3));
    let last = vendor.asked().pop().unwrap();
    assert_eq!((last.temperature, last.max_tokens, last.response_schema), (None, None, None));
}

#[tokio::test]
async fn a_refused_schema_is_told_in_words_once() {
    let schema = json!({"type": "object", "required": ["verdict"]});
    for with_system in [true, false] {
        let vendor = Vendor::refusing(&["response_schema"]);
        let adapt = adapt(&vendor);
        let mut wanted = ChatRequest { response_schema: Some(schema.clone()), ..asking("new", None, None) };
        if !with_system {
            wanted.messages.retain(|message| message.role != Role::System);
        }
        for _ in 0..2 {
            answer(&adapt, wanted.clone()).await.1.unwrap();
        }
        for asked in &vendor.asked()[1..] {
            let systems: Vec<&Message> = asked.messages.iter().filter(|message| message.role == Role::System).collect();
            assert_eq!((systems.len(), asked.messages[0].role), (1, Role::System));
            assert_eq!(systems[0].content.matches(&schema.to_string()).count(), 1, "{}", systems[0].content);
            assert_eq!(systems[0].content.starts_with("be brief"), with_system);
            assert_eq!(asked.response_schema, None);
        }
    }
}

#[tokio::test]
async fn a_number_that_was_fitted_and_then_refused_is_named_as_it_was_wanted() {
    let vendor = Vendor::refusing(&["max_tokens", "temperature"]);
    let adapt = adapt(&vendor);
    for _ in 0..2 {
        let (warnings, end) = answer(&adapt, asking("warm", Some(1.5), Some(200))).await;
        assert!(end.is_ok());
        assert!(warnings.contains(&"`warm` refuses temperature 1.5; it was left out".to_owned()), "{warnings:?}");
        assert!(warnings.contains(&"`warm` refuses max_tokens 200; it was left out".to_owned()), "{warnings:?}");
    }
    assert_eq!(vendor.asked().len(), 4);
}

#[tokio::test]
async fn an_error_that_leaving_out_cannot_mend_is_passed_on() {
    for (refused, temperature, asked) in [
        // It is not in the request, so it cannot be the cause.
        ("temperature", None, 1),
        ("temperature", Some(0.7), 2),
        // Not a parameter we can leave out.
        ("stop", Some(0.7), 1),
    ] {
        let refuses: &'static [&'static str] = if refused == "stop" { &["stop"] } else { &["temperature"] };
        let vendor = Vendor { is_stubborn: true, ..Vendor::refusing(refuses) };
        let (warnings, end) = answer(&adapt(&vendor), asking("new", temperature, Some(9))).await;
        assert_eq!(end.unwrap_err().refused_parameter, Some(refused));
        assert_eq!((vendor.asked().len(), warnings.len()), (asked, asked - 1));
    }
}

#[tokio::test]
async fn nothing_is_asked_again_once_text_was_shown() {
    let vendor = Vendor { after_text: true, ..Vendor::refusing(&["temperature"]) };
    let (_, end) = answer(&adapt(&vendor), asking("new", Some(0.7), None)).await;
    assert!(end.is_err());
    assert_eq!(vendor.asked().len(), 1);
}

#[tokio::test]
async fn an_answer_that_just_ends_is_an_error() {
    struct Mute;
    impl Provider for Mute {
        fn name(&self) -> &'static str {
            "mute"
        }
        fn default_model(&self) -> &'static str {
            "m"
        }
        fn stream(&self, _: ChatRequest) -> ChunkStream {
            Box::pin(futures_util::stream::empty())
        }
    }
    let catalog = Arc::new(Catalog::default());
    let adapt = Adapt::new(Arc::new(Mute), ProviderKind::OpenAi, catalog, Arc::new(FixedClock::at(0)));
    assert_eq!(answer(&adapt, request(0)).await.1.unwrap_err().failure, ProviderFailure::Unavailable);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_all_come_through_and_none_asks_more_than_twice() {
    let vendor = Vendor::refusing(&["temperature"]);
    let adapt = Arc::new(adapt(&vendor));
    let answers = (0..64).map(|_| {
        let adapt = Arc::clone(&adapt);
        tokio::spawn(async move { answer(&adapt, asking("new", Some(0.7), None)).await })
    });
    let answers = join_all(answers).await.into_iter().map(Result::unwrap);
    assert!(answers.into_iter().all(|(warnings, end)| end.is_ok() && warnings.len() == 1));
    assert!(vendor.asked().len() <= 128);
    answer(&adapt, asking("new", Some(0.7), None)).await.1.unwrap();
    assert_eq!(vendor.asked().last().unwrap().temperature, None);
}

#[tokio::test]
async fn a_dropped_answer_asks_nothing_further() {
    let vendor = Vendor::refusing(&["temperature"]);
    let adapt = adapt(&vendor);
    let mut stream = adapt.stream(asking("new", Some(0.7), None));
    assert!(matches!(stream.next().await, Some(Ok(Chunk::Warning(_)))));
    drop(stream);
    assert_eq!(vendor.asked().len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_sent_is_within_what_the_model_takes_and_changes_are_told(
        model in prop_oneof![Just("fixed"), Just("warm"), Just("plain")],
        temperature in proptest::option::of(0.0..=2.0_f64),
        max_tokens in proptest::option::of(1..=u32::MAX),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let wanted = asking(model, temperature, max_tokens);
        let (sent, warnings) = runtime.block_on(sent(wanted.clone()));
        let most = match model { "fixed" => 1000, "warm" => 3000, _ => u32::MAX };
        prop_assert!(sent.max_tokens.is_none_or(|tokens| tokens <= most && Some(tokens) >= max_tokens.min(Some(most))));
        prop_assert_eq!(sent.max_tokens.is_some(), max_tokens.is_some());
        let lost = [sent.temperature != temperature, sent.max_tokens < max_tokens];
        prop_assert_eq!(warnings.len(), lost.into_iter().filter(|lost| *lost).count());
        prop_assert_eq!(sent.messages, wanted.messages);
    }
}
