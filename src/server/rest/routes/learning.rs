//! `GET /api/export`: learned patterns, which this version does not have yet.

use aludel_core::error::{Code, Error};
use axum::http::HeaderMap;

use crate::server::rest::accept::{JSON, negotiate};
use crate::server::rest::error::HandlerResult;
use crate::server::rest::exchange::Exchange;

pub(super) const EXCHANGE: Exchange = Exchange::nothing().fails(&[Code::Conflict]);

pub(super) async fn export(headers: HeaderMap) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    Err(Error::Conflict(
        "learning is off, so there are no learned patterns to export; this version does not learn yet".into(),
    )
    .into())
}
