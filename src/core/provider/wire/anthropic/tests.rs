//! Exact requests, recorded and hand-written answers, and every kind of failure.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::provider::Role;
use crate::provider::wire::arbitrary_json::{any_json, survives};
use crate::provider::wire::messages::{embedding, failure, full_request, request, told};

fn wire() -> Anthropic {
    Anthropic::new("claude")
}

#[test]
fn a_request_says_all_it_is_given() {
    let call = wire().chat(&full_request(), "claude-sonnet-4-6");
    assert_eq!((call.method, call.path.as_str()), (Method::Post, "/v1/messages"));
    assert_eq!(
        call.body.unwrap(),
        json!({
            "model": "claude-sonnet-4-6",
            "max_tokens": 2000,
            "messages": [
                {"role": "user", "content": "Compare."},
                {"role": "assistant", "content": "A."},
                {"role": "user", "content": "Sure?"},
            ],
            "stream": true,
            "system": "Be brief.",
            "temperature": 0.7,
            "output_config": {"format": {"type": "json_schema", "schema": {
                "type": "object", "properties": {"winner": {"type": "string"}},
            }}},
        })
    );
}

#[test]
fn a_request_says_nothing_it_is_not_given_but_the_tokens_the_protocol_asks_for() {
    let call = wire().chat(&request(&[(Role::User, "hello")]), "claude-sonnet-5-5");
    assert_eq!(
        call.body.unwrap(),
        json!({
            "model": "claude-sonnet-5-5",
            "max_tokens": 8192,
            "messages": [{"role": "user", "content": "hello"}],
            "stream": true,
        })
    );
}

#[test]
fn only_a_request_with_a_temperature_goes_to_the_version_that_takes_one() {
    let mut asked = request(&[(Role::User, "hello")]);
    assert_eq!(wire().chat(&asked, "m").headers, [("anthropic-version", "2026-10-21".to_owned())]);
    asked.temperature = Some(0.0);
    assert_eq!(wire().chat(&asked, "m").headers, [("anthropic-version", "2023-06-01".to_owned())]);
}

#[test]
fn recorded_answers_are_read() {
    assert_eq!(
        told(&wire(), "anthropic/text.sse"),
        [
            "model: claude-haiku-4-5",
            "text: A default answer, long enough to be split over several stream chunks: alpha beta gamma delta — \
             ünïcödé ✓ 日本語.",
            "end",
        ]
    );
    assert_eq!(
        told(&wire(), "anthropic/reasoning.sse"),
        [
            "model: claude-sonnet-5-5",
            "thinking: The user wants the a",
            "thinking: nswer to everything.",
            "thinking:  It is a well-known ",
            "thinking: number.",
            "text: Forty-two.",
            "end",
        ]
    );
    assert_eq!(
        told(&wire(), "anthropic/usage.sse"),
        [
            "model: claude-sonnet-5-5",
            "usage: 123 in (? cached, ? written), 45 out",
            "text: Usage is attached.",
            "usage: 123 in (? cached, ? written), 45 out",
            "end",
        ]
    );
}

#[test]
fn the_answer_is_the_text_alone_and_the_last_counts_hold() {
    assert_eq!(
        told(&wire(), "anthropic/everything.sse"),
        [
            "model: claude-opus-5-5",
            "usage: 1125 in (1000 cached, 100 written), 1 out",
            "alive",
            "thinking: Where are the essentials? 考え中",
            "text: First blocked, dann weiter…",
            "usage: 1130 in (1000 cached, 100 written), 340 out",
            "end",
        ]
    );
}

#[test]
fn a_proxy_without_names_of_events_and_counts_at_first_is_read() {
    assert_eq!(
        told(&wire(), "anthropic/proxy.sse"),
        ["model: local", "text: Good day", "usage: 7 in (? cached, ? written), 2 out", "end"]
    );
}

#[test]
fn an_answer_cut_at_its_limit_says_so() {
    let lines = told(&wire(), "anthropic/truncated.sse");
    assert_eq!(lines[2..], ["text: One, two,", "usage: 12 in (? cached, ? written), 5 out", "truncated", "end"]);
}

#[test]
fn a_refusal_is_told_after_what_it_took() {
    assert_eq!(
        told(&wire(), "anthropic/refusal.sse")[2..],
        [
            "text: To begin",
            "usage: 40 in (? cached, ? written), 3 out",
            "Refused: the model declined to answer: (cyber) This request could enable cyber harm; rephrase the input",
        ]
    );
}

#[test]
fn a_stream_that_just_ends_is_cut() {
    assert_eq!(
        told(&wire(), "anthropic/cut.sse"),
        ["model: claude-sonnet-5-5", "Unavailable: the answer ended before it was complete"]
    );
}

#[test]
fn an_error_in_the_middle_of_a_stream_is_told_with_its_status() {
    assert_eq!(
        told(&wire(), "anthropic/overloaded.sse").last().unwrap(),
        "RateLimited 529: it is overloaded: Overloaded; try again later, or name a `fallback` for the phase"
    );
}

#[test]
fn failures_are_told_apart_by_their_type() {
    use ProviderFailure as F;
    for (status, kind, message, expected) in [
        (401, "authentication_error", "invalid x-api-key", F::Auth),
        (403, "permission_error", "Your API key does not have permission", F::Auth),
        (402, "billing_error", "There's an issue with your billing", F::QuotaExhausted),
        (
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API.",
            F::QuotaExhausted,
        ),
        (404, "not_found_error", "model: some-model", F::Rejected),
        (413, "request_too_large", "Request exceeds the maximum size", F::Rejected),
        (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", F::Rejected),
        (400, "invalid_request_error", "messages: at least one message is required", F::Rejected),
        (429, "rate_limit_error", "This request would exceed your rate limit", F::RateLimited),
        (529, "overloaded_error", "Overloaded", F::RateLimited),
        (500, "api_error", "Internal server error", F::Unavailable),
        (504, "timeout_error", "The request timed out", F::Unavailable),
        (503, "error_of_tomorrow", "?", F::Unavailable),
    ] {
        let body = json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"});
        let error = failure(&wire(), status, &[], &body.to_string());
        assert_eq!((error.failure, error.upstream_status), (expected, Some(status)), "{kind}: {}", error.message);
        assert_eq!(error.refused_parameter, None, "{message}");
        let is_retried = matches!(expected, F::RateLimited | F::Unavailable);
        assert_eq!(error.is_retryable(), is_retried, "{kind}");
    }
}

#[test]
fn a_failure_says_what_to_do() {
    let body = json!({"type": "error", "error": {"type": "not_found_error", "message": "model: some-model"}});
    let error = failure(&wire(), 404, &[], &body.to_string());
    assert!(error.message.contains("it has no model `some-model`"), "{}", error.message);
    let body =
        json!({"error": {"type": "invalid_request_error", "message": "prompt is too long: 9 tokens > 8 maximum"}});
    let error = failure(&wire(), 400, &[], &body.to_string());
    assert!(error.message.contains("longer than the model's context"), "{}", error.message);
}

#[test]
fn a_rate_limit_tells_how_long_and_a_spent_quota_does_not_wait() {
    let limited = |code| {
        let body = json!({"error": {"type": "rate_limit_error", "message": "x", "details": {"error_code": code}}});
        failure(&wire(), 429, &[("retry-after", "7")], &body.to_string())
    };
    for code in ["", "ramp_limit_exceeded"] {
        let error = limited(code);
        assert_eq!((error.failure, error.retry_after), (ProviderFailure::RateLimited, Some(Duration::from_secs(7))));
    }
    for code in ["contract_spend_limit_reached", "enforced_spend_limit_reached"] {
        let error = limited(code);
        assert_eq!((error.failure, error.is_retryable()), (ProviderFailure::QuotaExhausted, false));
    }
}

#[test]
fn a_refused_parameter_is_named() {
    for (message, parameter) in [
        ("temperature: Extra inputs are not permitted", Some("temperature")),
        ("`temperature` is deprecated for this model.", Some("temperature")),
        ("`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.", Some("temperature")),
        ("Unsupported parameter: 'temperature'", Some("temperature")),
        ("max_tokens: 200000 > 128000, which is the maximum allowed number of output tokens", Some("max_tokens")),
        ("input length and `max_tokens` exceed context limit: 1 + 2 > 3, decrease them", None),
        ("output_config: Extra inputs are not permitted", Some("response_schema")),
        (
            "output_config.format.schema: For 'object' type, 'additionalProperties' must be false",
            Some("response_schema"),
        ),
        ("anthropic-version: \"2023-06-01\" is not a valid version", Some("temperature")),
        ("anthropic-version: \"2026-10-21\" is not a valid version", None),
        ("messages.0.content: Field required", None),
    ] {
        let body = json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}});
        let error = failure(&wire(), 400, &[], &body.to_string());
        assert_eq!((error.failure, error.refused_parameter), (ProviderFailure::Rejected, parameter), "{message}");
        assert_eq!(error.message.contains("`headers`"), message.starts_with("anthropic-version"), "{}", error.message);
    }
}

#[test]
fn a_body_of_another_kind_is_told_by_its_status() {
    let error = failure(&wire(), 502, &[], "<html><head><title>502 Bad Gateway</title></head></html>");
    assert_eq!((error.failure, error.upstream_status), (ProviderFailure::Unavailable, Some(502)));
    assert!(error.message.contains("502 Bad Gateway"), "{}", error.message);
    assert_eq!(failure(&wire(), 401, &[], "{}").failure, ProviderFailure::Auth);
    assert_eq!(failure(&wire(), 200, &[], "{\"type\":\"message\"}").failure, ProviderFailure::Unavailable);
}

#[test]
fn models_come_in_pages() {
    let call = wire().models(None);
    assert_eq!((call.method, call.path.as_str(), call.body), (Method::Get, "/v1/models?limit=1000", None));
    assert_eq!(call.headers, [("anthropic-version", "2026-10-21".to_owned())]);
    assert_eq!(wire().models(Some("a&b")).path, "/v1/models?limit=1000&after_id=a%26b");

    let page = json!({"data": [{"type": "model", "id": "a"}, {"id": "b"}, {}], "has_more": true, "last_id": "b"});
    let read = wire().read_models(page.to_string().as_bytes()).unwrap();
    assert_eq!((read.models, read.next), (vec!["a".to_owned(), "b".to_owned()], Some("b".to_owned())));
    let last = json!({"data": [], "has_more": false, "first_id": null, "last_id": "b"});
    assert_eq!(wire().read_models(last.to_string().as_bytes()).unwrap(), ModelPage::default());
    assert_eq!(wire().read_models(b"{}").unwrap_err().failure, ProviderFailure::Unavailable);
}

#[test]
fn it_does_not_embed() {
    let texts = ["a".to_owned()];
    let request = embedding("m", &texts, crate::provider::embedding::Purpose::Query);
    assert_eq!(wire().embeddings(&request), None);
    assert_eq!(wire().read_embeddings(b"{}").unwrap_err().failure, ProviderFailure::Rejected);
}

proptest! {
    #[test]
    fn any_json_is_read_or_refused(values in prop::collection::vec(any_json(), 1..5), status in 300..600_u16) {
        survives(&wire(), &values, status);
    }
}
