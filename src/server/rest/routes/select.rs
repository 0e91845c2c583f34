//! `POST /api/v1/prompts/select`: the judge's choice, as its result or as the events on the way to it.
//!
//! As with a generate run, what the client accepts decides which; and the work never outlives its client.

use aludel_core::api::SelectRequest;
use axum::extract::{Request, State};
use axum::http::StatusCode;

use super::answer;
use super::generate::outcome_of;
use crate::server::rest::accept::{EVENTS, JSON, negotiate};
use crate::server::rest::error::Answer;
use crate::server::rest::{App, body, sse};

pub(super) async fn select(State(app): State<App>, request: Request) -> Answer {
    let form = negotiate(request.headers(), &[JSON, EVENTS])?;
    let raw = body::json(request).await?;
    let run = app.engine().select(app.engine().decode::<SelectRequest>(raw)?).await?;
    let halting = app.load().halting().clone();
    if form == EVENTS {
        return Ok(sse::answer(run, halting));
    }
    let outcome = outcome_of(run, &halting).await?;
    answer(StatusCode::OK, &outcome.result())
}
