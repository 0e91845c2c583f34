//! Exact requests, recorded and hand-written answers, and every kind of failure.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::error::ProviderFailure as F;
use crate::provider::embedding::Purpose;
use crate::provider::wire::arbitrary_json::{any_json, survives};
use crate::provider::wire::messages::{embedding, failure, full_request, request, told};

fn wire() -> Ollama {
    Ollama::new("local")
}

#[test]
fn a_request_says_all_it_is_given() {
    let call = wire().chat(&full_request(), "qwen3:8b");
    assert_eq!((call.method, call.path.as_str()), (Method::Post, "/api/chat"));
    assert_eq!(
        call.body.unwrap(),
        json!({
            "model": "qwen3:8b",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Compare."},
                {"role": "assistant", "content": "A."},
                {"role": "user", "content": "Sure?"},
            ],
            "stream": true,
            "options": {"num_ctx": 4096, "temperature": 0.7, "num_predict": 2000},
            "format": {"type": "object", "properties": {"winner": {"type": "string"}}},
        })
    );
}

#[test]
fn a_request_says_nothing_it_is_not_given_but_the_context_it_needs() {
    let call = wire().chat(&request(&[(Role::User, "hello")]), "llama3.2");
    assert_eq!(
        call.body.unwrap(),
        json!({
            "model": "llama3.2",
            "messages": [{"role": "user", "content": "hello"}],
            "stream": true,
            "options": {"num_ctx": 4096},
        })
    );
}

#[test]
fn the_context_grows_with_the_prompt_and_with_the_answer() {
    let context_of = |words: usize, max_tokens| {
        let mut asked = request(&[(Role::User, &"word ".repeat(words))]);
        asked.max_tokens = max_tokens;
        context(&asked)
    };
    for (words, max_tokens, expected) in [
        (0, None, 4096),
        (1, Some(1), 4096),
        (1500, None, 4096),
        (1700, None, 8192),
        (1, Some(4096), 8192),
        (10_000, Some(2000), 16_384),
        (100, Some(1_000_000), 1 << 20),
    ] {
        assert_eq!(context_of(words, max_tokens), expected, "{words} words, {max_tokens:?} tokens");
    }
}

#[test]
fn recorded_answers_are_read() {
    assert_eq!(
        told(&wire(), "ollama/text.ndjson"),
        [
            "model: qwen3:8b",
            "text: A default answer, long enough to be split over several stream chunks: alpha beta gamma delta — \
             ünïcödé ✓ 日本語.",
            "end",
        ]
    );
}

#[test]
fn thoughts_are_no_answer_and_the_last_line_counts_tokens() {
    assert_eq!(
        told(&wire(), "ollama/everything.ndjson"),
        [
            "model: qwen3:8b",
            "thinking: What is asked",
            "thinking:  for? 考え中",
            "alive",
            "text: First, zweitens… 三",
            "usage: 26 in (? cached, ? written), 282 out",
            "end",
        ]
    );
}

#[test]
fn a_last_line_may_hold_text_and_lack_the_tokens_of_a_cached_prompt() {
    assert_eq!(
        told(&wire(), "ollama/truncated.ndjson"),
        ["model: llama3.2", "text: One, two, three", "usage: ? in (? cached, ? written), 5 out", "truncated", "end"]
    );
    assert_eq!(
        told(&wire(), "ollama/no-line-end.ndjson"),
        ["model: llama3.2", "text: One", "usage: ? in (? cached, ? written), 1 out", "end"]
    );
}

#[test]
fn a_stream_that_just_ends_is_cut() {
    assert_eq!(
        told(&wire(), "ollama/cut.ndjson"),
        ["model: qwen3:8b", "text: This answer ", "Unavailable: the answer ended before it was complete"]
    );
}

#[test]
fn an_error_in_the_middle_of_a_stream_is_told() {
    assert_eq!(
        told(&wire(), "ollama/error.ndjson")[2..],
        ["Unavailable: it failed: an error was encountered while running the model: unexpected EOF; try again later, \
          or name a `fallback` for the phase"]
    );
}

#[test]
fn a_model_that_was_only_loaded_gave_no_answer() {
    assert_eq!(
        told(&wire(), "ollama/loaded.ndjson"),
        ["Unavailable: it failed: the model is to load, and nothing else; try again later, or name a `fallback` for \
          the phase"]
    );
}

#[test]
fn failures_are_told_apart_by_their_status_and_their_words() {
    for (status, message, expected) in [
        (401, "unauthorized", F::Auth),
        (402, "payment required", F::QuotaExhausted),
        (403, "this model requires a subscription", F::Auth),
        (404, "model 'some-model' not found", F::Rejected),
        (404, "model \"some-model\" not found, try pulling it first", F::Rejected),
        (400, "\"some-model\" does not support chat", F::Rejected),
        (400, "the input length exceeds the context length", F::Rejected),
        (413, "request entity too large", F::Rejected),
        (429, "too many concurrent requests", F::RateLimited),
        (429, "you (someone) have reached your weekly usage limit, upgrade for higher limits", F::QuotaExhausted),
        (500, "llama runner process has terminated: signal: killed", F::Unavailable),
        (500, "model requires more system memory (9.0 GiB) than is available (7.5 GiB)", F::Rejected),
        (502, "upstream error", F::Unavailable),
        (503, "server busy, please try again. maximum pending requests exceeded", F::Unavailable),
    ] {
        let error = failure(&wire(), status, &[("retry-after", "2")], &json!({"error": message}).to_string());
        assert_eq!((error.failure, error.upstream_status), (expected, Some(status)), "{message}");
        assert_eq!(error.refused_parameter, None, "{message}");
        let waits = matches!(expected, F::RateLimited | F::Unavailable);
        assert_eq!(error.retry_after, waits.then_some(Duration::from_secs(2)), "{message}");
    }
}

#[test]
fn a_missing_model_is_told_with_how_to_get_it() {
    let error = failure(&wire(), 404, &[], r#"{"error":"model 'some-model' not found"}"#);
    assert_eq!(
        error.message,
        "it has no model `some-model`; fetch it with `ollama pull some-model`, or name one it has (`aludel providers` \
         lists them)"
    );
}

#[test]
fn a_refused_parameter_is_named() {
    for (status, message, parameter) in [
        (400, "Unsupported parameter: 'temperature'", Some("temperature")),
        (400, "option \"num_predict\" must be of type integer", Some("max_tokens")),
        (400, "invalid format: \"xml\"; expected \"json\" or a JSON schema", Some("response_schema")),
        (500, "failed to load model vocabulary required for format", Some("response_schema")),
        (400, "invalid JSON schema in format", Some("response_schema")),
        (400, "model is required", None),
    ] {
        let error = failure(&wire(), status, &[], &json!({"error": message}).to_string());
        assert_eq!((error.failure, error.refused_parameter), (F::Rejected, parameter), "{message}");
    }
}

#[test]
fn a_body_of_another_kind_is_told_by_its_status() {
    for (status, body, expected) in
        [(404, "404 page not found", F::Rejected), (502, "<html></html>", F::Unavailable), (200, "{}", F::Unavailable)]
    {
        let error = failure(&wire(), status, &[], body);
        assert_eq!((error.failure, error.upstream_status), (expected, Some(status)), "{body}");
    }
    let error = failure(&wire(), 200, &[], r#"{"error":"it broke"}"#);
    assert!(error.message.starts_with("it failed (status 200): it broke;"), "{}", error.message);
    let behind_a_proxy = r#"{"error":{"message":"no such user","type":"auth"}}"#;
    assert_eq!(failure(&wire(), 401, &[], behind_a_proxy).failure, F::Auth);
}

#[test]
fn models_are_listed() {
    let call = wire().models(None);
    assert_eq!((call.method, call.path.as_str(), call.body), (Method::Get, "/api/tags", None));
    let list = json!({"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "size": 5}, {"name": "llama3.2:latest"}]});
    let read = wire().read_models(list.to_string().as_bytes()).unwrap();
    assert_eq!((read.models.join(" "), read.next), ("qwen3:8b llama3.2:latest".to_owned(), None));
    assert_eq!(wire().read_models(b"{}").unwrap_err().failure, F::Unavailable);
}

#[test]
fn texts_are_embedded_in_one_call() {
    let texts = ["a".to_owned(), "b".to_owned()];
    let asked = embedding("nomic-embed-text", &texts, Purpose::Query);
    let call = wire().embeddings(&asked).unwrap();
    assert_eq!((call.method, call.path.as_str()), (Method::Post, "/api/embed"));
    assert_eq!(call.body.unwrap(), json!({"model": "nomic-embed-text", "input": ["a", "b"], "truncate": true}));
    let call = wire().embeddings(&EmbeddingRequest { dimensions: Some(256), ..asked }).unwrap();
    assert_eq!(call.body.unwrap()["dimensions"], 256);
}

#[test]
fn vectors_are_read_in_order() {
    let body = json!({"model": "m", "embeddings": [[0.5, 1], [-0.5, 0]], "prompt_eval_count": 2});
    let answer = wire().read_embeddings(body.to_string().as_bytes()).unwrap();
    assert_eq!(answer.vectors, [[0.5, 1.0], [-0.5, 0.0]]);
    assert_eq!(answer.usage.input, Some(2));
    for broken in [
        json!({}),
        json!({"embeddings": [[0.5], []]}),
        json!({"embedding": [0.5]}),
        json!({"embeddings": [[0.5, 1], [0.5]]}),
        json!({"embeddings": [[1e300]]}),
    ] {
        assert_eq!(wire().read_embeddings(broken.to_string().as_bytes()).unwrap_err().failure, F::Unavailable);
    }
}

proptest! {
    #[test]
    fn any_json_is_read_or_refused(values in prop::collection::vec(any_json(), 1..5), status in 300..600_u16) {
        survives(&wire(), &values, status);
    }

    #[test]
    fn the_context_holds_the_prompt_and_the_answer(words in 0..5000_usize, max_tokens in 1..20_000_u32) {
        let mut asked = request(&[(Role::System, "Be brief."), (Role::User, &"Sätze, 文 ".repeat(words))]);
        asked.max_tokens = Some(max_tokens);
        let prompt: u64 = asked.messages.iter().map(|message| estimate(&message.content)).sum();
        prop_assert!(context(&asked) >= prompt + u64::from(max_tokens));
        prop_assert!(context(&asked).is_power_of_two());
    }
}
