//! Tests of the SQLite store as a whole.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::store::samples;

fn store() -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("home").join("aludel.db"));
    (folder, store)
}

#[test]
fn what_is_stored_is_read_back() {
    let (_folder, store) = store();
    store.begin_session(samples::session(0)).wait().unwrap();
    store.append(samples::prompts(3)).wait().unwrap();
    assert_eq!(store.get(samples::prompt(1).id).wait().unwrap(), Some(samples::prompt(1)));
    store.close().wait().unwrap();
}

#[test]
fn sqlite_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let number = AtomicU32::new(0);
    crate::store::conformance::run(|| {
        let name = format!("{}.db", number.fetch_add(1, Ordering::Relaxed));
        Box::new(SqliteStore::open(folder.path().join(name)))
    });
}
