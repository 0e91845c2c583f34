//! The state of the installation: its providers.
//!
//! Reads only what this process knows; the probes are in `health`. Unknown query parameters are
//! rejected like any unknown field.

use aludel_core::api::{NoFields, Request as _};
use aludel_core::domain::ProviderInfo;
use axum::http::{HeaderMap, StatusCode, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer;
use crate::server::rest::accept::{JSON, negotiate};
use crate::server::rest::error::HandlerResult;
use crate::server::rest::exchange::Exchange;
use crate::server::rest::{App, body};

pub(super) const PROVIDERS: Exchange = Exchange::query::<NoFields>().gives::<Providers>(200, "The providers.");

/// The providers of this installation.
#[derive(Serialize, JsonSchema)]
pub(super) struct Providers {
    /// The configured ones first, then the embedded one.
    providers: Vec<ProviderInfo>,
}

pub(super) async fn providers(app: App, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    app.engine().decode::<NoFields>(Value::Object(body::query(&uri, NoFields::FIELDS)?))?;
    answer(StatusCode::OK, &Providers { providers: app.engine().providers().await })
}
