//! The OpenAPI 3.1 document of the server: built from the table of routes, never written by hand.
//!
//! [`document`] joins what each row of `ROUTES` says of itself: `operation` makes one operation of
//! it, `failures` its problems, `links` what its answers lead to. Names that exist here (personas,
//! providers) are in the schemas, so the document is built for each request; that takes a few
//! milliseconds. `docs` shows it as a page.

mod failures;
mod links;
mod operation;

use aludel_core::api::Known;
use aludel_core::engine::Engine;
use aludel_core::error::Problem;
use axum::http::Method;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::routes::{ROUTES, Route};
use crate::server::VERSION;

pub(super) use operation::{operation_id, tag_of};

/// The version of OpenAPI that the document follows.
const OPENAPI: &str = "3.1.1";
/// Where the document has its schemas.
const SCHEMAS: &str = "/components/schemas";

const ABOUT: &str = "Turns rough requests into tested prompts. Bodies and answers are JSON; every failure is \
    `application/problem+json` (RFC 9457) with a stable `code`. Every answer has an `X-Request-Id`, which the log has too.";

/// What the document depends on besides the table of routes.
#[derive(Debug, Clone, Default)]
pub(super) struct Setting {
    /// The names that a request can use.
    pub(super) known: Known,
    /// True if requests need a token.
    pub(super) needs_token: bool,
}

impl Setting {
    /// Of a server over this engine.
    pub(super) fn of(engine: &Engine) -> Self {
        Self { known: engine.known(), needs_token: engine.needs_token() }
    }
}

/// What is shared while a document is built.
struct Builder<'a> {
    setting: &'a Setting,
    schemas: SchemaGenerator,
    /// Responses that several operations share, by name.
    responses: Map<String, Value>,
}

impl<'a> Builder<'a> {
    fn new(setting: &'a Setting) -> Self {
        let schemas = SchemaSettings::draft2020_12()
            .for_serialize()
            .with(|settings| settings.definitions_path = SCHEMAS.into())
            .into_generator();
        Self { setting, schemas, responses: Map::new() }
    }

    /// The schema of a type, by reference if it has a name.
    fn schema_of<T: JsonSchema>(&mut self) -> Value {
        self.schemas.subschema_for::<T>().to_value()
    }
}

/// The document.
pub(super) fn document(setting: &Setting) -> Value {
    let mut builder = Builder::new(setting);
    let problem = builder.schema_of::<Problem>();
    let mut paths: Map<String, Value> = Map::new();
    let mut tags: Vec<String> = Vec::new();
    for route in ROUTES {
        let tag = tag_of(route.path);
        if !tags.contains(&tag) {
            tags.push(tag);
        }
        let operation = operation::of(route, &mut builder, &problem);
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[method_key(&route.method)] = operation;
    }
    let tags: Vec<Value> = tags.iter().map(|tag| json!({ "name": tag })).collect();
    let mut document = json!({
        "openapi": OPENAPI,
        "info": { "title": "aludel", "version": VERSION, "description": ABOUT },
        "servers": [{ "url": "/" }],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": builder.schemas.take_definitions(true),
            "responses": builder.responses,
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer", "bearerFormat": "JWT" } },
        }
    });
    if setting.needs_token {
        document["security"] = json!([{ "bearer": [] }]);
    }
    document
}

/// A method as the key of a path item.
fn method_key(method: &Method) -> String {
    method.as_str().to_ascii_lowercase()
}

/// The names of the parameters in a path.
pub(super) fn path_parameters(route: &Route) -> Vec<&'static str> {
    route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect()
}
