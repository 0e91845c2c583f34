//! One fault of a request: which field, and what is wrong with it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One fault of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// The field, as the caller named it; for items of lists `tags[2]`.
    pub field: String,
    /// What is wrong, the limit, and the fix.
    pub message: String,
}

impl Fault {
    /// A fault of `field`.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }

    /// All faults in one sentence, `field: message; field: message`.
    pub fn sentence(faults: &[Self]) -> String {
        faults.iter().map(|fault| format!("{}: {}", fault.field, fault.message)).collect::<Vec<_>>().join("; ")
    }
}
