//! Jobs as tasks of the protocol (extension `io.modelcontextprotocol/tasks`).
//!
//! A client that declared the extension gets a task from `start_batch` in place of the job. The
//! task's id is the job's, so the tools for jobs take it too. A finished job completes its task with
//! the result that the tool would have returned: the job, now ended. So does one that failed, with the
//! problem, as a tool that fails: a failed task is for errors of the protocol alone.

use aludel_core::api::{JobKey, JobRequest};
use aludel_core::domain::{Job, JobDetails, JobState, Operation};
use aludel_core::engine::Engine;
use aludel_core::error::{Code, Error};
use aludel_core::operation;
use rmcp::model::{
    CallToolResult, ContentBlock, CreateTaskResult, DetailedTask, ErrorCode, ErrorData, GetTaskResult, JsonObject,
    Task, TaskPayload, TaskStatus,
};
use serde_json::{Value, json};

/// How often a client should ask, in milliseconds.
const POLL_MS: u64 = 1_000;

/// The task of a job that has just begun.
pub(super) fn begun(job: &Job) -> CreateTaskResult {
    CreateTaskResult::new(task(job))
}

/// The state of a job as a task.
///
/// # Errors
/// Invalid parameters for an id that is no job's; internal errors of the store.
pub(super) async fn get(engine: &Engine, id: &str) -> Result<GetTaskResult, ErrorData> {
    let details = engine.job(request(id)?).await.map_err(|error| explain(&error))?;
    let payload = payload(&details)?;
    Ok(GetTaskResult::new(DetailedTask::new(task(&details.job), payload)))
}

/// Stops a job.
///
/// # Errors
/// As [`get`]. A job that has ended already is none.
pub(super) async fn cancel(engine: &Engine, id: &str) -> Result<(), ErrorData> {
    engine.require(operation::scope_of(Operation::JobsStop)).map_err(|error| explain(&error))?;
    match engine.stop_job(request(id)?).await {
        Ok(_) => Ok(()),
        Err(error) if error.code() == Code::Conflict => Ok(()),
        Err(error) => Err(explain(&error)),
    }
}

/// Takes input for a task. None of ours asks for any, and what was not asked for is ignored.
///
/// # Errors
/// As [`get`].
pub(super) async fn update(engine: &Engine, id: &str) -> Result<(), ErrorData> {
    engine.job(request(id)?).await.map(drop).map_err(|error| explain(&error))
}

fn request(id: &str) -> Result<JobRequest, ErrorData> {
    let unknown = || ErrorData::invalid_params(format!("there is no task `{}`", id.escape_debug()), None);
    Ok(JobRequest { job_id: JobKey::Id(id.parse().map_err(|_| unknown())?) })
}

fn explain(error: &Error) -> ErrorData {
    match error.code() {
        Code::Internal | Code::Storage => ErrorData::internal_error(error.to_string(), None),
        _ => ErrorData::invalid_params(error.to_string(), None),
    }
}

fn task(job: &Job) -> Task {
    let status = match job.state {
        JobState::Running | JobState::Stopping => TaskStatus::Working,
        JobState::Finished | JobState::Failed => TaskStatus::Completed,
        JobState::Interrupted => TaskStatus::Failed,
        JobState::Cancelled => TaskStatus::Cancelled,
    };
    let (created, updated) = (job.created_at.to_string(), job.updated_at.to_string());
    Task::new(job.id.to_string(), status, created, updated)
        .with_status_message(progress(job))
        .with_poll_interval_ms(POLL_MS)
}

/// How far it is, for people.
fn progress(job: &Job) -> String {
    let Job { state, done, failed, total, .. } = job;
    let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
    let failures = if *failed == 0 { String::new() } else { format!(", {failed} failed") };
    format!("{state}: {done}{of} done{failures}")
}

fn payload(details: &JobDetails) -> Result<TaskPayload, ErrorData> {
    let written = |error: serde_json::Error| ErrorData::internal_error(error.to_string(), None);
    let completed = |result: CallToolResult| {
        serde_json::to_value(result).map(|result| TaskPayload::Completed { result: object(result) }).map_err(written)
    };
    Ok(match details.job.state {
        JobState::Running | JobState::Stopping => TaskPayload::Working,
        JobState::Cancelled => TaskPayload::Cancelled,
        JobState::Finished => {
            let job = serde_json::to_value(&details.job).map_err(written)?;
            completed(CallToolResult::structured(job))?
        }
        JobState::Failed => {
            let problem = details.error.as_ref().map_or_else(|| "the job failed".to_owned(), Value::to_string);
            completed(CallToolResult::error(vec![ContentBlock::text(problem)]))?
        }
        JobState::Interrupted => {
            let message = "the process that worked on it is gone; `job_resume` goes on with it";
            TaskPayload::Failed { error: object(json!({ "code": ErrorCode::INTERNAL_ERROR.0, "message": message })) }
        }
    })
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}
