//! The configuration that makes MCP hosts start `aludel serve`: made, shown and installed.
//!
//! [`hosts`] is the table of hosts, [`render`] writes the configuration, [`merge`] puts it into a
//! file that has other entries, and [`install`] writes that file. Keys of providers are never part
//! of it: the server reads its own configuration file.

mod hosts;
mod install;
mod launch;
mod merge;
mod render;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::api::McpConfigRequest;
use crate::config::{Environment, Flags, Paths};
use crate::domain::{McpConfig, McpHost};
use crate::error::{Error, Result};

use hosts::{HostRow, Platform};

/// The name of the server in every host's configuration.
pub const SERVER: &str = "aludel";

/// Who asks, and from where.
#[derive(Debug, Clone, Copy)]
pub struct Caller<'a> {
    /// The flags of this call, which the server is to have too.
    pub flags: &'a Flags,
    /// The environment of this process.
    pub environment: &'a Environment,
    /// This program's own file, absolute.
    pub executable: &'a Path,
    /// The working folder, absolute: the project.
    pub working_folder: &'a Path,
}

/// The name of a host for people.
pub fn title(host: McpHost) -> &'static str {
    hosts::of(host).title
}

/// True if the configuration of this host can be installed, not only printed.
pub fn can_install(host: McpHost) -> bool {
    hosts::of(host).can_install
}

/// Makes the configuration for a host and, if asked, installs it.
///
/// # Errors
/// `validation_failed` for a host whose file is not changed, and a host without files of projects;
/// `file` if the host's file cannot be read, changed or written, which leaves it as
/// it was; `conflict` if something else wrote it at the same time; `config_invalid` without a home
/// folder.
pub fn configure(request: &McpConfigRequest, caller: &Caller<'_>) -> Result<McpConfig> {
    let paths = Paths::resolve(caller.flags, caller.environment)?;
    let row = hosts::of(request.host);
    let file = file_of(row, request, caller);
    check(row, request, file.as_deref().map(|file| paths.shown(file)).as_deref())?;
    let launch = launch::launch(request, caller, &paths)?;
    let installed = match (&file, request.install) {
        (Some(file), true) => Some(install::install(row, &launch, file, request.project, &paths)?),
        _ => None,
    };
    Ok(McpConfig {
        host: request.host,
        name: SERVER,
        path: file,
        format: row.syntax,
        content: render::file(row, &launch),
        command: launch.command,
        args: launch.args,
        env: launch.env,
        installed,
    })
}

/// The host's file, absolute; `None` if it has none, or without a home folder.
fn file_of(row: &HostRow, request: &McpConfigRequest, caller: &Caller<'_>) -> Option<PathBuf> {
    if request.project {
        // The names have forward slashes, which all systems take.
        return row.project.map(|name| caller.working_folder.join(name));
    }
    row.user_file(caller.environment, Platform::current())
}

fn check(row: &HostRow, request: &McpConfigRequest, file: Option<&Path>) -> Result<()> {
    let title = row.title;
    if request.project && row.project.is_none() {
        return Err(Error::value("project", format!("{title} has no such file of a project; leave it out")));
    }
    if request.install && !row.can_install {
        let place = file.map_or_else(|| "its configuration".to_owned(), |file| format!("`{}`", file.display()));
        let message = format!(
            "is only for claude-code and vscode; leave it out, and paste what is printed for {title} into {place}"
        );
        return Err(Error::value("install", message));
    }
    if request.install && file.is_none() {
        let message = format!("there is no home folder, so the file of {title} is unknown; set HOME");
        return Err(Error::value("install", message));
    }
    Ok(())
}
