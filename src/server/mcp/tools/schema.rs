//! Output schemas: domain types as JSON Schema 2020-12 (MCP 2025-11-25, "Output Schema").
//!
//! They come from the types, so they cannot drift. They name the members of an answer and their
//! types, and no more: a model reads the list of tools with every conversation, and the whole schemas
//! would be six times as long as the rest of it. Those are in the OpenAPI document of the REST
//! server, whose answers are the same.

use rmcp::model::JsonObject;
use rmcp::schemars::JsonSchema;
use rmcp::schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The members of this type as serialised, with their types. Its root is an object.
///
/// Clients check every reply against it, so it describes serialising: a field that is always
/// written is required, even if it has a default for reading.
pub(super) fn of<T: JsonSchema>() -> JsonObject {
    let schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    let schema = schema.to_value();
    let members = schema["properties"].as_object().into_iter().flatten();
    let properties: Map<String, Value> =
        members.map(|(name, member)| (name.clone(), outline(member, &schema["$defs"]))).collect();
    let mut outline =
        JsonObject::from_iter([("type".into(), "object".into()), ("properties".into(), properties.into())]);
    let (all, required) = (properties_of(&outline), schema["required"].as_array().map_or(0, Vec::len));
    if all == required {
        // The same as naming them all once more.
        outline.insert("additionalProperties".into(), false.into());
        outline.insert("minProperties".into(), all.into());
    } else if let Some(required) = schema.get("required") {
        outline.insert("required".into(), required.clone());
    }
    outline
}

fn properties_of(outline: &JsonObject) -> usize {
    outline.get("properties").and_then(Value::as_object).map_or(0, Map::len)
}

/// The type of a value, of a list also that of its items.
fn outline(schema: &Value, definitions: &Value) -> Value {
    match (types(schema, definitions).as_slice(), schema.get("items")) {
        ([], _) => json!({}),
        ([one], Some(items)) => match types(items, definitions).as_slice() {
            [of] => json!({ "type": one, "items": { "type": of } }),
            _ => json!({ "type": one }),
        },
        ([one], None) => json!({ "type": one }),
        (several, _) => json!({ "type": several }),
    }
}

/// The types that a value can have; empty if any.
fn types<'a>(schema: &'a Value, definitions: &'a Value) -> Vec<&'a str> {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = name.rsplit('/').next().unwrap_or_default();
        return definitions.get(name).map(|named| types(named, definitions)).unwrap_or_default();
    }
    match &schema["type"] {
        Value::String(one) => return vec![one],
        Value::Array(several) => return several.iter().filter_map(Value::as_str).collect(),
        _ => {}
    }
    let mut found = Vec::new();
    for part in ["anyOf", "oneOf"].iter().filter_map(|kind| schema.get(kind)?.as_array()).flatten() {
        let of_part = types(part, definitions);
        if of_part.is_empty() {
            return of_part;
        }
        found.extend(of_part.into_iter().filter(|kind| !found.contains(kind)).collect::<Vec<_>>());
    }
    found
}
