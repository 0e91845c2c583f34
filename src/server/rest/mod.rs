//! REST: the operations over HTTP/1.1, JSON in and out, errors as problem details.
//!
//! A request passes `front` (its name, the checks at the door, a place), then a handler of `routes`, and on the
//! way back its error, if it is one, is written by `error`. [`router`] is all of it without a socket; [`serve()`] adds
//! the socket, slow clients and shutting down. Handlers hold no logic: what is right is said by `Engine::decode`.

mod accept;
mod body;
mod error;
mod guard;
mod load;
mod request_id;
mod routes;
mod serve;
mod sse;

use std::sync::Arc;
use std::time::{Duration, Instant};

use aludel_core::api::limits;
use aludel_core::engine::Engine;
use aludel_core::error::Problem;
use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use tracing::Instrument;

use error::Refusal;
use guard::Guard;
use load::{Load, Place};

pub use guard::Exposure;
pub use routes::{ROUTES, Route};
pub use serve::{Options, Server, StopHandle, serve};

/// What every handler may use. Clones share it.
#[derive(Clone)]
struct App(Arc<Shared>);

struct Shared {
    engine: Engine,
    guard: Guard,
    load: Load,
    begun: Instant,
}

impl App {
    fn new(engine: Engine, exposure: Exposure) -> Self {
        let config = &engine.config().server;
        let guard = Guard::new(exposure, config.allowed_hosts.clone());
        let load = Load::new(config.max_connections);
        Self(Arc::new(Shared { engine, guard, load, begun: Instant::now() }))
    }

    fn engine(&self) -> &Engine {
        &self.0.engine
    }

    fn load(&self) -> &Load {
        &self.0.load
    }

    fn uptime(&self) -> Duration {
        self.0.begun.elapsed()
    }

    fn router(self) -> Router {
        routes::router()
            .layer(DefaultBodyLimit::max(limits::BODY_BYTES))
            .layer(middleware::from_fn_with_state(self.clone(), front))
            .with_state(self)
    }

    /// The checks at the door, in order: who asks, then whether there is room. Probes need no room.
    fn admit(&self, request: &Request) -> aludel_core::error::Result<Option<Place>> {
        self.0.guard.check(request.method(), request.uri(), request.headers())?;
        if routes::is_probe(request.uri().path()) { Ok(None) } else { self.load().enter().map(Some) }
    }
}

/// The server's routes over this engine, as a loopback server would have them, without a socket.
pub fn router(engine: Engine) -> Router {
    App::new(engine, Exposure::Loopback).router()
}

/// Names the request, lets it in, and finishes its answer: the error body, the name, a line for the log.
async fn front(State(app): State<App>, request: Request, next: Next) -> Response {
    let id = request_id::of(request.headers());
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let span = tracing::info_span!("request", request_id = %id);
    let mut response = match app.admit(&request) {
        Ok(place) => keep(next.run(request).instrument(span).await, place),
        Err(refused) => Refusal::from(refused).into_response(),
    };
    let problem = error::render(&mut response, &id);
    log(&id, &method, &path, &response, problem.as_ref());
    if let Some(value) = request_id::value(&id) {
        response.headers_mut().insert(request_id::HEADER, value);
    }
    response
}

/// A stream keeps its place until its last piece; any other answer is complete.
fn keep(response: Response, place: Option<Place>) -> Response {
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

/// What went wrong on our side is an error of the log, and told in full there; the rest is for the curious.
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
