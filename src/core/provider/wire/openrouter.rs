//! OpenRouter's protocol: OpenAI's chat with what a router adds.
//!
//! The differences: a title for the user's statistics there, comments while waiting for the
//! upstream, a possibly different model in the answer, a cost in every answer, and upstream errors
//! within a 200. It has no embeddings here.
//!
//! Source: the types of the vendor's SDK 1.3.84 and its page on errors, read on 2026-11-21.

use super::openai::chat::{Chat, Dialect};
use super::{AnswerReader, Auth, EmbeddingAnswer, EmbeddingRequest, ErrorAnswer, HttpCall, ModelPage, Wire};
use crate::error::{ProviderError, ProviderFailure};
use crate::provider::ChatRequest;
use crate::provider::frame::Framing;

/// The OpenRouter codec.
#[derive(Debug)]
pub struct OpenRouter {
    provider: String,
    chat: Chat,
}

impl OpenRouter {
    /// Creates the codec of `provider`, its name in the configuration.
    pub fn new(provider: &str) -> Self {
        Self { provider: provider.to_owned(), chat: Chat::new(provider, Dialect::OpenRouter) }
    }
}

impl Wire for OpenRouter {
    fn default_base_url(&self) -> &'static str {
        "https://openrouter.ai/api/v1"
    }

    fn auth(&self) -> Auth {
        Auth::Bearer
    }

    fn framing(&self) -> Framing {
        Framing::Sse
    }

    fn chat(&self, request: &ChatRequest, model: &str) -> HttpCall {
        let mut call = self.chat.call(request, model);
        call.headers.push(("x-openrouter-title", "aludel".to_owned()));
        call
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

    fn embeddings(&self, _request: &EmbeddingRequest<'_>) -> Option<HttpCall> {
        None
    }

    fn read_embeddings(&self, _body: &[u8]) -> Result<EmbeddingAnswer, ProviderError> {
        let message = "embeddings are not supported with it; set another provider for them";
        Err(ProviderError::new(&self.provider, ProviderFailure::Rejected, message))
    }
}

#[cfg(test)]
mod tests;
