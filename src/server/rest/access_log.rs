//! The record of a request: the line of the access log and what is counted, once, when its answer
//! is complete or given up.
//!
//! The line has the request's id, its method, the route (never the path or the query, which could
//! hold what is private), status, duration, bytes, client and trace. An answer of known length is
//! complete when it is made, a stream with its last piece. A client that leaves before the answer
//! has status 499, as in nginx; one that leaves during it is marked as `cut`. Probes that are answered
//! well are logged at `debug`: supervisors send them every few seconds.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use aludel_core::domain::TraceContext;
use aludel_core::engine::RequestContext;
use aludel_core::error::Problem;
use aludel_core::ledger::Caller;
use aludel_core::metrics::GaugeGuard;
use aludel_core::trace::BATCHED;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use tokio::time::Instant;
use tracing::field::display;

use super::accept::EVENTS;
use super::metrics::HttpMetrics;
use super::routes;
use crate::server::http::connections::Connection;
use crate::server::http::request_id::RequestId;

/// The status of a request whose client left before it was answered.
const CLIENT_LEFT: u16 = 499;

/// The record of one request, written when dropped.
pub(super) struct AccessRecord {
    metrics: Arc<HttpMetrics>,
    request_id: RequestId,
    trace: Option<Arc<TraceContext>>,
    method: Method,
    /// The path of the table that takes it, if one does.
    route: Option<&'static str>,
    client: Option<IpAddr>,
    begun: Instant,
    caller: Option<Arc<Caller>>,
    /// `None` until it is answered.
    status: Option<StatusCode>,
    problem: Option<Problem>,
    bytes: u64,
    is_complete: bool,
    _in_progress: GaugeGuard,
    event_stream: Option<GaugeGuard>,
}

impl AccessRecord {
    /// Begins the record of this request.
    pub(super) fn begin(
        metrics: Arc<HttpMetrics>,
        request: &Request,
        request_id: RequestId,
        route: Option<&'static str>,
        trace: Option<Arc<TraceContext>>,
    ) -> Self {
        let in_progress = metrics.request();
        Self {
            metrics,
            request_id,
            trace,
            method: request.method().clone(),
            route,
            client: request.extensions().get::<Connection>().map(|connection| connection.peer().ip()),
            begun: Instant::now(),
            caller: None,
            status: None,
            problem: None,
            bytes: 0,
            is_complete: false,
            _in_progress: in_progress,
            event_stream: None,
        }
    }

    /// The id of the trace it is part of.
    pub(super) fn trace_id(&self) -> Option<&str> {
        self.trace.as_ref().map(|trace| trace.trace_id())
    }

    /// Follows the answer to its end. `problem` is what its body says, if it is a refusal.
    pub(super) fn follow(mut self, response: Response, problem: Option<Problem>) -> Response {
        self.status = Some(response.status());
        self.problem = problem;
        let context = response.extensions().get::<RequestContext>();
        self.caller = context.and_then(|context| context.caller.clone());
        if let Some(bytes) = response.body().size_hint().exact() {
            self.bytes = bytes;
            self.is_complete = true;
            return response;
        }
        if response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == EVENTS) {
            self.event_stream = Some(self.metrics.event_stream());
        }
        response.map(|body| Body::new(RecordedBody { body, record: self }))
    }

    fn log(&self, status: u16) {
        let Self { method, bytes, .. } = self;
        let (request_id, route) = (self.request_id.as_str(), self.route.unwrap_or(routes::UNMATCHED));
        let duration_ms = (self.begun.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        let trace_id = self.trace_id();
        let client = self.client.map(display);
        let caller = self.caller.as_ref().map(|caller| caller.id.as_str());
        let problem = self.problem.as_ref();
        let (code, detail) = (problem.map(|it| it.code.as_str()), problem.map(|it| it.detail.as_str()));
        let cut = (self.status.is_some() && !self.is_complete).then_some(true);
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
                    target: BATCHED,
                    request_id, trace_id, %method, route, status, duration_ms, bytes, client, caller, code, detail, cut, "request"
                )
            };
        }
        if routes::is_probe(route) && problem.is_none() { line!(debug) } else { line!(info) }
    }
}

impl Drop for AccessRecord {
    fn drop(&mut self) {
        let status = self.status.or_else(|| StatusCode::from_u16(CLIENT_LEFT).ok()).unwrap_or_default();
        self.metrics.answered(&self.method, self.route.unwrap_or(routes::UNMATCHED), status, self.begun.elapsed());
        self.log(status.as_u16());
    }
}

/// A body that counts its bytes.
struct RecordedBody {
    body: Body,
    record: AccessRecord,
}

impl HttpBody for RecordedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Self { body, record } = self.get_mut();
        let polled = Pin::new(&mut *body).poll_frame(context);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                record.bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
                // A body that ends here may not be polled again.
                record.is_complete = body.is_end_stream();
            }
            Poll::Ready(None) => record.is_complete = true,
            Poll::Ready(Some(Err(_))) | Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
