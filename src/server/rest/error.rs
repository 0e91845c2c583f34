//! Writes every error of the HTTP face as RFC 9457 problem details.
//!
//! A handler fails with a [`Refusal`]. It travels outward in the response's extensions, and
//! [`render`] writes the body in the outermost layer, where the request id is known. So all
//! failures look the same (of handlers, fallbacks, `guard`), and nothing else writes an error body.

use aludel_core::error::{Code, Error, Problem};
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::server::auth;
use crate::server::http::headers;

/// The media type of an error body.
pub(super) const PROBLEM_JSON: &str = "application/problem+json";
/// `Retry-After` for a client that was rejected for load, in seconds.
const OVERLOADED_WAIT_S: f64 = 1.0;

/// The result of a handler.
pub(super) type HandlerResult = Result<Response, Refusal>;

/// A problem to be rendered.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    problem: Box<Problem>,
    /// The value of `WWW-Authenticate`.
    challenge: Option<HeaderValue>,
}

impl Refusal {
    /// What it says, without the id of its request.
    pub(super) const fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Adds a sentence to what it says.
    pub(super) fn adding(mut self, more: &str) -> Self {
        self.problem.detail = format!("{}; {more}", self.problem.detail);
        self
    }
}

impl From<Problem> for Refusal {
    fn from(mut problem: Problem) -> Self {
        if problem.code == Code::Overloaded && problem.retry_after_s.is_none() {
            problem.retry_after_s = Some(OVERLOADED_WAIT_S);
        }
        Self { problem: Box::new(problem), challenge: None }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { challenge: auth::challenge(&error), ..Self::from(Problem::from(error)) }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Writes the body of a response that carries a refusal and returns the problem for the log.
pub(super) fn render(response: &mut Response, request_id: &str) -> Option<Problem> {
    let Refusal { problem, challenge } = response.extensions_mut().remove::<Refusal>()?;
    let problem = problem.with_request_id(request_id);
    // A problem is texts and numbers, so this cannot fail; an empty body still has its status.
    let body = serde_json::to_vec(&problem).unwrap_or_default();
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
    if let Some(wait) = problem.retry_after_s {
        headers.insert(header::RETRY_AFTER, headers::retry_after(wait));
    }
    if let Some(challenge) = challenge {
        headers.insert(header::WWW_AUTHENTICATE, challenge);
    }
    *response.body_mut() = Body::from(body);
    Some(problem)
}

#[cfg(test)]
mod tests {
    use aludel_core::error::{ProviderError, ProviderFailure};
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_refusal_becomes_one_body_with_the_requests_name() {
        let wait = Some(Duration::from_millis(1500));
        let error = ProviderError::new("fast", ProviderFailure::RateLimited, "slow down").with_retry_after(wait);
        let mut response = Refusal::from(Error::from(error)).into_response();
        let problem = render(&mut response, "job-7").unwrap();
        assert_eq!(problem.request_id.as_deref(), Some("job-7"));
        assert_eq!(response.status(), 503);
        assert_eq!(response.headers()[header::CONTENT_TYPE], PROBLEM_JSON);
        assert_eq!(response.headers()[header::RETRY_AFTER], "2");
    }

    #[test]
    fn an_answer_that_is_no_refusal_is_left_alone() {
        let mut response = "fine".into_response();
        assert!(render(&mut response, "job-7").is_none());
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/plain; charset=utf-8");
    }

    #[test]
    fn who_is_turned_away_for_load_is_told_when_to_come_back() {
        let error = Error::Refused { code: Code::Overloaded, detail: "busy".into() };
        let mut response = Refusal::from(error).into_response();
        render(&mut response, "x");
        assert_eq!(response.headers()[header::RETRY_AFTER], "1");
    }
}
