//! The codecs: each protocol's requests as data, its answers read frame by frame. No I/O, no clock.
//!
//! A codec builds an [`HttpCall`]; the transport sends it, splits the answer into [`Frame`]s and
//! feeds them to the codec's [`AnswerReader`], which returns [`Piece`]s. The codec also interprets
//! error answers ([`Wire::failure`]) and says where the key goes ([`Auth`]), but never sees one.
//!
//! Requests are already fitted to the model by the layer above, so a codec sends all it is given.
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
use crate::ledger::BilledTokens;

/// One protocol.
pub trait Wire: Send + Sync {
    /// The vendor's documented base URL, without a trailing slash.
    fn default_base_url(&self) -> &'static str;

    /// How the key is sent.
    fn auth(&self) -> Auth;

    /// The framing of a streamed answer.
    fn framing(&self) -> Framing;

    /// Builds the request for a streamed answer of `model`.
    fn chat(&self, request: &ChatRequest, model: &str) -> HttpCall;

    /// Creates a reader for one answer.
    fn reader(&self) -> Box<dyn AnswerReader>;

    /// Interprets an error answer: any status from 300, and a 200 whose body is no stream.
    fn failure(&self, answer: &ErrorAnswer<'_>) -> ProviderError;

    /// Builds the request for the model list; `page` is the token of a further page.
    fn models(&self, page: Option<&str>) -> HttpCall;

    /// Reads a page of the model list.
    ///
    /// # Errors
    /// `provider_unavailable` for a body that is not a list of models.
    fn read_models(&self, body: &[u8]) -> Result<ModelPage, ProviderError>;

    /// Builds the request to embed `request`'s texts; `None` if the protocol has no embeddings.
    fn embeddings(&self, request: &EmbeddingRequest<'_>) -> Option<HttpCall>;

    /// Reads the vectors in the order of the texts, unnormalised.
    ///
    /// # Errors
    /// `provider_unavailable` for a body that is not a list of vectors.
    fn read_embeddings(&self, body: &[u8]) -> Result<EmbeddingAnswer, ProviderError>;
}

/// Reads one streamed answer.
pub trait AnswerReader: Send {
    /// Reads a frame. After [`Piece::End`] nothing more is read.
    ///
    /// # Errors
    /// An error in the stream, a refusal, or a malformed frame.
    fn read(&mut self, frame: &Frame) -> Result<Vec<Piece>, ProviderError>;

    /// Handles the end of the stream without [`Piece::End`].
    ///
    /// # Errors
    /// `provider_unavailable` when the answer is incomplete.
    fn at_end(&mut self) -> Result<Vec<Piece>, ProviderError>;
}

/// A piece of information from a frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// Text of the answer.
    Text(String),
    /// Reasoning; empty for a keep-alive.
    Thinking(String),
    /// The model that answers; the last one counts.
    Model(String),
    /// Tokens so far. Newer counts replace older ones.
    Usage(BilledTokens),
    /// The cost reported by the provider, in US dollars.
    Cost(f64),
    /// The answer was cut at the token limit.
    Truncated,
    /// The answer is complete; nothing of interest follows.
    End,
}

/// A request to send.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpCall {
    /// GET or POST.
    pub method: Method,
    /// Appended to the base URL; begins with a slash and can have a query.
    pub path: String,
    /// Besides `content-type`, `accept`, the key and the user's headers.
    pub headers: Vec<(&'static str, String)>,
    /// JSON; `None` for GET.
    pub body: Option<serde_json::Value>,
}

/// HTTP methods in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Without a body.
    Get,
    /// With a JSON body.
    Post,
}

/// How a key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Auth {
    /// `Authorization: Bearer <key>`.
    Bearer,
    /// The key alone in a header of this name.
    Header(&'static str),
}

/// An error answer.
#[derive(Debug, Clone, Copy)]
pub struct ErrorAnswer<'a> {
    /// HTTP status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: &'a [(String, String)],
    /// The body, truncated at 64 KiB.
    pub body: &'a [u8],
    /// The requested model; empty if none.
    pub model: &'a str,
    /// When it arrived, in milliseconds since 1970, for dates in `Retry-After`.
    pub received_ms: i64,
}

/// A page of the model list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelPage {
    /// Names as used in requests.
    pub models: Vec<String>,
    /// The token of the next page.
    pub next: Option<String>,
}

/// Texts to embed in one call.
#[derive(Debug, Clone, Copy)]
pub struct EmbeddingRequest<'a> {
    /// The model.
    pub model: &'a str,
    /// Non-empty texts, at most [`MAX_EMBEDDING_BATCH`].
    pub texts: &'a [String],
    /// What they are embedded for.
    pub purpose: Purpose,
    /// Requested dimensions; `None`: the model's own.
    pub dimensions: Option<usize>,
}

/// The most texts in one call: the lowest limit of any vendor.
pub const MAX_EMBEDDING_BATCH: usize = 100;

/// Vectors as returned by a vendor.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EmbeddingAnswer {
    /// One per text.
    pub vectors: Vec<Vec<f32>>,
    /// Input tokens, if the vendor counts them.
    pub usage: BilledTokens,
}
