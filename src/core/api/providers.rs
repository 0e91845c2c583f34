//! The request of `test-providers`: which providers to call, and how long to wait.

use super::field::{Field, Kind};
use super::{Decoded, Request};
use crate::domain::limits;

/// Default seconds for testing a provider. Loading a large local model takes a while.
const DEFAULT_TIMEOUT_S: f64 = 60.0;

/// Asks for a real call to each of these providers.
#[derive(Debug, Clone, PartialEq)]
pub struct TestProvidersRequest {
    /// Each `name` or `name/model`; `None`: every one that is configured or usable.
    pub providers: Option<Vec<String>>,
    /// Time limit per provider, in seconds.
    pub timeout_s: f64,
}

impl Request for TestProvidersRequest {
    const FIELDS: &'static [Field] = &[
        Field::new(
            "providers",
            Kind::Providers,
            "Providers to call, each as `name` or `name/model`; by default every provider that is configured or has a key.",
        ),
        Field::new(
            "timeout_s",
            Kind::Number { min: 0.001, max: limits::MAX_TIMEOUT_S },
            "Seconds allowed for each provider; 60 by default.",
        ),
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            providers: values.texts("providers"),
            timeout_s: values.number("timeout_s").unwrap_or(DEFAULT_TIMEOUT_S),
        }
    }
}
