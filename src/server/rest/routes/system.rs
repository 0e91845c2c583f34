//! The state of the installation: its providers.
//!
//! Reads only what this process knows; the probes are in `health`. Unknown query parameters are
//! rejected like any unknown field.

use aludel_core::api::{NoFields, Request as _};
use axum::http::{HeaderMap, StatusCode, Uri};
use serde_json::{Value, json};

use super::answer;
use crate::server::rest::accept::{JSON, negotiate};
use crate::server::rest::error::HandlerResult;
use crate::server::rest::{App, body};

pub(super) async fn providers(app: App, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    app.engine().decode::<NoFields>(Value::Object(body::query(&uri, NoFields::FIELDS)?))?;
    answer(StatusCode::OK, &json!({ "providers": app.engine().providers().await }))
}
