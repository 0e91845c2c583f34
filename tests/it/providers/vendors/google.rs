//! Google's `streamGenerateContent`: unnamed events with CRLF, each a whole response, no end but a `finishReason`.
//!
//! Based on the SDK's `GenerateContentResponse`, `FinishReason`, `BlockedReason` and
//! `google.rpc.Status` with its details. An error in the middle of a stream is bare JSON without
//! `data:`, which the SDK reads line by line, or an event.

use serde_json::{Value, json};

use super::{Answer, Complaint, INPUT_TOKENS, Missing, OUTPUT_TOKENS, Reply, StreamFault, Wait};

/// The part of the received tokens that are thoughts.
const THOUGHTS: u64 = 3;

fn event(data: &Value) -> Vec<u8> {
    format!("data: {data}\r\n\r\n").into_bytes()
}

fn chunk(model: &str, candidate: &Value) -> Value {
    json!({
        "candidates": [candidate],
        "usageMetadata": {"promptTokenCount": INPUT_TOKENS, "totalTokenCount": INPUT_TOKENS},
        "modelVersion": model, "responseId": "yXc_aJ",
    })
}

fn part(part: &Value) -> Value {
    json!({"content": {"parts": [part], "role": "model"}, "index": 0})
}

pub(super) fn opening(model: &str) -> Vec<Vec<u8>> {
    vec![event(&chunk(model, &part(&json!({"text": "Distilling.", "thought": true}))))]
}

pub(super) fn delta(model: &str, text: &str) -> Vec<u8> {
    event(&chunk(model, &part(&json!({"text": text}))))
}

fn usage() -> Value {
    json!({
        "promptTokenCount": INPUT_TOKENS, "cachedContentTokenCount": 4, "candidatesTokenCount": OUTPUT_TOKENS - THOUGHTS,
        "thoughtsTokenCount": THOUGHTS, "totalTokenCount": INPUT_TOKENS + OUTPUT_TOKENS,
    })
}

pub(super) fn closing(model: &str, finish: &str) -> Vec<Vec<u8>> {
    let mut candidate = part(&json!({"text": ""}));
    candidate["finishReason"] = json!(finish);
    let mut last = chunk(model, &candidate);
    last["usageMetadata"] = usage();
    vec![event(&last)]
}

pub(super) fn refusals(model: &str) -> [Answer; 2] {
    let blocked = json!({
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
        "usageMetadata": {"promptTokenCount": INPUT_TOKENS, "totalTokenCount": INPUT_TOKENS},
        "modelVersion": model, "responseId": "yXc_aJ",
    });
    let mut unsafe_answer = chunk(model, &json!({"finishReason": "SAFETY", "index": 0}));
    unsafe_answer["usageMetadata"] = usage();
    [
        Answer { closing: vec![event(&blocked)], ..Answer::default() },
        Answer {
            opening: opening(model),
            deltas: vec![delta(model, "You take a retort, and")],
            closing: vec![event(&unsafe_answer)],
        },
    ]
}

fn status(code: u16, name: &str, message: &str, details: &Value) -> Value {
    let mut error = json!({"error": {"code": code, "message": message, "status": name}});
    if !details.is_null() {
        error["error"]["details"] = details.clone();
    }
    error
}

fn error(code: u16, name: &str, message: &str, details: &Value) -> Reply {
    let mut reply = Reply::json(code, &status(code, name, message, details));
    reply.headers = vec![("content-type", "application/json; charset=UTF-8".to_owned())];
    reply
}

fn info(reason: &str) -> Value {
    json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com",
            "metadata": {"service": "generativelanguage.googleapis.com"}}])
}

pub(super) fn complaint(complaint: Complaint) -> Result<Reply, Missing> {
    let (quota, help) = ("type.googleapis.com/google.rpc.QuotaFailure", "type.googleapis.com/google.rpc.Help");
    let links = json!({"@type": help, "links": [{"description": "Learn more about Gemini API quotas",
                       "url": "https://ai.google.dev/gemini-api/docs/rate-limits"}]});
    Ok(match complaint {
        Complaint::BadKey => {
            let message = "API key not valid: {key}. Please pass a valid API key.";
            error(400, "INVALID_ARGUMENT", message, &info("API_KEY_INVALID"))
        }
        Complaint::Forbidden => {
            let message = "Generative Language API has not been used in project 1042 before or it is disabled.";
            error(403, "PERMISSION_DENIED", message, &info("SERVICE_DISABLED"))
        }
        Complaint::UnknownModel => {
            let message = "models/alembic-1 is not found for API version v1beta, or is not supported for \
                           generateContent. Call ListModels to see the list of available models.";
            error(404, "NOT_FOUND", message, &Value::Null)
        }
        Complaint::Moderated => return Err("a blocked prompt is a 200 with its reason, see `refusal`"),
        Complaint::RefusedTemperature => {
            let message = "temperature is not supported for this model.";
            error(400, "INVALID_ARGUMENT", message, &Value::Null)
        }
        Complaint::BadRequest => {
            let message = "Invalid JSON payload received. Unknown name \"contentz\": Cannot find field.";
            let violation = json!([{"@type": "type.googleapis.com/google.rpc.BadRequest",
                                    "fieldViolations": [{"description": message}]}]);
            error(400, "INVALID_ARGUMENT", message, &violation)
        }
        Complaint::TooLong => {
            let message = "The input token count (1048700) exceeds the maximum number of tokens allowed (1048576).";
            error(400, "INVALID_ARGUMENT", message, &Value::Null)
        }
        Complaint::OutOfCredit => return Err("Google bills afterwards; a project without billing is a 403 or a quota"),
        Complaint::RateLimited(wait) => {
            let message = "You exceeded your current quota, please check your plan and billing details.";
            let violation = json!({"@type": quota, "violations": [{"quotaMetric":
                "generativelanguage.googleapis.com/generate_content_free_tier_requests",
                "quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "quotaValue": "10"}]});
            let mut details = vec![violation, links];
            if let Wait::RetryInfo(seconds) = wait {
                details.push(
                    json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{seconds}s")}),
                );
            }
            if matches!(wait, Wait::Milliseconds(_)) {
                return Err("retry-after-ms is OpenAI's");
            }
            error(429, "RESOURCE_EXHAUSTED", message, &json!(details)).with_wait(wait)
        }
        Complaint::QuotaUsedUp => {
            let message = "You exceeded your current quota, please check your plan and billing details.";
            let violation = json!({"@type": quota, "violations": [{"quotaMetric":
                "generativelanguage.googleapis.com/generate_content_free_tier_requests",
                "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "250"}]});
            error(429, "RESOURCE_EXHAUSTED", message, &json!([violation, links]))
        }
        Complaint::Internal => {
            error(500, "INTERNAL", "An internal error has occurred. Please retry or report.", &Value::Null)
        }
        Complaint::Unavailable => {
            error(503, "UNAVAILABLE", "The model is overloaded. Please try again later.", &Value::Null)
        }
        Complaint::Overloaded => return Err("529 is Anthropic's and OpenRouter's; Google says 503"),
    })
}

pub(super) fn stream_fault(fault: StreamFault) -> Vec<u8> {
    match fault {
        StreamFault::Internal => {
            let error = status(500, "INTERNAL", "An internal error has occurred ({key}).", &Value::Null);
            format!("{error:#}\n").into_bytes()
        }
        StreamFault::Overloaded => {
            event(&status(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted.", &Value::Null))
        }
    }
}
