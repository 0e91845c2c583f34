//! The options of `aludel jobs`.

use aludel_core::api::{FollowJobRequest, JobRequest, JobsRequest, ResumeJobRequest};
use clap::{Args, Subcommand};
use serde_json::Value;

use super::global::GlobalsLast;
use super::raw::Raw;

const EXAMPLES: &str = "\
Examples:
  aludel jobs
  aludel jobs --all --format json
  aludel jobs --state interrupted

Lists what runs in any process on this database, and what was interrupted,
stopped or has failed and can be resumed. A job that has ended is kept for
seven days, one that was interrupted for thirty.";

const SHOW_EXAMPLES: &str = "\
Examples:
  aludel jobs show @last
  aludel jobs show @last --format json";

const FOLLOW_EXAMPLES: &str = "\
Examples:
  aludel jobs follow @last
  aludel jobs follow @last --from 12 --format jsonl

Ctrl-C ends the watching and leaves the job as it is. The exit code is that of
the job: 0 when it has finished, the code of its error when it has failed, 1
when it was stopped or interrupted.";

const STOP_EXAMPLES: &str = "\
Examples:
  aludel jobs stop @last

Its process stops it within a second; what is finished stays.";

const RESUME_EXAMPLES: &str = "\
Examples:
  aludel jobs resume @last
  aludel jobs resume @last --budget-usd 2

Makes what is not done yet, under the caps of the job, or those given here,
less what it has taken before. Nothing that is done is paid for again.";

/// List, follow, stop and resume long work
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, globals_last())]
pub(crate) struct JobsArgs {
    /// What to do; lists the jobs unless said.
    #[command(subcommand)]
    pub command: Option<JobsCommand>,

    /// List the finished ones, too
    #[arg(long)]
    pub all: bool,
    /// Only jobs that are running, stopping, interrupted, finished, failed or cancelled
    #[arg(long, value_name = "STATE")]
    pub state: Option<String>,
    /// Most jobs, 1 to 1000 (50)
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
    /// Show a job: what was asked for, and what came of it
    Show(JobShowArgs),
    /// Watch a job until it ends
    Follow(JobFollowArgs),
    /// Stop a job; what is finished stays
    Stop(JobStopArgs),
    /// Take up a job that was interrupted, stopped or has failed
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

/// Which job to watch, and from where.
#[derive(Debug, Default, Args)]
#[command(after_help = FOLLOW_EXAMPLES, globals_last())]
pub(crate) struct JobFollowArgs {
    #[command(flatten)]
    pub job: JobId,
    /// Begin with the event of this number (0)
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
    /// US dollars that all attempts together may cost, this time
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub budget_usd: Option<String>,
    /// Calls that all attempts together may make, this time
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
