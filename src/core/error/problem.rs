//! What users see of an error, on every face: RFC 9457 problem details with our members.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Code, Error, Fault, ProviderError};

/// Problem details (RFC 9457): the REST body, `--format json` on standard error, the text of a failed MCP tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// A URN that names the code: `urn:aludel:error:not_found`.
    #[serde(rename = "type")]
    pub kind: String,
    /// A short title, the same for every problem of this code.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// What is wrong and what to do.
    pub detail: String,
    /// The stable code.
    pub code: Code,
    /// The request's id in the log; absent inside a result, where the session's id identifies it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The faults of a bad request, the first hundred; `detail` says how many more there are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Fault>,
    /// Seconds to wait before trying again, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<f64>,
    /// The provider that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The HTTP status that the provider returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream_status: Option<u16>,
}

impl Problem {
    /// Adds the id of the request it belongs to.
    #[must_use]
    pub fn with_request_id(mut self, request_id: impl Into<String>) -> Self {
        self.request_id = Some(request_id.into());
        self
    }
}

impl From<&Error> for Problem {
    fn from(error: &Error) -> Self {
        let code = error.code();
        let row = code.row();
        let mut detail = error.to_string();
        if let Some(hint) = error.hint() {
            detail = format!("{detail}; {hint}");
        }
        let mut problem = Self {
            kind: format!("urn:aludel:error:{}", row.name),
            title: row.title.to_owned(),
            status: row.status,
            detail,
            code,
            request_id: None,
            errors: error.faults().to_vec(),
            retry_after_s: None,
            provider: None,
            upstream_status: None,
        };
        if let Error::Provider(ProviderError { provider, retry_after, upstream_status, .. }) = error {
            problem.provider = Some(provider.clone());
            problem.retry_after_s = retry_after.map(|wait| wait.as_secs_f64());
            problem.upstream_status = *upstream_status;
        }
        problem
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_listed_and_named_in_the_detail() {
        let error = Error::Value(vec![Fault::new("count", "too many"), Fault::new("phases", "unknown")].into());
        let problem = Problem::from(&error);
        assert_eq!((problem.status, problem.code), (422, Code::ValidationFailed));
        assert_eq!(problem.errors.len(), 2);
        assert_eq!(problem.detail, "count: too many; phases: unknown");
    }

    #[test]
    fn of_many_faults_a_hundred_are_listed_and_the_detail_says_how_many_more() {
        let error = Error::Shape(vec![Fault::new("x", "unknown field"); 42_030].into());
        let problem = Problem::from(&error);
        assert_eq!(problem.errors.len(), 100);
        assert!(problem.detail.ends_with("; and 41,930 more"), "{}", problem.detail);
        assert!(serde_json::to_string(&problem).unwrap().len() < 10_000);
    }

    #[test]
    fn absent_members_are_absent_on_the_wire() {
        let json = serde_json::to_value(Problem::from(Error::Internal("x".into()))).unwrap();
        assert_eq!(json["type"], "urn:aludel:error:internal");
        assert!(json.get("provider").is_none() && json.get("errors").is_none());
    }
}
