//! What every request passes, from its head to the end of its answer.
//!
//! `front` gives it its id and its record, checks where it comes from, and completes the answer.
//! `cors` answers preflight requests. `admit` wants a token, a place within the rate of the client,
//! the whole body and a slot; probes need none of them, and what no route takes is refused without
//! regard to the client. Then the router calls the handler.
//!
//! This is one future around the router and not layers within it, each of which would be boxed and
//! cloned for every request.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use aludel_core::domain::limits;
use aludel_core::engine::RequestContext;
use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tower::{Service, ServiceExt};
use tower_http::cors::Cors;
use tracing::Instrument;

use super::access_log::AccessRecord;
use super::error::Refusal;
use super::routes::{self, Route};
use super::{App, EXPOSED, access, compression, error, idempotency};
use crate::server::http::{cors, headers, request_id, trace, upload::Upload};

/// The pipeline of one server. Clones share it.
#[derive(Clone)]
pub(super) struct Pipeline {
    app: Arc<App>,
    admission: Admission,
    cors: Option<Cors<Admission>>,
}

impl Pipeline {
    pub(super) fn new(app: App) -> Self {
        let routes = routes::with_fallbacks(routes::table())
            .layer(DefaultBodyLimit::max(limits::BODY_BYTES))
            .with_state(app.clone());
        let layer = cors::layer(&app.engine().config().server.cors, &EXPOSED);
        let app = Arc::new(app);
        let admission = Admission { app: Arc::clone(&app), routes };
        let cors = layer.map(|layer| tower::Layer::layer(&layer, admission.clone()));
        Self { app, admission, cors }
    }

    /// Answers a request.
    pub(super) fn answer(&self, request: Request) -> BoxFuture<'static, Response> {
        self.clone().front(request).boxed()
    }

    /// Sets the request id and the trace, runs the guard, completes the response (error body, headers)
    /// and records it.
    async fn front(self, mut request: Request) -> Response {
        let id = request_id::of(request.headers());
        let matched = routes::matched(request.uri().path());
        let trace = trace::of(request.headers());
        let record = AccessRecord::begin(Arc::clone(self.app.metrics()), &request, id.clone(), matched, trace.clone());
        request.extensions_mut().get_or_insert_default::<RequestContext>().trace = trace;
        let is_compressed = compression::is_accepted(request.headers());
        let is_head = request.method() == Method::HEAD;
        if !request.body().is_end_stream() {
            let (parts, body) = request.into_parts();
            let body = Body::new(Upload::new(body, &parts.headers));
            request = Request::from_parts(parts, body);
        }
        let mut response = match self.app.shared.guard.check(&request) {
            Ok(()) if routes::is_probe(request.uri().path()) => self.pass(request).await,
            Ok(()) => {
                let span = tracing::info_span!("request", request_id = id.as_str(), trace_id = record.trace_id());
                self.pass(request).instrument(span).await
            }
            Err(refused) => Refusal::from(refused).into_response(),
        };
        let problem = error::render(&mut response, id.as_str());
        if let Some(problem) = problem.as_ref().filter(|problem| problem.status >= 500) {
            tracing::error!(
                request_id = id.as_str(),
                code = problem.code.as_str(),
                detail = problem.detail,
                "a request failed"
            );
        }
        response.headers_mut().insert(request_id::HEADER, id.into());
        headers::complete(response.headers_mut());
        let response = if is_compressed { compression::compress(response).await } else { response };
        record.follow(if is_head { without_body(response) } else { response }, problem)
    }

    async fn pass(self, request: Request) -> Response {
        let Ok(response) = match self.cors {
            Some(mut cors) => cors.call(request).await.map(|response| response.map(Body::new)),
            None => Ok(self.admission.admit(request).await),
        };
        response
    }
}

/// The answer to a HEAD, which says how long the body would be.
fn without_body(mut response: Response) -> Response {
    let body = std::mem::take(response.body_mut());
    if let Some(length) = body.size_hint().exact() {
        response.headers_mut().entry(header::CONTENT_LENGTH).or_insert(length.into());
    }
    response
}

/// What comes after `cors`. Clones share it.
#[derive(Clone)]
struct Admission {
    app: Arc<App>,
    routes: Router,
}

impl Admission {
    /// Serves a request that has access and is within the rate of its client. Probes need no token and
    /// are not limited.
    async fn admit(self, mut request: Request) -> Response {
        let path = request.uri().path();
        let Some(route) = routes::matched(path).and_then(|path| routes::find(request.method(), path)) else {
            return self.route(request).await;
        };
        if routes::is_probe(path) {
            return self.route(request).await;
        }
        let denial = access::check(&self.app, &mut request, route).err().map(Refusal::from);
        // The access log names the caller.
        let context = request.extensions().get::<RequestContext>().cloned();
        let mut response = self.serve_within_rate(request, route, denial).await;
        if let Some(context) = context {
            response.extensions_mut().insert(context);
        }
        response
    }

    /// Serves a request that was not denied if it is within the rate of its client.
    async fn serve_within_rate(self, request: Request, route: &Route, denial: Option<Refusal>) -> Response {
        let app = Arc::clone(&self.app);
        let Some(rate_limit) = &app.shared.rate_limit else {
            return match denial {
                Some(denial) => denial.into_response(),
                None => self.serve_one(request, route).await,
            };
        };
        let allowance = rate_limit.take(request.extensions());
        let mut response = match (rate_limit.refusal(&allowance), denial) {
            (Some(refusal), _) => {
                app.metrics().rate_limited();
                Refusal::from(refusal).into_response()
            }
            (None, Some(denial)) => denial.into_response(),
            (None, None) => self.serve_one(request, route).await,
        };
        rate_limit.describe(&allowance, response.headers_mut());
        response
    }

    /// Serves a request once its body is complete and a slot is free, if it needs one.
    async fn serve_one(self, request: Request, route: &Route) -> Response {
        if routes::needs_no_slot(request.uri().path()) {
            return self.route(request).await;
        }
        match self.app.receive(request).await {
            Ok((request, slot)) => {
                let app = Arc::clone(&self.app);
                slot.hold(idempotency::answer_once(&app, request, route, |request| self.route(request)).await)
            }
            Err(refused) => Refusal::from(refused).into_response(),
        }
    }

    /// Has the router call the handler.
    async fn route(self, request: Request) -> Response {
        let Ok(response) = self.routes.oneshot(request).await;
        response
    }
}

impl Service<Request> for Admission {
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        self.clone().admit(request).map(Ok).boxed()
    }
}
