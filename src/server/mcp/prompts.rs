//! The personas and the stored prompts tagged `mcp` as prompts that a host offers in its menu.
//!
//! A message of the protocol has no system role, so instructions become the beginning of the user's
//! message, which any host can send.

use aludel_core::api::CursorRequest;
use aludel_core::domain::{OfferedPrompt, Scope};
use aludel_core::provider::{Message, Role as Author};
use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, ListPromptsResult, PaginatedRequestParams, Prompt, PromptArgument,
    PromptMessage, Role,
};

use super::refusal::refusal;
use super::{Handler, page};

/// `prompts/list`.
pub(super) async fn list(
    handler: &Handler,
    page: Option<PaginatedRequestParams>,
) -> Result<ListPromptsResult, ErrorData> {
    let engine = handler.engine();
    let listed = async {
        engine.require(Scope::Read)?;
        engine.offered_prompts(engine.decode::<CursorRequest>(page::request(page))?).await
    };
    let listed = listed.await.map_err(|error| refusal("prompts/list", error))?;
    let mut result = ListPromptsResult::with_all_items(listed.prompts.into_iter().map(prompt).collect());
    result.next_cursor = listed.next_cursor;
    Ok(result)
}

fn prompt(offered: OfferedPrompt) -> Prompt {
    let argument = |one: aludel_core::domain::OfferedArgument| {
        PromptArgument::new(one.name).with_description(one.description).with_required(true)
    };
    let arguments: Vec<PromptArgument> = offered.arguments.into_iter().map(argument).collect();
    let arguments = (!arguments.is_empty()).then_some(arguments);
    Prompt::new(offered.name, Some(offered.description), arguments).with_title(offered.title)
}

/// `prompts/get`.
pub(super) async fn get(handler: &Handler, request: GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let engine = handler.engine();
    let filled = async {
        engine.require(Scope::Read)?;
        engine.fill_prompt(&request.name, request.arguments.unwrap_or_default()).await
    };
    let filled = filled.await.map_err(|error| refusal("prompts/get", error))?;
    Ok(GetPromptResult::new(messages(filled.messages)).with_description(filled.description))
}

fn messages(turns: Vec<Message>) -> Vec<PromptMessage> {
    let mut messages = Vec::new();
    let mut instructions = Vec::new();
    for Message { role, content } in turns {
        match role {
            Author::System => instructions.push(content),
            Author::User => {
                instructions.push(content);
                messages.push(PromptMessage::new_text(Role::User, std::mem::take(&mut instructions).join("\n\n")));
            }
            Author::Assistant => messages.push(PromptMessage::new_text(Role::Assistant, content)),
        }
    }
    messages
}
