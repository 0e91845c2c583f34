//! The HTTP face: mostly without a socket, with one where connections matter.

mod auth;
mod batch;
mod connections;
mod cors;
mod error_table;
mod generate;
mod headers;
mod hosts;
mod idempotency;
mod jobs;
mod metrics;
mod performance;
#[cfg(feature = "cli")]
mod process;
mod prompts;
mod rate_limit;
mod refusals;
mod search;
mod select;
#[cfg(all(feature = "cli", unix))]
mod shutdown;
mod socket;
mod trace;
mod transfer;
mod uploads;

use aludel::server::rest;
use aludel_core::error::Problem;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;

use crate::seeded::Seeded;

/// A server's routes over an engine of their own.
pub(crate) struct Api {
    pub(crate) router: Router,
    _seeded: Seeded,
}

/// A response, read completely.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Api {
    pub(crate) fn new(seeded: Seeded) -> Self {
        let router = rest::router(seeded.engine.clone());
        Self { router, _seeded: seeded }
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Reply {
        let response = self.router.clone().oneshot(request).await.expect("infallible");
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.into_body().collect().await.expect("a body").to_bytes().to_vec();
        Reply { status, headers, body }
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(request("GET", path, &[], Body::empty())).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(request("POST", path, &[("content-type", "application/json")], Body::from(body.to_string()))).await
    }

    /// Generates and returns the result.
    pub(crate) async fn generate(&self, body: &Value) -> Value {
        let reply = self.post("/api/v1/prompts/generate", body).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    }
}

/// A request to a loopback server.
pub(crate) fn request(method: &str, path: &str, headers: &[(&str, &str)], body: Body) -> Request<Body> {
    let mut builder = Request::builder().method(method).uri(path);
    if !headers.iter().any(|(name, _)| *name == "host") {
        builder = builder.header("host", "localhost:8080");
    }
    headers.iter().fold(builder, |builder, (name, value)| builder.header(*name, *value)).body(body).expect("a request")
}

impl Reply {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("UTF-8")
    }

    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.headers["content-type"], "application/json");
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// The problem, which must agree with the response's head.
    pub(crate) fn problem(&self) -> Problem {
        assert_eq!(self.headers["content-type"], "application/problem+json", "{}", self.text());
        let problem: Problem = serde_json::from_slice(&self.body).expect("a problem");
        assert_eq!(problem.status, self.status.as_u16());
        assert_eq!(problem.code.row().status, self.status.as_u16());
        assert_eq!(problem.kind, format!("urn:aludel:error:{}", problem.code));
        assert_eq!(problem.request_id.as_deref(), self.headers["x-request-id"].to_str().ok());
        assert!(!problem.detail.is_empty());
        problem
    }
}
