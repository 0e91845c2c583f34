//! Network transport, the same for every codec.
//!
//! [`HttpTransport`] chats and [`HttpEmbedder`] embeds; both, and the model list, use one
//! [`ProviderClient`], over HTTP clients that all providers share ([`Clients`]). Statuses, headers,
//! broken connections and keys are handled here, the protocol in its codec ([`wire`](super::wire)).
//!
//! Dropping a call closes its socket at once. An answer is read until the codec says it is
//! complete; the rest, usually a few bytes, is drained briefly so that the connection can be
//! reused. Only the connect timeout is here; the layers above have the others.

mod answer;
mod client;
mod connection_error;
mod embedding;
mod key;
mod link;
mod models;
mod place;
pub mod probe;
pub mod proxy;
pub mod server_health;
#[cfg(any(test, feature = "test-support"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod trace;

use std::sync::Arc;
use std::time::Duration;

use async_stream::try_stream;
use futures_util::FutureExt;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use tokio::time::Instant;

use super::checked::ended_early;
use super::frame::{Frame, Framer, Framing};
use super::timeout::Timeouts;
use super::wire::Piece;
use super::{ChatRequest, Chunk, ChunkStream, Provider};
use crate::error::ProviderError;

use answer::AnswerBuilder;
pub use answer::CostOf;
pub use client::Clients;
pub use embedding::{CallPolicy, HttpEmbedder};
pub use link::ProviderClient;
use link::{ExpectedBody, LONGEST_ANSWER};
pub use models::Listing;
use trace::traced;

/// How often the rest of an answer is polled before it is drained in the background.
const DRAIN_POLLS: usize = 4;

/// How long the rest of an answer is drained in the background.
const DRAIN: Duration = Duration::from_millis(200);

/// A provider over HTTP.
pub struct HttpTransport {
    link: Arc<ProviderClient>,
    model: Option<String>,
    patience: Timeouts,
    cost_of: CostOf,
}

impl HttpTransport {
    /// A provider that calls through `link`, with `model` if a request names none. Without either,
    /// a call fails with the list of available models, fetched within `patience`.
    pub fn new(link: Arc<ProviderClient>, model: Option<String>, patience: Timeouts, cost_of: CostOf) -> Self {
        Self { link, model, patience, cost_of }
    }
}

impl Provider for HttpTransport {
    fn name(&self) -> &str {
        &self.link.name
    }

    fn default_model(&self) -> &str {
        self.model.as_deref().unwrap_or_default()
    }

    fn stream(&self, request: ChatRequest) -> ChunkStream {
        let (link, cost_of, patience) = (Arc::clone(&self.link), Arc::clone(&self.cost_of), self.patience);
        let model = request.model.clone().unwrap_or_else(|| self.default_model().to_owned());
        Box::pin(try_stream! {
            if model.is_empty() {
                Err::<(), _>(models::none_named(&link, patience).await)?;
            }
            let start = Instant::now();
            let mut response = open(&link, &request, &model).await?;
            let framing = Framer::new(link.wire.framing());
            let mut reading = FrameReader { framer: framing, reader: link.wire.reader(), link: &link, bytes: 0 };
            let mut answer = AnswerBuilder::new(start);
            loop {
                let came = response.chunk().await.map_err(|error| link.called().cut(error))?;
                let is_over = came.is_none();
                let (pieces, fault) = reading.take(came.as_deref());
                let mut chunks = Vec::new();
                let is_complete = answer.take(pieces, Instant::now(), &mut chunks);
                for chunk in chunks {
                    yield chunk;
                }
                if is_complete {
                    break;
                }
                fault.map_or(Ok(()), Err)?;
                if is_over {
                    Err::<(), _>(ended_early(&link.name))?;
                }
            }
            let completion = answer.complete(&link.name, &request, &model, Instant::now(), &cost_of);
            drain(response).await;
            yield Chunk::Done(completion);
        })
    }
}

/// Opens a stream and checks the head of its answer.
async fn open(link: &ProviderClient, request: &ChatRequest, model: &str) -> Result<Response, ProviderError> {
    let framing = link.wire.framing();
    let call = traced(link.wire.chat(request, model), &request.account);
    let response = link.send(call, ExpectedBody::Stream(framing), model).await?;
    match not_a_stream(&response, framing) {
        None => Ok(response),
        Some(NotAStream::Json) => Err(link.refused(response, model).await),
        Some(NotAStream::Page) => Err(link.called().garbage("a web page")),
    }
}

/// Turns bytes into frames and frames into pieces.
struct FrameReader<'a> {
    framer: Framer,
    reader: Box<dyn super::wire::AnswerReader>,
    link: &'a ProviderClient,
    bytes: usize,
}

impl FrameReader<'_> {
    /// Reads these bytes, or the end: the pieces up to the first error, and that error.
    fn take(&mut self, came: Option<&[u8]>) -> (Vec<Piece>, Option<ProviderError>) {
        let mut pieces = Vec::new();
        let outcome = self.read(came, &mut pieces);
        (pieces, outcome.err())
    }

    fn read(&mut self, came: Option<&[u8]>, pieces: &mut Vec<Piece>) -> Result<(), ProviderError> {
        let frames = match came {
            Some(bytes) => {
                self.bytes = self.bytes.saturating_add(bytes.len());
                if self.bytes > LONGEST_ANSWER {
                    return Err(self.link.too_long(LONGEST_ANSWER));
                }
                self.framer.push(bytes)
            }
            None => self.framer.finish(),
        };
        let frames: Vec<Frame> = frames.map_err(|fault| self.link.called().garbage(&format!("no stream ({fault})")))?;
        for frame in &frames {
            let read = self.reader.read(frame).map_err(|error| self.link.own(error))?;
            let is_end = read.contains(&Piece::End);
            pieces.extend(read);
            if is_end {
                return Ok(());
            }
        }
        if came.is_none() {
            pieces.extend(self.reader.at_end().map_err(|error| self.link.own(error))?);
        }
        Ok(())
    }
}

/// What came instead of a stream.
enum NotAStream {
    Json,
    Page,
}

/// Recognises an answer that is no stream by its content type; a missing or unknown one passes.
fn not_a_stream(response: &Response, framing: Framing) -> Option<NotAStream> {
    let content_type = response.headers().get(CONTENT_TYPE)?.to_str().ok()?.to_ascii_lowercase();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    match media_type {
        "text/html" => Some(NotAStream::Page),
        // Lines of JSON are often labelled as JSON.
        "application/json" | "application/problem+json" if framing == Framing::Sse => Some(NotAStream::Json),
        _ => None,
    }
}

/// Drains the rest of an answer so that the connection can be reused. What has arrived is read now,
/// the rest in the background; a connection that keeps sending is closed.
async fn drain(mut response: Response) {
    let mut rest = Box::pin(async move { while let Ok(Some(_)) = response.chunk().await {} });
    for _ in 0..DRAIN_POLLS {
        if rest.as_mut().now_or_never().is_some() {
            return;
        }
        tokio::task::yield_now().await;
    }
    tokio::spawn(tokio::time::timeout(DRAIN, rest));
}
