//! Ollama's own API, local, remote, or at ollama.com.
//!
//! The server silently truncates what does not fit into `num_ctx`, so it is always sent, large
//! enough for prompt and answer. It is a power of two, because a change reloads the model. A key is
//! needed only behind a proxy and at ollama.com.
//!
//! Source: the Python SDK ollama 0.6.3 (`_types.py`, `_client.py`), read on 2026-11-20.

mod failure;
mod reader;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use self::reader::Reader;
use super::reading::{self, names, tokens};
use super::{AnswerReader, Auth, EmbeddingAnswer, EmbeddingRequest, ErrorAnswer, HttpCall, Method, ModelPage, Wire};
use crate::error::ProviderError;
use crate::ledger::BilledTokens;
use crate::provider::frame::Framing;
use crate::provider::{ChatRequest, Message, Role};
use crate::text::tokens::estimate;

/// The minimum context, in tokens.
const MIN_CONTEXT: u64 = 4096;

/// Tokens reserved for an answer without a limit.
const ANSWER_TOKENS: u64 = 2048;

/// The maximum overhead of a chat template per message, in tokens.
const TEMPLATE_TOKENS: u64 = 32;

/// The Ollama codec.
#[derive(Debug, Clone)]
pub struct Ollama {
    provider: String,
}

impl Ollama {
    /// Creates the codec of `provider`, its name in the configuration, for error messages.
    pub fn new(provider: &str) -> Self {
        Self { provider: provider.to_owned() }
    }
}

impl Wire for Ollama {
    fn default_base_url(&self) -> &'static str {
        "http://localhost:11434"
    }

    fn auth(&self) -> Auth {
        Auth::Bearer
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn chat(&self, request: &ChatRequest, model: &str) -> HttpCall {
        post("/api/chat", chat_body(request, model))
    }

    fn reader(&self) -> Box<dyn AnswerReader> {
        Box::new(Reader::new(&self.provider))
    }

    fn failure(&self, answer: &ErrorAnswer<'_>) -> ProviderError {
        failure::of_answer(&self.provider, answer)
    }

    fn models(&self, _: Option<&str>) -> HttpCall {
        HttpCall { method: Method::Get, path: "/api/tags".into(), headers: Vec::new(), body: None }
    }

    fn read_models(&self, body: &[u8]) -> Result<ModelPage, ProviderError> {
        let value = reading::json(&self.provider, body)?;
        let Some(models) = names(&value["models"], "name") else {
            return Err(reading::garbage(&self.provider, body));
        };
        Ok(ModelPage { models: models.into_iter().map(String::from).collect(), next: None })
    }

    fn embeddings(&self, request: &EmbeddingRequest<'_>) -> Option<HttpCall> {
        let mut body = json!({"model": request.model, "input": request.texts, "truncate": true});
        if let Some(dimensions) = request.dimensions {
            body["dimensions"] = dimensions.into();
        }
        Some(post("/api/embed", body))
    }

    fn read_embeddings(&self, body: &[u8]) -> Result<EmbeddingAnswer, ProviderError> {
        let value = reading::json(&self.provider, body)?;
        let vectors = value["embeddings"].as_array().and_then(|list| reading::vectors(list.iter()));
        let Some(vectors) = vectors else {
            return Err(reading::garbage(&self.provider, body));
        };
        let input = tokens(&value["prompt_eval_count"]);
        Ok(EmbeddingAnswer { vectors, usage: BilledTokens { input, ..BilledTokens::default() } })
    }
}

fn post(path: &str, body: Value) -> HttpCall {
    HttpCall { method: Method::Post, path: path.into(), headers: Vec::new(), body: Some(body) }
}

fn chat_body(request: &ChatRequest, model: &str) -> Value {
    let mut options = Map::new();
    options.insert("num_ctx".into(), context(request).into());
    if let Some(temperature) = request.temperature {
        options.insert("temperature".into(), temperature.into());
    }
    if let Some(max_tokens) = request.max_tokens {
        options.insert("num_predict".into(), max_tokens.into());
    }
    let mut body = json!({
        "model": model,
        "messages": request.messages.iter().map(message).collect::<Vec<_>>(),
        "stream": true,
        "options": options,
    });
    if let Some(schema) = &request.response_schema {
        body["format"] = schema.clone();
    }
    body
}

fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    json!({"role": role, "content": message.content})
}

/// A context size for the prompt and the answer. The prompt estimate gets a quarter on top, because
/// tokenizers differ; a server that supports less uses what it has.
fn context(request: &ChatRequest) -> u64 {
    let prompt: u64 = request.messages.iter().map(|message| estimate(&message.content) + TEMPLATE_TOKENS).sum();
    let answer = request.max_tokens.map_or(ANSWER_TOKENS, u64::from);
    (prompt + prompt / 4 + answer).next_power_of_two().max(MIN_CONTEXT)
}
