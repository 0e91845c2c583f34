//! The options of `aludel jobs`.

use aludel_core::api::{FollowJobRequest, JobRequest, JobResultRequest, JobsRequest, ResumeJobRequest};
use clap::{Args, Subcommand};
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel jobs
  aludel jobs --all --format json
  aludel jobs --state interrupted

Lists the jobs that run in any process on this database, and those that were
interrupted or stopped or have failed and can be resumed. Jobs that have ended
are kept for seven days, interrupted ones for thirty.";

const SHOW_EXAMPLES: &str = "\
Examples:
  aludel jobs show @last
  aludel jobs show @last --format json";

const RESULT_EXAMPLES: &str = "\
Examples:
  aludel jobs result @last
  aludel jobs result @last --format json
  aludel jobs result @last --status failed --limit 1000 --format jsonl

Shows the result of a job that has finished. Of a batch it shows the rows that
are done, in the order of the input, as far as it has come; with --format jsonl
they are the lines of its output. `next_after` in the JSON is the number to give
as --after for the rows that follow.";

const FOLLOW_EXAMPLES: &str = "\
Examples:
  aludel jobs follow @last
  aludel jobs follow @last --from 12 --format jsonl

Ctrl-C stops watching and leaves the job as it is. The exit code is that of the
job: 0 if it finished, that of its error if it failed, 1 if it was stopped or
interrupted.";

const STOP_EXAMPLES: &str = "\
Examples:
  aludel jobs stop @last

Its process stops it within a second; what is finished is kept.";

const RESUME_EXAMPLES: &str = "\
Examples:
  aludel jobs resume @last
  aludel jobs resume @last --budget-usd 2

Does what is not done yet, within the limits of the job, or those given here,
less what it has already taken. Nothing that is done is paid for again.";

/// List, follow, stop and resume jobs
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, globals_last())]
pub(crate) struct JobsArgs {
    /// What to do; lists the jobs by default.
    #[command(subcommand)]
    pub command: Option<JobsCommand>,

    /// List finished jobs, too
    #[arg(long)]
    pub all: bool,
    /// Only jobs that are running, stopping, interrupted, finished, failed or cancelled
    #[arg(long, value_name = "STATE")]
    pub state: Option<String>,
    /// Maximum jobs, 1 to 1000 (50)
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
    pub limit: Option<String>,
}

impl JobsArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<JobsRequest>()
            .switch("all", self.all)
            .text("state", self.state.as_ref())
            .text("limit", self.limit.as_ref())
            .into_value()
    }
}

/// What to do with a job.
#[derive(Debug, Subcommand)]
pub(crate) enum JobsCommand {
    /// Show a job: its request, state and result
    Show(JobShowArgs),
    /// Show what came of a job: its result, its rows
    Result(JobResultArgs),
    /// Watch a job until it ends
    Follow(JobFollowArgs),
    /// Stop a job; what is finished is kept
    Stop(JobStopArgs),
    /// Resume an interrupted, stopped or failed job
    Resume(JobResumeArgs),
}

/// Which job.
#[derive(Debug, Default, Args)]
pub(crate) struct JobId {
    /// The id, six or more of its first or last characters, or @last
    #[arg(value_name = "ID")]
    pub id: String,
}

impl JobId {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<JobRequest>().set("job_id", self.id.as_str()).into_value()
    }
}

/// Which job to show.
#[derive(Debug, Default, Args)]
#[command(after_help = SHOW_EXAMPLES, globals_last())]
pub(crate) struct JobShowArgs {
    #[command(flatten)]
    pub job: JobId,
}

/// Which job's result, and which of its rows.
#[derive(Debug, Default, Args)]
#[command(after_help = RESULT_EXAMPLES, globals_last())]
pub(crate) struct JobResultArgs {
    #[command(flatten)]
    pub job: JobId,
    /// Only rows that are ok, or failed
    #[arg(long, value_name = "STATUS")]
    pub status: Option<String>,
    /// Maximum rows, 1 to 1000 (20)
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true)]
    pub limit: Option<String>,
    /// Only rows after the one of this number (0)
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub after: Option<String>,
    /// Of each row only the best prompt, without its steps
    #[arg(long)]
    pub brief: bool,
}

impl JobResultArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<JobResultRequest>()
            .set("job_id", self.job.id.as_str())
            .text("status", self.status.as_ref())
            .text("limit", self.limit.as_ref())
            .text("after", self.after.as_ref())
            .switch("brief", self.brief)
            .into_value()
    }
}

/// Which job to watch, and from where.
#[derive(Debug, Default, Args)]
#[command(after_help = FOLLOW_EXAMPLES, globals_last())]
pub(crate) struct JobFollowArgs {
    #[command(flatten)]
    pub job: JobId,
    /// Start with the event of this number (0)
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub from: Option<String>,
}

impl JobFollowArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<FollowJobRequest>().set("job_id", self.job.id.as_str()).text("from", self.from.as_ref()).into_value()
    }
}

/// Which job to stop.
#[derive(Debug, Default, Args)]
#[command(after_help = STOP_EXAMPLES, globals_last())]
pub(crate) struct JobStopArgs {
    #[command(flatten)]
    pub job: JobId,
}

/// Which job to resume.
#[derive(Debug, Default, Args)]
#[command(after_help = RESUME_EXAMPLES, globals_last())]
pub(crate) struct JobResumeArgs {
    #[command(flatten)]
    pub job: JobId,
    /// Budget in US dollars for all attempts together, instead of the job's own
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub budget_usd: Option<String>,
    /// Maximum calls of all attempts together, instead of the job's own
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_calls: Option<String>,
}

impl JobResumeArgs {
    /// The raw request.
    pub(crate) fn request(&self) -> Value {
        Raw::of::<ResumeJobRequest>()
            .set("job_id", self.job.id.as_str())
            .text("budget_usd", self.budget_usd.as_ref())
            .text("max_calls", self.max_calls.as_ref())
            .into_value()
    }
}
