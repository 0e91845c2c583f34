//! OpenAI's protocol and its compatible servers: chat completions, model list, embeddings.
//!
//! vLLM, LM Studio, llama.cpp, Groq and many others speak it with small differences, so they are
//! sent nothing specific to OpenAI, and answers are read leniently. The chat is in [`chat`], shared
//! with OpenRouter; `answer` reads its answers, `error_body` its failures.
//!
//! Source: the types of the vendor's SDK 3.52.0, read on 2026-11-21.

mod answer;
pub(super) mod chat;
mod chunk;
mod error_body;

use serde::Deserialize;
use serde_json::json;

use self::chat::{Chat, Dialect};
use super::failure::Cause;
use super::{AnswerReader, Auth, EmbeddingAnswer, EmbeddingRequest, ErrorAnswer, HttpCall, Method, ModelPage, Wire};
use crate::error::ProviderError;
use crate::ledger::BilledTokens;
use crate::provider::ChatRequest;
use crate::provider::frame::Framing;

/// OpenAI and compatible servers.
#[derive(Debug)]
pub struct OpenAi {
    provider: String,
    chat: Chat,
}

impl OpenAi {
    /// Creates the codec of `provider`, its name in the configuration; `is_vendor_host` for
    /// OpenAI's own address, which supports more than compatible servers.
    pub fn new(provider: &str, is_vendor_host: bool) -> Self {
        let dialect = if is_vendor_host { Dialect::Vendor } else { Dialect::Compatible };
        Self { provider: provider.to_owned(), chat: Chat::new(provider, dialect) }
    }
}

impl Wire for OpenAi {
    fn default_base_url(&self) -> &'static str {
        "https://api.openai.com/v1"
    }

    fn auth(&self) -> Auth {
        Auth::Bearer
    }

    fn framing(&self) -> Framing {
        Framing::Sse
    }

    fn chat(&self, request: &ChatRequest, model: &str) -> HttpCall {
        self.chat.call(request, model)
    }

    fn reader(&self) -> Box<dyn AnswerReader> {
        self.chat.reader()
    }

    fn failure(&self, answer: &ErrorAnswer<'_>) -> ProviderError {
        self.chat.failure(answer)
    }

    fn models(&self, _page: Option<&str>) -> HttpCall {
        Chat::models()
    }

    fn read_models(&self, body: &[u8]) -> Result<ModelPage, ProviderError> {
        self.chat.read_models(body)
    }

    fn embeddings(&self, request: &EmbeddingRequest<'_>) -> Option<HttpCall> {
        let mut body = json!({ "model": request.model, "input": request.texts, "encoding_format": "float" });
        // Only these models support fewer dimensions; others refuse the field.
        if let Some(dimensions) = request.dimensions.filter(|_| request.model.starts_with("text-embedding-3")) {
            body["dimensions"] = dimensions.into();
        }
        Some(HttpCall { method: Method::Post, path: "/embeddings".to_owned(), headers: Vec::new(), body: Some(body) })
    }

    fn read_embeddings(&self, body: &[u8]) -> Result<EmbeddingAnswer, ProviderError> {
        vectors(body).ok_or_else(|| Cause::Garbage.error(&self.provider, "", &String::from_utf8_lossy(body)))
    }
}

#[derive(Deserialize)]
struct EmbeddingList {
    data: Vec<EmbeddingRow>,
    #[serde(default)]
    usage: Option<EmbeddingUsage>,
}

#[derive(Deserialize)]
struct EmbeddingRow {
    #[serde(default)]
    index: Option<usize>,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct EmbeddingUsage {
    #[serde(default)]
    prompt_tokens: Option<u64>,
}

/// Reads the vectors by index, if given. `None` unless there is one for each index from 0, all
/// finite and of the same length.
fn vectors(body: &[u8]) -> Option<EmbeddingAnswer> {
    let EmbeddingList { data, usage } = serde_json::from_slice(body).ok()?;
    let mut rows: Vec<(usize, Vec<f32>)> =
        data.into_iter().enumerate().map(|(place, row)| (row.index.unwrap_or(place), row.embedding)).collect();
    rows.sort_by_key(|(index, _)| *index);
    let dimensions = rows.first()?.1.len();
    let is_sound = rows.iter().enumerate().all(|(place, (index, vector))| {
        *index == place && !vector.is_empty() && vector.len() == dimensions && vector.iter().all(|x| x.is_finite())
    });
    let usage = BilledTokens { input: usage.and_then(|usage| usage.prompt_tokens), ..BilledTokens::default() };
    is_sound.then(|| EmbeddingAnswer { vectors: rows.into_iter().map(|(_, vector)| vector).collect(), usage })
}

#[cfg(test)]
mod tests;
