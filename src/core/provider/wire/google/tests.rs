//! Exact requests, recorded and hand-written answers, and every kind of failure.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::error::ProviderFailure as F;
use crate::provider::Role;
use crate::provider::wire::arbitrary_json::{any_json, survives};
use crate::provider::wire::messages::{embedding, failure, full_request, request, told};

fn wire() -> Google {
    Google::new("gemini")
}

#[test]
fn a_request_says_all_it_is_given() {
    let call = wire().chat(&full_request(), "gemini-2.5-flash");
    assert_eq!(call.method, Method::Post);
    assert_eq!(call.path, "/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
    assert_eq!(
        call.body.unwrap(),
        json!({
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "Compare."}]},
                {"role": "model", "parts": [{"text": "A."}]},
                {"role": "user", "parts": [{"text": "Sure?"}]},
            ],
            "generationConfig": {
                "temperature": 0.7,
                "maxOutputTokens": 2000,
                "responseMimeType": "application/json",
                "responseJsonSchema": {"type": "object", "properties": {"winner": {"type": "string"}}},
            },
        })
    );
}

#[test]
fn a_request_says_nothing_it_is_not_given() {
    let call = wire().chat(&request(&[(Role::User, "hello")]), "gemini-3.8-flash");
    assert_eq!(call.headers, []);
    assert_eq!(call.body.unwrap(), json!({"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}));
}

#[test]
fn a_model_is_named_with_or_without_its_collection_and_never_leaves_the_path() {
    for (model, place) in [
        ("gemini-2.5-pro", "/models/gemini-2.5-pro:"),
        ("models/gemini-2.5-pro", "/models/gemini-2.5-pro:"),
        ("tunedModels/mine-1", "/tunedModels/mine-1:"),
        ("a/../b?key=c#d e", "/models/a%2F..%2Fb%3Fkey%3Dc%23d%20e:"),
    ] {
        let call = wire().chat(&request(&[(Role::User, "x")]), model);
        assert_eq!(call.path, format!("{place}streamGenerateContent?alt=sse"));
    }
}

#[test]
fn recorded_answers_are_read() {
    assert_eq!(
        told(&wire(), "google/text.sse"),
        [
            "text: A default answer, long enough to be split over several stream chunks: alpha beta gamma delta — \
             ünïcödé ✓ 日本語.",
            "end",
        ]
    );
    assert_eq!(
        told(&wire(), "google/reasoning.sse"),
        [
            "thinking: The user wants the a",
            "thinking: nswer to everything.",
            "thinking:  It is a well-known ",
            "thinking: number.",
            "text: Forty-two.",
            "end",
        ]
    );
    assert_eq!(
        told(&wire(), "google/usage.sse"),
        ["text: Usage is attached.", "usage: 123 in (? cached, ? written), 45 out", "end"]
    );
}

#[test]
fn thoughts_are_no_answer_but_paid_for_and_usage_may_come_last() {
    assert_eq!(
        told(&wire(), "google/everything.sse"),
        [
            "model: gemini-3.8-flash-001",
            "thinking: What is asked for?",
            "usage: 20 in (8 cached, ? written), 40 out",
            "alive",
            "alive",
            "text: First, zweitens…",
            "usage: 20 in (8 cached, ? written), 43 out",
            "text:  三",
            "usage: 20 in (8 cached, ? written), 49 out",
            "end",
        ]
    );
}

#[test]
fn an_answer_cut_at_its_limit_says_so() {
    assert_eq!(
        told(&wire(), "google/truncated.sse"),
        [
            "model: gemini-2.5-flash",
            "text: One, two,",
            "usage: 9 in (? cached, ? written), 104 out",
            "truncated",
            "end",
        ]
    );
}

#[test]
fn a_refusal_is_told_after_what_it_took() {
    assert_eq!(
        told(&wire(), "google/safety.sse")[1..],
        [
            "text: To begin",
            "usage: 9 in (? cached, ? written), 2 out",
            "Refused: the model declined to answer: SAFETY, Flagged as dangerous; rephrase the input",
        ]
    );
    assert_eq!(
        told(&wire(), "google/blocked.sse")[1..],
        [
            "usage: 9 in (? cached, ? written), ? out",
            "Refused: the model declined to answer: PROHIBITED_CONTENT; rephrase the input",
        ]
    );
}

#[test]
fn every_reason_to_stop_ends_in_its_own_way() {
    for (reason, expected) in [
        ("STOP", None),
        ("MAX_TOKENS", None),
        ("CONTINUATION", None),
        ("FINISH_REASON_UNSPECIFIED", Some(F::Unavailable)),
        ("RECITATION", Some(F::Refused)),
        ("LANGUAGE", Some(F::Refused)),
        ("BLOCKLIST", Some(F::Refused)),
        ("PROHIBITED_CONTENT", Some(F::Refused)),
        ("SPII", Some(F::Refused)),
        ("IMAGE_SAFETY", Some(F::Refused)),
        ("PUP_LIMITED_DISABLED", Some(F::Auth)),
        ("OTHER", Some(F::Unavailable)),
        ("MALFORMED_RESPONSE", Some(F::Unavailable)),
        ("MALFORMED_FUNCTION_CALL", Some(F::Unavailable)),
        ("REASON_OF_TOMORROW", Some(F::Unavailable)),
    ] {
        let mut reader = wire().reader();
        let data = json!({"candidates": [{"content": {"parts": [{"text": "x"}]}, "finishReason": reason}]});
        let frame = crate::provider::frame::Frame::Data { event: String::new(), data: data.to_string() };
        let pieces = reader.read(&frame).unwrap();
        assert_eq!(pieces[0], super::super::Piece::Text("x".into()));
        assert_eq!(pieces.len() == 2, matches!(reason, "MAX_TOKENS" | "CONTINUATION"), "{reason}");
        assert_eq!(reader.at_end().err().map(|error| error.failure), expected, "{reason}");
    }
}

#[test]
fn a_stream_that_just_ends_is_cut() {
    assert_eq!(
        told(&wire(), "google/cut.sse"),
        ["text: This answer ", "Unavailable: the answer ended before it was complete"]
    );
}

#[test]
fn an_error_in_the_middle_of_a_stream_is_told_with_its_status_also_from_a_list() {
    assert_eq!(
        told(&wire(), "google/error.sse").last().unwrap(),
        "Unavailable 503: it failed: The model is overloaded. Please try again later; try again later, or name a \
         `fallback` for the phase"
    );
    let line = told(&wire(), "google/error-in-a-list.sse").pop().unwrap();
    assert!(line.starts_with("RateLimited 429 after 1.5s: too many requests: You exceeded"), "{line}");
}

fn error_of(code: u16, status: &str, message: &str, details: &Value) -> ProviderError {
    let body = json!({"error": {"code": code, "message": message, "status": status, "details": details}});
    failure(&wire(), code, &[], &body.to_string())
}

#[test]
fn failures_are_told_apart_by_their_status_in_words() {
    let bad_key = json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]);
    for (code, status, message, details, expected) in [
        (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", json!(null), F::Auth),
        (400, "INVALID_ARGUMENT", "Request refused.", bad_key, F::Auth),
        (403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers", json!(null), F::Auth),
        (403, "PERMISSION_DENIED", "Generative Language API has not been used in project 1", json!(null), F::Auth),
        (401, "UNAUTHENTICATED", "Request had invalid authentication credentials.", json!([]), F::Auth),
        (404, "NOT_FOUND", "models/x is not found for API version v1", json!(null), F::Rejected),
        (
            400,
            "INVALID_ARGUMENT",
            "The input token count (9) exceeds the maximum number of tokens allowed (8).",
            json!(null),
            F::Rejected,
        ),
        (400, "FAILED_PRECONDITION", "User location is not supported for the API use.", json!(null), F::Rejected),
        (429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).", json!(null), F::RateLimited),
        (429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.", json!([]), F::QuotaExhausted),
        (500, "INTERNAL", "An internal error has occurred.", json!(null), F::Unavailable),
        (503, "UNAVAILABLE", "The model is overloaded.", json!(null), F::Unavailable),
        (504, "DEADLINE_EXCEEDED", "Deadline expired.", json!(null), F::Unavailable),
        (529, "UNKNOWN", "Overloaded", json!(null), F::RateLimited),
    ] {
        let error = error_of(code, status, message, &details);
        assert_eq!((error.failure, error.upstream_status), (expected, Some(code)), "{message}");
        assert_eq!(error.refused_parameter, None, "{message}");
    }
}

#[test]
fn a_failure_says_what_to_do() {
    let error = error_of(404, "NOT_FOUND", "models/x is not found", &json!(null));
    assert!(error.message.contains("it has no model `some-model`"), "{}", error.message);
    let error = error_of(400, "INVALID_ARGUMENT", "Unknown name \"systemInstruction\": Cannot find field.", &json!([]));
    assert!(error.message.contains("`…/v1` or `…/v1beta`"), "{}", error.message);
}

#[test]
fn a_limit_is_waited_for_and_the_quota_of_the_day_is_not() {
    let quota = |id: &str| {
        json!({"@type": "type.googleapis.com/google.rpc.QuotaFailure",
               "violations": [{"quotaMetric": "generativelanguage.googleapis.com/x", "quotaId": id}]})
    };
    let retry = |delay: &str| json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay});
    let (minute, day) = ("GenerateRequestsPerMinutePerProject", "GenerateRequestsPerDayPerProjectPerModel-FreeTier");
    for (details, expected, wait_ms) in [
        (json!([retry("34s")]), F::RateLimited, Some(34_000)),
        (json!([quota(minute), retry("1.5s")]), F::RateLimited, Some(1_500)),
        (json!([quota(day), retry("47s")]), F::RateLimited, Some(47_000)),
        (json!([quota(minute)]), F::RateLimited, None),
        (json!([quota(minute), quota(day)]), F::QuotaExhausted, None),
        (json!([retry("soon")]), F::RateLimited, None),
        (json!([]), F::RateLimited, None),
    ] {
        let error = error_of(429, "RESOURCE_EXHAUSTED", "Too much", &details);
        let wait = wait_ms.map(Duration::from_millis);
        assert_eq!((error.failure, error.retry_after), (expected, wait), "{details}");
    }
    let said = "You exceeded your current quota, please check your plan and billing details.";
    for (details, expected) in [
        (json!([quota(minute)]), F::RateLimited),
        (json!([quota(day)]), F::QuotaExhausted),
        (json!([]), F::QuotaExhausted),
    ] {
        assert_eq!(error_of(429, "RESOURCE_EXHAUSTED", said, &details).failure, expected, "{details}");
    }
}

#[test]
fn a_refused_parameter_is_named_in_the_message_or_in_the_details() {
    for (message, parameter) in [
        ("Unsupported parameter: 'temperature'", Some("temperature")),
        ("Unknown name \"responseJsonSchema\" at 'generation_config': Cannot find field.", Some("response_schema")),
        ("JSON mode is not enabled for this model", Some("response_schema")),
        ("Unable to submit request because it has a maxOutputTokens value of 9", Some("max_tokens")),
        ("* GenerateContentRequest.generation_config.max_output_tokens: too large", Some("max_tokens")),
        ("* GenerateContentRequest.contents: contents is not specified", None),
    ] {
        let error = error_of(400, "INVALID_ARGUMENT", message, &json!(null));
        assert_eq!((error.failure, error.refused_parameter), (F::Rejected, parameter), "{message}");
    }
    let details = json!([{"@type": "type.googleapis.com/google.rpc.BadRequest",
                          "fieldViolations": [{"field": "generation_config.temperature", "description": "no"}]}]);
    assert_eq!(error_of(400, "INVALID_ARGUMENT", "No.", &details).refused_parameter, Some("temperature"));
}

#[test]
fn a_body_of_another_kind_is_told_by_its_status() {
    for (status, body, expected) in
        [(502, "Bad gateway", F::Unavailable), (401, "{}", F::Auth), (200, "[{\"candidates\":[]}]", F::Unavailable)]
    {
        let error = failure(&wire(), status, &[], body);
        assert_eq!((error.failure, error.upstream_status), (expected, Some(status)), "{body}");
    }
    let body = json!([{"error": {"code": 503, "message": "x", "status": "UNAVAILABLE"}}]).to_string();
    let error = failure(&wire(), 503, &[("retry-after", "3")], &body);
    assert_eq!((error.failure, error.retry_after), (F::Unavailable, Some(Duration::from_secs(3))));
}

#[test]
fn models_that_write_are_listed_in_pages() {
    let call = wire().models(None);
    assert_eq!((call.method, call.path.as_str(), call.body), (Method::Get, "/models?pageSize=1000", None));
    assert_eq!(wire().models(Some("a=&b")).path, "/models?pageSize=1000&pageToken=a%3D%26b");

    let page = json!({"models": [
        {"name": "models/gemini-3.8-flash", "supportedGenerationMethods": ["generateContent", "countTokens"]},
        {"name": "models/gemini-embedding-2", "supportedGenerationMethods": ["embedContent"]},
        {"name": "silent"},
    ], "nextPageToken": "next"});
    let read = wire().read_models(page.to_string().as_bytes()).unwrap();
    assert_eq!((read.models.join(" "), read.next), ("gemini-3.8-flash silent".to_owned(), Some("next".to_owned())));
    assert_eq!(wire().read_models(b"[]").unwrap_err().failure, F::Unavailable);
}

#[test]
fn every_text_is_a_request_of_its_own() {
    let texts = ["a".to_owned(), "b".to_owned()];
    let asked = EmbeddingRequest {
        dimensions: Some(768),
        ..embedding("models/gemini-embedding-001", &texts, Purpose::Document)
    };
    let call = wire().embeddings(&asked).unwrap();
    assert_eq!(call.path, "/models/gemini-embedding-001:batchEmbedContents");
    let one = |text: &str| {
        json!({"model": "models/gemini-embedding-001", "content": {"parts": [{"text": text}]},
               "taskType": "RETRIEVAL_DOCUMENT", "outputDimensionality": 768})
    };
    assert_eq!(call.body.unwrap(), json!({"requests": [one("a"), one("b")]}));
}

#[test]
fn what_a_text_is_for_is_told_in_the_way_of_its_model() {
    let texts = ["a".to_owned()];
    for (model, purpose, expected) in [
        (
            "gemini-embedding-001",
            Purpose::Query,
            json!({"content": {"parts": [{"text": "a"}]}, "taskType": "RETRIEVAL_QUERY"}),
        ),
        (
            "gemini-embedding-2",
            Purpose::Query,
            json!({"content": {"parts": [{"text": "task: search result | query: a"}]}}),
        ),
        (
            "gemini-embedding-2-preview",
            Purpose::Document,
            json!({"content": {"parts": [{"text": "title: none | text: a"}]}}),
        ),
    ] {
        let body = wire().embeddings(&embedding(model, &texts, purpose)).unwrap().body.unwrap();
        let mut one = body["requests"][0].clone();
        assert_eq!(one.as_object_mut().unwrap().remove("model").unwrap(), format!("models/{model}"));
        assert_eq!(one, expected, "{model}");
    }
}

#[test]
fn vectors_are_read_in_order() {
    let body = json!({"embeddings": [{"values": [0.5, 1]}, {"values": [-0.5, 0]}],
                      "usageMetadata": {"promptTokenCount": 3}});
    let answer = wire().read_embeddings(body.to_string().as_bytes()).unwrap();
    assert_eq!(answer.vectors, [[0.5, 1.0], [-0.5, 0.0]]);
    assert_eq!(answer.usage.input, Some(3));
    for broken in [
        json!({}),
        json!({"embeddings": [{"values": [0.5]}, {}]}),
        json!({"embeddings": [{"values": [0.5]}, {"values": [0.5, 1]}]}),
        json!({"embeddings": [{"values": [-1e300]}]}),
    ] {
        assert_eq!(wire().read_embeddings(broken.to_string().as_bytes()).unwrap_err().failure, F::Unavailable);
    }
}

proptest! {
    #[test]
    fn any_json_is_read_or_refused(values in prop::collection::vec(any_json(), 1..5), status in 300..600_u16) {
        survives(&wire(), &values, status);
    }
}
