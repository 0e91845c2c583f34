//! Google's Gemini API: `generateContent`, streamed, and `batchEmbedContents`.
//!
//! The version is part of the base URL: `…/v1`, which the vendor's SDK uses for all requests we
//! send, or `…/v1beta`. Model names work with and without `models/`.
//!
//! Every text to embed is a request of its own within one call, because the newer embedding model
//! makes one vector of all texts of a request. `gemini-embedding-001` gets the purpose as
//! `taskType`; `gemini-embedding-2` ignores that and expects it in the text.
//!
//! Sources: the Python SDK google-genai 3.4.0 (`types.py`, `models.py`) and the vendor's page on
//! embeddings, both read on 2026-11-20.

mod failure;
mod reader;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use self::reader::Reader;
use super::escape::escape;
use super::lengths::without_lengths;
use super::reading::{self, text, tokens};
use super::turns::{Turn, Turns};
use super::{AnswerReader, Auth, EmbeddingAnswer, EmbeddingRequest, ErrorAnswer, HttpCall, Method, ModelPage, Wire};
use crate::error::ProviderError;
use crate::ledger::BilledTokens;
use crate::provider::ChatRequest;
use crate::provider::embedding::Purpose;
use crate::provider::frame::Framing;

/// The Google codec.
#[derive(Debug, Clone)]
pub struct Google {
    provider: String,
}

impl Google {
    /// Creates the codec of `provider`, its name in the configuration, for error messages.
    pub fn new(provider: &str) -> Self {
        Self { provider: provider.to_owned() }
    }
}

impl Wire for Google {
    fn default_base_url(&self) -> &'static str {
        "https://generativelanguage.googleapis.com/v1"
    }

    fn auth(&self) -> Auth {
        Auth::Header("x-goog-api-key")
    }

    fn framing(&self) -> Framing {
        Framing::Sse
    }

    fn chat(&self, request: &ChatRequest, model: &str) -> HttpCall {
        post(format!("{}:streamGenerateContent?alt=sse", path(model)), chat_body(request))
    }

    fn reader(&self) -> Box<dyn AnswerReader> {
        Box::new(Reader::new(&self.provider))
    }

    fn failure(&self, answer: &ErrorAnswer<'_>) -> ProviderError {
        failure::of_answer(&self.provider, answer)
    }

    fn models(&self, page: Option<&str>) -> HttpCall {
        let token = page.map(|token| format!("&pageToken={}", escape(token))).unwrap_or_default();
        let path = format!("/models?pageSize=1000{token}");
        HttpCall { method: Method::Get, path, headers: Vec::new(), body: None }
    }

    fn read_models(&self, body: &[u8]) -> Result<ModelPage, ProviderError> {
        let value = reading::json(&self.provider, body)?;
        let Some(models) = value["models"].as_array() else {
            return Err(reading::garbage(&self.provider, body));
        };
        let models = models.iter().filter(|model| writes_text(model)).filter_map(|model| text(&model["name"]));
        Ok(ModelPage {
            models: models.map(|name| bare(name).to_owned()).collect(),
            next: text(&value["nextPageToken"]).map(String::from),
        })
    }

    fn embeddings(&self, request: &EmbeddingRequest<'_>) -> Option<HttpCall> {
        let requests: Vec<_> = request.texts.iter().map(|text| embedding(request, text)).collect();
        Some(post(format!("{}:batchEmbedContents", path(request.model)), json!({ "requests": requests })))
    }

    fn read_embeddings(&self, body: &[u8]) -> Result<EmbeddingAnswer, ProviderError> {
        let value = reading::json(&self.provider, body)?;
        let embeddings = value["embeddings"].as_array();
        let vectors = embeddings.and_then(|list| reading::vectors(list.iter().map(|embedding| &embedding["values"])));
        let Some(vectors) = vectors else {
            return Err(reading::garbage(&self.provider, body));
        };
        let input = tokens(&value["usageMetadata"]["promptTokenCount"]);
        Ok(EmbeddingAnswer { vectors, usage: BilledTokens { input, ..BilledTokens::default() } })
    }
}

fn post(path: String, body: Value) -> HttpCall {
    HttpCall { method: Method::Post, path, headers: Vec::new(), body: Some(body) }
}

/// The path of a model.
fn path(model: &str) -> String {
    match model.strip_prefix("tunedModels/") {
        Some(tuned) => format!("/tunedModels/{}", escape(tuned)),
        None => format!("/models/{}", escape(bare(model))),
    }
}

/// A model's name without its `models/` prefix.
fn bare(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}

/// True for a listed model that generates text, or whose methods are not given.
fn writes_text(model: &Value) -> bool {
    model["supportedGenerationMethods"].as_array().is_none_or(|methods| methods.iter().any(|m| m == "generateContent"))
}

fn chat_body(request: &ChatRequest) -> Value {
    let Turns { system, turns } = Turns::of(&request.messages);
    let mut body = Map::new();
    if let Some(system) = system {
        body.insert("systemInstruction".into(), content(&system));
    }
    body.insert("contents".into(), turns.iter().map(turn).collect());
    let mut config = Map::new();
    if let Some(temperature) = request.temperature {
        config.insert("temperature".into(), temperature.into());
    }
    if let Some(max_tokens) = request.max_tokens {
        config.insert("maxOutputTokens".into(), max_tokens.into());
    }
    if let Some(schema) = &request.response_schema {
        config.insert("responseMimeType".into(), "application/json".into());
        config.insert("responseJsonSchema".into(), without_lengths(schema));
    }
    if !config.is_empty() {
        body.insert("generationConfig".into(), config.into());
    }
    body.into()
}

fn content(text: &str) -> Value {
    json!({"parts": [{"text": text}]})
}

fn turn(turn: &Turn) -> Value {
    json!({"role": if turn.by_model { "model" } else { "user" }, "parts": [{"text": turn.text}]})
}

/// One text to embed.
fn embedding(request: &EmbeddingRequest<'_>, text: &str) -> Value {
    let model = bare(request.model);
    let mut one = json!({"model": format!("models/{model}")});
    if model.starts_with("gemini-embedding-2") {
        // The vendor's documented forms for documents and queries.
        one["content"] = content(&match request.purpose {
            Purpose::Document => format!("title: none | text: {text}"),
            Purpose::Query => format!("task: search result | query: {text}"),
        });
    } else {
        one["content"] = content(text);
        one["taskType"] = match request.purpose {
            Purpose::Document => "RETRIEVAL_DOCUMENT".into(),
            Purpose::Query => "RETRIEVAL_QUERY".into(),
        };
    }
    if let Some(dimensions) = request.dimensions {
        one["outputDimensionality"] = dimensions.into();
    }
    one
}
