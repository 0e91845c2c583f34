//! Exact requests, recorded answers at several splits, and every form of failure seen so far.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::testing::{
    failure, failure_with, fixture, pieces, plain_request, read, stream_error, text, thinking,
};
use super::super::{Piece, Wire};
use super::*;
use crate::error::ProviderFailure;
use crate::ledger::BilledTokens;
use crate::provider::embedding::Purpose;

fn vendor() -> OpenAi {
    OpenAi::new("work", true)
}

fn compatible() -> OpenAi {
    OpenAi::new("local", false)
}

fn body(codec: &OpenAi, request: &ChatRequest, model: &str) -> Value {
    let call = codec.chat(request, model);
    assert_eq!((call.method, call.path.as_str(), call.headers.len()), (Method::Post, "/chat/completions", 0));
    call.body.unwrap()
}

fn usage(pieces: &[Piece]) -> Vec<BilledTokens> {
    pieces.iter().filter_map(|piece| if let Piece::Usage(usage) = piece { Some(*usage) } else { None }).collect()
}

#[test]
fn a_request_holds_what_is_wanted_and_nothing_else() {
    let messages = json!([{ "role": "system", "content": "Be brief." }, { "role": "user", "content": "Say “hi”." }]);
    assert_eq!(
        body(&vendor(), &plain_request(), "gpt-6-luna"),
        json!({
            "model": "gpt-6-luna",
            "messages": messages,
            "stream": true,
            "stream_options": { "include_usage": true, "include_obfuscation": false }
        })
    );
    let schema = json!({
        "type": "object",
        "properties": { "reasons": { "type": "string" } },
        "required": ["reasons"],
        "additionalProperties": false
    });
    let request = ChatRequest {
        temperature: Some(0.7),
        max_tokens: Some(2000),
        response_schema: Some(schema.clone()),
        ..plain_request()
    };
    assert_eq!(
        body(&compatible(), &request, "qwen3:8b"),
        json!({
            "model": "qwen3:8b",
            "messages": messages,
            "stream": true,
            "stream_options": { "include_usage": true },
            "temperature": 0.7,
            "max_tokens": 2000,
            "response_format": {
                "type": "json_schema",
                "json_schema": { "name": "answer", "strict": true, "schema": schema }
            }
        })
    );
}

#[test]
fn the_limit_of_tokens_is_named_as_the_server_knows_it() {
    let request = ChatRequest { max_tokens: Some(9), ..plain_request() };
    for (codec, model, name) in [
        (vendor(), "gpt-6-luna", "max_completion_tokens"),
        (vendor(), "a-model-to-come", "max_completion_tokens"),
        (compatible(), "openai/gpt-6-sol", "max_completion_tokens"),
        (compatible(), "gpt-oss-20b", "max_tokens"),
        (compatible(), "llama-4-scout", "max_tokens"),
    ] {
        let body = body(&codec, &request, model);
        let names: Vec<&str> =
            body.as_object().unwrap().keys().map(String::as_str).filter(|key| key.starts_with("max_")).collect();
        assert_eq!((names, &body[name]), (vec![name], &json!(9)), "{model}");
    }
}

#[test]
fn a_schema_that_is_not_strict_is_not_called_so() {
    let request = ChatRequest {
        response_schema: Some(json!({ "type": "object", "properties": { "a": {} } })),
        ..plain_request()
    };
    assert_eq!(body(&vendor(), &request, "gpt-6-luna")["response_format"]["json_schema"]["strict"], false);
}

#[test]
fn a_recorded_answer_is_read_at_any_split() {
    let pieces = pieces(&vendor(), &fixture("openai/text.sse"));
    let expected = "A default answer, long enough to be split over several stream chunks: alpha beta gamma delta — ünïcödé ✓ 日本語.";
    assert_eq!(text(&pieces), expected);
    assert_eq!(thinking(&pieces), "");
    assert_eq!(pieces.iter().filter(|piece| matches!(piece, Piece::Model(_))).count(), 1);
    assert!(pieces.contains(&Piece::Model("gpt-6-luna".into())));
    assert_eq!(usage(&pieces), [BilledTokens { input: Some(2), output: Some(28), ..BilledTokens::default() }]);
}

#[test]
fn reasoning_is_kept_apart_from_the_answer() {
    let pieces = pieces(&vendor(), &fixture("openai/reasoning.sse"));
    assert_eq!(text(&pieces), "Forty-two.");
    assert_eq!(thinking(&pieces), "The user wants the answer to everything. It is a well-known number.");
}

#[test]
fn usage_is_told_with_its_details() {
    let told = usage(&pieces(&vendor(), &fixture("openai/usage.sse")));
    assert_eq!(told, [BilledTokens { input: Some(123), output: Some(45), ..BilledTokens::default() }]);
    let told = usage(&pieces(&vendor(), &fixture("openai/details.sse")));
    let expected =
        BilledTokens { input: Some(2006), cached_input: Some(1920), cache_write: Some(64), output: Some(300) };
    assert_eq!(told, [expected]);
}

#[test]
fn reasoning_that_only_the_total_counts_is_output_too() {
    let told = usage(&pieces(&compatible(), &fixture("openai/reasoning-apart.sse")));
    assert_eq!(told, [BilledTokens { input: Some(10), output: Some(101), ..BilledTokens::default() }]);
}

#[test]
fn compatible_servers_are_read_with_their_peculiarities() {
    let read = |name| pieces(&compatible(), &fixture(name));
    let llamacpp = read("openai/llamacpp.sse");
    assert_eq!((text(&llamacpp).as_str(), thinking(&llamacpp).as_str()), ("Grüße – 日本語 🙂", "Hm."));
    assert_eq!(usage(&llamacpp).len(), 1);
    let litellm = read("openai/litellm.sse");
    assert_eq!((text(&litellm).as_str(), usage(&litellm).len()), ("Hello", 1));
    let without_done = read("openai/no-done.sse");
    assert_eq!((text(&without_done).as_str(), usage(&without_done).len()), ("All of it.", 1));
}

#[test]
fn a_cut_stream_is_no_answer() {
    for name in ["openai/cut.sse", "openai/text.sse", "openai/usage.sse"] {
        let stream = fixture(name);
        let cut = String::from_utf8(stream).unwrap();
        let cut = cut
            .split("\"finish_reason\":\"stop\"")
            .next()
            .unwrap()
            .rsplit_once("data: ")
            .map_or(cut.as_str(), |(kept, _)| kept);
        let error = stream_error(&vendor(), cut.as_bytes());
        assert_eq!((error.failure, error.upstream_status), (ProviderFailure::Unavailable, None), "{name}");
        assert!(error.message.contains("before it was complete"), "{error}");
    }
}

#[test]
fn an_answer_cut_at_its_limit_says_so() {
    let pieces = pieces(&vendor(), &fixture("openai/length.sse"));
    assert_eq!(text(&pieces), "Once upon a");
    assert!(pieces.contains(&Piece::Truncated));
}

#[test]
fn a_refusal_is_told_in_its_words_after_what_it_used() {
    for (name, words) in
        [("openai/refusal.sse", "I'm sorry, I can't help with that"), ("openai/content-filter.sse", "content filter")]
    {
        let (pieces, error) = read(&vendor(), &fixture(name));
        let error = error.unwrap();
        assert_eq!(error.failure, ProviderFailure::Refused, "{name}");
        assert!(error.message.contains(words), "{error}");
        assert_eq!(usage(&pieces).len(), 1, "{name}");
    }
}

#[test]
fn an_error_or_garbage_in_the_stream_is_told() {
    let error = stream_error(&vendor(), &fixture("openai/error-in-stream.sse"));
    assert_eq!(error.failure, ProviderFailure::Unavailable);
    assert!(error.message.contains("The server had an error"), "{error}");
    let error = stream_error(&vendor(), &fixture("openai/garbage.sse"));
    assert_eq!(error.failure, ProviderFailure::Unavailable);
    assert!(error.message.contains("does not follow its protocol: upstream connect error"), "{error}");
}

#[test]
fn errors_in_a_stream_are_told_apart() {
    use ProviderFailure as F;
    for (chunk, failure, status) in [
        (r#"{"error":{"message":"m","type":"tokens","code":"rate_limit_exceeded"}}"#, F::RateLimited, None),
        (
            r#"{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}"#,
            F::QuotaExhausted,
            None,
        ),
        (r#"{"error":{"message":"m","type":"invalid_request_error","code":null}}"#, F::Rejected, None),
        (r#"{"error":{"message":"m","code":429}}"#, F::RateLimited, Some(429)),
        (r#"{"error":{"message":"m","code":"503"}}"#, F::Unavailable, Some(503)),
        (r#"{"error":"it broke"}"#, F::Unavailable, None),
        (r#"{"object":"error","message":"m","type":"BadRequestError","code":400}"#, F::Rejected, Some(400)),
        (
            r#"{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}"#,
            F::Rejected,
            Some(500),
        ),
    ] {
        let error = stream_error(&compatible(), format!("data: {chunk}\n\n").as_bytes());
        assert_eq!((error.failure, error.upstream_status), (failure, status), "{chunk}");
    }
    let error = stream_error(&compatible(), b"event: error\ndata: {\"reason\":\"no memory\"}\n\n");
    assert!(error.failure == F::Unavailable && error.message.contains("no memory"), "{error}");
}

#[test]
fn chunks_that_say_nothing_are_signs_of_life() {
    let stream = "data:\n\ndata: {\"type\":\"ping\"}\n\ndata: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}}],\"error\":null}\n\n: hi\n\ndata: [DONE]\n\n";
    let alive = || Piece::Thinking(String::new());
    assert_eq!(pieces(&compatible(), stream.as_bytes()), [alive(), alive(), alive(), alive(), Piece::End]);
}

#[test]
fn recorded_failures_are_told_apart() {
    use ProviderFailure as F;
    for (name, status, kind, parameter) in [
        ("unauthorized", 401, F::Auth, None),
        ("no-key", 401, F::Auth, None),
        ("rate-limited", 429, F::RateLimited, None),
        ("overloaded", 529, F::RateLimited, None),
        ("server-error", 500, F::Unavailable, None),
        ("bad-request", 400, F::Rejected, Some("temperature")),
        ("refused-temperature", 400, F::Rejected, Some("temperature")),
        ("refused-max-tokens", 400, F::Rejected, Some("max_tokens")),
    ] {
        let error = failure(&vendor(), status, &fixture(&format!("openai/{name}.json")));
        assert_eq!(
            (error.failure, error.refused_parameter, error.upstream_status),
            (kind, parameter, Some(status)),
            "{name}"
        );
        assert_eq!(error.provider, "work");
    }
}

#[test]
fn every_form_of_a_failure_is_understood() {
    use ProviderFailure as F;
    for (status, body, kind, words) in [
        (
            429,
            r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#,
            F::QuotaExhausted,
            "add credit",
        ),
        (
            429,
            r#"{"error":{"message":"m","type":"invalid_request_error","code":"credit_balance_exhausted"}}"#,
            F::QuotaExhausted,
            "add credit",
        ),
        (400, r#"{"error":{"message":"m","code":"billing_hard_limit_reached"}}"#, F::QuotaExhausted, "add credit"),
        (429, r#"{"error":{"message":"m","type":"requests","code":"slow_down"}}"#, F::RateLimited, "too many requests"),
        (
            503,
            r#"{"error":{"message":"m","type":"server_error","code":"server_is_overloaded"}}"#,
            F::Unavailable,
            "it failed",
        ),
        (
            404,
            r#"{"error":{"message":"The model `x` does not exist","type":"invalid_request_error","code":"model_not_found"}}"#,
            F::Rejected,
            "no model `some-model`",
        ),
        (400, r#"{"error":{"message":"Invalid model name passed in model=x"}}"#, F::Rejected, "no model `some-model`"),
        (
            400,
            r#"{"error":{"message":"m","code":"context_length_exceeded","param":"messages"}}"#,
            F::Rejected,
            "shorten",
        ),
        (
            400,
            r#"{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","param":null,"code":400}"#,
            F::Rejected,
            "shorten",
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_ctx":256}}"#,
            F::Rejected,
            "shorten",
        ),
        (
            400,
            r#"{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***ab."}"#,
            F::Auth,
            "check `providers.local.api_key`",
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]"#,
            F::Auth,
            "api_key",
        ),
        (
            400,
            r#"{"error":{"message":"Invalid prompt: your prompt was flagged as potentially violating our usage policy.","code":"invalid_prompt"}}"#,
            F::Refused,
            "rephrase",
        ),
        (422, r#"{"detail":[{"loc":["body","messages"],"msg":"field required"}]}"#, F::Rejected, "field required"),
        (404, r#"{"detail":"Not Found"}"#, F::Rejected, "no model `some-model` (status 404): Not Found"),
        (500, r#"{"error":{"code":500,"message":"boom","type":"server_error"}}"#, F::Unavailable, "boom"),
        (
            502,
            "<html><head><title>502 Bad Gateway</title></head></html>",
            F::Unavailable,
            "an HTML page, `502 Bad Gateway`",
        ),
        (500, "", F::Unavailable, "it failed (status 500); "),
        (503, "no healthy upstream", F::Unavailable, "no healthy upstream"),
        (
            200,
            "<html><title>Sign in</title></html>",
            F::Unavailable,
            "does not follow its protocol (status 200): an HTML page, `Sign in`",
        ),
        (200, r#"{"error":{"message":"m","code":429}}"#, F::RateLimited, "(status 429)"),
        (307, r#"{"error":{"message":"m","code":"invalid_api_key"}}"#, F::Unavailable, "redirects"),
        (400, "null", F::Rejected, "it rejected the request"),
        (400, r#"{"error":{}}"#, F::Rejected, "it rejected the request"),
    ] {
        let error = failure(&compatible(), status, body.as_bytes());
        assert_eq!(error.failure, kind, "{body}");
        assert!(error.message.contains(words), "{body}\n{error}");
        assert_eq!(error.refused_parameter, None, "{body}");
    }
}

#[test]
fn a_parameter_that_is_not_taken_is_named() {
    for (status, body, parameter) in [
        (
            400,
            r#"{"error":{"message":"m","param":"max_completion_tokens","code":"unsupported_parameter"}}"#,
            Some("max_tokens"),
        ),
        (
            400,
            r#"{"error":{"message":"m","param":"response_format.json_schema","code":"unsupported_value"}}"#,
            Some("response_schema"),
        ),
        (
            400,
            r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}"#,
            Some("max_tokens"),
        ),
        (
            400,
            r#"{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
            Some("response_schema"),
        ),
        (
            400,
            r#"{"error":{"message":"This model does not support response format `json_schema`.","type":"invalid_request_error","param":"response_format"}}"#,
            Some("response_schema"),
        ),
        (
            400,
            r#"{"code":"Client specified an invalid argument","error":"The response_format parameter is unsupported at the moment."}"#,
            Some("response_schema"),
        ),
        (
            422,
            r#"{"detail":[{"type":"extra_forbidden","loc":["body","temperature"],"msg":"Extra inputs are not permitted"}]}"#,
            Some("temperature"),
        ),
        (400, r#"{"error":{"message":"m","param":"stream_options","code":"unsupported_parameter"}}"#, None),
        (
            400,
            r#"{"error":{"message":"Invalid 'temperature': must be at most 2.","param":"temperature","code":"decimal_above_max_value"}}"#,
            None,
        ),
        (
            400,
            r#"{"error":{"message":"max_tokens is too large: 200000. This model supports at most 16384 completion tokens.","param":"max_tokens","code":null}}"#,
            None,
        ),
        (404, r#"{"error":{"message":"model does not exist; temperature unknown"}}"#, None),
        (500, r#"{"error":{"message":"Unsupported parameter: 'temperature'"}}"#, None),
    ] {
        let error = failure(&compatible(), status, body.as_bytes());
        assert_eq!(error.refused_parameter, parameter, "{body}");
    }
}

#[test]
fn waits_and_words_on_retries_come_from_the_headers() {
    let headers = [("retry-after", "2"), ("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "6m0s")];
    let error = failure_with(&vendor(), 429, &headers, &fixture("openai/rate-limited.json"));
    assert_eq!(error.retry_after.map(|wait| wait.as_secs()), Some(2));
    let error = failure_with(&vendor(), 500, &[("x-should-retry", "false")], &fixture("openai/server-error.json"));
    assert!(!error.is_retryable());
}

#[test]
fn no_key_is_repeated() {
    let key = "sk-proj-AbCdEfGh0123456789";
    let bodies = [
        format!(r#"{{"error":{{"message":"Incorrect API key provided: {key}.","code":"invalid_api_key"}}}}"#),
        format!(r#"{{"error":"{key}"}}"#),
        format!("bad key {key}"),
    ];
    for body in bodies {
        let error = failure(&vendor(), 401, body.as_bytes());
        assert!(!error.to_string().contains("AbCdEfGh"), "{error}");
    }
}

#[test]
fn models_are_listed_from_either_form() {
    let call = vendor().models(None);
    assert_eq!((call.method, call.path.as_str(), call.body), (Method::Get, "/models", None));
    let page = vendor().read_models(&fixture("openai/models.json")).unwrap();
    assert_eq!((page.models.len(), page.models[1].as_str(), page.next), (5, "gpt-4o", None));
    let page = compatible().read_models(br#"[{"id":"a"},{"id":"b"}]"#).unwrap();
    assert_eq!(page.models, ["a", "b"]);
    for garbage in [&b"<html>"[..], b"{}", b"", br#"{"data":{}}"#] {
        assert_eq!(vendor().read_models(garbage).unwrap_err().failure, ProviderFailure::Unavailable);
    }
}

#[test]
fn texts_are_embedded_in_one_call() {
    let texts = ["a".to_owned(), "b".to_owned()];
    let ask = |model, dimensions| {
        let request = EmbeddingRequest { model, texts: &texts, purpose: Purpose::Document, dimensions };
        let call = vendor().embeddings(&request).unwrap();
        assert_eq!((call.method, call.path.as_str()), (Method::Post, "/embeddings"));
        call.body.unwrap()
    };
    let plain = json!({ "model": "text-embedding-3-small", "input": ["a", "b"], "encoding_format": "float" });
    assert_eq!(ask("text-embedding-3-small", None), plain);
    assert_eq!(ask("text-embedding-3-large", Some(256))["dimensions"], 256);
    assert_eq!(ask("nomic-embed-text", Some(256)).get("dimensions"), None);
}

#[test]
fn vectors_come_in_the_order_of_the_texts() {
    let answer = vendor().read_embeddings(&fixture("openai/embeddings.json")).unwrap();
    assert_eq!((answer.vectors.len(), answer.vectors[0].len(), answer.usage.input), (2, 4, Some(0)));
    let mixed = br#"{"data":[{"index":1,"embedding":[2,0]},{"index":0,"embedding":[1,0.5]}]}"#;
    assert_eq!(compatible().read_embeddings(mixed).unwrap().vectors, [[1.0, 0.5], [2.0, 0.0]]);
    let unnumbered = br#"{"data":[{"embedding":[1]},{"embedding":[2]}],"usage":{"prompt_tokens":3}}"#;
    let answer = compatible().read_embeddings(unnumbered).unwrap();
    assert_eq!((answer.vectors, answer.usage.input), (vec![vec![1.0], vec![2.0]], Some(3)));
}

#[test]
fn vectors_that_are_none_are_garbage() {
    for garbage in [
        "",
        "{}",
        r#"{"data":[]}"#,
        r#"{"data":[{"index":0,"embedding":[]}]}"#,
        r#"{"data":[{"index":1,"embedding":[1]}]}"#,
        r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#,
        r#"{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}"#,
        r#"{"data":[{"index":0,"embedding":[1e300]}]}"#,
        r#"{"data":[{"index":0,"embedding":"AACAPw=="}]}"#,
    ] {
        let error = vendor().read_embeddings(garbage.as_bytes()).unwrap_err();
        assert_eq!(error.failure, ProviderFailure::Unavailable, "{garbage}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_damaged_answer_is_read_or_told_but_never_worse(
        name in prop::sample::select(vec!["openai/details.sse", "openai/refusal.sse", "openai/error-in-stream.sse", "openrouter/cost.sse"]),
        damage in prop::collection::vec((any::<usize>(), prop_oneof![any::<u8>(), prop::sample::select(b"{}[]\",:0\n".to_vec())]), 1..4),
    ) {
        let mut stream = fixture(name);
        for (place, byte) in damage {
            let place = place % stream.len();
            stream[place] = byte;
        }
        let (pieces, error) = read(&compatible(), &stream);
        prop_assert_eq!(error.is_none(), pieces.last() == Some(&Piece::End));
    }

    #[test]
    fn any_body_is_some_failure(status in 200..600_u16, body in "[\\[{]{0,2}\"(error|message|detail|code|metadata|raw)\": ?[\\[{]?\"?(error|x|400|null)?\"?[}\\]]{0,3}") {
        let error = failure(&compatible(), status, body.as_bytes());
        prop_assert!(error.message.contains("; "), "{}", error);
    }
}
