//! `POST /api/v1/prompts/compare`: compares stored prompts and, with a task, asks the judge.
//!
//! Where the judge is asked, the client can have its events, whose last has the whole comparison, or
//! leave it as a job, whose result is the judge's choice. As with every run, the judge's work ends
//! when its client disconnects.

use aludel_core::api::CompareRequest;
use aludel_core::domain::{CompareResult, Job, Operation, SessionId};
use aludel_core::error::{Code, Error};
use aludel_core::event::Event;
use axum::extract::Request;
use axum::http::StatusCode;
use schemars::JsonSchema;

use super::generate::outcome_of;
use super::{answer, jobs};
use crate::server::rest::accept::{EVENTS, JSON, negotiate};
use crate::server::rest::error::HandlerResult;
use crate::server::rest::exchange::{Answer, Exchange, PREFER};
use crate::server::rest::{App, body, sse};

pub(super) const EXCHANGE: Exchange = Exchange::body::<CompareRequest>(None)
    .headers(&[PREFER])
    .answers(Answer::json::<CompareResult>(200, "The comparison.").or_events::<ComparisonEvent>())
    .answers(Answer::job::<Job>())
    .fails(&[Code::NotFound, Code::JudgeUnreliable]);

/// An event of a comparison.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes what is written")]
enum ComparisonEvent {
    /// Of the judge's work.
    Judging(Box<Event>),
    /// The last.
    Finished(Box<FinishedComparison>),
}

/// The end of a comparison, with all of it.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes what is written")]
struct FinishedComparison {
    /// The run of the judge.
    session_id: SessionId,
    /// The number of the event.
    seq: u64,
    /// `finished`.
    r#type: String,
    /// `compare`.
    operation: Operation,
    /// The comparison.
    result: CompareResult,
}

pub(super) async fn compare(app: App, request: Request) -> HandlerResult {
    negotiate(request.headers(), &[JSON, EVENTS])?;
    let headers = request.headers().clone();
    let raw = body::json(request).await?;
    let mut comparing = app.engine().compare(app.engine().decode::<CompareRequest>(raw)?).await?;
    let Some(judging) = comparing.take_prepared() else {
        // Nothing happens that could be watched.
        negotiate(&headers, &[JSON])?;
        return answer(StatusCode::OK, &comparing.conclude(None)?);
    };
    let form = negotiate(&headers, &[JSON, EVENTS])?;
    if jobs::is_async_preferred(&headers) {
        return jobs::keep(&app, judging).await;
    }
    let run = app.start(judging)?;
    let halting = app.load().halting().clone();
    if form == EVENTS {
        let conclude = move |judged| {
            let whole = comparing.conclude(Some(judged))?;
            serde_json::to_value(whole).map_err(|error| Error::Internal(format!("a result cannot be written: {error}")))
        };
        return Ok(sse::answer_concluding(run, halting, app.work.clone(), Some(Box::new(conclude))));
    }
    let judged = *outcome_of(run, &halting).await?;
    answer(StatusCode::OK, &comparing.conclude(Some(judged))?)
}
