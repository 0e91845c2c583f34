//! Checks the database and the folders that are written to, for `validate`.

use std::path::{Path, PathBuf};

use super::Engine;
use super::system::Check;
use crate::api::ValidateRequest;
use crate::domain::Filter;
use crate::error::Error;
use crate::files;
use crate::offload::offload;
use crate::store::sqlite::integrity::{self, Damage, Depth};

const DATABASE: &str = "database";

/// The most faults listed; one broken page can cause many.
const MOST_LISTED: usize = 5;

impl Engine {
    /// Checks that the data and database folders can be written, by creating and removing a file.
    pub(super) fn check_places(&self) -> Vec<Check> {
        let paths = self.paths();
        let mut folders = vec![paths.home.clone()];
        folders.extend(paths.database.parent().map(Path::to_owned).filter(|folder| *folder != paths.home));
        folders
            .iter()
            .map(|folder| {
                let name = if *folder == paths.home { "data folder" } else { "database folder" };
                let shown = paths.shown(folder);
                Check::from_result(name, try_to_write(folder).map(|()| format!("{} can be written", shown.display())))
            })
            .collect()
    }

    /// Checks that the database is intact and can be written.
    pub(super) async fn check_database(&self, request: ValidateRequest) -> Vec<Check> {
        let path = self.paths().database.clone();
        if !path.exists() {
            return vec![Check::ok(DATABASE, format!("{} will be made by the first run", path.display()))];
        }
        // Counting migrates an old file, like every read.
        let counted = match self.store().count(Filter::default()).await {
            Ok(counted) => Ok(counted),
            // A missing table is named below.
            Err(error @ Error::Storage(_)) => Err(error),
            Err(error) => return vec![Check::failed(DATABASE, &error)],
        };
        let depth = if request.quick { Depth::Schema } else { Depth::Whole };
        let bytes = std::fs::metadata(&path).map_or(0, |found| usize::try_from(found.len()).unwrap_or(usize::MAX));
        let file = path.clone();
        let checked = offload(bytes, move || integrity::check(&file, depth)).await;
        let damage = match checked.and_then(|checked| checked) {
            Ok(damage) => damage,
            Err(error) => return vec![Check::failed(DATABASE, &error)],
        };
        if !damage.faults.is_empty() {
            return vec![Check::failed_with(DATABASE, self.damage_message(&path, &damage))];
        }
        let shown = path.display();
        let depth = if request.quick {
            "its tables are there; without --quick every page is read"
        } else {
            "all of it was read"
        };
        let whole = counted.map(|count| format!("{shown} holds {count} prompts; {depth}"));
        let mut checks = vec![Check::from_result(DATABASE, whole)];
        if let Err(error) = integrity::check_writable(&path) {
            checks.push(Check::failed(DATABASE, &error));
        }
        checks
    }

    /// Describes the damage and the fix.
    fn damage_message(&self, path: &Path, damage: &Damage) -> String {
        let mut faults =
            damage.faults.iter().take(MOST_LISTED).map(|fault| fault.replace('\n', " ")).collect::<Vec<_>>();
        if damage.faults.len() > MOST_LISTED {
            faults.push(format!("and {} more", damage.faults.len() - MOST_LISTED));
        }
        let (shown, faults) = (path.display(), faults.join("; "));
        if damage.is_index_alone {
            return format!("{shown}: the index of words is damaged ({faults}); run `aludel reindex` to rebuild it");
        }
        let name = path.file_name().unwrap_or_default().display();
        let restore = damage.backups.last().map_or_else(
            || "restore a backup of yours".to_owned(),
            |backup| format!("restore a backup (the newest beside it is {})", self.paths().shown(backup).display()),
        );
        format!(
            "{shown} is damaged ({faults}); {restore}, or save what can still be read with `aludel export --output-file \
             saved.jsonl`, move {name} and {name}-wal away and run `aludel import saved.jsonl`"
        )
    }
}

/// Creates and removes a file in the folder, or a folder if that does not exist yet.
fn try_to_write(folder: &Path) -> Result<(), Error> {
    let there = folder.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(folder);
    let mut temporary = tempfile::Builder::new();
    let temporary = temporary.prefix(".aludel-");
    let tried =
        if there == folder { temporary.tempfile_in(there).map(drop) } else { temporary.tempdir_in(there).map(drop) };
    tried.map_err(|error| match files::failure("write to", folder, &error) {
        Error::File { action, reason, .. } => Error::File {
            action,
            path: PathBuf::from(folder),
            reason: format!(
                "{reason}; give yourself write permission, or choose another folder with --data-dir or ALUDEL_HOME"
            ),
        },
        other => other,
    })
}
