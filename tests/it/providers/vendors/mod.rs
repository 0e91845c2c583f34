//! The five vendors' wire protocols, in bytes: complete answers, refusals, and every way to fail.
//!
//! Written from the vendors' SDK types and documentation, independently of the tested codecs. One
//! file per vendor; shared parts are here. What a vendor cannot express is a [`Missing`] with the
//! reason, so that gaps are visible.
//!
//! Some messages repeat the key in place of `{key}`; see [`repeating`]. Every complete answer has
//! the same account ([`INPUT_TOKENS`], [`OUTPUT_TOKENS`]) in its vendor's own terms.

mod anthropic;
mod google;
mod ollama;
mod openai;
mod openrouter;

use aludel_core::provider::transport::testing::Script;
use serde_json::Value;

/// The tokens sent for every complete answer, including cached ones.
pub(super) const INPUT_TOKENS: u64 = 11;
/// The tokens received, including reasoning.
pub(super) const OUTPUT_TOKENS: u64 = 7;
/// OpenRouter's cost of a complete answer, in US dollars. No other vendor reports one.
pub(super) const OPENROUTER_COST: f64 = 0.000_123;

/// A model in no table, so that neither its price nor its parameters are known.
pub(super) const MODEL: &str = "alembic-1";

/// Why a vendor cannot fail in some way.
pub(super) type Missing = &'static str;

/// One of the five.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Vendor {
    OpenAi,
    Anthropic,
    Google,
    OpenRouter,
    Ollama,
}

/// A non-streamed response.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
}

/// A streamed answer, split into frames.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    /// Before the text: roles, reasoning, keep-alives.
    pub(super) opening: Vec<Vec<u8>>,
    /// A frame for each piece of text.
    pub(super) deltas: Vec<Vec<u8>>,
    /// The ending, with the account.
    pub(super) closing: Vec<Vec<u8>>,
}

impl Answer {
    /// All frames.
    pub(super) fn frames(&self) -> impl Iterator<Item = &Vec<u8>> {
        self.opening.iter().chain(&self.deltas).chain(&self.closing)
    }
}

/// The subject of an HTTP error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Complaint {
    /// The key is wrong.
    BadKey,
    /// The key is valid but not allowed to do this.
    Forbidden,
    /// There is no such model.
    UnknownModel,
    /// A filter in front of the model declines the input.
    Moderated,
    /// The model does not support a temperature.
    RefusedTemperature,
    /// Something else about the request.
    BadRequest,
    /// More tokens than the model reads.
    TooLong,
    /// No credit left.
    OutOfCredit,
    /// Too many requests; waiting helps.
    RateLimited(Wait),
    /// A quota that waiting does not restore.
    QuotaUsedUp,
    /// An internal error of theirs.
    Internal,
    /// Too busy for any client.
    Unavailable,
    /// Too busy for this client.
    Overloaded,
}

/// The form in which a vendor states a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// Not stated.
    Unsaid,
    /// `Retry-After` in seconds.
    Seconds(u32),
    /// `Retry-After` as a date this many seconds after the response.
    Date(u32),
    /// `retry-after-ms`.
    Milliseconds(u32),
    /// `google.rpc.RetryInfo` in the body, in seconds.
    RetryInfo(u32),
}

/// The subject of an error inside a stream that began well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamFault {
    /// An internal error of theirs.
    Internal,
    /// Too busy, or too many requests.
    Overloaded,
}

impl Vendor {
    pub(super) const ALL: [Self; 5] = [Self::OpenAi, Self::Anthropic, Self::Google, Self::OpenRouter, Self::Ollama];

    /// Its name, which is also the provider's kind.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Google => "google",
            Self::OpenRouter => "openrouter",
            Self::Ollama => "ollama",
        }
    }

    /// The path of its documented root.
    pub(super) const fn root(self) -> &'static str {
        match self {
            Self::OpenAi => "/v1",
            Self::Google => "/v1beta",
            Self::OpenRouter => "/api/v1",
            Self::Anthropic | Self::Ollama => "",
        }
    }

    /// The path of a streamed chat, below the host.
    pub(super) fn chat_path(self, model: &str) -> String {
        match self {
            Self::OpenAi => "/v1/chat/completions".to_owned(),
            Self::Anthropic => "/v1/messages".to_owned(),
            Self::Google => format!("/v1beta/models/{model}:streamGenerateContent?alt=sse"),
            Self::OpenRouter => "/api/v1/chat/completions".to_owned(),
            Self::Ollama => "/api/chat".to_owned(),
        }
    }

    /// The header of its key, in lower case, and the scheme before the key.
    pub(super) const fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Self::Anthropic => ("x-api-key", ""),
            Self::Google => ("x-goog-api-key", ""),
            Self::OpenAi | Self::OpenRouter | Self::Ollama => ("authorization", "Bearer "),
        }
    }

    /// The media type of a stream.
    pub(super) const fn stream_type(self) -> &'static str {
        match self {
            Self::Ollama => "application/x-ndjson",
            Self::OpenAi | Self::OpenRouter => "text/event-stream; charset=utf-8",
            Self::Anthropic | Self::Google => "text/event-stream",
        }
    }

    /// A complete answer of these pieces.
    pub(super) fn answer(self, model: &str, pieces: &[&str]) -> Answer {
        let deltas = pieces.iter().map(|piece| self.delta(model, piece)).collect();
        let (opening, closing) = match self {
            Self::OpenAi => (openai::opening(model), openai::closing(model, "stop")),
            Self::Anthropic => (anthropic::opening(model), anthropic::closing("end_turn", &Value::Null)),
            Self::Google => (google::opening(model), google::closing(model, "STOP")),
            Self::OpenRouter => (openrouter::opening(model), openrouter::closing(model, "stop")),
            Self::Ollama => (ollama::opening(model), ollama::closing(model, "stop")),
        };
        Answer { opening, deltas, closing }
    }

    /// One frame of text.
    pub(super) fn delta(self, model: &str, text: &str) -> Vec<u8> {
        match self {
            Self::OpenAi => openai::delta(model, text),
            Self::Anthropic => anthropic::delta(text),
            Self::Google => google::delta(model, text),
            Self::OpenRouter => openrouter::delta(model, text),
            Self::Ollama => ollama::delta(model, text),
        }
    }

    /// Two ways to decline to answer inside a stream.
    ///
    /// # Errors
    /// The reason why it has none.
    pub(super) fn refusals(self, model: &str) -> Result<[Answer; 2], Missing> {
        match self {
            Self::OpenAi => Ok(openai::refusals(model)),
            Self::Anthropic => Ok(anthropic::refusals(model)),
            Self::Google => Ok(google::refusals(model)),
            Self::OpenRouter => Ok(openrouter::refusals(model)),
            Self::Ollama => Err("the protocol has no refusal: a local model declines in its text"),
        }
    }

    /// An HTTP error.
    ///
    /// # Errors
    /// The reason why it has no such error.
    pub(super) fn complaint(self, complaint: Complaint) -> Result<Reply, Missing> {
        match self {
            Self::OpenAi => openai::complaint(complaint),
            Self::Anthropic => anthropic::complaint(complaint),
            Self::Google => google::complaint(complaint),
            Self::OpenRouter => openrouter::complaint(complaint),
            Self::Ollama => ollama::complaint(complaint),
        }
    }

    /// The frame of an error in the middle of a stream.
    ///
    /// # Errors
    /// The reason why it has no such frame.
    pub(super) fn stream_fault(self, model: &str, fault: StreamFault) -> Result<Vec<u8>, Missing> {
        match self {
            Self::OpenAi => Ok(openai::stream_fault(fault)),
            Self::Anthropic => Ok(anthropic::stream_fault(fault)),
            Self::Google => Ok(google::stream_fault(fault)),
            Self::OpenRouter => Ok(openrouter::stream_fault(model, fault)),
            Self::Ollama => ollama::stream_fault(fault),
        }
    }
}

impl Reply {
    /// Sends it completely, on a connection that stays open, to a client that sent this key.
    pub(super) fn script(&self, key: &str) -> Script {
        let headers: Vec<(&str, &str)> = self.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Script::whole(self.status, &headers, repeating(&self.body, key))
    }

    /// A JSON body.
    fn json(status: u16, body: &Value) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        Self { status, headers, body: body.to_string().into_bytes() }
    }

    /// The page of a proxy in front of a vendor, which does not know its protocol.
    pub(super) fn page(status: u16, title: &str) -> Self {
        let body = format!(
            "<html>\r\n<head><title>{status} {title}</title></head>\r\n<body>\r\n<center><h1>{status} {title}</h1></center>\r\n\
             <hr><center>cloudflare</center>\r\n<!-- {{key}} -->\r\n</body>\r\n</html>\r\n"
        );
        Self { status, headers: vec![("content-type", "text/html".to_owned())], body: body.into_bytes() }
    }

    fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Adds the wait in the headers of HTTP or OpenAI.
    fn with_wait(self, wait: Wait) -> Self {
        match wait {
            Wait::Seconds(seconds) => self.with_header("retry-after", seconds.to_string()),
            Wait::Date(seconds) => self.with_header("retry-after", http_date_in(seconds)),
            Wait::Milliseconds(milliseconds) => self.with_header("retry-after-ms", milliseconds.to_string()),
            Wait::Unsaid | Wait::RetryInfo(_) => self,
        }
    }
}

/// The time this many seconds from now as an HTTP date (RFC 9110, section 5.6.7).
fn http_date_in(seconds: u32) -> String {
    let now = aludel_core::time::Clock::now(&aludel_core::time::SystemClock);
    let then = now + jiff::Span::new().seconds(seconds);
    then.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// Inserts the key that was sent where a vendor repeats it: they should not, but some do.
pub(super) fn repeating(bytes: &[u8], key: &str) -> Vec<u8> {
    const PLACE: &[u8] = b"{key}";
    match bytes.windows(PLACE.len()).position(|window| window == PLACE) {
        Some(at) => [&bytes[..at], key.as_bytes(), &bytes[at + PLACE.len()..]].concat(),
        None => bytes.to_vec(),
    }
}

/// A server-sent event without a name.
fn unnamed(data: &Value) -> Vec<u8> {
    format!("data: {data}\n\n").into_bytes()
}

/// A server-sent event with one.
fn named(event: &str, data: &Value) -> Vec<u8> {
    format!("event: {event}\ndata: {data}\n\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stands_in_its_frame_as_it_is() {
        for vendor in Vendor::ALL {
            let frame = vendor.delta(MODEL, "蒸留 drips");
            assert!(String::from_utf8(frame).expect("UTF-8").contains("蒸留 drips"), "{vendor:?}");
        }
    }

    #[test]
    fn dates_are_those_of_http() {
        let date = http_date_in(0);
        assert!(date.ends_with(" GMT") && date.len() == "Sun, 06 Nov 1994 08:49:37 GMT".len(), "{date}");
    }
}
