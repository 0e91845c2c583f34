//! Removes length limits from a schema, for vendors that do not support them.
//!
//! OpenAI does not document `maxLength` for strings (it does `pattern` and `format`; as collected
//! at jsonschemaprofiles.unitvectorylabs.com/schemas/openai, read 2026-11-22), and Anthropic and
//! Gemini are not known to accept it: at best it is ignored. Servers that compile a schema to a
//! grammar, as Ollama and llama.cpp do, enforce it, which stops small models that never would.

use serde_json::{Map, Value};

/// Returns the schema without `maxLength`.
pub(super) fn without_lengths(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, value)| !(name.as_str() == "maxLength" && value.is_number()))
            .map(|(name, value)| (name.clone(), without_lengths(value)))
            .collect::<Map<String, Value>>()
            .into(),
        Value::Array(parts) => parts.iter().map(without_lengths).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn limits_of_length_go_and_a_property_of_that_name_stays() {
        let schema = json!({ "properties": {
            "reasons": { "type": "string", "maxLength": 9 },
            "maxLength": { "type": "string", "maxLength": 9 },
            "list": { "items": [{ "maxLength": 9 }, 3] },
        }});
        let bare = json!({ "properties": {
            "reasons": { "type": "string" },
            "maxLength": { "type": "string" },
            "list": { "items": [{}, 3] },
        }});
        assert_eq!(without_lengths(&schema), bare);
    }
}
