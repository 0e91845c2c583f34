//! Reads a streamed chat answer: JSON chunks in unnamed events, `[DONE]` at the end.
//!
//! Accepts the variations of all vendors: usage in its own chunk or with the last choice, reasoning
//! under two names, null `content`, an error in place of a chunk, a missing `[DONE]`. A refusal, in
//! words or by a filter, is reported at the end of the stream, after its usage.

use serde_json::Value;

use super::super::failure::Cause;
use super::super::{AnswerReader, Piece};
use super::chat::Dialect;
use super::chunk::{Chunk, Delta};
use super::error_body::ErrorBody;
use crate::error::ProviderError;
use crate::ledger::BilledTokens;
use crate::provider::checked::ended_early;
use crate::provider::frame::Frame;

/// Reads one answer.
pub(super) struct ChatReader {
    provider: String,
    dialect: Dialect,
    /// The model that answers, once known.
    model: String,
    /// A finish reason was given.
    is_finished: bool,
    /// The vendor's filter stopped the answer.
    is_filtered: bool,
    /// The text of the model's refusal.
    refusal: String,
}

impl ChatReader {
    pub(super) fn new(provider: &str, dialect: Dialect) -> Self {
        Self {
            provider: provider.to_owned(),
            dialect,
            model: String::new(),
            is_finished: false,
            is_filtered: false,
            refusal: String::new(),
        }
    }

    fn error(&self, cause: Cause, said: &str) -> ProviderError {
        cause.error(&self.provider, &self.model, said)
    }

    /// Handles a chunk that is only a piece of an answer.
    fn take_piece(&mut self, chunk: Chunk<'_>) -> Result<Vec<Piece>, ProviderError> {
        let mut pieces = Vec::new();
        if let Some(model) = chunk.model.filter(|model| !model.is_empty() && *model != self.model) {
            model.clone_into(&mut self.model);
            pieces.push(Piece::Model(model.to_owned()));
        }
        // Only one choice was requested; some servers omit its index.
        for choice in chunk.choices.into_iter().filter(|choice| choice.index.unwrap_or(0) == 0) {
            self.take_delta(choice.delta.unwrap_or_default(), &mut pieces);
            if let Some(reason) = choice.finish_reason {
                self.take_reason(reason, &mut pieces)?;
            }
        }
        Ok(pieces)
    }

    /// Handles a chunk of any form that is not an error.
    fn take_chunk(&mut self, chunk: &Value) -> Result<Vec<Piece>, ProviderError> {
        let mut pieces = self.take_piece(Chunk::of_value(chunk))?;
        if let Some(usage) = usage(&chunk["usage"]) {
            pieces.push(Piece::Usage(usage));
        }
        if self.dialect == Dialect::OpenRouter {
            pieces.extend(cost(&chunk["usage"]).map(Piece::Cost));
        }
        Ok(pieces)
    }

    fn take_delta(&mut self, delta: Delta, pieces: &mut Vec<Piece>) {
        let filled = |words: Option<String>| words.filter(|words| !words.is_empty());
        pieces.extend(filled(delta.reasoning_content).or_else(|| filled(delta.reasoning)).map(Piece::Thinking));
        pieces.extend(filled(delta.content).map(Piece::Text));
        if let Some(refusal) = delta.refusal {
            self.refusal.push_str(&refusal);
        }
    }

    fn take_reason(&mut self, reason: &str, pieces: &mut Vec<Piece>) -> Result<(), ProviderError> {
        self.is_finished = true;
        match reason {
            "length" => pieces.push(Piece::Truncated),
            "content_filter" => self.is_filtered = true,
            "error" => return Err(self.error(Cause::Failing, "the answer was cut off by an error")),
            _ => {}
        }
        Ok(())
    }

    /// Handles the data of an event.
    fn take_data(&mut self, event: &str, data: &str) -> Result<Vec<Piece>, ProviderError> {
        if let Some(chunk) = Chunk::documented(data).filter(|_| event != "error") {
            return self.take_piece(chunk);
        }
        match serde_json::from_str(data) {
            Ok(chunk @ Value::Object(_)) => match ErrorBody::of_chunk(event, &chunk) {
                Some(body) => Err(body.in_stream(&self.provider, &self.model)),
                None => self.take_chunk(&chunk),
            },
            _ => Err(self.error(Cause::Garbage, data)),
        }
    }

    /// Handles the end of a complete stream.
    fn end(&self) -> Result<Vec<Piece>, ProviderError> {
        if !self.refusal.is_empty() {
            return Err(self.error(Cause::Declined, &self.refusal));
        }
        if self.is_filtered {
            return Err(self.error(Cause::Declined, "its content filter stopped the answer"));
        }
        Ok(vec![Piece::End])
    }
}

impl AnswerReader for ChatReader {
    fn read(&mut self, frame: &Frame) -> Result<Vec<Piece>, ProviderError> {
        let Frame::Data { event, data } = frame else { return Ok(vec![sign_of_life()]) };
        match data.trim() {
            "" => Ok(vec![sign_of_life()]),
            "[DONE]" => self.end(),
            data => {
                let mut pieces = self.take_data(event, data)?;
                if pieces.is_empty() {
                    pieces.push(sign_of_life());
                }
                Ok(pieces)
            }
        }
    }

    fn at_end(&mut self) -> Result<Vec<Piece>, ProviderError> {
        if self.is_finished { self.end() } else { Err(ended_early(&self.provider)) }
    }
}

fn sign_of_life() -> Piece {
    Piece::Thinking(String::new())
}

/// Reads a `usage` object. Some count reasoning only in the total, hence total minus prompt.
fn usage(usage: &Value) -> Option<BilledTokens> {
    usage.as_object()?;
    let (input, output) = (usage["prompt_tokens"].as_u64(), usage["completion_tokens"].as_u64());
    let rest = usage["total_tokens"].as_u64().and_then(|total| total.checked_sub(input?));
    let details = &usage["prompt_tokens_details"];
    Some(BilledTokens {
        input,
        cached_input: details["cached_tokens"].as_u64(),
        cache_write: details["cache_write_tokens"].as_u64(),
        output: output.max(rest),
    })
}

/// OpenRouter's cost in US dollars. For users with their own vendor key it is only OpenRouter's
/// fee, and the vendor's bill is a separate field. Negative figures are ignored.
fn cost(usage: &Value) -> Option<f64> {
    let dollars = |figure: &Value| figure.as_f64().filter(|dollars| *dollars >= 0.0);
    let bill = if usage["is_byok"] == true { &usage["cost_details"]["upstream_inference_cost"] } else { &Value::Null };
    let bill = if bill.is_null() { 0.0 } else { dollars(bill)? };
    Some(dollars(&usage["cost"])? + bill).filter(|sum| sum.is_finite())
}
