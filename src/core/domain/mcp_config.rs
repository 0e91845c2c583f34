//! The configuration that makes an MCP host start this program's MCP server.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Serialize, Serializer};

/// A program that can start MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpHost {
    /// Claude Desktop.
    ClaudeDesktop,
    /// Claude Code.
    ClaudeCode,
    /// Visual Studio Code.
    VsCode,
    /// Cursor.
    Cursor,
    /// Zed.
    Zed,
    /// Codex, the command line and its editor extension.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Windsurf.
    Windsurf,
}

impl McpHost {
    /// All hosts, in the order shown.
    pub const ALL: [Self; 8] = [
        Self::ClaudeDesktop,
        Self::ClaudeCode,
        Self::VsCode,
        Self::Cursor,
        Self::Zed,
        Self::Codex,
        Self::Gemini,
        Self::Windsurf,
    ];

    /// Their names, in the same order.
    pub const NAMES: &[&str] =
        &["claude-desktop", "claude-code", "vscode", "cursor", "zed", "codex", "gemini", "windsurf"];

    /// Its name on the command line and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "claude-desktop",
            Self::ClaudeCode => "claude-code",
            Self::VsCode => "vscode",
            Self::Cursor => "cursor",
            Self::Zed => "zed",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Windsurf => "windsurf",
        }
    }

    /// The host of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|host| host.as_str() == name)
    }
}

impl Serialize for McpHost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// The syntax of a host's configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum McpConfigSyntax {
    /// JSON (RFC 8259).
    Json,
    /// JSON that can have comments and trailing commas.
    Jsonc,
    /// TOML.
    Toml,
}

/// The configuration for one host, and what came of installing it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct McpConfig {
    /// The host.
    pub host: McpHost,
    /// The name of the server in the configuration.
    pub name: &'static str,
    /// The host's file, absolute; null if the user's home folder is unknown.
    pub path: Option<PathBuf>,
    /// The syntax of the file.
    pub format: McpConfigSyntax,
    /// The configuration as a whole file in that syntax, ending with a line feed.
    pub content: String,
    /// The program to start, absolute.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The environment variables it needs.
    pub env: BTreeMap<String, String>,
    /// What was done to the file; null if nothing was asked for.
    pub installed: Option<McpInstallation>,
}

/// What was done to the file of a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct McpInstallation {
    /// How the file changed.
    pub outcome: McpInstallOutcome,
    /// The copy of the file as it was, absolute; null if there was no file or nothing changed.
    pub backup: Option<PathBuf>,
}

/// How the file of a host changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum McpInstallOutcome {
    /// The file is new.
    Created,
    /// The entry is new.
    Added,
    /// There was another entry of that name.
    Replaced,
    /// The entry was there already; the file was not written.
    Unchanged,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_is_found_by_its_name() {
        assert_eq!(McpHost::NAMES, McpHost::ALL.map(McpHost::as_str));
        assert_eq!(McpHost::ALL.map(|host| McpHost::parse(host.as_str())), McpHost::ALL.map(Some));
        assert_eq!(McpHost::parse("emacs"), None);
    }
}
