//! The tools about the installation: providers, its state, and the names a request can use.
//!
//! None calls a provider. Results hold no secrets: keys stay in the core, which shows the paths.

use aludel_core::api::{Known, NoFields, ValidateRequest};
use aludel_core::domain::{Phase, ProviderInfo};
use aludel_core::engine::Validation;
use rmcp::model::JsonObject;
use rmcp::schemars::{self, JsonSchema};
use serde::Serialize;
use serde_json::Value;

use super::{Call, Reply, content, schema};
use crate::server::VERSION;

#[derive(Serialize, JsonSchema)]
struct Providers {
    /// The configured providers first, then the embedded one.
    providers: Vec<ProviderInfo>,
}

#[derive(Serialize, JsonSchema)]
struct Info {
    /// The program's name.
    name: &'static str,
    /// Its version.
    version: &'static str,
    /// The phases a request can name, in their natural order.
    phases: Vec<Phase>,
    /// The personas a request can name.
    personas: Vec<String>,
    /// The providers a request can name.
    providers: Vec<String>,
}

pub(super) fn no_input(known: &Known) -> Value {
    super::input::<NoFields>(known)
}

pub(super) fn providers_output() -> JsonObject {
    schema::of::<Providers>()
}

pub(super) fn providers(mut call: Call) -> Reply {
    Box::pin(async move {
        call.decode::<NoFields>()?;
        content(&Providers { providers: call.handler.engine().providers().await })
    })
}

pub(super) fn validation_output() -> JsonObject {
    schema::of::<Validation>()
}

pub(super) fn validation_input(known: &Known) -> Value {
    super::input::<ValidateRequest>(known)
}

pub(super) fn validate(mut call: Call) -> Reply {
    Box::pin(async move {
        let request: ValidateRequest = call.decode()?;
        content(&call.handler.engine().validate(request).await)
    })
}

pub(super) fn info_output() -> JsonObject {
    schema::of::<Info>()
}

pub(super) fn info(mut call: Call) -> Reply {
    Box::pin(async move {
        call.decode::<NoFields>()?;
        let Known { personas, providers, .. } = call.handler.engine().known();
        content(&Info { name: "aludel", version: VERSION, phases: Phase::ALL.to_vec(), personas, providers })
    })
}
