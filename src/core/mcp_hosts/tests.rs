//! What is printed and merged, against files written by hand.

use std::path::Path;

use serde_json::json;

use super::merge::merge;
use super::*;
use crate::api::ServeRequest;
use crate::domain::{McpConfigSyntax, McpInstallOutcome};
use crate::error::Code;

fn request(host: McpHost) -> McpConfigRequest {
    McpConfigRequest { host, install: false, project: false, serve: ServeRequest::default() }
}

/// Configures with this home and environment; the program is `/opt/aludel`, the project `/work`.
fn configured(request: &McpConfigRequest, variables: &[(&str, &str)]) -> Result<McpConfig> {
    let environment = Environment::from_pairs([&[("HOME", "/home/mary")], variables].concat());
    let caller = Caller {
        flags: &Flags::default(),
        environment: &environment,
        executable: Path::new("/opt/aludel"),
        working_folder: Path::new("/project"),
    };
    configure(request, &caller)
}

fn content(host: McpHost) -> String {
    configured(&request(host), &[]).unwrap().content
}

#[cfg(unix)]
#[test]
fn each_host_gets_the_form_that_its_documentation_shows() {
    let plain = |section: &str| {
        format!(
            "{{\n  \"{section}\": {{\n    \"aludel\": {{\n      \"command\": \"/opt/aludel\",\n      \"args\": [\n        \"serve\"\n      ]\n    }}\n  }}\n}}\n"
        )
    };
    let typed = |section: &str| {
        plain(section).replace("{\n      \"command\"", "{\n      \"type\": \"stdio\",\n      \"command\"")
    };
    assert_eq!(content(McpHost::ClaudeDesktop), plain("mcpServers"));
    assert_eq!(content(McpHost::ClaudeCode), typed("mcpServers"));
    assert_eq!(content(McpHost::VsCode), typed("servers"));
    assert_eq!(content(McpHost::Cursor), typed("mcpServers"));
    assert_eq!(content(McpHost::Zed), plain("context_servers"));
    assert_eq!(content(McpHost::Codex), "[mcp_servers.aludel]\ncommand = \"/opt/aludel\"\nargs = [\"serve\"]\n");
    assert_eq!(content(McpHost::Gemini), plain("mcpServers"));
    assert_eq!(content(McpHost::Windsurf), plain("mcpServers"));
}

#[cfg(unix)]
#[test]
fn options_and_the_callers_own_folder_are_passed_on() {
    let request = McpConfigRequest {
        serve: ServeRequest {
            read_only: true,
            tools: Some(vec!["search_prompts".to_owned(), "spend".to_owned()]),
            budget_usd: Some(2.5),
        },
        ..request(McpHost::Codex)
    };
    let config =
        configured(&request, &[("ALUDEL_HOME", "/data/a \"b\""), ("ALUDEL_CONFIG", "/etc/aludel.yaml")]).unwrap();
    assert_eq!(
        config.content,
        r#"[mcp_servers.aludel]
command = "/opt/aludel"
args = ["serve", "--read-only", "--tools", "search_prompts,spend", "--budget-usd", "2.5"]

[mcp_servers.aludel.env]
ALUDEL_CONFIG = "/etc/aludel.yaml"
ALUDEL_HOME = "/data/a \"b\""
"#
    );
    assert_eq!(config.path.as_deref(), Some(Path::new("/home/mary/.codex/config.toml")));
    assert_eq!(config.installed, None);
}

#[test]
fn keys_of_providers_are_not_passed_on() {
    let config =
        configured(&request(McpHost::Cursor), &[("OPENAI_API_KEY", "sk-secret"), ("ALUDEL_MODE", "tui")]).unwrap();
    assert!(config.env.is_empty(), "{:?}", config.env);
    assert!(!config.content.contains("sk-secret"));
}

#[cfg(unix)]
#[test]
fn a_project_has_its_own_file_where_the_host_knows_one() {
    let of_project = |host| configured(&McpConfigRequest { project: true, ..request(host) }, &[]);
    assert_eq!(of_project(McpHost::VsCode).unwrap().path.as_deref(), Some(Path::new("/project/.vscode/mcp.json")));
    assert_eq!(of_project(McpHost::ClaudeCode).unwrap().path.as_deref(), Some(Path::new("/project/.mcp.json")));
    for host in [McpHost::ClaudeDesktop, McpHost::Zed, McpHost::Windsurf] {
        let error = of_project(host).unwrap_err();
        assert_eq!(error.code(), Code::ValidationFailed);
        assert!(error.to_string().starts_with("project: "), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn installing_is_refused_where_only_printing_is_offered() {
    for host in McpHost::ALL.into_iter().filter(|host| !matches!(host, McpHost::ClaudeCode | McpHost::VsCode)) {
        let error = configured(&McpConfigRequest { install: true, ..request(host) }, &[]).unwrap_err();
        assert_eq!(error.code(), Code::ValidationFailed);
        assert!(!can_install(host));
    }
    let error = configured(&McpConfigRequest { install: true, ..request(McpHost::Cursor) }, &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "install: is only for claude-code and vscode; leave it out, and paste what is printed for Cursor into `~/.cursor/mcp.json`"
    );
}

#[cfg(unix)]
#[test]
fn the_command_is_the_link_that_path_leads_to() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(own.join("0.1.0")).unwrap();
    std::fs::create_dir_all(own.join("bin")).unwrap();
    let executable = own.join("0.1.0/aludel");
    std::fs::write(&executable, "").unwrap();
    let command = |path: &str| {
        let environment = Environment::from_pairs([("HOME", "/home/mary"), ("PATH", path)]);
        let flags = Flags::default();
        let caller = Caller {
            flags: &flags,
            environment: &environment,
            executable: &executable,
            working_folder: Path::new("/project"),
        };
        configure(&request(McpHost::Cursor), &caller).unwrap().command
    };
    let bin = own.join("bin").display().to_string();
    assert_eq!(command(&bin), executable.display().to_string(), "PATH does not find it");
    std::os::unix::fs::symlink("../0.1.0/aludel", own.join("bin/aludel")).unwrap();
    assert_eq!(command(&format!("relative:{bin}")), format!("{bin}/aludel"));
    std::fs::remove_file(own.join("bin/aludel")).unwrap();
    std::fs::write(own.join("bin/aludel"), "another program").unwrap();
    assert_eq!(command(&bin), executable.display().to_string(), "PATH finds another one");
}

/// Merges `{"type": "stdio", "command": "/opt/aludel", "args": ["serve"]}` as VS Code's files have it.
fn merged(text: &str) -> Result<(String, McpInstallOutcome), String> {
    merged_as(McpConfigSyntax::Jsonc, "servers", text)
}

fn merged_as(syntax: McpConfigSyntax, section: &str, text: &str) -> Result<(String, McpInstallOutcome), String> {
    let entry = json!({ "type": "stdio", "command": "/opt/aludel", "args": ["serve"] });
    merge(text, syntax, section, "aludel", entry.as_object().unwrap())
}

#[test]
fn other_entries_comments_and_order_stay() {
    let before = r#"// My servers.
{
	"inputs": [ { "id": "key", "type": "promptString" } ], // asked once
	"servers": {
		/* the browser */
		"playwright": { "command": "npx", "args": ["-y", "@playwright/mcp@latest"], },
	},
	"last": 1.50
}
"#;
    let after = r#"// My servers.
{
	"inputs": [ { "id": "key", "type": "promptString" } ], // asked once
	"servers": {
		/* the browser */
		"playwright": { "command": "npx", "args": ["-y", "@playwright/mcp@latest"], },
		"aludel": {
			"type": "stdio",
			"command": "/opt/aludel",
			"args": ["serve"],
		},
	},
	"last": 1.50
}
"#;
    assert_eq!(merged(before), Ok((after.to_owned(), McpInstallOutcome::Added)));
    assert_eq!(merged(after), Ok((after.to_owned(), McpInstallOutcome::Unchanged)));
}

#[test]
fn an_entry_is_replaced_where_it_stands() {
    let before = r#"{
  "mcpServers": {
    "aludel": {
      "command": "aludel", "args": [], "env": { "A": "b" }
    },
    "other": { "command": "x" }
  }
}"#;
    let after = r#"{
  "mcpServers": {
    "aludel": {
      "type": "stdio",
      "command": "/opt/aludel",
      "args": ["serve"]
    },
    "other": { "command": "x" }
  }
}"#;
    let merged = merged_as(McpConfigSyntax::Json, "mcpServers", before);
    assert_eq!(merged, Ok((after.to_owned(), McpInstallOutcome::Replaced)));
}

#[test]
fn a_missing_section_is_added_at_the_end() {
    let before = "{\n    \"theme\": \"dark\",\n    \"projects\": {\"/a\": {\"mcpServers\": {}}}\n}\n";
    let after = "{\n    \"theme\": \"dark\",\n    \"projects\": {\"/a\": {\"mcpServers\": {}}},\n    \"mcpServers\": {\n        \"aludel\": {\n            \"type\": \"stdio\",\n            \"command\": \"/opt/aludel\",\n            \"args\": [\"serve\"]\n        }\n    }\n}\n";
    let merged = merged_as(McpConfigSyntax::Json, "mcpServers", before);
    assert_eq!(merged, Ok((after.to_owned(), McpInstallOutcome::Added)));
}

#[test]
fn line_ends_and_a_byte_order_mark_stay() {
    let before = "\u{feff}{\r\n  \"servers\": {\r\n    \"a\": {}\r\n  }\r\n}\r\n";
    let after = "\u{feff}{\r\n  \"servers\": {\r\n    \"a\": {},\r\n    \"aludel\": {\r\n      \"type\": \"stdio\",\r\n      \"command\": \"/opt/aludel\",\r\n      \"args\": [\"serve\"]\r\n    }\r\n  }\r\n}\r\n";
    assert_eq!(merged(before), Ok((after.to_owned(), McpInstallOutcome::Added)));
}

#[test]
fn a_file_of_comments_alone_keeps_them() {
    let (after, outcome) = merged("// Servers for all my projects.\n").unwrap();
    assert_eq!(outcome, McpInstallOutcome::Added);
    assert!(after.starts_with("// Servers for all my projects.\n"), "{after}");
    assert!(after.contains("\"/opt/aludel\""), "{after}");
}

#[test]
fn the_same_entry_in_another_layout_is_left_alone() {
    let text = r#"{"servers":{"aludel":{"args":["serve"],"command":"/opt/aludel","type":"stdio"}}}"#;
    assert_eq!(merged(text), Ok((text.to_owned(), McpInstallOutcome::Unchanged)));
}

#[test]
fn what_the_host_cannot_read_is_refused() {
    let plain = |text: &str| merged_as(McpConfigSyntax::Json, "mcpServers", text).unwrap_err();
    for (text, expected) in [
        ("{\n  \"mcpServers\": {\n", "is not valid JSON"),
        (
            "{\n  // a comment\n}",
            "line 2, column 3 is not valid JSON (Comments are not allowed); mend it and try again",
        ),
        ("{\"a\": 1,}", "is not valid JSON"),
        ("{'a': 1}", "is not valid JSON"),
        ("{\"a\": 1} {}", "is not valid JSON"),
        ("{\"a\" 1}", "is not valid JSON"),
        ("[]", "it is not a JSON object"),
        ("null and void", "is not valid JSON"),
        ("{\"mcpServers\": []}", "its `mcpServers` is not an object"),
        ("{\"mcpServers\": null}", "its `mcpServers` is not an object"),
        ("{\"mcpServers\": {}, \"mcpServers\": {\"a\": {}}}", "has `mcpServers` or `aludel` twice"),
        ("{\"mcpServers\": {\"aludel\": {}, \"aludel\": {\"a\": 1}}}", "has `mcpServers` or `aludel` twice"),
    ] {
        let refused = plain(text);
        assert!(refused.contains(expected), "{text}: {refused}");
    }
    let deep = "[".repeat(100_000);
    assert!(plain(&deep).contains("nesting depth"), "a stack is finite");
    assert!(merged("{ \"a\": 1 \"b\": 2 }").is_err(), "a missing comma");
}
