//! Text search over many prompts, by how common the words are, compared with other uses of SQLite.
//!
//! `nice cargo bench --bench text_search`; ALUDEL_BENCH_PROMPTS sets the number (100,000; a full
//! run is 1,000,000 and takes minutes and 4 GB), ALUDEL_BENCH_FOLDER keeps the corpus. Words are
//! made up and follow Zipf's law over 50,000; a prompt has 300 to 1,500 characters, its input 40 to
//! 200, and up to four of 200 tags, some used far more than others.
//!
//! Ours is a search through the store, with its total, and reading the 20 hits. Its yardsticks
//! alternate with it on the same file: FTS5 by `bm25` and by `rank` without a total, `count(*)` of
//! the matches (the least any ranking must visit), and `LIKE`. The median of ratios per query is
//! reported. Also: storing, index size, `stats`, and whole processes: `aludel search` and this
//! program called with `yardstick-search PATH EXPRESSION`.
#![expect(clippy::expect_used, clippy::print_stdout, reason = "a bench prints, and stops where it cannot go on")]

#[path = "measure/spread.rs"]
mod spread;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use aludel_core::domain::{Filter, Phase, Prompt, StatsBy};
use aludel_core::store::sqlite::{SqliteStore, prepare_connection};
use aludel_core::store::{FindStore, Lexical, MeasureStore, Store, samples};
use aludel_core::text::query::TextQuery;
use aludel_core::text::terms::terms;
use rusqlite::{Connection, OpenFlags, params};
use spread::percentile;

const WORDS: usize = 50_000;
const TAGS: usize = 200;
const BATCH: u32 = 1_000;
const QUERIES: usize = 40;
/// LIKE is slow, so it gets fewer.
const LIKE_QUERIES: usize = 5;

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("yardstick-search") {
        let [path, expression] = [(); 2].map(|()| arguments.next().expect("a path and an expression"));
        return search_once(Path::new(&path), &expression);
    }
    let count = from_environment("ALUDEL_BENCH_PROMPTS").map_or(100_000, |count| count.parse().expect("a number"));
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = from_environment("ALUDEL_BENCH_FOLDER");
    let folder = folder.as_deref().map_or(scratch.path(), Path::new);
    let words = Words::new();
    let home = folder.join(format!("text-{count}"));
    let path = home.join("aludel.db");
    if !home.exists() {
        let unfinished = folder.join("unfinished");
        let _none_was_left = std::fs::remove_dir_all(&unfinished);
        fill(&unfinished.join("aludel.db"), &words, count);
        std::fs::rename(&unfinished, &home).expect("the corpus gets its name");
    }
    println!("load average: {}", std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim());
    durable_appends(scratch.path(), &words);
    queued_appends(scratch.path(), &words);

    #[expect(clippy::disallowed_methods, reason = "the yardsticks are a program of their own")]
    let yardstick = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("the corpus opens");
    prepare_connection(&yardstick).expect("the index is known");
    report_sizes(&yardstick);
    let store = SqliteStore::open(&path);
    println!(
        "{count} prompts; p50 / p99 of {QUERIES} queries in ms, the ratio is the median of theirs by ours\n{:<22}{:>18}{:>30}{:>30}{:>30}{:>30}",
        "", "ours", "bm25", "rank", "count(*)", "LIKE"
    );
    for class in classes(&words) {
        class.run(&store, &yardstick);
    }
    for (class, rank) in [("common", 50), ("mid", 2_000), ("rare", 20_000)] {
        whole_process(class, &words.words[rank], &home);
    }
    let began = Instant::now();
    store.measure(Filter::default(), vec![StatsBy::Provider, StatsBy::Phase]).wait().expect("added up");
    println!("stats of {count}: {:.1} s", began.elapsed().as_secs_f64());
    println!("load average: {}", std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim());
}

/// The minimum to search with SQLite: open, search by `bm25`, read 20, print.
fn search_once(database: &Path, expression: &str) {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    #[expect(clippy::disallowed_methods, reason = "the yardsticks are a program of their own")]
    let connection = Connection::open_with_flags(database, flags).expect("the corpus opens");
    prepare_connection(&connection).expect("the index is known");
    let mut statement = connection
        .prepare(
            "SELECT hex(p.id), p.content FROM (SELECT rowid AS hit FROM prompt_terms WHERE prompt_terms MATCH ?
             ORDER BY bm25(prompt_terms, 1, 2, 4, 2) LIMIT 20) CROSS JOIN prompts p ON p.key = hit",
        )
        .expect("the statement is right");
    let mut rows = statement.query([expression]).expect("it runs");
    while let Some(row) = rows.next().expect("a row") {
        let (id, content): (String, String) = (row.get(0).expect("an id"), row.get(1).expect("a content"));
        println!("{id} {}", content.lines().next().unwrap_or_default());
    }
}

/// `aludel search` from start to end, compared with a minimal SQLite program.
fn whole_process(class: &str, word: &str, home: &Path) {
    let run = |program: &Path, arguments: &[&str]| {
        let began = Instant::now();
        let mut command = Command::new(program);
        command.args(arguments).env_clear().env("ALUDEL_HOME", home);
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status().expect("the program starts");
        assert!(status.success(), "{} {arguments:?} failed", program.display());
        began.elapsed().as_secs_f64() * 1e3
    };
    let own = std::env::current_exe().expect("this program's path");
    let path = home.join("aludel.db");
    let expression = format!("\"{}\"", terms(word).join(" "));
    let bare = ["yardstick-search", path.to_str().expect("a UTF-8 path"), &expression];
    let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..30 {
        let time = run(Path::new(env!("CARGO_BIN_EXE_aludel")), &["search", word, "--limit", "20"]);
        let bare = run(&own, &bare);
        ours.push(time);
        theirs.push(bare);
        ratios.push(time / bare);
    }
    println!(
        "aludel search, a {class} word: p50 {:.1} ms; a bare program by bm25: {:.1} ms; {:.2}x",
        percentile(&mut ours, 0.5),
        percentile(&mut theirs, 0.5),
        percentile(&mut ratios, 0.5)
    );
}

#[expect(clippy::disallowed_methods, reason = "a bench is told so how large it is to be")]
fn from_environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Reproducible random numbers (SplitMix64, Steele, Lea and Flood 2014).
struct SeededRandom(u64);

impl SeededRandom {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// From 0 up to `bound`, exclusive.
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("a small number")
    }

    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Made-up words, the most common first.
struct Words {
    words: Vec<String>,
    /// The sum of `1 / rank` up to each.
    weights: Vec<f64>,
}

impl Words {
    fn new() -> Self {
        const SYLLABLES: [&str; 32] = [
            "ba", "ce", "di", "fo", "gu", "ha", "jo", "ki", "la", "me", "ni", "po", "qua", "ri", "su", "ta", "ve",
            "wo", "xi", "ya", "zu", "bra", "cle", "dro", "fli", "gra", "pla", "ske", "sto", "tru", "sh", "n",
        ];
        let mut chance = SeededRandom(1);
        let mut words: Vec<String> = Vec::with_capacity(WORDS);
        let mut seen = std::collections::HashSet::new();
        while words.len() < WORDS {
            let syllables = 2 + chance.below(3);
            let word: String = (0..syllables).map(|_| SYLLABLES[chance.below(SYLLABLES.len())]).collect();
            // Words with the same stem would be more common than their rank.
            if seen.insert(terms(&word)) {
                words.push(word);
            }
        }
        let mut sum = 0.0;
        let weights = (1..=WORDS)
            .map(|rank| {
                sum += 1.0 / rank as f64;
                sum
            })
            .collect();
        Self { words, weights }
    }

    fn pick(&self, chance: &mut SeededRandom) -> &str {
        let at = chance.fraction() * self.weights[WORDS - 1];
        &self.words[self.weights.partition_point(|weight| *weight < at).min(WORDS - 1)]
    }

    fn text(&self, chance: &mut SeededRandom, least: usize, most: usize) -> String {
        let length = least + chance.below(most - least);
        let mut text = String::with_capacity(length + 16);
        while text.len() < length {
            text.push_str(self.pick(chance));
            text.push(if chance.below(12) == 0 { '\n' } else { ' ' });
        }
        text
    }

    fn prompt(&self, seed: u32) -> Prompt {
        let mut chance = SeededRandom(u64::from(seed) ^ 0xA1DE1);
        let mut prompt = samples::prompt(seed);
        prompt.content = self.text(&mut chance, 300, 1_500);
        prompt.original_input = self.text(&mut chance, 40, 200);
        prompt.notes = None;
        prompt.phase = Phase::ALL[[0, 1, 2, 2, 2, 2][chance.below(6)]];
        prompt.tags = (0..chance.below(5)).map(|_| tag(skewed(&mut chance))).collect();
        prompt.tags.sort_unstable();
        prompt.tags.dedup();
        prompt.steps.truncate(1);
        prompt.steps[0].content.clone_from(&prompt.content);
        prompt
    }
}

/// A tag's number: the smaller, the likelier.
fn skewed(chance: &mut SeededRandom) -> usize {
    let both = [chance.below(TAGS), chance.below(TAGS), chance.below(TAGS)];
    both.into_iter().min().unwrap_or_default()
}

fn tag(number: usize) -> String {
    format!("topic-{number}")
}

/// Stores the corpus like an import: many at a time, making the next while the last is written.
fn fill(path: &Path, words: &Words, count: u32) {
    let store = SqliteStore::open(path);
    let began = Instant::now();
    let mut waiting = None;
    let mut making = std::time::Duration::ZERO;
    for first in (0..count).step_by(BATCH as usize) {
        let made = Instant::now();
        let prompts: Vec<Prompt> = (first..(first + BATCH).min(count)).map(|seed| words.prompt(seed)).collect();
        making += made.elapsed();
        let stored = store.append(prompts);
        if let Some(before) = waiting.replace(stored) {
            aludel_core::store::Pending::wait(before).expect("stored");
        }
    }
    waiting.map(aludel_core::store::Pending::wait).transpose().expect("stored");
    let took = began.elapsed();
    println!(
        "import: {count} prompts in batches of {BATCH} in {:.1} s, {:.0} a second ({:.1} s of it making them up)",
        took.as_secs_f64(),
        f64::from(count) / took.as_secs_f64(),
        making.as_secs_f64()
    );
    store.close().wait().expect("closed");
}

/// One prompt per commit, compared with a bare write and sync.
fn durable_appends(folder: &Path, words: &Words) {
    use std::io::Write;
    let store = SqliteStore::open(folder.join("appends.db"));
    let mut log = std::fs::File::create(folder.join("log")).expect("a file");
    let (mut appends, mut syncs) = (Vec::new(), Vec::new());
    for seed in 0..500 {
        let prompt = words.prompt(seed);
        let began = Instant::now();
        store.append(vec![prompt]).wait().expect("stored");
        appends.push(began.elapsed().as_secs_f64() * 1e3);
        let began = Instant::now();
        log.write_all(&[7; 4096]).and_then(|()| log.sync_data()).expect("written");
        syncs.push(began.elapsed().as_secs_f64() * 1e3);
    }
    let mut ratios: Vec<f64> = appends.iter().zip(&syncs).map(|(append, sync)| append / sync).collect();
    println!(
        "one prompt a commit: p50 {:.2} p99 {:.2} ms, {:.1}x a synced write of 4 KiB",
        percentile(&mut appends, 0.5),
        percentile(&mut appends, 0.99),
        percentile(&mut ratios, 0.5)
    );
}

/// One prompt per job, as fast as they can be queued: the writer groups waiting jobs in a commit.
fn queued_appends(folder: &Path, words: &Words) {
    const JOBS: u32 = 5_000;
    let path = folder.join("queued.db");
    let store = SqliteStore::open(&path);
    let prompts: Vec<Prompt> = (0..JOBS).map(|seed| words.prompt(seed)).collect();
    let began = Instant::now();
    let stored: Vec<_> = prompts.into_iter().map(|prompt| store.append(vec![prompt])).collect();
    for stored in stored {
        stored.wait().expect("stored");
    }
    println!("one prompt a job, queued: {:.0} a second", f64::from(JOBS) / began.elapsed().as_secs_f64());
}

fn report_sizes(connection: &Connection) {
    let sum = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("a size") as f64;
    let text = sum("SELECT sum(length(CAST(content AS BLOB)) + length(CAST(original_input AS BLOB))) FROM prompts");
    let pages = |name: &str| sum(&format!("SELECT ifnull(sum(pgsize), 0) FROM dbstat WHERE name LIKE '{name}'"));
    println!(
        "text {:.0} MB; index of words {:.3} of it in {} segments, its lengths {:.3} and {:.3}, index of filters {:.3}",
        text / 1e6,
        pages("prompt_terms_data") / text,
        sum("SELECT count(DISTINCT segid) FROM prompt_terms_idx"),
        pages("prompt_terms_docsize") / text,
        pages("prompt_lengths") / text,
        pages("prompts_by_key") / text
    );
}

/// Queries of one kind.
struct Class {
    name: &'static str,
    /// The query as typed, and the same for FTS5.
    queries: Vec<(String, String)>,
    filter: Filter,
}

fn classes(words: &Words) -> Vec<Class> {
    let mut chance = SeededRandom(77);
    let mut some = |from: usize, to: usize| -> Vec<String> {
        (0..QUERIES).map(|_| words.words[from + chance.below(to - from)].clone()).collect()
    };
    let (common, other, mid, rare) = (some(30, 80), some(30, 80), some(1_500, 2_500), some(15_000, 25_000));
    let quoted = |word: &str| format!("\"{}\"", terms(word).join(" "));
    let single = |words: &[String]| words.iter().map(|word| (word.clone(), quoted(word))).collect::<Vec<_>>();
    let both = |a: &[String], b: &[String]| {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| (format!("{a} {b}"), format!("{} AND {}", quoted(a), quoted(b)))).collect::<Vec<_>>()
    };
    let pairs = common.iter().zip(&mid);
    let either = pairs.map(|(a, b)| (format!("{a} OR {b}"), format!("{} OR {}", quoted(a), quoted(b)))).collect();
    let prefixes = |words: &[String], length: usize| {
        let begun = words.iter().map(|word| &word[..length.min(word.len())]);
        begun.map(|begun| (format!("{begun}*"), format!("\"{begun}\" *"))).collect::<Vec<_>>()
    };
    let absent: Vec<String> = (0..QUERIES).map(|number| format!("zzyzx{number}q")).collect();
    let class = |name, queries| Class { name, queries, filter: Filter::default() };
    let tagged =
        |name, queries, tags: Vec<String>| Class { name, queries, filter: Filter { tags, ..Filter::default() } };
    let phased = Filter { phase: Some(Phase::Solutio), ..Filter::default() };
    vec![
        class("common", single(&common)),
        class("mid", single(&mid)),
        class("rare", single(&rare)),
        class("absent", single(&absent)),
        class("common AND common", both(&common, &other)),
        class("common AND mid", both(&common, &mid)),
        class("common OR mid", either),
        class("1-letter prefix", prefixes(&mid[..4], 1)),
        class("2-letter prefix", prefixes(&mid[..8], 2)),
        class("3-letter prefix", prefixes(&mid, 3)),
        class("5-letter prefix", prefixes(&mid, 5)),
        tagged("common, common tag", single(&common), vec![tag(1)]),
        tagged("common, rare tag", single(&common), vec![tag(150)]),
        tagged("mid, common tag", single(&mid), vec![tag(1)]),
        tagged("rare, common tag", single(&rare), vec![tag(1)]),
        Class { name: "common, phase", queries: single(&common), filter: phased },
    ]
}

impl Class {
    fn run(&self, store: &SqliteStore, yardstick: &Connection) {
        const READ: &str = "SELECT p.content, p.original_input FROM";
        let tag = self.filter.tags.first().cloned().unwrap_or_default();
        let (join, condition, plain) = match (&self.filter.tags[..], self.filter.phase) {
            ([_], _) => (
                "CROSS JOIN tags t ON t.prompt = prompt_terms.rowid",
                "AND t.tag = ?2",
                "AND EXISTS (SELECT 1 FROM tags t WHERE t.prompt = p.key AND t.tag = ?2)",
            ),
            (_, Some(_)) => (
                "CROSS JOIN prompts f ON f.key = prompt_terms.rowid",
                "AND f.phase = 'solutio' AND ?2 = ''",
                "AND +p.phase = 'solutio' AND ?2 = ''",
            ),
            _ => ("", "AND ?2 = ''", "AND ?2 = ''"),
        };
        let fts = |order: &str| {
            format!(
                "{READ} (SELECT prompt_terms.rowid AS hit FROM prompt_terms {join} WHERE prompt_terms MATCH ?1 {condition}
                 ORDER BY {order} LIMIT 20) CROSS JOIN prompts p ON p.key = hit"
            )
        };
        let by_bm25 = fts("bm25(prompt_terms)");
        let by_rank = fts("prompt_terms.rank");
        let count = format!("SELECT count(*), '' FROM prompt_terms {join} WHERE prompt_terms MATCH ?1 {condition}");
        let like = format!(
            "{READ} prompts p WHERE (p.content LIKE '%' || ?1 || '%' OR p.original_input LIKE '%' || ?1 || '%') {plain}
             ORDER BY p.created_at DESC LIMIT 20"
        );
        let mut times: [Vec<f64>; 5] = Default::default();
        let mut ratios: [Vec<f64>; 4] = Default::default();
        for (number, (typed, expression)) in self.queries.iter().enumerate() {
            let mut ours = || {
                let query =
                    Lexical { query: TextQuery::parse(typed), filter: self.filter.clone(), limit: 20, offset: 0 };
                let found = store.lexical(query).wait().expect("found");
                store.fetch(found.hits.iter().map(|hit| hit.id).collect()).wait().expect("read");
            };
            let own = timed(&mut ours);
            times[0].push(own);
            let is_words = !typed.contains([' ', '*']);
            let others = [
                (&by_bm25, expression, true),
                (&by_rank, expression, true),
                (&count, expression, true),
                (&like, typed, is_words && number < LIKE_QUERIES),
            ];
            for (place, (sql, given, runs)) in others.into_iter().enumerate() {
                if runs {
                    let time = timed(|| read(yardstick, sql, given, &tag));
                    times[place + 1].push(time);
                    ratios[place].push(time / own);
                }
            }
        }
        let [own, others @ ..] = &mut times;
        print!("{:<22}{:>18}", self.name, format!("{:.3}/{:.3}", percentile(own, 0.5), percentile(own, 0.99)));
        for (times, mut ratios) in others.iter_mut().zip(ratios) {
            let cell = if times.is_empty() {
                "-".to_owned()
            } else {
                format!(
                    "{:.3}/{:.3} ({:.2}x)",
                    percentile(times, 0.5),
                    percentile(times, 0.99),
                    percentile(&mut ratios, 0.5)
                )
            };
            print!("{cell:>30}");
        }
        println!();
    }
}

/// The better of two runs, in milliseconds: the first warms the caches.
fn timed(mut work: impl FnMut()) -> f64 {
    let mut run = || {
        let began = Instant::now();
        work();
        began.elapsed().as_secs_f64() * 1e3
    };
    run().min(run())
}

fn read(connection: &Connection, sql: &str, given: &str, tag: &str) {
    let mut statement = connection.prepare_cached(sql).expect("the statement is right");
    let mut rows = statement.query(params![given, tag]).expect("it runs");
    while let Some(row) = rows.next().expect("a row") {
        std::hint::black_box(row.get_ref(0).expect("a column"));
    }
}
