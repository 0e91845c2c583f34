//! What an answer leads to: the operations that take an id which it has.

use serde_json::{Map, Value, json};

use super::{operation_id, path_parameters};
use crate::server::rest::routes::ROUTES;

/// The links of an answer with these ids: each is the parameter that it is for and its place.
pub(super) fn of(ids: &[(&str, &str)]) -> Map<String, Value> {
    let mut links = Map::new();
    for (parameter, pointer) in ids {
        for route in ROUTES.iter().filter(|route| path_parameters(route).contains(parameter)) {
            let id = operation_id(route);
            let value = format!("$response.body#{pointer}");
            links.insert(id.clone(), json!({ "operationId": id, "parameters": { *parameter: value } }));
        }
    }
    links
}
