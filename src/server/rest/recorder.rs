//! Records an answer as it is sent, to repeat it under the key of its request.
//!
//! A complete answer is stored before it is sent, a streamed one before its end is: a client that has
//! read it whole can rely on its repetition. At most [`MOST_RECORDED`] bytes of body are kept; of a
//! larger one only that it was answered. A stream that is dropped was either sent to its last event,
//! and counts as sent, or its run has ended with it, and its key is released.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use aludel_core::engine::ClaimedKey;
use aludel_core::store::{KeyedAnswer, Pending};
use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use hyper::body::Frame;

use super::error::{PROBLEM_JSON, Refusal};
use super::work::{Streamed, WorkMark, is_final};

/// Most bytes of a body that are kept.
pub(super) const MOST_RECORDED: usize = 8 << 20;

/// Names and values.
type Headers = Vec<(String, String)>;

/// An answer being recorded. Dropped, it releases the key.
pub(super) struct Recording {
    key: ClaimedKey,
    work: WorkMark,
}

impl Recording {
    pub(super) fn new(key: ClaimedKey, work: WorkMark) -> Self {
        Self { key, work }
    }

    fn store(self, status: StatusCode, headers: Headers, body: Option<Vec<u8>>) -> Pending<()> {
        let run = self.work.run();
        self.key.answer(KeyedAnswer { run, status: status.as_u16(), headers, body })
    }
}

/// Records this answer, if it is one to be repeated.
pub(super) async fn record(response: Response, recording: Recording) -> Response {
    if let Some(refusal) = response.extensions().get::<Refusal>() {
        let problem = refusal.problem();
        if recording.work.run().is_some() && is_final(problem) {
            let body = serde_json::to_vec(problem).ok();
            let kind = (header::CONTENT_TYPE.to_string(), PROBLEM_JSON.to_owned());
            log(recording.store(response.status(), vec![kind], body).await);
        }
        return response;
    }
    if !response.status().is_success() {
        return response;
    }
    let (parts, body) = response.into_parts();
    let headers = repeated(&parts.headers);
    if body.size_hint().exact().is_none() {
        let recorder = Recorder {
            body,
            recorded: Some(Vec::new()),
            recording: Some((recording, parts.status, headers)),
            storing: None,
            is_done: false,
        };
        return Response::from_parts(parts, Body::new(recorder));
    }
    // Its size is known, so it is in memory already.
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let kept = (bytes.len() <= MOST_RECORDED).then(|| bytes.to_vec());
    log(recording.store(parts.status, headers, kept).await);
    Response::from_parts(parts, Body::from(bytes))
}

/// The headers that a repetition has too: those of the handler.
fn repeated(headers: &HeaderMap) -> Headers {
    let text = |value: &HeaderValue| value.to_str().ok().map(str::to_owned);
    let of_handler = headers.iter().filter(|(name, _)| **name != header::CONTENT_LENGTH);
    of_handler.filter_map(|(name, value)| Some((name.to_string(), text(value)?))).collect()
}

/// The client has its answer either way.
fn log(stored: aludel_core::error::Result<()>) {
    if let Err(error) = stored {
        tracing::warn!(%error, "an answer could not be stored for its repetition");
    }
}

/// A body that is recorded as it is sent.
struct Recorder {
    body: Body,
    /// What was sent; `None` once it is too large.
    recorded: Option<Vec<u8>>,
    recording: Option<(Recording, StatusCode, Headers)>,
    storing: Option<Pending<()>>,
    /// True once the body has ended. It is not polled again.
    is_done: bool,
}

impl Recorder {
    fn note(&mut self, piece: &[u8]) {
        if let Some(recorded) = self.recorded.as_mut() {
            if recorded.len() + piece.len() > MOST_RECORDED {
                self.recorded = None;
            } else {
                recorded.extend_from_slice(piece);
            }
        }
    }

    /// Begins to store the answer. Releases the key instead if it should not be repeated.
    fn finish(&mut self) -> Option<Pending<()>> {
        let (recording, status, headers) = self.recording.take()?;
        let is_repeated = match recording.work.streamed() {
            Streamed::Nothing => true,
            Streamed::Some => false,
            Streamed::All { is_final } => is_final,
        };
        is_repeated.then(|| recording.store(status, headers, self.recorded.take()))
    }
}

impl HttpBody for Recorder {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        if !this.is_done {
            match ready!(Pin::new(&mut this.body).poll_frame(context)) {
                Some(Ok(frame)) => {
                    if let Some(piece) = frame.data_ref() {
                        this.note(piece);
                    }
                    return Poll::Ready(Some(Ok(frame)));
                }
                Some(Err(error)) => {
                    this.is_done = true;
                    this.recording = None;
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    this.is_done = true;
                    this.storing = this.finish();
                }
            }
        }
        if let Some(storing) = this.storing.as_mut() {
            log(ready!(Pin::new(storing).poll(context)));
            this.storing = None;
        }
        Poll::Ready(None)
    }

    fn is_end_stream(&self) -> bool {
        self.is_done && self.storing.is_none()
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let is_sent = |recording: &Recording| matches!(recording.work.streamed(), Streamed::All { .. });
        if self.recording.as_ref().is_some_and(|(recording, ..)| is_sent(recording))
            && let Some(storing) = self.finish()
        {
            storing.unattended();
        }
        if let Some(storing) = self.storing.take() {
            storing.unattended();
        }
    }
}
