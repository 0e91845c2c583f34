//! `POST /api/v1/prompts/select`, `…/compare` as events, and `GET /api/v1/prompts/{id}/why`.

use aludel_core::domain::Operation;
use aludel_core::event::{Event, RunView};
use axum::body::Body;
use serde_json::{Value, json};

use super::{Api, request};
use crate::seeded::{Seeded, without_chance};

const SELECT: &str = "/api/v1/prompts/select";
const COMPARE: &str = "/api/v1/prompts/compare";
const SCRIPT: &str = "{seed: 3, answer: echo, judge: {quality_spread: 2}}";

/// An API with three prompts of one input, and their ids.
async fn filled(script: &str) -> (Api, Vec<Value>) {
    let api = Api::new(Seeded::with_script(script, ""));
    let made = api.generate(&json!({ "input": "Name a boat", "count": 3 })).await;
    let ids = made["prompts"].as_array().expect("prompts").iter().map(|prompt| prompt["id"].clone()).collect();
    (api, ids)
}

#[tokio::test]
async fn a_choice_is_json_or_the_events_that_lead_to_it() {
    let (api, ids) = filled(SCRIPT).await;
    let body = json!({ "prompt_ids": ids, "no_cache": true });
    let result = api.post(SELECT, &body).await.json();
    assert!(ids.contains(&result["prompt"]["id"]));
    assert_eq!(result["comparisons"].as_array().expect("comparisons").len(), 3);

    let headers = [("content-type", "application/json"), ("accept", "text/event-stream")];
    let reply = api.send(request("POST", SELECT, &headers, Body::from(body.to_string()))).await;
    assert_eq!(reply.headers["content-type"], "text/event-stream");
    let mut view = RunView::default();
    for message in reply.text().split("\n\n").filter(|message| !message.is_empty()) {
        let (_, data) = message.split_once("\ndata: ").expect("a name and data");
        view.apply(&serde_json::from_str::<Event>(data).expect("an event"));
    }
    assert_eq!((view.operation, view.comparisons.len()), (Some(Operation::Select), 3));
    let folded = serde_json::to_value(view.selection().expect("a choice")).expect("JSON");
    assert_eq!(without_chance(folded), without_chance(result));
}

#[tokio::test]
async fn a_comparison_with_a_task_is_json_events_or_a_job_and_without_one_json() {
    let (api, ids) = filled(SCRIPT).await;
    let judged = json!({ "prompt_ids": ids, "task_description": "Name a boat", "no_cache": true });
    let plain = json!({ "prompt_ids": ids });
    let send = async |body: &Value, header: (&str, &str)| {
        let headers = [("content-type", "application/json"), header];
        api.send(request("POST", COMPARE, &headers, Body::from(body.to_string()))).await
    };
    let result = api.post(COMPARE, &judged).await.json();
    let reply = send(&judged, ("accept", "text/event-stream")).await;
    assert_eq!(reply.headers["content-type"], "text/event-stream");
    let text = reply.text();
    let names: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!((names[0], names.iter().filter(|name| **name == "judged").count()), ("started", 3));
    let (_, last) = text.trim_end().rsplit_once("event: finished\ndata: ").expect("a last event");
    let last: Value = serde_json::from_str(last).expect("JSON");
    assert_eq!((&last["type"], &last["operation"]), (&json!("finished"), &json!("compare")));
    assert_eq!(last["seq"], names.len() - 1);
    assert!(last["result"]["scores"].is_object() && last["result"]["selection"].is_object(), "{last}");
    assert_eq!(without_chance(last["result"].clone()), without_chance(result));

    let kept = send(&judged, ("prefer", "respond-async")).await;
    assert_eq!((kept.status.as_u16(), &kept.json()["operation"]), (202, &json!("compare")));
    let refused = send(&plain, ("accept", "text/event-stream")).await.problem();
    assert_eq!(refused.code.as_str(), "not_acceptable");
    assert_eq!(send(&plain, ("accept", "text/event-stream, */*;q=0.1")).await.json()["selection"], Value::Null);
}

#[tokio::test]
async fn criteria_may_be_a_rubrics_name_or_weights_and_never_a_file() {
    let (api, ids) = filled(SCRIPT).await;
    let select = |criteria: Value| json!({ "prompt_ids": ids, "criteria": criteria });
    let named = api.post(SELECT, &select(json!("code"))).await.json();
    let name = named["criteria"].as_object().expect("criteria").keys().next().expect("a criterion").clone();
    let usual = api.post(SELECT, &json!({ "prompt_ids": ids })).await.json();
    let own = usual["criteria"].as_object().expect("criteria").keys().next().expect("a criterion").clone();
    let weighed = api.post(SELECT, &select(json!({ own.clone(): 7 }))).await.json();
    assert_eq!(weighed["criteria"], json!({ own: 1.0 }));
    assert!(!name.is_empty());
    let problem = api.post(SELECT, &select(json!("/etc/passwd"))).await.problem();
    assert_eq!((problem.status, problem.errors[0].field.as_str()), (422, "criteria"));
}

#[tokio::test]
async fn a_choice_that_cannot_be_made_is_a_problem() {
    let (api, ids) = filled(SCRIPT).await;
    let refused = |body: Value| {
        let api = &api;
        async move {
            let problem = api.post(SELECT, &body).await.problem();
            (problem.status, problem.errors.first().map_or(String::new(), |fault| fault.field.clone()))
        }
    };
    assert_eq!(refused(json!({})).await, (400, "prompt_ids".into()));
    assert_eq!(refused(json!({ "prompt_ids": [ids[0]] })).await, (422, "prompt_ids".into()));
    assert_eq!(refused(json!({ "prompt_ids": [ids[0], ids[0]] })).await, (422, "prompt_ids[1]".into()));
    assert_eq!(refused(json!({ "prompt_ids": ids, "task_description": " " })).await, (422, "task_description".into()));
    assert_eq!(refused(json!({ "prompt_ids": ids, "judge_provider": "nobody" })).await, (422, "judge_provider".into()));
    let nobody = "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21";
    assert_eq!(refused(json!({ "prompt_ids": [ids[0], nobody] })).await, (404, String::new()));
    let (api, ids) = filled("{answer: echo, rules: [{when: {role: judge}, answer: {text: 'no JSON'}}]}").await;
    let problem = api.post(SELECT, &json!({ "prompt_ids": ids })).await.problem();
    assert_eq!((problem.status, problem.code.as_str()), (502, "judge_unreliable"));
}

#[tokio::test]
async fn why_tells_of_every_judgement_a_prompt_stood_in() {
    let (api, ids) = filled(SCRIPT).await;
    let result = api.post(SELECT, &json!({ "prompt_ids": ids })).await.json();
    let id = result["prompt"]["id"].as_str().expect("an id");
    let told = api.get(&format!("/api/v1/prompts/{id}/why")).await.json();
    assert_eq!((&told["judgements"][0]["place"], &told["prompt_id"]), (&json!(1), &json!(id)));
    assert_eq!(told["judgements"][0]["reasoning"], result["reasoning"]);
    let problem = api.get("/api/v1/prompts/01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21/why").await.problem();
    assert_eq!(problem.status, 404);
    assert_eq!(api.get(&format!("/api/v1/prompts/{id}/why?limit=0")).await.problem().errors[0].field, "limit");
}
