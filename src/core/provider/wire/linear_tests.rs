//! Reading an answer takes time and memory linear in its length, whatever it contains.

use serde_json::json;

use super::anthropic::Anthropic;
use super::google::Google;
use super::ollama::Ollama;
use super::openai::OpenAi;
use super::openrouter::OpenRouter;
use super::testing::{failure, read_in};
use super::{ErrorAnswer, Wire};
use crate::linear_tests::work::assert_linear;
use crate::provider::frame::Framing;

/// Formats a text as frames, one of the answer and one of reasoning.
type Frames = fn(&str) -> [String; 2];

fn wires() -> [(&'static str, Box<dyn Wire>, Frames); 5] {
    let openai: Frames =
        |text| ["content", "reasoning_content"].map(|field| json!({"choices": [{"delta": {field: text}}]}).to_string());
    [
        ("openai", Box::new(OpenAi::new("openai", true)), openai),
        ("openrouter", Box::new(OpenRouter::new("openrouter")), openai),
        ("anthropic", Box::new(Anthropic::new("anthropic")), |text| {
            [json!({"type": "text_delta", "text": text}), json!({"type": "thinking_delta", "thinking": text})]
                .map(|delta| json!({"type": "content_block_delta", "index": 0, "delta": delta}).to_string())
        }),
        ("google", Box::new(Google::new("google")), |text| {
            [false, true].map(|thought| {
                json!({"candidates": [{"content": {"parts": [{"text": text, "thought": thought}]}}]}).to_string()
            })
        }),
        ("ollama", Box::new(Ollama::new("ollama")), |text| {
            ["content", "thinking"].map(|field| json!({"message": {field: text}, "done": false}).to_string())
        }),
    ]
}

/// A stream whose frames carry `text`, a few characters each.
fn stream(wire: &dyn Wire, frames: Frames, text: &str) -> Vec<u8> {
    let mut stream = String::new();
    let characters: Vec<char> = text.chars().collect();
    for piece in characters.chunks(40) {
        for frame in frames(&piece.iter().collect::<String>()) {
            match wire.framing() {
                Framing::Sse => stream.extend(["data: ", &frame, "\n\n"]),
                Framing::Lines => stream.extend([&frame, "\n"]),
            }
        }
    }
    stream.into_bytes()
}

#[test]
fn the_streams_of_these_tests_are_read() {
    for (name, wire, frames) in wires() {
        let text = "an answer of more than one piece, to see that its text arrives";
        let (pieces, _) = read_in(&*wire, &stream(&*wire, frames, text), 97);
        assert_eq!(super::testing::text(&pieces), text, "{name}");
        assert_eq!(super::testing::thinking(&pieces), text, "{name}");
    }
}

#[test]
fn an_answer_is_read_in_line_with_its_length() {
    for (name, wire, frames) in wires() {
        assert_linear(&format!("{name}, an answer in pieces"), |text| {
            drop(read_in(&*wire, &stream(&*wire, frames, text), 97));
        });
        assert_linear(&format!("{name}, an answer in one frame"), |text| {
            let frames = frames(text).join("\n\ndata: ");
            drop(read_in(&*wire, format!("data: {frames}\n\n").as_bytes(), 1000));
        });
    }
}

#[test]
fn what_is_no_answer_is_read_in_line_with_its_length() {
    for (name, wire, _) in wires() {
        assert_linear(&format!("{name}, a stream"), |text| drop(read_in(&*wire, text.as_bytes(), 97)));
        assert_linear(&format!("{name}, a failure"), |text| {
            drop(failure(&*wire, 400, text.as_bytes()));
            drop(failure(
                &*wire,
                429,
                json!({"error": {"message": text, "code": text, "status": text}}).to_string().as_bytes(),
            ));
            let headers = [("retry-after".to_owned(), text.to_owned())];
            drop(wire.failure(&ErrorAnswer { status: 503, headers: &headers, body: b"", model: text, received_ms: 0 }));
        });
        assert_linear(&format!("{name}, a list"), |text| {
            drop((wire.read_models(text.as_bytes()), wire.read_embeddings(text.as_bytes())));
            let model = json!({"id": text, "name": text});
            let list = json!({"data": [model], "models": [model], "nextPageToken": text}).to_string();
            drop(wire.read_models(list.as_bytes()));
        });
    }
}
