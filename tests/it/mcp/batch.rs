//! `start_batch` and the tools for its job.

use std::time::Duration;

use serde_json::{Value, json};

use super::Wire;
use crate::seeded::Seeded;

const SCRIPT: &str = "
answer: {text: 'made of {original_input}'}
rules:
  - when: {input: broken}
    fault: rejected
";

fn wire() -> Wire {
    Wire::newer(Seeded::with_script(SCRIPT, ""))
}

async fn finished(wire: &mut Wire, id: &Value) -> Value {
    loop {
        let job = wire.content("job_status", json!({ "job_id": id })).await;
        if job["state"] != "running" {
            return job;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_batch_goes_on_after_its_call_and_its_rows_are_read_in_pages() {
    let mut wire = wire();
    let mut rows: Vec<Value> = (0..30).map(|number| json!({ "input": format!("Name boat {number}") })).collect();
    rows[3] = json!({ "id": "bad", "input": "broken" });
    let job = wire.content("start_batch", json!({ "rows": rows, "count": 2, "tags": ["x"] })).await;
    assert_eq!((&job["operation"], &job["total"], &job["kept"]), (&json!("batch"), &json!(30), &json!(true)));
    let done = finished(&mut wire, &job["id"]).await;
    assert_eq!((&done["state"], &done["done"], &done["failed"]), (&json!("finished"), &json!(30), &json!(1)));

    let page = wire.content("job_result", json!({ "job_id": job["id"] })).await;
    let rows = page["rows"].as_array().expect("rows");
    assert_eq!((rows.len(), &page["next_after"], &page["result"]["ok"]), (20, &json!(20), &json!(29)));
    // The best of two, without what led to it.
    let prompts = rows[0]["result"]["prompts"].as_array().expect("prompts");
    assert_eq!((prompts.len(), &prompts[0]["content"]), (1, &json!("made of Name boat 0")));
    assert_eq!((&prompts[0]["steps"], &prompts[0]["tags"]), (&json!([]), &json!(["x"])));
    let rest = wire.content("job_result", json!({ "job_id": job["id"], "after": 20, "brief": false })).await;
    assert_eq!((rest["rows"].as_array().map(Vec::len), &rest["next_after"]), (Some(10), &Value::Null));
    assert_eq!(rest["rows"][0]["result"]["prompts"].as_array().map(Vec::len), Some(2));
    let failed = wire.content("job_result", json!({ "job_id": "@last", "status": "failed" })).await;
    assert_eq!((failed["rows"].as_array().map(Vec::len), &failed["rows"][0]["id"]), (Some(1), &json!("bad")));
}

#[tokio::test]
async fn bad_rows_are_named_and_nothing_starts() {
    let mut wire = wire();
    let refused = wire.call("start_batch", json!({ "rows": [{ "input": "x" }, { "input": "" }] })).await;
    assert_eq!(refused["isError"], true);
    assert!(refused["content"][0]["text"].as_str().is_some_and(|text| text.contains("rows[1].input")), "{refused}");
    let refused = wire.call("job_result", json!({ "job_id": "@last" })).await;
    assert!(refused["content"][0]["text"].as_str().is_some_and(|text| text.contains("not_found")), "{refused}");
}

#[tokio::test]
async fn a_batch_whose_budget_ended_is_resumed_with_a_larger_one() {
    let mut wire = wire();
    let rows: Vec<Value> = (0..4).map(|number| json!({ "input": format!("Name boat {number}") })).collect();
    let job = wire.content("start_batch", json!({ "rows": rows, "count": 1, "concurrency": 1, "max_calls": 7 })).await;
    let ended = finished(&mut wire, &job["id"]).await;
    assert_eq!((&ended["state"], &ended["done"]), (&json!("failed"), &json!(2)));
    let resumed = wire.content("job_resume", json!({ "job_id": job["id"], "max_calls": 12 })).await;
    assert_eq!((&resumed["id"], &resumed["attempt"]), (&job["id"], &json!(2)));
    let ended = finished(&mut wire, &job["id"]).await;
    assert_eq!((&ended["state"], &ended["done"]), (&json!("finished"), &json!(4)));
}
