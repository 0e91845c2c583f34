//! Migrations: fresh files, old ones, and files that are refused.

use super::*;

#[test]
fn a_fresh_file_is_brought_to_the_newest_format_without_a_backup() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new").join("aludel.db");
    let before = status(&path).unwrap();
    assert_eq!((before.exists, before.current, before.latest, before.pending.len()), (false, 0, LATEST, 1));
    assert!(!path.parent().unwrap().exists(), "looking must not create anything");

    let report = run(&path).unwrap();
    assert_eq!((report.from, report.to, report.backup), (0, LATEST, None));
    let after = status(&path).unwrap();
    assert_eq!((after.exists, after.current, after.pending.len()), (true, LATEST, 0));
    assert_eq!(run(&path).unwrap().applied, Vec::<String>::new());
}
