//! Merges the entry into a host's file: read, merge, back up, replace atomically.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::hosts::HostRow;
use super::render::{self, Launch};
use super::{SERVER, merge};
use crate::config::Paths;
use crate::domain::{McpInstallOutcome, McpInstallation};
use crate::error::{Error, Result};
use crate::files;
use crate::time::{Clock as _, SystemClock};

/// The largest file that is read, in bytes. That of Claude Code has its history and can be long.
const MAX_BYTES: u64 = 64 << 20;

/// The mode of a new file that a project shares.
const SHARED_FILE: u32 = 0o644;

/// Installs the server's entry in `file`.
///
/// # Errors
/// `file` and `conflict`, as `configure`.
pub(super) fn install(
    row: &HostRow,
    launch: &Launch,
    file: &Path,
    is_project: bool,
    paths: &Paths,
) -> Result<McpInstallation> {
    let shown = paths.shown(file);
    let before = read(file).map_err(|error| files::failure("read", &shown, &error))?;
    let Some(bytes) = before else {
        create(row, launch, file, is_project, &shown)?;
        return Ok(McpInstallation { outcome: McpInstallOutcome::Created, backup: None });
    };
    let refuse = |reason| Error::File { action: "change", path: shown.clone(), reason };
    let text = str::from_utf8(&bytes).map_err(|_| refuse("it is not UTF-8; mend it and try again".to_owned()))?;
    let entry = render::entry(row, launch);
    let (text, outcome) = if text.trim().is_empty() {
        (render::file(row, launch), McpInstallOutcome::Added)
    } else {
        merge::merge(text, row.syntax, row.section, SERVER, &entry).map_err(refuse)?
    };
    if outcome == McpInstallOutcome::Unchanged {
        return Ok(McpInstallation { outcome, backup: None });
    }
    let backup = back_up(file, &bytes, &shown)?;
    let replaced = replace(file, &bytes, &text, &shown);
    if replaced.is_err() {
        // Nothing changed, so there is nothing to go back to.
        let _ = std::fs::remove_file(&backup);
    }
    replaced?;
    Ok(McpInstallation { outcome, backup: Some(backup) })
}

/// The file's bytes; `None` if there is no file.
fn read(file: &Path) -> io::Result<Option<Vec<u8>>> {
    match files::read_own(file, MAX_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes a new file. Only the folder of a project's file is created: without its own folder, the
/// host is not installed for this user.
fn create(row: &HostRow, launch: &Launch, file: &Path, is_project: bool, shown: &Path) -> Result<()> {
    if let Some(folder) = file.parent().filter(|folder| !folder.is_dir()) {
        if !is_project {
            let reason = format!(
                "there is no such folder, so {} may not be installed for this user; start it once, or use --project",
                row.title
            );
            let path = shown.parent().unwrap_or(shown).to_owned();
            return Err(Error::File { action: "use", path, reason });
        }
        std::fs::create_dir_all(folder).map_err(|error| files::failure("create", folder, &error))?;
    }
    let mode = if is_project { SHARED_FILE } else { files::PRIVATE_FILE };
    files::write_atomically(file, render::file(row, launch).as_bytes(), mode)
}

/// Copies the file next to itself: `mcp.json.backup-20261125T101530Z`. The copy has the same mode.
fn back_up(file: &Path, bytes: &[u8], shown: &Path) -> Result<PathBuf> {
    let stamp = SystemClock.now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let name = file.file_name().unwrap_or_default();
    for attempt in 1_u32..=1000 {
        let mut copy = OsString::from(name);
        copy.push(format!(".backup-{stamp}"));
        if attempt > 1 {
            copy.push(format!("-{attempt}"));
        }
        let copy = file.with_file_name(copy);
        if std::fs::symlink_metadata(&copy).is_err() {
            files::write_like(&copy, bytes, file)?;
            return Ok(copy);
        }
    }
    let reason = "no name is left for its copy; remove old ones".to_owned();
    Err(Error::File { action: "copy", path: shown.to_owned(), reason })
}

/// Replaces the file, if it still is as it was read: some hosts write theirs while they run.
fn replace(file: &Path, before: &[u8], text: &str, shown: &Path) -> Result<()> {
    let now = read(file).map_err(|error| files::failure("read", shown, &error))?;
    if now.as_deref() != Some(before) {
        return Err(Error::Conflict(format!(
            "`{}` was written by something else at the same time; try again",
            shown.display()
        )));
    }
    files::write_like(file, text.as_bytes(), file)
}
