//! `/metrics`: what the server and its engine count, in the Prometheus text format.

use aludel_core::error::Error;
use axum::http::header;
use axum::response::IntoResponse;

use crate::server::rest::App;
use crate::server::rest::error::HandlerResult;
use crate::server::rest::exchange::{Answer, Exchange};
use crate::server::rest::metrics::CONTENT_TYPE;

pub(super) const EXCHANGE: Exchange = Exchange::nothing().answers(Answer::file(200, "Every metric.", &["text/plain"]));

pub(super) const METRICS: &str = "/metrics";

pub(super) async fn metrics(app: App) -> HandlerResult {
    let text = app.metrics().text().map_err(|_| Error::Internal("the metrics cannot be written".into()))?;
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response())
}
