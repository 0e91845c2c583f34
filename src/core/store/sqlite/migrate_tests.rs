//! Migrations: fresh files, old ones, races, and files that are refused and left unchanged.

use std::sync::{Barrier, LazyLock};

use super::*;
use crate::domain::{Filter, Prompt};
use crate::error::Code;
use crate::store::sqlite::SqliteStore;
use crate::store::{FindStore, MeasureStore, Store, samples};

/// The migrations of a later program: ours and one more.
static LATER: LazyLock<Vec<Migration>> =
    LazyLock::new(|| and_one_more("later", "CREATE TABLE later (key INTEGER PRIMARY KEY) STRICT;"));

fn and_one_more(name: &'static str, sql: &'static str) -> Vec<Migration> {
    MIGRATIONS.iter().copied().chain([Migration::of(name, sql)]).collect()
}

fn folder_and_path() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aludel.db");
    (folder, path)
}

/// A closed database of the newest format with one prompt.
fn filled(path: &Path) -> Prompt {
    let store = SqliteStore::open(path);
    let prompt = samples::prompt(1);
    store.append(vec![prompt.clone()]).wait().unwrap();
    store.close().wait().unwrap();
    prompt
}

fn sql(path: &Path, statements: &str) {
    let opened = connection::open_for_writing(path).unwrap();
    opened.connection.execute_batch(statements).unwrap();
}

fn files(folder: &tempfile::TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// Asserts that every use of the file fails with this code and words, leaving it unchanged.
fn assert_refused(path: &Path, code: Code, words: &[&str]) {
    let before = std::fs::read(path).ok();
    let store = SqliteStore::open(path);
    let errors = [
        status(path).unwrap_err(),
        run(path).unwrap_err(),
        store.count(Filter::default()).wait().unwrap_err(),
        store.append(samples::prompts(1)).wait().unwrap_err(),
    ];
    store.close().wait().unwrap();
    for error in errors {
        let text = error.to_string();
        assert_eq!(error.code(), code, "{text}");
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
        assert!(text.contains(path.to_str().unwrap()), "{text}");
    }
    assert_eq!(std::fs::read(path).ok(), before, "a refused file was changed");
}

#[test]
fn a_fresh_file_is_brought_to_the_newest_format_without_a_backup() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new").join("aludel.db");
    let before = status(&path).unwrap();
    assert_eq!(
        (before.exists, before.current, before.latest, before.pending.len()),
        (false, 0, LATEST, MIGRATIONS.len())
    );
    assert!(!path.parent().unwrap().exists(), "looking must not create anything");

    let report = run(&path).unwrap();
    assert_eq!((report.from, report.to, report.backup), (0, LATEST, None));
    assert_eq!(
        report.applied,
        [
            "0001_prompts",
            "0002_spend",
            "0003_terms",
            "0004_vectors",
            "0005_lineage",
            "0006_judgements",
            "0007_lengths",
            "0008_forms",
            "0009_totals",
            "0010_trash",
            "0011_score_formula",
            "0012_jobs",
            "0013_idempotency",
            "0014_callers",
            "0015_changes"
        ]
    );
    let after = status(&path).unwrap();
    assert_eq!((after.exists, after.current, after.pending.len()), (true, LATEST, 0));
    assert_eq!(run(&path).unwrap().applied, Vec::<String>::new());
}

#[test]
fn an_old_file_is_copied_aside_and_keeps_what_is_in_it() {
    let (folder, path) = folder_and_path();
    let prompt = filled(&path);
    assert_eq!(read_status(&path, &LATER).unwrap().pending, ["later"]);

    let report = run_these(&DatabaseFile::of(&path), &LATER).unwrap();
    assert_eq!((report.from, report.to, report.applied), (LATEST, LATEST + 1, vec!["later".to_owned()]));
    let backup = report.backup.unwrap();
    let beginning = format!("aludel.db.backup-v{LATEST}-2");
    assert!(backup.file_name().unwrap().to_str().unwrap().starts_with(&beginning), "{backup:?}");
    assert_eq!(files(&folder), ["aludel.db", "aludel.db-queue", backup.file_name().unwrap().to_str().unwrap()]);
    assert_eq!(read_status(&path, &LATER).unwrap().current, LATEST + 1);

    // The backup is a complete database of the old format.
    assert_eq!(SqliteStore::open(&backup).get(prompt.id).wait().unwrap(), Some(prompt));
}

#[cfg(unix)]
#[test]
fn files_are_readable_by_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep").join("home").join("aludel.db");
    let prompt = samples::prompt(1);
    let store = SqliteStore::open(&path);
    store.append(vec![prompt]).wait().unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(path.parent().unwrap()), mode(&path)), (0o700, 0o600));
    assert_eq!(mode(&path.with_file_name("aludel.db-wal")), 0o600);
    store.close().wait().unwrap();
    let backup = run_these(&DatabaseFile::of(&path), &LATER).unwrap().backup.unwrap();
    assert_eq!(mode(&backup), 0o600);
}

#[test]
fn a_file_of_the_first_format_gets_its_spend_tables_and_keeps_its_prompts() {
    let (_folder, path) = folder_and_path();
    run_these(&DatabaseFile::of(&path), &MIGRATIONS[..1]).unwrap();
    assert_eq!(
        status(&path).unwrap().pending,
        [
            "0002_spend",
            "0003_terms",
            "0004_vectors",
            "0005_lineage",
            "0006_judgements",
            "0007_lengths",
            "0008_forms",
            "0009_totals",
            "0010_trash",
            "0011_score_formula",
            "0012_jobs",
            "0013_idempotency",
            "0014_callers",
            "0015_changes"
        ]
    );
    let store = SqliteStore::open(&path);
    assert_eq!(
        crate::store::SpendStore::spend(&store, crate::store::SpendQuery::default()).wait().unwrap()[0].calls,
        0
    );
    assert_eq!(filled(&path), samples::prompt(1));
    assert_eq!(status(&path).unwrap().current, LATEST);
}

#[test]
fn the_words_of_a_file_from_before_there_was_an_index_are_found() {
    const PROMPTS: u32 = 1_100;
    let (folder, path) = folder_and_path();
    let newest = folder.path().join("newest.db");
    let store = SqliteStore::open(&newest);
    store.append(samples::prompts(PROMPTS)).wait().unwrap();
    store.close().wait().unwrap();
    run_these(&DatabaseFile::of(&path), &MIGRATIONS[..2]).unwrap();
    let opened = connection::open_for_writing(&path).unwrap().connection;
    opened.execute("ATTACH ? AS newest", [newest.to_str().unwrap()]).unwrap();
    for table in ["sessions", "prompts", "steps", "tags"] {
        let columns: String =
            opened.query_row("SELECT group_concat(name) FROM pragma_table_info(?)", [table], |row| row.get(0)).unwrap();
        let copy = format!("INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newest.{table}");
        opened.execute(&copy, []).unwrap();
    }
    drop(opened);

    let store = SqliteStore::open(&path);
    let found = |typed: &str| {
        let query = crate::text::query::TextQuery::parse(typed);
        let wanted = crate::store::Lexical { query, filter: Filter::default(), limit: 3, offset: 0 };
        let found = crate::store::FindStore::lexical(&store, wanted).wait().unwrap();
        (found.total, found.hits[0].id)
    };
    assert_eq!(found("\"task 1077\""), (1, samples::prompt(1_077).id));
    assert_eq!(found("haiku").0, u64::from(PROMPTS));
    let measured = MeasureStore::measure(&store, Filter::default(), Vec::new()).wait().unwrap();
    assert_eq!(measured.total.prompts, u64::from(PROMPTS));
    crate::store::sqlite::terms::tests::assert_index_says_what_the_rows_say(&path);
}

#[test]
fn two_backups_of_one_second_have_two_names() {
    let (folder, path) = folder_and_path();
    filled(&path);
    let first = copy_aside(&path, 1).unwrap();
    let second = copy_aside(&path, 1).unwrap();
    assert_ne!(first, second);
    assert_eq!(files(&folder).iter().filter(|name| name.contains(".backup-v1-")).count(), 2);
}

#[test]
fn a_migration_that_fails_changes_nothing() {
    let (_folder, path) = folder_and_path();
    let prompt = filled(&path);
    let broken = and_one_more("broken", "CREATE TABLE half (key INTEGER PRIMARY KEY); INSERT INTO nowhere VALUES (1);");
    assert!(run_these(&DatabaseFile::of(&path), &broken).is_err());
    assert_eq!(status(&path).unwrap().current, LATEST);
    let opened = connection::open_for_writing(&path).unwrap();
    assert!(opened.connection.prepare("SELECT * FROM half").is_err());
    assert_eq!(SqliteStore::open(&path).get(prompt.id).wait().unwrap(), Some(prompt));
}

#[test]
fn of_many_that_meet_an_old_file_one_migrates() {
    let (folder, path) = folder_and_path();
    filled(&path);
    let together = Barrier::new(6);
    let reports: Vec<MigrationReport> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    together.wait();
                    run_these(&DatabaseFile::of(&path), &LATER).unwrap()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(reports.iter().filter(|report| report.backup.is_some()).count(), 1);
    assert_eq!(reports.iter().map(|report| report.applied.len()).sum::<usize>(), 1);
    assert_eq!(files(&folder).len(), 3, "the database, its queue of writers, one copy");
}

#[test]
fn a_read_migrates_an_old_file() {
    let (folder, path) = folder_and_path();
    sql(&path, &format!("PRAGMA application_id = {APPLICATION_ID};"));
    assert_eq!(status(&path).unwrap().current, 0);
    assert_eq!(SqliteStore::open(&path).count(Filter::default()).wait().unwrap(), 0);
    assert_eq!(status(&path).unwrap().current, LATEST);
    assert!(files(&folder).iter().any(|name| name.contains(".backup-v0-")), "what held something is copied aside");
}

#[test]
fn an_empty_file_is_taken_as_a_fresh_one() {
    let (folder, path) = folder_and_path();
    std::fs::write(&path, "").unwrap();
    let store = SqliteStore::open(&path);
    assert_eq!(store.count(Filter::default()).wait().unwrap(), 0);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0, "a read must not write");
    store.append(samples::prompts(1)).wait().unwrap();
    store.close().wait().unwrap();
    assert_eq!(files(&folder), ["aludel.db", "aludel.db-queue"]);
}

#[test]
fn a_newer_file_is_refused() {
    let (_folder, path) = folder_and_path();
    filled(&path);
    let newer = LATEST + 1;
    sql(&path, &format!("PRAGMA user_version = {newer}; PRAGMA wal_checkpoint(TRUNCATE);"));
    let (says, knows) = (format!("format {newer}"), format!("up to {LATEST}"));
    assert_refused(&path, Code::Storage, &[&says, &knows, "newer aludel"]);
}

#[test]
fn another_programs_database_is_refused() {
    let (_folder, path) = folder_and_path();
    sql(&path, "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1);");
    assert_refused(&path, Code::Storage, &["another program", "storage.database"]);
    sql(&path, "DROP TABLE theirs; PRAGMA application_id = 77;");
    assert_refused(&path, Code::Storage, &["another program"]);
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let (_folder, path) = folder_and_path();
    std::fs::write(&path, "name: value\n".repeat(2000)).unwrap();
    assert_refused(&path, Code::Storage, &["not an aludel database", "storage.database"]);
}

#[test]
fn a_damaged_file_is_refused_with_the_way_out() {
    let (_folder, path) = folder_and_path();
    filled(&path);
    let mut bytes = std::fs::read(&path).unwrap();
    // Keep the header; overwrite the rest.
    bytes[100..].fill(0xA5);
    std::fs::write(&path, &bytes).unwrap();
    let store = SqliteStore::open(&path);
    for error in
        [store.count(Filter::default()).wait().unwrap_err(), store.append(samples::prompts(1)).wait().unwrap_err()]
    {
        let text = error.to_string();
        assert_eq!(error.code(), Code::Storage);
        assert!(text.contains("is damaged") && text.contains("aludel.db.backup-"), "{text}");
    }
}

#[test]
fn a_folder_in_the_place_of_the_file_is_refused() {
    let (_folder, path) = folder_and_path();
    std::fs::create_dir(&path).unwrap();
    assert_refused(&path, Code::File, &["it is a folder", "storage.database"]);
}

#[test]
fn a_file_in_the_place_of_the_folder_is_refused() {
    let (_folder, blocked) = folder_and_path();
    std::fs::write(&blocked, "a file").unwrap();
    assert_refused(&blocked.join("aludel.db"), Code::File, &["cannot open", "storage.database"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let error = run(Path::new("/proc/aludel/home/aludel.db")).unwrap_err();
    assert_eq!(error.code(), Code::File);
    let text = error.to_string();
    assert!(
        text.contains("cannot create the folder of `/proc/aludel/home/aludel.db`") && text.contains("--data-dir"),
        "{text}"
    );
}

#[test]
fn a_database_moved_into_the_place_is_seen() {
    let (folder, path) = folder_and_path();
    let other = folder.path().join("other.db");
    filled(&other);
    let store = SqliteStore::open(&path);
    store.append(vec![samples::prompt(5), samples::prompt(6)]).wait().unwrap();
    assert_eq!(store.count(Filter::default()).wait().unwrap(), 2);
    for leftover in ["aludel.db", "aludel.db-wal", "aludel.db-shm"] {
        std::fs::remove_file(folder.path().join(leftover)).unwrap();
    }
    std::fs::rename(&other, &path).unwrap();
    assert_eq!(store.get(samples::prompt(1).id).wait().unwrap(), Some(samples::prompt(1)));
    store.append(vec![samples::prompt(7)]).wait().unwrap();
    store.close().wait().unwrap();
    assert_eq!(SqliteStore::open(&path).count(Filter::default()).wait().unwrap(), 2);
}

#[test]
fn a_migration_of_many_rows_tells_how_far_it_is() {
    let (_folder, path) = folder_and_path();
    run_these(&DatabaseFile::of(&path), &MIGRATIONS[..2]).unwrap();
    sql(
        &path,
        "PRAGMA foreign_keys = OFF;
         WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1200)
         INSERT INTO prompts (id, id_tail, session_id, variant, revision, created_at, updated_at, temperature, max_tokens,
             phase, persona, provider, model, source, strategy, model_metadata, context, original_input, content)
         SELECT CAST(printf('%016d', n) AS BLOB), CAST(printf('%08d', n) AS BLOB), zeroblob(16), 0, 1, n, n, 0.5, 1,
             'solutio', 'p', 'p', 'm', 'generated', 's', '{}', '[]', 'sea', 'tide ' || n
         FROM numbers",
    );
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    let to = Arc::clone(&told);
    run_watched(&path, Watch::by(move |progress| to.lock().unwrap().push(progress))).unwrap();
    let told = told.lock().unwrap().clone();
    let of_terms: Vec<u64> = told.iter().filter(|told| told.migration == "0008_forms").map(|told| told.done).collect();
    assert_eq!(of_terms, [0, 500, 1_000, 1_200]);
    assert!(told.iter().all(|told| told.total == 1_200 && told.done <= told.total), "{told:?}");
    let migrated = connection::open_for_reading(&path).unwrap().unwrap().connection;
    crate::store::sqlite::ranking::tests::assert_lengths_are_those_of_fts5(&migrated);
    assert_eq!(SqliteStore::open(&path).count(Filter::default()).wait().unwrap(), 1_200);
    // The same when a command opens the file first.
    let (_folder, path) = folder_and_path();
    run_these(&DatabaseFile::of(&path), &MIGRATIONS[..2]).unwrap();
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    let to = Arc::clone(&told);
    let store =
        SqliteStore::open(&path).watched_by(Watch::by(move |progress| to.lock().unwrap().push(progress.migration)));
    store.count(Filter::default()).wait().unwrap();
    assert!(told.lock().unwrap().contains(&"0008_forms"));
}

#[test]
fn an_old_index_is_made_anew_and_finds_what_the_old_one_did_not() {
    let (_folder, path) = folder_and_path();
    run_these(&DatabaseFile::of(&path), &MIGRATIONS[..7]).unwrap();
    sql(
        &path,
        "PRAGMA foreign_keys = OFF;
         INSERT INTO prompts (id, id_tail, session_id, variant, revision, created_at, updated_at, temperature, max_tokens,
             phase, persona, provider, model, source, strategy, model_metadata, context, original_input, content)
         VALUES (zeroblob(16), zeroblob(8), zeroblob(16), 0, 1, 1, 1, 0.5, 1, 'solutio', 'p', 'p', 'm', 'generated', 's', '{}', '[]',
             'sea', 'Use GitHub Actions');
         INSERT INTO prompt_terms (rowid, content, original_input) VALUES (1, 'use git hub action', 'sea');",
    );
    let store = SqliteStore::open(&path);
    let found = |typed: &str| {
        let query = crate::text::query::TextQuery::parse(typed);
        store
            .lexical(crate::store::Lexical { query, filter: Filter::default(), limit: 9, offset: 0 })
            .wait()
            .unwrap()
            .total
    };
    for typed in ["github", "GITHUB", "git", "hub", "\"use github actions\"", "\"git hub\"", "sea"] {
        assert_eq!(found(typed), 1, "{typed}");
    }
    assert_eq!(found("river"), 0);
    let migrated = connection::open_for_reading(&path).unwrap().unwrap().connection;
    let left: i64 = migrated
        .query_row("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%ascii tokenchars%'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 0, "nothing of the old index is left");
}
