//! The SQLite store as a whole: conformance, several stores on one file, the file's life.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::error::Code;
use crate::store::{Edit, conformance, samples};

fn folder_and_path() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("home").join("aludel.db");
    (folder, path)
}

fn count(store: &SqliteStore) -> u64 {
    store.count(Filter::default()).wait().unwrap()
}

#[test]
fn sqlite_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let number = AtomicU32::new(0);
    conformance::run(|| {
        let name = format!("{}.db", number.fetch_add(1, Ordering::Relaxed));
        Box::new(SqliteStore::open(folder.path().join(name)))
    });
}

#[test]
fn reading_what_does_not_exist_creates_nothing() {
    let (folder, path) = folder_and_path();
    let store = SqliteStore::open(&path);
    assert_eq!(count(&store), 0);
    store.close().wait().unwrap();
    drop(store);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn reading_starts_no_thread() {
    let (_folder, path) = folder_and_path();
    SqliteStore::open(&path).append(samples::prompts(3)).wait().unwrap();
    let store = SqliteStore::open(&path);
    assert_eq!(count(&store), 3);
    assert!(lock(&store.writing).thread.is_none());
}

#[test]
fn what_one_store_writes_another_reads_at_once() {
    let (_folder, path) = folder_and_path();
    let (writer, reader) = (SqliteStore::open(&path), SqliteStore::open(&path));
    for seed in 0..20 {
        assert_eq!(count(&reader), u64::from(seed));
        writer.append(vec![samples::prompt(seed)]).wait().unwrap();
    }
    // And in the other direction.
    reader.append(vec![samples::prompt(20)]).wait().unwrap();
    assert_eq!(count(&writer), 21);
}

#[test]
fn many_stores_may_meet_a_missing_file_at_once() {
    let (_folder, path) = folder_and_path();
    let together = Barrier::new(12);
    std::thread::scope(|scope| {
        for thread in 0..12 {
            let (path, together) = (&path, &together);
            scope.spawn(move || {
                let store = SqliteStore::open(path);
                together.wait();
                if thread % 3 == 0 {
                    count(&store);
                }
                for number in 0..4 {
                    store.append(vec![samples::prompt(thread * 4 + number)]).wait().unwrap();
                }
                store.close().wait().unwrap();
            });
        }
    });
    let store = SqliteStore::open(&path);
    let all = conformance::read_all(&store, &Filter::default(), Order::Oldest, 100);
    assert_eq!(all, samples::prompts(48));
}

#[test]
fn edits_of_two_stores_do_not_overwrite_each_other() {
    let (_folder, path) = folder_and_path();
    let stores = [SqliteStore::open(&path), SqliteStore::open(&path)];
    let id = samples::prompt(1).id;
    stores[0].append(vec![samples::prompt(1)]).wait().unwrap();
    std::thread::scope(|scope| {
        for (name, store) in ["a", "b"].into_iter().zip(&stores) {
            scope.spawn(move || {
                for number in 0..10 {
                    let edit = Edit { add_tags: vec![format!("{name}{number}")], ..Edit::default() };
                    let mutation = Mutation::Edit { id, expected_revision: None, edit, at: samples::moment(number) };
                    store.apply(mutation).wait().unwrap();
                }
            });
        }
    });
    let prompt = stores[0].get(id).wait().unwrap().unwrap();
    assert_eq!((prompt.tags.len(), prompt.revision), (22, 21));
}

#[test]
fn closing_leaves_one_file_with_everything_in_it() {
    let (_folder, path) = folder_and_path();
    let store = SqliteStore::open(&path);
    let answers: Vec<_> = samples::prompts(30).into_iter().map(|prompt| store.append(vec![prompt])).collect();
    store.close().wait().unwrap();
    for answer in answers {
        answer.wait().unwrap();
    }
    let mut names: Vec<_> =
        std::fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort_unstable();
    assert_eq!(names, ["aludel.db", "aludel.db-queue"], "the log is folded in");
    assert_eq!(count(&SqliteStore::open(&path)), 30);
}

#[test]
fn dropping_a_store_writes_what_is_queued() {
    let (_folder, path) = folder_and_path();
    let store = SqliteStore::open(&path);
    for prompt in samples::prompts(30) {
        // Not waited for.
        drop(store.append(vec![prompt]));
    }
    drop(store);
    assert_eq!(count(&SqliteStore::open(&path)), 30);
}

#[test]
fn an_answer_can_be_awaited_in_a_runtime() {
    let (_folder, path) = folder_and_path();
    let store = SqliteStore::open(&path);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        store.append(samples::prompts(3)).await.unwrap();
        assert_eq!(store.count(Filter::default()).await.unwrap(), 3);
        store.close().await.unwrap();
    });
}

#[test]
fn a_file_made_newer_while_it_is_open_is_no_longer_written() {
    let (_folder, path) = folder_and_path();
    let store = SqliteStore::open(&path);
    store.append(vec![samples::prompt(1)]).wait().unwrap();
    assert_eq!(count(&store), 1);
    let newer = connection::open_for_writing(&path).unwrap().connection;
    newer.execute_batch("PRAGMA user_version = 99").unwrap();
    let error = store.append(vec![samples::prompt(2)]).wait().unwrap_err();
    assert!(error.to_string().contains("format 99"), "{error}");
    let error = store.count(Filter::default()).wait().unwrap_err();
    assert!(error.to_string().contains("format 99"), "{error}");
    newer.pragma_update(None, "user_version", migrate::LATEST).unwrap();
    assert_eq!(count(&store), 1);
    store.append(vec![samples::prompt(2)]).wait().unwrap();
}

#[test]
fn a_row_no_version_can_have_written_is_named() {
    let (_folder, path) = folder_and_path();
    let store = SqliteStore::open(&path);
    store.append(samples::prompts(2)).wait().unwrap();
    let by_hand = connection::open_for_writing(&path).unwrap().connection;
    for (damage, words) in [
        ("UPDATE prompts SET phase = 'nonsense' WHERE key = 1", "column `phase`: `nonsense` is not a phase"),
        ("UPDATE prompts SET phase = 'solutio', source = 'x' WHERE key = 1", "column `source`: `x` is not a source"),
        ("UPDATE prompts SET source = 'manual', context = '[1]' WHERE key = 1", "column `context`"),
        ("UPDATE prompts SET context = '[]', variant = -1 WHERE key = 1", "column `variant`"),
    ] {
        by_hand.execute_batch(damage).unwrap();
        let error = store.get(samples::prompt(0).id).wait().unwrap_err();
        assert_eq!(error.code(), Code::Storage);
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(store.get(samples::prompt(1).id).wait().unwrap(), Some(samples::prompt(1)));
    }
}

#[test]
fn errors_call_the_file_as_they_are_told() {
    let (_folder, path) = folder_and_path();
    std::fs::create_dir_all(&path).unwrap();
    let store = SqliteStore::open(&path).shown_as("the database");
    for error in
        [store.count(Filter::default()).wait().unwrap_err(), store.append(samples::prompts(1)).wait().unwrap_err()]
    {
        let text = error.to_string();
        assert!(text.contains("`the database`") && !text.contains(path.to_str().unwrap()), "{text}");
    }
}

#[test]
fn debug_output_names_the_file() {
    let store = SqliteStore::open("relative.db");
    assert!(store.path().is_absolute());
    assert!(format!("{store:?}").contains("relative.db"));
}
