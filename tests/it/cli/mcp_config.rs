//! `aludel mcp-config`: what is printed for each host, and what is merged into a host's file.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::Home;

/// The hosts with JSON files, and the key of their servers.
const JSON_HOSTS: [(&str, &str); 7] = [
    ("claude-desktop", "mcpServers"),
    ("claude-code", "mcpServers"),
    ("vscode", "servers"),
    ("cursor", "mcpServers"),
    ("zed", "context_servers"),
    ("gemini", "mcpServers"),
    ("windsurf", "mcpServers"),
];

const OPTIONS: [&str; 5] = ["--read-only", "--tools", "search_prompts, list_prompts", "--budget-usd", "0.5"];

fn program() -> &'static str {
    env!("CARGO_BIN_EXE_aludel")
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

/// The only backup of a file.
fn backup_of(file: &Path) -> PathBuf {
    let folder = file.parent().expect("a folder");
    let begins = format!("{}.backup-", file.file_name().and_then(|name| name.to_str()).expect("a name"));
    let found: Vec<String> = names(folder).into_iter().filter(|name| name.starts_with(&begins)).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    folder.join(&found[0])
}

#[test]
fn every_host_gets_a_file_that_another_parser_reads() {
    let home = Home::new();
    let arguments = ["serve", "--read-only", "--tools", "search_prompts,list_prompts", "--budget-usd", "0.5"];
    for (host, section) in JSON_HOSTS {
        let printed = home.run(&[&["mcp-config", host], &OPTIONS[..]].concat()).done();
        let whole: Value = serde_json::from_str(&printed.stdout).unwrap();
        let entry = &whole[section]["aludel"];
        assert_eq!(entry["command"], program(), "{host}");
        assert_eq!(entry["args"], json!(arguments), "{host}");
        assert_eq!(entry.get("env"), None, "{host}");
        let typed = ["claude-code", "vscode", "cursor"].contains(&host);
        assert_eq!(entry.get("type"), typed.then_some(&json!("stdio")), "{host}");
        assert_eq!(whole.as_object().unwrap().len(), 1, "{host}");
    }
    let printed = home.run(&[&["mcp-config", "codex"], &OPTIONS[..]].concat()).done();
    let whole: toml::Table = toml::from_str(&printed.stdout).unwrap();
    let entry = whole["mcp_servers"]["aludel"].as_table().unwrap();
    assert_eq!(entry["command"].as_str(), Some(program()));
    let parsed: Vec<&str> = entry["args"].as_array().unwrap().iter().filter_map(toml::Value::as_str).collect();
    assert_eq!(parsed, arguments);
    assert_eq!(names(home.path()), [""; 0], "printing writes nothing");
}

#[test]
fn where_it_goes_is_said_on_standard_error() {
    let home = Home::new();
    let said = |arguments: &[&str]| home.run(arguments).done().stderr;
    assert_eq!(
        said(&["mcp-config", "cursor"]),
        "merge this into ~/.cursor/mcp.json, keeping what is there, and restart Cursor\n"
    );
    assert_eq!(
        said(&["mcp-config", "claude-code"]),
        "merge this into ~/.claude.json, keeping what is there, and restart Claude Code; `aludel mcp-config claude-code --install` does it\n"
    );
    assert_eq!(said(&["mcp-config", "cursor", "--quiet"]), "");
}

#[test]
fn programs_get_everything_about_it() {
    let home = Home::new();
    let data = home.path().join("data");
    let data = data.to_str().unwrap();
    let config = home.run(&["mcp-config", "codex", "--format", "json", "--data-dir", data]).quietly_done().json();
    assert_eq!(
        config,
        json!({
            "host": "codex",
            "name": "aludel",
            "path": home.path().join(".codex/config.toml"),
            "format": "toml",
            "content": format!(
                "[mcp_servers.aludel]\ncommand = \"{}\"\nargs = [\"serve\"]\n\n[mcp_servers.aludel.env]\nALUDEL_HOME = \"{data}\"\n",
                program()
            ),
            "command": program(),
            "args": ["serve"],
            "env": { "ALUDEL_HOME": data },
            "installed": null,
        })
    );
}

#[test]
fn the_data_folder_and_the_configuration_file_of_the_caller_are_passed_on() {
    let home = Home::new();
    let variables = [("ALUDEL_HOME", "data"), ("ALUDEL_CONFIG", "/etc/aludel.yaml"), ("OPENAI_API_KEY", "sk-secret")];
    let printed = home.run_with_env(&["mcp-config", "zed"], &variables).done();
    let whole: Value = serde_json::from_str(&printed.stdout).unwrap();
    // Absolute: a host starts the server in a folder of its own.
    let expected =
        json!({ "ALUDEL_CONFIG": "/etc/aludel.yaml", "ALUDEL_HOME": home.path().canonicalize().unwrap().join("data") });
    assert_eq!(whole["context_servers"]["aludel"]["env"], expected);
    assert!(!printed.stdout.contains("sk-secret"));
}

#[cfg(unix)]
#[test]
fn installing_keeps_everything_else_in_a_file_of_vs_code() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    let before = "{\n\t// asked once\n\t\"inputs\": [{ \"id\": \"key\", \"type\": \"promptString\", \"password\": true }],\n\t\"servers\": {\n\t\t\"browser\": { \"type\": \"stdio\", \"command\": \"npx\", }, // for tests\n\t},\n}\n";
    let file = home.write(".config/Code/User/mcp.json", before);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o664)).unwrap();
    let said = home.run(&["mcp-config", "vscode", "--install", "--read-only"]).quietly_done().stdout;
    let after = format!(
        "{{\n\t// asked once\n\t\"inputs\": [{{ \"id\": \"key\", \"type\": \"promptString\", \"password\": true }}],\n\t\"servers\": {{\n\t\t\"browser\": {{ \"type\": \"stdio\", \"command\": \"npx\", }}, // for tests\n\t\t\"aludel\": {{\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"{}\",\n\t\t\t\"args\": [\"serve\", \"--read-only\"],\n\t\t}},\n\t}},\n}}\n",
        program()
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), after);
    let backup = backup_of(&file);
    assert_eq!(fs::read_to_string(&backup).unwrap(), before);
    for path in [&file, &backup] {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o664, "{}", path.display());
    }
    let copy = backup.file_name().unwrap().to_str().unwrap();
    assert_eq!(
        said,
        format!(
            "added aludel to ~/.config/Code/User/mcp.json; restart VS Code\nthe file as it was is ~/.config/Code/User/{copy}\n"
        )
    );

    let again = home.run(&["mcp-config", "vscode", "--install", "--read-only"]).quietly_done().stdout;
    assert_eq!(again, "~/.config/Code/User/mcp.json has this already; nothing changed\n");
    assert_eq!(fs::read_to_string(&file).unwrap(), after);
    backup_of(&file);

    let replaced = home.run(&["mcp-config", "vscode", "--install", "--format", "json"]).quietly_done().json();
    assert_eq!(replaced["installed"]["outcome"], "replaced");
    let kept = replaced["installed"]["backup"].as_str().unwrap();
    assert_eq!(fs::read_to_string(kept).unwrap(), after);
    assert_eq!(fs::read_to_string(&file).unwrap(), after.replace("[\"serve\", \"--read-only\"]", "[\"serve\"]"));
    assert_eq!(names(file.parent().unwrap()).len(), 3, "two copies, and no temporary file");
}

#[cfg(unix)]
#[test]
fn a_link_to_the_file_of_claude_code_stays_a_link() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let home = Home::new();
    let before = "{\"numStartups\":7,\"projects\":{\"/a\":{\"history\":[\"{\\\"}\"]}},\"cost\":1e-7}";
    let real = home.write("dotfiles/claude.json", before);
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    let link = home.path().join(".claude.json");
    symlink("dotfiles/claude.json", &link).unwrap();
    home.run(&["mcp-config", "claude-code", "--install"]).quietly_done();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let after = fs::read_to_string(&real).unwrap();
    for kept in [r#""numStartups":7"#, r#""projects":{"/a":{"history":["{\"}"]}}"#, r#""cost":1e-7"#] {
        assert!(after.contains(kept), "{kept} is not what it was: {after}");
    }
    let parsed: Value = serde_json::from_str(&after).unwrap();
    let entry = json!({ "type": "stdio", "command": program(), "args": ["serve"] });
    assert_eq!(parsed["mcpServers"], json!({ "aludel": entry }));
    let backup = backup_of(&link);
    assert_eq!(fs::read_to_string(&backup).unwrap(), before);
    for path in [&real, &backup] {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600, "{}", path.display());
    }
}

#[test]
fn a_projects_file_is_made_with_its_folder() {
    let home = Home::new();
    for (host, file, section) in [("vscode", ".vscode/mcp.json", "servers"), ("claude-code", ".mcp.json", "mcpServers")]
    {
        let said = home.run(&["mcp-config", host, "--project", "--install"]).quietly_done().stdout;
        assert!(said.starts_with(&format!("wrote ~/{file}; restart ")), "{said}");
        let printed = home.run(&["mcp-config", host, "--project"]).done().stdout;
        let written = fs::read_to_string(home.path().join(file)).unwrap();
        assert_eq!(written, printed);
        let parsed: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(parsed[section]["aludel"]["args"], json!(["serve"]));
        assert_eq!(home.run(&["mcp-config", host, "--project", "--install"]).quietly_done().code, 0);
    }
    assert_eq!(names(&home.path().join(".vscode")), ["mcp.json"]);
}

#[cfg(unix)]
#[test]
fn the_folder_of_a_host_that_is_not_installed_is_not_made() {
    let home = Home::new();
    let failed = home.run(&["mcp-config", "vscode", "--install"]).failed(1);
    assert!(failed.stderr.contains("~/.config/Code/User"), "{}", failed.stderr);
    assert!(failed.stderr.contains("--project"), "{}", failed.stderr);
    assert_eq!(names(home.path()), [""; 0]);
}

#[test]
fn a_file_that_cannot_be_parsed_is_left_alone() {
    let home = Home::new();
    for (text, expected) in [
        ("{\n  \"mcpServers\": {\n", "is not valid JSON"),
        ("{\n  // Claude Code reads no comments\n}", "line 2, column 3"),
        ("[]", "is not a JSON object"),
        ("{\"mcpServers\": \"none\"}", "its `mcpServers` is not an object"),
        ("{\"mcpServers\": {}, \"mcpServers\": {}}", "twice"),
    ] {
        let file = home.write(".claude.json", text);
        let failed = home.run(&["mcp-config", "claude-code", "--install", "--format", "json"]).failed(1);
        let problem = failed.problem();
        assert_eq!(problem["code"], "file");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("~/.claude.json") && detail.contains(expected), "{detail}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert_eq!(names(home.path()), [".claude.json"]);
    }
    fs::write(home.path().join(".claude.json"), b"{\"a\": \"\xff\"}").unwrap();
    let failed = home.run(&["mcp-config", "claude-code", "--install"]).failed(1);
    assert!(failed.stderr.contains("not UTF-8"), "{}", failed.stderr);
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_left_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    let file = home.write(".claude.json", "{}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    home.run(&["mcp-config", "claude-code", "--install"]).failed(1);
    assert_eq!(fs::read_to_string(&file).unwrap(), "{}");
    assert_eq!(names(home.path()), [".claude.json"]);
}

#[test]
fn what_is_not_offered_is_refused() {
    let home = Home::new();
    let refused = |arguments: &[&str]| home.run(&[&["mcp-config"], arguments].concat()).failed(2).stderr;
    assert!(refused(&["emacs"]).contains("claude-desktop"));
    assert!(refused(&[]).contains("HOST"));
    let install = refused(&["gemini", "--install"]);
    assert!(install.contains("--install: is only for claude-code and vscode"), "{install}");
    assert!(install.contains("~/.gemini/settings.json"), "{install}");
    assert!(refused(&["windsurf", "--project"]).contains("--project: Windsurf has no such file"));
    assert!(refused(&["cursor", "--budget-usd", "0"]).contains("--budget-usd"));
    assert!(refused(&["cursor", "--budget-usd", "much"]).contains("--budget-usd"));
    assert!(refused(&["cursor", "--format", "csv"]).contains("csv"));
    assert!(refused(&["cursor", "--tools", "list_prompt"]).contains("--tools: there is no tool `list_prompt`"));
    let both = refused(&["cursor", "--read-only", "--tools", "delete_prompt"]);
    assert!(both.contains("`delete_prompt` does more than read"), "{both}");
    assert_eq!(names(home.path()), [""; 0]);
}

#[test]
fn a_broken_configuration_is_no_hindrance() {
    let home = Home::new();
    home.config("nonsense: true\n");
    home.run(&["mcp-config", "zed"]).done();
}

#[test]
fn the_printed_command_starts_the_server() {
    let home = Home::new();
    let config =
        home.run(&[&["mcp-config", "cursor", "--format", "json"], &OPTIONS[..]].concat()).quietly_done().json();
    let arguments: Vec<&str> = config["args"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" }
    } });
    let lines = format!(
        "{hello}\n{}\n{}\n",
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" })
    );
    let said = home.run_with_stdin(&arguments, lines.as_bytes()).done();
    let listed = said.json_lines().into_iter().find(|answer| answer["id"] == 2).unwrap();
    let names: Vec<&str> =
        listed["result"]["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["search_prompts", "list_prompts"]);
}
