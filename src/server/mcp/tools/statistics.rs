//! The tools for measurements, of one prompt in depth or of several, and for spending.
//!
//! For several prompts a model only gets the summary: a thousand in depth would fill its context.

use aludel_core::api::{Known, MetricsRequest, ShowRequest, SpendRequest};
use aludel_core::domain::{MetricsSummary, PromptMetrics, SpendReport};
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

pub(super) fn spend_input(known: &Known) -> Value {
    super::input::<SpendRequest>(known)
}

pub(super) fn spend_output() -> JsonObject {
    schema::of::<SpendReport>()
}

pub(super) fn spend(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<SpendRequest>()?;
        content(&call.handler.engine().spend(request).await?)
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
