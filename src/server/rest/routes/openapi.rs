//! `GET /openapi.json` and `GET /docs`: the description of this server, for programs and for people.
//!
//! The document depends on the names that exist here, so its `ETag` is a hash of it. The page is
//! rendered from the document; its policy replaces the one that answers have otherwise.

use std::hash::{DefaultHasher, Hasher as _};

use aludel_core::api::{NoFields, Request as _};
use aludel_core::error::Error;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::IntoResponse;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use crate::server::rest::accept::{JSON, negotiate};
use crate::server::rest::error::HandlerResult;
use crate::server::rest::exchange::{Answer, Exchange, IF_NONE_MATCH, TAGGED};
use crate::server::rest::openapi::{self, Setting};
use crate::server::rest::{App, body, docs};

pub(super) const EXCHANGE: Exchange = Exchange::query::<NoFields>()
    .headers(&[IF_NONE_MATCH])
    .answers(Answer::json::<Document>(200, "The document.").with_headers(TAGGED))
    .answers(Answer::not_modified());

pub(super) const DOCS: Exchange = Exchange::query::<NoFields>().answers(Answer::file(200, "The page.", &[HTML]));

const HTML: &str = "text/html";

/// An OpenAPI document.
struct Document;

impl JsonSchema for Document {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OpenApi".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "required": ["openapi", "info", "paths", "components"] })
    }
}

pub(super) async fn document(app: App, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    app.engine().decode::<NoFields>(Value::Object(body::query(&uri, NoFields::FIELDS)?))?;
    let text = serde_json::to_vec(&openapi::document(&Setting::of(app.engine())))
        .map_err(|error| Error::Internal(format!("the OpenAPI document cannot be written: {error}")))?;
    let tag = tag(&text)?;
    if body::is_tag_known(&headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response());
    }
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static(JSON)), (header::ETAG, tag)], text).into_response())
}

pub(super) async fn docs(app: App, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[HTML])?;
    app.engine().decode::<NoFields>(Value::Object(body::query(&uri, NoFields::FIELDS)?))?;
    // `guard` has checked it.
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost:8080");
    let page = docs::page(&openapi::document(&Setting::of(app.engine())), host)?;
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, docs::POLICY)];
    Ok((headers, page).into_response())
}

/// The `ETag` of a text.
fn tag(text: &[u8]) -> Result<HeaderValue, Error> {
    let mut hasher = DefaultHasher::new();
    hasher.write(text);
    HeaderValue::try_from(format!("\"{:016x}\"", hasher.finish()))
        .map_err(|error| Error::Internal(format!("a hash is no header: {error}")))
}
