//! Output schemas: what a domain type is written as, JSON Schema 2020-12 (MCP 2025-11-25, "Output Schema").
//!
//! They come from the types themselves, so they cannot drift from what is written. Input schemas are made by the core
//! from its tables of fields.

use rmcp::model::JsonObject;
use rmcp::schemars::JsonSchema;
use rmcp::schemars::generate::SchemaSettings;
use serde_json::Value;

/// The schema of what a value of this type is written as; its root is an object.
///
/// Clients check every answer against it, so it describes writing, not reading: a field that is always written is
/// required, even where reading it has a default.
pub(super) fn of<T: JsonSchema>() -> JsonObject {
    let schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    let Value::Object(mut schema) = schema.to_value() else { return JsonObject::new() };
    // The Rust names of the root say nothing to a model.
    schema.shift_remove("title");
    schema.shift_remove("description");
    schema
}
