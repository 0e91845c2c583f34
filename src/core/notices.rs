//! Remembers one-time notices in a small file in the data folder: the providers that were mentioned
//! and what was explained.
//!
//! It never fails an operation: an unreadable file counts as empty. If the file cannot be written,
//! no notice is given, because it would be repeated at every run. The data folder is never created
//! for it. The engine decides which providers are new.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::files;

/// Its name in the data folder.
pub const FILE: &str = "told.json";

/// The file's content.
#[derive(Debug, Default, Serialize, Deserialize)]
struct NoticesFile {
    /// The providers that were mentioned, or used before they could be.
    #[serde(default)]
    providers: BTreeSet<String>,
    /// The notices that were explained, by name.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    notices: BTreeSet<String>,
}

/// A notice that is given once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// `builtin` writes if nothing is configured, and what it is.
    Builtin,
    /// Animations are reduced because the terminal's connection is slow.
    SlowLink,
}

impl Notice {
    /// Its name in the file.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::SlowLink => "slow-link",
        }
    }
}

/// True if `notice` was given before.
pub fn was_explained(file: &Path, notice: Notice) -> bool {
    read(file).notices.contains(notice.as_str())
}

/// Remembers that `notice` was given; true if that is saved.
pub fn explained(file: &Path, notice: Notice) -> bool {
    change(file, |memory| _ = memory.notices.insert(notice.as_str().to_owned()))
}

/// The `names` that are not in the file.
pub fn not_mentioned(file: &Path, names: impl IntoIterator<Item = String>) -> Vec<String> {
    let known = read(file).providers;
    names.into_iter().filter(|name| !known.contains(name)).collect()
}

/// Adds `names` to the file; true if that is saved.
pub fn remember(file: &Path, names: &[String]) -> bool {
    change(file, |memory| memory.providers.extend(names.iter().cloned()))
}

fn change(file: &Path, change: impl FnOnce(&mut NoticesFile)) -> bool {
    // Concurrent changes must not overwrite each other.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if !file.parent().is_some_and(Path::is_dir) {
        return false;
    }
    let mut memory = read(file);
    change(&mut memory);
    let Ok(mut bytes) = serde_json::to_vec_pretty(&memory) else { return false };
    bytes.push(b'\n');
    match files::write_atomically(file, &bytes, files::PRIVATE_FILE) {
        Ok(()) => true,
        Err(error) => {
            tracing::debug!(%error, "the notices already shown could not be saved");
            false
        }
    }
}

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;

fn read(file: &Path) -> NoticesFile {
    let bytes = files::read_own(file, MOST_BYTES).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn what_was_remembered_is_known_ever_after() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("told.json");
        assert_eq!(not_mentioned(&file, names(&["a", "b"])), ["a", "b"]);
        assert!(remember(&file, &names(&["b"])));
        assert_eq!(not_mentioned(&file, names(&["a", "b"])), ["a"]);
        assert!(remember(&file, &names(&["a"])));
        assert!(not_mentioned(&file, names(&["a", "b"])).is_empty());
    }

    #[test]
    fn what_was_explained_is_beside_the_providers() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("told.json");
        assert!(remember(&file, &names(&["a"])) && !was_explained(&file, Notice::Builtin));
        assert!(explained(&file, Notice::Builtin) && was_explained(&file, Notice::Builtin));
        assert!(!was_explained(&file, Notice::SlowLink), "each by itself");
        assert!(not_mentioned(&file, names(&["a"])).is_empty());
    }

    #[test]
    fn a_spoilt_file_counts_as_empty_and_is_mended() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("told.json");
        std::fs::write(&file, "{half").unwrap();
        assert_eq!(not_mentioned(&file, names(&["a"])), ["a"]);
        assert!(remember(&file, &names(&["a"])));
        assert!(not_mentioned(&file, names(&["a"])).is_empty());
    }

    #[test]
    fn without_a_folder_or_the_right_to_write_nothing_is_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = folder.path().join("none/told.json");
        assert!(!remember(&nowhere, &names(&["a"])) && !folder.path().join("none").exists());
        let file = folder.path().join("told.json");
        std::fs::write(&file, "{}").unwrap();
        let mut permissions = std::fs::metadata(&file).unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&file, permissions).unwrap();
        assert!(!remember(&file, &names(&["a"])));
        assert_eq!(not_mentioned(&file, names(&["a"])), ["a"]);
    }
}
