//! Codec test helpers: recorded answers, read through the framer at several splits, and a request.

use std::fs;
use std::path::PathBuf;

use super::failure::Cause;
use super::{ErrorAnswer, Piece, Wire};
use crate::error::ProviderError;
use crate::ledger::Account;
use crate::provider::frame::Framer;
use crate::provider::{Brief, ChatRequest, JudgeBrief, JudgeQuestion, Message, Role};

/// A recorded answer, such as `openai/text.sse`.
pub(super) fn fixture(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/wire").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All pieces of a streamed answer, with its error if any; asserts that several splits agree.
pub(super) fn read(wire: &dyn Wire, stream: &[u8]) -> (Vec<Piece>, Option<ProviderError>) {
    let whole = read_in(wire, stream, stream.len().max(1));
    for size in [1, 2, 3, 7, 64, 1000] {
        assert_eq!(read_in(wire, stream, size), whole, "in pieces of {size} bytes");
    }
    whole
}

/// As [`read`], in pieces of `size` bytes.
pub(super) fn read_in(wire: &dyn Wire, stream: &[u8], size: usize) -> (Vec<Piece>, Option<ProviderError>) {
    let (mut framer, mut reader, mut pieces) = (Framer::new(wire.framing()), wire.reader(), Vec::new());
    for bytes in stream.chunks(size).map(Some).chain([None]) {
        let frames = match bytes {
            Some(bytes) => framer.push(bytes),
            None => framer.finish(),
        };
        let frames = match frames {
            Ok(frames) => frames,
            Err(fault) => return (pieces, Some(Cause::Garbage.error("framer", "", &fault.to_string()))),
        };
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
        Ok(more) => {
            pieces.extend(more);
            (pieces, None)
        }
        Err(error) => (pieces, Some(error)),
    }
}

/// The pieces of a streamed answer without an error.
pub(super) fn pieces(wire: &dyn Wire, stream: &[u8]) -> Vec<Piece> {
    let (pieces, error) = read(wire, stream);
    assert_eq!(error, None);
    assert_eq!(pieces.last(), Some(&Piece::End));
    pieces
}

/// The error of a streamed answer.
pub(super) fn stream_error(wire: &dyn Wire, stream: &[u8]) -> ProviderError {
    read(wire, stream).1.unwrap_or_else(|| panic!("no error in {}", String::from_utf8_lossy(stream)))
}

/// The whole text of an answer.
pub(super) fn text(pieces: &[Piece]) -> String {
    pieces.iter().filter_map(|piece| if let Piece::Text(text) = piece { Some(text.as_str()) } else { None }).collect()
}

/// The whole reasoning of an answer.
pub(super) fn thinking(pieces: &[Piece]) -> String {
    pieces
        .iter()
        .filter_map(|piece| if let Piece::Thinking(text) = piece { Some(text.as_str()) } else { None })
        .collect()
}

/// The error for a status with a body; `model` is `some-model`.
pub(super) fn failure(wire: &dyn Wire, status: u16, body: &[u8]) -> ProviderError {
    failure_with(wire, status, &[], body)
}

/// The error for a status with headers and a body; `model` is `some-model`.
pub(super) fn failure_with(wire: &dyn Wire, status: u16, headers: &[(&str, &str)], body: &[u8]) -> ProviderError {
    let headers: Vec<_> = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    wire.failure(&ErrorAnswer { status, headers: &headers, body, model: "some-model", received_ms: 1_795_238_965_000 })
}

/// A request with a system and a user message and no parameters.
pub(super) fn plain_request() -> ChatRequest {
    let message = |role, content: &str| Message { role, content: content.to_owned() };
    ChatRequest {
        messages: vec![message(Role::System, "Be brief."), message(Role::User, "Say “hi”.")],
        model: None,
        temperature: None,
        max_tokens: None,
        response_schema: None,
        brief: Brief::Judge(JudgeBrief {
            task: "greet".into(),
            persona: "code".into(),
            criteria: Vec::new(),
            question: JudgeQuestion::Compare { a: "hi".into(), b: "hello".into() },
        }),
        account: Account::default(),
    }
}
