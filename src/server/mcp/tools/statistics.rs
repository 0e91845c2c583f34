//! The tools that measure stored prompts: one in depth, several together.
//!
//! A model is given the several together and not each: a thousand prompts in depth would fill its context.

use aludel_core::api::{Known, MetricsRequest, ShowRequest};
use aludel_core::domain::{MetricsSummary, PromptMetrics};
use rmcp::model::JsonObject;
use serde_json::Value;

use super::{Call, Reply, content, schema};

pub(super) fn prompt_input(known: &Known) -> Value {
    super::input::<ShowRequest>(known)
}

pub(super) fn prompt_output() -> JsonObject {
    schema::of::<PromptMetrics>()
}

pub(super) fn prompt(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<ShowRequest>()?;
        content(&call.handler.engine().prompt_metrics(request).await?)
    })
}

pub(super) fn selection_input(known: &Known) -> Value {
    super::input::<MetricsRequest>(known)
}

pub(super) fn selection_output() -> JsonObject {
    schema::of::<MetricsSummary>()
}

pub(super) fn selection(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<MetricsRequest>()?;
        content(&call.handler.engine().metrics(request).await?.summary)
    })
}
