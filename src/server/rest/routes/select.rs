//! `POST /api/v1/prompts/select`: the judge's choice, as its result, its events, or a job.
//!
//! As with a generate run, the client's `Accept` chooses between result and events, and the work
//! ends with its client unless it was requested as a job.

use aludel_core::api::SelectRequest;
use aludel_core::domain::{Job, Operation, SelectResult};
use aludel_core::error::Code;
use aludel_core::event::Event;
use axum::extract::Request;
use axum::http::StatusCode;

use super::generate::outcome_of;
use super::{answer, jobs};
use crate::server::rest::accept::{EVENTS, JSON, negotiate};
use crate::server::rest::error::HandlerResult;
use crate::server::rest::exchange::{Answer, Exchange, PREFER};
use crate::server::rest::{App, body, sse};

pub(super) const EXCHANGE: Exchange = Exchange::body::<SelectRequest>(None)
    .headers(&[PREFER])
    .answers(Answer::json::<SelectResult>(200, "The choice.").or_events::<Event>())
    .answers(Answer::job::<Job>())
    .fails(&[Code::NotFound]);

pub(super) async fn select(app: App, request: Request) -> HandlerResult {
    let form = negotiate(request.headers(), &[JSON, EVENTS])?;
    let is_kept = jobs::is_async_preferred(request.headers());
    let raw = body::json(request).await?;
    let request = app.engine().decode::<SelectRequest>(raw)?;
    let prepared = app.engine().prepare_selection(Operation::Select, request).await?;
    if is_kept {
        return jobs::keep(&app, prepared).await;
    }
    let run = app.start(prepared)?;
    let halting = app.load().halting().clone();
    if form == EVENTS {
        return Ok(sse::answer(run, halting, app.work.clone()));
    }
    let outcome = outcome_of(run, &halting).await?;
    answer(StatusCode::OK, &outcome.result())
}
