//! The transport over real sockets: what goes out, how answers are read, and where secrets go.

mod codec;
mod embedding;
mod failures;
mod http2;
mod requests;

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::json;

use super::testing::{Script, ScriptedServer, refusing_url};
use super::*;
use crate::config::Secret;
use crate::domain::ProviderKind;
use crate::error::{Error, ProviderFailure};
use crate::provider::complete;
use crate::provider::settings::{KeySource, ProviderSettings};
use crate::provider::sim::testing::request;
use crate::time::SystemClock;
use codec::Plain;

/// Must not be in any error, log, or request other than its own.
const CANARY: &str = "canary-key-of-the-transport-tests";

fn settings(base_url: &str) -> ProviderSettings {
    ProviderSettings {
        base_url: Some(base_url.to_owned()),
        model: Some("small".to_owned()),
        key: KeySource::Given(Secret::from(CANARY)),
        ..ProviderSettings::new("acme", ProviderKind::OpenAi)
    }
}

fn link(settings: &ProviderSettings, wire: Plain) -> Result<Arc<ProviderClient>, Error> {
    crate::redact::register(CANARY);
    ProviderClient::new(settings, Arc::new(wire), Arc::new(Clients::new()), Arc::new(SystemClock)).map(Arc::new)
}

fn transport(settings: &ProviderSettings, wire: Plain) -> HttpTransport {
    let price: CostOf = Arc::new(|model, usage| (model == "small-1").then(|| usage.output.unwrap_or(0) as f64));
    HttpTransport::new(link(settings, wire).unwrap(), settings.model.clone(), settings.patience, price)
}

fn to(server: &ScriptedServer) -> HttpTransport {
    transport(&settings(server.url()), Plain::default())
}

/// The error of a call to a server that answers with `script`; names the provider, leaks no secret.
async fn failure(script: Script) -> ProviderError {
    let server = ScriptedServer::start([script]).await;
    let error = complete(&to(&server), request(0)).await.unwrap_err();
    assert_clean(&error);
    error
}

fn assert_clean(error: &ProviderError) {
    assert_eq!(error.provider, "acme");
    let told = format!("{error} {error:?}");
    assert!(!told.contains("canary") && !told.contains("/say") && !told.contains("x=1"), "{told}");
}

fn hello() -> Script {
    Script::events(["model small-1", "text hel", "text lo", "usage 7 2", "end"])
}

#[tokio::test]
async fn an_answer_comes_as_it_is_made_and_ends_with_its_account() {
    let server = ScriptedServer::start([Script::stream("text/event-stream")
        .chunk("data: text hel\n\n: still there\n\n")
        .pause(Duration::from_millis(60))
        .chunk("data: text lo\n\ndata: model small-1\n\ndata: usage 7 2\n\ndata: end\n\n")
        .end()])
    .await;
    let chunks: Vec<_> = to(&server).stream(request(0)).map(Result::unwrap).collect().await;
    let [Chunk::Text(one), Chunk::Thinking(alive), Chunk::Text(two), Chunk::Done(done)] = &chunks[..] else {
        panic!("{chunks:?}")
    };
    assert_eq!((one.as_str(), alive.as_str(), two.as_str()), ("hel", "", "lo"));
    assert_eq!((done.provider.as_str(), done.model.as_str()), ("acme", "small-1"));
    assert_eq!((done.usage.input_tokens, done.usage.output_tokens, done.usage.estimated), (7, 2, false));
    assert_eq!(done.cost_usd, Some(2.0));
    let first = done.first_token.unwrap();
    assert!(done.latency >= first + Duration::from_millis(50), "{first:?} {:?}", done.latency);
}

#[tokio::test]
async fn calls_reuse_one_connection() {
    // The second one sends the end of its body separately and late, as many servers do.
    let late = Script::stream("text/event-stream")
        .chunk("data: text a\n\ndata: end\n\n")
        .pause(Duration::from_millis(20))
        .end();
    let server = ScriptedServer::start([hello(), late, hello()]).await;
    let transport = to(&server);
    for _ in 0..3 {
        complete(&transport, request(0)).await.unwrap();
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    assert_eq!((server.requests().len(), server.connections()), (3, 1));
}

#[tokio::test]
async fn a_server_that_goes_on_after_the_end_is_not_listened_to() {
    let endless =
        Script::stream("text/event-stream").chunk("data: text a\n\ndata: end\n\n").endless("data: text b\n\n");
    for script in [endless, Script::stream("text/event-stream").chunk("data: text a\n\ndata: end\n\n").hang()] {
        let server = ScriptedServer::start([script]).await;
        let (text, _) = complete(&to(&server), request(0)).await.unwrap();
        assert_eq!(text, "a");
        assert!(server.until_closed(0).await);
    }
}

#[tokio::test]
async fn dropping_the_stream_closes_the_socket_before_and_after_the_first_byte() {
    let silent = Script::nothing().hang();
    let begun = Script::stream("text/event-stream").chunk("data: text a\n\n").hang();
    for (script, has_text) in [(silent, false), (begun, true)] {
        let server = ScriptedServer::start([script]).await;
        let mut stream = to(&server).stream(request(0));
        let patience = Duration::from_millis(if has_text { 5000 } else { 100 });
        let first = tokio::time::timeout(patience, stream.next()).await;
        assert_eq!(first.is_ok(), has_text);
        assert!(server.until_asked(1).await);
        drop(stream);
        assert!(server.until_closed(0).await, "has_text: {has_text}");
    }
}

#[tokio::test]
async fn a_cut_within_a_character_loses_no_text_and_is_an_error() {
    let heart = "data: text \u{2764}\n\n".as_bytes();
    let whole =
        Script::stream("text/event-stream").chunk(&heart[..13]).chunk(&heart[13..]).chunk("data: end\n\n").end();
    let server = ScriptedServer::start([whole]).await;
    assert_eq!(complete(&to(&server), request(0)).await.unwrap().0, "\u{2764}");
    for cut in [Script::close as fn(Script) -> Script, Script::reset] {
        let begun = Script::stream("text/event-stream").chunk("data: text before\n\n").pause(Duration::from_millis(50));
        let server = ScriptedServer::start([cut(begun.chunk(&heart[..13]).pause(Duration::from_millis(50)))]).await;
        let mut stream = to(&server).stream(request(0));
        assert_eq!(stream.next().await.unwrap().unwrap(), Chunk::Text("before".into()));
        let error = stream.next().await.unwrap().unwrap_err();
        assert_eq!(error.failure, ProviderFailure::Unavailable);
        assert!(error.message.contains("broke in the middle of the answer"), "{error}");
        assert_clean(&error);
    }
}

#[tokio::test]
async fn without_a_model_the_error_lists_those_there_are() {
    let server = ScriptedServer::start([
        Script::json(200, &json!({"models": ["tiny", "big"], "next": "2"})),
        Script::json(200, &json!({"models": ["huge"]})),
    ])
    .await;
    let nameless = ProviderSettings { model: None, ..settings(server.url()) };
    let error = complete(&transport(&nameless, Plain::default()), request(0)).await.unwrap_err();
    assert_eq!(error.failure, ProviderFailure::Rejected);
    assert!(error.message.contains("it has tiny, big, huge") && error.message.contains("`acme/MODEL`"), "{error}");
    let paths: Vec<String> = server.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/models", "/models?page=2"]);
    let named = ChatRequest { model: Some("tiny".into()), ..request(0) };
    let server = ScriptedServer::start([hello()]).await;
    let nameless = ProviderSettings { model: None, ..settings(server.url()) };
    complete(&transport(&nameless, Plain::default()), named).await.unwrap();
    assert_eq!(server.requests()[0].json()["model"], "tiny");
}
