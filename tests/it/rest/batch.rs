//! `POST /api/v1/prompts/batch`: rows in a body or streamed in, results, events, or a job.

use std::collections::BTreeMap;
use std::time::Duration;

use aludel_core::event::{Event, laws};
use axum::body::{Body, Bytes};
use serde_json::{Value, json};

use super::{Api, Reply, request};
use crate::seeded::Seeded;

const BATCH: &str = "/api/v1/prompts/batch";
const JOBS: &str = "/api/v1/jobs";
const HEALTHY: &str = "
answer: {text: 'made of {original_input}'}
price: {input: 1.0, output: 10.0}
usage: {input_tokens: 500, output_tokens: 40}
rules:
  - when: {input: broken}
    fault: rejected
";
const HANGS: &str = "
answer: {text: 'made of {original_input}'}
rules:
  - when: {input: slow, phase: coagulatio}
    fault: hang
    times: 1
";

fn api() -> Api {
    Api::new(Seeded::with_script(HEALTHY, ""))
}

async fn send(api: &Api, path: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Reply {
    api.send(request("POST", path, headers, body.into())).await
}

/// The text made for each row, or the code of its error, by id.
fn ends(rows: &Value) -> BTreeMap<String, String> {
    let end = |row: &Value| match row["status"].as_str() {
        Some("ok") => row["result"]["prompts"][0]["content"].clone(),
        _ => row["error"]["code"].clone(),
    };
    let rows = rows.as_array().expect("rows");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    rows.iter().map(|row| (text(&row["id"]), text(&end(row)))).collect()
}

fn expected() -> BTreeMap<String, String> {
    let rows = [("a", "made of Name a boat"), ("2", "provider_rejected"), ("3", "made of Say \"hi\"")];
    rows.map(|(id, end)| (id.to_owned(), end.to_owned())).into()
}

fn rows() -> Value {
    json!([{ "id": "a", "input": "Name a boat" }, { "input": "broken" }, { "input": "Say \"hi\"", "tags": ["x"] }])
}

#[tokio::test]
async fn rows_in_the_body_come_back_with_their_results_in_order() {
    let api = api();
    let reply = api.post(BATCH, &json!({ "rows": rows(), "count": 1, "persona": "code" })).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let answer = reply.json();
    assert_eq!(ends(&answer["rows"]), expected());
    let numbers: Vec<u64> =
        answer["rows"].as_array().into_iter().flatten().filter_map(|row| row["row"].as_u64()).collect();
    assert_eq!(numbers, [1, 2, 3]);
    let prompt = &answer["rows"][2]["result"]["prompts"][0];
    assert_eq!((&prompt["persona"], &prompt["tags"]), (&json!("code"), &json!(["x"])));
    let summary = &answer["summary"];
    let counts = ["total", "ok", "failed", "skipped"].map(|name| summary[name].as_u64());
    assert_eq!(counts, [3, 2, 1, 0].map(Some));
    // Three calls for each of two rows; what was refused was not answered.
    assert_eq!(summary["model_metadata"]["calls"], 6, "{summary}");
    let job = answer["job_id"].as_str().expect("a job");
    let details = api.get(&format!("{JOBS}/{job}")).await.json();
    assert_eq!(
        (&details["operation"], &details["state"], &details["failed"]),
        (&json!("batch"), &json!("finished"), &json!(1))
    );
    let result = api.get(&format!("{JOBS}/{job}/result")).await.json();
    assert_eq!((&result["rows"], &result["result"], &result["next_after"]), (&answer["rows"], summary, &Value::Null));
}

#[tokio::test]
async fn rows_are_streamed_in_in_every_format() {
    let lines = "{\"id\":\"a\",\"input\":\"Name a boat\"}\r\n{\"input\":\"broken\"}\n\n{\"input\":\"Say \\\"hi\\\"\"}";
    let csv = "\u{feff}id,input\na,Name a boat\n,broken\n,\"Say \"\"hi\"\"\"\n";
    let yaml = "- {id: a, input: Name a boat}\n- input: broken\n- input: 'Say \"hi\"'\n";
    for (media_type, body) in [
        ("application/x-ndjson", lines),
        ("application/jsonl; charset=utf-8", lines),
        ("text/csv", csv),
        ("application/yaml", yaml),
    ] {
        let api = api();
        let pieces = body.as_bytes().chunks(7).map(|piece| Ok::<_, std::io::Error>(Bytes::copy_from_slice(piece)));
        let pieces: Vec<_> = pieces.collect();
        let body = Body::from_stream(futures_util::stream::iter(pieces));
        let path = format!("{BATCH}?count=1&concurrency=2&tags=x,y");
        let reply = send(&api, &path, &[("content-type", media_type)], body).await;
        assert_eq!(reply.status, 200, "{media_type}: {}", reply.text());
        let answer = reply.json();
        assert_eq!(ends(&answer["rows"]), expected(), "{media_type}");
        assert_eq!(answer["rows"][0]["result"]["prompts"][0]["tags"], json!(["x", "y"]));
    }
    let reply = send(&api(), BATCH, &[("content-type", "text/plain")], "Name a boat\n\nbroken\n").await;
    assert_eq!(reply.json()["summary"]["total"], 2);
}

#[tokio::test]
async fn results_come_as_events_while_rows_finish() {
    let api = api();
    let headers = [("content-type", "application/json"), ("accept", "text/event-stream")];
    let body = json!({ "rows": rows(), "count": 1 }).to_string();
    let reply = send(&api, BATCH, &headers, body).await;
    assert_eq!(reply.headers["content-type"], "text/event-stream");
    let text = reply.text();
    let events: Vec<Event> = text
        .split("\n\n")
        .filter_map(|message| message.split_once("\ndata: "))
        .map(|(_, data)| serde_json::from_str(data).expect("an event"))
        .collect();
    laws::check(&events).expect("a whole run");
    let rows: Vec<Value> = events
        .iter()
        .map(|event| serde_json::to_value(event).expect("JSON"))
        .filter(|event| event["type"] == "row_finished")
        .collect();
    assert_eq!(ends(&Value::from(rows)), expected());
}

#[tokio::test]
async fn a_body_with_a_bad_row_is_refused_and_nothing_is_sent() {
    let api = api();
    let bad = json!({ "rows": [
        { "input": "fine" }, { "input": " " }, { "inptu": "x" }, { "id": "1", "input": "y" },
        { "input": "z", "budget_usd": 1 }, { "input": "z", "count": "two" }
    ] });
    let reply = api.post(BATCH, &bad).await;
    let problem = reply.problem();
    assert_eq!(reply.status, 422);
    let fields: Vec<&str> = problem.errors.iter().map(|fault| fault.field.as_str()).collect();
    for field in
        ["rows[1].input", "rows[2].input", "rows[2].inptu", "rows[3].id", "rows[4].budget_usd", "rows[5].count"]
    {
        assert!(fields.contains(&field), "{field}: {fields:?}");
    }
    assert!(problem.detail.contains("5 of 6 rows are bad"), "{}", problem.detail);
    let reply =
        send(&api, BATCH, &[("content-type", "application/x-ndjson")], "{\"input\":\"x\"}\n{\"input\":7}\n").await;
    let problem = reply.problem();
    assert!(problem.errors.iter().any(|fault| fault.field == "row 2 (line 2): input"), "{problem:?}");
    assert_eq!(api.get("/api/v1/spend").await.json()["total"]["calls"], 0);
    assert_eq!(api.get(&format!("{JOBS}?all=true")).await.json()["jobs"], json!([]));
}

#[tokio::test]
async fn what_is_no_batch_is_refused_with_the_reason() {
    let api = api();
    for (body, field) in [
        (json!({}), "rows"),
        (json!({ "rows": [] }), "rows"),
        (json!({ "rows": "x" }), "rows"),
        (json!({ "rows": [{ "input": "x" }], "input": "x" }), "input"),
        (json!({ "rows": [{ "input": "x" }], "format": "csv" }), "format"),
        (json!({ "rows": [{ "input": "x" }], "concurrency": 0 }), "concurrency"),
    ] {
        let problem = api.post(BATCH, &body).await.problem();
        let fields: Vec<&str> = problem.errors.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(fields, [field], "{body}");
    }
    let refused = async |media_type: &str, body: &'static str| {
        let reply = send(&api, BATCH, &[("content-type", media_type)], body).await;
        (reply.status.as_u16(), reply.problem().detail)
    };
    assert_eq!(refused("image/png", "x").await.0, 415);
    assert_eq!(refused("application/x-ndjson", "").await, (400, "the body is empty; send a row a line".to_owned()));
    let (status, detail) = refused("application/x-ndjson", "\n\n").await;
    assert!(status == 422 && detail.contains("has no rows"), "{detail}");
    let reply = send(&api, &format!("{BATCH}?cuont=1"), &[("content-type", "text/plain")], "x").await;
    assert!(reply.problem().detail.contains("did you mean `count`?"), "{}", reply.text());
}

#[tokio::test]
async fn a_batch_as_a_job_is_read_page_by_page_and_its_failures_alone() {
    let api = api();
    let mut rows: Vec<Value> = (0..25).map(|number| json!({ "input": format!("Name boat {number}") })).collect();
    rows[7] = json!({ "id": "bad", "input": "broken" });
    let headers = [("content-type", "application/json"), ("prefer", "respond-async")];
    let reply = send(&api, BATCH, &headers, json!({ "rows": rows, "count": 1 }).to_string()).await;
    assert_eq!(reply.status, 202, "{}", reply.text());
    let job = reply.json();
    assert_eq!((&job["operation"], &job["total"], &job["about"]), (&json!("batch"), &json!(25), &json!("25 rows")));
    let place = reply.headers["location"].to_str().expect("a path").to_owned();
    while api.get(&place).await.json()["state"] != "finished" {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let (mut seen, mut after, mut pages) = (Vec::new(), json!(0), 0);
    while !after.is_null() {
        let page = api.get(&format!("{place}/result?limit=10&after={after}")).await.json();
        seen.extend(page["rows"].as_array().into_iter().flatten().filter_map(|row| row["row"].as_u64()));
        (after, pages) = (page["next_after"].clone(), pages + 1);
    }
    assert_eq!((seen, pages), ((1..=25).collect::<Vec<u64>>(), 3));
    let failed = api.get(&format!("{place}/result?status=failed")).await.json();
    assert_eq!(ends(&failed["rows"]), [("bad".to_owned(), "provider_rejected".to_owned())].into());
    let brief = api.get(&format!("{place}/result?limit=1&brief=true")).await.json();
    assert_eq!(brief["rows"][0]["result"]["prompts"][0]["steps"], json!([]));
    for (query, field) in [("status=bad", "status"), ("limit=0", "limit"), ("after=-1", "after")] {
        let problem = api.get(&format!("{place}/result?{query}")).await.problem();
        assert_eq!(problem.errors[0].field, field);
    }
}

#[tokio::test]
async fn a_budget_ends_a_batch_and_a_larger_one_resumes_it() {
    let api = api();
    let rows: Vec<Value> = (0..4).map(|number| json!({ "input": format!("Name boat {number}") })).collect();
    let reply = api.post(BATCH, &json!({ "rows": rows, "count": 1, "concurrency": 1, "max_calls": 7 })).await;
    let problem = reply.problem();
    assert_eq!((reply.status.as_u16(), problem.code.as_str()), (422, "budget_exceeded"));
    assert!(problem.detail.contains("2 of 4 rows are done"), "{}", problem.detail);
    let path =
        problem.detail.split('`').find_map(|part| part.strip_prefix("GET ")).expect("where the rows are").to_owned();
    assert_eq!(api.get(&path).await.json()["rows"].as_array().map(Vec::len), Some(2));
    let job = path.strip_suffix("/result").expect("a path");
    let more = json!({ "max_calls": 12 });
    let reply = api.post(&format!("{job}/resume"), &more).await;
    assert_eq!((reply.status.as_u16(), &reply.json()["operation"]), (202, &json!("batch")));
    assert_eq!(reply.headers["location"].to_str().ok(), Some(job));
    while api.get(job).await.json()["state"] != "finished" {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(api.get(&path).await.json()["rows"].as_array().map(Vec::len), Some(4));
    assert_eq!(api.get("/api/v1/spend").await.json()["total"]["calls"], 12);
    let again = send(&api, &format!("{job}/resume"), &[], Body::empty()).await;
    assert_eq!((again.status.as_u16(), again.problem().code.as_str()), (409, "conflict"));
    let unfit = api.post(&format!("{job}/resume"), &json!({ "budget": 1 })).await.problem();
    assert!(unfit.detail.contains("budget_usd"), "{}", unfit.detail);
}

#[tokio::test]
async fn a_client_that_goes_away_stops_the_batch_and_what_is_done_stays() {
    let api = Api::new(Seeded::with_script(HANGS, ""));
    let rows = json!([{ "input": "one" }, { "input": "slow" }, { "input": "three" }]);
    let body = json!({ "rows": rows, "count": 1, "concurrency": 1 });
    let first_row_done = async {
        while api.get(&format!("{JOBS}?all=true")).await.json()["jobs"][0]["done"] != 1 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        _ = api.post(BATCH, &body) => panic!("the second row hangs"),
        () = first_row_done => {}
    }
    let job = loop {
        let list = api.get(&format!("{JOBS}?all=true")).await.json();
        let job = list["jobs"][0].clone();
        if job["state"] == "cancelled" {
            break job;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!((&job["done"], &job["total"]), (&json!(1), &json!(3)));
    let path = format!("{JOBS}/{}", job["id"].as_str().expect("an id"));
    assert_eq!(send(&api, &format!("{path}/resume"), &[], Body::empty()).await.status, 202);
    while api.get(&path).await.json()["state"] != "finished" {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let rows = api.get(&format!("{path}/result")).await.json()["rows"].clone();
    assert_eq!(ends(&rows).len(), 3);
}
