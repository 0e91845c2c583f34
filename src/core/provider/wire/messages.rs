//! Prints recorded answers line by line for codec tests, and builds requests to encode.

use super::testing::{failure_with, fixture, plain_request, read};
use super::{EmbeddingRequest, Piece, Wire};
use crate::error::ProviderError;
use crate::provider::embedding::Purpose;
use crate::provider::{ChatRequest, Message, Role};

/// A request with these messages and nothing else set.
pub(super) fn request(messages: &[(Role, &str)]) -> ChatRequest {
    ChatRequest {
        messages: messages.iter().map(|(role, text)| Message { role: *role, content: (*text).into() }).collect(),
        ..plain_request()
    }
}

/// A request with everything set.
pub(super) fn full_request() -> ChatRequest {
    ChatRequest {
        temperature: Some(0.7),
        max_tokens: Some(2000),
        response_schema: Some(serde_json::json!({"type": "object", "properties": {"winner": {"type": "string"}}})),
        ..request(&[
            (Role::System, "Be brief."),
            (Role::User, "Compare."),
            (Role::Assistant, "A."),
            (Role::User, "Sure?"),
        ])
    }
}

/// Two texts to embed.
pub(super) fn embedding<'a>(model: &'a str, texts: &'a [String], purpose: Purpose) -> EmbeddingRequest<'a> {
    EmbeddingRequest { model, texts, purpose, dimensions: None }
}

/// The error for an answer of `status`.
pub(super) fn failure(wire: &dyn Wire, status: u16, headers: &[(&str, &str)], body: &str) -> ProviderError {
    failure_with(wire, status, headers, body.as_bytes())
}

/// Prints a recorded stream: a line per piece, neighbouring texts joined, the error last.
pub(super) fn told(wire: &dyn Wire, name: &str) -> Vec<String> {
    tell(read(wire, &fixture(name)))
}

fn tell((pieces, error): (Vec<Piece>, Option<ProviderError>)) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        let line = match piece {
            Piece::Text(text) => match lines.last_mut().filter(|line| line.starts_with("text: ")) {
                Some(line) => {
                    line.push_str(&text);
                    continue;
                }
                None => format!("text: {text}"),
            },
            Piece::Thinking(text) if text.is_empty() => "alive".into(),
            Piece::Thinking(text) => format!("thinking: {text}"),
            Piece::Model(model) => format!("model: {model}"),
            Piece::Usage(usage) => {
                let count = |count: Option<u64>| count.map_or("?".into(), |count| count.to_string());
                let [input, cached, written, output] =
                    [usage.input, usage.cached_input, usage.cache_write, usage.output].map(count);
                format!("usage: {input} in ({cached} cached, {written} written), {output} out")
            }
            Piece::Cost(cost) => format!("cost: {cost}"),
            Piece::Truncated => "truncated".into(),
            Piece::End => "end".into(),
        };
        lines.push(line);
    }
    if let Some(error) = error {
        let status = error.upstream_status.map(|status| format!(" {status}")).unwrap_or_default();
        let wait = error.retry_after.map(|wait| format!(" after {wait:?}")).unwrap_or_default();
        lines.push(format!("{:?}{status}{wait}: {}", error.failure, error.message));
    }
    lines
}
