//! The user's own assets: files in the folders of their kinds, below one root.
//!
//! Reads, lists and writes files without interpreting them. Files are never skipped: one that
//! cannot be read, or that nothing reads, is an error with its path. Nothing is ever overwritten.

use std::ffi::OsStr;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::{AssetKind, is_kebab_case, table};
use crate::error::{Error, Result};
use crate::files;

/// The largest file that is read, in bytes: far above any real one and still harmless.
const MAX_BYTES: u64 = 256 * 1024;

/// The folders of the user's assets: `personas/`, `phases/` and the others below one root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetDirs {
    root: PathBuf,
}

impl AssetDirs {
    /// The folders below `root`, such as `~/.aludel`. They need not exist.
    pub fn below(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The file of one asset.
    pub(super) fn path(&self, kind: AssetKind, name: &str) -> PathBuf {
        self.root.join(kind.folder()).join(format!("{name}.{}", kind.extension()))
    }

    /// True when the folder of a kind exists.
    pub(super) fn has_folder(&self, kind: AssetKind) -> bool {
        self.root.join(kind.folder()).exists()
    }

    /// The file and the text of one asset; `None` when the user has none.
    pub(super) fn read(&self, kind: AssetKind, name: &str) -> Result<Option<(PathBuf, String)>> {
        let path = self.path(kind, name);
        // Opening a pipe would wait for a writer.
        if fs::metadata(&path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            let reason = "it is a pipe or a device; replace it with a regular file".to_owned();
            return Err(Error::File { action: "read", path, reason });
        }
        match read_text(&path) {
            Ok(text) => Ok(text.map(|text| (path, text))),
            Err(reason) => Err(Error::File { action: "read", path, reason }),
        }
    }

    /// The names of the user's files of one kind, sorted, unread. In the root, which has other
    /// files, only known names count.
    pub(super) fn names(&self, kind: AssetKind) -> Vec<String> {
        if kind.folder().is_empty() {
            return table::names(kind).filter(|name| self.path(kind, name).exists()).map(str::to_owned).collect();
        }
        let has_ending = |path: &PathBuf| path.extension() == Some(OsStr::new(kind.extension()));
        let stem = |path: PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        self.files(kind.folder()).into_iter().filter(has_ending).filter_map(stem).collect()
    }

    /// Files in the asset folders that nothing reads, as errors with the reason.
    pub(super) fn unread_files(&self) -> Vec<Error> {
        let mut unread_files = Vec::new();
        for folder in ["personas", "phases", "strategies", "forms", "judge", "frames", "themes"] {
            for path in self.files(folder) {
                if let Some(reason) = unread_reason(folder, &path) {
                    unread_files.push(Error::File { action: "use", path, reason });
                }
            }
        }
        unread_files
    }

    /// The visible files of a folder, sorted, without editor backups.
    fn files(&self, folder: &str) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.root.join(folder)) else { return Vec::new() };
        let mut files: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path()).filter(|path| is_visible(path)).collect();
        files.sort();
        files
    }

    /// Writes a new file and returns its path.
    pub(super) fn write_new(&self, kind: AssetKind, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.path(kind, name);
        let failed = |error: std::io::Error| match error.kind() {
            ErrorKind::AlreadyExists => Error::Conflict(format!("`{}` is there already", path.display())),
            _ => Error::File { action: "write", path: path.clone(), reason: error.to_string() },
        };
        files::make_folder(&self.root.join(kind.folder())).map_err(failed)?;
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, files::PRIVATE_FILE);
        let mut file = options.open(&path).map_err(failed)?;
        if let Err(error) = file.write_all(text.as_bytes()).and_then(|()| file.sync_all()) {
            // Half a file would be read as an override. The first error is the one to report.
            let _ = fs::remove_file(&path);
            return Err(failed(error));
        }
        Ok(path)
    }
}

/// The text of a file; `None` if it does not exist.
///
/// # Errors
/// Why it cannot be read, in a sentence.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, String> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("it is larger than {} KiB", MAX_BYTES / 1024));
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let readable = error.utf8_error().valid_up_to();
        let line = String::from_utf8_lossy(&error.as_bytes()[..readable]).matches('\n').count() + 1;
        format!("line {line}: it is not UTF-8 text; save it as UTF-8")
    })
}

fn is_visible(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    !name.starts_with('.') && !name.ends_with('~')
}

/// Why no asset is read from `path`; `None` when one is.
fn unread_reason(folder: &str, path: &Path) -> Option<String> {
    let kinds = || AssetKind::ALL.into_iter().filter(move |kind| kind.folder() == folder);
    let ending = path.extension().unwrap_or_default();
    let Some(kind) = kinds().find(|kind| ending == kind.extension()) else {
        let endings: Vec<String> = kinds().map(|kind| format!("`.{}`", kind.extension())).collect();
        return Some(format!("it is ignored: files here end in {}", endings.join(" or ")));
    };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    if kind.reserves(&stem) {
        return Some(format!("it is ignored: `{stem}` is built in and not read from a file; choose another name"));
    }
    if kind.is_open() {
        let reason = "its name is not kebab-case: lower case letters and digits, joined by single dashes";
        return (!is_kebab_case(&stem)).then(|| reason.to_owned());
    }
    if table::text(kind, &stem).is_some() {
        return None;
    }
    let known: Vec<&str> = table::names(kind).collect();
    Some(format!("it is ignored: a {} can be one of {}", kind.as_str(), known.join(", ")))
}
