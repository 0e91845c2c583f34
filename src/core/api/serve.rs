//! The request of `serve`: which tools a host is offered, and what it may spend.

use super::field::{Field, Kind};
use super::{Decoded, Request};
use crate::domain::limits;

/// Asks for an MCP server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServeRequest {
    /// The tools to offer, by name; `None`: all.
    pub tools: Option<Vec<String>>,
    /// True: only tools that read, and nothing is spent.
    pub read_only: bool,
    /// US dollars that all calls of the server may cost together.
    pub budget_usd: Option<f64>,
}

impl Request for ServeRequest {
    const FIELDS: &'static [Field] = &[
        Field::new("tools", Kind::Names { max: limits::MAX_TOOLS }, "The tools to offer, by name; all by default."),
        Field::new("read_only", Kind::Boolean, "Offer only the tools that change nothing; false by default."),
        Field::new(
            "budget_usd",
            Kind::Number { min: limits::MIN_BUDGET_USD, max: limits::MAX_BUDGET_USD },
            "US dollars that all calls of the server may cost together. No limit by default.",
        ),
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            tools: values.texts("tools"),
            read_only: values.boolean("read_only").unwrap_or(false),
            budget_usd: values.number("budget_usd"),
        }
    }
}
