//! Real cache files: persistence, sharing, limits, privacy, and every kind of fault.

use std::time::Instant;

use rusqlite::OpenFlags;

use super::*;
use crate::domain::TokenUsage;
use crate::store::sqlite::connection;
use crate::time::from_millis;

const LIMITS: NamespaceLimits = NamespaceLimits { ttl: Duration::from_hours(1), max_entries: 1000 };

fn key(number: u8) -> AnswerKey {
    AnswerKey::from_bytes([number; 32])
}

fn answer(number: u8) -> Arc<CachedAnswer> {
    Arc::new(CachedAnswer {
        text: format!("Answer {number}, für alle\0and more."),
        warnings: vec!["`temperature` was left out".into()],
        provider: "local".into(),
        model: "m-1".into(),
        usage: TokenUsage { input_tokens: 7, output_tokens: u64::from(number), estimated: number.is_multiple_of(2) },
        made_at: from_millis(1_700_000_000_000 + i64::from(number)),
    })
}

/// Caches these responses and waits until they are written.
fn kept(path: &Path, limits: NamespaceLimits, numbers: impl IntoIterator<Item = u8>) {
    let store = SqliteAnswers::open(path);
    for number in numbers {
        store.put(CacheNamespace::Generation, limits, key(number), answer(number));
    }
    store.close();
}

fn found(path: &Path, numbers: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let store = SqliteAnswers::open(path);
    numbers.into_iter().filter(|number| store.get(&key(*number)).is_some()).collect()
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("home").join("cache.db");
    (folder, path)
}

#[test]
fn a_look_up_makes_no_file() {
    let (folder, path) = folder();
    let store = SqliteAnswers::open(&path);
    assert_eq!(store.get(&key(1)), None);
    assert_eq!(store.inventory(), Ok(Inventory::default()));
    store.close();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_is_kept_comes_back_as_it_was_and_in_another_process_too() {
    let (_folder, path) = folder();
    let (one, other) = (SqliteAnswers::open(&path), SqliteAnswers::open(&path));
    assert_eq!(other.get(&key(1)), None, "the other has looked before there was a file");
    one.put(CacheNamespace::Judge, LIMITS, key(1), answer(1));
    one.close();
    assert_eq!(other.get(&key(1)).as_ref(), Some(&*answer(1)));
    assert_eq!(other.get(&key(2)), None);
    other.put(CacheNamespace::Generation, LIMITS, key(2), answer(2));
    other.close();
    let bytes = (answer(1).bytes() + answer(2).bytes()) as u64;
    assert_eq!(SqliteAnswers::open(&path).inventory(), Ok(Inventory { entries: 2, bytes }));
}

#[test]
fn a_look_up_while_another_makes_the_file_finds_nothing_wrong() {
    for _ in 0..30 {
        let (_folder, path) = folder();
        let (reader, writer) = (SqliteAnswers::open(&path), SqliteAnswers::open(&path));
        writer.put(CacheNamespace::Generation, LIMITS, key(1), answer(1));
        while reader.get(&key(1)).is_none() {
            assert!(!reader.place.is_resting(), "a file in the making was taken for another's");
        }
    }
}

#[test]
fn two_that_write_at_once_lose_nothing() {
    let (_folder, path) = folder();
    std::thread::scope(|scope| {
        for begin in [0, 50, 100, 150] {
            let path = &path;
            scope.spawn(move || kept(path, LIMITS, begin..begin + 50));
        }
    });
    assert_eq!(found(&path, 0..200).len(), 200);
}

#[test]
fn closing_leaves_one_file() {
    for _ in 0..20 {
        let (_folder, path) = folder();
        let store = SqliteAnswers::open(&path);
        for number in 0..3 {
            store.put(CacheNamespace::Generation, LIMITS, key(number), answer(number));
            while store.get(&key(number)).is_none() {
                std::thread::yield_now();
            }
        }
        store.close();
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}

#[test]
fn a_newer_answer_takes_the_place_of_the_older() {
    let (_folder, path) = folder();
    let store = SqliteAnswers::open(&path);
    store.put(CacheNamespace::Generation, LIMITS, key(1), answer(1));
    store.put(CacheNamespace::Generation, LIMITS, key(1), answer(9));
    store.close();
    let store = SqliteAnswers::open(&path);
    assert_eq!(store.get(&key(1)).as_ref(), Some(&*answer(9)));
    assert_eq!(store.inventory().unwrap().entries, 1);
}

#[test]
fn the_oldest_make_room_in_their_own_namespace() {
    let (_folder, path) = folder();
    let store = SqliteAnswers::open(&path);
    store.put(CacheNamespace::Judge, LIMITS, key(0), answer(0));
    store.close();
    let few = NamespaceLimits { max_entries: 3, ..LIMITS };
    kept(&path, few, [9, 5, 7, 6, 8]);
    assert_eq!(found(&path, 0..10), [0, 7, 8, 9]);
    kept(&path, few, [1]);
    assert_eq!(found(&path, 0..10), [0, 7, 8, 9], "one that is older than all makes room itself");
}

#[test]
fn what_is_too_old_is_removed_and_so_is_what_a_wrong_clock_made() {
    let (_folder, path) = folder();
    let made = |number: u8, seconds: i64| {
        let made_at = from_millis(1_700_000_000_000 + seconds * 1000);
        Arc::new(CachedAnswer { made_at, ..CachedAnswer::clone(&answer(number)) })
    };
    let store = SqliteAnswers::open(&path);
    for (number, seconds) in [(3, 50_000), (1, 0), (2, 1), (4, 3_600)] {
        store.put(CacheNamespace::Generation, LIMITS, key(number), made(number, seconds));
        // Each in its own batch, so that the last one's timestamp is current.
        while store.get(&key(number)).is_none() {
            std::thread::yield_now();
        }
    }
    store.close();
    assert_eq!(found(&path, 0..10), [2, 4]);
}

#[test]
fn bytes_are_a_limit_too() {
    let (_folder, path) = folder();
    kept(&path, LIMITS, 0..200);
    let opened = file::open_for_writing(&path, WRITE_LOCK_TIMEOUT).unwrap();
    let now = answer(199).made_at.as_millisecond();
    rows::trim(&opened.connection, CacheNamespace::Generation, LIMITS, 2000, now).unwrap();
    let inventory = rows::count(&opened.connection).unwrap();
    assert!(inventory.bytes <= 2000 && inventory.entries > 10, "{inventory:?}");
    drop(opened);
    let left = found(&path, 0..200);
    assert_eq!(left, (200 - u8::try_from(left.len()).unwrap()..200).collect::<Vec<_>>(), "the newest");
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = folder();
    let store = SqliteAnswers::open(&path);
    store.put(CacheNamespace::Generation, LIMITS, key(1), answer(1));
    while store.get(&key(1)).is_none() {
        std::thread::yield_now();
    }
    let files: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 3, "the file, its log and its index: {files:?}");
    for file in files {
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o077, 0, "{file:?}");
    }
}

#[test]
fn a_file_that_is_deleted_underneath_is_made_anew() {
    let (_folder, path) = folder();
    let store = SqliteAnswers::open(&path);
    store.put(CacheNamespace::Generation, LIMITS, key(1), answer(1));
    while store.get(&key(1)).is_none() {
        std::thread::yield_now();
    }
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    assert_eq!(store.get(&key(1)), None);
    store.put(CacheNamespace::Generation, LIMITS, key(2), answer(2));
    store.close();
    assert_eq!(found(&path, 0..5), [2]);
}

fn broken(path: &Path) -> PathBuf {
    path.with_file_name("cache.db.broken")
}

#[test]
fn a_file_that_is_no_database_is_moved_aside() {
    for text in ["not a database at all", &"SQLite format 3\0 and then something else ".repeat(200)] {
        let (_folder, path) = folder();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        let store = SqliteAnswers::open(&path);
        assert_eq!(store.get(&key(1)), None);
        assert!(store.inventory().is_err());
        store.put(CacheNamespace::Generation, LIMITS, key(1), answer(1));
        store.close();
        assert_eq!(found(&path, 0..3), [1]);
        assert_eq!(std::fs::read_to_string(broken(&path)).unwrap(), text);
    }
}

#[test]
fn damage_that_only_a_look_up_meets_is_dealt_with_by_the_next_answer() {
    let (_folder, path) = folder();
    kept(&path, LIMITS, 0..200);
    let mut bytes = std::fs::read(&path).unwrap();
    // Keep the first page, which holds the tables' names.
    bytes[4096..].fill(0xA5);
    std::fs::write(&path, bytes).unwrap();
    let store = SqliteAnswers::open(&path);
    assert!((0..200).all(|number| store.get(&key(number)).is_none()));
    store.put(CacheNamespace::Generation, LIMITS, key(7), answer(7));
    store.close();
    assert_eq!(found(&path, 0..200), [7]);
    assert!(broken(&path).exists());
}

#[test]
fn files_of_others_are_not_touched() {
    let makers: [fn(&Path); 3] = [
        |path| Theirs::make(path, 0x616C_7564, 1),
        |path| Theirs::make(path, 0, 0),
        |path| Theirs::make(path, file::APPLICATION_ID, 99),
    ];
    for make in makers {
        let (_folder, path) = folder();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        make(&path);
        let before = std::fs::read(&path).unwrap();
        let store = SqliteAnswers::open(&path);
        assert!(store.inventory().unwrap_err().contains("it"), "in words");
        store.put(CacheNamespace::Generation, LIMITS, key(1), answer(1));
        store.close();
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert!(!broken(&path).exists());
    }
}

/// A SQLite file with a foreign table.
struct Theirs;

impl Theirs {
    fn make(path: &Path, application_id: i32, user_version: u32) {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let opened = connection::open(path, flags).unwrap();
        let made = format!(
            "CREATE TABLE theirs (x); PRAGMA application_id = {application_id}; PRAGMA user_version = {user_version};"
        );
        opened.connection.execute_batch(&made).unwrap();
    }
}

/// The tables of the first format.
const FORMAT_1: &str = "
CREATE TABLE answer (
    key BLOB PRIMARY KEY NOT NULL,
    shelf TEXT NOT NULL,
    made_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    estimated INTEGER NOT NULL,
    warnings TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX answer_by_age ON answer (shelf, made_ms);
CREATE TABLE total (shelf TEXT PRIMARY KEY NOT NULL, entries INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TRIGGER answer_kept AFTER INSERT ON answer BEGIN
    INSERT INTO total (shelf, entries, bytes) VALUES (new.shelf, 1, new.bytes)
    ON CONFLICT (shelf) DO UPDATE SET entries = entries + 1, bytes = bytes + excluded.bytes;
END;
INSERT INTO answer VALUES (zeroblob(32), 'generation', 1700000000000, 5, 'local', 'm-1', 1, 1, 0, '[]', 'older');
PRAGMA user_version = 1;
";

#[test]
fn an_older_format_makes_room_without_a_word() {
    let (_folder, path) = folder();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let older = connection::open(&path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE).unwrap();
    older.connection.execute_batch(FORMAT_1).unwrap();
    older.connection.pragma_update(None, "application_id", file::APPLICATION_ID).unwrap();
    drop(older);
    let store = SqliteAnswers::open(&path);
    assert_eq!(store.get(&key(0)), None);
    assert_eq!(store.inventory(), Ok(Inventory::default()));
    std::thread::scope(|scope| {
        for begin in [50, 100, 150] {
            let path = &path;
            scope.spawn(move || kept(path, LIMITS, begin..begin + 50));
        }
        store.put(CacheNamespace::Judge, LIMITS, key(1), answer(1));
        store.close();
    });
    assert!(!store.place.is_resting() && !store.place.warned.load(Ordering::Relaxed));
    assert!(!broken(&path).exists());
    assert_eq!(found(&path, 0..200), std::iter::once(1).chain(50..200).collect::<Vec<_>>());
    assert_eq!(SqliteAnswers::open(&path).inventory().unwrap().entries, 151);
}

#[test]
fn where_no_file_can_be_made_nothing_fails_and_nothing_is_tried_again_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let mut paths = vec![file.join("cache.db"), folder.path().to_owned()];
    if cfg!(target_os = "linux") {
        // A folder that even the superuser cannot write to.
        paths.push("/proc/aludel/cache.db".into());
        paths.push("/proc/cache.db".into());
    }
    for path in paths {
        let store = SqliteAnswers::open(&path);
        assert_eq!(store.get(&key(1)), None);
        store.put(CacheNamespace::Generation, LIMITS, key(1), answer(1));
        store.close();
        assert!(store.place.is_resting() && store.place.warned.load(Ordering::Relaxed), "{path:?}");
    }
}

#[test]
fn a_file_that_others_lock_is_left_alone_for_a_while() {
    let (_folder, path) = folder();
    kept(&path, LIMITS, [1]);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let other = connection::open(&path, flags).unwrap();
    // Outside WAL mode an exclusive lock blocks readers too.
    other.connection.execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE;").unwrap();
    let store = SqliteAnswers::with_patience(&path, Duration::from_millis(50));
    let begun = Instant::now();
    for _ in 0..1000 {
        assert_eq!(store.get(&key(1)), None);
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "few look-ups waited");
    assert!(!store.place.warned.load(Ordering::Relaxed), "a lock is no failure of a look-up");
    store.put(CacheNamespace::Generation, LIMITS, key(2), answer(2));
    store.close();
    assert!(store.place.is_resting() && store.place.warned.load(Ordering::Relaxed), "for an answer it is one");
    other.connection.execute_batch("COMMIT").unwrap();
    assert_eq!(found(&path, 0..3), [1]);
}

#[test]
fn once_closed_nothing_is_found_or_kept() {
    let (_folder, path) = folder();
    kept(&path, LIMITS, [1]);
    let store = SqliteAnswers::open(&path);
    store.close();
    assert_eq!(store.get(&key(1)), None);
    store.put(CacheNamespace::Generation, LIMITS, key(2), answer(2));
    store.close();
    drop(store);
    assert_eq!(found(&path, 0..3), [1]);
}
