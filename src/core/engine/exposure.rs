//! Finds configuration and data files that other users can read or change.
//!
//! The configuration can hold keys and commands, the database holds every request ever made, and a
//! template decides what is sent to a model. So they must be private: files 0600, folders 0700,
//! templates not writable by others. A parent folder that others can write to lets them replace
//! what is in it, unless it is sticky (like `/tmp`). Links are followed, because the target is what
//! gets read. Modes have this meaning on Unix only; elsewhere nothing is reported.

use std::path::PathBuf;

use super::Engine;
use super::system::Check;

/// The most findings listed one by one.
const MOST_LISTED: usize = 20;

/// The name of the check.
const NAME: &str = "permissions";

/// A path that others can read or change.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Exposure {
    path: PathBuf,
    /// What is wrong; follows the path in the message.
    what: String,
    /// The command that fixes it, without the path.
    fix: String,
}

impl Engine {
    /// One warning for each path that others can read or change, or a single passing check.
    pub(super) fn check_permissions(&self) -> Vec<Check> {
        let paths = self.paths();
        let found = find(paths, self.config());
        let mut checks: Vec<Check> = found
            .iter()
            .take(MOST_LISTED)
            .map(|Exposure { path, what, fix }| {
                let shown = paths.shown(path).display().to_string();
                // The home folder itself is shown as `~/`.
                let shown = if shown == "~/" { "~" } else { shown.as_str() };
                Check::warning(NAME, format!("{shown} {what}; run `{fix} {}`", quoted(shown)))
            })
            .collect();
        if found.len() > MOST_LISTED {
            checks.push(Check::warning(NAME, format!("and {} more", found.len() - MOST_LISTED)));
        }
        if checks.is_empty() && cfg!(unix) {
            checks.push(Check::ok(NAME, "the configuration and the data folder are yours alone"));
        }
        checks
    }
}

/// Quotes a path for a shell. A leading `~` stays outside the quotes, where the shell expands it.
fn quoted(path: &str) -> String {
    let is_plain = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "/._-+,@%".contains(c));
    let quote =
        |text: &str| if is_plain(text) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) };
    match path.strip_prefix("~/") {
        Some(rest) => format!("~/{}", quote(rest)),
        None if path == "~" => path.to_owned(),
        None => quote(path),
    }
}

#[cfg(not(unix))]
fn find(_: &crate::config::Paths, _: &crate::config::Config) -> Vec<Exposure> {
    Vec::new()
}

#[cfg(unix)]
use unix::find;

#[cfg(unix)]
mod unix {
    use std::collections::BTreeSet;
    use std::fs::{self, Metadata};
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};

    use super::Exposure;
    use crate::assets::AssetKind;
    use crate::config::{Config, Paths};
    use crate::files::{PRIVATE_FILE, PRIVATE_FOLDER};

    /// The mode bits that let the group or others read, and write.
    const READ: u32 = 0o044;
    const WRITE: u32 = 0o022;

    /// The bit that keeps users from renaming files they do not own.
    const STICKY: u32 = 0o1000;

    /// The most files of a folder that are checked.
    const MOST_FILES: usize = 1000;

    /// The access that others must not have to a path.
    #[derive(Clone, Copy)]
    enum RequiredAccess {
        /// No reading and no writing.
        Private,
        /// No writing.
        Unwritable,
    }

    /// Every exposed path, once.
    pub(super) fn find(paths: &Paths, config: &Config) -> Vec<Exposure> {
        find_for(rustix::process::geteuid().as_raw(), paths, config)
    }

    /// [`find`] for the user with this id.
    pub(super) fn find_for(user: u32, paths: &Paths, config: &Config) -> Vec<Exposure> {
        let mut look = PermissionScan { found: Vec::new(), seen: BTreeSet::new(), user };
        look.at(&paths.config_file, RequiredAccess::Private);
        look.at(&paths.home, RequiredAccess::Private);
        for database in [&paths.database, &paths.cache] {
            for end in ["", "-wal", "-shm"] {
                let mut name = database.clone().into_os_string();
                name.push(end);
                look.at(Path::new(&name), RequiredAccess::Private);
            }
        }
        look.at(&paths.logs, RequiredAccess::Private);
        look.at_files_of(&paths.logs, RequiredAccess::Private);
        look.at(&paths.home.join("models.yaml"), RequiredAccess::Unwritable);
        for folder in AssetKind::ALL.map(AssetKind::folder).into_iter().filter(|folder| !folder.is_empty()) {
            let folder = paths.home.join(folder);
            look.at(&folder, RequiredAccess::Unwritable);
            look.at_files_of(&folder, RequiredAccess::Unwritable);
        }
        let of_providers = config.providers.values().flat_map(|provider| [&provider.ca_file, &provider.script]);
        for file in of_providers.chain([&config.judge.criteria]).flatten() {
            look.at(file, RequiredAccess::Unwritable);
        }
        for path in [&paths.config_file, &paths.home, &paths.database] {
            look.above(path);
        }
        look.found
    }

    struct PermissionScan {
        found: Vec<Exposure>,
        seen: BTreeSet<PathBuf>,
        /// The id of the user.
        user: u32,
    }

    impl PermissionScan {
        /// Checks a path, following links. A missing path exposes nothing.
        fn at(&mut self, path: &Path, wanted: RequiredAccess) {
            let Ok(metadata) = fs::metadata(path) else { return };
            if !self.seen.insert(path.to_owned()) {
                return;
            }
            self.check_owner(path, &metadata);
            let exposed = match wanted {
                RequiredAccess::Private => READ | WRITE,
                RequiredAccess::Unwritable => WRITE,
            };
            let mode = metadata.mode() & 0o7777;
            let Some(who) = who(mode & exposed) else { return };
            let (can, why) = if mode & WRITE == 0 {
                ("be read", "it can hold keys and what you wrote")
            } else if matches!(wanted, RequiredAccess::Unwritable) {
                ("be changed", "it decides what is sent or believed")
            } else {
                ("be changed", "it can hold keys and commands")
            };
            let fix = match (wanted, metadata.is_dir()) {
                (RequiredAccess::Unwritable, _) => "chmod go-w".to_owned(),
                (RequiredAccess::Private, true) => format!("chmod {PRIVATE_FOLDER:o}"),
                (RequiredAccess::Private, false) => format!("chmod {PRIVATE_FILE:o}"),
            };
            self.tell(path, format!("can {can} by {who} (mode {mode:04o}), and {why}"), fix);
        }

        /// Checks the files of a folder.
        fn at_files_of(&mut self, folder: &Path, wanted: RequiredAccess) {
            let Ok(entries) = fs::read_dir(folder) else { return };
            let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).take(MOST_FILES).collect();
            files.sort();
            for file in files {
                self.at(&file, wanted);
            }
        }

        /// Checks every folder above a path, both as written and with links resolved.
        fn above(&mut self, path: &Path) {
            let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            for folder in path.ancestors().skip(1).chain(real.ancestors().skip(1)) {
                let Ok(metadata) = fs::metadata(folder) else { continue };
                let mode = metadata.mode() & 0o7777;
                if !self.seen.insert(folder.to_owned()) || mode & STICKY != 0 {
                    continue;
                }
                if let Some(who) = who(mode & WRITE) {
                    let what = format!(
                        "can be changed by {who} (mode {mode:04o}) and is not sticky, so what is in it can be replaced"
                    );
                    self.tell(folder, what, "chmod go-w".to_owned());
                }
            }
        }

        /// Checks that the user or root owns the path: an owner can change its mode at any time.
        fn check_owner(&mut self, path: &Path, metadata: &Metadata) {
            let owner = metadata.uid();
            if owner != self.user && owner != 0 {
                let (what, fix) = (format!("belongs to another user (id {owner})"), format!("chown {}", self.user));
                self.tell(path, what, fix);
            }
        }

        fn tell(&mut self, path: &Path, what: String, fix: String) {
            self.found.push(Exposure { path: path.to_owned(), what, fix });
        }
    }

    /// Who gets access through these bits.
    const fn who(bits: u32) -> Option<&'static str> {
        match (bits & 0o070 != 0, bits & 0o007 != 0) {
            (_, true) => Some("other users"),
            (true, false) => Some("its group"),
            (false, false) => None,
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
