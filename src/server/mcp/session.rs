//! The transport of one session: lines in, lines out, and what the library must not see.
//!
//! Lines that are not messages are answered here (see `message`). Before a session is open, the
//! library ends the service when anything but a request arrives. A client may well send a
//! notification then (cancelling its own discovery, say), so those are dropped. Handlers are
//! notified of the end of input: they can still finish and answer, but send no more progress. A
//! line longer than [`LONGEST_LINE`] is discarded.

use std::io;

use aludel_core::domain::limits;
use futures_util::StreamExt;
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta, ProtocolVersion};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::bytes::{Bytes, BytesMut};
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, Decoder, FramedRead};
use tokio_util::sync::CancellationToken;

use super::message::{self, Incoming};
use super::outbox::Outbox;

/// The longest line accepted, in bytes: the size of an HTTP request's body.
pub(super) const LONGEST_LINE: usize = limits::BODY_BYTES;

/// A line-based transport.
pub(super) struct Session<R> {
    lines: FramedRead<R, Lines>,
    outbox: Outbox,
    /// The reply to a line that is not a message, until it is queued.
    answer: Option<Vec<u8>>,
    is_open: bool,
    input_ended: CancellationToken,
}

impl<R: AsyncRead + Send + Unpin> Session<R> {
    /// Reads `input` and writes to `output`; fires `input_ended` at the end of input and `broken`
    /// when nothing more can be written.
    pub(super) fn new(
        input: R,
        output: impl AsyncWrite + Send + Unpin + 'static,
        input_ended: CancellationToken,
        broken: CancellationToken,
    ) -> Self {
        let lines = FramedRead::new(
            input,
            Lines(AnyDelimiterCodec::new_with_max_length(b"\n".into(), b"\n".into(), LONGEST_LINE)),
        );
        Self { lines, outbox: Outbox::new(output, broken), answer: None, is_open: false, input_ended }
    }

    /// True when the message should reach the library.
    fn should_forward(&mut self, message: &ClientJsonRpcMessage) -> bool {
        match message {
            ClientJsonRpcMessage::Request(request) => {
                self.is_open |= opens_a_session(&request.request);
                true
            }
            _ => self.is_open,
        }
    }

    /// The next line; `None` at the end of input.
    async fn next_line(&mut self) -> Option<Line> {
        match self.lines.next().await? {
            Ok(line) => Some(line),
            Err(error) => {
                tracing::warn!(%error, "standard input cannot be read any more");
                None
            }
        }
    }
}

/// True for `initialize` and for a request with everything a stateless one needs.
fn opens_a_session(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::DiscoverRequest(_) | ClientRequest::PingRequest(_) => false,
        other => other.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty(),
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleServer> for Session<R> {
    type Error = io::Error;

    fn send(&mut self, item: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let sending = serde_json::to_vec(&item).map(|line| self.outbox.send(line));
        async move { sending?.await }
    }

    /// Cancel-safe: a partial line and a pending reply are kept.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if !self.outbox.make_room(&mut self.answer).await {
                self.input_ended.cancel();
                return None;
            }
            let Some(line) = self.next_line().await else {
                self.input_ended.cancel();
                if !self.is_open {
                    // Without a session the library drops the transport and never calls `close`.
                    self.outbox.close().await;
                }
                return None;
            };
            let incoming = match line {
                Line::Whole(line) => message::read(&line),
                Line::TooLong => Incoming::Wrong(message::too_long(LONGEST_LINE)),
            };
            match incoming {
                Incoming::Message(message) if self.should_forward(&message) => return Some(*message),
                Incoming::Message(_) => tracing::debug!("a message before the first request was ignored"),
                Incoming::Wrong(answer) => self.answer = Some(answer.to_string().into_bytes()),
                Incoming::Nothing => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.outbox.close().await;
        Ok(())
    }
}

/// Splits input into lines. A line that is too long is reported once and discarded.
struct Lines(AnyDelimiterCodec);

/// A line of input.
enum Line {
    Whole(Bytes),
    TooLong,
}

impl Lines {
    fn told(line: Result<Option<Bytes>, AnyDelimiterCodecError>) -> io::Result<Option<Line>> {
        match line {
            Ok(line) => Ok(line.map(Line::Whole)),
            Err(AnyDelimiterCodecError::MaxChunkLengthExceeded) => Ok(Some(Line::TooLong)),
            Err(AnyDelimiterCodecError::Io(error)) => Err(error),
        }
    }
}

impl Decoder for Lines {
    type Item = Line;
    type Error = io::Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Line>> {
        Self::told(self.0.decode(buffer))
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Line>> {
        Self::told(self.0.decode_eof(buffer))
    }
}
