//! OpenAI's chat completions: chunks in unnamed events, the account in one of its own, then `[DONE]`.
//!
//! Based on the SDK's `ChatCompletionChunk`, `CompletionUsage`, `ErrorObject` and exceptions. The
//! 402 is not documented; OpenAI-compatible vendors with prepaid credit answer it.

use serde_json::{Value, json};

use super::{Answer, Complaint, INPUT_TOKENS, Missing, OUTPUT_TOKENS, Reply, StreamFault, Wait, unnamed};

fn chunk(model: &str, choices: &Value, usage: &Value) -> Vec<u8> {
    unnamed(&json!({
        "id": "chatcmpl-CkT0ZqzD3nPm5", "object": "chat.completion.chunk", "created": 1_790_000_000, "model": model,
        "service_tier": "default", "system_fingerprint": "fp_a1c8", "choices": choices, "usage": usage,
    }))
}

fn choice(delta: &Value, finish: &Value) -> Value {
    json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}])
}

pub(super) fn opening(model: &str) -> Vec<Vec<u8>> {
    let delta = json!({"role": "assistant", "content": "", "refusal": null});
    vec![chunk(model, &choice(&delta, &Value::Null), &Value::Null)]
}

pub(super) fn delta(model: &str, text: &str) -> Vec<u8> {
    chunk(model, &choice(&json!({"content": text}), &Value::Null), &Value::Null)
}

pub(super) fn closing(model: &str, finish: &str) -> Vec<Vec<u8>> {
    let usage = json!({
        "prompt_tokens": INPUT_TOKENS, "completion_tokens": OUTPUT_TOKENS, "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
        "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 3, "audio_tokens": 0},
    });
    vec![
        chunk(model, &choice(&json!({}), &json!(finish)), &Value::Null),
        chunk(model, &json!([]), &usage),
        b"data: [DONE]\n\n".to_vec(),
    ]
}

pub(super) fn refusals(model: &str) -> [Answer; 2] {
    let words = json!({"refusal": "I'm sorry, I can't help with that."});
    let said = chunk(model, &choice(&words, &Value::Null), &Value::Null);
    [
        Answer { opening: opening(model), deltas: vec![said], closing: closing(model, "stop") },
        Answer { opening: opening(model), deltas: vec![], closing: closing(model, "content_filter") },
    ]
}

fn error(status: u16, message: &str, kind: &str, param: Option<&str>, code: Option<&str>) -> Reply {
    let error = json!({"error": {"message": message, "type": kind, "param": param, "code": code}});
    Reply::json(status, &error).with_header("x-request-id", "req_9f2c")
}

pub(super) fn complaint(complaint: Complaint) -> Result<Reply, Missing> {
    let invalid = "invalid_request_error";
    Ok(match complaint {
        Complaint::BadKey => {
            let message = "Incorrect API key provided: {key}. You can find your API key at \
                           https://platform.openai.com/account/api-keys.";
            error(401, message, invalid, None, Some("invalid_api_key"))
        }
        Complaint::Forbidden => {
            let message = "Country, region, or territory not supported";
            error(403, message, "request_forbidden", None, Some("unsupported_country_region_territory"))
        }
        Complaint::UnknownModel => {
            let message = "The model `alembic-1` does not exist or you do not have access to it.";
            error(404, message, invalid, None, Some("model_not_found"))
        }
        Complaint::Moderated => {
            let message = "Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try \
                           again with a different prompt.";
            error(400, message, invalid, None, Some("invalid_prompt"))
        }
        Complaint::RefusedTemperature => {
            let message = "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) \
                           value is supported.";
            error(400, message, invalid, Some("temperature"), Some("unsupported_value"))
        }
        Complaint::BadRequest => {
            let message = "Invalid value for 'messages[0].role': expected one of 'system' and 'user'.";
            error(400, message, invalid, Some("messages[0].role"), Some("invalid_value"))
        }
        Complaint::TooLong => {
            let message = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9120 \
                           tokens. Please reduce the length of the messages.";
            error(400, message, invalid, Some("messages"), Some("context_length_exceeded"))
        }
        Complaint::OutOfCredit => {
            error(402, "Insufficient Balance", "unknown_error", None, Some("invalid_request_error"))
        }
        Complaint::RateLimited(wait) => {
            if matches!(wait, Wait::RetryInfo(_)) {
                return Err("RetryInfo is Google's");
            }
            let message = "Rate limit reached for alembic-1 on requests per min (RPM): Limit 3, Used 3, Requested 1.";
            error(429, message, "requests", None, Some("rate_limit_exceeded"))
                .with_header("x-ratelimit-limit-requests", "3")
                .with_header("x-ratelimit-remaining-requests", "0")
                .with_wait(wait)
        }
        Complaint::QuotaUsedUp => {
            let message = "You exceeded your current quota, please check your plan and billing details.";
            error(429, message, "insufficient_quota", None, Some("insufficient_quota"))
        }
        Complaint::Internal => {
            let message = "The server had an error while processing your request. Sorry about that!";
            error(500, message, "server_error", None, None)
        }
        Complaint::Unavailable => {
            let message = "That model is currently overloaded with other requests.";
            error(503, message, "service_unavailable_error", None, Some("server_is_overloaded"))
        }
        Complaint::Overloaded => return Err("529 is Anthropic's and OpenRouter's; OpenAI says 503 or 429"),
    })
}

pub(super) fn stream_fault(fault: StreamFault) -> Vec<u8> {
    let (message, kind, code) = match fault {
        StreamFault::Internal => {
            ("The server had an error while processing your request ({key}).", "server_error", Value::Null)
        }
        StreamFault::Overloaded => ("Rate limit reached for alembic-1.", "tokens", json!("rate_limit_exceeded")),
    };
    unnamed(&json!({"error": {"message": message, "type": kind, "param": null, "code": code}}))
}
