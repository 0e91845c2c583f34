//! Health: the probes for liveness, readiness and status, and the detailed report.
//!
//! Answered under any load, without a slot, after `guard`. `/alive` only shows that the process
//! serves; `/ready` also checks the store, and fails once the server was asked to stop.
//! `/health/detailed` says how everything is that the server depends on.

use std::time::Duration;

use aludel_core::api::ListRequest;
use aludel_core::domain::{HealthReport, HealthStatus, PromptSummary};
use aludel_core::error::{Code, Error, Problem};
use axum::http::StatusCode;
use serde_json::json;

use super::answer;
use crate::server::VERSION;
use crate::server::rest::App;
use crate::server::rest::error::{HandlerResult, Refusal};

pub(super) const HEALTH: &str = "/health";
pub(super) const ALIVE: &str = "/alive";
pub(super) const READY: &str = "/ready";
pub(super) const DETAILED: &str = "/health/detailed";

pub(super) async fn health(app: App) -> HandlerResult {
    answer(StatusCode::OK, &json!({ "status": "ok", "version": VERSION, "uptime": in_words(app.uptime()) }))
}

pub(super) async fn alive() -> HandlerResult {
    answer(StatusCode::OK, &json!({ "status": "ok" }))
}

/// Ready while requests are accepted and the store answers.
pub(super) async fn ready(app: App) -> HandlerResult {
    if app.load().is_draining() {
        return Err(not_ready("the server is shutting down"));
    }
    let newest = ListRequest { limit: Some(1), ..ListRequest::default() };
    match app.engine().list_as::<PromptSummary>(newest).await {
        Ok(_) => answer(StatusCode::OK, &json!({ "status": "ok" })),
        Err(error) => Err(not_ready(&Problem::from(error).detail)),
    }
}

/// The same body whether or not all is well, with 503 when the server is down.
pub(super) async fn detailed(app: App) -> HandlerResult {
    let dependencies = app.engine().dependencies().await;
    let report = HealthReport::of(dependencies, VERSION, in_words(app.uptime()));
    let is_down = report.status == HealthStatus::Down;
    answer(if is_down { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }, &report)
}

fn not_ready(why: &str) -> Refusal {
    Refusal::from(Error::Refused { code: Code::Overloaded, detail: format!("not ready: {why}") })
}

/// A time span as `1h2m3s`, without leading zero parts.
fn in_words(span: Duration) -> String {
    let seconds = span.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds}s"),
        (0, _) => format!("{minutes}m{seconds}s"),
        _ => format!("{hours}h{minutes}m{seconds}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uptime_reads_like_a_clock() {
        let words = [0, 59, 60, 3599, 3723, 360_000].map(|seconds| in_words(Duration::from_secs(seconds)));
        assert_eq!(words, ["0s", "59s", "1m0s", "59m59s", "1h2m3s", "100h0m0s"]);
    }
}
