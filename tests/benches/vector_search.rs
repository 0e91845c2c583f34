//! Searching by nearness among many vectors, through the store, beside what the machine can do with the same vectors.
//!
//! The data is made up: skewed clusters around a shared direction, a spread of rank 64 inside each, a little noise. Recall
//! is how many of the ten nearest by 32-bit numbers in memory are among the ten that the store answers with, over queries
//! that are not stored. The yardsticks are measured in the same run: reading memory, comparing 32-bit numbers in memory on
//! two threads, and rows of SQLite decoded one by one.
//!
//! `ALUDEL_BENCH_VECTORS` names sizes (`1000000x384,100000x1536`), `ALUDEL_BENCH_FOLDER` where databases are kept for the
//! next run.
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

use aludel_core::domain::PromptId;
use aludel_core::store::sqlite::SqliteStore;
use aludel_core::store::{Filter, FindStore, Nearest, Part, PromptVectors, Space, Store};
use uuid::Uuid;

const QUERIES: usize = 200;
const NEAREST: usize = 10;
const CLUSTERS: usize = 1000;
const RANK: usize = 64;

/// Searches so seldom that a few tell enough.
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
    /// Every vector, one after the other.
    matrix: Vec<f32>,
    queries: Vec<Vec<f32>>,
}

impl Bench {
    fn new(folder: &Path, count: usize, dimensions: usize) -> Self {
        let data = Made::new(dimensions);
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
        let bandwidth = self.bandwidth();
        let (in_memory, truth) = self.compare_in_memory();
        let by_rows = self.compare_rows();
        println!(
            "memory is read at {bandwidth:.1} GB/s; f32 in memory, 2 threads: p50 {:.1} ms",
            median(in_memory.clone())
        );
        println!("rows of SQLite, decoded one by one: {by_rows:.0} ms");

        self.make_and_extend();
        let anonymous = anonymous_kb();
        let began = Instant::now();
        let store = SqliteStore::open(&self.path);
        self.search(&store, &self.queries[0], Filter::default(), false);
        let first = began.elapsed().as_secs_f64() * 1e3;
        let (fast, recall) = self.searches(&store, QUERIES, false, &Filter::default(), &truth);
        let (exact, exact_recall) = self.searches(&store, FEW, true, &Filter::default(), &truth);
        let code = Filter { persona: Some("code".into()), ..Filter::default() };
        let (filtered, _) = self.searches(&store, FEW * 4, false, &code, &truth);
        let grown = anonymous_kb().saturating_sub(anonymous);
        let [fast_p50, exact_p50] = [median(fast.clone()), median(exact)];
        println!("by codes: p50 {fast_p50:.2} ms, p99 {:.2} ms, recall@{NEAREST} {recall:.4}", percentile(fast, 0.99));
        println!(
            "the first search of a process: {first:.1} ms; with half the prompts filtered out: p50 {:.1} ms",
            median(filtered)
        );
        println!("exact, from the database: p50 {exact_p50:.0} ms, recall@{NEAREST} {exact_recall:.4}");
        println!("anonymous memory grew by {grown} kB");
        let limit = self.matrix.len() as f64 * 4.0 / bandwidth / 1e6;
        println!(
            "RATIOS by codes: {:.3} of reading the f32 once ({limit:.1} ms), {:.3} of f32 in memory, {:.4} of exact, 1/{:.0} of rows one by one",
            fast_p50 / limit,
            fast_p50 / median(in_memory),
            fast_p50 / exact_p50,
            by_rows / fast_p50,
        );
        store.close().wait().expect("the store closes");
    }

    /// Prompts by the database's own means, vectors through the store.
    fn store_all(&self) {
        let store = SqliteStore::open(&self.path);
        // Makes the file and its tables.
        store.append(Vec::new()).wait().expect("a database");
        let connection = rusqlite::Connection::open(&self.path).expect("the database opens");
        connection
            .execute_batch(&format!(
                "BEGIN; INSERT INTO sessions VALUES (1, zeroblob(16), 'generate', '', '[]', 1, 0, '');
                 WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < {})
                 INSERT INTO prompts (id, id_tail, session_id, variant, revision, created_at, updated_at, temperature,
                     max_tokens, phase, persona, provider, model, source, strategy, model_metadata, context,
                     original_input, content)
                 SELECT CAST(printf('%016d', n) AS BLOB), CAST(printf('%08d', n) AS BLOB), zeroblob(16), 0, 1, n, n, 0,
                     1, 'coagulatio', iif(n % 2, 'code', 'writing'), 'p', 'm', 'manual', '', '{{}}', '[]', '',
                     printf('%.600c', 'x')
                 FROM numbers; COMMIT;",
                self.count
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

    /// Makes the file of codes anew, then cuts a tenth off and has it extended.
    fn make_and_extend(&self) {
        let folder = PathBuf::from(format!("{}-vectors", self.path.display()));
        let timed = || {
            let store = SqliteStore::open(&self.path);
            let began = Instant::now();
            self.search(&store, &self.queries[0], Filter::default(), false);
            began.elapsed().as_secs_f64()
        };
        drop(std::fs::remove_dir_all(&folder));
        let exact = {
            let store = SqliteStore::open(&self.path);
            let began = Instant::now();
            self.search(&store, &self.queries[0], Filter::default(), true);
            began.elapsed().as_secs_f64()
        };
        let made = (timed() - exact).max(f64::EPSILON);
        let files = std::fs::read_dir(&folder).expect("a file of codes was made").flatten();
        let file = files.map(|file| file.path()).find(|path| path.extension().is_some()).expect("a file of codes");
        let bytes = std::fs::metadata(&file).expect("its size").len();
        let whole = timed();
        std::fs::OpenOptions::new()
            .write(true)
            .open(&file)
            .and_then(|file| file.set_len(bytes / 10 * 9))
            .expect("cut off");
        let extended = (timed() - whole).max(f64::EPSILON);
        println!(
            "codes: {:.1} MB, made at {:.0} vectors a second, extended (searching the tail, too) at {:.0}",
            bytes as f64 / 1e6,
            self.count as f64 / made,
            self.count as f64 / 10.0 / extended,
        );
    }

    fn search(&self, store: &SqliteStore, vector: &[f32], filter: Filter, exact: bool) -> Vec<usize> {
        let (space, vector) = (self.space.clone(), vector.to_vec());
        let query = Nearest { space, vector, filter, limit: NEAREST as u32, offset: 0, exact };
        let found = store.nearest(query).wait().expect("a search");
        found.hits.iter().map(|hit| number(hit.id)).collect()
    }

    /// Milliseconds of each, and the recall.
    fn searches(
        &self,
        store: &SqliteStore,
        count: usize,
        exact: bool,
        filter: &Filter,
        truth: &[Vec<usize>],
    ) -> (Vec<f64>, f64) {
        let (mut times, mut recalled) = (Vec::new(), 0);
        for (query, truth) in self.queries.iter().zip(truth).take(count) {
            let began = Instant::now();
            let found = self.search(store, query, filter.clone(), exact);
            times.push(began.elapsed().as_secs_f64() * 1e3);
            recalled += found.iter().filter(|number| truth.contains(number)).count();
        }
        (times, recalled as f64 / (count * NEAREST) as f64)
    }

    /// GB a second that two threads read, the best of a few.
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

    /// Milliseconds of each search over 32-bit numbers on two threads, and what is truly nearest.
    fn compare_in_memory(&self) -> (Vec<f64>, Vec<Vec<usize>>) {
        let dimensions = self.queries[0].len();
        let best_of = |rows: &[f32], first: usize, query: &[f32]| {
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
        let searched = self.queries.iter().map(|query| {
            let began = Instant::now();
            let mut best = std::thread::scope(|scope| {
                let other = scope.spawn(|| best_of(left, 0, query));
                let mut best = best_of(right, half, query);
                best.extend(other.join().expect("a thread that compares"));
                best
            });
            best.sort_by(|a, b| b.0.total_cmp(&a.0));
            best.truncate(NEAREST);
            (began.elapsed().as_secs_f64() * 1e3, best.into_iter().map(|(_, number)| number).collect())
        });
        searched.unzip()
    }

    /// Milliseconds of the obvious way: every row, decoded, its cosine in 64 bits.
    fn compare_rows(&self) -> f64 {
        let connection = rusqlite::Connection::open(&self.path).expect("the database opens");
        let query: Vec<f64> = self.queries[0].iter().map(|number| f64::from(*number)).collect();
        let times = (0..3).map(|_| {
            let began = Instant::now();
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
            began.elapsed().as_secs_f64() * 1e3
        });
        median(times.collect())
    }
}

/// Half precision, without subnormal numbers, which do not matter to the time.
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

fn median(values: Vec<f64>) -> f64 {
    percentile(values, 0.5)
}

/// The value that this share of them, 0 to 1, does not pass.
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

/// Where the data comes from.
struct Made {
    shared: Vec<f32>,
    centres: Vec<Vec<f32>>,
    /// Directions in which the clusters spread, a set for every eighth of them.
    spreads: Vec<Vec<f32>>,
}

impl Made {
    fn new(dimensions: usize) -> Self {
        let direction = |seed: u64, count: usize| {
            let mut chance = Chance(seed);
            let length = (dimensions as f32).sqrt();
            (0..count * dimensions).map(|_| chance.normal() / length).collect::<Vec<f32>>()
        };
        Self {
            shared: direction(1, 1),
            centres: (0..CLUSTERS).map(|cluster| direction(1000 + cluster as u64, 1)).collect(),
            spreads: (0..8).map(|set| direction(100 + set, RANK)).collect(),
        }
    }

    /// Writes the vector of this seed; its length is one.
    fn vector(&self, seed: u64, vector: &mut [f32]) {
        let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66);
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

/// Numbers by chance (splitmix64).
struct Chance(u64);

impl Chance {
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

    /// Nearly normal, of variance one: four uniform numbers added up.
    fn normal(&mut self) -> f32 {
        let bits = self.next();
        let sum: u64 = (0..4).map(|part| (bits >> (16 * part)) & 0xFFFF).sum();
        (sum as f32 / 65_536.0 - 2.0) * 1.732_050_8
    }
}
