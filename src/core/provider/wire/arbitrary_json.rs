//! Arbitrary JSON for testing a codec's readers: they can return errors but must not panic.

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::Wire;
use super::messages::failure;
use crate::provider::frame::Frame;

/// Words of the protocols, so that random values resemble what the readers look for.
const WORDS: &[&str] = &[
    "type",
    "message_start",
    "message",
    "model",
    "usage",
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "content_block_start",
    "content_block",
    "content_block_delta",
    "delta",
    "text_delta",
    "thinking_delta",
    "text",
    "thinking",
    "message_delta",
    "stop_reason",
    "refusal",
    "max_tokens",
    "stop_details",
    "category",
    "message_stop",
    "error",
    "overloaded_error",
    "invalid_request_error",
    "details",
    "error_code",
    "candidates",
    "content",
    "parts",
    "thought",
    "finishReason",
    "SAFETY",
    "STOP",
    "promptFeedback",
    "blockReason",
    "usageMetadata",
    "promptTokenCount",
    "thoughtsTokenCount",
    "candidatesTokenCount",
    "modelVersion",
    "code",
    "status",
    "RESOURCE_EXHAUSTED",
    "@type",
    "type.googleapis.com/google.rpc.RetryInfo",
    "retryDelay",
    "1e999s",
    "violations",
    "quotaId",
    "PerDay",
    "fieldViolations",
    "field",
    "temperature",
    "done",
    "done_reason",
    "load",
    "length",
    "prompt_eval_count",
    "eval_count",
    "models",
    "name",
    "data",
    "id",
    "has_more",
    "last_id",
    "embeddings",
    "values",
    "nextPageToken",
    "supportedGenerationMethods",
    "generateContent",
    "",
    "é ✓",
];

/// Generates JSON, mostly made of [`WORDS`].
pub(super) fn any_json() -> impl Strategy<Value = Value> {
    let word = || proptest::sample::select(WORDS).prop_map(str::to_owned);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word(), inner), 0..5).prop_map(|fields| Map::from_iter(fields).into()),
        ]
    })
}

/// Feeds `values` to all readers: as frames, as lists, and as the body of an answer of `status`.
pub(super) fn survives(wire: &dyn Wire, values: &[Value], status: u16) {
    let frames: Vec<_> =
        values.iter().map(|value| Frame::Data { event: "message_start".into(), data: value.to_string() }).collect();
    let mut reader = wire.reader();
    for frame in &frames {
        let _ = reader.read(frame);
    }
    let _ = reader.at_end();
    for value in values {
        let body = value.to_string();
        let _ = wire.read_models(body.as_bytes());
        let _ = wire.read_embeddings(body.as_bytes());
        let error = failure(wire, status, &[], &body);
        assert_eq!(error.upstream_status, Some(status), "{body}");
        assert!(!error.message.is_empty());
    }
}
