//! Stored prompts as resources: `aludel://prompts/{id}` is a prompt's text.
//!
//! A list is newest first and in pages, and reads no text. What is not plain text (the request,
//! steps, models, cost) is left to `get_prompt_details`, so that a host that attaches a resource
//! attaches the prompt and nothing else.

use aludel_core::api::{CursorRequest, PromptKey, ShowRequest};
use aludel_core::domain::{Prompt, PromptId, PromptOutline, Scope, write_moment};
use aludel_core::engine::{stored_description, stored_name, stored_title};
use aludel_core::error::Error;
use rmcp::ErrorData;
use rmcp::model::{
    Annotations, ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use serde_json::json;

use super::refusal::{is_not_found, refusal};
use super::{Handler, page};

/// The template of the resources' URIs.
pub(super) const TEMPLATE: &str = "aludel://prompts/{id}";
/// What every URI begins with.
const PREFIX: &str = "aludel://prompts/";
/// A prompt is for a model to read as it is: rendered as Markdown, the tags in it would be lost.
const MIME: &str = "text/plain";
/// Most characters of a wrong URI that an error repeats.
const SHOWN: usize = 200;

/// The URI of a stored prompt.
pub(super) fn uri(id: PromptId) -> String {
    format!("{PREFIX}{id}")
}

/// `resources/list`.
pub(super) async fn list(
    handler: &Handler,
    page: Option<PaginatedRequestParams>,
) -> Result<ListResourcesResult, ErrorData> {
    let engine = handler.engine();
    let listed = async {
        engine.require(Scope::Read)?;
        engine.outlines(engine.decode::<CursorRequest>(page::request(page))?).await
    };
    let listed = listed.await.map_err(|error| refusal("resources/list", error))?;
    let resources = listed.items.iter().map(resource).collect();
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = listed.next_cursor;
    Ok(result)
}

fn resource(prompt: &PromptOutline) -> Resource {
    let mut annotations = Annotations::default();
    annotations.last_modified = Some(write_moment(prompt.updated_at));
    Resource::new(uri(prompt.id), stored_name(prompt))
        .with_title(stored_title(prompt))
        .with_description(stored_description(prompt))
        .with_mime_type(MIME)
        .with_size(prompt.content_bytes)
        .with_annotations(annotations)
}

/// `resources/templates/list`.
pub(super) fn templates(page: Option<PaginatedRequestParams>) -> Result<ListResourceTemplatesResult, ErrorData> {
    page::only(page, "templates")?;
    let prompt = ResourceTemplate::new(TEMPLATE, "prompt")
        .with_title("Stored prompt")
        .with_description(
            "The text of a stored prompt. Takes its id, six or more of its first or last characters, or @last for the \
             newest.",
        )
        .with_mime_type(MIME);
    Ok(ListResourceTemplatesResult::with_all_items(vec![prompt]))
}

/// `resources/read`.
pub(super) async fn read(
    handler: &Handler,
    request: ReadResourceRequestParams,
) -> Result<ReadResourceResult, ErrorData> {
    let prompt = find(handler, &request.uri, "resources/read").await?;
    let contents = ResourceContents::text(prompt.content, uri(prompt.id)).with_mime_type(MIME);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// The prompt that a URI names.
pub(super) async fn find(handler: &Handler, uri: &str, method: &'static str) -> Result<Prompt, ErrorData> {
    let key = key(uri).ok_or_else(|| {
        let form = format!("there is no such resource; the URI of a stored prompt is {TEMPLATE}, see resources/list");
        not_found(form, uri)
    })?;
    let engine = handler.engine();
    let shown = async {
        engine.require(Scope::Read)?;
        engine.show(ShowRequest { prompt_id: key }).await
    };
    shown.await.map_err(
        |error: Error| {
            if is_not_found(&error) { not_found(error.to_string(), uri) } else { refusal(method, error) }
        },
    )
}

/// What a URI names; `None` if it is none of ours. A template may have encoded the `@` of `@last`.
pub(super) fn key(uri: &str) -> Option<PromptKey> {
    PromptKey::parse(&uri.strip_prefix(PREFIX)?.replace("%40", "@")).ok()
}

/// The library makes it −32602 for clients of 2026-07-28, which have no code of its own for this.
fn not_found(message: String, uri: &str) -> ErrorData {
    let shown: String = uri.chars().take(SHOWN).collect();
    ErrorData::resource_not_found(message, Some(json!({ "uri": shown })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_names_a_prompt_as_every_face_does() {
        let id = "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21";
        assert_eq!(key(&format!("aludel://prompts/{id}")), Some(PromptKey::Id(id.parse().unwrap())));
        assert_eq!(key("aludel://prompts/7a3f9c21"), Some(PromptKey::Fragment("7a3f9c21".into())));
        assert_eq!(key("aludel://prompts/@last"), Some(PromptKey::Last));
        assert_eq!(key("aludel://prompts/%40last"), Some(PromptKey::Last));
    }

    #[test]
    fn other_uris_name_nothing() {
        let other = ["", "aludel://prompts/", "aludel://prompts/{id}", "aludel://jobs/7a3f9c21", "file:///7a3f9c21"];
        for uri in other.into_iter().chain(["aludel://prompts/../etc", "ALUDEL://prompts/7a3f9c21", "7a3f9c21"]) {
            assert_eq!(key(uri), None, "{uri}");
        }
    }
}
