//! How a server and what it depends on are: the result of `health`, and the body of
//! `/health/detailed`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    /// It works, or nothing speaks against it.
    Ok,
    /// It works in part, or something that can be done without does not work.
    Degraded,
    /// It does not work.
    Down,
}

impl HealthStatus {
    /// The name on every wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Degraded => "degraded",
            Self::Down => "down",
        }
    }
}

/// What a server depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dependency {
    /// Its name: `store`, `search`, `jobs`, `disk`, or `provider` and the provider's name.
    pub name: String,
    /// How it is.
    pub status: HealthStatus,
    /// True if the server is down without it.
    pub needed: bool,
    /// How long it took to answer, in milliseconds; for a provider its last call. Null when it was
    /// not asked.
    pub latency_ms: Option<u64>,
    /// What is wrong, or what there is to know.
    pub detail: Option<String>,
}

/// How a server is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HealthReport {
    /// `down` when something needed is, `degraded` when anything is not well, else `ok`.
    pub status: HealthStatus,
    /// The version of the program.
    pub version: String,
    /// How long it has run: `1h2m3s`.
    pub uptime: String,
    /// All that it depends on.
    pub dependencies: Vec<Dependency>,
}

impl HealthReport {
    /// The report over these dependencies.
    pub fn of(dependencies: Vec<Dependency>, version: &str, uptime: String) -> Self {
        let counted = |dependency: &Dependency| match dependency.status {
            HealthStatus::Down if !dependency.needed => HealthStatus::Degraded,
            status => status,
        };
        let status = dependencies.iter().map(counted).max().unwrap_or(HealthStatus::Ok);
        Self { status, version: version.to_owned(), uptime, dependencies }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(of: &[(HealthStatus, bool)]) -> HealthStatus {
        let dependency = |(status, needed): &(HealthStatus, bool)| Dependency {
            name: "one".into(),
            status: *status,
            needed: *needed,
            latency_ms: None,
            detail: None,
        };
        HealthReport::of(of.iter().map(dependency).collect(), "1", "0s".into()).status
    }

    #[test]
    fn only_what_is_needed_brings_a_server_down() {
        use HealthStatus::{Degraded, Down, Ok};
        assert_eq!(status(&[]), Ok);
        assert_eq!(status(&[(Ok, true), (Ok, false)]), Ok);
        assert_eq!(status(&[(Ok, true), (Down, false)]), Degraded);
        assert_eq!(status(&[(Degraded, true), (Ok, false)]), Degraded);
        assert_eq!(status(&[(Down, true), (Degraded, false)]), Down);
    }
}
