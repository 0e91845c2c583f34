//! The request for the configuration of an MCP host.

use super::field::{Field, Kind};
use super::{Decoded, Request, ServeRequest};
use crate::domain::McpHost;

/// Asks for the configuration that makes an MCP host start the MCP server.
#[derive(Debug, Clone, PartialEq)]
pub struct McpConfigRequest {
    /// The host.
    pub host: McpHost,
    /// True: also merges it into the host's file.
    pub install: bool,
    /// True: for the project in the working folder instead of for the user.
    pub project: bool,
    /// How the host is to start the server.
    pub serve: ServeRequest,
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
        ServeRequest::FIELDS[0],
        ServeRequest::FIELDS[1],
        ServeRequest::FIELDS[2],
    ];

    fn from_decoded(mut values: Decoded) -> Self {
        Self {
            // A required choice: the decoder has refused everything else.
            host: values.text("host").and_then(|name| McpHost::parse(&name)).unwrap_or(McpHost::ClaudeDesktop),
            install: values.boolean("install").unwrap_or(false),
            project: values.boolean("project").unwrap_or(false),
            serve: ServeRequest::from_decoded(values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_server_takes_is_taken_for_it() {
        let own = ["host", "install", "project"].into_iter();
        let expected: Vec<&str> = own.chain(ServeRequest::FIELDS.iter().map(|field| field.name)).collect();
        assert_eq!(McpConfigRequest::FIELDS.iter().map(|field| field.name).collect::<Vec<_>>(), expected);
    }
}
