//! Ollama's chat: a JSON object per line, the account in the last one, errors as a bare `error`.
//!
//! Based on the client's `ChatResponse` and `ResponseError` and the documented responses. Local
//! servers need no key and have no credit; ollama.com has both, in the same format.

use serde_json::{Value, json};

use super::{Complaint, INPUT_TOKENS, Missing, OUTPUT_TOKENS, Reply, StreamFault, Wait};

fn line(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

fn message(model: &str, message: &Value) -> Vec<u8> {
    line(&json!({"model": model, "created_at": "2026-11-21T09:00:00.123456789Z", "message": message, "done": false}))
}

pub(super) fn opening(model: &str) -> Vec<Vec<u8>> {
    vec![message(model, &json!({"role": "assistant", "content": "", "thinking": "Distilling."}))]
}

pub(super) fn delta(model: &str, text: &str) -> Vec<u8> {
    message(model, &json!({"role": "assistant", "content": text}))
}

pub(super) fn closing(model: &str, reason: &str) -> Vec<Vec<u8>> {
    vec![line(&json!({
        "model": model, "created_at": "2026-11-21T09:00:01.5Z", "message": {"role": "assistant", "content": ""},
        "done": true, "done_reason": reason, "total_duration": 1_500_000_000_u64, "load_duration": 1_000_000,
        "prompt_eval_count": INPUT_TOKENS, "prompt_eval_duration": 5_000_000, "eval_count": OUTPUT_TOKENS,
        "eval_duration": 90_000_000,
    }))]
}

fn error(status: u16, message: &str) -> Reply {
    Reply::json(status, &json!({"error": message}))
}

pub(super) fn complaint(complaint: Complaint) -> Result<Reply, Missing> {
    Ok(match complaint {
        Complaint::BadKey => error(401, "unauthorized: {key}"),
        Complaint::Forbidden => error(403, "this model requires a subscription, upgrade for access"),
        Complaint::UnknownModel => error(404, "model 'alembic-1' not found"),
        Complaint::Moderated => return Err("no filter stands in front of its models"),
        Complaint::RefusedTemperature => {
            return Err("options a model does not know are passed over, with a line in the log");
        }
        Complaint::BadRequest => error(400, "invalid role: narrator"),
        Complaint::TooLong => return Err("what passes `num_ctx` is cut without a word"),
        Complaint::OutOfCredit => error(402, "you have no credit left"),
        Complaint::RateLimited(wait) => match wait {
            Wait::RetryInfo(_) => return Err("RetryInfo is Google's"),
            Wait::Milliseconds(_) => return Err("retry-after-ms is OpenAI's"),
            wait => error(429, "too many concurrent requests").with_wait(wait),
        },
        Complaint::QuotaUsedUp => return Err("a limit of ollama.com is a plain 429 that tells no kind"),
        Complaint::Internal => error(500, "model runner has unexpectedly stopped"),
        Complaint::Unavailable => error(503, "server busy, please try again. maximum pending requests exceeded"),
        Complaint::Overloaded => return Err("529 is Anthropic's and OpenRouter's; Ollama says 503"),
    })
}

pub(super) fn stream_fault(fault: StreamFault) -> Result<Vec<u8>, Missing> {
    match fault {
        StreamFault::Internal => {
            Ok(line(&json!({"error": "an error was encountered while running the model: EOF ({key})"})))
        }
        StreamFault::Overloaded => Err("an error in a stream is a sentence without a kind"),
    }
}
