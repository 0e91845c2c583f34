//! Requests: what a face can ask for, decoded from raw JSON by the only validation there is.
//!
//! Each operation has one table of [`Field`]s. The decoder ([`decode`]), the JSON Schema of the MCP
//! tool and the OpenAPI body ([`schema()`]), and the conversion of text from a command line or a
//! query string ([`value_of_text`]) all use it, so the four faces accept and reject the same.
//!
//! Shape faults (unknown field, wrong type, missing field) are reported first, all together, as
//! `invalid_request`; then all value faults as `validation_failed`. The numbers are in
//! [`crate::domain::limits`].

mod batch;
mod bounds;
mod compare;
mod decoder;
mod exact;
mod field;
mod fields;
mod filter;
mod generate;
mod jobs;
mod judge;
mod lists;
mod mcp_config;
mod moment;
mod prompts;
mod providers;
mod schema;
mod search;
mod select;
mod serve;
mod spend;
mod stats;
mod token;
mod transfer;
mod trash;
mod validate;
mod variants;

#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::error::Result;

pub(crate) use batch::OF_THE_BATCH;
pub use batch::{BatchRequest, InlineBatchRequest};
pub use compare::CompareRequest;
pub(crate) use decoder::check_name;
pub use decoder::{Decoded, value_of_text};
pub use exact::{exact_parameter, exact_property, exact_schema, exact_schema_of};
pub use field::{Field, Kind};
pub use filter::Filters;
pub use generate::GenerateRequest;
pub use jobs::{
    BriefJobResultRequest, FollowJobRequest, JobKey, JobRequest, JobResultRequest, JobsRequest, ResumeJobRequest,
};
pub use judge::JudgeAuditRequest;
pub use mcp_config::McpConfigRequest;
pub use moment::Moment;
pub use prompts::{
    BriefListRequest, BriefShowRequest, CursorRequest, DeleteOneRequest, DeleteRequest, HistoryRequest, ListRequest,
    PromptKey, ShowRequest, UpdateRequest,
};
pub use providers::TestProvidersRequest;
pub use schema::{brief_schema, schema};
pub use search::{
    BriefSearchRequest, BriefSimilarRequest, ReindexRequest, SearchBy, SearchRequest, SemanticSearchRequest,
    SimilarRequest,
};
pub use select::{Criteria, SelectRequest, WhyRequest};
pub use serve::ServeRequest;
pub use spend::SpendRequest;
pub use stats::{MetricsRequest, StatsRequest};
pub use token::TokenRequest;
pub use transfer::{ExportRequest, ImportAlchemyRequest, ImportRequest};
pub use trash::{EmptyTrashRequest, RestoreOneRequest, RestoreRequest, TrashRequest};
pub use validate::ValidateRequest;
pub use variants::{VariantOf, VariantsRequest};

/// An operation's request.
pub trait Request: Sized {
    /// The fields it takes, in the order shown.
    const FIELDS: &'static [Field];

    /// Builds it from values that passed all checks of [`Request::FIELDS`].
    fn from_decoded(values: Decoded) -> Self;

    /// The checks of [`Request::cross_check`] as JSON Schemas, all of which hold for a valid request.
    fn rules() -> Vec<Value> {
        Vec::new()
    }

    /// Checks that need several fields at once; each fault names the field to change.
    fn cross_check(&self) -> Vec<crate::error::Fault> {
        Vec::new()
    }
}

/// The request of an operation without fields. Any field is rejected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NoFields;

impl Request for NoFields {
    const FIELDS: &'static [Field] = &[];

    fn from_decoded(_: Decoded) -> Self {
        Self
    }
}

/// What a request is decoded against: the names that exist here, for `persona` and `provider`, and
/// whether it can name files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// Persona names.
    pub personas: Vec<String>,
    /// Provider names, those of the configuration first.
    pub providers: Vec<String>,
    /// True where the request is the user's own, who may name a file of criteria; a client of a server could read the
    /// server's files with one.
    pub may_name_files: bool,
}

/// Decodes and checks a request.
///
/// # Errors
/// `invalid_request` with all shape faults, else `validation_failed` with all value faults.
pub fn decode<R: Request>(raw: Value, known: &Known) -> Result<R> {
    let values = decoder::check(R::FIELDS, raw, known)?;
    let request = R::from_decoded(values);
    let faults = request.cross_check();
    if faults.is_empty() { Ok(request) } else { Err(crate::error::Error::Value(faults.into())) }
}
