//! One fault of a request: which field, and what is wrong with it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One fault of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// The field, as the caller named it; for items of lists `tags[2]`; empty for the request as a whole.
    pub field: String,
    /// What is wrong, the limit, and the fix.
    pub message: String,
}

impl Fault {
    /// A fault of `field`.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }

    /// All faults in one sentence, `field: message; field: message`. A fault of the whole request names no field.
    pub fn sentence(faults: &[Self]) -> String {
        faults.iter().map(Self::to_string).collect::<Vec<_>>().join("; ")
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_read_as_one_sentence_each_with_its_field() {
        let faults = [Fault::new("", "is no object"), Fault::new("count", "is 0")];
        assert_eq!(Fault::sentence(&faults), "is no object; count: is 0");
    }
}
