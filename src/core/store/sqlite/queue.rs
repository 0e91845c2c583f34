//! The queue of writers: processes that write to one database take turns, first come, first served.
//!
//! SQLite makes a writer that finds the lock taken poll, so which of many processes gets it is
//! random, and under load some starve. Here a writer first locks an empty file next to the
//! database, and the kernel wakes waiters in order. The lock is advisory: SQLite's own locks keep
//! the database whole. A process that cannot get it (the file cannot be created, the file system
//! has no locks, its holder hangs) goes on without a turn, and the file can be deleted at any time.
//!
//! The file counts the turns. While the count moves, waiting goes on, however long the queue; a
//! timeout applies only to a queue that stands still.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use crate::files::PRIVATE_FILE;

/// Appended to the database's name.
const SUFFIX: &str = "-queue";

/// One process's position in the queue.
#[derive(Debug)]
pub(super) struct Queue {
    path: PathBuf,
    /// A turn that timed out and is still requested.
    coming: Option<RequestedTurn>,
}

/// A requested turn, and the file that counts turns.
#[derive(Debug)]
struct RequestedTurn {
    turn: Receiver<Turn>,
    counter: File,
}

/// The right to write next; given up when dropped.
#[derive(Debug)]
pub(super) struct Turn {
    lock: File,
}

/// The result of waiting for a turn.
#[derive(Debug)]
pub(super) struct TurnWait {
    /// `None` when there is no turn to get: go on without.
    pub(super) turn: Option<Turn>,
    /// When the queue last moved.
    pub(super) since: Instant,
}

impl Queue {
    /// The queue of this database.
    pub(super) fn of(database: &Path) -> Self {
        let mut name = database.as_os_str().to_owned();
        name.push(SUFFIX);
        Self { path: PathBuf::from(name), coming: None }
    }

    /// Waits for a turn, until the queue has not moved for `patience`, counted from `since`.
    pub(super) fn turn(&mut self, since: Instant, patience: Duration) -> TurnWait {
        let coming = match self.coming.take() {
            Some(coming) => coming,
            None => match self.ask() {
                Some(TurnRequest::Granted(turn)) => return TurnWait { turn: Some(turn), since },
                Some(TurnRequest::Waits(coming)) => coming,
                None => return TurnWait { turn: None, since },
            },
        };
        let (mut since, mut seen) = (since, turns(&coming.counter));
        loop {
            let left = patience.saturating_sub(since.elapsed());
            match coming.turn.recv_timeout(left.clamp(SHORTEST, LONGEST)) {
                Ok(turn) => return TurnWait { turn: Some(turn), since: Instant::now() },
                Err(RecvTimeoutError::Disconnected) => return TurnWait { turn: None, since },
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = turns(&coming.counter);
            if now != seen {
                (since, seen) = (Instant::now(), now);
            } else if since.elapsed() >= patience {
                // Keep the position in the queue.
                self.coming = Some(coming);
                return TurnWait { turn: None, since };
            }
        }
    }

    fn ask(&self) -> Option<TurnRequest> {
        let unusable = |error: &std::io::Error| tracing::debug!(%error, "writers of this database are not queued");
        let file = open_private(&self.path).inspect_err(unusable).ok()?;
        match file.try_lock() {
            Ok(()) => return Some(TurnRequest::Granted(Turn::begin(file))),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => {
                unusable(&error);
                return None;
            }
        }
        let counter = file.try_clone().ok()?;
        // Waiting in the kernel has no timeout, so a thread does it and we wait for the thread.
        let (sender, turn) = sync_channel(1);
        let waits = move || {
            if file.lock().is_ok() {
                // Without a receiver the turn is dropped here, and passes to the next in the queue.
                drop(sender.send(Turn::begin(file)));
            }
        };
        std::thread::Builder::new().name("aludel-queue".into()).spawn(waits).ok()?;
        Some(TurnRequest::Waits(RequestedTurn { turn, counter }))
    }
}

impl Turn {
    /// Counts the turn. If that cannot be written (a full disk), waiters only have their timeout.
    fn begin(lock: File) -> Self {
        let next = turns(&lock).wrapping_add(1).to_le_bytes();
        let mut file = &lock;
        let _uncounted = file.rewind().and_then(|()| file.write_all(&next));
        Self { lock }
    }
}

impl Drop for Turn {
    /// Unlocks explicitly, because a clone of the file may still be open.
    fn drop(&mut self) {
        let _closed_soon = self.lock.unlock();
    }
}

/// The number of turns so far.
fn turns(mut file: &File) -> u64 {
    let mut bytes = [0; 8];
    let read = file.rewind().and_then(|()| file.read_exact(&mut bytes));
    read.map_or(0, |()| u64::from_le_bytes(bytes))
}

/// The shortest wait, so that a turn that has just come is still taken.
const SHORTEST: Duration = Duration::from_millis(1);

/// The longest wait between two looks at the count.
const LONGEST: Duration = Duration::from_secs(5);

enum TurnRequest {
    Granted(Turn),
    Waits(RequestedTurn),
}

fn open_private(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, PRIVATE_FILE);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    const SOON: Duration = Duration::from_millis(20);
    const LATE: Duration = Duration::from_mins(1);

    fn turn(queue: &mut Queue, patience: Duration) -> Option<Turn> {
        queue.turn(Instant::now(), patience).turn
    }

    #[test]
    fn one_has_a_turn_and_the_next_gets_it_when_it_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("aludel.db");
        let (mut first, mut second) = (Queue::of(&database), Queue::of(&database));
        let held = turn(&mut first, SOON).unwrap();
        assert!(turn(&mut second, SOON).is_none());
        drop(held);
        assert!(turn(&mut second, LATE).is_some(), "the place was kept");
    }

    #[test]
    fn a_turn_that_came_too_late_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("aludel.db");
        let (mut first, mut second) = (Queue::of(&database), Queue::of(&database));
        let held = turn(&mut first, SOON).unwrap();
        assert!(turn(&mut second, SOON).is_none());
        drop((second, held));
        assert!(turn(&mut Queue::of(&database), LATE).is_some());
    }

    #[test]
    fn patience_is_for_a_queue_that_stands_still() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("aludel.db");
        let held = turn(&mut Queue::of(&database), SOON).unwrap();
        let mut waits = Queue::of(&database);
        let asked = Instant::now();
        assert!(waits.turn(asked, SOON).turn.is_none(), "nothing moved");
        // Others have had turns since: what counts is when that was noticed.
        let Some(coming) = &waits.coming else { panic!("the place was kept") };
        let before = turns(&coming.counter);
        drop(held);
        let waited = waits.turn(asked, LATE);
        assert!(waited.turn.is_some() && waited.since > asked);
        assert_eq!(turns(&waits.ask_counter()), before + 1);
    }

    impl Queue {
        fn ask_counter(&self) -> File {
            open_private(&self.path).unwrap()
        }
    }

    #[test]
    fn where_the_file_cannot_be_made_writers_go_on_without() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("aludel.db-queue")).unwrap();
        assert!(turn(&mut Queue::of(&folder.path().join("aludel.db")), SOON).is_none());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn turns_come_in_the_order_they_were_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("aludel.db");
        let held = turn(&mut Queue::of(&database), SOON).unwrap();
        let order = Arc::new(Mutex::new(Vec::new()));
        let waiting: Vec<_> = (0..16)
            .map(|number| {
                let mut queue = Queue::of(&database);
                // Queued before the next one asks: the wait is cut short, and the position kept.
                assert!(turn(&mut queue, SOON).is_none());
                are_blocked(number + 1, &queue.path);
                let order = Arc::clone(&order);
                std::thread::spawn(move || {
                    let turn = turn(&mut queue, LATE).unwrap();
                    order.lock().unwrap().push(number);
                    drop(turn);
                })
            })
            .collect();
        drop(held);
        for waits in waiting {
            waits.join().unwrap();
        }
        assert_eq!(*order.lock().unwrap(), (0..16).collect::<Vec<_>>());
    }

    /// Waits until the kernel has this many waiters for the file.
    #[cfg(target_os = "linux")]
    fn are_blocked(wanted: usize, path: &Path) {
        use std::os::unix::fs::MetadataExt as _;
        let inode = format!(":{} ", std::fs::metadata(path).unwrap().ino());
        for _ in 0..1_000_000 {
            let locks = std::fs::read_to_string("/proc/locks").unwrap();
            if locks.lines().filter(|line| line.contains("->") && line.contains(&inode)).count() >= wanted {
                return;
            }
            std::thread::yield_now();
        }
        panic!("{wanted} threads are not in the queue");
    }
}
