//! Reads a streamed answer: a JSON object per line, the last with `done`.
//!
//! Any line can be an error instead, despite the initial 200, so that is checked first. Token
//! counts come with the last line; some servers omit the prompt's when it was cached.

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
    model: String,
    has_text: bool,
    is_over: bool,
}

impl Reader {
    pub(super) fn new(provider: &str) -> Self {
        Self { provider: provider.to_owned(), model: String::new(), has_text: false, is_over: false }
    }

    /// The model name, when it changes.
    fn model(&mut self, value: &Value) -> Option<Piece> {
        let model = text(&value["model"]).filter(|model| *model != self.model)?;
        model.clone_into(&mut self.model);
        Some(Piece::Model(model.to_owned()))
    }

    /// Handles the last line.
    fn end(&mut self, value: &Value) -> Result<Vec<Piece>, ProviderError> {
        self.is_over = true;
        let reason = value["done_reason"].as_str().unwrap_or_default();
        if matches!(reason, "load" | "unload") && !self.has_text {
            let said = format!("the model is to {reason}, and nothing else");
            return Err(Cause::Failing.error(&self.provider, "", &said));
        }
        let usage = BilledTokens {
            input: tokens(&value["prompt_eval_count"]),
            output: tokens(&value["eval_count"]),
            ..BilledTokens::default()
        };
        let mut pieces = Vec::new();
        if usage != BilledTokens::default() {
            pieces.push(Piece::Usage(usage));
        }
        if reason == "length" {
            pieces.push(Piece::Truncated);
        }
        pieces.push(Piece::End);
        Ok(pieces)
    }
}

impl AnswerReader for Reader {
    fn read(&mut self, frame: &Frame) -> Result<Vec<Piece>, ProviderError> {
        if self.is_over {
            return Ok(Vec::new());
        }
        let Frame::Data { data, .. } = frame else { return Ok(vec![Piece::Thinking(String::new())]) };
        let value = reading::json(&self.provider, data.as_bytes())?;
        if let Some(error) = failure::in_stream(&self.provider, &value) {
            self.is_over = true;
            return Err(error);
        }
        let mut pieces: Vec<Piece> = self.model(&value).into_iter().collect();
        let message = &value["message"];
        if let Some(thinking) = text(&message["thinking"]) {
            pieces.push(Piece::Thinking(thinking.to_owned()));
        }
        if let Some(content) = text(&message["content"]) {
            self.has_text = true;
            pieces.push(Piece::Text(content.to_owned()));
        }
        if value["done"] == true {
            pieces.extend(self.end(&value)?);
        } else if pieces.is_empty() {
            pieces.push(Piece::Thinking(String::new()));
        }
        Ok(pieces)
    }

    fn at_end(&mut self) -> Result<Vec<Piece>, ProviderError> {
        Err(ended_early(&self.provider))
    }
}
