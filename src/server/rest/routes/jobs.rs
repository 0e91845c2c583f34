//! Lists, shows, follows, stops and resumes jobs, and starts work as a job for clients that do not
//! wait.
//!
//! A job's events have their numbers as ids, so a client that lost its connection continues with
//! `Last-Event-ID`, as every `EventSource` does. Following a job does not affect it.

use aludel_core::api::{FollowJobRequest, JobRequest, JobResultRequest, JobsRequest, Request as _, ResumeJobRequest};
use aludel_core::domain::{Job, JobDetails, JobList, JobResult, JobState, SessionId};
use aludel_core::engine::Prepared;
use aludel_core::error::{Code, Error, Result};
use aludel_core::event::Event;
use axum::body::HttpBody as _;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use serde_json::{Value, json};

use super::prompts::{PathId, with};
use super::{JOBS, answer};
use crate::server::rest::accept::{EVENTS, JSON, negotiate};
use crate::server::rest::error::HandlerResult;
use crate::server::rest::exchange::{self, Answer, Exchange, PLACED, TO_JOB, TO_JOBS};
use crate::server::rest::{App, body, sse};

pub(super) const LIST: Exchange =
    Exchange::query::<JobsRequest>().answers(Answer::json::<JobList>(200, "The jobs.").with_links(TO_JOBS));
pub(super) const SHOW: Exchange = Exchange::query::<JobRequest>().gives::<JobDetails>(200, "The job.");
pub(super) const FOLLOW: Exchange = Exchange::query::<FollowJobRequest>()
    .headers(&[exchange::LAST_EVENT_ID])
    .answers(Answer::events::<Event>(200, "The events, from the first that was asked for to the last."));
pub(super) const RESULT: Exchange =
    Exchange::query::<JobResultRequest>().gives::<JobResult>(200, "What came of the job.").fails(&[Code::Conflict]);
pub(super) const RESUME: Exchange = Exchange::optional_body::<ResumeJobRequest>()
    .answers(Answer::json::<Job>(202, "The job, which goes on.").with_headers(PLACED).with_links(TO_JOB));
pub(super) const STOP: Exchange = Exchange::query::<JobRequest>()
    .gives::<Job>(200, "The job, which has stopped.")
    .gives::<Job>(202, "The job, which its process has yet to stop.")
    .fails(&[Code::Conflict]);

const JOB_ID: &str = "job_id";
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const PREFER: HeaderName = HeaderName::from_static("prefer");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
/// The preference of a client that does not want to wait (RFC 7240, section 4.1).
const RESPOND_ASYNC: &str = "respond-async";

pub(super) async fn list(app: App, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    let raw = body::query(&uri, JobsRequest::FIELDS)?;
    let request = app.engine().decode::<JobsRequest>(Value::Object(raw))?;
    answer(StatusCode::OK, &app.engine().jobs(request).await?)
}

pub(super) async fn show(app: App, id: PathId, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    let raw = with(body::query(&uri, JobRequest::FIELDS)?, JOB_ID, id)?;
    let request = app.engine().decode::<JobRequest>(raw)?;
    answer(StatusCode::OK, &app.engine().job(request).await?)
}

pub(super) async fn follow(app: App, id: PathId, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[EVENTS])?;
    let raw = with(body::query(&uri, FollowJobRequest::FIELDS)?, JOB_ID, id)?;
    let mut request = app.engine().decode::<FollowJobRequest>(raw)?;
    // A reconnecting client sends this header by itself: it is ahead of what its URL says.
    if let Some(last) = last_event_id(&headers)? {
        request.from = u64::from(last) + 1;
    }
    let following = app.engine().follow_job(request).await?;
    Ok(sse::answer_following(following, app.load().halting().clone()))
}

pub(super) async fn result(app: App, id: PathId, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    let raw = with(body::query(&uri, JobResultRequest::FIELDS)?, JOB_ID, id)?;
    let request = app.engine().decode::<JobResultRequest>(raw)?;
    answer(StatusCode::OK, &app.engine().job_result(request).await?)
}

/// Resumes a job as work of this server. The body, with other limits, can be left out.
pub(super) async fn resume(app: App, id: PathId, request: Request) -> HandlerResult {
    negotiate(request.headers(), &[JSON])?;
    let raw = if request.body().is_end_stream() { json!({}) } else { body::json(request).await? };
    let Value::Object(raw) = raw else { return Err(body::malformed("expected a JSON object".into()).into()) };
    let request = app.engine().decode::<ResumeJobRequest>(with(raw, JOB_ID, id)?)?;
    let job = app.engine().resume_kept_job(request).await?;
    app.began(job.id);
    let mut response = answer(StatusCode::ACCEPTED, &job)?;
    response.headers_mut().insert(header::LOCATION, location(job.id)?);
    Ok(response)
}

/// Answers 202 while the job's process has yet to stop it.
pub(super) async fn stop(app: App, id: PathId, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    let raw = with(body::query(&uri, JobRequest::FIELDS)?, JOB_ID, id)?;
    let job = app.engine().stop_job(app.engine().decode::<JobRequest>(raw)?).await?;
    let status = if job.state == JobState::Stopping { StatusCode::ACCEPTED } else { StatusCode::OK };
    answer(status, &job)
}

/// True for a client that wants its work run as a job.
pub(in crate::server::rest) fn is_async_preferred(headers: &HeaderMap) -> bool {
    let texts = headers.get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
    texts.flat_map(|text| text.split(',')).any(|preference| {
        preference.split(';').next().is_some_and(|name| name.trim().eq_ignore_ascii_case(RESPOND_ASYNC))
    })
}

/// Starts work as a job: 202 with its `Location`, and the job.
pub(super) async fn keep(app: &App, prepared: Prepared) -> HandlerResult {
    let id = prepared.keep().await?;
    app.began(id);
    let request = app.engine().decode::<JobRequest>(json!({ JOB_ID: id }))?;
    let mut response = answer(StatusCode::ACCEPTED, &app.engine().job(request).await?.job)?;
    response.headers_mut().insert(header::LOCATION, location(id)?);
    response.headers_mut().insert(PREFERENCE_APPLIED, HeaderValue::from_static(RESPOND_ASYNC));
    Ok(response)
}

/// The path of a job.
fn location(id: SessionId) -> Result<HeaderValue> {
    HeaderValue::try_from(format!("{JOBS}/{id}"))
        .map_err(|error| Error::Internal(format!("a job's path is no header: {error}")))
}

/// The number of the last event a client has seen.
fn last_event_id(headers: &HeaderMap) -> Result<Option<u32>> {
    let Some(value) = headers.get(LAST_EVENT_ID) else { return Ok(None) };
    let number = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    let number = number.filter(|number| *number < u32::MAX);
    let unfit =
        || Error::shape("Last-Event-ID", "is not the id of an event: send the last one as it came, or leave it out");
    number.map(Some).ok_or_else(unfit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preference_is_found_among_others() {
        let prefers = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(PREFER, HeaderValue::from_static(text));
            is_async_preferred(&headers)
        };
        for yes in ["respond-async", "Respond-Async", "wait=10, respond-async; x=1", "return=minimal,respond-async"] {
            assert!(prefers(yes), "{yes}");
        }
        for no in ["", "wait=10", "respond-asynchronously", "x=respond-async", "return=minimal; respond-async"] {
            assert!(!prefers(no), "{no}");
        }
        assert!(!is_async_preferred(&HeaderMap::new()));
    }
}
