//! Files of prompt-alchemy, made here as it makes them.

use super::*;
use crate::error::Code;

#[expect(clippy::disallowed_methods, reason = "another program's file is made here")]
fn file(folder: &Path, sql: &str) -> PathBuf {
    let path = folder.join("alchemy.db");
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    path
}

#[test]
fn rows_come_by_name_a_page_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(
        folder.path(),
        "CREATE TABLE prompts (id TEXT PRIMARY KEY, content TEXT NOT NULL, Temperature REAL, odd TEXT, tags BLOB);
         INSERT INTO prompts VALUES ('a', 'one', 0.5, 'x', NULL), ('b', 'two', NULL, 'x', CAST('[]' AS BLOB)),
             ('c', 'three', 1, 'x', x'ff');",
    );
    let alchemy = AlchemyFile::open(&path).unwrap();
    assert_eq!(alchemy.rows(), 3);
    let first = alchemy.rows_after(i64::MIN, 2).unwrap();
    assert_eq!(first.len(), 2);
    assert_eq!(first[0].cells["temperature"], Cell::Real(0.5));
    assert!(!first[0].cells.contains_key("tags") && !first[1].cells.contains_key("temperature"));
    assert_eq!(first[1].cells["tags"], Cell::Text("[]".into()));
    let second = alchemy.rows_after(first[1].number, 2).unwrap();
    assert_eq!((second.len(), &second[0].cells["tags"]), (1, &Cell::Bytes));
    assert!(alchemy.rows_after(second[0].number, 2).unwrap().is_empty());
}

#[test]
fn the_file_and_what_lies_beside_it_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(
        folder.path(),
        "PRAGMA journal_mode = WAL; CREATE TABLE prompts (content TEXT); INSERT INTO prompts VALUES ('one');",
    );
    let before = std::fs::read(&path).unwrap();
    let alchemy = AlchemyFile::open(&path).unwrap();
    assert_eq!(alchemy.rows_after(i64::MIN, 9).unwrap().len(), 1);
    drop(alchemy);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "something was left beside it");
}

#[test]
fn what_is_no_file_of_that_program_is_told_why() {
    let folder = tempfile::tempdir().unwrap();
    let said = |path: &Path| {
        let error = AlchemyFile::open(path).unwrap_err();
        assert_eq!(error.code(), Code::File);
        error.to_string()
    };
    let text = folder.path().join("a.txt");
    std::fs::write(&text, "hello").unwrap();
    assert!(said(&text).contains("not a SQLite database"));
    assert!(said(&folder.path().join("none.db")).contains("there is no such file"));
    let other = tempfile::tempdir().unwrap();
    assert!(said(&file(other.path(), "CREATE TABLE notes (text TEXT)")).contains("no table `prompts`"));
    let other = tempfile::tempdir().unwrap();
    assert!(said(&file(other.path(), "CREATE TABLE prompts (id TEXT)")).contains("no column `content`"));
    let other = tempfile::tempdir().unwrap();
    let ours = format!("PRAGMA application_id = {APPLICATION_ID}; CREATE TABLE prompts (content TEXT)");
    assert!(said(&file(other.path(), &ours)).contains("aludel itself"));
}
