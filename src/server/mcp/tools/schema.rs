//! Output schemas: domain types as JSON Schema 2020-12 (MCP 2025-11-25, "Output Schema").
//!
//! They come from the types, so they cannot drift. Input schemas come from the core's fields.

use rmcp::model::JsonObject;
use rmcp::schemars::JsonSchema;
use rmcp::schemars::generate::SchemaSettings;
use serde_json::Value;

/// The schema of this type as serialised. Its root is an object.
///
/// Clients check every reply against it, so it describes serialising: a field that is always
/// written is required, even if it has a default for reading.
pub(super) fn of<T: JsonSchema>() -> JsonObject {
    let schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    let Value::Object(mut schema) = schema.to_value() else { return JsonObject::new() };
    // The Rust names of the root mean nothing to a model.
    schema.shift_remove("title");
    schema.shift_remove("description");
    schema
}
