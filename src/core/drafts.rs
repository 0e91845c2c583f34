//! Drafts: unfinished text that survives the end of a workbench, even a crash.
//!
//! Each workbench has its own slot `N` in the drafts folder: `N.json`, written atomically, and
//! `N.lock`, which the workbench keeps locked while it lives. The system releases the lock when the
//! process ends, so a draft with a free lock has lost its owner; the next workbench takes over the
//! newest such draft with its slot. So two workbenches never overwrite each other's drafts. An
//! empty draft has no `.json`; a `.lock` is never removed, because then it could be held twice.
//!
//! No file is created before there is something to save. The workbench decides when to save.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::domain::{SessionId, Timestamp};
use crate::error::Error;
use crate::files;
use crate::time::Clock;

/// The most drafts in the folder, more than anyone has workbenches.
const MOST: usize = 64;

/// The largest draft that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// A saved draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// The text, verbatim; empty if there was only a run.
    pub text: String,
    /// The run that was under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<SessionId>,
    /// When it was saved.
    pub at: Timestamp,
}

/// Drafts without an owner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrphanedDrafts {
    /// The newest, now owned by the caller.
    pub newest: Option<Draft>,
    /// The others, newest first, which remain without an owner.
    pub others: Vec<Draft>,
}

/// One workbench's draft, and the folder it is in.
pub struct Drafts {
    folder: PathBuf,
    clock: Arc<dyn Clock>,
    own_slot: Option<DraftSlot>,
}

/// A slot that we own as long as the lock is held.
#[derive(Debug)]
struct DraftSlot {
    file: PathBuf,
    _lock: File,
}

impl Drafts {
    /// The drafts in `folder`, which need not exist.
    pub fn new(folder: PathBuf, clock: Arc<dyn Clock>) -> Self {
        Self { folder, clock, own_slot: None }
    }

    /// Takes over the newest draft without an owner, together with its slot, and reads the others.
    /// Ignores unreadable ones.
    pub fn take_up(&mut self) -> OrphanedDrafts {
        if !self.folder.is_dir() {
            return OrphanedDrafts::default();
        }
        // Looking locks each draft, so two concurrent looks would hide drafts from each other.
        let _gate = self.gate();
        let mut found: Vec<(Draft, DraftSlot)> = (1..=MOST).filter_map(|number| self.orphaned(number)).collect();
        found.sort_by_key(|(draft, _)| std::cmp::Reverse(draft.at));
        let mut found = found.into_iter();
        let newest = found.next().map(|(draft, own_slot)| {
            self.own_slot = Some(own_slot);
            draft
        });
        // This releases the locks of the others.
        OrphanedDrafts { newest, others: found.map(|(draft, _)| draft).collect() }
    }

    /// Saves `text` and the run under way. Blank text without a run removes the draft.
    ///
    /// # Errors
    /// `file` when it cannot be written; the earlier draft remains.
    pub fn keep(&mut self, text: &str, run: Option<SessionId>) -> Result<(), Error> {
        if text.trim().is_empty() && run.is_none() {
            return self.forget();
        }
        let draft = Draft { text: text.to_owned(), run, at: self.clock.now() };
        let bytes = serde_json::to_vec(&draft).map_err(|error| Error::Internal(format!("a draft: {error}")))?;
        let own_slot = match self.own_slot.take() {
            Some(own_slot) => own_slot,
            None => self.free_slot()?,
        };
        let written = files::write_atomically(&own_slot.file, &bytes, files::PRIVATE_FILE);
        self.own_slot = Some(own_slot);
        written
    }

    /// A lock that only one look holds at a time. Gives up after a quarter of a second.
    fn gate(&self) -> Option<File> {
        let path = self.folder.join("looking.lock");
        for _ in 0..50 {
            match held(&path) {
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                Ok(gate) => return gate,
                Err(_) => return None,
            }
        }
        None
    }

    fn forget(&self) -> Result<(), Error> {
        let Some(own_slot) = &self.own_slot else { return Ok(()) };
        match fs::remove_file(&own_slot.file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(files::failure("remove", &own_slot.file, &error))
            }
            _ => Ok(()),
        }
    }

    /// The draft in this slot, if it is readable and has no owner.
    fn orphaned(&self, number: usize) -> Option<(Draft, DraftSlot)> {
        let (file, lock) = self.names(number);
        // Check first, so that no lock file is created without a draft.
        file.is_file().then_some(())?;
        let lock = held(&lock).ok()??;
        // From here on no one else can change it.
        let draft = serde_json::from_slice(&files::read_own(&file, MOST_BYTES).ok()?).ok()?;
        Some((draft, DraftSlot { file, _lock: lock }))
    }

    /// A slot without owner and draft.
    fn free_slot(&self) -> Result<DraftSlot, Error> {
        files::make_private_folder(&self.folder)?;
        for number in 1..=MOST {
            let (file, lock) = self.names(number);
            let taken = held(&lock).map_err(|error| files::failure("lock", &lock, &error))?;
            if let Some(lock) = taken
                && !file.exists()
            {
                return Ok(DraftSlot { file, _lock: lock });
            }
        }
        let reason = format!("it has {MOST} drafts already; move away those you no longer need");
        Err(Error::File { action: "write a draft into", path: self.folder.clone(), reason })
    }

    fn names(&self, number: usize) -> (PathBuf, PathBuf) {
        (self.folder.join(format!("{number}.json")), self.folder.join(format!("{number}.lock")))
    }
}

/// Locks the file `path`; `None` if another process holds the lock.
fn held(path: &Path) -> io::Result<Option<File>> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, files::PRIVATE_FILE);
    let file = options.open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::FixedClock;

    fn drafts(folder: &Path, at: i64) -> Drafts {
        Drafts::new(folder.join("drafts"), Arc::new(FixedClock::at(at)))
    }

    fn run() -> SessionId {
        "01932c07-7d1c-7c3e-8a51-0e4b00000001".parse().unwrap()
    }

    fn kept(folder: &Path) -> Vec<String> {
        let Ok(entries) = fs::read_dir(folder.join("drafts")) else { return Vec::new() };
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let is_draft = |name: &String| Path::new(name).extension().is_some_and(|ending| ending == "json");
        let mut names: Vec<String> = names.filter(is_draft).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_kept_is_taken_up_by_the_next_and_kept_on_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = drafts(folder.path(), 1);
        first.keep("half a thou", Some(run())).unwrap();
        drop(first);
        let mut next = drafts(folder.path(), 2);
        let left = next.take_up();
        assert_eq!(left.newest.map(|draft| (draft.text, draft.run)), Some(("half a thou".into(), Some(run()))));
        next.keep("half a thought", None).unwrap();
        assert_eq!(kept(folder.path()), ["1.json"]);
        drop(next);
        assert_eq!(drafts(folder.path(), 3).take_up().newest.unwrap().text, "half a thought");
    }

    #[test]
    fn a_draft_whose_owner_lives_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (mut one, mut other) = (drafts(folder.path(), 1), drafts(folder.path(), 2));
        one.keep("one", None).unwrap();
        assert_eq!(other.take_up(), OrphanedDrafts::default());
        other.keep("other", None).unwrap();
        one.keep("one more", None).unwrap();
        assert_eq!(kept(folder.path()), ["1.json", "2.json"]);
        assert_eq!(drafts(folder.path(), 3).take_up(), OrphanedDrafts::default());
    }

    #[test]
    fn of_several_the_newest_is_taken_up_and_the_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (mut old, mut new) = (drafts(folder.path(), 1), drafts(folder.path(), 2));
        new.keep("newer", None).unwrap();
        old.keep("older", None).unwrap();
        drop((old, new));
        let mut next = drafts(folder.path(), 3);
        let left = next.take_up();
        assert_eq!(left.newest.unwrap().text, "newer");
        assert_eq!(left.others.iter().map(|draft| draft.text.as_str()).collect::<Vec<_>>(), ["older"]);
        next.keep("", None).unwrap();
        assert_eq!(kept(folder.path()).len(), 1);
        assert_eq!(drafts(folder.path(), 4).take_up().newest.unwrap().text, "older");
    }

    #[test]
    fn an_empty_draft_leaves_no_file_and_nothing_is_made_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut one = drafts(folder.path(), 1);
        one.take_up();
        one.keep(" \n", None).unwrap();
        assert!(!folder.path().join("drafts").exists());
        one.keep("text", None).unwrap();
        one.keep("", None).unwrap();
        assert_eq!(kept(folder.path()), Vec::<String>::new());
        one.keep("", Some(run())).unwrap();
        assert_eq!(kept(folder.path()), ["1.json"]);
    }

    #[test]
    fn many_that_look_at_once_find_one_each() {
        let folder = tempfile::tempdir().unwrap();
        let left: Vec<Drafts> = (1_u8..=8)
            .map(|number| {
                let mut one = drafts(folder.path(), i64::from(number));
                one.keep(&number.to_string(), None).unwrap();
                one
            })
            .collect();
        drop(left);
        let lookers: Vec<_> = (0..8)
            .map(|_| {
                let mut one = drafts(folder.path(), 9);
                std::thread::spawn(move || (one.take_up().newest.unwrap().text, one))
            })
            .collect();
        let mut found: Vec<_> = lookers.into_iter().map(|looker| looker.join().unwrap()).collect();
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        assert_eq!(found.iter().map(|(text, _)| text.as_str()).collect::<String>(), "12345678");
    }

    #[cfg(unix)]
    #[test]
    fn a_draft_is_the_users_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let mut one = drafts(folder.path(), 1);
        one.keep("secret plans", None).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder.path().join("drafts")), 0o700);
        assert_eq!(mode(&folder.path().join("drafts/1.json")), 0o600);
        assert_eq!(mode(&folder.path().join("drafts/1.lock")), 0o600);
    }

    #[test]
    fn what_cannot_be_read_is_neither_taken_up_nor_written_over() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("drafts")).unwrap();
        fs::write(folder.path().join("drafts/1.json"), "{half").unwrap();
        let mut one = drafts(folder.path(), 1);
        assert_eq!(one.take_up(), OrphanedDrafts::default());
        one.keep("text", None).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("drafts/1.json")).unwrap(), "{half");
        assert_eq!(kept(folder.path()), ["1.json", "2.json"]);
    }
}
