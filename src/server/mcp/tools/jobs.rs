//! The tools that show and stop long work.

use aludel_core::api::{JobRequest, Known};
use aludel_core::domain::{Job, JobDetails};
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

pub(super) fn cancel_output() -> JsonObject {
    schema::of::<Job>()
}

pub(super) fn cancel(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<JobRequest>()?;
        content(&call.handler.engine().stop_job(request).await?)
    })
}
