//! OpenRouter: OpenAI's chunks between comment lines, with the cost in the account and errors of its own.
//!
//! Based on the SDK's `ChatStreamChunk`, `ChatUsage`, `APIErrorType` and its error classes' bodies.

use serde_json::{Value, json};

use super::{
    Answer, Complaint, INPUT_TOKENS, Missing, OPENROUTER_COST, OUTPUT_TOKENS, Reply, StreamFault, Wait, unnamed,
};

fn chunk(model: &str, choices: &Value) -> Value {
    json!({
        "id": "gen-1790000000-Xq7", "provider": "Azure", "model": model, "object": "chat.completion.chunk",
        "created": 1_790_000_000, "choices": choices,
    })
}

fn choice(delta: &Value, finish: &Value) -> Value {
    json!([{"index": 0, "delta": delta, "finish_reason": finish, "native_finish_reason": finish, "logprobs": null}])
}

pub(super) fn opening(model: &str) -> Vec<Vec<u8>> {
    let reasoning = json!({
        "role": "assistant", "content": "", "reasoning": "Distilling.",
        "reasoning_details": [{"type": "reasoning.text", "text": "Distilling.", "format": "unknown", "index": 0}],
    });
    vec![
        b": OPENROUTER PROCESSING\n\n".to_vec(),
        b": OPENROUTER PROCESSING\n\n".to_vec(),
        unnamed(&chunk(model, &choice(&reasoning, &Value::Null))),
    ]
}

pub(super) fn delta(model: &str, text: &str) -> Vec<u8> {
    unnamed(&chunk(model, &choice(&json!({"role": "assistant", "content": text}), &Value::Null)))
}

pub(super) fn closing(model: &str, finish: &str) -> Vec<Vec<u8>> {
    let mut account = chunk(model, &choice(&json!({"role": "assistant", "content": ""}), &Value::Null));
    account["usage"] = json!({
        "prompt_tokens": INPUT_TOKENS, "completion_tokens": OUTPUT_TOKENS, "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
        "cost": OPENROUTER_COST, "is_byok": false,
        "prompt_tokens_details": {"cached_tokens": 4}, "completion_tokens_details": {"reasoning_tokens": 3},
        "cost_details": {"upstream_inference_cost": null, "upstream_inference_prompt_cost": 0.0001,
                         "upstream_inference_completions_cost": 0.000_023},
    });
    vec![
        unnamed(&chunk(model, &choice(&json!({"role": "assistant", "content": ""}), &json!(finish)))),
        unnamed(&account),
        b"data: [DONE]\n\n".to_vec(),
    ]
}

pub(super) fn refusals(model: &str) -> [Answer; 2] {
    let words = json!({"role": "assistant", "content": null, "refusal": "I can't help with that."});
    let said = unnamed(&chunk(model, &choice(&words, &Value::Null)));
    [
        Answer { opening: opening(model), deltas: vec![said], closing: closing(model, "stop") },
        Answer { opening: opening(model), deltas: vec![], closing: closing(model, "content_filter") },
    ]
}

fn error(code: u16, message: &str, metadata: &Value) -> Reply {
    let mut error = json!({"error": {"message": message, "code": code}, "user_id": "user_2x"});
    if !metadata.is_null() {
        error["error"]["metadata"] = metadata.clone();
    }
    Reply::json(code, &error)
}

pub(super) fn complaint(complaint: Complaint) -> Result<Reply, Missing> {
    Ok(match complaint {
        Complaint::BadKey => error(401, "No user found for key {key}", &Value::Null),
        Complaint::Forbidden => {
            error(403, "Key limit exceeded for this model", &json!({"error_type": "permission_denied"}))
        }
        Complaint::Moderated => {
            let metadata = json!({"reasons": ["violence"], "flagged_input": "a tale", "provider_name": "OpenAI"});
            error(403, "Your chosen model requires moderation and your input was flagged", &metadata)
        }
        Complaint::UnknownModel => error(404, "No endpoints found for alembic-1.", &Value::Null),
        Complaint::RefusedTemperature => {
            let raw = "{\"error\":{\"message\":\"Unsupported parameter: 'temperature' is not supported with this \
                       model.\",\"type\":\"invalid_request_error\",\"param\":\"temperature\",\"code\":\
                       \"unsupported_parameter\"}}";
            error(400, "Provider returned error", &json!({"raw": raw, "provider_name": "OpenAI"}))
        }
        Complaint::BadRequest => {
            error(400, "Input required: specify \"prompt\" or \"messages\"", &json!({"error_type": "invalid_request"}))
        }
        Complaint::TooLong => {
            let message = "This endpoint's maximum context length is 8192 tokens. However, you requested about 9120 \
                           tokens (7120 of text input, 2000 in the output).";
            error(400, message, &json!({"error_type": "context_length_exceeded"}))
        }
        Complaint::OutOfCredit => {
            let message = "Insufficient credits. Add more using https://openrouter.ai/settings/credits";
            error(402, message, &json!({"error_type": "payment_required"}))
        }
        Complaint::RateLimited(wait) => match wait {
            Wait::RetryInfo(_) => return Err("RetryInfo is Google's"),
            Wait::Milliseconds(_) => return Err("retry-after-ms is OpenAI's"),
            wait => {
                let metadata = json!({"error_type": "rate_limit_exceeded", "provider_name": "Azure"});
                error(429, "Provider returned error", &metadata).with_wait(wait)
            }
        },
        Complaint::QuotaUsedUp => return Err("credit that is used up is a 402 here"),
        Complaint::Internal => error(500, "Internal Server Error", &json!({"error_type": "server"})),
        Complaint::Unavailable => error(
            503,
            "No available model provider meets your routing requirements",
            &json!({"error_type": "provider_unavailable"}),
        ),
        Complaint::Overloaded => {
            let metadata = json!({"error_type": "provider_overloaded", "provider_name": "Anthropic"});
            error(529, "Provider returned error", &metadata)
        }
    })
}

pub(super) fn stream_fault(model: &str, fault: StreamFault) -> Vec<u8> {
    let (code, message, kind) = match fault {
        StreamFault::Internal => (502, "Provider disconnected unexpectedly ({key})", "provider_unavailable"),
        StreamFault::Overloaded => (429, "Rate limit exceeded", "rate_limit_exceeded"),
    };
    let mut last = chunk(model, &choice(&json!({"content": ""}), &json!("error")));
    last["error"] = json!({"code": code, "message": message, "metadata": {"error_type": kind}});
    unnamed(&last)
}
