//! The table of routes: each method and path with its operation.
//!
//! The router is built from [`ROUTES`] and the tests read it, so the table is what the server does.
//! A handler collects the raw request, calls one method of the engine and renders the result. To
//! add an operation, add a handler to the file of its kind and a row here, with its `Exchange`: what
//! it takes and answers, from which `openapi` makes the document.

mod batch;
mod compare;
mod generate;
mod health;
mod jobs;
mod learning;
mod metrics;
mod openapi;
mod performance;
mod prompts;
mod search;
mod select;
mod system;
mod transfer;

use std::sync::LazyLock;

use aludel_core::domain::Operation;
use aludel_core::error::{Code, Error};
use aludel_core::operation::{self, Face};
use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, delete, get, patch, post};
use serde::Serialize;

use super::App;
use super::accept::JSON;
use super::error::{HandlerResult, Refusal};
use super::exchange::Exchange;

pub(super) use jobs::is_async_preferred;

/// One route.
#[derive(Debug, Clone)]
pub struct Route {
    /// The operation, by the name that all faces share.
    pub operation: Operation,
    /// The method; a `GET` answers `HEAD` too.
    pub method: Method,
    /// The path, parameters in braces.
    pub path: &'static str,
    handler: fn() -> MethodRouter<App>,
    /// What it takes and answers.
    pub(super) exchange: &'static Exchange,
}

const fn route(
    operation: Operation,
    method: Method,
    path: &'static str,
    handler: fn() -> MethodRouter<App>,
    exchange: &'static Exchange,
) -> Route {
    Route { operation, method, path, handler, exchange }
}

const PROMPTS: &str = "/api/v1/prompts";
const SEARCH: &str = "/api/v1/prompts/search";
const PROMPT: &str = "/api/v1/prompts/{prompt_id}";
pub(super) const BATCH: &str = "/api/v1/prompts/batch";
pub(super) const IMPORT: &str = "/api/v1/prompts/import";
const JOBS: &str = "/api/v1/jobs";
const JOB: &str = "/api/v1/jobs/{job_id}";
const RESTORE: &str = "/api/v1/prompts/{prompt_id}/restore";

/// Every route.
pub const ROUTES: &[Route] = &[
    route(
        Operation::Generate,
        Method::POST,
        "/api/v1/prompts/generate",
        || post(generate::generate),
        &generate::EXCHANGE,
    ),
    route(Operation::Batch, Method::POST, BATCH, || post(batch::batch), &batch::EXCHANGE),
    route(Operation::Select, Method::POST, "/api/v1/prompts/select", || post(select::select), &select::EXCHANGE),
    route(Operation::Compare, Method::POST, "/api/v1/prompts/compare", || post(compare::compare), &compare::EXCHANGE),
    route(Operation::List, Method::GET, PROMPTS, || get(prompts::list), &prompts::LIST),
    route(Operation::Search, Method::POST, SEARCH, || post(search::by_body), &search::BY_BODY),
    route(Operation::Search, Method::GET, SEARCH, || get(search::by_query), &search::BY_QUERY),
    route(Operation::Export, Method::GET, "/api/v1/prompts/export", || get(transfer::export), &transfer::EXPORT),
    route(Operation::Import, Method::POST, IMPORT, || post(transfer::import), &transfer::IMPORT),
    route(Operation::Show, Method::GET, PROMPT, || get(prompts::show), &prompts::SHOW),
    route(
        Operation::Similar,
        Method::GET,
        "/api/v1/prompts/{prompt_id}/similar",
        || get(search::similar),
        &search::SIMILAR,
    ),
    route(Operation::Why, Method::GET, "/api/v1/prompts/{prompt_id}/why", || get(prompts::why), &prompts::WHY),
    route(Operation::Update, Method::PATCH, PROMPT, || patch(prompts::update), &prompts::UPDATE),
    route(Operation::Delete, Method::DELETE, PROMPT, || delete(prompts::remove), &prompts::REMOVE),
    route(Operation::TrashRestore, Method::POST, RESTORE, || post(prompts::restore), &prompts::RESTORE),
    route(Operation::TrashList, Method::GET, "/api/v1/trash", || get(prompts::trash), &prompts::TRASH),
    route(Operation::Jobs, Method::GET, JOBS, || get(jobs::list), &jobs::LIST),
    route(Operation::JobsShow, Method::GET, JOB, || get(jobs::show), &jobs::SHOW),
    route(Operation::JobsFollow, Method::GET, "/api/v1/jobs/{job_id}/events", || get(jobs::follow), &jobs::FOLLOW),
    route(Operation::JobsResult, Method::GET, "/api/v1/jobs/{job_id}/result", || get(jobs::result), &jobs::RESULT),
    route(Operation::JobsResume, Method::POST, "/api/v1/jobs/{job_id}/resume", || post(jobs::resume), &jobs::RESUME),
    route(Operation::JobsStop, Method::DELETE, JOB, || delete(jobs::stop), &jobs::STOP),
    route(Operation::Spend, Method::GET, "/api/v1/spend", || get(performance::spend), &performance::SPEND),
    route(
        Operation::Stats,
        Method::GET,
        "/api/performance",
        || get(performance::performance),
        &performance::PERFORMANCE,
    ),
    route(Operation::LearningExport, Method::GET, "/api/export", || get(learning::export), &learning::EXCHANGE),
    route(Operation::Providers, Method::GET, "/api/v1/providers", || get(system::providers), &system::PROVIDERS),
    route(Operation::OpenApi, Method::GET, "/openapi.json", || get(openapi::document), &openapi::EXCHANGE),
    route(Operation::Docs, Method::GET, "/docs", || get(openapi::docs), &openapi::DOCS),
    route(Operation::Health, Method::GET, health::HEALTH, || get(health::health), &health::STATUS),
    route(Operation::Health, Method::GET, health::ALIVE, || get(health::alive), &health::LIVENESS),
    route(Operation::Health, Method::GET, health::READY, || get(health::ready), &health::READINESS),
    route(Operation::Health, Method::GET, health::DETAILED, || get(health::detailed), &health::REPORT),
    route(Operation::Health, Method::GET, metrics::METRICS, || get(metrics::metrics), &metrics::EXCHANGE),
];

const _: () = {
    let mut listed = [Operation::Generate; ROUTES.len()];
    let mut at = 0;
    while at < ROUTES.len() {
        listed[at] = ROUTES[at].operation;
        at += 1;
    }
    assert!(operation::has_all(Face::Rest, &listed), "the routes are not those of `operation::of`");
};

/// True for probes, which do not depend on load.
pub(super) fn is_probe(path: &str) -> bool {
    [health::HEALTH, health::ALIVE, health::READY].contains(&path)
}

/// The route of a request to this path of the table.
pub(super) fn find(method: &Method, path: &str) -> Option<&'static Route> {
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    ROUTES.iter().find(|route| route.path == path && route.method == *method)
}

/// True for what is answered under any load: probes, and the two views of the operator.
pub(super) fn needs_no_slot(path: &str) -> bool {
    is_probe(path) || [health::DETAILED, metrics::METRICS].contains(&path)
}

/// The label of a request that no route takes.
pub(super) const UNMATCHED: &str = "unmatched";

/// The path of the table that takes requests to this path, whatever their method.
pub(super) fn matched(path: &str) -> Option<&'static str> {
    static PATHS: LazyLock<matchit::Router<&'static str>> = LazyLock::new(|| {
        let mut paths = matchit::Router::new();
        for route in ROUTES {
            // A path with several methods is there already.
            let _ = paths.insert(route.path, route.path);
        }
        paths
    });
    PATHS.at(path).ok().map(|found| *found.value)
}

/// The router of all routes.
pub(super) fn table() -> Router<App> {
    ROUTES.iter().fold(Router::new(), |router, route| router.route(route.path, (route.handler)()))
}

/// Adds responses for unknown paths and methods.
pub(super) fn with_fallbacks(table: Router<App>) -> Router<App> {
    table.fallback(no_such_route).method_not_allowed_fallback(no_such_method)
}

async fn no_such_route(request: Request) -> Refusal {
    Refusal::from(Error::Refused {
        code: Code::NotFound,
        detail: format!("there is no route {}; the API begins at {PROMPTS}", shortened(request.uri().path())),
    })
}

/// `OPTIONS` is answered on every path. The router adds `Allow` to either answer.
async fn no_such_method(request: Request) -> Response {
    if request.method() == Method::OPTIONS {
        return StatusCode::NO_CONTENT.into_response();
    }
    let refused = Error::Refused {
        code: Code::MethodNotAllowed,
        detail: format!(
            "{} does not take {}; `Allow` lists what it takes",
            shortened(request.uri().path()),
            request.method()
        ),
    };
    Refusal::from(refused).into_response()
}

/// A client's path, shortened to fit in one line.
fn shortened(path: &str) -> String {
    const MOST: usize = 80;
    if path.len() <= MOST { path.to_owned() } else { path.chars().take(MOST).chain(['…']).collect() }
}

/// Responds with `value` as JSON.
fn answer(status: StatusCode, value: &impl Serialize) -> HandlerResult {
    let mut body = Vec::with_capacity(1024);
    serde_json::to_writer(&mut body, value)
        .map_err(|error| Error::Internal(format!("an answer cannot be written: {error}")))?;
    Ok((status, [(header::CONTENT_TYPE, JSON)], body).into_response())
}
