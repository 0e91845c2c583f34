//! Content of the kinds that the product never sends: images, sounds, embedded resources.

use rmcp::model::{
    ContentBlock, GetPromptResult, Prompt, PromptArgument, PromptMessage, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, Role,
};

/// A PNG of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A WAV of no sample.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// The resource whose content is a stored prompt's.
pub(crate) const STATIC_TEXT: &str = "test://static-text";
/// The resource that is subscribed to.
pub(crate) const WATCHED: &str = "test://watched-resource";
const STATIC_BINARY: &str = "test://static-binary";
const TEMPLATE: &str = "test://template/{id}/data";

/// The content of a tool that returns the same whenever it is called.
pub(crate) fn of_tool(name: &str) -> Option<Vec<ContentBlock>> {
    let json = |uri: &str| ContentBlock::resource(ResourceContents::text("{}", uri).with_mime_type("application/json"));
    Some(match name {
        "test_simple_text" => vec![ContentBlock::text("A simple text.")],
        "test_image_content" => vec![image()],
        "test_audio_content" => vec![ContentBlock::audio(WAV, "audio/wav")],
        "test_embedded_resource" => vec![embedded("test://embedded-resource")],
        "test_multiple_content_types" => {
            vec![ContentBlock::text("Three kinds:"), image(), json("test://mixed-content-resource")]
        }
        _ => return None,
    })
}

fn image() -> ContentBlock {
    ContentBlock::image(PNG, "image/png")
}

fn embedded(uri: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::text("An embedded resource.", uri).with_mime_type("text/plain"))
}

/// The prompts.
pub(crate) fn prompts() -> Vec<Prompt> {
    let prompt = |name: &str, arguments: &[&str]| {
        let arguments = arguments.iter().map(|name| PromptArgument::new(*name).with_required(true)).collect();
        Prompt::new(name, Some("A fixture."), Some(arguments))
    };
    vec![
        prompt("test_simple_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
        prompt("test_input_required_result_prompt", &[]),
    ]
}

/// The prompt of this name with its argument, if its content is made here.
pub(crate) fn of_prompt(name: &str, uri: &str) -> Option<GetPromptResult> {
    let content = match name {
        "test_prompt_with_embedded_resource" => embedded(uri),
        "test_prompt_with_image" => image(),
        _ => return None,
    };
    let messages = [content, ContentBlock::text("Say what this is.")];
    Some(GetPromptResult::new(messages.map(|content| PromptMessage::new(Role::User, content)).to_vec()))
}

/// The resources.
pub(crate) fn resources() -> Vec<Resource> {
    let resource = |uri, name| Resource::new(uri, name);
    vec![
        resource(STATIC_TEXT, "static-text").with_mime_type("text/plain"),
        resource(STATIC_BINARY, "static-binary").with_mime_type("image/png"),
        resource(WATCHED, "watched-resource").with_mime_type("text/plain"),
    ]
}

/// The template of resources.
pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate::new(TEMPLATE, "template").with_mime_type("application/json")
}

/// The resource of this URI, if its content is made here.
pub(crate) fn of_resource(uri: &str) -> Option<ReadResourceResult> {
    let contents = if uri == STATIC_BINARY {
        ResourceContents::blob(PNG, uri).with_mime_type("image/png")
    } else {
        let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
        ResourceContents::text(format!("{{\"id\":\"{id}\"}}"), uri).with_mime_type("application/json")
    };
    Some(ReadResourceResult::new(vec![contents]))
}
