//! `GET /api/v1/prompts/export` and `POST /api/v1/prompts/import`: prompts as text, in and out.

use aludel_core::event::{Event, laws};
use axum::body::{Body, Bytes};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::{Api, Reply, request};
use crate::seeded::Seeded;

const EXPORT: &str = "/api/v1/prompts/export";
const IMPORT: &str = "/api/v1/prompts/import";
/// Format, media type, extension.
const FORMATS: [(&str, &str, &str); 5] = [
    ("json", "application/json", "json"),
    ("jsonl", "application/x-ndjson", "jsonl"),
    ("csv", "text/csv", "csv"),
    ("yaml", "application/yaml", "yaml"),
    ("markdown", "text/markdown", "md"),
];

/// An API with three prompts about rivers and one about a boat.
async fn filled() -> Api {
    let api = Api::new(Seeded::with_echo());
    api.generate(&json!({ "input": "Write a haiku: \"rivers\", émigré", "count": 3, "tags": ["water", "x"] })).await;
    api.generate(&json!({ "input": "Name a boat", "count": 1 })).await;
    api
}

async fn sent(api: &Api, path: &str, media_type: &str, body: impl Into<Body>) -> Reply {
    api.send(request("POST", path, &[("content-type", media_type)], body.into())).await
}

async fn listed(api: &Api) -> Value {
    api.get("/api/v1/prompts?limit=1000").await.json()["prompts"].clone()
}

/// Lines of JSON with this many prompts.
fn records(count: u32) -> String {
    (0..count).map(|number| format!("{{\"content\": \"prompt {number}\"}}\n")).collect::<Vec<_>>().concat()
}

fn media_type(reply: &Reply) -> &str {
    reply.headers["content-type"].to_str().expect("text").split(';').next().expect("a type")
}

#[tokio::test]
async fn an_export_is_in_the_format_that_is_named_or_preferred() {
    let api = filled().await;
    for (format, kind, extension) in FORMATS {
        let named = api.get(&format!("{EXPORT}?format={format}")).await;
        let preferred = api.send(request("GET", EXPORT, &[("accept", kind)], Body::empty())).await;
        for reply in [&named, &preferred] {
            assert_eq!((reply.status.as_u16(), media_type(reply)), (200, kind));
            let file = format!("attachment; filename=\"prompts.{extension}\"");
            assert_eq!(reply.headers["content-disposition"], file);
            assert_eq!(reply.headers["x-total-count"], "4");
        }
        assert_eq!(named.text(), preferred.text(), "{format}");
        assert!(named.text().contains("Name a boat"), "{}", named.text());
    }
    let all = api.get(EXPORT).await.json();
    let oldest_first: Vec<&Value> = all.as_array().expect("a list").iter().map(|prompt| &prompt["id"]).collect();
    let prompts = listed(&api).await;
    let newest_first: Vec<&Value> = prompts.as_array().expect("prompts").iter().map(|prompt| &prompt["id"]).collect();
    assert_eq!(oldest_first, newest_first.into_iter().rev().collect::<Vec<_>>());
    let head = api.send(request("HEAD", EXPORT, &[], Body::empty())).await;
    assert_eq!((head.status.as_u16(), head.body.len(), media_type(&head)), (200, 0, "application/json"));
}

#[tokio::test]
async fn an_export_is_filtered_as_a_list() {
    let api = filled().await;
    for (query, count) in [("tags=water&tags=x", 3), ("tags=fire", 0), ("limit=2", 2), ("since=2999-01-01", 0)] {
        let reply = api.get(&format!("{EXPORT}?format=jsonl&{query}")).await;
        assert_eq!(reply.text().lines().count(), count, "{query}");
        assert_eq!(reply.headers["x-total-count"], count.to_string(), "{query}");
    }
}

#[tokio::test]
async fn an_export_that_cannot_be_given_is_refused_before_it_begins() {
    let api = filled().await;
    for (query, accept, status, field) in [
        ("?format=xml", "*/*", 422, "format"),
        ("?limit=0", "*/*", 422, "limit"),
        ("?page=2", "*/*", 400, "page"),
        ("", "image/png", 406, ""),
        ("?format=csv", "application/json", 406, ""),
    ] {
        let reply = api.send(request("GET", &format!("{EXPORT}{query}"), &[("accept", accept)], Body::empty())).await;
        let problem = reply.problem();
        assert_eq!(problem.status, status, "{query}");
        assert_eq!(problem.errors.first().map_or("", |fault| &*fault.field), field, "{query}");
    }
}

#[tokio::test]
async fn what_is_exported_is_imported_whole_in_every_format() {
    let from = filled().await;
    let prompts = listed(&from).await;
    for (format, kind, _) in &FORMATS[..4] {
        let text = from.get(&format!("{EXPORT}?format={format}")).await.body;
        for (path, kind) in [(IMPORT.to_owned(), *kind), (format!("{IMPORT}?format={format}"), "text/plain")] {
            let to = Api::new(Seeded::with_echo());
            let dry_path = format!("{path}{}dry_run=true", if path.contains('?') { '&' } else { '?' });
            let dry = sent(&to, &dry_path, kind, text.clone()).await.json();
            assert_eq!((&dry["imported"], &dry["dry_run"]), (&json!(4), &json!(true)), "{format}");
            assert_eq!(listed(&to).await, json!([]));
            let pieces: Vec<_> =
                text.chunks(1000).map(|it| Ok::<_, std::io::Error>(Bytes::copy_from_slice(it))).collect();
            let report = sent(&to, &path, kind, Body::from_stream(futures_util::stream::iter(pieces))).await.json();
            let counts = ["records", "imported", "existing", "conflicts"].map(|name| report[name].as_u64());
            assert_eq!(counts, [4, 4, 0, 0].map(Some), "{format}: {report}");
            assert_eq!(listed(&to).await, prompts, "{format}");
            let again = sent(&to, &path, kind, text.clone()).await.json();
            assert_eq!((&again["imported"], &again["existing"]), (&json!(0), &json!(4)), "{format}");
        }
    }
}

#[tokio::test]
async fn a_record_that_differs_from_what_is_stored_is_told_and_not_taken() {
    let api = filled().await;
    let mut prompts = api.get(EXPORT).await.json();
    prompts[0]["content"] = json!("another text");
    let report = sent(&api, IMPORT, "application/json", prompts.to_string()).await.json();
    assert_eq!((&report["existing"], &report["conflicts"]), (&json!(3), &json!(1)));
    assert_eq!(report["conflicting"][0]["fields"], json!(["content"]), "{report}");
    assert_eq!(report["conflicting"][0]["id"], prompts[0]["id"]);
    assert_ne!(api.get(EXPORT).await.json()[0]["content"], "another text");
}

#[tokio::test]
async fn bad_records_are_listed_by_their_lines_the_first_hundred_of_them() {
    let api = Api::new(Seeded::with_echo());
    let mut lines = ["{\"content\": \"good\"}"; 5];
    lines[3] = "{\"content\": \" \", \"temperature\": 9}";
    let problem = sent(&api, IMPORT, "application/x-ndjson", lines.join("\n")).await.problem();
    let fields: Vec<&str> = problem.errors.iter().map(|fault| fault.field.as_str()).collect();
    assert_eq!(fields, ["", "record 4 (line 4): content", "record 4 (line 4): temperature"]);
    assert_eq!((problem.status, problem.code.as_str()), (422, "validation_failed"));
    assert!(problem.detail.starts_with("one record is bad; nothing was imported"), "{}", problem.detail);

    let problem = sent(&api, IMPORT, "text/csv", "content,score\n".to_owned() + &"a,7\n".repeat(150)).await.problem();
    assert_eq!((problem.errors.len(), &*problem.errors[99].field), (100, "record 99 (line 100): score"));
    assert!(problem.detail.ends_with("; and 51 more"), "{}", problem.detail);
    assert_eq!(listed(&api).await, json!([]));
}

#[tokio::test]
async fn what_is_no_import_is_refused_with_the_reason() {
    let api = Api::new(Seeded::with_echo());
    let good = "{\"content\": \"good\"}";
    for (query, media_type, body, status, said) in [
        ("", "image/png", good, 415, "application/x-ndjson"),
        ("", "text/plain", "Dear reader", 422, "name json, jsonl, csv or yaml"),
        ("", "application/json", "", 400, "the body is empty"),
        ("", "application/json", "{oops", 422, "record 1 (line 1, column 1)"),
        ("?format=markdown", "text/plain", good, 422, "format"),
        ("?dry_run=maybe", "application/json", good, 400, "dry_run"),
        ("?dryrun=true", "application/json", good, 400, "did you mean `dry_run`?"),
    ] {
        let reply = sent(&api, &format!("{IMPORT}{query}"), media_type, body).await;
        let problem = reply.problem();
        assert_eq!(problem.status, status, "{query} {media_type}: {}", problem.detail);
        assert!(problem.detail.contains(said), "{}", problem.detail);
    }
    let length = (256_u64 << 20) + 1;
    let headers = [("content-type", "text/csv"), ("content-length", &*length.to_string())];
    let problem = api.send(request("POST", IMPORT, &headers, Body::from("content\na\n"))).await.problem();
    assert_eq!((problem.status, problem.code.as_str()), (413, "payload_too_large"));
    assert!(problem.detail.contains("256 MiB"), "{}", problem.detail);
    assert_eq!(listed(&api).await, json!([]));
}

#[tokio::test]
async fn an_import_can_be_watched() {
    let api = Api::new(Seeded::with_echo());
    let text = records(300);
    let headers = [("content-type", "application/x-ndjson"), ("accept", "text/event-stream")];
    let reply = api.send(request("POST", IMPORT, &headers, Body::from(text))).await;
    let events: Vec<Event> = reply
        .text()
        .split("\n\n")
        .filter_map(|message| message.split_once("\ndata: "))
        .map(|(_, data)| serde_json::from_str(data).expect("an event"))
        .collect();
    laws::check(&events).expect("a whole run");
    let last = serde_json::to_value(events.last().expect("events")).expect("JSON");
    assert_eq!(
        (&last["type"], &last["operation"], &last["result"]["imported"]),
        (&json!("finished"), &json!("import"), &json!(300))
    );
}

#[tokio::test]
async fn a_large_export_is_sent_as_it_is_read() {
    let api = Api::new(Seeded::with_echo());
    let text = records(1000);
    let report = sent(&api, &format!("{IMPORT}?no_vectors=true"), "application/x-ndjson", text).await.json();
    assert_eq!(report["imported"], 1000);
    let export = request("GET", &format!("{EXPORT}?format=jsonl"), &[], Body::empty());
    let mut body = api.router.clone().oneshot(export).await.expect("infallible").into_body();
    let (mut pieces, mut text) = (0, Vec::new());
    while let Some(frame) = body.frame().await {
        text.extend_from_slice(&frame.expect("a piece").into_data().expect("data"));
        pieces += 1;
    }
    let lines = String::from_utf8(text).expect("UTF-8").lines().count();
    assert!(lines == 1000 && pieces >= 5, "{lines} lines in {pieces} pieces");
}
