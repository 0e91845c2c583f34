//! One operation of the document: what a route takes and answers.

use aludel_core::api::{Field, exact_parameter, exact_property, exact_schema_of};
use aludel_core::operation;
use serde_json::{Map, Value, json};

use super::{Builder, failures, links, path_parameters};
use crate::server::rest::accept::{EVENTS, JSON};
use crate::server::rest::exchange::{Answer, AnswerHeader, Body, Exchange, Header, IDEMPOTENCY_KEY, REPLAYED};
use crate::server::rest::idempotency;
use crate::server::rest::routes::{self, ROUTES, Route};

/// The operation of a route.
pub(super) fn of(route: &Route, builder: &mut Builder<'_>, problem: &Value) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": operation::of(route.operation).about,
        "tags": [tag_of(route.path)],
    });
    let parameters = parameters(route, builder);
    if !parameters.is_empty() {
        operation["parameters"] = Value::from(parameters);
    }
    if route.exchange.body.is_some() || !route.exchange.uploads.is_empty() {
        operation["requestBody"] = request_body(route, builder);
    }
    let mut responses = Map::new();
    for answer in route.exchange.answers.iter().flatten() {
        let mut response = response(answer, builder);
        if keyed(route).is_some() {
            response["headers"][REPLAYED.name] = header_of(&REPLAYED);
        }
        responses.insert(answer.status.to_string(), response);
    }
    failures::add(route, builder, problem, &mut responses);
    operation["responses"] = Value::Object(responses);
    if needs_token(route, builder.setting.needs_token) {
        operation["security"] = json!([{ "bearer": [operation::scope_of(route.operation).as_str()] }]);
    } else if builder.setting.needs_token {
        operation["security"] = json!([]);
    }
    operation
}

/// True for a route that needs a token. `is_usual`: routes need one here, except probes.
pub(super) fn needs_token(route: &Route, is_usual: bool) -> bool {
    operation::always_needs_token(route.operation) || (is_usual && !routes::is_probe(route.path))
}

/// The name of a route: that of its operation, and of what distinguishes it if others share that.
pub(in crate::server::rest) fn operation_id(route: &Route) -> String {
    let name = route.operation.as_str().replace([' ', '-'], "_");
    let mut others = ROUTES.iter().filter(|other| other.operation == route.operation && !is_same(other, route));
    match others.next() {
        None => name,
        Some(other) if other.path == route.path => format!("{name}_{}", super::method_key(&route.method)),
        Some(_) => last_part(route.path),
    }
}

fn is_same(a: &Route, b: &Route) -> bool {
    a.path == b.path && a.method == b.method
}

/// The last part of a path that is no parameter, as a name.
fn last_part(path: &str) -> String {
    let part = path.rsplit('/').find(|part| !part.starts_with('{') && !part.is_empty()).unwrap_or("root");
    part.replace(['-', '.'], "_")
}

/// The group of a path: what comes after the version, or `server`.
pub(in crate::server::rest) fn tag_of(path: &str) -> String {
    let group = path.strip_prefix("/api/v1/").and_then(|rest| rest.split('/').next());
    group.unwrap_or("server").to_owned()
}

fn parameters(route: &Route, builder: &Builder<'_>) -> Vec<Value> {
    let Exchange { query, body, headers, alias, .. } = *route.exchange;
    let in_path = path_parameters(route);
    let known = &builder.setting.known;
    let fields = |name: &str| {
        let of_body = body.map_or(&[][..], |body| body.fields);
        query.iter().chain(of_body).find(|field| field.name == name)
    };
    let mut parameters = Vec::new();
    for name in &in_path {
        let schema = fields(name).map_or_else(|| json!({ "type": "string" }), |field| exact_property(field, known));
        parameters.push(parameter(name, "path", true, schema));
    }
    for field in query.iter().filter(|field| !in_path.contains(&field.name)) {
        let name = match alias {
            Some((aliased, name)) if aliased == field.name => name,
            _ => field.name,
        };
        parameters.push(parameter(name, "query", field.required, exact_parameter(field, known)));
    }
    for header in headers.iter().chain(keyed(route)) {
        let mut schema = json!({ "type": "string", "description": header.about });
        if let Some(pattern) = header.pattern {
            schema["pattern"] = pattern.into();
        }
        if !header.examples.is_empty() {
            schema["examples"] = json!(header.examples);
        }
        parameters.push(parameter(header.name, "header", false, schema));
    }
    parameters
}

/// The key of requests that are done once, where it is honoured.
pub(super) fn keyed(route: &Route) -> Option<&'static Header> {
    idempotency::is_honoured(route.operation, &route.method).then_some(&IDEMPOTENCY_KEY)
}

/// A parameter. Its description and examples move from its schema, where they were found.
fn parameter(name: &str, place: &str, is_required: bool, mut schema: Value) -> Value {
    let mut parameter = json!({ "name": name, "in": place });
    if let Value::Object(map) = &mut schema {
        if let Some(about) = map.shift_remove("description") {
            parameter["description"] = about;
        }
        if let Some(Value::Array(examples)) = map.shift_remove("examples")
            && let Some(first) = examples.into_iter().next()
        {
            parameter["example"] = first;
        }
        // `a,b` and repeated names are both taken; the document describes the second.
        if map.get("type") == Some(&json!("array")) {
            parameter["style"] = "form".into();
            parameter["explode"] = true.into();
        }
    }
    if is_required {
        parameter["required"] = true.into();
    }
    parameter["schema"] = schema;
    parameter
}

/// The JSON body of a route, and the files that it takes.
fn request_body(route: &Route, builder: &Builder<'_>) -> Value {
    let mut content = Map::new();
    if let Some(body) = route.exchange.body {
        content.insert(JSON.to_owned(), json_body(route, body, builder));
    }
    for media in route.exchange.uploads {
        content.insert((*media).to_owned(), json!({}));
    }
    json!({ "required": route.exchange.body.is_none_or(|body| body.is_required), "content": content })
}

fn json_body(route: &Route, body: Body, builder: &Builder<'_>) -> Value {
    let given = path_parameters(route);
    let fields: Vec<Field> = body.fields.to_vec();
    let schema = exact_schema_of(&fields, (body.rules)(), &given, &builder.setting.known);
    let mut described = json!({ "schema": schema });
    if let Some(example) = body.example.and_then(|text| serde_json::from_str::<Value>(text).ok()) {
        described["example"] = example;
    }
    described
}

fn response(answer: &Answer, builder: &mut Builder<'_>) -> Value {
    let mut response = json!({ "description": answer.about });
    let mut content = Map::new();
    for media in answer.media.iter().flatten() {
        let body = match media.schema.map(|schema| schema(&mut builder.schemas).to_value()) {
            Some(schema) if media.name == EVENTS => json!({ "schema": event(&schema) }),
            Some(schema) => json!({ "schema": schema }),
            None => json!({}),
        };
        content.insert(media.name.to_owned(), body);
    }
    if !content.is_empty() {
        response["content"] = Value::Object(content);
    }
    response["headers"] = headers(answer.headers);
    let links = links::of(answer.links);
    if !links.is_empty() {
        response["links"] = Value::Object(links);
    }
    response
}

/// One message of a stream. The data of a field is a text, here of JSON.
fn event(data: &Value) -> Value {
    json!({
        "description": "Each message of the stream.",
        "type": "object",
        "properties": {
            "id": { "type": "string", "description": "The number of the event, for `Last-Event-ID`; of jobs alone." },
            "event": { "type": "string", "description": "The `type` of the event." },
            "data": { "type": "string", "contentMediaType": "application/json", "contentSchema": data }
        },
        "required": ["event", "data"]
    })
}

/// Headers of an answer; `X-Request-Id` is one of all.
fn headers(headers: &[AnswerHeader]) -> Value {
    let id = json!({
        "description": "The id of the request in the log.", "required": true, "schema": { "type": "string" }
    });
    let mut described = Map::from_iter([("X-Request-Id".to_owned(), id)]);
    for header in headers {
        described.insert(header.name.to_owned(), header_of(header));
    }
    Value::Object(described)
}

fn header_of(header: &AnswerHeader) -> Value {
    json!({ "description": header.about, "required": header.is_always, "schema": { "type": "string" } })
}
