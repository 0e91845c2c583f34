//! Group commits, failing jobs, a full disk, a locked file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::*;
use crate::domain::{Filter, Prompt};
use crate::error::Code;
use crate::store::Store;
use crate::store::samples;
use crate::store::sqlite::connection::LOCK_TIMEOUT;
use crate::store::sqlite::{SqliteStore, prompts};

fn folder_and_path() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aludel.db");
    migrate::run(&path).unwrap();
    (folder, path)
}

fn append(prompt: Prompt) -> (Box<dyn Job>, Pending<()>) {
    let prompt = [prompt];
    let entries = super::super::terms::entries(&prompt);
    job("storing prompts", LOCK_TIMEOUT, Flush::Now, move |connection| prompts::append(connection, &prompt, &entries))
}

fn large(seed: u32, bytes: usize) -> Prompt {
    Prompt { content: "x".repeat(bytes), steps: Vec::new(), ..samples::prompt(seed) }
}

fn count(path: &Path) -> u64 {
    SqliteStore::open(path).count(Filter::default()).wait().unwrap()
}

/// Commits in the log: frames whose header says how large the database is after them
/// (<https://www.sqlite.org/fileformat2.html#walformat>).
fn commits(path: &Path) -> usize {
    let log = std::fs::read(path.with_file_name("aludel.db-wal")).unwrap();
    let number = |at: usize| u32::from_be_bytes(log[at..at + 4].try_into().unwrap());
    let (salt, page) = (number(16), number(8) as usize);
    (32..log.len()).step_by(24 + page).filter(|frame| number(frame + 4) != 0 && number(frame + 8) == salt).count()
}

/// A job that sees how far the commit it is part of waits for the disk: 1 is NORMAL, 2 is FULL.
fn seeing(flush: Flush) -> (Box<dyn Job>, Pending<i32>) {
    job("looking", LOCK_TIMEOUT, flush, |connection| {
        Ok(connection.query_row("PRAGMA synchronous", [], |row| row.get(0))?)
    })
}

#[test]
fn a_commit_is_flushed_unless_all_that_it_holds_can_be_lost() {
    let (_folder, path) = folder_and_path();
    let mut thread = WriterThread {
        place: Arc::new(DatabaseFile::of(&path)),
        waiting: sync_channel(1).1,
        queue: Queue::of(&path),
        opened: None,
    };
    for (together, expected) in [
        (vec![Flush::Now], 2),
        (vec![Flush::Later], 1),
        (vec![Flush::Later, Flush::Later], 1),
        (vec![Flush::Later, Flush::Now], 2),
        (vec![Flush::Now], 2),
    ] {
        let (batch, seen): (Vec<_>, Vec<_>) = together.iter().map(|flush| seeing(*flush)).unzip();
        thread.write(batch, Instant::now());
        for pending in seen {
            assert_eq!(pending.wait().unwrap(), expected, "{together:?}");
        }
    }
}

#[test]
fn without_a_write_ahead_log_every_commit_is_flushed() {
    let (_folder, path) = folder_and_path();
    let connection = connection::open_for_writing(&path).unwrap().connection;
    connection.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get::<_, String>(0)).unwrap();
    assert!(!connection::leave_commits_unflushed(&connection).unwrap());
    let level: i32 = connection.query_row("PRAGMA synchronous", [], |row| row.get(0)).unwrap();
    assert_eq!(level, 2);
}

#[test]
fn what_has_queued_up_is_committed_together() {
    let (_folder, path) = folder_and_path();
    let store = SqliteStore::open(&path);
    store.append(vec![samples::prompt(100)]).wait().unwrap();
    let before = commits(&path);

    // While another connection writes, jobs queue up; then they are committed together.
    let other = connection::open_for_writing(&path).unwrap().connection;
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answers: Vec<_> = samples::prompts(50).into_iter().map(|prompt| store.append(vec![prompt])).collect();
    other.execute_batch("ROLLBACK").unwrap();
    for answer in answers {
        answer.wait().unwrap();
    }
    // The writer may take the first before the others are queued.
    let more = commits(&path) - before;
    assert!((1..=2).contains(&more), "50 jobs took {more} commits");
    assert_eq!(count(&path), 51);
}

#[test]
fn jobs_of_one_commit_leave_one_segment_of_words() {
    let (_folder, path) = folder_and_path();
    let mut opened = open(&DatabaseFile::of(&path), LOCK_TIMEOUT).unwrap();
    let (mut jobs, _answers): (Vec<_>, Vec<_>) = (0..40).map(samples::prompt).map(append).unzip();
    let outcomes = commit_together(&mut opened.connection, &mut jobs).ok().unwrap();
    assert!(outcomes.iter().all(Result::is_ok));
    let segments = "SELECT count(DISTINCT segid) FROM prompt_terms_idx";
    assert_eq!(opened.connection.query_row(segments, [], |row| row.get::<_, i64>(0)).unwrap(), 1);
    assert_eq!(count(&path), 40);
}

#[test]
fn a_job_that_fails_takes_no_other_with_it() {
    let (_folder, path) = folder_and_path();
    let mut opened = open(&DatabaseFile::of(&path), LOCK_TIMEOUT).unwrap();
    let (mut jobs, answers): (Vec<_>, Vec<_>) =
        [1, 2, 2, 3].map(|seed| append(samples::prompt(seed))).into_iter().unzip();
    let outcomes = commit_together(&mut opened.connection, &mut jobs).ok().unwrap();
    assert_eq!(outcomes.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false, true]);
    for (job, outcome) in jobs.into_iter().zip(outcomes) {
        job.answer(outcome.map_err(|failure| failure.explain(&DatabaseFile::of(&path), "storing prompts")));
    }
    let codes: Vec<_> = answers.into_iter().map(|answer| answer.wait().err().map(|error| error.code())).collect();
    assert_eq!(codes, [None, None, Some(Code::Conflict), None]);
    assert_eq!(count(&path), 3);
}

#[test]
fn a_full_disk_refuses_what_does_not_fit_and_keeps_the_rest() {
    let (_folder, path) = folder_and_path();
    let opened = open(&DatabaseFile::of(&path), LOCK_TIMEOUT).unwrap();
    let pages: i64 = opened.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    opened.connection.query_row(&format!("PRAGMA max_page_count = {}", pages + 20), [], |_| Ok(())).unwrap();

    let (queue, waiting) = sync_channel(QUEUE);
    let place = Arc::new(DatabaseFile::of(&path));
    let writer = Writer { queue, place: Arc::clone(&place) };
    let jobs = [large(1, 100), large(2, 400_000), large(3, 100), large(4, 400_000)].map(append);
    let answers = jobs.map(|(job, answer)| {
        writer.send(job);
        answer
    });
    drop(writer);
    let queue = Queue::of(&path);
    WriterThread { place, waiting, queue, opened: Some(opened) }.run();

    let outcomes = answers.map(Pending::wait);
    assert_eq!(outcomes.each_ref().map(Result::is_ok), [true, false, true, false]);
    let error = outcomes[1].as_ref().unwrap_err();
    assert_eq!(error.code(), Code::Storage);
    let text = error.to_string();
    assert!(text.contains("no space is left") && text.contains("free some space"), "{text}");
    assert_eq!(count(&path), 2);
    let sound: String = connection::open_for_reading(&path)
        .unwrap()
        .unwrap()
        .connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(sound, "ok");
}

#[test]
fn a_lock_that_is_let_go_is_waited_for() {
    let (_folder, path) = folder_and_path();
    let store = SqliteStore::open(&path);
    let other = connection::open_for_writing(&path).unwrap().connection;
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut answer = Box::pin(store.append(vec![samples::prompt(1)]));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(std::future::Future::poll(answer.as_mut(), &mut context).is_pending());
    // Reading goes on meanwhile.
    assert_eq!(store.count(Filter::default()).wait().unwrap(), 0);
    other.execute_batch("COMMIT").unwrap();
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(answer).unwrap();
    assert_eq!(count(&path), 1);
}

#[test]
fn a_lock_that_stays_is_an_error_that_says_what_to_do() {
    let (_folder, path) = folder_and_path();
    let other = connection::open_for_writing(&path).unwrap().connection;
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut impatient = open(&DatabaseFile::of(&path), LOCK_TIMEOUT).unwrap();
    impatient.connection.busy_timeout(Duration::from_millis(20)).unwrap();
    let (job, _answer) = append(samples::prompt(1));
    let Err(CommitFailure::All(failure)) = commit_together(&mut impatient.connection, &mut [job]) else {
        panic!("a locked database must not be written")
    };
    assert!(failure.is_busy());
    let text = failure.explain(&DatabaseFile::of(&path), "storing prompts").to_string();
    assert!(text.contains("another process has locked the database") && text.contains("stop it"), "{text}");
}

#[test]
fn a_file_that_cannot_be_written_says_so() {
    let (_folder, path) = folder_and_path();
    let mut read_only = connection::open_for_reading(&path).unwrap().unwrap();
    let (job, _answer) = append(samples::prompt(1));
    let mut outcomes = commit_together(&mut read_only.connection, &mut [job]).ok().unwrap();
    let text = outcomes.remove(0).unwrap_err().explain(&DatabaseFile::of(&path), "storing prompts").to_string();
    assert!(text.contains("read-only") && text.contains("write permission"), "{text}");
}

#[test]
fn the_writer_opens_anew_once_what_was_wrong_is_mended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aludel.db");
    std::fs::create_dir(&path).unwrap();
    let store = SqliteStore::open(&path);
    assert_eq!(store.append(samples::prompts(1)).wait().unwrap_err().code(), Code::File);
    std::fs::remove_dir(&path).unwrap();
    store.append(samples::prompts(1)).wait().unwrap();
    assert_eq!(count(&path), 1);
}
