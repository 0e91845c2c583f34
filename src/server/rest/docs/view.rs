//! What the page shows, read from the OpenAPI document.

use serde::Serialize;
use serde_json::Value;

use super::shape::Shape;

/// The page.
#[derive(Debug, Serialize)]
pub(super) struct Page<'a> {
    style: &'a str,
    version: &'a str,
    openapi: &'a str,
    about: &'a str,
    needs_token: bool,
    groups: Vec<Group<'a>>,
    schemas: Vec<NamedSchema<'a>>,
}

#[derive(Debug, Serialize)]
struct Group<'a> {
    name: &'a str,
    operations: Vec<OperationView<'a>>,
}

#[derive(Debug, Serialize)]
struct OperationView<'a> {
    id: &'a str,
    method: String,
    path: &'a str,
    summary: &'a str,
    parameters: Vec<FieldView<'a>>,
    body: Option<BodyView<'a>>,
    answers: Vec<AnswerView<'a>>,
    curl: String,
}

#[derive(Debug, Serialize)]
struct BodyView<'a> {
    is_required: bool,
    media: String,
    fields: Vec<FieldView<'a>>,
}

#[derive(Debug, Serialize)]
struct AnswerView<'a> {
    status: &'a str,
    about: &'a str,
    bodies: Vec<MediaView<'a>>,
}

#[derive(Debug, Serialize)]
struct MediaView<'a> {
    media: &'a str,
    shape: Shape,
}

#[derive(Debug, Serialize)]
struct FieldView<'a> {
    name: &'a str,
    place: Option<&'a str>,
    is_required: bool,
    about: &'a str,
    shape: Shape,
}

#[derive(Debug, Serialize)]
struct NamedSchema<'a> {
    name: &'a str,
    about: &'a str,
    fields: Vec<FieldView<'a>>,
    shape: Shape,
}

impl<'a> Page<'a> {
    /// The page of a document.
    pub(super) fn of(document: &'a Value, host: &str, style: &'a str) -> Self {
        let groups = list(&document["tags"]).map(|tag| {
            let name = text(&tag["name"]);
            let all = members(&document["paths"])
                .flat_map(|(path, item)| members(item).map(move |(method, operation)| (path, method, operation)));
            let of_group = all.filter(|(.., operation)| list(&operation["tags"]).any(|tag| tag == name));
            let operations =
                of_group.map(|(path, method, operation)| OperationView::of(document, path, method, operation, host));
            Group { name, operations: operations.collect() }
        });
        let schemas = members(&document["components"]["schemas"]).map(|(name, schema)| NamedSchema {
            name,
            about: text(&schema["description"]),
            fields: fields(schema),
            shape: Shape::of(schema),
        });
        Self {
            style,
            version: text(&document["info"]["version"]),
            openapi: text(&document["openapi"]),
            about: text(&document["info"]["description"]),
            needs_token: document.get("security").is_some(),
            groups: groups.collect(),
            schemas: schemas.collect(),
        }
    }
}

impl<'a> OperationView<'a> {
    fn of(document: &'a Value, path: &'a str, method: &str, operation: &'a Value, host: &str) -> Self {
        let parameters = list(&operation["parameters"]).map(|parameter| FieldView {
            name: text(&parameter["name"]),
            place: Some(text(&parameter["in"])),
            is_required: parameter["required"] == true,
            about: text(&parameter["description"]),
            shape: Shape::of(&parameter["schema"]),
        });
        let body = operation.get("requestBody").map(|body| BodyView {
            is_required: body["required"] == true,
            media: members(&body["content"]).map(|(media, _)| media).collect::<Vec<_>>().join(", "),
            fields: fields(&body["content"]["application/json"]["schema"]),
        });
        let answers = members(&operation["responses"]).map(|(status, response)| {
            let response = resolved(document, response);
            let bodies = members(&response["content"]).map(|(media, body)| {
                let event = body.pointer("/schema/properties/data/contentSchema");
                let schema = event.or_else(|| body.get("schema"));
                MediaView { media, shape: schema.map_or_else(Shape::default, Shape::of) }
            });
            AnswerView { status, about: text(&response["description"]), bodies: bodies.collect() }
        });
        Self {
            id: text(&operation["operationId"]),
            method: method.to_uppercase(),
            path,
            summary: text(&operation["summary"]),
            parameters: parameters.collect(),
            body,
            answers: answers.collect(),
            curl: curl(path, method, operation, host),
        }
    }
}

/// A command that sends a request. Parameters that are required have their examples.
fn curl(path: &str, method: &str, operation: &Value, host: &str) -> String {
    let mut target = path.to_owned();
    let mut query = Vec::new();
    for parameter in list(&operation["parameters"]).filter(|parameter| parameter["required"] == true) {
        let name = text(&parameter["name"]);
        let example = parameter["example"].as_str().unwrap_or("rain");
        match text(&parameter["in"]) {
            "path" => target = target.replace(&format!("{{{name}}}"), example),
            _ => query.push(format!("{name}={example}")),
        }
    }
    if !query.is_empty() {
        target = format!("{target}?{}", query.join("&"));
    }
    let sends = if method == "get" { String::new() } else { format!(" -X {}", method.to_uppercase()) };
    let mut parts = vec![format!("curl{sends} 'http://{host}{target}'")];
    if list(&operation["security"]).any(|scheme| scheme.get("bearer").is_some()) {
        parts.push("-H \"Authorization: Bearer $TOKEN\"".to_owned());
    }
    if let Some(example) = operation["requestBody"]["content"]["application/json"].get("example") {
        parts.push("-H 'Content-Type: application/json'".to_owned());
        parts.push(format!("-d '{example}'"));
    }
    parts.join(" \\\n  ")
}

/// The properties of a schema. Variants of one are shown together.
fn fields(schema: &Value) -> Vec<FieldView<'_>> {
    let required: Vec<&str> = list(&schema["required"]).filter_map(Value::as_str).collect();
    members(&schema["properties"])
        .map(|(name, property)| FieldView {
            name,
            place: None,
            is_required: required.contains(&name),
            about: text(&property["description"]),
            shape: Shape::of(property),
        })
        .collect()
}

fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let pointer = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    pointer.and_then(|pointer| document.pointer(pointer)).unwrap_or(value)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}
