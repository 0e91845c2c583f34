//! JSON Schema (2020-12) of a request, built from its fields: whole for OpenAPI, brief for MCP tools,
//! whose list a model reads with every conversation.

use serde_json::{Map, Value, json};

use super::Known;
use super::field::{Field, Kind};
use crate::domain::{Phase, limits};

/// The schema of a request with these fields. Known personas and providers become an enum.
pub fn schema(fields: &[Field], known: &Known) -> Value {
    let mut properties = Map::new();
    for field in fields {
        let mut property = property(field.kind, known);
        if let Value::Object(map) = &mut property {
            map.insert("description".into(), field.doc.into());
            if field.nullable {
                let kind = map.get("type").cloned().unwrap_or_else(|| "string".into());
                map.insert("type".into(), json!([kind, "null"]));
            }
        }
        properties.insert(field.name.into(), property);
    }
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// As [`schema`], as brief as a model can use: of each description the first clause without what the
/// limits say too, and no limits that are far beyond anything in use. The decoder checks those all the same.
pub fn brief_schema(fields: &[Field], known: &Known) -> Value {
    let mut schema = schema(fields, known);
    for field in fields {
        let Some(property) = schema["properties"].get_mut(field.name).and_then(Value::as_object_mut) else { continue };
        property.insert("description".into(), without_limits(first_clause(field.doc), property).into());
        shorten(property);
        if let Some(kinds) = property.get_mut("anyOf").and_then(Value::as_array_mut) {
            kinds.iter_mut().filter_map(Value::as_object_mut).for_each(shorten);
        }
    }
    schema
}

/// A description without the values and bounds that its schema states.
fn without_limits<'a>(doc: &'a str, property: &Map<String, Value>) -> &'a str {
    if property.contains_key("enum") {
        return doc.split_once(": ").map_or(doc, |(clause, _)| clause);
    }
    let (Some(least), Some(most)) = (property.get("minimum"), property.get("maximum")) else { return doc };
    let bounds = [least, most].map(|bound| bound.as_f64().unwrap_or_default());
    doc.strip_suffix(&format!(", {} to {}", bounds[0], bounds[1])).unwrap_or(doc)
}

/// Removes limits that nobody reaches, here and in what it is made of: of lengths, and of numbers from a
/// million.
fn shorten(property: &mut Map<String, Value>) {
    let is_name = property.get("maxLength").is_some_and(|most| *most == limits::NAME_CHARS || *most == 36);
    if is_name {
        property.shift_remove("minLength");
    }
    property.shift_remove("maxLength");
    if property.get("maximum").and_then(Value::as_f64).is_some_and(|most| most >= 1e6) {
        property.shift_remove("maximum");
    }
    property.shift_remove("examples");
    if let Some(items) = property.get_mut("items").and_then(Value::as_object_mut) {
        shorten(items);
        items.shift_remove("minLength");
        items.shift_remove("pattern");
    }
    if let Some(members) = property.get_mut("properties").and_then(Value::as_object_mut) {
        members.values_mut().filter_map(Value::as_object_mut).for_each(shorten);
    }
    if let Some(values) = property.get_mut("additionalProperties").and_then(Value::as_object_mut) {
        shorten(values);
    }
}

/// A description up to its first `;` or the end of its first sentence.
fn first_clause(doc: &str) -> &str {
    let end = ["; ", ". "].iter().filter_map(|end| doc.find(end)).min().unwrap_or(doc.len());
    doc.get(..end).unwrap_or(doc).trim_end_matches('.')
}

pub(super) fn property(kind: Kind, known: &Known) -> Value {
    let phases: Vec<&str> = Phase::ALL.into_iter().map(Phase::as_str).collect();
    match kind {
        Kind::Name { min } => json!({ "type": "string", "minLength": min, "maxLength": limits::NAME_CHARS }),
        Kind::Text { min, max } => json!({ "type": "string", "minLength": min, "maxLength": max }),
        Kind::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Number { min, max } => json!({ "type": "number", "minimum": min, "maximum": max }),
        Kind::Boolean => json!({ "type": "boolean" }),
        Kind::Choice(words) => json!({ "type": "string", "enum": words }),
        Kind::Choices(words) => json!({
            "type": "array", "items": { "type": "string", "enum": words }, "minItems": 1, "uniqueItems": true
        }),
        Kind::Phase => json!({ "type": "string", "enum": phases }),
        Kind::Phases => json!({
            "type": "array", "items": { "type": "string", "enum": phases }, "minItems": 1, "uniqueItems": true
        }),
        Kind::Persona if known.personas.is_empty() => json!({ "type": "string" }),
        Kind::Persona => json!({ "type": "string", "enum": known.personas }),
        Kind::Provider => json!({ "type": "string", "minLength": 1, "maxLength": limits::NAME_CHARS }),
        Kind::Providers => json!({
            "type": "array", "items": { "type": "string", "minLength": 1, "maxLength": limits::NAME_CHARS },
            "minItems": 1, "uniqueItems": true
        }),
        Kind::Judges { max } | Kind::Names { max } => {
            let name = json!({ "type": "string", "minLength": 1, "maxLength": limits::NAME_CHARS });
            let several =
                json!({ "type": "array", "items": name, "minItems": 1, "maxItems": max, "uniqueItems": true });
            json!({ "anyOf": [name, several] })
        }
        Kind::Rows { max } => json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": { "type": ["string", "integer"] },
                    "input": { "type": "string", "minLength": 1, "maxLength": limits::TEXT_CHARS }
                },
                "required": ["input"]
            },
            "minItems": 1, "maxItems": max
        }),
        Kind::Criteria => json!({ "anyOf": [
            { "type": "string", "minLength": 1, "maxLength": limits::NAME_CHARS },
            {
                "type": "object",
                "additionalProperties": {
                    "type": "number", "exclusiveMinimum": 0, "maximum": limits::MAX_WEIGHT
                },
                "minProperties": 1, "maxProperties": limits::MAX_CRITERIA
            }
        ] }),
        Kind::Tags => json!({
            "type": "array",
            "items": { "type": "string", "minLength": 1, "maxLength": limits::TAG_CHARS, "pattern": "^[^,]*$" },
            "maxItems": limits::MAX_TAGS
        }),
        Kind::Texts { items, max } => json!({
            "type": "array", "items": { "type": "string", "minLength": 1, "maxLength": max }, "maxItems": items
        }),
        Kind::PromptKey | Kind::JobKey => {
            json!({ "type": "string", "minLength": limits::ID_FRAGMENT_CHARS.min(5), "maxLength": 36 })
        }
        Kind::PromptKeys { min, max } => json!({
            "type": "array", "items": { "type": "string", "maxLength": 36 },
            "minItems": min, "maxItems": max, "uniqueItems": true
        }),
        Kind::Moment => json!({ "type": "string", "examples": ["2026-11-21", "2026-11-21T08:30:00Z", "7d"] }),
    }
}
