//! MCP over streamable HTTP, at `/mcp`: the same handler as over standard input and output.
//!
//! A request passes the same checks as one of REST (`guard`, token, rate, body, slot), and the
//! library serves it: without a session for 2026-07-28, in one of [`Sessions`] for versions before.
//! The call of a tool needs the scope of its operation, and acts for the bearer of its token.
//!
//! A client that leaves the stream of a call without a session cancels the call. In a session it
//! does not: it can resume the stream and get what it missed (`event_log`). A slot is held as long
//! as the answer to a request is sent. Streams that wait for notifications hold none, and end when
//! the server halts.

mod event_log;
mod library;
mod metadata;
mod refusal;
mod sessions;

use std::sync::Arc;

use aludel_core::domain::Scope;
use aludel_core::engine::{Engine, RequestContext};
use aludel_core::error::{Code, Error, Problem, Result};
use aludel_core::trace::BATCHED;
use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use futures_util::FutureExt;
use rmcp::ServerHandler;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorCode, ProtocolVersion};
use serde_json::Value;
use tower::ServiceExt;
use tracing::Instrument;

use self::library::Library;
use self::refusal::Refusal;
use self::sessions::{CallerId, Sessions};
use super::message::{self, Incoming};
use super::{Handler, Options};
use crate::server::auth;
use crate::server::http::arrival::BodyBudget;
use crate::server::http::connections::Connection;
use crate::server::http::cors::{self, Origins};
use crate::server::http::guard::Guard;
use crate::server::http::load::{Load, RequestSlot};
use crate::server::http::rate_limit::{Allowance, RateLimit};
use crate::server::http::request_id::RequestId;
use crate::server::http::upload::Upload;
use crate::server::http::{self, Service, headers, request_id, trace};

pub use crate::server::http::{Options as ListenOptions, Server, StopHandle};

/// The path that clients call.
const PATH: &str = "/mcp";

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// A server of this engine that listens but does not answer yet.
///
/// # Errors
/// `config_invalid` when the configuration asks for what this server cannot do, or does not allow
/// exposing the server; `conflict` when it cannot listen there; `validation_failed` for a budget of
/// the server where tokens have theirs.
pub async fn bind(engine: Engine, listen: &ListenOptions, options: Options) -> Result<Server> {
    let service = App::new(&engine, options)?.service();
    Server::bind(engine, listen, service).await
}

/// Serves until SIGTERM or SIGINT, and prints its address to standard error.
///
/// # Errors
/// As [`bind`]; `storage` when the final write fails.
pub async fn serve(engine: Engine, listen: &ListenOptions, options: Options) -> Result<()> {
    serve_as(engine, listen, options, Handler::for_session).await
}

/// As [`serve`], with the handlers that `session` makes of the server's.
pub(super) async fn serve_as<S: ServerHandler>(
    engine: Engine,
    listen: &ListenOptions,
    options: Options,
    session: impl Fn(&Handler) -> S + Send + Sync + 'static,
) -> Result<()> {
    let service = App::serving(&engine, options, session)?.service();
    http::serve(engine, listen, service).await
}

/// The routes over this engine, without a socket.
///
/// # Errors
/// `validation_failed` for a budget of the server where tokens have theirs.
pub fn router(engine: &Engine, options: Options) -> Result<Router> {
    Ok(App::new(engine, options)?.router())
}

/// The state of a server. Clones share it.
#[derive(Clone)]
struct App(Arc<Shared>);

struct Shared {
    handler: Handler,
    guard: Guard,
    load: Load,
    rate_limit: Option<RateLimit>,
    arrivals: BodyBudget,
    sessions: Arc<Sessions>,
    library: Box<dyn Library>,
}

impl App {
    fn new(engine: &Engine, options: Options) -> Result<Self> {
        Self::serving(engine, options, Handler::for_session)
    }

    /// A server whose sessions have the handlers that `session` makes of its own.
    fn serving<S: ServerHandler>(
        engine: &Engine,
        options: Options,
        session: impl Fn(&Handler) -> S + Send + Sync + 'static,
    ) -> Result<Self> {
        if engine.needs_token() && options.budget_usd.is_some() {
            let detail = "with `server.auth.enabled` each token has a budget of its own: leave it out, and make tokens \
                with `aludel token --budget-usd`";
            return Err(Error::value("budget_usd", detail));
        }
        let config = &engine.config().server;
        let handler = Handler::new(engine, options);
        let served = handler.clone();
        let guard = Guard::new(&config.allowed_hosts, Origins::new(&config.cors), |_| false);
        let load = Load::new(config.max_connections);
        let sessions = Arc::new(Sessions::new());
        let library = library::new(move || session(&served), Arc::clone(&sessions), load.halting().clone());
        Ok(Self(Arc::new(Shared {
            guard,
            load,
            rate_limit: RateLimit::new(&config.rate_limiting),
            arrivals: BodyBudget::new(),
            sessions,
            library,
            handler,
        })))
    }

    fn router(self) -> Router {
        let mut routes = Router::new().route(PATH, any(mcp)).fallback(nothing);
        if self.0.handler.engine().needs_token() {
            let document = || get(async |headers: HeaderMap| metadata::document(&headers));
            routes = routes.route(metadata::OF_HOST, document()).route(metadata::OF_PATH, document());
        }
        if let Some(cors) = cors::layer(&self.0.handler.engine().config().server.cors, &[SESSION_ID]) {
            routes = routes.layer(cors);
        }
        routes.layer(middleware::from_fn_with_state(self.clone(), front)).with_state(self)
    }

    fn service(self) -> Service {
        let load = self.0.load.clone();
        let router = self.router();
        let answer = Arc::new(move |request| {
            let answering = router.clone().oneshot(request);
            answering.map(|answered| answered.unwrap_or_else(|never| match never {})).boxed()
        });
        Service { answer, path: PATH, load, count_connection: None }
    }

    /// Serves a request whose client may send it now.
    async fn admit(&self, mut request: Request) -> (std::result::Result<Response, Refusal>, Option<Allowance>) {
        let engine = self.0.handler.engine();
        let denial = if engine.needs_token() { auth::authorize(engine, &mut request, Scope::Read).err() } else { None };
        let headers = request.headers().clone();
        let allowance = self.0.rate_limit.as_ref().map(|limit| limit.take(request.extensions()));
        let too_fast = self.0.rate_limit.as_ref().zip(allowance.as_ref());
        let too_fast = too_fast.and_then(|(limit, allowance)| limit.refusal(allowance));
        let answered = match (too_fast, denial) {
            (Some(problem), _) => Err(Refusal::from(problem)),
            (None, Some(denial)) => Err(Refusal::of(denial, &headers)),
            (None, None) => self.answer(request).await.map_err(|error| Refusal::of(error, &headers)),
        };
        (answered, allowance)
    }

    /// Serves a request that has access.
    async fn answer(&self, request: Request) -> Result<Response> {
        if request.method() == Method::POST && is_json(request.headers()) {
            return self.receive(request).await;
        }
        // Nothing else has a body that matters.
        self.0.load.unless_draining(async { Ok(()) }).await?;
        let request = request.map(|_| Body::empty());
        let session = request.headers().get(SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
        let deletes = request.method() == Method::DELETE;
        // The library deletes any.
        if let Some(id) = session.filter(|_| deletes)
            && !self.0.sessions.has(&id, &caller_of(&request))
        {
            return Err(not_found("there is no such session".into()));
        }
        self.pass_on(request).await
    }

    /// Serves a message.
    async fn receive(&self, request: Request) -> Result<Response> {
        let (parts, body) = request.into_parts();
        let arriving = self.0.arrivals.whole(&parts.headers, body);
        let bytes: Bytes = self.0.load.unless_draining(arriving).await?;
        if bytes.trim_ascii().is_empty() {
            return Err(Error::shape("", "the body is empty: send one message"));
        }
        let incoming = message::read(&bytes);
        let is_removed = is_stateless(&parts.headers) && names_removed_method(&bytes);
        let request = Request::from_parts(parts, Body::from(bytes));
        let message = match incoming {
            Incoming::Message(message) => message,
            Incoming::Wrong(_) if is_removed => return self.pass_on(request).await,
            Incoming::Wrong(answer) => return Ok(wrong(answer)),
            Incoming::Nothing => return Ok(StatusCode::ACCEPTED.into_response()),
        };
        let ClientJsonRpcMessage::Request(asked) = *message else {
            // It needs no slot, so that a call can be cancelled while all are taken.
            return self.pass_on(request).await;
        };
        if let ClientRequest::CallToolRequest(call) = &asked.request {
            self.0.handler.within(request.extensions().get()).check_scope(&call.params.name)?;
        }
        if matches!(asked.request, ClientRequest::SubscriptionsListenRequest(_)) {
            // It waits for notifications, as the streams that GET opens.
            return self.pass_on(request).await;
        }
        let slot: RequestSlot = self.0.load.enter(request.extensions().get::<Connection>())?;
        Ok(slot.hold(self.pass_on(request).await?))
    }

    /// Has the library serve a request.
    async fn pass_on(&self, request: Request) -> Result<Response> {
        let caller = caller_of(&request);
        let response = sessions::as_caller(caller, self.0.library.answer(request)).await;
        if response.status().is_server_error() && self.0.load.halting().is_cancelled() {
            // It had no answer yet when the server stopped.
            self.0.load.unless_draining(async { Ok(()) }).await?;
        }
        Ok(refusal::in_our_form(response).await)
    }
}

/// Checks where a request comes from; completes the response and logs it.
async fn front(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let begun = std::time::Instant::now();
    let id = request_id::of(request.headers());
    let trace = trace::of(request.headers());
    let span = tracing::info_span!(
        "request",
        request_id = id.as_str(),
        trace_id = trace.as_ref().map(|trace| trace.trace_id())
    );
    request.extensions_mut().get_or_insert_default::<RequestContext>().trace = trace;
    request.extensions_mut().insert(id.clone());
    let method = request.method().clone();
    let client = request.extensions().get::<Connection>().map(|connection| connection.peer().ip());
    let (parts, body) = request.into_parts();
    let body = if body.is_end_stream() { body } else { Body::new(Upload::new(body, &parts.headers)) };
    let request = Request::from_parts(parts, body);
    let mut response = match app.0.guard.check(&request) {
        Ok(()) => next.run(request).instrument(span).await,
        Err(refused) => Refusal::of(refused, request.headers()).answer(id.as_str()),
    };
    response.headers_mut().insert(request_id::HEADER, id.clone().into());
    headers::complete(response.headers_mut());
    let (status, client) = (response.status().as_u16(), client.map(tracing::field::display));
    let duration_ms = (begun.elapsed().as_secs_f64() * 1e6).round() / 1e3;
    tracing::info!(target: BATCHED, request_id = id.as_str(), %method, status, duration_ms, client, "request");
    response
}

/// Answers at [`PATH`].
async fn mcp(State(app): State<App>, request: Request) -> Response {
    let id = id_of(&request);
    let (answered, allowance) = app.admit(request).await;
    let mut response = answered.unwrap_or_else(|refusal| refusal.answer(&id));
    if let (Some(limit), Some(allowance)) = (&app.0.rate_limit, &allowance) {
        limit.describe(allowance, response.headers_mut());
    }
    response
}

/// Answers at any other path.
async fn nothing(request: Request) -> Response {
    let detail = format!("there is nothing at this path; MCP is at {PATH}");
    Refusal::from(Problem::from(not_found(detail))).answer(&id_of(&request))
}

fn not_found(detail: String) -> Error {
    Error::Refused { code: Code::NotFound, detail }
}

fn id_of(request: &Request) -> String {
    request.extensions().get::<RequestId>().map(|id| id.as_str().to_owned()).unwrap_or_default()
}

/// Who the request is from, once its token was verified.
fn caller_of(request: &Request) -> CallerId {
    let context = request.extensions().get::<RequestContext>()?;
    context.caller.as_ref().map(|caller| caller.id.as_str().into())
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(refusal::JSON))
}

/// True for a client of a protocol version without sessions.
fn is_stateless(headers: &HeaderMap) -> bool {
    let version = headers.get(PROTOCOL_VERSION).and_then(|version| version.to_str().ok());
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str())
}

/// True for a request of a method that the version without sessions does not have: whatever its
/// parameters are, the library says that there is no such method.
fn names_removed_method(message: &[u8]) -> bool {
    const REMOVED: [&str; 3] = ["initialize", "resources/subscribe", "resources/unsubscribe"];
    #[derive(serde::Deserialize)]
    struct Head {
        method: String,
    }
    serde_json::from_slice(message).is_ok_and(|Head { method }| REMOVED.contains(&method.as_str()))
}

/// The answer to a body that is not a message. Wrong parameters are answered as the library does:
/// the request itself is fine.
fn wrong(mut answer: Value) -> Response {
    let is_request = answer["error"]["code"] == ErrorCode::INVALID_PARAMS.0;
    if answer["id"].is_null()
        && let Some(answer) = answer.as_object_mut()
    {
        // The protocol leaves out an id that it does not know.
        answer.remove("id");
    }
    refusal::message(if is_request { StatusCode::OK } else { StatusCode::BAD_REQUEST }, &answer)
}
