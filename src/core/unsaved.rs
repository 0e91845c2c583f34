//! The file for a run's finished prompts that could not be stored: the last copy of paid work.
//!
//! It is `unsaved-<session>.jsonl` in the data folder or, if that cannot be written, in the
//! system's temporary folder. Every save replaces it atomically, so no crash or full disk leaves
//! half a record, and only the owner can read it. It has one record a line, in the format of
//! `core::transfer`. Nothing deletes the file: the user imports and removes it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::config::Paths;
use crate::domain::{PromptId, SessionId};
use crate::error::Error;
use crate::files::{self, PRIVATE_FILE};

/// The file of one run. Not created before the first save.
#[derive(Debug)]
pub struct UnsavedFile {
    name: String,
    paths: Paths,
    records: Mutex<BTreeMap<PromptId, String>>,
}

impl UnsavedFile {
    /// The file of this run.
    pub fn of(session: SessionId, paths: Paths) -> Self {
        Self { name: format!("unsaved-{session}.jsonl"), paths, records: Mutex::default() }
    }

    /// Saves these records, each a line without its end, replacing earlier records of the same
    /// prompts. Returns the path for display. Blocks until they are on disk.
    ///
    /// # Errors
    /// `file` when neither folder can be written; earlier records remain.
    pub fn save(&self, records: impl IntoIterator<Item = (PromptId, String)>) -> Result<PathBuf, Error> {
        let mut kept = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(records);
        let text: String = kept.values().flat_map(|record| [record.as_str(), "\n"]).collect();
        let home = &self.paths.home;
        let in_home = files::make_private_folder(home).and_then(|()| self.write(home, &text));
        match in_home {
            Ok(path) => Ok(self.paths.shown(&path)),
            Err(first) => match self.write(&self.paths.temporary, &text) {
                Ok(_) => Ok(self.paths.shown_temporary.join(&self.name)),
                Err(second) => Err(Error::File {
                    action: "save it as",
                    path: PathBuf::from(&self.name),
                    reason: format!("{}; and in the system's temporary folder: {}", reason(&first), reason(&second)),
                }),
            },
        }
    }

    fn write(&self, folder: &Path, text: &str) -> Result<PathBuf, Error> {
        let path = folder.join(&self.name);
        files::replace_atomically(&path, text.as_bytes(), PRIVATE_FILE)?;
        Ok(path)
    }
}

/// The reason without the path, which may be outside the user's own folder.
fn reason(error: &Error) -> String {
    match error {
        Error::File { reason, .. } => reason.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use uuid::Uuid;

    use super::*;
    use crate::config::{Environment, Flags};
    use crate::error::Code;

    fn id(number: u128) -> PromptId {
        PromptId(Uuid::from_u128(number))
    }

    struct Folders {
        _folder: tempfile::TempDir,
        home: PathBuf,
        temporary: PathBuf,
    }

    impl Folders {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let (home, temporary) = (folder.path().join("home"), folder.path().join("tmp"));
            fs::create_dir(&temporary).unwrap();
            Self { _folder: folder, home, temporary }
        }

        fn file(&self) -> UnsavedFile {
            let of = |path: &Path| path.to_str().unwrap().to_owned();
            let environment =
                Environment::from_pairs([("ALUDEL_HOME", of(&self.home)), ("TMPDIR", of(&self.temporary))]);
            UnsavedFile::of(SessionId(Uuid::nil()), Paths::resolve(&Flags::default(), &environment).unwrap())
        }
    }

    const NAME: &str = "unsaved-00000000-0000-0000-0000-000000000000.jsonl";

    #[test]
    fn records_gather_in_one_private_file_and_a_later_one_replaces_its_own() {
        let folders = Folders::new();
        let file = folders.file();
        let path = file.save([(id(1), "one".into())]).unwrap();
        assert_eq!(path, folders.home.join(NAME));
        file.save([(id(2), "two".into())]).unwrap();
        file.save([(id(1), "one, scored".into())]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one, scored\ntwo\n");
        assert_eq!(fs::read_dir(&folders.home).unwrap().count(), 1, "nothing else is left");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&path), mode(&folders.home)), (0o600, 0o700));
        }
    }

    #[test]
    fn without_the_data_folder_the_temporary_one_takes_all_of_it() {
        let folders = Folders::new();
        let file = folders.file();
        file.save([(id(1), "one".into())]).unwrap();
        fs::remove_dir_all(&folders.home).unwrap();
        fs::write(&folders.home, "a file in its place").unwrap();
        let shown = file.save([(id(2), "two".into())]).unwrap();
        assert_eq!(shown, Path::new("$TMPDIR").join(NAME), "paths outside the user's own folder are not shown");
        assert_eq!(fs::read_to_string(folders.temporary.join(NAME)).unwrap(), "one\ntwo\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_temporary_folder_is_not_followed() {
        let folders = Folders::new();
        let file = folders.file();
        fs::write(&folders.home, "a file in its place").unwrap();
        let victim = folders.temporary.join("victim");
        fs::write(&victim, "untouched").unwrap();
        std::os::unix::fs::symlink(&victim, folders.temporary.join(NAME)).unwrap();
        file.save([(id(1), "one".into())]).unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched");
        assert_eq!(fs::read_to_string(folders.temporary.join(NAME)).unwrap(), "one\n");
    }

    #[test]
    fn where_neither_folder_can_be_written_both_reasons_are_given() {
        let folders = Folders::new();
        let file = folders.file();
        fs::write(&folders.home, "a file in its place").unwrap();
        fs::remove_dir(&folders.temporary).unwrap();
        let error = file.save([(id(1), "one".into())]).unwrap_err();
        assert_eq!(error.code(), Code::File);
        assert!(error.to_string().contains("; and in the system's temporary folder: "), "{error}");
    }
}
