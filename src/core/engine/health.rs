//! `health`: how a server is, and how everything is that it depends on.
//!
//! A server reports on itself without asking anything outside this machine. The store is asked with a read each for its parts. A provider is as this process knows it, from
//! its configuration and its last calls. All are asked at once, and none for longer than
//! [`PATIENCE`].

use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::Engine;
use crate::api::ListRequest;
use crate::domain::{Dependency, Filter, HealthReport, HealthStatus, PromptSummary, ProviderInfo};
use crate::error::{Problem, Result};
use crate::files;
use crate::provider::permit::LastCall;
use crate::store::Lexical;
use crate::text::query::TextQuery;

/// How long an answer may take before it counts as none.
const PATIENCE: Duration = Duration::from_secs(2);
/// Less free space than this, in bytes, is too little to go on for long: 256 MiB.
const LITTLE_SPACE: u64 = 256 * 1024 * 1024;

impl Engine {
    /// How the server at `url` is, by default the one that this configuration starts. Needs a tokio
    /// runtime.
    ///
    /// # Errors
    /// `validation_failed` on `url`; `overloaded` when no aludel server answers there.
    pub async fn server_health(&self, url: Option<&str>) -> Result<HealthReport> {
        let configured = || {
            let server = &self.config().server;
            format!("http://{}:{}", reachable(&server.host), server.port)
        };
        self.inner.registry.server_health(&url.map_or_else(configured, str::to_owned)).await
    }

    /// What a server depends on, and how it is. Needs a tokio runtime.
    pub async fn dependencies(&self) -> Vec<Dependency> {
        let newest = ListRequest { limit: Some(1), ..ListRequest::default() };
        let (store, search, jobs) = tokio::join!(
            asked("store", true, async { self.list_as::<PromptSummary>(newest).await.map(|_| None) }),
            asked("search", false, self.try_search()),
            asked("jobs", false, self.try_jobs()),
        );
        let mut dependencies = vec![store, search, jobs];
        dependencies.extend(self.disk());
        let is_configured = |info: &ProviderInfo| self.config().providers.contains_key(&info.name);
        let providers = self.inner.registry.infos().into_iter().filter(is_configured);
        dependencies.extend(providers.map(|info| {
            let last = self.inner.registry.last_call(&info.name);
            known_provider(info, last)
        }));
        dependencies
    }

    /// Searches for a word, and says how far embedding is.
    async fn try_search(&self) -> Result<Option<Detail>> {
        let query = TextQuery::parse("health");
        self.finder().lexical(Lexical { query, filter: Filter::default(), limit: 1, offset: 0 }).await?;
        let indexing = self.indexing();
        Ok(match (indexing.problem, indexing.left) {
            (Some(problem), left) => {
                Some(Detail::Problem(format!("{left} prompts cannot be found by meaning: {problem}")))
            }
            (None, 0) => None,
            (None, left) => Some(Detail::Note(format!("{left} prompts wait to be found by meaning"))),
        })
    }

    async fn try_jobs(&self) -> Result<Option<Detail>> {
        self.store().jobs(Vec::new(), 1).await?;
        let kept = self.inner.keeper.len();
        Ok((kept > 0).then(|| Detail::Note(format!("{kept} run here"))))
    }

    /// The disk of the database; `None` where the system does not say how much is free.
    fn disk(&self) -> Option<Dependency> {
        let begun = Instant::now();
        let free = files::free_bytes(&self.paths().database)?;
        let status = if free < LITTLE_SPACE { HealthStatus::Degraded } else { HealthStatus::Ok };
        Some(Dependency {
            name: "disk".into(),
            status,
            needed: false,
            latency_ms: Some(millis(begun.elapsed())),
            detail: Some(format!("{} MiB are free for the database", free / (1024 * 1024))),
        })
    }
}

/// A host to listen on as one to call: all addresses are this machine's, too.
fn reachable(host: &str) -> String {
    match host.trim_matches(['[', ']']) {
        "0.0.0.0" => "127.0.0.1".to_owned(),
        "::" => "[::1]".to_owned(),
        bare if bare.contains(':') => format!("[{bare}]"),
        bare => bare.to_owned(),
    }
}

/// What a dependency has to say.
enum Detail {
    Note(String),
    Problem(String),
}

async fn asked(name: &str, needed: bool, question: impl Future<Output = Result<Option<Detail>>>) -> Dependency {
    let begun = Instant::now();
    let (status, detail) = match timeout(PATIENCE, question).await {
        Ok(Ok(None)) => (HealthStatus::Ok, None),
        Ok(Ok(Some(Detail::Note(note)))) => (HealthStatus::Ok, Some(note)),
        Ok(Ok(Some(Detail::Problem(problem)))) => (HealthStatus::Degraded, Some(problem)),
        Ok(Err(error)) => (HealthStatus::Down, Some(Problem::from(error).detail)),
        Err(_) => (HealthStatus::Down, Some(format!("no answer within {} s", PATIENCE.as_secs()))),
    };
    let latency_ms = Some(millis(begun.elapsed()));
    Dependency { name: name.to_owned(), status, needed, latency_ms, detail }
}

fn known_provider(info: ProviderInfo, last: Option<LastCall>) -> Dependency {
    let (status, detail) = match (info.available, &last) {
        (false, _) => (HealthStatus::Down, info.reason),
        (true, Some(LastCall { failure: Some(error), .. })) => (HealthStatus::Degraded, Some(error.clone())),
        (true, Some(_)) => (HealthStatus::Ok, None),
        (true, None) => (HealthStatus::Ok, Some("not called yet".into())),
    };
    Dependency {
        name: format!("provider {}", info.name),
        status,
        needed: false,
        latency_ms: last.map(|last| millis(last.latency)),
        detail,
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_to_listen_on_is_called_by_an_address_that_answers() {
        let hosts = ["localhost", "0.0.0.0", "::", "[::]", "::1", "192.0.2.1"].map(reachable);
        assert_eq!(hosts, ["localhost", "127.0.0.1", "[::1]", "[::1]", "[::1]", "192.0.2.1"]);
    }
}
