//! Streams: progress, a client that leaves, one that comes back, and notifications.

use serde_json::{Value, json};

use super::{Era, Event, Host, NEWER, Stream, call, generation};
use crate::seeded::Seeded;

/// An input whose call never ends. The provider takes one at a time, so a run that is not cancelled
/// would block the next one forever.
const HANGS: &str = "rules: [{when: {input: hang}, fault: {kind: hang, after_chunks: 1}}]";

fn hanging() -> Seeded {
    let config = "providers:\n  sim: {script: script.yaml, max_retries: 0, max_concurrency: 1}\n";
    Seeded::with_files(config, &[("script.yaml", HANGS)])
}

/// The numbers of the progress that a stream reports.
fn progress(events: &[Event]) -> Vec<f64> {
    let messages = events.iter().filter_map(|event| event.message.as_ref());
    let told = messages.filter(|message| message["method"] == "notifications/progress");
    told.map(|message| message["params"]["progress"].as_f64().expect("a number")).collect()
}

fn ids(events: &[Event]) -> Vec<u64> {
    events.iter().filter_map(|event| event.id).collect()
}

/// Reads until the call has begun.
async fn until_it_runs(stream: &mut Stream) -> Vec<Event> {
    let mut read = Vec::new();
    loop {
        let event = stream.next().await.expect("progress");
        read.push(event);
        if !progress(&read).is_empty() {
            return read;
        }
    }
}

#[tokio::test]
async fn a_call_streams_its_progress_and_then_its_result() {
    for era in [Era::Older, Era::Newer] {
        let mut host = match era {
            Era::Older => Host::older(Seeded::new()).await,
            Era::Newer => Host::newer(Seeded::new()),
        };
        let mut stream = host.ask("tools/call", call("generate_prompts", &generation("Name a boat"))).await;
        assert_eq!(stream.headers["content-type"], "text/event-stream");
        let events = stream.events().await;
        let told = progress(&events);
        assert!(told.len() > 3 && told.is_sorted_by(|a, b| a < b), "{told:?}");
        let last = events.last().and_then(|event| event.message.clone()).expect("a message");
        assert_eq!((&last["id"], &last["result"]["isError"]), (&json!(host.next_id), &json!(false)), "{last}");
        // Only an older stream can be resumed, so only its events have ids.
        if era == Era::Older {
            assert_eq!(ids(&events).len(), events.len());
            assert!(ids(&events).is_sorted_by(|a, b| a < b));
            assert_eq!((events[0].retry, &events[0].message), (Some(3000), &None));
        } else {
            assert!(ids(&events).is_empty() && events.iter().all(|event| event.message.is_some()));
        }
    }
}

#[tokio::test]
async fn a_lost_stream_of_a_session_is_resumed_without_a_gap() {
    let mut host = Host::older(Seeded::new()).await;
    let mut stream = host.ask("tools/call", call("generate_prompts", &generation("Name a boat"))).await;
    let mut read = until_it_runs(&mut stream).await;
    drop(stream);
    let last_id = ids(&read).last().expect("an id").to_string();
    let resume = async || host.bare("GET", &[("last-event-id", &last_id)]).await;
    let mut resumed = resume().await;
    assert_eq!((resumed.status, &resumed.headers["content-type"]), (200, &"text/event-stream".parse().expect("text")));
    let rest = resumed.events().await;
    read.extend(rest.clone());
    assert!(ids(&read).is_sorted_by(|a, b| a < b) && progress(&read).is_sorted_by(|a, b| a < b), "{read:?}");
    let last = read.last().and_then(|event| event.message.clone()).expect("a message");
    assert_eq!((&last["id"], &last["result"]["isError"]), (&json!(host.next_id), &json!(false)), "{last}");
    // Also once it has ended, and as often as the client needs.
    assert_eq!(resume().await.events().await, rest);
    let end = ids(&rest).last().expect("an id").to_string();
    assert_eq!(host.bare("GET", &[("last-event-id", &end)]).await.events().await, []);
}

#[tokio::test]
async fn a_stream_that_is_not_known_ends_at_once() {
    let host = Host::older(Seeded::new()).await;
    for id in ["0", "99999", "x", "1/2"] {
        let mut stream = host.bare("GET", &[("last-event-id", id)]).await;
        assert_eq!((stream.status, stream.events().await.len()), (200, 0), "{id}");
    }
}

#[tokio::test]
async fn no_session_resumes_the_streams_of_another() {
    let mut host = Host::older(Seeded::new()).await;
    let events = host.ask("tools/call", call("generate_prompts", &generation("Name a boat"))).await.events().await;
    let mut other = host.other(None);
    other.open().await;
    for id in ids(&events) {
        let mut stream = other.bare("GET", &[("last-event-id", &id.to_string())]).await;
        assert_eq!(stream.events().await, [], "{id}");
    }
}

#[tokio::test]
async fn a_client_without_a_session_that_leaves_cancels_its_call() {
    let mut host = Host::newer(hanging());
    let mut stream = host.ask("tools/call", call("generate_prompts", &generation("please hang"))).await;
    until_it_runs(&mut stream).await;
    drop(stream);
    assert_eq!(host.call("generate_prompts", generation("go on")).await["isError"], false);
}

#[tokio::test]
async fn a_client_that_leaves_before_anything_was_sent_cancels_its_call() {
    let config =
        "providers:\n  sim: {script: script.yaml, max_retries: 0, max_concurrency: 1}\nserver: {max_connections: 1}\n";
    let mut host = Host::newer(Seeded::with_files(config, &[("script.yaml", HANGS)]));
    let mut leaving = host.other(None);
    let silent = json!({ "name": "generate_prompts", "arguments": generation("please hang") });
    // The question below whether the server is full may be in its way.
    let asking = tokio::spawn(async move {
        while leaving.ask("tools/call", silent.clone()).await.status == 503 {
            tokio::task::yield_now().await;
        }
    });
    while host.ask("tools/list", json!({})).await.status != 503 {
        tokio::task::yield_now().await;
    }
    asking.abort();
    while host.ask("tools/list", json!({})).await.status != 200 {
        tokio::task::yield_now().await;
    }
    assert_eq!(host.call("generate_prompts", generation("go on")).await["isError"], false);
}

#[tokio::test]
async fn a_client_with_a_session_that_leaves_does_not_cancel_its_call() {
    let script = "pacing: {tokens_per_s: 1000}\nanswer: {words: 100}";
    let mut host = Host::older(Seeded::with_script(script, "")).await;
    let mut stream = host.ask("tools/call", call("generate_prompts", &generation("go on"))).await;
    let read = until_it_runs(&mut stream).await;
    drop(stream);
    let last_id = ids(&read).last().expect("an id").to_string();
    let mut resumed = host.bare("GET", &[("last-event-id", &last_id)]).await;
    assert_eq!(resumed.result().await["result"]["isError"], false);
}

#[tokio::test]
async fn a_call_of_a_session_is_cancelled_by_a_notification() {
    let mut host = Host::older(hanging()).await;
    let mut stream = host.ask("tools/call", call("generate_prompts", &generation("please hang"))).await;
    until_it_runs(&mut stream).await;
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": host.next_id } });
    assert_eq!(host.post(&cancel).await.status, 202);
    // No reply comes, so the stream ends without one.
    let rest = stream.events().await;
    assert!(rest.iter().all(|event| event.message.as_ref().is_none_or(|message| message.get("id").is_none())));
    assert_eq!(host.call("generate_prompts", generation("go on")).await["isError"], false);
}

/// A call can be cancelled while all slots are taken.
#[tokio::test]
async fn a_full_server_still_takes_a_cancellation() {
    let config = "providers:\n  sim: {script: script.yaml, max_retries: 0}\nserver: {max_connections: 1}\n";
    let mut host = Host::older(Seeded::with_files(config, &[("script.yaml", HANGS)])).await;
    let mut stream = host.ask("tools/call", call("generate_prompts", &generation("please hang"))).await;
    until_it_runs(&mut stream).await;
    let id = host.next_id;
    let full = host.ask("tools/list", json!({})).await.whole().await;
    assert_eq!((full.status.as_u16(), full.headers["retry-after"].to_str().ok()), (503, Some("1")));
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
    assert_eq!(host.post(&cancel).await.status, 202);
    stream.events().await;
    drop(stream);
    assert_eq!(host.ask("tools/list", json!({})).await.status, 200);
}

#[tokio::test]
async fn notifications_have_a_stream_of_their_own_that_can_be_resumed_from_its_beginning() {
    let host = Host::older(Seeded::new()).await;
    let mut stream = host.bare("GET", &[]).await;
    assert_eq!((stream.status, &stream.headers["content-type"]), (200, &"text/event-stream".parse().expect("text")));
    let first = stream.next().await.expect("an event");
    assert_eq!((first.retry, &first.message), (Some(3000), &None));
    drop(stream);
    let id = first.id.expect("an id").to_string();
    let mut resumed = host.bare("GET", &[("last-event-id", &id)]).await;
    assert_eq!(resumed.status, 200);
    assert_eq!(host.bare("DELETE", &[]).await.status, 202);
    // It ends with its session.
    assert_eq!(resumed.events().await, []);
}

#[tokio::test]
async fn the_newer_era_has_no_streams_to_open_and_no_sessions_to_end() {
    let host = Host::newer(Seeded::new());
    for method in ["GET", "DELETE"] {
        let reply = host.bare(method, &[("mcp-protocol-version", NEWER)]).await.whole().await;
        assert_eq!((reply.status.as_u16(), &reply.headers["allow"]), (405, &"POST".parse().expect("text")), "{method}");
        assert_eq!(reply.json()["error"]["code"], Value::from(-32600));
    }
}

/// A server with one slot is not full of hosts that wait for notifications.
#[tokio::test]
async fn a_subscription_takes_no_slot() {
    let mut host = Host::newer(Seeded::with_config("server: {max_connections: 1}\n"));
    let params = json!({ "notifications": { "promptsListChanged": true } });
    let mut stream = host.ask("subscriptions/listen", params).await;
    assert_eq!(stream.status, 200);
    let first = stream.next().await.and_then(|event| event.message).expect("a message");
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    assert_eq!(host.ask("tools/list", json!({})).await.status, 200);
}
