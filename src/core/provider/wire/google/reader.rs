//! Reads a stream in which every event is a `GenerateContentResponse`.
//!
//! There is no final event: the answer is complete if a `finishReason` came before the stream
//! ended, since usage may come with it or after it. Usage is cumulative, and thoughts count as
//! output. A refusal becomes an error after its usage. Almost every field can be absent or null.

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
    outcome: StreamState,
}

/// How the answer ends, as far as known.
enum StreamState {
    /// Still streaming.
    Open,
    /// The model has finished.
    Finished,
    /// Will end with this error.
    Failed(ProviderError),
    /// Ended.
    Over,
}

impl Reader {
    pub(super) fn new(provider: &str) -> Self {
        Self { provider: provider.to_owned(), model: String::new(), outcome: StreamState::Open }
    }

    /// The model name, when it changes.
    fn model(&mut self, value: &Value) -> Option<Piece> {
        let model = text(&value["modelVersion"]).filter(|model| *model != self.model)?;
        model.clone_into(&mut self.model);
        Some(Piece::Model(model.to_owned()))
    }

    /// Handles the finish reason; returns a piece if the answer is truncated.
    fn stop(&mut self, value: &Value) -> Option<Piece> {
        let (candidate, feedback) = (&value["candidates"][0], &value["promptFeedback"]);
        if let Some(reason) = text(&feedback["blockReason"]) {
            self.fail(Cause::Declined, reason, &feedback["blockReasonMessage"]);
            return None;
        }
        let reason = text(&candidate["finishReason"])?;
        let cause = match reason {
            "STOP" | "MAX_TOKENS" | "CONTINUATION" => {
                self.outcome = StreamState::Finished;
                return (reason != "STOP").then_some(Piece::Truncated);
            }
            "FINISH_REASON_UNSPECIFIED" => return None,
            "SAFETY"
            | "RECITATION"
            | "LANGUAGE"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "ESCALATION"
            | "MODEL_ARMOR"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION" => Cause::Declined,
            "PUP_LIMITED_DISABLED" => Cause::Forbidden,
            // Malformed, other or unknown reasons: a retry may help.
            _ => Cause::Failing,
        };
        self.fail(cause, reason, &candidate["finishMessage"]);
        None
    }

    fn fail(&mut self, cause: Cause, reason: &str, why: &Value) {
        let said: Vec<_> = [reason].into_iter().chain(text(why)).collect();
        self.outcome = StreamState::Failed(cause.error(&self.provider, "", &said.join(", ")));
    }
}

impl AnswerReader for Reader {
    fn read(&mut self, frame: &Frame) -> Result<Vec<Piece>, ProviderError> {
        if matches!(self.outcome, StreamState::Over) {
            return Ok(Vec::new());
        }
        let Frame::Data { data, .. } = frame else { return Ok(vec![Piece::Thinking(String::new())]) };
        let value = reading::json(&self.provider, data.as_bytes())?;
        if let Some(error) = failure::in_stream(&self.provider, &value) {
            self.outcome = StreamState::Over;
            return Err(error);
        }
        let mut pieces: Vec<Piece> = self.model(&value).into_iter().collect();
        let parts = value["candidates"][0]["content"]["parts"].as_array();
        pieces.extend(parts.into_iter().flatten().filter_map(part));
        pieces.extend(usage(&value["usageMetadata"]).map(Piece::Usage));
        pieces.extend(self.stop(&value));
        if pieces.is_empty() {
            pieces.push(Piece::Thinking(String::new()));
        }
        Ok(pieces)
    }

    fn at_end(&mut self) -> Result<Vec<Piece>, ProviderError> {
        match std::mem::replace(&mut self.outcome, StreamState::Over) {
            StreamState::Finished => Ok(vec![Piece::End]),
            StreamState::Failed(error) => Err(error),
            StreamState::Open | StreamState::Over => Err(ended_early(&self.provider)),
        }
    }
}

fn part(part: &Value) -> Option<Piece> {
    let text = text(&part["text"])?.to_owned();
    Some(if part["thought"] == true { Piece::Thinking(text) } else { Piece::Text(text) })
}

fn usage(usage: &Value) -> Option<BilledTokens> {
    let sum = |names: [&str; 2]| names.into_iter().filter_map(|name| tokens(&usage[name])).reduce(u64::saturating_add);
    let counted = BilledTokens {
        input: sum(["promptTokenCount", "toolUsePromptTokenCount"]),
        cached_input: usage["cachedContentTokenCount"].as_u64(),
        cache_write: None,
        output: sum(["candidatesTokenCount", "thoughtsTokenCount"]),
    };
    (counted != BilledTokens::default()).then_some(counted)
}
