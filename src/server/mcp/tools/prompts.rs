//! The tools for stored prompts: search, show, explain, list, change, delete, restore, export.
//!
//! Each decodes its request, calls one method of the engine and returns the result unchanged. Lists
//! and searches return brief fields unless the model asks for more. A model deletes one prompt at a
//! time; deleting all is not offered.

use aludel_core::api::{
    BriefListRequest, BriefSearchRequest, BriefShowRequest, BriefSimilarRequest, DeleteOneRequest, ExportRequest,
    Known, RestoreOneRequest, SemanticSearchRequest, UpdateRequest, WhyRequest,
};
use aludel_core::domain::{BriefPrompt, Prompt, SearchResult, SelectedPrompt, Why};
use aludel_core::engine::{Deletion, PromptPage, Restoration};
use aludel_core::transfer::ExportedPrompts;
use rmcp::model::JsonObject;
use serde_json::Value;

use super::{Call, Reply, content, schema};

pub(super) fn show_input(known: &Known) -> Value {
    super::input::<BriefShowRequest>(known)
}

pub(super) fn show_output() -> JsonObject {
    schema::of::<BriefPrompt>()
}

pub(super) fn prompt_output() -> JsonObject {
    schema::of::<Prompt>()
}

pub(super) fn show(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<BriefShowRequest>()?;
        content(&call.handler.engine().show_brief(request).await?)
    })
}

pub(super) fn list_input(known: &Known) -> Value {
    super::input::<BriefListRequest>(known)
}

pub(super) fn list_output() -> JsonObject {
    schema::of::<PromptPage<SelectedPrompt>>()
}

pub(super) fn list(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<BriefListRequest>()?;
        content(&call.handler.engine().list_as::<SelectedPrompt>(request.into()).await?)
    })
}

pub(super) fn search_input(known: &Known) -> Value {
    super::input::<BriefSearchRequest>(known)
}

pub(super) fn semantic_search_input(known: &Known) -> Value {
    super::input::<SemanticSearchRequest>(known)
}

pub(super) fn search_output() -> JsonObject {
    schema::of::<SearchResult<SelectedPrompt>>()
}

pub(super) fn search(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<BriefSearchRequest>()?;
        content(&call.handler.engine().search_as::<SelectedPrompt>(request.into()).await?)
    })
}

pub(super) fn semantic_search(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<SemanticSearchRequest>()?;
        content(&call.handler.engine().search_as::<SelectedPrompt>(request.into()).await?)
    })
}

pub(super) fn similar_input(known: &Known) -> Value {
    super::input::<BriefSimilarRequest>(known)
}

pub(super) fn similar(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<BriefSimilarRequest>()?;
        content(&call.handler.engine().similar_as::<SelectedPrompt>(request.into()).await?)
    })
}

pub(super) fn why_input(known: &Known) -> Value {
    super::input::<WhyRequest>(known)
}

pub(super) fn why_output() -> JsonObject {
    schema::of::<Why>()
}

pub(super) fn why(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<WhyRequest>()?;
        content(&call.handler.engine().why(request).await?)
    })
}

pub(super) fn update_input(known: &Known) -> Value {
    super::input::<UpdateRequest>(known)
}

pub(super) fn update(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<UpdateRequest>()?;
        content(&call.handler.engine().update(request).await?)
    })
}

pub(super) fn delete_input(known: &Known) -> Value {
    super::input::<DeleteOneRequest>(known)
}

pub(super) fn delete_output() -> JsonObject {
    schema::of::<Deletion>()
}

pub(super) fn delete(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<DeleteOneRequest>()?;
        content(&call.handler.engine().delete(request.into()).await?)
    })
}

pub(super) fn restore_input(known: &Known) -> Value {
    super::input::<RestoreOneRequest>(known)
}

pub(super) fn restore_output() -> JsonObject {
    schema::of::<Restoration>()
}

pub(super) fn restore(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<RestoreOneRequest>()?;
        content(&call.handler.engine().restore(request.into()).await?)
    })
}

pub(super) fn export_input(known: &Known) -> Value {
    super::input::<ExportRequest>(known)
}

pub(super) fn export_output() -> JsonObject {
    schema::of::<ExportedPrompts>()
}

pub(super) fn export(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<ExportRequest>()?;
        content(&call.handler.engine().export_bounded(request).await?)
    })
}
