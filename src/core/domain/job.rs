//! A job, as every face shows it: work that can be listed, followed, stopped and resumed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{BatchRow, Operation, SessionId, Timestamp};

/// The state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// A process is working on it.
    Running,
    /// A process is working on it and was asked to stop.
    Stopping,
    /// The process that worked on it is gone. It can be resumed.
    Interrupted,
    /// It ended with a result.
    Finished,
    /// It ended with an error. It can be resumed; what is done is not done again.
    Failed,
    /// It was stopped. It can be resumed.
    Cancelled,
}

impl JobState {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Running, Self::Stopping, Self::Interrupted, Self::Finished, Self::Failed, Self::Cancelled];

    /// The name on every wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Interrupted => "interrupted",
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The inverse of [`JobState::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    /// True while a process works on it.
    pub const fn is_active(self) -> bool {
        matches!(self, Self::Running | Self::Stopping)
    }

    /// True once it has ended, in whatever way.
    pub const fn has_ended(self) -> bool {
        matches!(self, Self::Finished | Self::Failed | Self::Cancelled)
    }

    /// True when it can be resumed.
    pub const fn is_resumable(self) -> bool {
        matches!(self, Self::Interrupted | Self::Failed | Self::Cancelled)
    }
}

impl std::fmt::Display for JobState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A job, as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Job {
    /// Its id, which is the `session_id` of its events and prompts.
    pub id: SessionId,
    /// The operation.
    pub operation: Operation,
    /// Its state.
    pub state: JobState,
    /// What it is about, in one line.
    pub about: String,
    /// Units done, including failed ones: variants, comparisons.
    pub done: u64,
    /// How many of these failed.
    pub failed: u64,
    /// The maximum number of units; null if unknown.
    pub total: Option<u64>,
    /// True for a job that survives its watcher. False for one that ends with the command or
    /// connection that began it.
    pub kept: bool,
    /// How often it was started: 1, plus one for each time it was resumed.
    pub attempt: u32,
    /// The process working on it; null if there is none.
    pub owner: Option<String>,
    /// When it was started.
    #[serde(with = "super::moment::written")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// When it was last updated.
    #[serde(with = "super::moment::written")]
    #[schemars(with = "String")]
    pub updated_at: Timestamp,
    /// When it ended; null until then.
    #[serde(with = "super::moment::written_or_null")]
    #[schemars(with = "Option<String>")]
    pub ended_at: Option<Timestamp>,
}

/// A job with its request and its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobDetails {
    /// The job.
    #[serde(flatten)]
    pub job: Job,
    /// The operation's request.
    #[schemars(with = "Map<String, Value>")]
    pub request: Value,
    /// The operation's result; null unless it has finished.
    #[schemars(with = "Option<Map<String, Value>>")]
    pub result: Option<Value>,
    /// Why it failed, as problem details; null unless it failed.
    #[schemars(with = "Option<Map<String, Value>>")]
    pub error: Option<Value>,
}

/// What came of a job: its result and, of a batch, rows that are done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobResult {
    /// The job.
    pub job: Job,
    /// The operation's result; null unless it has finished.
    #[schemars(with = "Option<Map<String, Value>>")]
    pub result: Option<Value>,
    /// Why it failed, as problem details; null unless it failed.
    #[schemars(with = "Option<Map<String, Value>>")]
    pub error: Option<Value>,
    /// Rows of a batch that are done, in the order of the input; empty for other operations.
    pub rows: Vec<BatchRow>,
    /// The number to give as `after` for the rows that follow; null if none is done yet.
    pub next_after: Option<u64>,
}

/// Jobs, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobList {
    /// The jobs.
    pub jobs: Vec<Job>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_written_as_it_is_called() {
        for state in JobState::ALL {
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
            assert_eq!(JobState::parse(state.as_str()), Some(state));
            assert!(!(state.is_active() && state.is_resumable()), "{state}");
        }
    }
}
