//! Requests about jobs: list, show, stop, resume, follow.

use super::bounds::{BUDGET_USD, MAX_CALLS};
use super::field::{Field, Kind};
use super::prompts::fragment;
use super::{Decoded, Request};
use crate::domain::{JobState, RowStatus, SessionId, limits};

/// How a user names one job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobKey {
    /// Its whole id.
    Id(SessionId),
    /// A beginning or end of it, six or more hexadecimal digits, dashes dropped, lower case.
    Fragment(String),
    /// The newest.
    Last,
}

impl JobKey {
    /// Reads what a user wrote.
    ///
    /// # Errors
    /// A sentence that says what an id looks like.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text == "@last" {
            return Ok(Self::Last);
        }
        if let Ok(id) = text.parse() {
            return Ok(Self::Id(id));
        }
        fragment(text, "job", "aludel jobs").map(Self::Fragment)
    }
}

const JOB_ID: Field =
    Field::new("job_id", Kind::JobKey, "The job's id, six or more of its first or last characters, or @last.")
        .required();

/// Asks for a list of jobs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobsRequest {
    /// Includes finished jobs.
    pub all: bool,
    /// Only jobs in this state.
    pub state: Option<JobState>,
    /// At most this many, 1..=1000.
    pub limit: Option<u32>,
}

impl Request for JobsRequest {
    const FIELDS: &'static [Field] = &[
        Field::new("all", Kind::Boolean, "List finished jobs, too; false by default."),
        Field::new(
            "state",
            Kind::Choice(&["running", "stopping", "interrupted", "finished", "failed", "cancelled"]),
            "Only jobs in this state.",
        ),
        Field::new(
            "limit",
            Kind::Integer { min: 1, max: limits::MAX_LIMIT },
            "Maximum jobs, 1 to 1000; 50 by default.",
        ),
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            all: values.boolean("all").unwrap_or(false),
            state: values.text("state").as_deref().and_then(JobState::parse),
            limit: values.count("limit"),
        }
    }
}

/// Names a job to show or stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRequest {
    /// Which one.
    pub job_id: JobKey,
}

impl Request for JobRequest {
    const FIELDS: &'static [Field] = &[JOB_ID];

    fn from_decoded(mut values: Decoded) -> Self {
        Self { job_id: values.job("job_id").unwrap_or(JobKey::Last) }
    }
}

/// Asks for what came of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobResultRequest {
    /// Which one.
    pub job_id: JobKey,
    /// Only rows with this status.
    pub status: Option<RowStatus>,
    /// At most this many rows, 1..=1000.
    pub limit: Option<u32>,
    /// Only rows after this one, by number.
    pub after: u64,
    /// Of each row only the best prompt, without its steps.
    pub brief: bool,
}

const STATUS: Field = Field::new("status", Kind::Choice(&["ok", "failed"]), "Only rows of a batch with this status.");

const ROW_LIMIT: Field = Field::new(
    "limit",
    Kind::Integer { min: 1, max: limits::MAX_LIMIT },
    "Maximum rows of a batch, 1 to 1000; 20 by default.",
);

const AFTER: Field = Field::new(
    "after",
    Kind::Integer { min: 0, max: u32::MAX as u64 },
    "Only rows of a batch after this one, by number; 0, from the first, by default.",
);

const BRIEF: Field = Field::new(
    "brief",
    Kind::Boolean,
    "Of each row of a batch only the best prompt, without its steps; false by default.",
);

impl Request for JobResultRequest {
    const FIELDS: &'static [Field] = &[JOB_ID, STATUS, ROW_LIMIT, AFTER, BRIEF];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            job_id: values.job("job_id").unwrap_or(JobKey::Last),
            status: values.text("status").as_deref().and_then(RowStatus::parse),
            limit: values.count("limit"),
            after: values.integer("after").unwrap_or(0),
            brief: values.boolean("brief").unwrap_or(false),
        }
    }
}

/// Asks for what came of a job, for models, which pay for every token: brief by default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefJobResultRequest(JobResultRequest);

impl Request for BriefJobResultRequest {
    const FIELDS: &'static [Field] = &[
        JOB_ID,
        STATUS,
        ROW_LIMIT,
        AFTER,
        BRIEF.with_doc("Of each row of a batch only the best prompt, without its steps; true by default."),
    ];

    fn from_decoded(values: Decoded) -> Self {
        let is_brief = !values.has("brief");
        let request = JobResultRequest::from_decoded(values);
        Self(JobResultRequest { brief: is_brief || request.brief, ..request })
    }
}

impl From<BriefJobResultRequest> for JobResultRequest {
    fn from(BriefJobResultRequest(request): BriefJobResultRequest) -> Self {
        request
    }
}

/// Asks to resume a job.
#[derive(Debug, Clone, PartialEq)]
pub struct ResumeJobRequest {
    /// Which one.
    pub job_id: JobKey,
    /// US dollars that all attempts together can cost, replacing the job's budget.
    pub budget_usd: Option<f64>,
    /// Calls that all attempts together can make, replacing the job's cap.
    pub max_calls: Option<u64>,
}

impl Request for ResumeJobRequest {
    const FIELDS: &'static [Field] = &[
        JOB_ID,
        BUDGET_USD.with_doc("Budget in US dollars for all attempts together; the job's own budget by default."),
        MAX_CALLS.with_doc("Maximum calls of all attempts together; the job's own limit by default."),
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            job_id: values.job("job_id").unwrap_or(JobKey::Last),
            budget_usd: values.number("budget_usd"),
            max_calls: values.integer("max_calls"),
        }
    }
}

/// Asks for the events of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowJobRequest {
    /// Which one.
    pub job_id: JobKey,
    /// The number of the first event to report.
    pub from: u64,
}

impl Request for FollowJobRequest {
    const FIELDS: &'static [Field] = &[
        JOB_ID,
        Field::new(
            "from",
            Kind::Integer { min: 0, max: u32::MAX as u64 },
            "The number of the first event to report; 0, the very first, by default.",
        ),
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self { job_id: values.job("job_id").unwrap_or(JobKey::Last), from: values.integer("from").unwrap_or(0) }
    }
}
