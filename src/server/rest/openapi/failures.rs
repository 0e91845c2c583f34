//! The failures of a route: which codes it can answer with, by what it takes and does.

use aludel_core::error::Code;
use aludel_core::operation::{self, Effect};
use axum::http::Method;
use serde_json::{Map, Value, json};

use super::operation::{keyed, needs_token};
use super::{Builder, path_parameters};
use crate::server::rest::error::PROBLEM_JSON;
use crate::server::rest::exchange::Exchange;
use crate::server::rest::routes::{self, Route};

/// Of every route: `front` checks `Host`, and where the request comes from.
const ALWAYS: &[Code] = &[Code::InvalidRequest, Code::Forbidden];
/// Of every route that takes a slot of the server.
const SERVED: &[Code] =
    &[Code::NotAcceptable, Code::PayloadTooLarge, Code::RateLimited, Code::Overloaded, Code::Storage, Code::Internal];
/// Of routes that call providers.
const CALLING: &[Code] = &[
    Code::Conflict,
    Code::ConfigInvalid,
    Code::ProviderUnavailable,
    Code::ProviderAuth,
    Code::ProviderRateLimited,
    Code::ProviderRejected,
    Code::ProviderTimeout,
    Code::BudgetExceeded,
    // Personas, rubrics and models are read from files.
    Code::File,
];

/// Answers to a request that is refused before it is read whole, when its route is not known. They have
/// no body and no `X-Request-Id`.
const UNREAD: [(&str, &str); 2] =
    [("414", "The target of the request is too long."), ("431", "The headers of the request are too large.")];

/// The codes of a route, in the order of the table.
fn codes_of(route: &Route, is_token_usual: bool) -> Vec<Code> {
    let Exchange { query, body, uploads, headers, codes, .. } = *route.exchange;
    let mut all: Vec<Code> = ALWAYS.to_vec();
    all.extend(codes);
    all.extend(headers.iter().chain(keyed(route)).flat_map(|header| header.codes));
    if !routes::needs_no_slot(route.path) {
        all.extend(SERVED);
    } else if !routes::is_probe(route.path) {
        all.extend([Code::RateLimited, Code::Internal]);
    }
    if needs_token(route, is_token_usual) {
        all.push(Code::Unauthorized);
    }
    if body.is_some() || !query.is_empty() {
        all.push(Code::ValidationFailed);
    }
    if [Method::POST, Method::PUT, Method::PATCH].contains(&route.method) {
        all.push(Code::UnsupportedMediaType);
    }
    if !uploads.is_empty() {
        all.push(Code::File);
    }
    if !path_parameters(route).is_empty() {
        all.extend([Code::NotFound, Code::ValidationFailed]);
    }
    match operation::of(route.operation).effect {
        Effect::Generates => all.extend(CALLING.iter().chain(&[Code::JudgeUnreliable])),
        Effect::Searches => all.extend(CALLING),
        Effect::Reads | Effect::Changes | Effect::Deletes | Effect::Serves => {}
    }
    Code::ALL.into_iter().filter(|code| all.contains(code)).collect()
}

/// Adds the failures of a route to its responses.
pub(super) fn add(route: &Route, builder: &mut Builder<'_>, problem: &Value, responses: &mut Map<String, Value>) {
    for (status, about) in UNREAD {
        responses.insert(status.to_owned(), json!({ "$ref": format!("#/components/responses/{status}") }));
        builder.responses.entry(status.to_owned()).or_insert_with(|| json!({ "description": about }));
    }
    let codes = codes_of(route, builder.setting.needs_token);
    let mut statuses: Vec<u16> = codes.iter().map(|code| code.row().status).collect();
    statuses.sort_unstable();
    statuses.dedup();
    for status in statuses {
        let of_status: Vec<Code> = codes.iter().copied().filter(|code| code.row().status == status).collect();
        let names: Vec<&str> = of_status.iter().map(|code| code.as_str()).collect();
        let name = format!("{status}.{}", names.join("."));
        responses.insert(status.to_string(), json!({ "$ref": format!("#/components/responses/{name}") }));
        builder.responses.entry(name).or_insert_with(|| response(status, &of_status, problem));
    }
}

fn response(status: u16, codes: &[Code], problem: &Value) -> Value {
    let about: Vec<String> = codes.iter().map(|code| format!("`{code}`: {}.", code.row().title)).collect();
    let narrowed = json!({ "properties": { "status": { "const": status }, "code": { "enum": codes } } });
    let schema = json!({ "allOf": [problem, narrowed] });
    let text = |about: &str, is_always: bool| json!({ "description": about, "required": is_always, "schema": { "type": "string" } });
    let mut headers = Map::from_iter([("X-Request-Id".to_owned(), text("The id of the request in the log.", true))]);
    if [429, 503].contains(&status) {
        headers.insert("Retry-After".to_owned(), text("Seconds to wait before trying again.", false));
    }
    if status == 401 {
        headers.insert("WWW-Authenticate".to_owned(), text("What is wrong with the token (RFC 6750).", true));
    }
    json!({ "description": about.join(" "), "headers": headers, "content": { PROBLEM_JSON: { "schema": schema } } })
}
