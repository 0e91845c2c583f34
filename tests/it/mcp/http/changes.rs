//! Notifications of changes over HTTP: to each session by itself, and to who listens.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Host, Stream, auth};
use crate::seeded::Seeded;

const RESOURCES: &str = "notifications/resources/list_changed";
const UPDATED: &str = "notifications/resources/updated";

/// The next message of a stream, if it comes in time.
async fn message(stream: &mut Stream) -> Option<Value> {
    let message = async {
        loop {
            if let Some(message) = stream.next().await?.message {
                return Some(message);
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(3), message).await.ok().flatten()
}

async fn method(stream: &mut Stream) -> Option<String> {
    message(stream).await.map(|message| message["method"].as_str().expect("a notification").to_owned())
}

/// Stores a prompt and returns the URI of its resource.
async fn generate(host: &mut Host) -> String {
    let made = host.call("generate_prompts", json!({ "input": "Write a haiku", "count": 1 })).await;
    format!("aludel://prompts/{}", made["structuredContent"]["prompts"][0]["id"].as_str().expect("an id"))
}

#[tokio::test]
async fn every_session_is_notified_and_only_of_what_it_subscribed_to() {
    let mut first = Host::older(Seeded::with_echo()).await;
    let uri = generate(&mut first).await;
    let mut second = first.other(None);
    second.open().await;
    assert_eq!(first.result("resources/subscribe", json!({ "uri": uri })).await["result"], json!({}));
    let (mut to_first, mut to_second) = (first.bare("GET", &[]).await, second.bare("GET", &[]).await);
    // What was stored before the first session opened its stream.
    if method(&mut to_first).await.is_some() {
        assert_eq!(method(&mut to_first).await, None);
    }
    second.call("update_prompt", json!({ "prompt_id": "@last", "notes": "x" })).await;
    let told = [method(&mut to_first).await, method(&mut to_first).await];
    assert!(told.contains(&Some(UPDATED.to_owned())) && told.contains(&Some(RESOURCES.to_owned())), "{told:?}");
    assert_eq!((method(&mut to_second).await.as_deref(), method(&mut to_second).await), (Some(RESOURCES), None));
}

#[tokio::test]
async fn a_stream_of_the_newer_era_tells_what_changes() {
    let mut host = Host::newer(Seeded::with_echo());
    let wanted = json!({ "notifications": { "resourcesListChanged": true } });
    let mut stream = host.ask("subscriptions/listen", wanted).await;
    assert_eq!(method(&mut stream).await.as_deref(), Some("notifications/subscriptions/acknowledged"));
    let mut other = host.other(None);
    generate(&mut other).await;
    let told = message(&mut stream).await.expect("a notification");
    assert_eq!(told["method"], RESOURCES);
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], host.next_id);
}

#[tokio::test]
async fn a_token_that_may_not_read_reads_nothing() {
    let mut host = auth::newer(Some(auth::with_scope("other")));
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/read", json!({ "uri": "aludel://prompts/@last" })),
        ("prompts/list", json!({})),
        ("prompts/get", json!({ "name": "persona_code", "arguments": { "input": "x" } })),
    ] {
        let answer = host.ask(method, params).await.result().await;
        assert_eq!(answer["error"]["data"]["code"], "forbidden", "{answer}");
    }
    host.token = Some(auth::with_scope("read"));
    assert_eq!(host.result("resources/list", json!({})).await["result"]["resources"], json!([]));
}
