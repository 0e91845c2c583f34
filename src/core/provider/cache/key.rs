//! The cache key: a SHA-256 over everything that can change the answer.
//!
//! | in the key | |
//! |---|---|
//! | [`VERSION`] | raised whenever this table or the encoding changes |
//! | provider: name, kind, `base_url`, non-secret headers; for `sim` its script | another server, another answer |
//! | model | the request's, else the provider's default, by name |
//! | messages: role and content, in order | |
//! | temperature (its bits), `max_tokens`, the schema as sent | as requested, before a model's refusals are known |
//! | role, phase, sample number | eight equal variants are eight samples, and stay eight |
//!
//! Not in the key: the API key and secret headers (they decide who pays, and no secret may reach a
//! file, not even hashed), timeouts, retries, concurrency and caps (they change when an answer
//! comes, not which), fallbacks (their answers are not cached), the rest of the [`Brief`] (no model
//! reads it; its texts are in the messages), and the model behind a name today (answers expire).
//!
//! Fields are encoded as a tag, a length of eight bytes and the bytes; absent ones are left out. So
//! different requests never share an encoding, and as SHA-256 resists collisions, a server's
//! clients cannot plant answers for one another.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::domain::ProviderKind;
use crate::provider::{Brief, ChatRequest, Role};

/// The first field of every encoding.
const VERSION: &str = "aludel answer 1";

/// The provider's part of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name in the configuration.
    pub provider: String,
    /// The protocol it speaks.
    pub kind: ProviderKind,
    /// Its address; `None`: the vendor's own.
    pub base_url: Option<String>,
    /// Non-secret headers sent along.
    pub headers: Vec<(String, String)>,
    /// The bound model, which overrides the request's; `None`: the request's, else the default.
    pub model: Option<String>,
    /// The script of a scripted provider.
    pub script: Option<String>,
}

/// Identifies an answer. Equal for equal requests, and for no others.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct AnswerKey([u8; 32]);

impl AnswerKey {
    /// The key of `request` to `source`, whose default model is `default_model`.
    pub(super) fn of(source: &Source, request: &ChatRequest, default_model: &str) -> Self {
        Self(Sha256::digest(encoding(source, request, default_model)).into())
    }

    /// Restores a key from stored bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for AnswerKey {
    /// The first eight bytes, for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..8].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for AnswerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnswerKey({self})")
    }
}

/// The fields of a key. A new field gets a new number; no number is reused within a version.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Tag {
    Version = 0,
    Provider = 1,
    Kind = 2,
    BaseUrl = 3,
    HeaderName = 4,
    HeaderValue = 5,
    Script = 6,
    Model = 7,
    MessageRole = 8,
    MessageContent = 9,
    Temperature = 10,
    MaxTokens = 11,
    Schema = 12,
    Step = 13,
    Sample = 14,
}

struct Encoding(Vec<u8>);

impl Encoding {
    fn field(&mut self, tag: Tag, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        self.0.push(tag as u8);
        self.0.extend((bytes.len() as u64).to_le_bytes());
        self.0.extend(bytes);
    }

    fn optional(&mut self, tag: Tag, bytes: Option<impl AsRef<[u8]>>) {
        if let Some(bytes) = bytes {
            self.field(tag, bytes);
        }
    }
}

fn encoding(source: &Source, request: &ChatRequest, default_model: &str) -> Vec<u8> {
    let texts: usize = request.messages.iter().map(|message| message.content.len()).sum();
    let mut encoding = Encoding(Vec::with_capacity(texts + 1024));
    encoding.field(Tag::Version, VERSION);
    encoding.field(Tag::Provider, &source.provider);
    encoding.field(Tag::Kind, source.kind.as_str());
    encoding.optional(Tag::BaseUrl, source.base_url.as_ref());
    let mut headers: Vec<_> = source.headers.iter().collect();
    headers.sort();
    for (name, value) in headers {
        encoding.field(Tag::HeaderName, name);
        encoding.field(Tag::HeaderValue, value);
    }
    encoding.optional(Tag::Script, source.script.as_ref());
    encoding.field(Tag::Model, source.model.as_deref().or(request.model.as_deref()).unwrap_or(default_model));
    for message in &request.messages {
        let role = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        encoding.field(Tag::MessageRole, role);
        encoding.field(Tag::MessageContent, &message.content);
    }
    // Makes -0.0 equal to 0.0.
    encoding.optional(Tag::Temperature, request.temperature.map(|wanted| (wanted + 0.0).to_bits().to_le_bytes()));
    encoding.optional(Tag::MaxTokens, request.max_tokens.map(u32::to_le_bytes));
    encoding.optional(Tag::Schema, request.response_schema.as_ref().map(serde_json::Value::to_string));
    match &request.brief {
        Brief::Phase(brief) => {
            encoding.field(Tag::Step, brief.phase.as_str());
            encoding.field(Tag::Sample, brief.variant.to_le_bytes());
        }
        Brief::Judge(_) => encoding.field(Tag::Step, "judge"),
    }
    encoding.0
}

#[cfg(test)]
mod tests;
