//! Checks responses against the server's own OpenAPI document, which keeps the document true.
//!
//! Every response of the tests of this face passes here: its status must be listed, its media type,
//! its headers, and its body must be valid by the schema. The validator knows nothing of the server.

use axum::http::Method;
use serde_json::{Value, json};

use super::Reply;

/// An OpenAPI document.
pub(super) struct Document(pub(super) Value);

impl Document {
    /// The path template and operation of a request; `None` for a path or method that is not listed.
    fn operation(&self, method: &Method, path: &str) -> Option<(&str, &Value)> {
        let method = if method == Method::HEAD { "get".to_owned() } else { method.as_str().to_ascii_lowercase() };
        let paths = self.0["paths"].as_object().expect("paths");
        let fits = |template: &str| {
            template.split('/').count() == path.split('/').count()
                && template.split('/').zip(path.split('/')).all(|(part, given)| part == given || part.starts_with('{'))
        };
        let (template, item) = paths
            .iter()
            .filter(|(template, _)| fits(template))
            .min_by_key(|(template, _)| template.matches('{').count())?;
        Some((template, item.get(method)?))
    }

    fn resolved<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(reference) => {
                self.0.pointer(reference.trim_start_matches('#')).expect("a reference that leads somewhere")
            }
            None => value,
        }
    }

    /// Asserts that `reply` is as described. Requests for other paths or methods must be refused.
    pub(super) fn check(&self, method: &Method, path: &str, reply: &Reply) {
        let status = reply.status.as_u16();
        let Some((template, operation)) = self.operation(method, path) else {
            assert!(reply.status.is_client_error() || method == Method::OPTIONS, "{method} {path} is not described");
            return;
        };
        let at = format!("{method} {template}: {status}");
        let response = operation["responses"].get(status.to_string());
        let response = self.resolved(response.unwrap_or_else(|| panic!("{at} is not listed: {}", reply.text())));
        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            let is_given = reply.headers.contains_key(name.as_str());
            assert!(is_given || header["required"] != true, "{at}: the header {name} is missing");
        }
        if reply.body.is_empty() {
            // A stream of no events is empty, and so are lines of no prompts.
            let may_be_empty = ["text/event-stream", "application/x-ndjson"]
                .iter()
                .any(|media| response["content"].get(media).is_some());
            assert!(
                method == Method::HEAD || may_be_empty || response.get("content").is_none(),
                "{at}: the body is missing"
            );
            return;
        }
        let media = reply.headers["content-type"].to_str().expect("text");
        let media = media.split(';').next().expect("a first part");
        let content = response["content"].get(media);
        let content = content.unwrap_or_else(|| panic!("{at}: {media} is not listed"));
        if reply.headers.contains_key("content-encoding") {
            return;
        }
        match media {
            "text/event-stream" => {
                let data: Vec<Value> =
                    reply.text().lines().filter_map(|line| Some(json_of(line.strip_prefix("data: ")?))).collect();
                let schema = &content["schema"]["properties"]["data"]["contentSchema"];
                for event in &data {
                    self.assert_valid(schema, event, &at);
                }
            }
            "application/json" | "application/problem+json" => {
                self.assert_valid(&content["schema"], &json_of(&reply.text()), &at);
            }
            _ => {}
        }
    }

    /// Asserts that a value is valid by a schema of the document.
    pub(super) fn assert_valid(&self, schema: &Value, value: &Value, at: &str) {
        // References lead to the components, so these are part of it.
        let schema = json!({ "allOf": [schema], "components": self.0["components"] });
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let faults: Vec<String> =
            validator.iter_errors(value).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
        assert!(faults.is_empty(), "{at}: the body is not as described\n{}", faults.join("\n"));
    }
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
