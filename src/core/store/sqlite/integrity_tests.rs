//! Every kind of damage to a real file, and how it is reported.

use std::io::{Seek, SeekFrom, Write};

use super::*;
use crate::store::Store;
use crate::store::samples;
use crate::store::sqlite::SqliteStore;

/// A closed file with some prompts.
fn file(folder: &tempfile::TempDir) -> PathBuf {
    let path = folder.path().join("aludel.db");
    let store = SqliteStore::open(&path);
    store.append((0..40).map(samples::prompt).collect()).wait().unwrap();
    store.close().wait().unwrap();
    path
}

fn change(path: &Path, sql: &str) {
    let opened = connection::open(path, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    opened.connection.execute_batch(sql).unwrap();
}

fn faults(path: &Path, depth: Depth) -> Vec<String> {
    check(path, depth).unwrap().faults
}

#[test]
fn a_whole_file_has_no_faults_and_neither_has_a_missing_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    assert_eq!(check(&path, Depth::Whole).unwrap(), Damage::default());
    assert_eq!(check(&folder.path().join("none.db"), Depth::Whole).unwrap(), Damage::default());
    assert!(!folder.path().join("none.db").exists());
}

#[test]
fn everything_that_is_dropped_is_named_however_quick_the_look() {
    let whole = Objects::of_a_whole_file().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let mut tried = 0;
    for (name, (kind, _)) in &whole.0 {
        let copy = folder.path().join("copy.db");
        std::fs::copy(&path, &copy).unwrap();
        let opened = connection::open(&copy, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
        // FTS5's shadow tables cannot be dropped.
        if opened.connection.execute_batch(&format!("PRAGMA foreign_keys = OFF; DROP {kind} \"{name}\"")).is_ok() {
            tried += 1;
            let wanted = format!("the {kind} `{name}` is missing");
            assert!(faults(&copy, Depth::Schema).contains(&wanted), "{wanted}");
        }
    }
    assert!(tried > 20, "only {tried} objects could be dropped");
}

#[test]
fn a_column_that_is_gone_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    change(&path, "DROP INDEX IF EXISTS prompts_by_persona; ALTER TABLE prompts RENAME COLUMN notes TO remarks");
    assert!(faults(&path, Depth::Schema).contains(&"the column `prompts.notes` is missing".to_owned()));
}

#[test]
fn a_lost_page_is_found_by_the_whole_look_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let size = std::fs::metadata(&path).unwrap().len();
    let page = 4096;
    let broken = (2..size / page).rev().find(|number| {
        let copy = folder.path().join("copy.db");
        std::fs::copy(&path, &copy).unwrap();
        let mut opened = std::fs::OpenOptions::new().write(true).open(&copy).unwrap();
        opened.seek(SeekFrom::Start(number * page)).unwrap();
        opened.write_all(&[0; 4096]).unwrap();
        drop(opened);
        let Ok(quick) = check(&copy, Depth::Schema) else { return false };
        let whole = check(&copy, Depth::Whole).unwrap();
        quick.faults.is_empty() && !whole.faults.is_empty() && !whole.is_index_alone
    });
    assert!(broken.is_some(), "no page was missed");
}

#[test]
fn an_index_of_words_that_lost_a_row_is_told_apart_and_backups_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let backup = folder.path().join("aludel.db.backup-v1-20260101T000000Z");
    std::fs::write(&backup, "a copy").unwrap();
    let opened = connection::open(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let data: String = opened
        .connection
        .query_row("SELECT name FROM sqlite_schema WHERE name LIKE '%\\_data' ESCAPE '\\'", [], |row| row.get(0))
        .unwrap();
    drop(opened);
    change(&path, &format!("UPDATE {data} SET block = zeroblob(8) WHERE id > 10"));
    let damage = check(&path, Depth::Whole).unwrap();
    assert!(damage.is_index_alone, "{:?}", damage.faults);
    assert_eq!(damage.backups, [backup]);
}

#[test]
fn a_file_can_be_written_while_another_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let other = connection::open(&path, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    other.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    check_writable(&path).unwrap();
}
