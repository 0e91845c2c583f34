//! Completes what a user types for the `{id}` of a resource or the argument of a prompt.
//!
//! Ids are those of stored prompts, newest first, by how they begin or end: people know the last
//! characters. Arguments are completed where the values are known; the list is empty elsewhere.

use aludel_core::domain::{Scope, Suggestions};
use aludel_core::error::{Error, Result};
use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

use super::Handler;
use super::refusal::refusal;
use super::resources::TEMPLATE;

/// `completion/complete`.
pub(super) async fn complete(
    handler: &Handler,
    request: CompleteRequestParams,
) -> std::result::Result<CompleteResult, ErrorData> {
    let found = suggest(handler, &request).await.map_err(|error| refusal("completion/complete", error))?;
    let mut info = CompletionInfo::default();
    info.values = found.values;
    info.total = found.total.and_then(|total| u32::try_from(total).ok());
    info.has_more = Some(found.has_more);
    Ok(CompleteResult::new(info))
}

async fn suggest(handler: &Handler, request: &CompleteRequestParams) -> Result<Suggestions> {
    let engine = handler.engine();
    engine.require(Scope::Read)?;
    let argument = &request.argument;
    match &request.r#ref {
        Reference::Resource(template) if template.uri != TEMPLATE => {
            Err(Error::value("ref.uri", format!("is not a template of this server; the only one is {TEMPLATE}")))
        }
        Reference::Resource(_) if argument.name != "id" => {
            Err(Error::value("argument.name", format!("must be `id`, the only variable of {TEMPLATE}")))
        }
        Reference::Resource(_) => engine.suggest_ids(argument.value.trim()).await,
        Reference::Prompt(prompt) => {
            let offered = engine.offered_prompt(&prompt.name).await?;
            if !offered.arguments.iter().any(|one| one.name == argument.name) {
                let names: Vec<&str> = offered.arguments.iter().map(|one| one.name.as_str()).collect();
                let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                return Err(Error::value(
                    "argument.name",
                    format!("is not an argument of this prompt; it takes {known}"),
                ));
            }
            engine.suggest_values(&argument.name, &argument.value).await
        }
        _ => Err(Error::value("ref", "is neither a prompt nor a resource template")),
    }
}
