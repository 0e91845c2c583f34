//! Hits, their order and their scores match FTS5's own `bm25`, after any history.

use std::collections::HashMap;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use rusqlite::{params, params_from_iter};

use super::*;
use crate::domain::Prompt;
use crate::store::sqlite::property_tests::{Operation, apply, apply_naively, operation};
use crate::store::sqlite::{SqliteStore, connection};
use crate::store::{FindStore, Store, samples};
use crate::text::query::TextQuery;

/// Asserts that every length is the one FTS5 has, for every prompt in its index.
pub(in crate::store::sqlite) fn assert_lengths_are_those_of_fts5(connection: &Connection) {
    let mut statement = connection.prepare("SELECT id FROM prompt_terms_docsize ORDER BY id").unwrap();
    let keys: Vec<i64> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let mut seen = Vec::new();
    let mut lengths = Lengths::of(connection).unwrap();
    for key in keys {
        let known = lengths.get(key).unwrap();
        let sizes: Vec<u8> =
            connection.query_row("SELECT sz FROM prompt_terms_docsize WHERE id = ?", [key], |row| row.get(0)).unwrap();
        seen.push((key, known.unwrap_or_default(), naive_sum(&sizes)));
    }
    for (key, known, kept) in seen {
        assert_eq!(known, kept, "of prompt {key}");
    }
}

/// The sum of a `%_docsize` record: numbers of seven bits a byte, the highest bit marking more.
fn naive_sum(bytes: &[u8]) -> u32 {
    let numbers = bytes.split_inclusive(|byte| *byte < 0x80);
    numbers.map(|number| number.iter().fold(0, |sum, byte| sum * 128 + u32::from(byte & 0x7f))).sum()
}

fn open(path: &Path) -> Connection {
    let connection = connection::open_for_reading(path).unwrap().unwrap().connection;
    matches::prepare(&connection).unwrap();
    connection
}

/// The same search by SQLite's own `bm25`.
fn by_bm25(connection: &Connection, typed: &str, filter: &Filter) -> Vec<(PromptId, f64)> {
    let Some(expression) = terms::expression(connection, &TextQuery::parse(typed)).unwrap() else { return Vec::new() };
    let weights = WEIGHTS.map(|weight| format!("{weight:?}")).join(", ");
    let mut statement = connection
        .prepare(&format!(
            "SELECT p.id, -bm25(prompt_terms, {weights}) FROM prompt_terms CROSS JOIN prompts p ON p.key = prompt_terms.rowid
             WHERE prompt_terms MATCH ?1 AND (?2 IS NULL OR p.phase = ?2)
               AND (?3 IS NULL OR EXISTS (SELECT 1 FROM tags t WHERE t.prompt = p.key AND t.tag = ?3))
             ORDER BY 2 DESC, p.key DESC"
        ))
        .unwrap();
    let given = params![expression, filter.phase.map(Phase::as_str), filter.tags.first()];
    let read = |row: &rusqlite::Row<'_>| Ok((PromptId(uuid::Uuid::from_bytes(row.get(0)?)), row.get(1)?));
    statement.query_map(given, read).unwrap().map(Result::unwrap).collect()
}

fn search(connection: &Connection, typed: &str, filter: &Filter, limit: u32, offset: u64) -> SearchHits {
    let query = TextQuery::parse(typed);
    super::search(connection, &Lexical { query, filter: filter.clone(), limit, offset }).unwrap()
}

fn assert_as_bm25(connection: &Connection, typed: &str, filter: &Filter) {
    let twin = by_bm25(connection, typed, filter);
    let found = search(connection, typed, filter, 1_000, 0);
    assert_eq!(found.total, twin.len() as u64, "{typed:?}");
    assert_eq!(found.hits.len(), twin.len(), "{typed:?}");
    let scores: HashMap<PromptId, f64> = twin.iter().copied().collect();
    for (hit, (_, in_place)) in found.hits.iter().zip(&twin) {
        for score in [scores[&hit.id], *in_place] {
            assert!((hit.score - score).abs() <= 1e-9 * score.abs().max(1.0), "{typed:?}: {} for {score}", hit.score);
        }
    }
    // A page is that part of the whole.
    let part = search(connection, typed, filter, 2, 1);
    assert_eq!(part.total, found.total);
    assert_eq!(part.hits, found.hits.iter().skip(1).take(2).copied().collect::<Vec<_>>());
    assert_eq!(search(connection, typed, filter, 0, 0), SearchHits { hits: Vec::new(), total: found.total });
}

/// A prompt of few distinct words, so that matches are common.
fn wordy(seed: u32, words: &[&str], input: &[&str], tags: &[&str]) -> Prompt {
    let mut prompt = samples::prompt(seed);
    prompt.content = words.join(" ");
    prompt.original_input = input.join(" ");
    prompt.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    prompt.tags.sort_unstable();
    prompt.tags.dedup();
    prompt
}

fn query() -> impl Strategy<Value = String> {
    let word = select(vec![
        "sea",
        "tide",
        "note",
        "\"sea tide\"",
        "se*",
        "t*",
        "moon",
        "numb*",
        "tag",
        "\"tide sea\"",
        "haiku",
    ]);
    let clause = prop_oneof![
        5 => word.clone().prop_map(str::to_owned),
        2 => (word.clone(), word.clone()).prop_map(|(a, b)| format!("{a} OR {b}")),
        1 => word.prop_map(|word| format!("-{word}")),
    ];
    vec(clause, 1..4).prop_map(|clauses| clauses.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn scores_are_those_of_bm25_whatever_was_done(
        texts in vec((vec(select(vec!["sea", "tide", "note", "moon", "stone"]), 1..40),
                      vec(select(vec!["sea", "tide"]), 0..4), vec(select(vec!["sea", "t one"]), 0..2)), 1..30),
        operations in vec(operation(), 0..8),
        queries in vec(query(), 1..8),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("aludel.db");
        let store = SqliteStore::open(&path);
        let mut rows: Vec<Prompt> = (700..).zip(&texts).map(|(seed, (words, input, tags))| wordy(seed, words, input, tags)).collect();
        store.append(rows.clone()).wait().unwrap();
        for operation in operations.iter().filter(|operation| !matches!(operation, Operation::Reopen)) {
            prop_assert_eq!(apply(&store, operation), apply_naively(&mut rows, operation));
        }
        let other = open(&path);
        for typed in &queries {
            for filter in [
                Filter::default(),
                Filter { tags: vec!["sea".into()], ..Filter::default() },
                Filter { phase: Some(rows.first().map_or(Phase::Solutio, |row| row.phase)), ..Filter::default() },
            ] {
                assert_as_bm25(&other, typed, &filter);
            }
        }
        assert_lengths_are_those_of_fts5(&other);
        // Rebuilt from the rows, it is the same.
        store.reindex_text(None, 10_000).wait().unwrap();
        for typed in &queries {
            assert_as_bm25(&other, typed, &Filter::default());
        }
    }
}

#[test]
fn keys_far_apart_and_texts_without_room_have_their_lengths() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aludel.db");
    let store = SqliteStore::open(&path);
    store.append(vec![wordy(1, &["sea", "tide"], &[], &[])]).wait().unwrap();
    let writing = connection::open_for_writing(&path).unwrap().connection;
    crate::store::sqlite::tokenizer::register(&writing).unwrap();
    // The next key starts another row of lengths; the first must still be found.
    writing.execute("UPDATE sqlite_sequence SET seq = 1999 WHERE name = 'prompts'", []).unwrap();
    let long = vec!["sea"; 70_000];
    let prompts =
        vec![wordy(2, &["sea"; 3], &[], &[]), wordy(3, &long, &[], &[]), wordy(4, &["sea", "moon"], &[], &[])];
    store.append(prompts.clone()).wait().unwrap();
    let keys: Vec<i64> =
        prompts.iter().map(|prompt| super::super::prompts::key_of(&writing, prompt.id).unwrap().unwrap()).collect();
    assert_eq!(keys, [2000, 2001, 2002]);
    let mut lengths = Lengths::of(&writing).unwrap();
    let known: Vec<Option<u32>> = [1, 2000, 2001, 2002, 2003, 9_999_999].map(|key| lengths.get(key).unwrap()).into();
    assert_eq!([known[2], known[4], known[5]], [None; 3]);
    assert!([known[0], known[1], known[3]].iter().all(Option::is_some));
    for typed in ["sea", "sea OR moon", "tide", "sea -moon"] {
        assert_as_bm25(&writing, typed, &Filter::default());
    }
}

#[test]
fn lengths_that_are_lost_are_asked_of_fts5() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aludel.db");
    SqliteStore::open(&path).append(samples::prompts(20)).wait().unwrap();
    let writing = connection::open_for_writing(&path).unwrap().connection;
    crate::store::sqlite::tokenizer::register(&writing).unwrap();
    for lost in ["UPDATE prompt_lengths SET lengths = substr(lengths, 1, 11)", "DELETE FROM prompt_lengths"] {
        writing.execute(lost, []).unwrap();
        assert_as_bm25(&writing, "haiku OR sea OR number", &Filter::default());
    }
}

#[test]
fn many_matches_are_filtered_as_few_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aludel.db");
    let store = SqliteStore::open(&path);
    let prompts: Vec<Prompt> = (0..60)
        .map(|seed| {
            let mut prompt = wordy(seed, &["sea"; 5], &[], if seed % 3 == 0 { &["shore"] } else { &["far"] });
            prompt.phase = Phase::ALL[seed as usize % 3];
            prompt
        })
        .collect();
    store.append(prompts).wait().unwrap();
    let connection = open(&path);
    let filters = [
        Filter { tags: vec!["shore".into()], ..Filter::default() },
        Filter { phase: Some(Phase::ALL[1]), tags: vec!["far".into()], ..Filter::default() },
        Filter { since: Some(samples::moment(10)), until: Some(samples::moment(40)), ..Filter::default() },
    ];
    for filter in &filters {
        let mut passing = Passing::of(&connection, filter).unwrap();
        let one_by_one: Vec<bool> = (1..=60).map(|key| passing.pass(key).unwrap()).collect();
        passing.way = match passing.way {
            FilterCheck::OneByOne { lookup, .. } => FilterCheck::OneByOne { lookup, left: 0 },
            known @ FilterCheck::Known(_) => known,
        };
        let at_once: Vec<bool> = (1..=60).map(|key| passing.pass(key).unwrap()).collect();
        assert!(matches!(passing.way, FilterCheck::Known(_)));
        assert_eq!(one_by_one, at_once);
        assert!(one_by_one.contains(&true) && one_by_one.contains(&false), "{filter:?}");
    }
}

#[test]
fn a_filtered_search_never_reads_the_rows_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aludel.db");
    SqliteStore::open(&path).append(samples::prompts(3)).wait().unwrap();
    let connection = open(&path);
    let filter = Filter {
        tags: vec!["sea".into(), "tag-1".into()],
        phase: Some(Phase::Coagulatio),
        provider: Some("x".into()),
        model: Some("x".into()),
        persona: Some("x".into()),
        session_id: Some(samples::session_id(1)),
        since: Some(samples::moment(1)),
        until: Some(samples::moment(2)),
    };
    let query = lookup(&filter);
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", query.sql)).unwrap();
    let given = std::iter::once(Value::Integer(1)).chain(query.values);
    let plan: Vec<String> =
        statement.query_map(params_from_iter(given), |row| row.get(3)).unwrap().map(Result::unwrap).collect();
    assert!(
        plan.iter().any(|step| step.starts_with("SEARCH p ") && step.contains(" COVERING INDEX prompts_by_key (key=?")),
        "{plan:?}"
    );
    assert_eq!(
        plan.iter().filter(|step| step.starts_with("SEARCH t ") && step.contains("(prompt=? AND tag=?)")).count(),
        2,
        "{plan:?}"
    );
}

#[test]
fn what_fails_inside_a_walk_is_what_the_walk_fails_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aludel.db");
    SqliteStore::open(&path).append(samples::prompts(5)).wait().unwrap();
    let connection = open(&path);
    let mut seen = 0;
    let stopped = matches::each(&connection, "haiku OR number OR sea", &mut |_| {
        seen += 1;
        Err(crate::store::sqlite::failure::Failure::Closed)
    });
    assert!(matches!(stopped, Err(crate::store::sqlite::failure::Failure::Closed)));
    assert_eq!(seen, 1);
    assert!(matches::each(&connection, "\"unfinished", &mut |_| Ok(())).is_err());
    assert!(
        connection
            .prepare("SELECT each_match(prompt_terms, 7) FROM prompt_terms WHERE prompt_terms MATCH 'sea'")
            .is_ok()
    );
    let forged = connection.query_row(
        "SELECT each_match(prompt_terms, 7) FROM prompt_terms WHERE prompt_terms MATCH 'number OR haiku OR sea'",
        [],
        |_| Ok(()),
    );
    assert!(forged.is_err());
}
