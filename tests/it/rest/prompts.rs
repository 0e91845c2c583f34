//! Stored prompts over HTTP: pages, entity tags, changes and their refusals.

use axum::body::Body;
use serde_json::{Value, json};

use super::{Api, Reply, request};
use crate::seeded::Seeded;

async fn with_prompts(count: u32) -> (Api, Vec<Value>) {
    let api = Api::new(Seeded::with_echo());
    let result =
        api.generate(&json!({ "input": "Write a haiku about rivers", "count": count, "tags": ["water"] })).await;
    let prompts = result["prompts"].as_array().expect("prompts").clone();
    (api, prompts)
}

fn place(prompt: &Value) -> String {
    format!("/api/v1/prompts/{}", prompt["id"].as_str().expect("an id"))
}

async fn change(api: &Api, path: &str, headers: &[(&str, &str)], body: &Value) -> Reply {
    let headers: Vec<_> = [("content-type", "application/json")].into_iter().chain(headers.iter().copied()).collect();
    api.send(request("PATCH", path, &headers, Body::from(body.to_string()))).await
}

#[tokio::test]
async fn a_prompt_is_shown_whole_with_its_revision_as_tag() {
    let (api, prompts) = with_prompts(1).await;
    let reply = api.get(&place(&prompts[0])).await;
    assert_eq!((reply.status.as_u16(), &reply.headers["etag"]), (200, &"\"1\"".parse().expect("a value")));
    assert_eq!(reply.json(), prompts[0]);
    assert_eq!(reply.json()["steps"].as_array().expect("steps").len(), 3);
}

#[tokio::test]
async fn a_prompt_that_is_known_is_not_sent_again() {
    let (api, prompts) = with_prompts(1).await;
    let known = request("GET", &place(&prompts[0]), &[("if-none-match", "W/\"1\"")], Body::empty());
    let reply = api.send(known).await;
    assert_eq!((reply.status.as_u16(), reply.body.len()), (304, 0));
    assert_eq!(reply.headers["etag"], "\"1\"");
}

#[tokio::test]
async fn an_id_may_be_shortened_and_an_unknown_one_is_not_found() {
    let (api, prompts) = with_prompts(1).await;
    let id = prompts[0]["id"].as_str().expect("an id");
    assert_eq!(api.get(&format!("/api/v1/prompts/{}", &id[id.len() - 8..])).await.json(), prompts[0]);
    let unknown = api.get("/api/v1/prompts/01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21").await;
    assert_eq!(unknown.problem().code.as_str(), "not_found");
    assert_eq!(api.get("/api/v1/prompts/nonsense").await.problem().errors[0].field, "prompt_id");
}

#[tokio::test]
async fn pages_follow_their_cursor_and_filters_narrow_them() {
    let (api, prompts) = with_prompts(3).await;
    let mut seen = Vec::new();
    let mut path = "/api/v1/prompts?limit=2&tags=water".to_owned();
    loop {
        let page = api.get(&path).await.json();
        seen.extend(page["prompts"].as_array().expect("prompts").iter().map(|prompt| prompt["id"].clone()));
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("/api/v1/prompts?limit=2&tags=water&cursor={cursor}"),
            None => break,
        }
    }
    seen.sort_by_key(ToString::to_string);
    let mut all: Vec<Value> = prompts.iter().map(|prompt| prompt["id"].clone()).collect();
    all.sort_by_key(ToString::to_string);
    assert_eq!(seen, all);
    assert_eq!(
        api.get("/api/v1/prompts?tags=water&tags=fire").await.json(),
        json!({ "prompts": [], "next_cursor": null })
    );
}

#[tokio::test]
async fn bad_filters_are_refused_by_name() {
    let api = Api::new(Seeded::new());
    let fields = async |path: &str| -> (u16, Vec<String>) {
        let problem = api.get(path).await.problem();
        (problem.status, problem.errors.into_iter().map(|fault| fault.field).collect())
    };
    assert_eq!(
        fields("/api/v1/prompts?limit=0&phase=sublimatio&sort=best").await,
        (422, vec!["limit".into(), "phase".into(), "sort".into()])
    );
    assert_eq!(fields("/api/v1/prompts?limit=ten&limits=3").await, (400, vec!["limit".into(), "limits".into()]));
    assert_eq!(fields("/api/v1/prompts?limit=1&limit=2").await, (400, vec!["limit".into()]));
    assert_eq!(fields("/api/v1/providers?all=true").await, (400, vec!["all".into()]));
}

#[tokio::test]
async fn a_change_in_place_raises_the_revision() {
    let (api, prompts) = with_prompts(1).await;
    let path = place(&prompts[0]);
    let reply = change(&api, &path, &[("if-match", "\"1\"")], &json!({ "tags": ["river"], "notes": "short" })).await;
    assert_eq!((reply.status.as_u16(), &reply.headers["etag"]), (200, &"\"2\"".parse().expect("a value")));
    assert_eq!(reply.json()["tags"], json!(["river"]));
    assert_eq!(api.get(&path).await.json(), reply.json());
}

#[tokio::test]
async fn a_change_of_an_old_revision_is_a_conflict_and_changes_nothing() {
    let (api, prompts) = with_prompts(1).await;
    let path = place(&prompts[0]);
    change(&api, &path, &[], &json!({ "notes": "first" })).await.json();
    for tag in ["\"1\"", "W/\"2\"", "\"abc\""] {
        let reply = change(&api, &path, &[("if-match", tag)], &json!({ "notes": "second" })).await;
        assert_eq!(reply.problem().code.as_str(), "conflict", "{tag}");
    }
    assert_eq!(api.get(&path).await.json()["notes"], "first");
}

#[tokio::test]
async fn new_content_is_a_new_prompt_with_a_place_of_its_own() {
    let (api, prompts) = with_prompts(1).await;
    let reply = change(&api, &place(&prompts[0]), &[("if-match", "*")], &json!({ "content": "Be brief." })).await;
    assert_eq!(reply.status, 201);
    let made = reply.json();
    assert_eq!((&made["parent_id"], &made["content"]), (&prompts[0]["id"], &json!("Be brief.")));
    assert_eq!(reply.headers["location"], place(&made).as_str());
    assert_eq!(reply.headers["etag"], "\"1\"");
    assert_eq!(api.get(&place(&made)).await.json(), made);
    assert_eq!(api.get(&place(&prompts[0])).await.json(), prompts[0]);
}

#[tokio::test]
async fn what_the_path_and_the_head_say_is_not_said_again_in_the_body() {
    let (api, prompts) = with_prompts(1).await;
    let path = place(&prompts[0]);
    let twice = change(&api, &path, &[], &json!({ "prompt_id": "@last", "notes": "x" })).await.problem();
    assert_eq!((twice.status, twice.errors[0].field.as_str()), (400, "prompt_id"));
    let twice = change(&api, &path, &[("if-match", "\"1\"")], &json!({ "revision": 1, "notes": "x" })).await.problem();
    assert_eq!((twice.status, twice.errors[0].field.as_str()), (400, "revision"));
    let nothing = change(&api, &path, &[], &json!({})).await.problem();
    assert_eq!(nothing.code.as_str(), "validation_failed");
    assert_eq!(change(&api, &path, &[], &json!(["x"])).await.problem().code.as_str(), "invalid_request");
}

#[tokio::test]
async fn a_deleted_prompt_is_gone_and_only_it() {
    let (api, prompts) = with_prompts(2).await;
    let path = place(&prompts[0]);
    let delete = |tag: &'static str| request("DELETE", &path, &[("if-match", tag)], Body::empty());
    assert_eq!(api.send(delete("\"9\"")).await.problem().code.as_str(), "conflict");
    let reply = api.send(delete("\"1\"")).await;
    assert_eq!((reply.status.as_u16(), &reply.json()["deleted"]), (200, &json!([prompts[0]["id"]])));
    assert!(reply.json()["restorable_until"].is_string());
    assert_eq!(api.get(&path).await.problem().code.as_str(), "not_found");
    assert_eq!(api.send(delete("*")).await.problem().code.as_str(), "not_found");
    assert_eq!(api.get(&place(&prompts[1])).await.status, 200);
}

#[tokio::test]
async fn a_deleted_prompt_is_restored_with_a_later_revision() {
    let (api, prompts) = with_prompts(2).await;
    let path = place(&prompts[0]);
    let restore = || request("POST", &format!("{path}/restore"), &[], Body::empty());
    assert_eq!(api.send(restore()).await.problem().code.as_str(), "not_found");
    api.send(request("DELETE", &path, &[], Body::empty())).await;
    let trash = api.get("/api/v1/trash").await.json();
    assert_eq!((&trash["total"], &trash["prompts"][0]["id"]), (&json!(1), &prompts[0]["id"]));
    let restored = api.send(restore()).await;
    assert_eq!((restored.status.as_u16(), &restored.json()["revision"]), (200, &json!(2)));
    assert_eq!(restored.headers["etag"], "\"2\"");
    assert_eq!(api.get(&path).await.json()["content"], prompts[0]["content"]);
    api.send(request("DELETE", &format!("{path}?forever=true"), &[], Body::empty())).await;
    assert_eq!(api.send(restore()).await.problem().code.as_str(), "not_found");
    assert_eq!(api.get("/api/v1/trash?limit=0").await.problem().code.as_str(), "validation_failed");
}
