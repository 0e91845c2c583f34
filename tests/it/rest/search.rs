//! Searching over HTTP: both methods, the headers, the refusals.

use serde_json::{Value, json};

use super::{Api, Reply};
use crate::seeded::Seeded;

const PATH: &str = "/api/v1/prompts/search";
const IDEAS: [&str; 3] =
    ["Apologise to a customer whose parcel came late", "Sort an array of integers", "Bake a loaf of rye bread"];

/// A server whose prompts have vectors.
async fn filled() -> Api {
    let seeded = Seeded::indexing();
    let engine = seeded.engine.clone();
    let api = Api::new(seeded);
    for (number, idea) in IDEAS.iter().enumerate() {
        let tags = [format!("n{number}")];
        api.generate(&json!({ "input": idea, "count": 1, "phases": ["prima-materia"], "tags": tags })).await;
    }
    engine.settle().await;
    api
}

fn inputs(reply: &Reply) -> Vec<String> {
    let rows = reply.json();
    let rows = rows.as_array().expect("a list");
    rows.iter().map(|row| row["original_input"].as_str().expect("text").to_owned()).collect()
}

fn total(reply: &Reply) -> &str {
    reply.headers["x-total-count"].to_str().expect("a number")
}

#[tokio::test]
async fn both_methods_find_the_same() {
    let api = filled().await;
    let by_query = api.get(&format!("{PATH}?q=loaf&limit=5&tags=n2&semantic=false")).await;
    let by_body = api.post(PATH, &json!({ "query": "loaf", "limit": 5, "tags": ["n2"], "semantic": false })).await;
    assert_eq!(by_query.status, 200, "{}", by_query.text());
    assert_eq!(inputs(&by_query), [IDEAS[2]]);
    assert_eq!((by_query.json(), total(&by_query)), (by_body.json(), "1"));
    assert_eq!(api.get(&format!("{PATH}?query=loaf")).await.json(), by_body.json());
    let row = &by_query.json()[0];
    assert_eq!(row["match"]["kind"], "text");
    assert!(row["match"]["snippet"].as_str().is_some_and(|snippet| snippet.contains("loaf")));
}

#[tokio::test]
async fn a_meaning_is_found_and_its_price_told() {
    let api = filled().await;
    for way in ["semantic", "hybrid"] {
        let reply = api.get(&format!("{PATH}?q=say%20sorry%20for%20a%20delayed%20delivery&{way}=true&limit=1")).await;
        assert_eq!((inputs(&reply), total(&reply)), (vec![IDEAS[0].to_owned()], "3"), "{way}");
        let metadata: Value =
            serde_json::from_str(reply.headers["x-model-metadata"].to_str().expect("ASCII")).expect("JSON");
        assert_eq!((&metadata["embedding_model"], &metadata["cost_usd"]), (&json!("all-minilm-l6-v2"), &json!(0.0)));
        assert!(!reply.headers.contains_key("x-warnings"));
    }
}

#[tokio::test]
async fn a_warning_is_a_header() {
    let api = filled().await;
    let reply = api.get(&format!("{PATH}?q=%3F%3F")).await;
    assert_eq!((reply.json(), total(&reply)), (json!([]), "0"));
    let warnings: Vec<String> =
        serde_json::from_str(reply.headers["x-warnings"].to_str().expect("ASCII")).expect("JSON");
    assert!(warnings[0].contains("no word"), "{warnings:?}");
}

#[tokio::test]
async fn bad_searches_are_refused_by_name() {
    let api = Api::new(Seeded::new());
    let told = async |path: &str| {
        let problem = api.get(path).await.problem();
        (problem.status, problem.errors.into_iter().map(|fault| fault.field).collect::<Vec<_>>())
    };
    assert_eq!(told(PATH).await, (400, vec!["query".into()]));
    assert_eq!(told(&format!("{PATH}?q=x&query=y")).await, (400, vec!["q".into()]));
    assert_eq!(told(&format!("{PATH}?q=%20&limit=0")).await, (422, vec!["query".into(), "limit".into()]));
    assert_eq!(told(&format!("{PATH}?q=x&semantic=true&hybrid=true")).await, (422, vec!["hybrid".into()]));
    assert_eq!(told(&format!("{PATH}?q=x&semantic=perhaps")).await, (400, vec!["semantic".into()]));
    assert_eq!(api.post(PATH, &json!({ "q": "x" })).await.problem().status, 400, "a body says `query`");
    let conflict = api.get(&format!("{PATH}?q=x&semantic=true")).await.problem();
    assert_eq!((conflict.status, conflict.code.as_str()), (409, "conflict"));
    assert!(conflict.detail.contains("aludel reindex"), "{}", conflict.detail);
}
