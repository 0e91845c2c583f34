//! Asks a running aludel server how it is, for `aludel health`.
//!
//! Sends no token. A server that shows the detailed report to bearers of one alone is asked by its
//! open probes, which say whether it serves but not how each part is.

use std::time::Duration;

use reqwest::Url;
use serde::Deserialize;

use super::client::Clients;
use crate::domain::{HealthReport, HealthStatus};
use crate::error::{Code, Error, Result};

/// How long all answers together may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// The maximum size of an answer, in bytes.
const LONGEST: usize = 256 * 1024;

/// What `/health` answers.
#[derive(Deserialize)]
struct Probe {
    version: String,
    uptime: String,
}

/// How the server at `base_url` is.
///
/// # Errors
/// `validation_failed` on `url` for what is no HTTP address; `overloaded` when no aludel server
/// answers there.
pub async fn server_health(clients: &Clients, base_url: &str) -> Result<HealthReport> {
    let base = parse(base_url)?;
    let asked = tokio::time::timeout(PATIENCE, ask(clients, &base)).await;
    asked.unwrap_or_else(|_| Err(unhealthy(format!("no answer from {base} within {} s", PATIENCE.as_secs()))))
}

fn parse(text: &str) -> Result<Url> {
    let bad = |why: &str| Error::value("url", format!("{why}; give an address such as http://localhost:8080"));
    let url = Url::parse(text).map_err(|error| bad(&format!("is no URL ({error})")))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(bad("is no HTTP address"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("has a user or a password, which are not sent"));
    }
    Ok(url)
}

async fn ask(clients: &Clients, base: &Url) -> Result<HealthReport> {
    let (status, body) = get(clients, base, "health/detailed").await?;
    if let Ok(report) = serde_json::from_slice::<HealthReport>(&body) {
        return Ok(report);
    }
    // 401 and 403 without a token; 429 by the rate limit, which does not apply to probes.
    if !matches!(status, 401 | 403 | 429) {
        return Err(unhealthy(format!(
            "what answers at {base} is no aludel server, or one of another version (status {status})"
        )));
    }
    let (_, body) = get(clients, base, "health").await?;
    let Probe { version, uptime } = serde_json::from_slice(&body)
        .map_err(|_| unhealthy(format!("what answers at {base} is no aludel server (status {status})")))?;
    let (ready, _) = get(clients, base, "ready").await?;
    let status = if ready == 200 { HealthStatus::Ok } else { HealthStatus::Down };
    Ok(HealthReport { status, version, uptime, dependencies: Vec::new() })
}

/// Status and body of an answer.
async fn get(clients: &Clients, base: &Url, path: &str) -> Result<(u16, Vec<u8>)> {
    let mut url = base.clone();
    url.set_path(&format!("{}/{path}", base.path().trim_end_matches('/')));
    let client = clients.get("server", &url, None)?;
    let unanswered = |error: reqwest::Error| {
        let why = if error.is_connect() { "nothing listens there" } else { "the connection broke" };
        unhealthy(format!("no server answers at {base}: {why}; start one with `aludel http-server`, or correct --url"))
    };
    let mut response = client.get(url).send().await.map_err(unanswered)?;
    let status = response.status().as_u16();
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(unanswered)? {
        body.extend_from_slice(&bytes);
        if body.len() > LONGEST {
            return Err(unhealthy(format!("what answers at {base} is no aludel server: its answer is too long")));
        }
    }
    Ok((status, body))
}

fn unhealthy(detail: String) -> Error {
    Error::Refused { code: Code::Overloaded, detail }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::provider::transport::testing::{Script, ScriptedServer, refusing_url};

    async fn health_of(answer: impl Fn(&str) -> Script + Send + Sync + 'static) -> Result<HealthReport> {
        let server = ScriptedServer::answering(move |request| answer(&request.path)).await;
        server_health(&Clients::new(), server.url()).await
    }

    #[tokio::test]
    async fn a_report_is_taken_whatever_its_status() {
        let report = json!({ "status": "down", "version": "1.2.3", "uptime": "5s", "dependencies": [] });
        let taken = health_of(move |_| Script::json(503, &report)).await.unwrap();
        assert_eq!((taken.status, taken.version.as_str()), (HealthStatus::Down, "1.2.3"));
    }

    #[tokio::test]
    async fn a_server_that_wants_a_token_is_asked_by_its_open_probes() {
        for (ready, status) in [(200, HealthStatus::Ok), (503, HealthStatus::Down)] {
            let taken = health_of(move |path| match path {
                "/health" => Script::json(200, &json!({ "status": "ok", "version": "1.2.3", "uptime": "5s" })),
                "/ready" => Script::json(ready, &json!({})),
                _ => Script::json(401, &json!({ "code": "unauthorized" })),
            });
            let taken = taken.await.unwrap();
            assert_eq!((taken.status, taken.uptime.as_str(), taken.dependencies.len()), (status, "5s", 0));
        }
    }

    #[tokio::test]
    async fn anything_else_is_not_healthy_and_says_why() {
        let strange = health_of(|_| Script::json(200, &json!({ "hello": "world" }))).await.unwrap_err();
        assert_eq!(strange.code(), Code::Overloaded);
        assert!(strange.to_string().contains("no aludel server"), "{strange}");
        let none = server_health(&Clients::new(), &refusing_url().await).await.unwrap_err();
        assert!(none.to_string().contains("nothing listens there"), "{none}");
        for bad in ["", "localhost:8080", "ftp://localhost", "http://me:secret@localhost"] {
            let error = server_health(&Clients::new(), bad).await.unwrap_err();
            assert_eq!(error.code(), Code::ValidationFailed, "{bad}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
