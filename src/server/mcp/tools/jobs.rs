//! The tools that show, stop and resume long work.

use aludel_core::api::{BriefJobResultRequest, JobRequest, Known, ResumeJobRequest};
use aludel_core::domain::{Job, JobDetails, JobResult};
use rmcp::model::JsonObject;
use serde_json::Value;

use super::{Call, Reply, content, schema};

pub(super) fn input(known: &Known) -> Value {
    super::input::<JobRequest>(known)
}

pub(super) fn status_output() -> JsonObject {
    schema::of::<JobDetails>()
}

pub(super) fn status(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<JobRequest>()?;
        content(&call.handler.engine().job(request).await?)
    })
}

pub(super) fn result_input(known: &Known) -> Value {
    super::input::<BriefJobResultRequest>(known)
}

pub(super) fn result_output() -> JsonObject {
    schema::of::<JobResult>()
}

pub(super) fn result(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<BriefJobResultRequest>()?;
        content(&call.handler.engine().job_result(request.into()).await?)
    })
}

pub(super) fn resume_input(known: &Known) -> Value {
    super::input::<ResumeJobRequest>(known)
}

pub(super) fn resume(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<ResumeJobRequest>()?;
        content(&call.handler.engine().resume_kept_job(request).await?)
    })
}

pub(super) fn cancel_output() -> JsonObject {
    schema::of::<Job>()
}

pub(super) fn cancel(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<JobRequest>()?;
        content(&call.handler.engine().stop_job(request).await?)
    })
}
