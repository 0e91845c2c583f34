//! `aludel mcp-config`: the configuration of an MCP host, alone on standard output.

use aludel_core::api::{self, Known, McpConfigRequest};
use aludel_core::config::Paths;
use aludel_core::domain::{McpConfig, McpInstallOutcome};
use aludel_core::error::{Error, Result};
use aludel_core::mcp_hosts::{self, Caller};

use super::launchers::door;
use crate::cli::Invocation;
use crate::cli::args::McpConfigArgs;
use crate::cli::exit::Exit;
use crate::cli::failure::CommandResult;
use crate::cli::format::Format;

pub(crate) fn mcp_config(args: &McpConfigArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let request: McpConfigRequest = api::decode(args.request(), &Known::default())?;
    // What the server would refuse at its start is refused here.
    door(invocation.launchers.mcp_check, "MCP server", "server")?(request.serve.clone())?;
    let flags = invocation.globals.flags();
    let caller = Caller {
        flags: &flags,
        environment: invocation.environment,
        executable: &place(std::env::current_exe(), "this program")?,
        working_folder: &place(std::env::current_dir(), ".")?,
    };
    let config = mcp_hosts::configure(&request, &caller)?;
    let printer = &invocation.printer;
    if printer.format() != Format::Text {
        printer.value(&config, |_| {})?;
        return Ok(Exit::Done);
    }
    let paths = Paths::resolve(&flags, invocation.environment)?;
    if config.installed.is_some() {
        if !printer.is_quiet() {
            printer.value(&config, |page| installed(&config, &paths).iter().for_each(|line| page.line(line)))?;
        }
    } else {
        printer.exactly(&config.content)?;
        printer.note(destination(&config, &request, &paths));
    }
    Ok(Exit::Done)
}

fn place(found: std::io::Result<std::path::PathBuf>, what: &str) -> Result<std::path::PathBuf> {
    found.map_err(|error| Error::File { action: "find", path: what.into(), reason: error.to_string() })
}

/// Where the printed configuration goes.
fn destination(config: &McpConfig, request: &McpConfigRequest, paths: &Paths) -> String {
    let title = mcp_hosts::title(config.host);
    let place = match &config.path {
        Some(path) => paths.shown(path).display().to_string(),
        None => format!("the configuration of {title}"),
    };
    let by_itself = if mcp_hosts::can_install(config.host) {
        let project = if request.project { " --project" } else { "" };
        format!("; `aludel mcp-config {}{project} --install` does it", config.host.as_str())
    } else {
        String::new()
    };
    format!("merge this into {place}, keeping what is there, and restart {title}{by_itself}")
}

/// What was done to the file.
fn installed(config: &McpConfig, paths: &Paths) -> Vec<String> {
    let (Some(done), Some(path)) = (&config.installed, &config.path) else { return Vec::new() };
    let file = paths.shown(path).display().to_string();
    let title = mcp_hosts::title(config.host);
    let mut lines = vec![match done.outcome {
        McpInstallOutcome::Created => format!("wrote {file}; restart {title}"),
        McpInstallOutcome::Added => format!("added {} to {file}; restart {title}", config.name),
        McpInstallOutcome::Replaced => format!("replaced {} in {file}; restart {title}", config.name),
        McpInstallOutcome::Unchanged => format!("{file} has this already; nothing changed"),
    }];
    lines.extend(done.backup.iter().map(|copy| format!("the file as it was is {}", paths.shown(copy).display())));
    lines
}
