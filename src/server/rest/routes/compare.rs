//! `POST /api/v1/prompts/compare`: compares stored prompts and, with a task, asks the judge.
//!
//! As with every run, the judge's work ends when its client disconnects.

use aludel_core::api::CompareRequest;
use aludel_core::domain::CompareResult;
use aludel_core::error::Code;
use axum::extract::Request;
use axum::http::StatusCode;

use super::answer;
use super::generate::outcome_of;
use crate::server::rest::accept::{JSON, negotiate};
use crate::server::rest::error::HandlerResult;
use crate::server::rest::exchange::Exchange;
use crate::server::rest::{App, body};

pub(super) const EXCHANGE: Exchange = Exchange::body::<CompareRequest>(None)
    .gives::<CompareResult>(200, "The comparison.")
    .fails(&[Code::NotFound, Code::JudgeUnreliable]);

pub(super) async fn compare(app: App, request: Request) -> HandlerResult {
    negotiate(request.headers(), &[JSON])?;
    let raw = body::json(request).await?;
    let mut comparing = app.engine().compare(app.engine().decode::<CompareRequest>(raw)?).await?;
    let judged = match comparing.take_prepared() {
        Some(judging) => {
            let run = app.start(judging)?;
            Some(*outcome_of(run, app.load().halting()).await?)
        }
        None => None,
    };
    answer(StatusCode::OK, &comparing.conclude(judged)?)
}
