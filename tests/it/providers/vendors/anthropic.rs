//! Anthropic's messages: named events from `message_start` to `message_stop`, thinking in a block of its own.
//!
//! Based on the SDK's `RawMessageStreamEvent`, `Usage`, `RefusalStopDetails`, `ErrorResponse` and
//! `error_code`s. Tokens written to and read from the cache are not part of `input_tokens`.

use serde_json::{Value, json};

use super::{Answer, Complaint, INPUT_TOKENS, Missing, OUTPUT_TOKENS, Reply, StreamFault, Wait, named};

/// The cached part of the tokens sent.
const CACHE_READ: u64 = 4;
const CACHE_WRITTEN: u64 = 2;

fn message_start(model: &str) -> Vec<u8> {
    let message = json!({
        "id": "msg_01Kq", "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": INPUT_TOKENS - CACHE_READ - CACHE_WRITTEN, "cache_creation_input_tokens": CACHE_WRITTEN,
                  "cache_read_input_tokens": CACHE_READ, "output_tokens": 1, "service_tier": "standard"},
    });
    named("message_start", &json!({"type": "message_start", "message": message}))
}

fn block_delta(index: u32, delta: &Value) -> Vec<u8> {
    named("content_block_delta", &json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn block_start(index: u32, block: &Value) -> Vec<u8> {
    named("content_block_start", &json!({"type": "content_block_start", "index": index, "content_block": block}))
}

fn block_stop(index: u32) -> Vec<u8> {
    named("content_block_stop", &json!({"type": "content_block_stop", "index": index}))
}

pub(super) fn opening(model: &str) -> Vec<Vec<u8>> {
    vec![
        message_start(model),
        block_start(0, &json!({"type": "thinking", "thinking": "", "signature": ""})),
        named("ping", &json!({"type": "ping"})),
        block_delta(0, &json!({"type": "thinking_delta", "thinking": "Distilling."})),
        block_delta(0, &json!({"type": "signature_delta", "signature": "EqQBCgIYAhIM"})),
        block_stop(0),
        block_start(1, &json!({"type": "text", "text": ""})),
    ]
}

pub(super) fn delta(text: &str) -> Vec<u8> {
    block_delta(1, &json!({"type": "text_delta", "text": text}))
}

fn ending(stop_reason: &str, stop_details: &Value) -> Vec<Vec<u8>> {
    let delta = json!({"stop_reason": stop_reason, "stop_sequence": null, "stop_details": stop_details});
    let usage = json!({"output_tokens": OUTPUT_TOKENS, "output_tokens_details": {"thinking_tokens": 3}});
    vec![
        named("message_delta", &json!({"type": "message_delta", "delta": delta, "usage": usage})),
        named("message_stop", &json!({"type": "message_stop"})),
    ]
}

pub(super) fn closing(stop_reason: &str, stop_details: &Value) -> Vec<Vec<u8>> {
    let mut closing = vec![block_stop(1)];
    closing.extend(ending(stop_reason, stop_details));
    closing
}

pub(super) fn refusals(model: &str) -> [Answer; 2] {
    let details =
        json!({"type": "refusal", "category": "cyber", "explanation": "The request could enable cyber harm."});
    let at_once = Answer { opening: vec![message_start(model)], deltas: vec![], closing: ending("refusal", &details) };
    let in_the_middle = Answer {
        opening: opening(model),
        deltas: vec![delta("You take a retort, and")],
        closing: closing("refusal", &Value::Null),
    };
    [at_once, in_the_middle]
}

fn error(status: u16, kind: &str, message: &str) -> Reply {
    let error = json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011C"});
    Reply::json(status, &error).with_header("request-id", "req_011C")
}

pub(super) fn complaint(complaint: Complaint) -> Result<Reply, Missing> {
    Ok(match complaint {
        Complaint::BadKey => error(401, "authentication_error", "invalid x-api-key: {key}"),
        Complaint::Forbidden => {
            let message = "Your API key does not have permission to use the specified resource.";
            error(403, "permission_error", message)
        }
        Complaint::UnknownModel => error(404, "not_found_error", "model: alembic-1"),
        Complaint::Moderated => error(400, "invalid_request_error", "Output blocked by content filtering policy"),
        Complaint::RefusedTemperature => {
            error(400, "invalid_request_error", "`temperature` is deprecated for this model.")
        }
        Complaint::BadRequest => {
            error(400, "invalid_request_error", "messages.0.role: Input should be 'user' or 'assistant'")
        }
        Complaint::TooLong => error(400, "invalid_request_error", "prompt is too long: 205120 tokens > 200000 maximum"),
        Complaint::OutOfCredit => {
            let message = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to \
                           upgrade or purchase credits.";
            error(402, "billing_error", message)
        }
        Complaint::RateLimited(wait) => match wait {
            Wait::RetryInfo(_) => return Err("RetryInfo is Google's"),
            Wait::Milliseconds(_) => return Err("retry-after-ms is OpenAI's"),
            wait => {
                let message = "This request would exceed your organization's rate limit of 50 requests per minute.";
                error(429, "rate_limit_error", message)
                    .with_header("anthropic-ratelimit-requests-limit", "50")
                    .with_header("anthropic-ratelimit-requests-remaining", "0")
                    .with_wait(wait)
            }
        },
        Complaint::QuotaUsedUp => {
            let message = "Your organization has crossed the monthly API usage threshold of its API tier.";
            let error = json!({
                "type": "error", "request_id": "req_011C",
                "error": {"type": "rate_limit_error", "message": message,
                          "details": {"error_code": "enforced_spend_limit_reached"}},
            });
            Reply::json(429, &error).with_header("request-id", "req_011C")
        }
        Complaint::Internal => error(500, "api_error", "Internal server error"),
        Complaint::Unavailable => error(503, "api_error", "Service temporarily unavailable"),
        Complaint::Overloaded => error(529, "overloaded_error", "Overloaded"),
    })
}

pub(super) fn stream_fault(fault: StreamFault) -> Vec<u8> {
    let (kind, message) = match fault {
        StreamFault::Internal => ("api_error", "Internal server error ({key})"),
        StreamFault::Overloaded => ("overloaded_error", "Overloaded"),
    };
    named("error", &json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011C"}))
}
