//! Jobs as tasks of the protocol, for clients that know them.

use std::time::Duration;

use serde_json::{Value, json};

use super::Wire;
use crate::seeded::Seeded;

const TASKS: &str = "io.modelcontextprotocol/tasks";

fn wire(script: &str) -> Wire {
    Wire::newer(Seeded::with_script(script, "")).with_capabilities(json!({ "extensions": { TASKS: {} } }))
}

async fn get(wire: &mut Wire, id: &Value) -> Value {
    let answer = wire.request("tasks/get", json!({ "taskId": id })).await;
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"].clone()
}

async fn ended(wire: &mut Wire, id: &Value) -> Value {
    loop {
        let task = get(wire, id).await;
        if task["status"] != "working" {
            return task;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn rows(count: usize) -> Value {
    (0..count).map(|number| json!({ "input": format!("Name boat {number}") })).collect()
}

#[tokio::test]
async fn a_batch_is_a_task_that_ends_with_its_job() {
    let mut wire = wire("answer: {text: a prompt}");
    let begun = wire.call("start_batch", json!({ "rows": rows(3), "count": 1 })).await;
    assert_eq!((&begun["resultType"], &begun["status"]), (&json!("task"), &json!("working")), "{begun}");
    let task = ended(&mut wire, &begun["taskId"]).await;
    assert_eq!((&task["status"], &task["resultType"]), (&json!("completed"), &json!("complete")), "{task}");
    let result = &task["result"];
    let job = &result["structuredContent"];
    assert_eq!((&job["state"], &job["done"], &job["id"]), (&json!("finished"), &json!(3), &begun["taskId"]));
    assert_eq!(result["isError"], false);
    // The tools for jobs know it by the same id.
    let shown = wire.content("job_status", json!({ "job_id": begun["taskId"] })).await;
    assert_eq!(shown["state"], "finished");
}

#[tokio::test]
async fn a_batch_that_fails_completes_its_task_as_a_tool_that_fails() {
    let mut wire = wire("answer: {text: a prompt}");
    let begun = wire.call("start_batch", json!({ "rows": rows(3), "count": 1, "max_calls": 1 })).await;
    let task = ended(&mut wire, &begun["taskId"]).await;
    assert_eq!((&task["status"], task.get("error")), (&json!("completed"), None), "{task}");
    let result = &task["result"];
    assert_eq!((&result["isError"], result.get("structuredContent")), (&json!(true), None), "{task}");
    let problem: Value = serde_json::from_str(result["content"][0]["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(problem["code"], "budget_exceeded", "{problem}");
    let shown = wire.content("job_status", json!({ "job_id": begun["taskId"] })).await;
    assert_eq!(shown["state"], "failed");
}

#[tokio::test]
async fn a_task_is_cancelled_and_cancelling_again_changes_nothing() {
    let mut wire = wire("rules: [{fault: hang}]");
    let begun = wire.call("start_batch", json!({ "rows": rows(200), "count": 1, "concurrency": 1 })).await;
    let id = &begun["taskId"];
    for _ in 0..2 {
        let answer = wire.request("tasks/cancel", json!({ "taskId": id })).await;
        assert!(answer.get("error").is_none(), "{answer}");
    }
    let task = ended(&mut wire, id).await;
    assert_eq!(task["status"], "cancelled", "{task}");
    let answer = wire.request("tasks/cancel", json!({ "taskId": id })).await;
    assert!(answer.get("error").is_none(), "{answer}");
}

#[tokio::test]
async fn what_is_no_task_is_refused() {
    let mut wire = wire("answer: {text: a prompt}");
    for id in ["nope", "", "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21"] {
        for method in ["tasks/get", "tasks/cancel"] {
            let answer = wire.request(method, json!({ "taskId": id })).await;
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
        }
        let answer = wire.request("tasks/update", json!({ "taskId": id, "inputResponses": {} })).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

/// SEP-2663, "tasks/update": replies to what is not asked should be ignored, and the request acknowledged.
#[tokio::test]
async fn replies_that_no_task_asked_for_are_ignored() {
    let mut wire = wire("answer: {text: a prompt}");
    let begun = wire.call("start_batch", json!({ "rows": rows(1), "count": 1 })).await;
    let update = json!({ "taskId": begun["taskId"], "inputResponses": { "unknown": { "action": "accept" } } });
    for _ in 0..2 {
        let answer = wire.request("tasks/update", update.clone()).await;
        assert_eq!((&answer["result"]["resultType"], answer.get("error")), (&json!("complete"), None), "{answer}");
        assert!(answer["result"].get("taskId").is_none(), "{answer}");
        assert_eq!(ended(&mut wire, &begun["taskId"]).await["status"], "completed");
    }
}

#[tokio::test]
async fn a_client_that_knows_no_tasks_gets_the_job() {
    let mut wire = Wire::newer(Seeded::with_script("answer: {text: a prompt}", ""));
    let job = wire.content("start_batch", json!({ "rows": rows(1), "count": 1 })).await;
    assert_eq!(job["operation"], "batch");
    let answer = wire.request("tasks/get", json!({ "taskId": job["id"] })).await;
    assert_eq!(answer["error"]["code"], -32021, "{answer}");
}
