//! Anthropic's Messages API.
//!
//! Two versions of the API are in use, selected by a header: the newer one accepts no temperature
//! for any model and is otherwise the same for our purposes. So requests with a temperature use
//! [`LAST_WITH_SAMPLING`] and all others [`NEWEST`]. That needs no table of models, nor an old
//! version for most requests. A version in the user's headers overrides both.
//!
//! JSON is requested by schema, never by a prefilled answer or a forced tool: current models refuse
//! both. Sources: the Python SDK 2.11.0 (`types/message_create_params.py`, `types/raw_*_event.py`)
//! and the vendor's page on versions, both read on 2026-11-20.

mod failure;
mod reader;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use self::reader::Reader;
use super::escape::escape;
use super::lengths::without_lengths;
use super::reading::{self, names};
use super::turns::{Turn, Turns};
use super::{AnswerReader, Auth, EmbeddingAnswer, EmbeddingRequest, ErrorAnswer, HttpCall, Method, ModelPage, Wire};
use crate::error::{ProviderError, ProviderFailure};
use crate::provider::ChatRequest;
use crate::provider::frame::Framing;

/// The header with the version.
const VERSION_HEADER: &str = "anthropic-version";

/// The last version that accepts a temperature, for models that do.
const LAST_WITH_SAMPLING: &str = "2023-06-01";

/// The current version.
const NEWEST: &str = "2026-10-21";

/// `max_tokens` for requests without one, since the protocol requires it. Every model in use
/// accepts it, and it leaves room for reasoning, which counts towards it.
const DEFAULT_MAX_TOKENS: u32 = 8192;

/// The Anthropic codec.
#[derive(Debug, Clone)]
pub struct Anthropic {
    provider: String,
}

impl Anthropic {
    /// Creates the codec of `provider`, its name in the configuration, for error messages.
    pub fn new(provider: &str) -> Self {
        Self { provider: provider.to_owned() }
    }
}

impl Wire for Anthropic {
    fn default_base_url(&self) -> &'static str {
        "https://api.anthropic.com"
    }

    fn auth(&self) -> Auth {
        Auth::Header("x-api-key")
    }

    fn framing(&self) -> Framing {
        Framing::Sse
    }

    fn chat(&self, request: &ChatRequest, model: &str) -> HttpCall {
        let version = if request.temperature.is_some() { LAST_WITH_SAMPLING } else { NEWEST };
        HttpCall {
            method: Method::Post,
            path: "/v1/messages".into(),
            headers: vec![(VERSION_HEADER, version.into())],
            body: Some(chat_body(request, model)),
        }
    }

    fn reader(&self) -> Box<dyn AnswerReader> {
        Box::new(Reader::new(&self.provider))
    }

    fn failure(&self, answer: &ErrorAnswer<'_>) -> ProviderError {
        failure::of_answer(&self.provider, answer)
    }

    fn models(&self, page: Option<&str>) -> HttpCall {
        let after = page.map(|id| format!("&after_id={}", escape(id))).unwrap_or_default();
        HttpCall {
            method: Method::Get,
            path: format!("/v1/models?limit=1000{after}"),
            headers: vec![(VERSION_HEADER, NEWEST.into())],
            body: None,
        }
    }

    fn read_models(&self, body: &[u8]) -> Result<ModelPage, ProviderError> {
        let value = reading::json(&self.provider, body)?;
        let Some(models) = names(&value["data"], "id") else {
            return Err(reading::garbage(&self.provider, body));
        };
        let next = value["last_id"].as_str().filter(|_| value["has_more"] == true);
        Ok(ModelPage { models: models.into_iter().map(String::from).collect(), next: next.map(String::from) })
    }

    fn embeddings(&self, _: &EmbeddingRequest<'_>) -> Option<HttpCall> {
        None
    }

    fn read_embeddings(&self, _: &[u8]) -> Result<EmbeddingAnswer, ProviderError> {
        let message =
            "Anthropic has no embeddings; name another provider's model in `generation.default_embedding_model`";
        Err(ProviderError::new(&self.provider, ProviderFailure::Rejected, message))
    }
}

fn chat_body(request: &ChatRequest, model: &str) -> Value {
    let Turns { system, turns } = Turns::of(&request.messages);
    let mut body = json!({
        "model": model,
        "max_tokens": request.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS),
        "messages": turns.iter().map(message).collect::<Vec<_>>(),
        "stream": true,
    });
    if let Some(system) = system {
        body["system"] = system.into();
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = temperature.into();
    }
    if let Some(schema) = &request.response_schema {
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": without_lengths(schema)}});
    }
    body
}

fn message(turn: &Turn) -> Value {
    json!({"role": if turn.by_model { "assistant" } else { "user" }, "content": turn.text})
}
