//! Schemas in the form that most clients understand: a single `type` everywhere.
//!
//! `"type": ["string", "null"]` is JSON Schema, but clients that translate schemas into a dialect
//! with one type for each, such as that of Gemini's function declarations, refuse the tool or drop
//! the constraint. `anyOf` says the same.

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

/// Keywords that are about every type, or about none. They stay next to `anyOf`.
const OF_ALL_TYPES: &[&str] =
    &["title", "description", "default", "examples", "enum", "const", "deprecated", "$comment"];

/// The same schema without lists of types.
pub(super) fn portable(schema: JsonObject) -> JsonObject {
    object(schema)
}

fn object(schema: Map<String, Value>) -> Map<String, Value> {
    let schema: Map<String, Value> = schema
        .into_iter()
        .map(|(keyword, value)| {
            let value = match keyword.as_str() {
                // Data, not schemas.
                "enum" | "const" | "default" | "examples" | "required" => value,
                // Schemas by name, where a name can be that of a keyword.
                "properties" | "$defs" | "patternProperties" | "dependentSchemas" => each(value),
                _ => below(value),
            };
            (keyword, value)
        })
        .collect();
    split(schema)
}

fn below(value: Value) -> Value {
    match value {
        Value::Object(schema) => Value::Object(object(schema)),
        Value::Array(items) => items.into_iter().map(below).collect(),
        other => other,
    }
}

fn each(value: Value) -> Value {
    match value {
        Value::Object(schemas) => schemas.into_iter().map(|(name, schema)| (name, below(schema))).collect(),
        other => other,
    }
}

/// A schema with a list of types as one with a branch for each.
fn split(mut schema: Map<String, Value>) -> Map<String, Value> {
    let Some(Value::Array(types)) = schema.get("type") else { return schema };
    let types = types.clone();
    if schema.contains_key("anyOf") {
        return schema;
    }
    schema.shift_remove("type");
    let (mut kept, of_types): (Map<_, _>, Map<_, _>) =
        schema.into_iter().partition(|(keyword, _)| OF_ALL_TYPES.contains(&keyword.as_str()));
    let branches = types.into_iter().map(|name| {
        let is_about = |keyword: &str| is_about(keyword, name.as_str().unwrap_or_default());
        let own = of_types.iter().filter(|(keyword, _)| is_about(keyword));
        let mut branch = Map::from_iter([("type".to_owned(), name.clone())]);
        branch.extend(own.map(|(keyword, value)| (keyword.clone(), value.clone())));
        Value::Object(branch)
    });
    let branches: Vec<Value> = branches.collect();
    kept.insert("anyOf".to_owned(), json!(branches));
    kept
}

/// True if a keyword can say something about values of this type (JSON Schema Validation 2020-12,
/// section 6, and Core, section 10.3).
fn is_about(keyword: &str, of_type: &str) -> bool {
    let types: &[&str] = match keyword {
        "minLength" | "maxLength" | "pattern" => &["string"],
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => &["number", "integer"],
        "items" | "prefixItems" | "contains" | "minItems" | "maxItems" | "uniqueItems" => &["array"],
        "properties"
        | "required"
        | "additionalProperties"
        | "patternProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties" => &["object"],
        "format" => &["string", "number", "integer"],
        _ => return true,
    };
    types.contains(&of_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn portable_of(schema: Value) -> Value {
        let Value::Object(schema) = schema else { panic!("a schema is an object") };
        Value::Object(portable(schema))
    }

    #[test]
    fn a_list_of_types_becomes_branches_with_the_keywords_of_each() {
        let schema = json!({
            "type": "object",
            "properties": {
                "notes": { "type": ["string", "null"], "minLength": 0, "maxLength": 9, "description": "Notes." },
                "cost": { "type": ["number", "null"], "format": "double", "minimum": 0 },
                "id": { "type": ["string", "integer"], "maxLength": 9, "minimum": 1 },
                "diff": { "type": ["array", "null"], "items": { "type": ["integer", "null"] } },
            },
            "required": ["type"],
        });
        assert_eq!(
            portable_of(schema),
            json!({
                "type": "object",
                "properties": {
                    "notes": {
                        "description": "Notes.",
                        "anyOf": [{ "type": "string", "minLength": 0, "maxLength": 9 }, { "type": "null" }]
                    },
                    "cost": { "anyOf": [{ "type": "number", "format": "double", "minimum": 0 }, { "type": "null" }] },
                    "id": { "anyOf": [{ "type": "string", "maxLength": 9 }, { "type": "integer", "minimum": 1 }] },
                    "diff": { "anyOf": [
                        { "type": "array", "items": { "anyOf": [{ "type": "integer" }, { "type": "null" }] } },
                        { "type": "null" }
                    ] },
                },
                "required": ["type"],
            })
        );
    }

    #[test]
    fn data_and_fields_with_the_name_of_a_keyword_stay() {
        let schema = json!({
            "properties": {
                "type": { "type": "string", "enum": ["a"] },
                "enum": { "type": ["string", "null"], "enum": ["a", null], "default": { "type": ["a", "b"] } },
            },
            "$defs": { "const": { "const": { "type": ["a", "b"] } } },
        });
        assert_eq!(
            portable_of(schema),
            json!({
                "properties": {
                    "type": { "type": "string", "enum": ["a"] },
                    "enum": {
                        "enum": ["a", null],
                        "default": { "type": ["a", "b"] },
                        "anyOf": [{ "type": "string" }, { "type": "null" }]
                    },
                },
                "$defs": { "const": { "const": { "type": ["a", "b"] } } },
            })
        );
    }
}
