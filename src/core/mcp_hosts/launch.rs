//! How a host has to start the server: program, arguments, environment.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::render::Launch;
use super::{Caller, SERVER};
use crate::api::McpConfigRequest;
use crate::config::{Environment, Paths};
use crate::error::{Error, Result};

/// The launch that does what the request asks with the caller's data.
///
/// # Errors
/// `file` if the program is in a folder whose name is not Unicode, which no host's file can hold.
pub(super) fn launch(request: &McpConfigRequest, caller: &Caller<'_>, paths: &Paths) -> Result<Launch> {
    let mut env = BTreeMap::new();
    if caller.flags.data_dir.is_some() || caller.environment.get("ALUDEL_HOME").is_some() {
        env.insert("ALUDEL_HOME".to_owned(), text(&paths.home)?);
    }
    if caller.flags.config.is_some() || caller.environment.get("ALUDEL_CONFIG").is_some() {
        env.insert("ALUDEL_CONFIG".to_owned(), text(&paths.config_file)?);
    }
    let mut args = vec!["serve".to_owned()];
    if request.serve.read_only {
        args.push("--read-only".to_owned());
    }
    if let Some(tools) = &request.serve.tools {
        args.extend(["--tools".to_owned(), tools.join(",")]);
    }
    if let Some(budget) = request.serve.budget_usd {
        args.extend(["--budget-usd".to_owned(), budget.to_string()]);
    }
    Ok(Launch { command: text(&lasting(caller.executable, caller.environment))?, args, env })
}

/// The path by which to start this program, always absolute: a host that was started from a desktop
/// has another `PATH`. If `PATH` leads to this very program through a link, the link is taken: an
/// update that installs next to the old version moves the link.
fn lasting(executable: &Path, environment: &Environment) -> PathBuf {
    let Ok(own) = fs::canonicalize(executable) else { return executable.to_owned() };
    let name = if cfg!(windows) { format!("{SERVER}.exe") } else { SERVER.to_owned() };
    let folders = environment.get("PATH").map(std::env::split_paths).into_iter().flatten();
    folders
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name))
        .find(|found| fs::canonicalize(found).is_ok_and(|found| found == own))
        .unwrap_or_else(|| executable.to_owned())
}

fn text(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| Error::File {
        action: "write",
        path: path.to_owned(),
        reason: "its name is not Unicode, which no host's configuration can hold; move it".to_owned(),
    })
}
