//! The codecs: each protocol's requests as data, and its answers read frame by frame. No input, no output, no clock.
//!
//! A codec is told what to ask and gives an [`HttpCall`]; the transport sends it, cuts what comes back into
//! [`Frame`]s and feeds them to the codec's [`AnswerReader`], which gives [`Piece`]s. What a status and body mean is the
//! codec's knowledge, too ([`Wire::failure`]). Keys never come here: a codec says in which header one goes ([`Auth`]).
//!
//! A request that arrives here is already fit for its model: what the model does not take has been left out by the
//! layer above, so a codec sends all it is given.
//!
//! Sources: the vendors' own SDK types, as read in November 2026.

pub mod anthropic;
#[cfg(test)]
mod arbitrary_json;
mod escape;
pub mod failure;
pub mod google;
mod lengths;
#[cfg(test)]
mod linear_tests;
#[cfg(test)]
mod messages;
pub mod ollama;
pub mod openai;
pub mod openrouter;
mod reading;
mod refused;
#[cfg(test)]
mod testing;
mod too_long;
mod turns;

use super::ChatRequest;
use super::embedding::Purpose;
use super::frame::{Frame, Framing};
use crate::error::ProviderError;

/// One protocol.
pub trait Wire: Send + Sync {
    /// The vendor's documented root, without a slash at its end.
    fn default_base_url(&self) -> &'static str;

    /// Where the key goes.
    fn auth(&self) -> Auth;

    /// How a streamed answer is cut.
    fn framing(&self) -> Framing;

    /// The request for a streamed answer of `model`.
    fn chat(&self, request: &ChatRequest, model: &str) -> HttpCall;

    /// Reads one answer.
    fn reader(&self) -> Box<dyn AnswerReader>;

    /// What an answer that is no success means: any status of 300 and more, and a 200 whose body is no stream.
    fn failure(&self, answer: &Refusal<'_>) -> ProviderError;

    /// The request for the models there are; `page` is the mark of a further page.
    fn models(&self, page: Option<&str>) -> HttpCall;

    /// Reads the models.
    ///
    /// # Errors
    /// `provider_unavailable` for a body that is no list of models.
    fn read_models(&self, body: &[u8]) -> Result<ModelPage, ProviderError>;

    /// The request that embeds `request`'s texts; `None` where the protocol does not embed.
    fn embeddings(&self, request: &EmbeddingRequest<'_>) -> Option<HttpCall>;

    /// Reads the vectors, in the order of the texts, as the vendor gave them.
    ///
    /// # Errors
    /// `provider_unavailable` for a body that is no list of vectors.
    fn read_embeddings(&self, body: &[u8]) -> Result<EmbeddingAnswer, ProviderError>;
}

/// Reads one streamed answer.
pub trait AnswerReader: Send {
    /// What a frame says. After [`Piece::End`] nothing more is read.
    ///
    /// # Errors
    /// An error of the provider's inside the stream, a refusal, or a frame that is no frame of the protocol.
    fn read(&mut self, frame: &Frame) -> Result<Vec<Piece>, ProviderError>;

    /// The stream ended and there was no [`Piece::End`].
    ///
    /// # Errors
    /// `provider_unavailable` when the answer is not complete.
    fn at_end(&mut self) -> Result<Vec<Piece>, ProviderError>;
}

/// What a frame says.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// Text of the answer.
    Text(String),
    /// Reasoning, or a sign of life when empty.
    Thinking(String),
    /// The model that answers; the last one said counts.
    Model(String),
    /// Tokens so far. A count that is there replaces the earlier one.
    Usage(WireUsage),
    /// The provider's own figure, in US dollars.
    Cost(f64),
    /// The answer was cut at the limit of tokens.
    Truncated,
    /// Complete; nothing of interest follows.
    End,
}

/// Tokens as a vendor counts them, on one scale.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WireUsage {
    /// All tokens sent, cached ones included.
    pub input: Option<u64>,
    /// Of these, read from the provider's cache.
    pub cached_input: Option<u64>,
    /// Of these, written to the provider's cache.
    pub cache_write: Option<u64>,
    /// All tokens to pay for as output, reasoning included.
    pub output: Option<u64>,
}

/// A request to send.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpCall {
    /// GET or POST.
    pub method: Method,
    /// Appended to the base URL; begins with a slash; a query may follow a question mark.
    pub path: String,
    /// Beside `content-type`, `accept`, the key and the user's own.
    pub headers: Vec<(&'static str, String)>,
    /// JSON; `None` for GET.
    pub body: Option<serde_json::Value>,
}

/// The methods in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Reads.
    Get,
    /// Asks.
    Post,
}

/// Where a key goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Auth {
    /// `Authorization: Bearer <key>`.
    Bearer,
    /// The key alone in a header of this name.
    Header(&'static str),
}

/// An answer that is no success.
#[derive(Debug, Clone, Copy)]
pub struct Refusal<'a> {
    /// HTTP status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: &'a [(String, String)],
    /// The body, cut at 64 KiB.
    pub body: &'a [u8],
    /// The model that was asked for; empty where none was.
    pub model: &'a str,
    /// The moment it came, in milliseconds since 1970, for dates in `Retry-After`.
    pub received_ms: i64,
}

/// A page of models.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelPage {
    /// Names as a request takes them.
    pub models: Vec<String>,
    /// The mark of the next page.
    pub next: Option<String>,
}

/// Texts to embed in one call.
#[derive(Debug, Clone, Copy)]
pub struct EmbeddingRequest<'a> {
    /// The model.
    pub model: &'a str,
    /// None is empty; at most [`MAX_EMBEDDING_BATCH`].
    pub texts: &'a [String],
    /// What for.
    pub purpose: Purpose,
    /// Dimensions wanted; `None`: the model's own.
    pub dimensions: Option<usize>,
}

/// The most texts in one call: what the most sparing of the vendors takes.
pub const MAX_EMBEDDING_BATCH: usize = 100;

/// Vectors as a vendor gave them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EmbeddingAnswer {
    /// One a text.
    pub vectors: Vec<Vec<f32>>,
    /// Tokens sent, where the vendor counts them.
    pub usage: WireUsage,
}
