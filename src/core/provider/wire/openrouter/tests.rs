//! What OpenRouter adds to OpenAI's chat.

use serde_json::json;

use super::super::testing::{failure, failure_with, fixture, pieces, plain_request, stream_error, text, thinking};
use super::super::{Method, Piece};
use super::*;
use crate::provider::embedding::Purpose;

fn codec() -> OpenRouter {
    OpenRouter::new("router")
}

fn costs(pieces: &[Piece]) -> Vec<f64> {
    pieces.iter().filter_map(|piece| if let Piece::Cost(cost) = piece { Some(*cost) } else { None }).collect()
}

#[test]
fn a_request_names_the_program_and_the_limit_by_its_new_name() {
    let request = ChatRequest { temperature: Some(0.5), max_tokens: Some(300), ..plain_request() };
    let call = codec().chat(&request, "meta-llama/llama-4-scout:free");
    assert_eq!((call.method, call.path.as_str()), (Method::Post, "/chat/completions"));
    assert_eq!(call.headers, [("x-openrouter-title", "aludel".to_owned())]);
    assert_eq!(
        call.body.unwrap(),
        json!({
            "model": "meta-llama/llama-4-scout:free",
            "messages": [{ "role": "system", "content": "Be brief." }, { "role": "user", "content": "Say “hi”." }],
            "stream": true,
            "temperature": 0.5,
            "max_completion_tokens": 300
        })
    );
}

#[test]
fn recorded_answers_are_read_with_their_comments() {
    let answer = pieces(&codec(), &fixture("openrouter/text.sse"));
    assert!(text(&answer).ends_with("ünïcödé ✓ 日本語."));
    assert_eq!(answer[..2], [Piece::Thinking(String::new()), Piece::Thinking(String::new())]);
    assert_eq!(costs(&answer), [0.0; 0], "no cost was told, so none is made up");
    let answer = pieces(&codec(), &fixture("openrouter/reasoning.sse"));
    assert_eq!(text(&answer), "Forty-two.");
    assert!(thinking(&answer).starts_with("The user wants"));
}

#[test]
fn the_cost_and_the_model_that_answered_are_told() {
    let answer = pieces(&codec(), &fixture("openrouter/cost.sse"));
    assert_eq!((text(&answer).as_str(), thinking(&answer).as_str()), ("Done.", "Let me see."));
    assert!(answer.contains(&Piece::Model("anthropic/claude-sonnet-5.5".into())));
    assert_eq!(costs(&answer), [0.00058]);
}

#[test]
fn a_cost_that_no_call_can_have_is_none() {
    for (cost, bill) in
        [(json!(-128), json!(null)), (json!(1), json!(-0.9)), (json!(-1), json!(2)), (json!(1e308), json!(1e308))]
    {
        let details = json!({ "upstream_inference_cost": bill });
        let usage = json!({ "prompt_tokens": 1, "completion_tokens": 1, "cost": cost, "is_byok": true, "cost_details": details });
        let stream = format!("data: {}\n\ndata: [DONE]\n\n", json!({ "choices": [], "usage": usage }));
        assert_eq!(costs(&pieces(&codec(), stream.as_bytes())), [0.0; 0], "{usage}");
    }
}

#[test]
fn with_the_users_own_key_the_vendors_bill_is_part_of_the_cost() {
    let chunk = |is_byok: bool| {
        let usage = json!({ "prompt_tokens": 1, "completion_tokens": 1, "cost": 0.5, "is_byok": is_byok, "cost_details": { "upstream_inference_cost": 10 } });
        format!("data: {}\n\ndata: [DONE]\n\n", json!({ "choices": [], "usage": usage }))
    };
    assert_eq!(costs(&pieces(&codec(), chunk(true).as_bytes())), [10.5]);
    assert_eq!(costs(&pieces(&codec(), chunk(false).as_bytes())), [0.5]);
}

#[test]
fn a_cut_or_broken_stream_is_no_answer() {
    for (name, words, status) in [
        ("cut", "before it was complete", None),
        ("error-in-stream", "Provider disconnected unexpectedly", Some(502)),
        ("error-reason", "cut off by an error", None),
    ] {
        let error = stream_error(&codec(), &fixture(&format!("openrouter/{name}.sse")));
        assert_eq!((error.failure, error.upstream_status), (ProviderFailure::Unavailable, status), "{name}");
        assert!(error.message.contains(words) && error.is_retryable(), "{error}");
    }
}

#[test]
fn recorded_failures_are_told_apart() {
    use ProviderFailure as F;
    for (name, status, kind, parameter) in [
        ("unauthorized", 401, F::Auth, None),
        ("rate-limited", 429, F::RateLimited, None),
        ("overloaded", 529, F::RateLimited, None),
        ("bad-request", 400, F::Rejected, Some("temperature")),
    ] {
        let error = failure(&codec(), status, &fixture(&format!("openrouter/{name}.json")));
        assert_eq!((error.failure, error.refused_parameter), (kind, parameter), "{name}");
    }
}

#[test]
fn failures_of_the_router_and_of_its_upstreams_are_told_apart() {
    use ProviderFailure as F;
    for (status, body, kind, words) in [
        (402, r#"{"error":{"code":402,"message":"Insufficient credits"}}"#, F::QuotaExhausted, "add credit"),
        (200, r#"{"error":{"code":402,"message":"Insufficient credits"}}"#, F::QuotaExhausted, "(status 402)"),
        (
            403,
            r#"{"error":{"code":403,"message":"Your input was flagged","metadata":{"reasons":["violence"],"flagged_input":"…"}}}"#,
            F::Refused,
            "Your input was flagged (violence); rephrase",
        ),
        (
            403,
            r#"{"error":{"code":403,"message":"m","metadata":{"error_type":"content_policy_violation"}}}"#,
            F::Refused,
            "rephrase",
        ),
        (
            403,
            r#"{"error":{"code":403,"message":"Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys"}}"#,
            F::QuotaExhausted,
            "Key limit exceeded",
        ),
        (
            403,
            r#"{"error":{"code":403,"message":"m","metadata":{"error_type":"permission_denied"}}}"#,
            F::Auth,
            "is allowed",
        ),
        (404, r#"{"error":{"code":404,"message":"No endpoints found for x."}}"#, F::Rejected, "no model `some-model`"),
        (400, r#"{"error":{"code":400,"message":"x is not a valid model ID"}}"#, F::Rejected, "no model `some-model`"),
        (
            400,
            r#"{"error":{"code":400,"message":"m","metadata":{"error_type":"context_length_exceeded"}}}"#,
            F::Rejected,
            "shorten",
        ),
        (
            408,
            r#"{"error":{"code":408,"message":"m","metadata":{"error_type":"timeout"}}}"#,
            F::Unavailable,
            "it timed out",
        ),
        (
            503,
            r#"{"error":{"code":503,"message":"m","metadata":{"error_type":"provider_overloaded"}}}"#,
            F::Unavailable,
            "it failed",
        ),
        (524, r#"{"error":{"code":524,"message":"m"}}"#, F::Unavailable, "it failed"),
        (
            429,
            r#"{"error":{"code":429,"message":"Provider returned error","metadata":{"raw":"x is temporarily rate-limited upstream","provider_name":"Chutes"}}}"#,
            F::RateLimited,
            "Chutes: x is temporarily rate-limited upstream",
        ),
        (
            429,
            r#"{"error":{"code":429,"message":"Rate limit exceeded: free-models-per-day."}}"#,
            F::QuotaExhausted,
            "free-models-per-day",
        ),
        (
            429,
            r#"{"error":{"code":429,"message":"m","metadata":{"limit_source":"openrouter_free_tier_daily","error_type":"rate_limit_exceeded"}}}"#,
            F::QuotaExhausted,
            "add credit",
        ),
    ] {
        let error = failure(&codec(), status, body.as_bytes());
        assert_eq!(error.failure, kind, "{body}");
        assert!(error.message.contains(words), "{body}\n{error}");
    }
}

#[test]
fn what_the_upstream_refused_is_found_in_its_own_body() {
    let raw = r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0.7","param":"temperature","code":"unsupported_value"}}"#;
    let metadata = json!({ "raw": raw, "provider_name": "OpenAI" });
    let body = json!({ "error": { "code": 400, "message": "Provider returned error", "metadata": metadata } });
    let error = failure(&codec(), 400, body.to_string().as_bytes());
    assert_eq!(error.refused_parameter, Some("temperature"));
    assert!(error.message.contains("Provider returned error, OpenAI: Unsupported value"), "{error}");
}

#[test]
fn the_limits_own_headers_tell_the_wait() {
    let headers =
        json!({ "X-RateLimit-Limit": "20", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795238975000" });
    let body = json!({ "error": { "code": 429, "message": "Rate limit exceeded: free-models-per-min.", "metadata": { "headers": headers } } });
    let body = body.to_string();
    let wait = |headers: &[(&str, &str)]| {
        failure_with(&codec(), 429, headers, body.as_bytes()).retry_after.map(|wait| wait.as_secs())
    };
    assert_eq!(wait(&[]), Some(10));
    assert_eq!(wait(&[("retry-after", "3")]), Some(3));
}

#[test]
fn models_are_listed_and_nothing_is_embedded() {
    let page = codec().read_models(&fixture("openrouter/models.json")).unwrap();
    assert_eq!((page.models[0].as_str(), page.next), ("openai/gpt-4o", None));
    let texts = ["a".to_owned()];
    let request = EmbeddingRequest { model: "m", texts: &texts, purpose: Purpose::Query, dimensions: None };
    assert_eq!(codec().embeddings(&request), None);
    assert_eq!(codec().read_embeddings(b"{}").unwrap_err().failure, ProviderFailure::Rejected);
}
