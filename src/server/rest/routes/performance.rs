//! Latency and throughput, totals of what is stored, and spending.
//!
//! The responses are the full results of `stats` and `spend`: latency and first-token percentiles,
//! tokens per second, tokens and cost, in total and by the requested keys.

use aludel_core::api::{Request as _, SpendRequest, StatsRequest};
use aludel_core::domain::{SpendReport, StatsReport};
use axum::http::{HeaderMap, StatusCode, Uri};
use serde_json::Value;

use super::answer;
use crate::server::rest::accept::{JSON, negotiate};
use crate::server::rest::error::HandlerResult;
use crate::server::rest::exchange::Exchange;
use crate::server::rest::{App, body};

pub(super) const PERFORMANCE: Exchange =
    Exchange::query::<StatsRequest>().gives::<StatsReport>(200, "Totals, latency and throughput.");
pub(super) const SPEND: Exchange = Exchange::query::<SpendRequest>().gives::<SpendReport>(200, "What was spent.");

pub(super) async fn performance(app: App, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    let raw = body::query(&uri, StatsRequest::FIELDS)?;
    let request = app.engine().decode::<StatsRequest>(Value::Object(raw))?;
    answer(StatusCode::OK, &app.engine().stats(request).await?)
}

pub(super) async fn spend(app: App, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    let raw = body::query(&uri, SpendRequest::FIELDS)?;
    let request = app.engine().decode::<SpendRequest>(Value::Object(raw))?;
    answer(StatusCode::OK, &app.engine().spend(request).await?)
}
