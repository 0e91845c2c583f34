//! The table of MCP hosts: where each keeps its configuration, and in what form.
//!
//! The source of each row is the host's own documentation, read on 2026-11-25.

use std::path::{Path, PathBuf};

use crate::config::Environment;
use crate::domain::{McpConfigSyntax, McpHost};

/// The operating systems that hosts tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Platform {
    Linux,
    MacOs,
    Windows,
}

impl Platform {
    /// That of this program. Other Unix systems are like Linux.
    pub(super) const fn current() -> Self {
        if cfg!(target_os = "macos") {
            Self::MacOs
        } else if cfg!(windows) {
            Self::Windows
        } else {
            Self::Linux
        }
    }
}

/// One host.
#[derive(Debug)]
pub(super) struct HostRow {
    /// Its name for people.
    pub(super) title: &'static str,
    /// The syntax of its file.
    pub(super) syntax: McpConfigSyntax,
    /// The key of the object or table that has an entry for each server.
    pub(super) section: &'static str,
    /// True if an entry names its transport, `"type": "stdio"`.
    pub(super) names_transport: bool,
    /// The user's file.
    user: fn(&Folders<'_>) -> PathBuf,
    /// The file of a project, from the project's folder; `None` if its documentation has none.
    pub(super) project: Option<&'static str>,
    /// True if `install` changes its file.
    pub(super) can_install: bool,
}

/// The row of a host.
pub(super) const fn of(host: McpHost) -> &'static HostRow {
    match host {
        // https://modelcontextprotocol.io/docs/develop/connect-local-servers has macOS and Windows;
        // on Linux it is in the same folder of the user's configuration.
        McpHost::ClaudeDesktop => &HostRow {
            title: "Claude Desktop",
            syntax: McpConfigSyntax::Json,
            section: "mcpServers",
            names_transport: false,
            user: |folders| folders.applications().join("Claude").join("claude_desktop_config.json"),
            project: None,
            can_install: false,
        },
        // https://code.claude.com/docs/en/mcp, "MCP installation scopes": the user's servers are in
        // `~/.claude.json`, those of a project in `.mcp.json`. CLAUDE_CONFIG_DIR, of
        // https://code.claude.com/docs/en/env-vars, moves the former.
        McpHost::ClaudeCode => &HostRow {
            title: "Claude Code",
            syntax: McpConfigSyntax::Json,
            section: "mcpServers",
            names_transport: true,
            user: |folders| folders.moved_by("CLAUDE_CONFIG_DIR").unwrap_or(folders.home.into()).join(".claude.json"),
            project: Some(".mcp.json"),
            can_install: true,
        },
        // https://code.visualstudio.com/docs/agents/reference/mcp-configuration: `servers`, and a
        // required `type`. The user's file is that of the default profile, next to its settings:
        // https://code.visualstudio.com/docs/configure/settings, "User settings.json location".
        McpHost::VsCode => &HostRow {
            title: "VS Code",
            syntax: McpConfigSyntax::Jsonc,
            section: "servers",
            names_transport: true,
            user: |folders| folders.applications().join("Code").join("User").join("mcp.json"),
            project: Some(".vscode/mcp.json"),
            can_install: true,
        },
        // https://cursor.com/docs/mcp, "Configuration locations" and "STDIO server configuration".
        McpHost::Cursor => &HostRow {
            title: "Cursor",
            syntax: McpConfigSyntax::Json,
            section: "mcpServers",
            names_transport: true,
            user: |folders| folders.home.join(".cursor").join("mcp.json"),
            project: Some(".cursor/mcp.json"),
            can_install: false,
        },
        // https://zed.dev/docs/ai/mcp, "As Custom Servers", and
        // https://zed.dev/docs/configuring-zed, "Settings files".
        McpHost::Zed => &HostRow {
            title: "Zed",
            syntax: McpConfigSyntax::Jsonc,
            section: "context_servers",
            names_transport: false,
            user: |folders| {
                let zed = match folders.platform {
                    Platform::MacOs => folders.home.join(".config").join("zed"),
                    Platform::Linux => folders.applications().join("zed"),
                    Platform::Windows => folders.applications().join("Zed"),
                };
                zed.join("settings.json")
            },
            project: None,
            can_install: false,
        },
        // https://developers.openai.com/codex/mcp, "Configure with config.toml". CODEX_HOME, of
        // https://developers.openai.com/codex/local-config, moves the user's file.
        McpHost::Codex => &HostRow {
            title: "Codex",
            syntax: McpConfigSyntax::Toml,
            section: "mcp_servers",
            names_transport: false,
            user: |folders| folders.moved_by("CODEX_HOME").unwrap_or(folders.home.join(".codex")).join("config.toml"),
            project: Some(".codex/config.toml"),
            can_install: false,
        },
        // https://geminicli.com/docs/tools/mcp-server, "Configure the MCP server in settings.json".
        McpHost::Gemini => &HostRow {
            title: "Gemini CLI",
            syntax: McpConfigSyntax::Json,
            section: "mcpServers",
            names_transport: false,
            user: |folders| folders.home.join(".gemini").join("settings.json"),
            project: Some(".gemini/settings.json"),
            can_install: false,
        },
        // https://docs.windsurf.com/windsurf/cascade/mcp, "mcp_config.json".
        McpHost::Windsurf => &HostRow {
            title: "Windsurf",
            syntax: McpConfigSyntax::Json,
            section: "mcpServers",
            names_transport: false,
            user: |folders| folders.home.join(".codeium").join("windsurf").join("mcp_config.json"),
            project: None,
            can_install: false,
        },
    }
}

impl HostRow {
    /// The user's file; `None` without a home folder.
    pub(super) fn user_file(&self, environment: &Environment, platform: Platform) -> Option<PathBuf> {
        let home = environment.home().map(Path::new)?;
        Some((self.user)(&Folders { home, environment, platform }))
    }
}

/// What the place of a user's file depends on.
struct Folders<'a> {
    home: &'a Path,
    environment: &'a Environment,
    platform: Platform,
}

impl Folders<'_> {
    /// The folder in which applications keep their configuration.
    fn applications(&self) -> PathBuf {
        match self.platform {
            Platform::Linux => self.moved_by("XDG_CONFIG_HOME").unwrap_or_else(|| self.home.join(".config")),
            Platform::MacOs => self.home.join("Library").join("Application Support"),
            Platform::Windows => self.moved_by("APPDATA").unwrap_or_else(|| self.home.join("AppData").join("Roaming")),
        }
    }

    /// The folder that a variable names. A relative one is ignored, as the XDG specification asks.
    fn moved_by(&self, variable: &str) -> Option<PathBuf> {
        self.environment.get(variable).map(PathBuf::from).filter(|folder| folder.is_absolute())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(host: McpHost, platform: Platform, variables: &[(&str, &str)]) -> String {
        let pairs = [&[("HOME", "/home/mary")], variables].concat();
        let found = of(host).user_file(&Environment::from_pairs(pairs), platform).unwrap();
        found.display().to_string().replace('\\', "/")
    }

    #[test]
    fn each_file_is_where_the_hosts_documentation_says() {
        for (host, linux, macos) in [
            (
                McpHost::ClaudeDesktop,
                "/home/mary/.config/Claude/claude_desktop_config.json",
                "/home/mary/Library/Application Support/Claude/claude_desktop_config.json",
            ),
            (McpHost::ClaudeCode, "/home/mary/.claude.json", "/home/mary/.claude.json"),
            (
                McpHost::VsCode,
                "/home/mary/.config/Code/User/mcp.json",
                "/home/mary/Library/Application Support/Code/User/mcp.json",
            ),
            (McpHost::Cursor, "/home/mary/.cursor/mcp.json", "/home/mary/.cursor/mcp.json"),
            (McpHost::Zed, "/home/mary/.config/zed/settings.json", "/home/mary/.config/zed/settings.json"),
            (McpHost::Codex, "/home/mary/.codex/config.toml", "/home/mary/.codex/config.toml"),
            (McpHost::Gemini, "/home/mary/.gemini/settings.json", "/home/mary/.gemini/settings.json"),
            (
                McpHost::Windsurf,
                "/home/mary/.codeium/windsurf/mcp_config.json",
                "/home/mary/.codeium/windsurf/mcp_config.json",
            ),
        ] {
            assert_eq!(path(host, Platform::Linux, &[]), linux);
            assert_eq!(path(host, Platform::MacOs, &[]), macos);
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_hosts_own_variables_move_their_files() {
        let moved = |host, variables| path(host, Platform::Linux, variables);
        assert_eq!(moved(McpHost::ClaudeCode, &[("CLAUDE_CONFIG_DIR", "/c")]), "/c/.claude.json");
        assert_eq!(moved(McpHost::Codex, &[("CODEX_HOME", "/c")]), "/c/config.toml");
        assert_eq!(moved(McpHost::VsCode, &[("XDG_CONFIG_HOME", "/x")]), "/x/Code/User/mcp.json");
        assert_eq!(moved(McpHost::Zed, &[("XDG_CONFIG_HOME", "relative")]), "/home/mary/.config/zed/settings.json");
        let windows = path(McpHost::Zed, Platform::Windows, &[("APPDATA", "/roaming")]);
        assert_eq!(windows, "/roaming/Zed/settings.json");
        assert_eq!(
            path(McpHost::ClaudeDesktop, Platform::Windows, &[]),
            "/home/mary/AppData/Roaming/Claude/claude_desktop_config.json"
        );
    }

    #[test]
    fn without_a_home_folder_no_file_is_named() {
        let nothing = Environment::from_pairs::<&str, &str>([]);
        assert_eq!(of(McpHost::Cursor).user_file(&nothing, Platform::Linux), None);
    }
}
