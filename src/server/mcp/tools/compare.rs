//! `compare_prompts`: compares prompts and, with a task, runs the judge and reports its progress.

use aludel_core::api::{CompareRequest, Known};
use aludel_core::domain::CompareResult;
use rmcp::model::JsonObject;
use serde_json::Value;

use super::generate::outcome_of;
use super::{Answer, Call, Reply, content, schema};
use crate::server::mcp::consent::{self, Consent};
use crate::server::mcp::progress::Progress;

pub(super) fn input(known: &Known) -> Value {
    super::input::<CompareRequest>(known)
}

pub(super) fn output() -> JsonObject {
    schema::of::<CompareResult>()
}

pub(super) fn call(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<CompareRequest>()?;
        let mut comparing = call.handler.engine().compare(request).await?;
        let judged = match comparing.take_prepared() {
            Some(prepared) => {
                let run = match consent::obtain(&call, prepared).await? {
                    Consent::Given(prepared) => prepared.start()?,
                    Consent::Needed(question) => return Ok(Answer::Question(question)),
                };
                let progress = Progress::new(&call.context, call.handler.input_ended().clone());
                Some(*outcome_of(run, progress, &call.context.ct).await?)
            }
            None => None,
        };
        content(&comparing.conclude(judged)?)
    })
}
