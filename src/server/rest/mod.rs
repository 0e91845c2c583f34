//! REST: the operations over HTTP/1.1, JSON in and out, errors as problem details.
//!
//! A request passes the `pipeline`: its id, `trace`, `access_log` and `guard`, `cors`, its token in
//! `access`, the rate of its client, its body, a slot, `idempotency`, and a handler of `routes`; on the
//! way back `error` writes the body of an error and `headers` and `compression` complete the answer.
//! [`router`] is all of this without a socket; [`serve()`] adds it. What is not REST's own is in
//! `http`. Handlers hold no logic: `Engine::decode` validates.
//!
//! A panic ends the process, as everywhere in a release build: there is no state to trust after one.
//! The database survives it, and kept jobs go on at the next start.

mod accept;
mod access;
mod access_log;
mod body;
mod compression;
mod docs;
mod error;
mod exchange;
mod file_upload;
mod idempotency;
mod metrics;
mod openapi;
mod pipeline;
mod process;
mod recorder;
mod routes;
mod sse;
mod work;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aludel_core::domain::SessionId;
use aludel_core::engine::{Engine, Prepared, RequestContext};
use aludel_core::event::run::Run;
use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderName, Method, header};

use super::http::Service;
use super::http::arrival::BodyBudget;
use super::http::connections::Connection;
use super::http::cors::Origins;
use super::http::guard::Guard;
use super::http::load::{Load, RequestSlot};
use super::http::rate_limit::RateLimit;
use file_upload::FileUploads;
use metrics::HttpMetrics;
use pipeline::Pipeline;
use work::WorkMark;

pub use super::http::{Options, Server, StopHandle};
pub use routes::{ROUTES, Route};

/// Headers of answers that web pages of allowed origins can read.
const EXPOSED: [HeaderName; 8] = [
    header::CONTENT_DISPOSITION,
    header::ETAG,
    header::LOCATION,
    idempotency::REPLAYED,
    HeaderName::from_static("preference-applied"),
    HeaderName::from_static("x-model-metadata"),
    HeaderName::from_static("x-total-count"),
    HeaderName::from_static("x-warnings"),
];

/// The state shared by all handlers, and the engine to act with. Clones share the state.
///
/// Handlers take it as an argument: its engine then acts in the [`RequestContext`] of the request.
#[derive(Clone)]
struct App {
    shared: Arc<Shared>,
    engine: Engine,
    work: Option<WorkMark>,
}

struct Shared {
    guard: Guard,
    load: Load,
    rate_limit: Option<RateLimit>,
    arrivals: BodyBudget,
    metrics: Arc<HttpMetrics>,
    file_uploads: FileUploads,
    begun: Instant,
}

impl App {
    fn new(engine: Engine) -> Self {
        let config = &engine.config().server;
        let guard = Guard::new(&config.allowed_hosts, Origins::new(&config.cors), routes::is_probe);
        let load = Load::new(config.max_connections);
        let metrics = Arc::new(HttpMetrics::new(&engine, &load));
        let shared = Arc::new(Shared {
            guard,
            load,
            rate_limit: RateLimit::new(&config.rate_limiting),
            arrivals: BodyBudget::new(),
            metrics,
            file_uploads: FileUploads::new(),
            begun: Instant::now(),
        });
        Self { shared, engine, work: None }
    }

    fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The engine in the context of a request.
    fn engine_of(&self, extensions: &Extensions) -> Engine {
        match extensions.get::<RequestContext>() {
            Some(context) => self.engine.with_context(context.clone()),
            None => self.engine.clone(),
        }
    }

    /// Starts a run for the request.
    fn start(&self, prepared: Prepared) -> aludel_core::error::Result<Run> {
        let run = prepared.start()?;
        self.began(run.session_id());
        Ok(run)
    }

    /// Reports that work began for the request, as this run or job.
    fn began(&self, run: SessionId) {
        if let Some(work) = &self.work {
            work.began(run);
        }
    }

    fn load(&self) -> &Load {
        &self.shared.load
    }

    fn metrics(&self) -> &Arc<HttpMetrics> {
        &self.shared.metrics
    }

    fn uptime(&self) -> Duration {
        self.shared.begun.elapsed()
    }

    fn service(self) -> Service {
        let metrics = Arc::clone(self.metrics());
        let count_connection = Box::new(move || metrics.connection());
        let load = self.load().clone();
        let pipeline = Pipeline::new(self);
        let answer = Arc::new(move |request| pipeline.answer(request));
        Service { answer, path: "", load, count_connection: Some(count_connection) }
    }

    /// Waits for the body of a request, then takes a slot.
    async fn receive(&self, request: Request) -> aludel_core::error::Result<(Request, RequestSlot)> {
        if request.body().is_end_stream() {
            let slot = self.slot(&request)?;
            return Ok((request, slot));
        }
        if let Some(kind) = file_upload::expected(&request)? {
            let (parts, body) = request.into_parts();
            let arriving = self.shared.file_uploads.whole(kind, &parts.headers, body);
            let upload = self.load().before_entering(arriving).await?;
            let mut request = Request::from_parts(parts, Body::empty());
            let slot = self.slot(&request)?;
            request.extensions_mut().insert(upload);
            return Ok((request, slot));
        }
        if [Method::POST, Method::PUT, Method::PATCH].contains(request.method()) {
            body::check_media_type(request.headers())?;
        }
        let (parts, body) = request.into_parts();
        let arriving = self.shared.arrivals.whole(&parts.headers, body);
        let bytes = self.load().before_entering(arriving).await?;
        let request = Request::from_parts(parts, Body::from(bytes));
        let slot = self.slot(&request)?;
        Ok((request, slot))
    }

    fn slot(&self, request: &Request) -> aludel_core::error::Result<RequestSlot> {
        self.load().enter(request.extensions().get::<Connection>())
    }
}

impl FromRequestParts<Self> for App {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &Self) -> Result<Self, Infallible> {
        let engine = state.engine_of(&parts.extensions);
        Ok(Self { shared: Arc::clone(&state.shared), engine, work: parts.extensions.get().cloned() })
    }
}

/// The server's routes over this engine, without a socket.
pub fn router(engine: Engine) -> Router {
    let pipeline = Pipeline::new(App::new(engine));
    Router::new().fallback(move |request| pipeline.answer(request))
}

/// A server of these routes that listens but does not answer yet.
///
/// # Errors
/// `config_invalid` when the configuration asks for what this server cannot do, or does not allow
/// exposing the server; `conflict` when it cannot listen there.
pub async fn bind(engine: Engine, options: &Options) -> aludel_core::error::Result<Server> {
    Server::bind(engine.clone(), options, App::new(engine).service()).await
}

/// Serves until SIGTERM or SIGINT, and prints its address to standard error.
///
/// # Errors
/// As [`bind`]; `storage` when the final write fails.
pub async fn serve(engine: Engine, options: Options) -> aludel_core::error::Result<()> {
    super::http::serve(engine.clone(), &options, App::new(engine).service()).await
}

/// The OpenAPI document of a server over this engine.
pub fn openapi_document(engine: &Engine) -> serde_json::Value {
    openapi::document(&openapi::Setting::of(engine))
}
