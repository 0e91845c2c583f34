//! The chat of OpenAI's protocol: the request, the model list, and error answers.
//!
//! The dialects differ in the name of the token limit, in stream options and in who reports a cost.
//! [`Dialect`] holds these differences; everything else is one code path.

use serde_json::{Value, json};

use super::super::failure::{self, Cause};
use super::super::lengths::without_lengths;
use super::super::{AnswerReader, ErrorAnswer, HttpCall, Method, ModelPage};
use super::answer::ChatReader;
use super::error_body::ErrorBody;
use crate::error::ProviderError;
use crate::provider::{ChatRequest, Role};

/// A dialect of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Dialect {
    /// OpenAI itself.
    Vendor,
    /// A more or less compatible server.
    Compatible,
    /// OpenRouter.
    OpenRouter,
}

/// The chat codec of one provider.
#[derive(Debug)]
pub(in super::super) struct Chat {
    provider: String,
    dialect: Dialect,
}

impl Chat {
    pub(in super::super) fn new(provider: &str, dialect: Dialect) -> Self {
        Self { provider: provider.to_owned(), dialect }
    }

    /// Builds the request for a streamed answer.
    pub(in super::super) fn call(&self, request: &ChatRequest, model: &str) -> HttpCall {
        let messages: Vec<Value> = request
            .messages
            .iter()
            .map(|message| json!({ "role": role(message.role), "content": message.content }))
            .collect();
        let mut body = json!({ "model": model, "messages": messages, "stream": true });
        match self.dialect {
            Dialect::Vendor => {
                body["stream_options"] = json!({ "include_usage": true, "include_obfuscation": false });
            }
            Dialect::Compatible => body["stream_options"] = json!({ "include_usage": true }),
            Dialect::OpenRouter => {} // Usage is always reported, and the field no longer has an effect.
        }
        if let Some(temperature) = request.temperature {
            body["temperature"] = temperature.into();
        }
        if let Some(max_tokens) = request.max_tokens {
            body[self.limit_name(model)] = max_tokens.into();
        }
        if let Some(schema) = &request.response_schema {
            let taken = match self.dialect {
                Dialect::Vendor | Dialect::OpenRouter => without_lengths(schema),
                Dialect::Compatible => schema.clone(),
            };
            let schema = json!({ "name": "answer", "strict": is_strict(schema), "schema": taken });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
        }
        HttpCall { method: Method::Post, path: "/chat/completions".to_owned(), headers: Vec::new(), body: Some(body) }
    }

    /// The name of the token limit. OpenAI's reasoning models refuse the old one; many compatible
    /// servers do not know the new one, unless they forward to one of OpenAI's models.
    fn limit_name(&self, model: &str) -> &'static str {
        match self.dialect {
            Dialect::Compatible if !is_openai_model(model) => "max_tokens",
            _ => "max_completion_tokens",
        }
    }

    pub(in super::super) fn reader(&self) -> Box<dyn AnswerReader> {
        Box::new(ChatReader::new(&self.provider, self.dialect))
    }

    /// Interprets an error answer.
    pub(in super::super) fn failure(&self, answer: &ErrorAnswer<'_>) -> ProviderError {
        let body = serde_json::from_slice(answer.body).ok();
        match body.as_ref().and_then(ErrorBody::of_body).filter(|_| !(300..400).contains(&answer.status)) {
            Some(body) => body.failure(&self.provider, answer),
            None => failure::by_status(&self.provider, answer, &String::from_utf8_lossy(answer.body)),
        }
    }

    /// Builds the request for the model list, which has one page.
    pub(in super::super) fn models() -> HttpCall {
        HttpCall { method: Method::Get, path: "/models".to_owned(), headers: Vec::new(), body: None }
    }

    /// Reads the model list: in `data`, or, from some compatible servers, the list itself.
    pub(in super::super) fn read_models(&self, body: &[u8]) -> Result<ModelPage, ProviderError> {
        let value: Value = serde_json::from_slice(body).unwrap_or_default();
        let Some(rows) = value["data"].as_array().or_else(|| value.as_array()) else {
            return Err(Cause::Garbage.error(&self.provider, "", &String::from_utf8_lossy(body)));
        };
        let models = rows.iter().filter_map(|row| row["id"].as_str()).map(str::to_owned).collect();
        Ok(ModelPage { models, next: None })
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system", // Newer models call it `developer`; every server accepts this name.
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

/// True for OpenAI's own models by name, also behind a proxy (`openai/gpt-6-sol`) and fine-tuned
/// (`ft:gpt-…`); false for its open-weight ones, which others serve.
fn is_openai_model(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let name = name.strip_prefix("ft:").unwrap_or(&name);
    let is_numbered = |prefix: &str, from: char| {
        name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| (from..='9').contains(&c)))
    };
    name.starts_with("chatgpt") || is_numbered("gpt-", '4') || is_numbered("o", '1')
}

/// True if OpenAI's strict mode accepts the schema: every object lists all its properties as
/// required and allows no others. Others are sent too, as a hint.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Array(parts) => parts.iter().all(is_strict),
        Value::Object(fields) => {
            let is_closed = fields.get("properties").and_then(Value::as_object).is_none_or(|properties| {
                let required = fields.get("required").and_then(Value::as_array);
                let is_required = |name: &String| required.is_some_and(|names| names.iter().any(|known| known == name));
                fields.get("additionalProperties") == Some(&Value::Bool(false)) && properties.keys().all(is_required)
            });
            is_closed && fields.values().all(is_strict)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_of_openai_are_told_from_others_by_name() {
        for model in
            ["gpt-4o", "gpt-6-luna", "openai/gpt-6.1-sol", "o3", "o4-mini", "ft:gpt-4.1:us::x", "ChatGPT-latest"]
        {
            assert!(is_openai_model(model), "{model}");
        }
        for model in
            ["gpt-oss-20b", "openai/gpt-oss-120b", "gpt-3.5-turbo", "llama-4", "olmo-3", "gpt2", "qwen3:8b", ""]
        {
            assert!(!is_openai_model(model), "{model}");
        }
    }

    #[test]
    fn a_strict_schema_is_closed_in_all_its_objects() {
        let inner = json!({ "type": "object", "properties": { "b": { "type": "string" } }, "required": ["b"], "additionalProperties": false });
        let outer = |inner: &Value| json!({ "type": "object", "properties": { "a": { "type": "array", "items": inner } }, "required": ["a"], "additionalProperties": false });
        assert!(is_strict(&outer(&inner)));
        for (field, value) in
            [("additionalProperties", json!(true)), ("required", json!([])), ("required", json!(null))]
        {
            let mut open = inner.clone();
            open[field] = value;
            assert!(!is_strict(&open) && !is_strict(&outer(&open)), "{field}");
        }
    }
}
