//! `start_batch`: many requests as a job, which goes on after the call.

use aludel_core::api::{InlineBatchRequest, JobKey, JobRequest, Known};
use aludel_core::domain::Job;
use aludel_core::error::Error;
use rmcp::model::JsonObject;
use serde_json::Value;

use super::{Answer, Call, Reply, content, schema};
use crate::server::mcp::consent::{self, Consent};
use crate::server::mcp::tasks;

pub(super) fn input(known: &Known) -> Value {
    super::input::<InlineBatchRequest>(known)
}

pub(super) fn output() -> JsonObject {
    schema::of::<Job>()
}

pub(super) fn call(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<InlineBatchRequest>()?;
        let engine = call.handler.engine().clone();
        // Checking a thousand rows takes a moment.
        let checked = tokio::task::spawn_blocking(move || engine.prepare_inline_batch(request)).await;
        let failed = |error| Error::Internal(format!("the check of the rows ended abnormally: {error}"));
        let prepared = match consent::obtain(&call, checked.map_err(failed)??).await? {
            Consent::Given(prepared) => prepared,
            Consent::Needed(question) => return Ok(Answer::Question(question)),
        };
        let id = prepared.keep().await?;
        let job = call.handler.engine().job(JobRequest { job_id: JobKey::Id(id) }).await?.job;
        let has_tasks = call.context.client_capabilities().is_some_and(|client| client.supports_tasks());
        if has_tasks { Ok(Answer::Task(tasks::begun(&job))) } else { content(&job) }
    })
}
