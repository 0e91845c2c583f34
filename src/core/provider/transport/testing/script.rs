//! One answer of a [`ScriptedServer`](super::ScriptedServer), byte by byte: parts, pauses, cuts.
//!
//! A script is a list of steps. No header, ending or close is added: any wrong answer is possible.

use std::time::Duration;

/// One answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    pub(super) steps: Vec<Step>,
}

/// One step of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Sent at once.
    Bytes(Vec<u8>),
    /// Sends nothing for this long, or until the client closes.
    Pause(Duration),
    /// Sent repeatedly until the client closes.
    Endless(Vec<u8>),
    /// Sends nothing more until the client closes.
    Hang,
    /// Closes the connection gracefully (FIN).
    Close,
    /// Closes the connection at once, discarding data in flight (RST).
    Reset,
}

impl Script {
    /// An empty answer, for cuts before the first byte.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// A status line and headers with the blank line after them. Nothing is added to `headers`.
    pub fn head(status: u16, headers: &[(&str, &str)]) -> Self {
        let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status));
        for (name, value) in headers {
            head.extend([name, ": ", value, "\r\n"]);
        }
        head.push_str("\r\n");
        Self::nothing().bytes(head)
    }

    /// A complete answer with its length; the connection stays open.
    pub fn whole(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let length = body.len().to_string();
        let headers: Vec<(&str, &str)> = headers.iter().copied().chain([("content-length", length.as_str())]).collect();
        Self::head(status, &headers).bytes(body)
    }

    /// A complete JSON answer.
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self::whole(status, &[("content-type", "application/json")], body.to_string())
    }

    /// The head of a chunked stream; [`Script::chunk`]s and [`Script::end`] follow.
    pub fn stream(content_type: &str) -> Self {
        Self::head(200, &[("content-type", content_type), ("transfer-encoding", "chunked")])
    }

    /// A complete stream of server-sent events, one unnamed event per item of `data`.
    pub fn events<D: AsRef<str>>(data: impl IntoIterator<Item = D>) -> Self {
        let stream = Self::stream("text/event-stream");
        data.into_iter().fold(stream, |stream, data| stream.chunk(format!("data: {}\n\n", data.as_ref()))).end()
    }

    /// A complete stream of JSON lines.
    pub fn lines<L: AsRef<str>>(lines: impl IntoIterator<Item = L>) -> Self {
        let stream = Self::stream("application/x-ndjson");
        lines.into_iter().fold(stream, |stream, line| stream.chunk(format!("{}\n", line.as_ref()))).end()
    }

    /// Appends these bytes as they are.
    #[must_use]
    pub fn bytes(self, bytes: impl AsRef<[u8]>) -> Self {
        self.then(Step::Bytes(bytes.as_ref().to_vec()))
    }

    /// Appends a chunk of a chunked body; an empty one would end it and is left out.
    #[must_use]
    pub fn chunk(self, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        if bytes.is_empty() { self } else { self.bytes(chunked(bytes)) }
    }

    /// Ends a chunked body; the connection stays open.
    #[must_use]
    pub fn end(self) -> Self {
        self.bytes("0\r\n\r\n")
    }

    /// Sends nothing for this long. It is real time, so give milliseconds.
    #[must_use]
    pub fn pause(self, pause: Duration) -> Self {
        self.then(Step::Pause(pause))
    }

    /// Repeats this chunk until the client closes.
    #[must_use]
    pub fn endless(self, bytes: impl AsRef<[u8]>) -> Self {
        self.then(Step::Endless(chunked(bytes.as_ref())))
    }

    /// Sends nothing more until the client closes.
    #[must_use]
    pub fn hang(self) -> Self {
        self.then(Step::Hang)
    }

    /// Closes the connection gracefully (FIN).
    #[must_use]
    pub fn close(self) -> Self {
        self.then(Step::Close)
    }

    /// Resets the connection (RST).
    #[must_use]
    pub fn reset(self) -> Self {
        self.then(Step::Reset)
    }

    fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}

fn chunked(bytes: &[u8]) -> Vec<u8> {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    chunk
}

/// The reason phrase of a status, since some clients require one.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301..=308 => "Redirect",
        400..=499 => "Client Error",
        500.. => "Server Error",
        _ => "Answer",
    }
}
