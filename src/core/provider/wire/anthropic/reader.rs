//! Reads a streamed message: named events whose data repeat their type.
//!
//! Only text blocks are the answer. Usage comes with the first event and, cumulative, near the end;
//! newer counts replace older ones. A refusal becomes an error at the end of the stream, after its
//! usage. Unknown events and deltas are ignored, as the vendor asks.

use serde_json::Value;

use super::failure;
use crate::error::ProviderError;
use crate::ledger::BilledTokens;
use crate::provider::checked::ended_early;
use crate::provider::frame::Frame;
use crate::provider::wire::failure::Cause;
use crate::provider::wire::reading::{self, text, tokens};
use crate::provider::wire::{AnswerReader, Piece};

/// Reads one answer.
pub(super) struct Reader {
    provider: String,
    counted: VendorUsage,
    refusal: Option<ProviderError>,
    is_over: bool,
}

/// Token counts as the vendor reports them: `input` excludes cached tokens.
#[derive(Debug, Default)]
struct VendorUsage {
    input: Option<u64>,
    cache_write: Option<u64>,
    cache_read: Option<u64>,
    output: Option<u64>,
}

impl VendorUsage {
    fn take(&mut self, usage: &Value) {
        let Self { input, cache_write, cache_read, output } = self;
        for (count, name) in [
            (input, "input_tokens"),
            (cache_write, "cache_creation_input_tokens"),
            (cache_read, "cache_read_input_tokens"),
            (output, "output_tokens"),
        ] {
            *count = usage[name].as_u64().or(*count);
        }
    }

    /// Converts the counts; `None` without any.
    fn usage(&self) -> Option<BilledTokens> {
        let sent = [self.input, self.cache_write, self.cache_read].into_iter().flatten().fold(0, u64::saturating_add);
        let [input, output] = [sent, self.output.unwrap_or(0)].map(|count| tokens(&count.into()));
        (input.is_some() || output.is_some()).then_some(BilledTokens {
            input,
            cached_input: self.cache_read,
            cache_write: self.cache_write,
            output,
        })
    }
}

impl Reader {
    pub(super) fn new(provider: &str) -> Self {
        Self { provider: provider.to_owned(), counted: VendorUsage::default(), refusal: None, is_over: false }
    }

    fn usage(&mut self, usage: &Value) -> Option<Piece> {
        self.counted.take(usage);
        self.counted.usage().map(Piece::Usage)
    }

    /// Handles the stop reason; the ones not listed mean a complete answer.
    fn stop(&mut self, delta: &Value) -> Option<Piece> {
        match delta["stop_reason"].as_str()? {
            "max_tokens" | "model_context_window_exceeded" => Some(Piece::Truncated),
            "refusal" => {
                self.refusal = Some(refusal(&self.provider, &delta["stop_details"]));
                None
            }
            _ => None,
        }
    }

    fn end(&mut self) -> Result<Vec<Piece>, ProviderError> {
        self.is_over = true;
        self.refusal.take().map_or(Ok(vec![Piece::End]), Err)
    }
}

impl AnswerReader for Reader {
    fn read(&mut self, frame: &Frame) -> Result<Vec<Piece>, ProviderError> {
        if self.is_over {
            return Ok(Vec::new());
        }
        let Frame::Data { event, data } = frame else { return Ok(vec![Piece::Thinking(String::new())]) };
        let value = reading::json(&self.provider, data.as_bytes())?;
        let pieces = match value["type"].as_str().unwrap_or(event) {
            "message_start" => {
                let message = &value["message"];
                let model = text(&message["model"]).map(|model| Piece::Model(model.to_owned()));
                model.into_iter().chain(self.usage(&message["usage"])).collect()
            }
            "content_block_start" => block(&value["content_block"]).into_iter().collect(),
            "content_block_delta" => delta(&value["delta"]).into_iter().collect(),
            "message_delta" => {
                let usage = self.usage(&value["usage"]);
                usage.into_iter().chain(self.stop(&value["delta"])).collect()
            }
            "message_stop" => return self.end(),
            "ping" => vec![Piece::Thinking(String::new())],
            "error" => return Err(failure::in_stream(&self.provider, &value)),
            _ => Vec::new(),
        };
        Ok(pieces)
    }

    fn at_end(&mut self) -> Result<Vec<Piece>, ProviderError> {
        Err(self.refusal.take().unwrap_or_else(|| ended_early(&self.provider)))
    }
}

/// Handles the start of a block; some servers put its first text here.
fn block(block: &Value) -> Option<Piece> {
    match block["type"].as_str()? {
        "text" => text(&block["text"]).map(|text| Piece::Text(text.to_owned())),
        "thinking" => text(&block["thinking"]).map(|text| Piece::Thinking(text.to_owned())),
        _ => None,
    }
}

fn delta(delta: &Value) -> Option<Piece> {
    match delta["type"].as_str()? {
        "text_delta" => text(&delta["text"]).map(|text| Piece::Text(text.to_owned())),
        "thinking_delta" => text(&delta["thinking"]).map(|text| Piece::Thinking(text.to_owned())),
        _ => None,
    }
}

/// The error for a declined request, with category and explanation if given.
fn refusal(provider: &str, details: &Value) -> ProviderError {
    let heading = text(&details["category"]).map(|category| format!("({category})"));
    let said: Vec<_> = heading.as_deref().into_iter().chain(text(&details["explanation"])).collect();
    Cause::Declined.error(provider, "", &said.join(" "))
}
