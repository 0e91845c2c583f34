//! The OpenAPI document: it has every route and no other, its schemas are schemas, its examples work.

use std::collections::BTreeSet;

use aludel::server::rest::ROUTES;
use axum::body::Body;
use serde_json::{Value, json};

use super::{Api, request};
use crate::seeded::Seeded;

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

async fn document(api: &Api) -> Value {
    api.get("/openapi.json").await.json()
}

/// Every operation with its method and path.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("an item") {
            assert!(METHODS.contains(&method.as_str()), "{method}");
            all.push((method.clone(), path.clone(), operation.clone()));
        }
    }
    all
}

#[tokio::test]
async fn it_has_every_route_and_no_other() {
    let document = document(&Api::new(Seeded::new())).await;
    assert_eq!(document["openapi"], "3.1.1");
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    let described: BTreeSet<String> =
        operations(&document).iter().map(|(method, path, _)| format!("{} {path}", method.to_uppercase())).collect();
    let served: BTreeSet<String> = ROUTES.iter().map(|route| format!("{} {}", route.method, route.path)).collect();
    assert_eq!(described, served);
}

#[tokio::test]
async fn every_operation_has_a_name_of_its_own_and_is_complete() {
    let document = document(&Api::new(Seeded::new())).await;
    let tags: Vec<&Value> = document["tags"].as_array().expect("tags").iter().map(|tag| &tag["name"]).collect();
    let mut ids = BTreeSet::new();
    for (method, path, operation) in operations(&document) {
        let id = operation["operationId"].as_str().expect("a name").to_owned();
        assert!(id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{id}");
        assert!(ids.insert(id), "{method} {path} has the name of another");
        assert!(!operation["summary"].as_str().expect("a summary").is_empty());
        assert!(operation["tags"].as_array().expect("tags").iter().all(|tag| tags.contains(&tag)));
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let in_path: BTreeSet<&str> = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "path")
            .map(|parameter| parameter["name"].as_str().expect("a name"))
            .collect();
        let of_template: BTreeSet<&str> =
            path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        assert_eq!(in_path, of_template, "{path}");
        let places: BTreeSet<String> =
            parameters.iter().map(|parameter| format!("{} {}", parameter["in"], parameter["name"])).collect();
        assert_eq!(places.len(), parameters.len(), "{path} has a parameter twice");
        let responses = operation["responses"].as_object().expect("responses");
        // Nothing is learned yet, so there is nothing to export.
        let succeeds = responses.keys().any(|status| status.starts_with('2')) || path == "/api/export";
        assert!(succeeds && responses.contains_key("403"), "{path}");
    }
}

#[tokio::test]
async fn every_schema_is_one_and_every_reference_leads_somewhere() {
    let document = document(&Api::new(Seeded::new())).await;
    let mut schemas = 0;
    visit(&document, &mut |name, value| {
        if let Some(reference) = value["$ref"].as_str() {
            let pointer = reference.strip_prefix('#').expect("a reference into the document");
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
        if name == "schema" {
            schemas += 1;
            assert!(jsonschema::meta::is_valid(value), "{value}");
        }
    });
    assert!(schemas > 100, "{schemas}");
    for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
        assert!(jsonschema::meta::is_valid(schema), "{name}");
        assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{name}");
    }
}

/// Calls `see` with every object of a document and the key it is under.
fn visit(value: &Value, see: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(map) => map.iter().for_each(|(name, value)| {
            if value.is_object() {
                see(name, value);
            }
            visit(value, see);
        }),
        Value::Array(items) => items.iter().for_each(|item| visit(item, see)),
        _ => {}
    }
}

#[tokio::test]
async fn every_example_is_a_request_that_works() {
    let api = Api::new(Seeded::new());
    api.generate(&json!({ "input": "a poem about rain" })).await;
    let document = document(&api).await;
    let mut shown = 0;
    for (method, path, operation) in operations(&document) {
        let Some(example) = operation["requestBody"]["content"]["application/json"].get("example") else { continue };
        let path = path.replace("{prompt_id}", "@last");
        let headers = [("content-type", "application/json")];
        let reply = api.send(request(&method.to_uppercase(), &path, &headers, Body::from(example.to_string()))).await;
        assert!(reply.status.is_success(), "{path}: {}", reply.text());
        shown += 1;
    }
    assert!(shown >= 4, "{shown}");
}

#[tokio::test]
async fn every_link_leads_to_an_operation_that_takes_its_parameter() {
    let document = document(&Api::new(Seeded::new())).await;
    let all = operations(&document);
    let mut count = 0;
    for (.., operation) in &all {
        for response in operation["responses"].as_object().expect("responses").values() {
            for link in response["links"].as_object().into_iter().flat_map(|links| links.values()) {
                let (.., target) = all
                    .iter()
                    .find(|(.., other)| other["operationId"] == link["operationId"])
                    .expect("an operation of that name");
                for name in link["parameters"].as_object().expect("parameters").keys() {
                    let parameters = target["parameters"].as_array().expect("parameters");
                    assert!(parameters.iter().any(|parameter| parameter["name"] == name.as_str()), "{link}");
                }
                count += 1;
            }
        }
    }
    assert!(count > 20, "{count}");
}

#[tokio::test]
async fn names_that_exist_here_are_in_the_document() {
    let script = [("script.yaml", "rules: []")];
    let api = Api::new(Seeded::with_files("providers:\n  my-sim: {kind: sim, script: script.yaml}\n", &script));
    let document = document(&api).await;
    let body = &document["paths"]["/api/v1/prompts/generate"]["post"]["requestBody"]["content"]["application/json"];
    let fields = &body["schema"]["properties"];
    assert!(fields["persona"]["enum"].as_array().expect("names").contains(&json!("code")), "{}", fields["persona"]);
    assert!(fields["provider"]["pattern"].as_str().expect("a pattern").contains("my-sim"), "{}", fields["provider"]);
}

#[tokio::test]
async fn a_client_that_has_the_document_is_told_so() {
    let api = Api::new(Seeded::new());
    let first = api.get("/openapi.json").await;
    let tag = first.headers["etag"].to_str().expect("text");
    let again = api.send(request("GET", "/openapi.json", &[("if-none-match", tag)], Body::empty())).await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
    assert_eq!(api.get("/openapi.json?x=1").await.problem().status, 400);
}
