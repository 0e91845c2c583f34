//! The five codecs: an answer reads the same however its stream is split, holds no more text than
//! arrived, and ends once; failures and lists of models or vectors give sound, short results.

use aludel_core::error::ProviderError;
use aludel_core::provider::frame::{Framer, Framing};
use aludel_core::provider::wire::anthropic::Anthropic;
use aludel_core::provider::wire::google::Google;
use aludel_core::provider::wire::ollama::Ollama;
use aludel_core::provider::wire::openai::OpenAi;
use aludel_core::provider::wire::openrouter::OpenRouter;
use aludel_core::provider::wire::{ErrorAnswer, Piece, Wire};

use crate::tape::{self, Tape};

/// Names and words of the protocols.
const WORDS: &[&str] = &[
    "type",
    "message_start",
    "message",
    "model",
    "usage",
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "content_block_start",
    "content_block",
    "content_block_delta",
    "delta",
    "text_delta",
    "thinking_delta",
    "text",
    "thinking",
    "message_delta",
    "stop_reason",
    "refusal",
    "max_tokens",
    "stop_details",
    "message_stop",
    "error",
    "overloaded_error",
    "invalid_request_error",
    "details",
    "error_code",
    "candidates",
    "content",
    "parts",
    "thought",
    "finishReason",
    "SAFETY",
    "STOP",
    "promptFeedback",
    "blockReason",
    "usageMetadata",
    "promptTokenCount",
    "thoughtsTokenCount",
    "candidatesTokenCount",
    "modelVersion",
    "code",
    "status",
    "RESOURCE_EXHAUSTED",
    "@type",
    "type.googleapis.com/google.rpc.RetryInfo",
    "retryDelay",
    "1e999s",
    "violations",
    "quotaId",
    "PerDay",
    "fieldViolations",
    "field",
    "temperature",
    "done",
    "done_reason",
    "load",
    "length",
    "prompt_eval_count",
    "eval_count",
    "models",
    "name",
    "data",
    "id",
    "has_more",
    "last_id",
    "embeddings",
    "embedding",
    "values",
    "index",
    "nextPageToken",
    "supportedGenerationMethods",
    "generateContent",
    "choices",
    "finish_reason",
    "stop",
    "reasoning_content",
    "reasoning",
    "prompt_tokens",
    "completion_tokens",
    "completion_tokens_details",
    "cost",
    "response",
    "metadata",
    "provider_name",
    "raw",
    "param",
    "",
];

/// Their syntax in a stream.
const STREAM: &[&str] = &[
    "data: ",
    "event: message_start\n",
    "event: error\n",
    "\n\n",
    "\n",
    "[DONE]",
    ": OPENROUTER PROCESSING\n\n",
    "{",
    "}",
    "[",
    "]",
    "\":",
    "\"",
    ",",
    "{\"choices\":[{\"delta\":{\"content\":\"",
    "\"}}]}",
    "{\"candidates\":[{",
    "\"content\":{\"parts\":[{\"text\":\"",
    "\"}]}}]}",
    "{\"message\":{\"content\":\"",
    "\"},\"done\":true}",
    "\\ud83d",
    "\\u0000",
    "1e999",
    "-1",
    "null",
    "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"",
    "{\"error\":{\"message\":\"",
    "\"}}",
    "\"finish_reason\":\"stop\"",
];

/// The longest message of a failure, in bytes.
const MESSAGE_BYTES: usize = 4096;

/// A stream of JSON values composed from the tape, or the raw tape.
fn stream(framing: Framing, input: &[u8]) -> Vec<u8> {
    if input.first().is_some_and(|byte| byte % 4 == 1) {
        let (mut tape, mut out) = (Tape(&input[1..]), Vec::new());
        while !tape.is_over() {
            let value = tape::object(&mut tape, WORDS, 5);
            let written = match framing {
                Framing::Sse => format!("event: {}\ndata: {value}\n\n", tape.word(WORDS)),
                Framing::Lines => format!("{value}\n"),
            };
            out.extend(written.into_bytes());
        }
        return out;
    }
    tape::bytes(input, STREAM)
}

/// All pieces of an answer, to its end or its error.
fn read(wire: &dyn Wire, stream: &[&[u8]]) -> (Vec<Piece>, Option<ProviderError>) {
    let (mut framer, mut reader, mut pieces) = (Framer::new(wire.framing()), wire.reader(), Vec::new());
    for bytes in stream.iter().copied().map(Some).chain([None]) {
        let frames = match bytes {
            Some(bytes) => framer.push(bytes),
            None => framer.finish(),
        };
        let Ok(frames) = frames else { return (pieces, None) };
        for frame in frames {
            match reader.read(&frame) {
                Ok(more) => pieces.extend(more),
                Err(error) => return (pieces, Some(error)),
            }
            if pieces.contains(&Piece::End) {
                return (pieces, None);
            }
        }
    }
    match reader.at_end() {
        Ok(more) => pieces.extend(more),
        Err(error) => return (pieces, Some(error)),
    }
    (pieces, None)
}

fn check(wire: &dyn Wire, input: &[u8]) {
    let (head, rest) = input.split_at(input.len().min(16));
    let stream = stream(wire.framing(), rest);
    let (pieces, error) = read(wire, &[&stream]);
    let split = read(wire, &tape::pieces(&mut Tape(head), &stream));
    assert_eq!(format!("{split:?}"), format!("{:?}", (&pieces, &error)), "it reads otherwise in pieces");
    let size = |piece: &Piece| match piece {
        Piece::Text(text) | Piece::Thinking(text) | Piece::Model(text) => text.len(),
        _ => 0,
    };
    assert!(pieces.iter().map(size).sum::<usize>() <= stream.len(), "more text than came");
    assert!(pieces.iter().rposition(|piece| *piece == Piece::End).is_none_or(|at| at + 1 == pieces.len()));
    let costs = pieces.iter().filter_map(|piece| if let Piece::Cost(cost) = piece { Some(*cost) } else { None });
    assert!(costs.into_iter().all(|cost| cost.is_finite() && cost >= 0.0), "{pieces:?}");
    if let Some(error) = error {
        is_sound(&error);
    }

    let mut tape = Tape(rest);
    let body = tape::json(&mut tape, WORDS, 6).to_string();
    for body in [body.as_bytes(), &stream] {
        let status = 200 + 100 * u16::from(head.first().copied().unwrap_or_default() % 4);
        let headers = [("retry-after".to_owned(), String::from_utf8_lossy(head).into_owned())];
        let refusal = ErrorAnswer { status, headers: &headers, body, model: "m", received_ms: 1_795_238_965_000 };
        let failure = wire.failure(&refusal);
        assert_eq!(failure.upstream_status, Some(status));
        is_sound(&failure);
        if let Ok(page) = wire.read_models(body) {
            assert!(page.models.iter().map(String::len).sum::<usize>() <= body.len());
        }
        if let Ok(answer) = wire.read_embeddings(body) {
            let dimensions = answer.vectors.first().map_or(0, Vec::len);
            for vector in &answer.vectors {
                assert!(vector.len() == dimensions && vector.iter().all(|number| number.is_finite()));
            }
        }
    }
}

fn is_sound(error: &ProviderError) {
    assert!(!error.message.is_empty());
    assert!(error.message.len() <= MESSAGE_BYTES, "{} bytes of message", error.message.len());
}

#[test]
fn wire_openai() {
    let wires = [OpenAi::new("openai", true), OpenAi::new("lab", false)];
    bolero::check!(name = "wire_openai")
        .with_max_len(1024)
        .for_each(|input: &[u8]| wires.iter().for_each(|wire| check(wire, input)));
}

#[test]
fn wire_openrouter() {
    let wire = OpenRouter::new("openrouter");
    bolero::check!(name = "wire_openrouter").with_max_len(1024).for_each(|input: &[u8]| check(&wire, input));
}

#[test]
fn wire_anthropic() {
    let wire = Anthropic::new("anthropic");
    bolero::check!(name = "wire_anthropic").with_max_len(1024).for_each(|input: &[u8]| check(&wire, input));
}

#[test]
fn wire_google() {
    let wire = Google::new("google");
    bolero::check!(name = "wire_google").with_max_len(1024).for_each(|input: &[u8]| check(&wire, input));
}

#[test]
fn wire_ollama() {
    let wire = Ollama::new("ollama");
    bolero::check!(name = "wire_ollama").with_max_len(1024).for_each(|input: &[u8]| check(&wire, input));
}
