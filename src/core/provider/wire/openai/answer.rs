//! Reads a streamed chat answer: chunks of JSON in unnamed events, `[DONE]` at the end.
//!
//! Every vendor's way with the details is taken: usage in a chunk of its own or with the last choice, reasoning under
//! two names, `content` that is null, an error where a chunk should be, no `[DONE]` after the last chunk. A refusal, in
//! words or by a filter, is told at the end of the stream, so that what it used is told before it.

use serde_json::Value;

use super::super::failure::Cause;
use super::super::{AnswerReader, Piece, WireUsage};
use super::chat::Dialect;
use super::chunk::{Chunk, Delta};
use super::error_body::ErrorBody;
use crate::error::ProviderError;
use crate::provider::checked::ended_early;
use crate::provider::frame::Frame;

/// Reads one answer.
pub(super) struct ChatReader {
    provider: String,
    dialect: Dialect,
    /// The model that answers, once it is told.
    model: String,
    /// A reason for the end was given.
    is_finished: bool,
    /// A filter of the vendor's stopped the answer.
    is_filtered: bool,
    /// What the model said when it declined.
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

    /// A chunk that is a piece of an answer and nothing else.
    fn take_piece(&mut self, chunk: Chunk<'_>) -> Result<Vec<Piece>, ProviderError> {
        let mut pieces = Vec::new();
        if let Some(model) = chunk.model.filter(|model| !model.is_empty() && *model != self.model) {
            model.clone_into(&mut self.model);
            pieces.push(Piece::Model(model.to_owned()));
        }
        // Only one choice was asked for; its index is left out by some.
        for choice in chunk.choices.into_iter().filter(|choice| choice.index.unwrap_or(0) == 0) {
            self.take_delta(choice.delta.unwrap_or_default(), &mut pieces);
            if let Some(reason) = choice.finish_reason {
                self.take_reason(reason, &mut pieces)?;
            }
        }
        Ok(pieces)
    }

    /// A chunk of any form that is no error.
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

    /// The JSON of one event.
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

    /// The stream is complete.
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

/// The tokens of a `usage` object. Some count reasoning only in the total, so what the total has over the prompt counts
/// as output.
fn usage(usage: &Value) -> Option<WireUsage> {
    usage.as_object()?;
    let (input, output) = (usage["prompt_tokens"].as_u64(), usage["completion_tokens"].as_u64());
    let rest = usage["total_tokens"].as_u64().and_then(|total| total.checked_sub(input?));
    let details = &usage["prompt_tokens_details"];
    Some(WireUsage {
        input,
        cached_input: details["cached_tokens"].as_u64(),
        cache_write: details["cache_write_tokens"].as_u64(),
        output: output.max(rest),
    })
}

/// OpenRouter's figure, in US dollars. With a key of the user's own at the vendor it is OpenRouter's fee alone, and the
/// vendor's bill stands beside it. A figure below zero is none: it would hide what the other one says.
fn cost(usage: &Value) -> Option<f64> {
    let dollars = |figure: &Value| figure.as_f64().filter(|dollars| *dollars >= 0.0);
    let bill = if usage["is_byok"] == true { &usage["cost_details"]["upstream_inference_cost"] } else { &Value::Null };
    let bill = if bill.is_null() { 0.0 } else { dollars(bill)? };
    Some(dollars(&usage["cost"])? + bill).filter(|sum| sum.is_finite())
}
