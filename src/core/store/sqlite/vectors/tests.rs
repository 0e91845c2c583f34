//! Searches by codes: conformance, results, crashes, and damaged or old files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use proptest::collection::vec;
use proptest::prelude::*;

use super::nearest::ComparisonMethod;
use super::*;
use crate::domain::{Filter, Prompt};
use crate::store::conformance::vectors::{Vectors, assert_nearest, near, space};
use crate::store::{Applied, FindStore, Mutation, Store, conformance, samples};

/// A store with a file of codes for every space, in small blocks.
fn open(path: &Path) -> SqliteStore {
    let mut store = SqliteStore::open(path);
    let mut codes = Codes::beside(path);
    (codes.least, codes.few, codes.block_rows, codes.slice) = (1, 0, Some(32), 1000);
    store.codes = Arc::new(codes);
    store
}

fn folder_and_path() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aludel.db");
    (folder, path)
}

/// The code files of a database.
fn code_files(path: &Path) -> Vec<PathBuf> {
    files(path, "codes")
}

/// The sidecar files of a database with this extension.
fn files(path: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(files) = std::fs::read_dir(path.with_file_name("aludel.db-vectors")) else { return Vec::new() };
    let paths = files.map(|file| file.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

/// Searches, and returns how.
fn search(store: &SqliteStore, query: &Nearest) -> (SearchHits, ComparisonMethod, IndexMaintenance) {
    let work = |connection: &Connection| nearest::find(connection, &store.codes, query);
    let answer = store.read_now(nearest::VectorSearchResult::default(), work).unwrap();
    (answer.found, answer.way, answer.maintenance)
}

fn vectors_of(id: PromptId, seed: u64) -> PromptVectors {
    let vector = |seed| samples::vector(seed, space().dimensions);
    PromptVectors { id, parts: vec![(Part::Input, vector(seed)), (Part::Content, vector(seed + 500_000))] }
}

/// Stores samples with two vectors each.
fn store_samples(store: &SqliteStore, seeds: std::ops::Range<u32>) -> Vectors {
    let prompts: Vec<Prompt> = seeds.clone().map(samples::prompt).collect();
    store.append(prompts.clone()).wait().unwrap();
    let put: Vec<PromptVectors> =
        prompts.iter().zip(seeds).map(|(prompt, seed)| vectors_of(prompt.id, seed.into())).collect();
    store.put_vectors(space(), put.clone()).wait().unwrap();
    let parts = put.into_iter().map(|of| of.parts.into_iter().map(|(_, vector)| vector).collect());
    prompts.into_iter().zip(parts).collect()
}

fn query(seed: u64, limit: u32) -> Nearest {
    near(space(), samples::vector(seed, space().dimensions), limit)
}

fn assert_finds(store: &SqliteStore, rows: &Vectors) {
    let prompts: Vec<Prompt> = rows.iter().map(|(prompt, _)| prompt.clone()).collect();
    let code = Filter { persona: Some("code".into()), ..Filter::default() };
    for (seed, filter) in [(90_001, Filter::default()), (90_002, code)] {
        let query = Nearest { filter, ..query(seed, 12) };
        assert_nearest(&query, &store.nearest(query.clone()).wait().unwrap(), &prompts, rows);
    }
}

#[test]
fn searches_by_codes_conform() {
    let folder = tempfile::tempdir().unwrap();
    let number = AtomicU32::new(0);
    conformance::run_these(&conformance::vectors::checks(), || {
        let folder = folder.path().join(number.fetch_add(1, Ordering::Relaxed).to_string());
        Box::new(open(&folder.join("aludel.db")))
    });
}

#[test]
fn a_file_is_made_used_and_extended() {
    let (_folder, path) = folder_and_path();
    let store = open(&path);
    let mut rows = store_samples(&store, 0..100);
    assert_eq!(search(&store, &query(1, 5)).1, ComparisonMethod::All, "there is no file yet");
    assert_finds(&store, &rows);
    let made = code_files(&path);
    assert_eq!(made.len(), 1);
    let length = || std::fs::metadata(&made[0]).unwrap().len();
    let before = length();
    assert_eq!(search(&store, &query(1, 5)).1, ComparisonMethod::Codes);
    rows.extend(store_samples(&store, 100..130));
    assert_eq!(search(&store, &query(1, 5)).2, IndexMaintenance::Look, "the tail has grown");
    assert_finds(&store, &rows);
    assert!(length() > before, "the file was not extended");
    assert_eq!(search(&store, &query(1, 5)).1, ComparisonMethod::Codes);
    assert_finds(&open(&path), &rows);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&made[0]), mode(made[0].parent().unwrap())), (0o600, 0o700));
    }
    assert_eq!(files(&path, "bytes").len(), 1);
    store.forget_space(space()).wait().unwrap();
    assert!(code_files(&path).is_empty() && files(&path, "bytes").is_empty(), "a forgotten space leaves its files");
}

#[test]
fn searches_make_a_large_file_by_slices_and_tending_makes_it_whole() {
    let (_folder, path) = folder_and_path();
    let mut store = open(&path);
    Arc::get_mut(&mut store.codes).unwrap().slice = 64;
    let mut rows = store_samples(&store, 0..200);
    let length = || std::fs::metadata(&code_files(&path)[0]).unwrap().len();
    let (mut lengths, mut ways) = (Vec::new(), Vec::new());
    for _ in 0..8 {
        assert_finds(&store, &rows);
        lengths.push(length());
        ways.push(search(&store, &query(1, 5)).1);
    }
    assert!(lengths[0] < lengths[1] && lengths[1] < lengths[2] && lengths.is_sorted(), "{lengths:?}");
    assert_eq!((ways[0], ways[7]), (ComparisonMethod::All, ComparisonMethod::Codes), "{ways:?}");

    let whole = *lengths.last().unwrap();
    std::fs::remove_file(&files(&path, "bytes")[0]).unwrap();
    store.maintain_index().wait().unwrap();
    assert_eq!(
        (length(), search(&store, &query(1, 5)).1),
        (whole, ComparisonMethod::Codes),
        "without its bytes a file is of no use"
    );
    assert_finds(&store, &rows);

    // An outgrown file is not rebuilt during a search.
    let gone: Vec<PromptId> = rows.drain(10..110).map(|(prompt, _)| prompt.id).collect();
    store.apply(Mutation::Delete { ids: gone, expected_revision: None }).wait().unwrap();
    assert_finds(&store, &rows);
    assert_eq!(length(), whole);
    store.maintain_index().wait().unwrap();
    assert!(length() < whole);
    assert_finds(&store, &rows);
}

#[test]
fn spoilt_bytes_are_found_out_and_made_anew() {
    let (_folder, path) = folder_and_path();
    let rows = store_samples(&open(&path), 0..100);
    assert_finds(&open(&path), &rows);
    let file = files(&path, "bytes").remove(0);
    let whole = std::fs::read(&file).unwrap();
    let record = whole.len() / 192;
    let mut shifted = whole.clone();
    shifted.rotate_left(record);
    let mut flipped = whole.clone();
    flipped.chunks_mut(record).for_each(|record| record[20] ^= 1);
    let cases = [Vec::new(), whole[..whole.len() / 2].to_vec(), vec![0; whole.len()], shifted, flipped];
    for (number, bytes) in cases.iter().enumerate() {
        std::fs::write(&file, bytes).unwrap();
        let store = open(&path);
        assert_finds(&store, &rows);
        assert_finds(&store, &rows);
        assert_eq!(search(&store, &query(1, 5)).1, ComparisonMethod::Codes, "case {number} was not mended");
        assert_eq!(std::fs::metadata(&file).unwrap().len(), whole.len() as u64);
    }
}

#[test]
fn files_of_two_makings_are_not_taken_for_one() {
    let (_folder, path) = folder_and_path();
    let rows = store_samples(&open(&path), 0..100);
    assert_finds(&open(&path), &rows);
    let bytes = files(&path, "bytes").remove(0);
    let earlier = std::fs::read(&bytes).unwrap();
    std::fs::remove_file(&code_files(&path)[0]).unwrap();
    assert_finds(&open(&path), &rows);
    std::fs::write(&bytes, earlier).unwrap();
    let store = open(&path);
    let answer = search(&store, &query(1, 5));
    assert_eq!((answer.1, answer.2), (ComparisonMethod::All, IndexMaintenance::Rebuild));
    assert_finds(&store, &rows);
    assert_eq!(search(&store, &query(1, 5)).1, ComparisonMethod::Codes);
}

#[test]
fn a_small_space_has_no_file() {
    let (_folder, path) = folder_and_path();
    let store = SqliteStore::open(&path);
    let rows = store_samples(&store, 0..40);
    assert_finds(&store, &rows);
    assert!(!path.with_file_name("aludel.db-vectors").exists());
}

#[test]
fn a_file_mostly_of_what_is_gone_is_made_anew() {
    let (_folder, path) = folder_and_path();
    let store = open(&path);
    let mut rows = store_samples(&store, 0..120);
    assert_finds(&store, &rows);
    let before = std::fs::metadata(&code_files(&path)[0]).unwrap().len();
    let gone: Vec<PromptId> = rows.drain(10..60).map(|(prompt, _)| prompt.id).collect();
    store.apply(Mutation::Delete { ids: gone, expected_revision: None }).wait().unwrap();
    assert_finds(&store, &rows);
    assert!(std::fs::metadata(&code_files(&path)[0]).unwrap().len() < before);
    assert_eq!(search(&store, &query(1, 5)).1, ComparisonMethod::Codes);
    assert_finds(&store, &rows);
}

#[test]
fn a_spoilt_file_is_found_out_and_made_anew() {
    let (_folder, path) = folder_and_path();
    let rows = store_samples(&open(&path), 0..100);
    assert_finds(&open(&path), &rows);
    let file = code_files(&path).remove(0);
    let whole = std::fs::read(&file).unwrap();
    let mut cases: Vec<Vec<u8>> = [0, 3, 50, 4096, 5000, whole.len() - 1].map(|length| whole[..length].to_vec()).into();
    for place in [9, 60, 4096, 4500, whole.len() - 20] {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x55;
        cases.push(bytes);
    }
    cases.push([whole.clone(), vec![9; 300]].concat());
    cases.push([whole.clone(), whole[4096..].to_vec()].concat());
    for (number, bytes) in cases.iter().enumerate() {
        std::fs::write(&file, bytes).unwrap();
        let store = open(&path);
        assert_finds(&store, &rows);
        assert_finds(&store, &rows);
        assert_eq!(search(&store, &query(1, 5)).1, ComparisonMethod::Codes, "case {number} was not mended");
    }
}

#[test]
fn a_restored_database_that_gives_numbers_again_is_found_out() {
    let (_folder, path) = folder_and_path();
    let store = open(&path);
    let kept = store_samples(&store, 0..60);
    store.close().wait().unwrap();
    drop(store);
    let older = std::fs::read(&path).unwrap();
    let store = open(&path);
    store_samples(&store, 60..120);
    store.nearest(query(1, 5)).wait().unwrap();
    store.close().wait().unwrap();
    drop(store);
    assert_eq!(code_files(&path).len(), 1);

    std::fs::write(&path, older).unwrap();
    let store = open(&path);
    assert_eq!(search(&store, &query(1, 5)).1, ComparisonMethod::All, "the file reaches further than the database");
    let mut rows = kept;
    rows.extend(store_samples(&store, 200..300));
    let answer = search(&store, &query(1, 5));
    assert_eq!(
        (answer.1, answer.2),
        (ComparisonMethod::All, IndexMaintenance::Look),
        "the file tells of other vectors"
    );
    assert_finds(&store, &rows);
    assert_eq!(search(&store, &query(1, 5)).1, ComparisonMethod::Codes);
    assert_finds(&store, &rows);
}

#[test]
fn files_of_spaces_that_are_gone_are_swept() {
    let (_folder, path) = folder_and_path();
    let store = open(&path);
    let stray = path.with_file_name("aludel.db-vectors").join(format!("{:032x}.codes", 7));
    let other = stray.with_file_name("notes.txt");
    std::fs::create_dir(stray.parent().unwrap()).unwrap();
    std::fs::write(&stray, "codes of a space that is no more").unwrap();
    std::fs::write(&other, "not ours").unwrap();
    let rows = store_samples(&store, 0..40);
    assert_finds(&store, &rows);
    assert!(!stray.exists() && other.exists());
}

/// Thousands of prompts, made by the database itself. Their ids are their numbers.
fn store_plain(store: &SqliteStore, count: u32) -> Vec<PromptId> {
    let made = store.write("storing", move |connection| {
        connection.execute_batch(&format!(
            "INSERT INTO sessions VALUES (1, zeroblob(16), 'generate', '', '[]', 1, 0, '');
             WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
             INSERT INTO prompts (id, id_tail, session_id, variant, revision, created_at, updated_at, temperature,
                 max_tokens, phase, persona, provider, model, source, strategy, model_metadata, context,
                 original_input, content)
             SELECT CAST(printf('%016d', n) AS BLOB), CAST(printf('%08d', n) AS BLOB), zeroblob(16), 0, 1, n, n, 0, 1,
                 'coagulatio', iif(n % 2, 'code', 'writing'), 'p', 'm', 'manual', '', '{{}}', '[]', '', ''
             FROM numbers;
             UPDATE totals SET prompts = prompts + {count}"
        ))?;
        Ok(())
    });
    made.wait().unwrap();
    let id = |number: u32| PromptId(uuid::Uuid::from_slice(format!("{number:016}").as_bytes()).unwrap());
    (1..=count).map(id).collect()
}

/// A vector in one of 200 clusters around a shared direction.
fn clustered(seed: u64, dimensions: u32) -> Vec<f32> {
    let parts = [
        (0.5, samples::vector(1 << 40, dimensions)),
        (0.75, samples::vector((1 << 41) + seed * seed % 200, dimensions)),
        (0.55, samples::vector((1 << 42) + seed, dimensions)),
    ];
    (0..dimensions as usize).map(|place| parts.iter().map(|(weight, part)| weight * part[place]).sum()).collect()
}

#[test]
fn codes_find_what_an_exact_search_finds() {
    const VECTORS: u32 = 20_000;
    const SEARCHES: u64 = 16;
    let (_folder, path) = folder_and_path();
    let mut store = SqliteStore::open(&path);
    Arc::get_mut(&mut store.codes).unwrap().net = 1000;
    let space = Space { dimensions: 64, ..space() };
    let ids = store_plain(&store, VECTORS);
    let put = ids
        .iter()
        .zip(0..)
        .map(|(id, seed)| PromptVectors { id: *id, parts: vec![(Part::Content, clustered(seed, 64))] });
    store.put_vectors(space.clone(), put.collect()).wait().unwrap();
    store.maintain_index().wait().unwrap();

    let (mut found, mut by_codes) = (0, 0);
    for seed in 0..SEARCHES {
        let persona = (seed % 4 == 3).then(|| "code".into());
        let filter = Filter { persona, ..Filter::default() };
        let query = Nearest { filter, ..near(space.clone(), clustered(1_000_000 + seed, 64), 10) };
        let exact = search(&store, &Nearest { exact: true, ..query.clone() }).0;
        let (fast, way, maintenance) = search(&store, &query);
        assert_eq!((fast.total, maintenance), (exact.total, IndexMaintenance::None));
        by_codes += u64::from(way == ComparisonMethod::Codes);
        found += fast.hits.iter().filter(|hit| exact.hits.contains(hit)).count();
    }
    let recall = found as f64 / (SEARCHES * 10) as f64;
    assert!(recall >= 0.99, "recall@10 is {recall}");
    assert!(by_codes * 2 > SEARCHES, "{by_codes} of {SEARCHES} searches went by codes");
}

/// Operations on a database and its sidecar files. Prompts are named by the seeds of [`samples`].
#[derive(Debug, Clone)]
enum Operation {
    /// Stores prompts with vectors.
    Store(u32, u32),
    /// Replaces a prompt's vectors.
    Replace(u32, u64),
    Delete(Vec<u32>),
    Forget,
    Search,
    Tend,
    /// Continues with a copy of the disk as it is now.
    Crash,
    /// Truncates the file of codes or of bytes at this percentage.
    CutOff(u64),
    /// Corrupts a byte of the file of codes or of bytes, at this percentage.
    Spoil(usize),
    /// Copies the files of codes.
    Keep,
    /// Puts the copy back.
    PutBack,
}

const SEEDS: u32 = 200;

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        5 => (0..SEEDS, 1..60_u32).prop_map(|(from, count)| Operation::Store(from, count)),
        3 => (0..SEEDS, 1_000..2_000_u64).prop_map(|(seed, other)| Operation::Replace(seed, other)),
        2 => vec(0..SEEDS, 1..40).prop_map(Operation::Delete),
        1 => Just(Operation::Forget),
        4 => Just(Operation::Search),
        1 => Just(Operation::Tend),
        3 => Just(Operation::Crash),
        1 => (0..100_u64).prop_map(Operation::CutOff),
        1 => (0..100_usize).prop_map(Operation::Spoil),
        1 => Just(Operation::Keep),
        1 => Just(Operation::PutBack),
    ]
}

fn copy_all(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if path.is_dir() {
            copy_all(&path, &to.join(name));
        } else if path.extension().is_none_or(|extension| extension != "db-shm") {
            std::fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

/// The files of codes, or those of bytes.
fn either_files(path: &Path, number: usize) -> Vec<PathBuf> {
    files(path, if number.is_multiple_of(2) { "codes" } else { "bytes" })
}

/// The store under test, and its expected content.
struct StoreUnderTest {
    folder: tempfile::TempDir,
    copies: u32,
    path: PathBuf,
    store: SqliteStore,
    rows: BTreeMap<u32, Option<u64>>,
}

impl StoreUnderTest {
    fn new() -> Self {
        let (folder, path) = folder_and_path();
        let path = path.with_file_name("0").join("aludel.db");
        Self { store: open(&path), folder, copies: 0, path, rows: BTreeMap::new() }
    }

    fn put(&mut self, seeds: &[(u32, u64)]) {
        let put: Vec<PromptVectors> =
            seeds.iter().map(|(seed, vector)| vectors_of(samples::prompt(*seed).id, *vector)).collect();
        assert_eq!(self.store.put_vectors(space(), put).wait().unwrap(), seeds.len() as u64);
        self.rows.extend(seeds.iter().map(|(seed, vector)| (*seed, Some(*vector))));
    }

    fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::Store(from, count) => {
                let seeds: Vec<u32> = (*from..from + count).filter(|seed| !self.rows.contains_key(seed)).collect();
                self.store.append(seeds.iter().map(|seed| samples::prompt(*seed)).collect()).wait().unwrap();
                self.put(&seeds.iter().map(|seed| (*seed, u64::from(*seed))).collect::<Vec<_>>());
            }
            Operation::Replace(seed, other) if self.rows.contains_key(seed) => self.put(&[(*seed, *other)]),
            Operation::Replace(..) => {}
            Operation::Delete(seeds) => {
                let ids = seeds.iter().map(|seed| samples::prompt(*seed).id).collect();
                let gone = self.store.apply(Mutation::Delete { ids, expected_revision: None }).wait().unwrap();
                let before = self.rows.len();
                self.rows.retain(|seed, _| !seeds.contains(seed));
                assert!(matches!(gone, Applied::Deleted(ids) if ids.len() == before - self.rows.len()));
            }
            Operation::Forget => {
                let had = self.rows.values().flatten().count() as u64;
                assert_eq!(self.store.forget_space(space()).wait().unwrap(), had);
                self.rows.values_mut().for_each(|vector| *vector = None);
            }
            Operation::Search => self.check(),
            Operation::Tend => self.store.maintain_index().wait().unwrap(),
            Operation::Crash => {
                self.copies += 1;
                let copy = self.folder.path().join(self.copies.to_string());
                if self.path.exists() {
                    copy_all(self.path.parent().unwrap(), &copy);
                }
                self.path = copy.join("aludel.db");
                self.store = open(&self.path);
            }
            Operation::CutOff(part) => {
                for path in either_files(&self.path, usize::try_from(*part).unwrap()) {
                    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
                    file.set_len(file.metadata().unwrap().len() * part / 100).unwrap();
                }
            }
            Operation::Spoil(part) => {
                for path in either_files(&self.path, *part) {
                    let mut bytes = std::fs::read(&path).unwrap();
                    let place = bytes.len() * part / 100;
                    bytes.get_mut(place..).and_then(<[u8]>::first_mut).into_iter().for_each(|byte| *byte ^= 0xFF);
                    std::fs::write(&path, bytes).unwrap();
                    // A process does not check again what it has checked.
                    self.store = open(&self.path);
                }
            }
            Operation::Keep => self.copy_codes(&self.path.with_file_name("aludel.db-vectors"), "kept"),
            Operation::PutBack => {
                if self.folder.path().join("kept").exists() {
                    let kept = self.folder.path().join("kept");
                    copy_all(&kept, &self.path.with_file_name("aludel.db-vectors"));
                    self.store = open(&self.path);
                }
            }
        }
    }

    fn copy_codes(&self, from: &Path, to: &str) {
        if from.exists() {
            copy_all(from, &self.folder.path().join(to));
        }
    }

    fn check(&self) {
        let prompts: Vec<Prompt> = self.rows.keys().map(|seed| samples::prompt(*seed)).collect();
        let parts =
            |vector: u64| vectors_of(prompts[0].id, vector).parts.into_iter().map(|(_, vector)| vector).collect();
        let with_vectors = self.rows.iter().filter_map(|(seed, vector)| Some((samples::prompt(*seed), (*vector)?)));
        let vectors: Vectors = with_vectors.map(|(prompt, vector)| (prompt, parts(vector))).collect();
        let writing = Filter { persona: Some("writing".into()), ..Filter::default() };
        for (seed, filter) in [(80_001, Filter::default()), (80_002, writing)] {
            let query = Nearest { filter, ..query(seed, 9) };
            assert_nearest(&query, &self.store.nearest(query.clone()).wait().unwrap(), &prompts, &vectors);
        }
        let missing = prompts.len() - vectors.len();
        assert_eq!(self.store.count_unembedded(space()).wait().unwrap(), missing as u64);
        assert_eq!(self.store.unembedded(space(), None, 1000).wait().unwrap().len(), missing);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn whatever_happens_to_the_files_answers_stay_right(operations in vec(operation(), 1..20)) {
        let mut under = StoreUnderTest::new();
        for operation in &operations {
            under.apply(operation);
        }
        under.check();
        under.check();
        under.check();
    }
}
