//! Vector search through the store, compared with what the machine can do with the same vectors.
//!
//! The data is made up: skewed clusters around a shared direction, a spread of rank 64 in each,
//! some noise. Recall is how many of the ten nearest by 32-bit floats are among the store's ten,
//! over queries that are not stored. Yardsticks in the same run: reading memory, comparing 32-bit
//! floats in memory on two threads, decoding SQLite rows.
//!
//! `ALUDEL_BENCH_VECTORS` sets the sizes (`1000000x384,100000x1536`), `ALUDEL_BENCH_FOLDER` where
//! databases are kept for the next run.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    reason = "a bench prints, stops where it cannot go on, rounds, and looks into the database by itself"
)]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use aludel_core::domain::{Filter, PromptId};
use aludel_core::store::sqlite::SqliteStore;
use aludel_core::store::{FindStore, Nearest, Part, PromptVectors, Space, Store};
use uuid::Uuid;

const QUERIES: usize = 200;
const NEAREST: usize = 10;
const CLUSTERS: usize = 1000;
const RANK: usize = 64;

/// The number of runs of searches that are rare in practice.
const FEW: usize = 5;

fn main() {
    let sizes = std::env::var("ALUDEL_BENCH_VECTORS").unwrap_or_else(|_| "60000x384".into());
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = std::env::var_os("ALUDEL_BENCH_FOLDER").map_or(scratch.path().to_owned(), PathBuf::from);
    std::fs::create_dir_all(&folder).expect("a folder for databases");
    for size in sizes.split(',') {
        let (count, dimensions) = size.split_once('x').expect("a size like 60000x384");
        let [count, dimensions] = [count, dimensions].map(|number| number.parse().expect("a number"));
        println!("\n{count} vectors of {dimensions} dimensions");
        Bench::new(&folder, count, dimensions).run();
    }
}

struct Bench {
    path: PathBuf,
    space: Space,
    count: usize,
    /// All vectors, concatenated.
    matrix: Vec<f32>,
    queries: Vec<Vec<f32>>,
}

impl Bench {
    fn new(folder: &Path, count: usize, dimensions: usize) -> Self {
        let data = SyntheticVectors::new(dimensions);
        let half = count / 2;
        let mut matrix = vec![0.0; count * dimensions];
        let (left, right) = matrix.split_at_mut(half * dimensions);
        std::thread::scope(|scope| {
            for (rows, first) in [(left, 0), (right, half)] {
                let data = &data;
                scope.spawn(move || {
                    for (row, seed) in rows.chunks_exact_mut(dimensions).zip(first..) {
                        data.vector(seed as u64, row);
                    }
                });
            }
        });
        let query = |seed: usize| {
            let mut query = vec![0.0; dimensions];
            data.vector((1 << 40) + seed as u64, &mut query);
            query
        };
        Self {
            path: folder.join(format!("{count}x{dimensions}.db")),
            space: Space { provider: "bench".into(), model: "made-up".into(), dimensions: dimensions as u32 },
            count,
            matrix,
            queries: (0..QUERIES).map(query).collect(),
        }
    }

    fn run(&self) {
        if !self.path.exists() {
            self.store_all();
        }
        self.make_and_extend();
        let anonymous = anonymous_kb();
        let began = Instant::now();
        let store = SqliteStore::open(&self.path);
        self.search(&store, &self.queries[0], Filter::default(), false);
        let first = began.elapsed().as_secs_f64() * 1e3;
        self.search(&store, &self.queries[0], Filter::default(), false);
        let grown = anonymous_kb().saturating_sub(anonymous);

        // Interleaved by query, so that other load on the machine slows all of them.
        let half = Filter { persona: Some("code".into()), ..Filter::default() };
        let hundredth = Filter { model: Some("rare".into()), ..Filter::default() };
        let (mut memory, mut rows, mut bandwidth) = (Class::new("f32 in memory"), Class::new("SQLite rows"), 0_f64);
        let (mut codes, mut exact) = (Class::new("by codes"), Class::new("exact scan"));
        let (mut halved, mut rare) = (Class::new("half filtered"), Class::new("1 % pass"));
        for (place, query) in self.queries.iter().enumerate() {
            let truth = memory.time(|| self.compare_in_memory(query));
            codes.compare(&truth, || self.search(&store, query, Filter::default(), false));
            halved.time(|| self.search(&store, query, half.clone(), false));
            rare.time(|| self.search(&store, query, hundredth.clone(), false));
            if place % (QUERIES / FEW) == 0 {
                bandwidth = bandwidth.max(self.bandwidth());
                exact.compare(&truth, || self.search(&store, query, Filter::default(), true));
                rows.time(|| self.compare_rows());
            }
        }
        println!("class            p50 ms    p99 ms  recall@{NEAREST}");
        for class in [&codes, &halved, &rare, &exact, &memory, &rows] {
            class.print();
        }
        let limit = self.matrix.len() as f64 * 4.0 / bandwidth / 1e6;
        println!("memory is read at {bandwidth:.1} GB/s: all vectors as f32 in {limit:.1} ms");
        println!("the first search of a process: {first:.1} ms; anonymous memory grew by {grown} kB in two");
        let fast = codes.p50();
        println!(
            "RATIOS by codes: {:.3} of reading the f32 once, {:.3} of f32 in memory, {:.4} of exact, 1/{:.0} of rows one by one",
            fast / limit,
            fast / memory.p50(),
            fast / exact.p50(),
            rows.p50() / fast,
        );
        store.close().wait().expect("the store closes");
    }

    /// Stores prompts with plain SQL and vectors through the store.
    fn store_all(&self) {
        let store = SqliteStore::open(&self.path);
        // Creates the file and its tables.
        store.append(Vec::new()).wait().expect("a database");
        let connection = rusqlite::Connection::open(&self.path).expect("the database opens");
        connection
            .execute_batch(&format!(
                "BEGIN; INSERT INTO sessions VALUES (1, zeroblob(16), 'generate', '', '[]', 1, 0, '');
                 WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < {count})
                 INSERT INTO prompts (id, id_tail, session_id, variant, revision, created_at, updated_at, temperature,
                     max_tokens, phase, persona, provider, model, source, strategy, model_metadata, context,
                     original_input, content)
                 SELECT CAST(printf('%016d', n) AS BLOB), CAST(printf('%08d', n) AS BLOB), zeroblob(16), 0, 1, n, n, 0,
                     1, 'coagulatio', iif(n % 2, 'code', 'writing'), 'p', iif(n % 100, 'm', 'rare'), 'manual', '', '{{}}', '[]', '',
                     printf('%.600c', 'x')
                 FROM numbers;
                 UPDATE totals SET prompts = {count}; COMMIT;",
                count = self.count
            ))
            .expect("prompts are stored");
        drop(connection);
        let began = Instant::now();
        let rows: Vec<&[f32]> = self.matrix.chunks_exact(self.queries[0].len()).collect();
        for (first, rows) in (0..).step_by(1000).zip(rows.chunks(1000)) {
            let put = (first..)
                .zip(rows)
                .map(|(number, row)| PromptVectors { id: id(number), parts: vec![(Part::Content, row.to_vec())] });
            store.put_vectors(self.space.clone(), put.collect()).wait().expect("vectors are stored");
        }
        let rate = self.count as f64 / began.elapsed().as_secs_f64();
        println!("stored {rate:.0} vectors a second, with their codes");
        store.close().wait().expect("the store closes");
    }

    /// Rebuilds the files of codes, then truncates a tenth and has it extended.
    fn make_and_extend(&self) {
        let folder = PathBuf::from(format!("{}-vectors", self.path.display()));
        let timed = || {
            let store = SqliteStore::open(&self.path);
            let began = Instant::now();
            store.maintain_index().wait().expect("files of codes");
            began.elapsed().as_secs_f64()
        };
        drop(std::fs::remove_dir_all(&folder));
        let made = timed();
        let file = |extension: &str| {
            let files = std::fs::read_dir(&folder).expect("files were made").flatten();
            let file =
                files.map(|file| file.path()).find(|path| path.extension().is_some_and(|found| found == extension));
            file.expect("files of codes and bytes")
        };
        let length = |extension: &str| std::fs::metadata(file(extension)).expect("its size").len();
        let (codes, bytes) = (length("codes"), length("bytes"));
        std::fs::OpenOptions::new()
            .write(true)
            .open(file("codes"))
            .and_then(|file| file.set_len(codes / 10 * 9))
            .expect("cut off");
        let extended = timed();
        println!(
            "codes {:.1} MB, bytes {:.1} MB: made in {made:.1} s, {:.0} vectors a second; the last tenth in {extended:.1} s",
            codes as f64 / 1e6,
            bytes as f64 / 1e6,
            self.count as f64 / made,
        );
    }

    fn search(&self, store: &SqliteStore, vector: &[f32], filter: Filter, exact: bool) -> Vec<usize> {
        let (space, vector) = (self.space.clone(), vector.to_vec());
        let query = Nearest { space, vector, filter, limit: NEAREST as u32, offset: 0, exact };
        let found = store.nearest(query).wait().expect("a search");
        found.hits.iter().map(|hit| number(hit.id)).collect()
    }

    /// GB a second that two threads read, the best of a few runs.
    fn bandwidth(&self) -> f64 {
        let read = |numbers: &[f32]| {
            let mut sums = [0_u32; 64];
            for numbers in numbers.as_chunks::<64>().0 {
                for (sum, number) in sums.iter_mut().zip(numbers) {
                    *sum = sum.wrapping_add(number.to_bits());
                }
            }
            black_box(sums);
        };
        let (left, right) = self.matrix.split_at(self.matrix.len() / 2);
        let times = (0..FEW).map(|_| {
            let began = Instant::now();
            std::thread::scope(|scope| {
                scope.spawn(|| read(left));
                read(right);
            });
            began.elapsed().as_secs_f64()
        });
        self.matrix.len() as f64 * 4.0 / times.fold(f64::INFINITY, f64::min) / 1e9
    }

    /// The true nearest, by 32-bit floats on two threads.
    fn compare_in_memory(&self, query: &[f32]) -> Vec<usize> {
        let dimensions = query.len();
        let best_of = |rows: &[f32], first: usize| {
            let mut best: Vec<(f32, usize)> = Vec::new();
            for (row, number) in rows.chunks_exact(dimensions).zip(first..) {
                let score = dot(row, query);
                if best.len() < NEAREST || score > best[NEAREST - 1].0 {
                    let place = best.partition_point(|other| other.0 >= score);
                    best.insert(place, (score, number));
                    best.truncate(NEAREST);
                }
            }
            best
        };
        let half = self.count / 2;
        let (left, right) = self.matrix.split_at(half * dimensions);
        let mut best = std::thread::scope(|scope| {
            let other = scope.spawn(|| best_of(left, 0));
            let mut best = best_of(right, half);
            best.extend(other.join().expect("a thread that compares"));
            best
        });
        best.sort_by(|a, b| b.0.total_cmp(&a.0));
        best.truncate(NEAREST);
        best.into_iter().map(|(_, number)| number).collect()
    }

    /// The naive way: decodes every row and computes its cosine in 64 bits.
    fn compare_rows(&self) {
        let connection = rusqlite::Connection::open(&self.path).expect("the database opens");
        let query: Vec<f64> = self.queries[0].iter().map(|number| f64::from(*number)).collect();
        let mut statement = connection.prepare("SELECT prompt, content FROM vectors").expect("a statement");
        let mut rows = statement.query([]).expect("rows");
        let mut best = (f64::NEG_INFINITY, 0_i64);
        while let Some(row) = rows.next().expect("a row") {
            let stored: Vec<u8> = row.get(1).expect("a vector");
            let numbers: Vec<f64> = stored.as_chunks().0.iter().map(|half| widen(*half)).collect();
            let (mut dot, mut own, mut other) = (0.0, 0.0, 0.0);
            for (a, b) in query.iter().zip(&numbers) {
                dot += a * b;
                own += a * a;
                other += b * b;
            }
            let cosine = dot / (own * other).sqrt();
            if cosine > best.0 {
                best = (cosine, row.get(0).expect("a key"));
            }
        }
        black_box(best);
    }
}

/// Searches of one kind: the time of each, and their recall.
struct Class {
    name: &'static str,
    times: Vec<f64>,
    found: usize,
    wanted: usize,
}

impl Class {
    fn new(name: &'static str) -> Self {
        Self { name, times: Vec::new(), found: 0, wanted: 0 }
    }

    fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let answer = work();
        self.times.push(began.elapsed().as_secs_f64() * 1e3);
        answer
    }

    fn compare(&mut self, truth: &[usize], work: impl FnOnce() -> Vec<usize>) {
        let found = self.time(work);
        self.wanted += truth.len();
        self.found += found.iter().filter(|number| truth.contains(number)).count();
    }

    fn p50(&self) -> f64 {
        percentile(self.times.clone(), 0.5)
    }

    fn print(&self) {
        let Self { name, times, found, wanted } = self;
        let recall = if *wanted > 0 { format!("{:.4}", *found as f64 / *wanted as f64) } else { "-".into() };
        println!("{name:<14} {:>8.2} {:>9.2} {recall:>9}", self.p50(), percentile(times.clone(), 0.99));
    }
}

/// Half precision without subnormal numbers, which do not affect the time.
fn widen(half: [u8; 2]) -> f64 {
    let bits = u32::from(u16::from_le_bytes(half));
    let magnitude = f32::from_bits(((bits & 0x7FFF) << 13) + (112 << 23));
    f64::from(if bits & 0x8000 == 0 { magnitude } else { -magnitude })
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; 32];
    for (a, b) in a.as_chunks::<32>().0.iter().zip(b.as_chunks::<32>().0) {
        for lane in 0..32 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum()
}

fn id(number: usize) -> PromptId {
    PromptId(Uuid::from_slice(format!("{number:016}").as_bytes()).expect("sixteen digits"))
}

fn number(id: PromptId) -> usize {
    std::str::from_utf8(id.0.as_bytes()).ok().and_then(|digits| digits.parse().ok()).expect("sixteen digits")
}

/// The value that this share of them, 0 to 1, does not exceed.
fn percentile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = (share * values.len() as f64).ceil() as usize;
    values[place.clamp(1, values.len()) - 1]
}

fn anonymous_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// The source of the data.
struct SyntheticVectors {
    shared: Vec<f32>,
    centres: Vec<Vec<f32>>,
    /// The directions in which clusters spread, a set for every eighth of them.
    spreads: Vec<Vec<f32>>,
}

impl SyntheticVectors {
    fn new(dimensions: usize) -> Self {
        let direction = |seed: u64, count: usize| {
            let mut chance = SeededRandom(seed);
            let length = (dimensions as f32).sqrt();
            (0..count * dimensions).map(|_| chance.normal() / length).collect::<Vec<f32>>()
        };
        Self {
            shared: direction(1, 1),
            centres: (0..CLUSTERS).map(|cluster| direction(1000 + cluster as u64, 1)).collect(),
            spreads: (0..8).map(|set| direction(100 + set, RANK)).collect(),
        }
    }

    /// Writes the vector of this seed, of unit length.
    fn vector(&self, seed: u64, vector: &mut [f32]) {
        let mut chance = SeededRandom(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66);
        // Skewed: the first clusters are the largest.
        let cluster = (chance.uniform().powi(2) * CLUSTERS as f32) as usize % CLUSTERS;
        let centre = &self.centres[cluster];
        let noise = 0.35 / (vector.len() as f32).sqrt();
        for ((number, shared), centre) in vector.iter_mut().zip(&self.shared).zip(centre) {
            *number = 0.36 * shared + 0.7 * centre + noise * chance.normal();
        }
        for direction in self.spreads[cluster % 8].chunks_exact(vector.len()) {
            let weight = 0.5 / (RANK as f32).sqrt() * chance.normal();
            for (number, along) in vector.iter_mut().zip(direction) {
                *number += weight * along;
            }
        }
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        for number in vector {
            *number /= length;
        }
    }
}

/// Random numbers (splitmix64).
struct SeededRandom(u64);

impl SeededRandom {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// 0 to 1.
    fn uniform(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 24) as f32
    }

    /// Nearly normal, with variance one: the sum of four uniform numbers.
    fn normal(&mut self) -> f32 {
        let bits = self.next();
        let sum: u64 = (0..4).map(|part| (bits >> (16 * part)) & 0xFFFF).sum();
        (sum as f32 / 65_536.0 - 2.0) * 1.732_050_8
    }
}
