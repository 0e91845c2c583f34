//! The request for the configuration of an MCP host.

use super::bounds::BUDGET_USD;
use super::field::{Field, Kind};
use super::{Decoded, Request};
use crate::domain::{McpHost, limits};

/// Asks for the configuration that makes an MCP host start the MCP server.
#[derive(Debug, Clone, PartialEq)]
pub struct McpConfigRequest {
    /// The host.
    pub host: McpHost,
    /// True: also merges it into the host's file.
    pub install: bool,
    /// True: for the project in the working folder instead of for the user.
    pub project: bool,
    /// True: the server offers only tools that read.
    pub read_only: bool,
    /// The tools that the server offers; `None`: all.
    pub tools: Option<Vec<String>>,
    /// US dollars that the host can spend while the server runs.
    pub budget_usd: Option<f64>,
}

impl Request for McpConfigRequest {
    const FIELDS: &'static [Field] = &[
        Field::new("host", Kind::Choice(McpHost::NAMES), "The program that is to start the server.").required(),
        Field::new("install", Kind::Boolean, "Merge it into the host's file; false by default."),
        Field::new(
            "project",
            Kind::Boolean,
            "Configure the project in the working folder, not the user's own configuration; false by default.",
        ),
        Field::new("read_only", Kind::Boolean, "Offer only tools that read; false by default."),
        Field::new("tools", Kind::Names { max: limits::MAX_TOOLS }, "The tools to offer; all by default."),
        BUDGET_USD.with_doc("US dollars that the host can spend while the server runs. No limit by default."),
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            // A required choice: the decoder has refused everything else.
            host: values.text("host").and_then(|name| McpHost::parse(&name)).unwrap_or(McpHost::ClaudeDesktop),
            install: values.boolean("install").unwrap_or(false),
            project: values.boolean("project").unwrap_or(false),
            read_only: values.boolean("read_only").unwrap_or(false),
            tools: values.texts("tools"),
            budget_usd: values.number("budget_usd"),
        }
    }
}
