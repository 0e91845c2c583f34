//! REST: the operations over HTTP/1.1, JSON in and out, errors as problem details.
//!
//! A request passes `front` (request id, `guard`), then `admit` (its body, then a slot), then a
//! handler of `routes`; `error` writes the body of an error on the way back. [`router`] is all of
//! this without a socket; [`serve()`] adds it. Handlers hold no logic: `Engine::decode` validates.

mod accept;
mod arrival;
mod bind;
mod body;
mod error;
mod guard;
mod host;
mod load;
mod request_id;
mod routes;
mod row_upload;
mod serve;
mod sse;
mod stall;
mod upload;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aludel_core::domain::limits;
use aludel_core::engine::{Engine, RequestContext};
use aludel_core::error::Problem;
use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{DefaultBodyLimit, FromRequestParts, Request, State};
use axum::http::Method;
use axum::http::request::Parts;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use tracing::Instrument;

use arrival::BodyBudget;
use error::Refusal;
use guard::Guard;
use load::{Load, RequestSlot};
use row_upload::RowUploads;
use upload::Upload;

pub use routes::{ROUTES, Route};
pub use serve::{Options, Server, StopHandle, serve};

/// The state shared by all handlers, and the engine to act with. Clones share the state.
///
/// Handlers take it as an argument: its engine then acts in the [`RequestContext`] of the request.
#[derive(Clone)]
struct App {
    shared: Arc<Shared>,
    engine: Engine,
}

struct Shared {
    guard: Guard,
    load: Load,
    arrivals: BodyBudget,
    row_uploads: RowUploads,
    begun: Instant,
}

impl App {
    fn new(engine: Engine) -> Self {
        let config = &engine.config().server;
        let guard = Guard::new(&config.allowed_hosts);
        let load = Load::new(config.max_connections);
        let shared = Arc::new(Shared {
            guard,
            load,
            arrivals: BodyBudget::new(),
            row_uploads: RowUploads::new(),
            begun: Instant::now(),
        });
        Self { shared, engine }
    }

    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn load(&self) -> &Load {
        &self.shared.load
    }

    fn uptime(&self) -> Duration {
        self.shared.begun.elapsed()
    }

    fn router(self) -> Router {
        let served = routes::table().route_layer(middleware::from_fn_with_state(self.clone(), admit));
        routes::with_fallbacks(served)
            .layer(DefaultBodyLimit::max(limits::BODY_BYTES))
            .layer(middleware::from_fn_with_state(self.clone(), front))
            .with_state(self)
    }

    /// Waits for the body of a request, then takes a slot.
    async fn receive(&self, request: Request) -> aludel_core::error::Result<(Request, RequestSlot)> {
        if request.body().is_end_stream() {
            return Ok((request, self.load().enter()?));
        }
        if let Some(format) = row_upload::expected(&request) {
            let (parts, body) = request.into_parts();
            let arriving = self.shared.row_uploads.whole(format, &parts.headers, body);
            let upload = self.load().before_entering(arriving).await?;
            let place = self.load().enter()?;
            let mut request = Request::from_parts(parts, Body::empty());
            request.extensions_mut().insert(upload);
            return Ok((request, place));
        }
        if [Method::POST, Method::PUT, Method::PATCH].contains(request.method()) {
            body::check_media_type(request.headers())?;
        }
        let (parts, body) = request.into_parts();
        let arriving = self.shared.arrivals.whole(&parts.headers, body);
        let bytes = self.load().before_entering(arriving).await?;
        let place = self.load().enter()?;
        Ok((Request::from_parts(parts, Body::from(bytes)), place))
    }
}

impl FromRequestParts<Self> for App {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &Self) -> Result<Self, Infallible> {
        let engine = match parts.extensions.get::<RequestContext>() {
            Some(context) => state.engine.with_context(context.clone()),
            None => state.engine.clone(),
        };
        Ok(Self { shared: Arc::clone(&state.shared), engine })
    }
}

/// The server's routes over this engine, without a socket.
pub fn router(engine: Engine) -> Router {
    App::new(engine).router()
}

/// Sets the request id, runs the guard and completes the response: error body, id, log line.
async fn front(State(app): State<App>, request: Request, next: Next) -> Response {
    let id = request_id::of(request.headers());
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let span = tracing::info_span!("request", request_id = %id);
    let (parts, body) = request.into_parts();
    let body = if body.is_end_stream() { body } else { Body::new(Upload::new(body, &parts.headers)) };
    let request = Request::from_parts(parts, body);
    let mut response = match app.shared.guard.check(&request) {
        Ok(()) => next.run(request).instrument(span).await,
        Err(refused) => Refusal::from(refused).into_response(),
    };
    let problem = error::render(&mut response, &id);
    log(&id, &method, &path, &response, problem.as_ref());
    if let Some(value) = request_id::value(&id) {
        response.headers_mut().insert(request_id::HEADER, value);
    }
    response
}

/// Serves a request once its body is complete and a slot is free. Probes need no slot.
async fn admit(State(app): State<App>, request: Request, next: Next) -> Response {
    if routes::is_probe(request.uri().path()) {
        return next.run(request).await;
    }
    match app.receive(request).await {
        Ok((request, place)) => keep(next.run(request).await, place),
        Err(refused) => Refusal::from(refused).into_response(),
    }
}

/// A stream keeps its slot until its last piece; any other response is complete.
fn keep(response: Response, place: RequestSlot) -> Response {
    if response.body().size_hint().exact().is_some() {
        return response;
    }
    response.map(|body| {
        Body::from_stream(body.into_data_stream().map(move |piece| {
            let _held = &place;
            piece
        }))
    })
}

/// Logs a response: server errors as errors, refusals at info level, the rest for debugging.
fn log(id: &str, method: &axum::http::Method, path: &str, response: &Response, problem: Option<&Problem>) {
    let status = response.status().as_u16();
    match problem {
        Some(Problem { code, detail, .. }) if status >= 500 => {
            tracing::error!(request_id = id, %method, path, status, code = code.as_str(), detail, "a request failed");
        }
        Some(Problem { code, detail, .. }) => {
            tracing::info!(request_id = id, %method, path, status, code = code.as_str(), detail, "a request was refused");
        }
        None => tracing::debug!(request_id = id, %method, path, status, "a request was answered"),
    }
}
