//! The index agrees with the rows after any history and any crash; no query breaks the search.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::domain::{Filter, Order, PromptId};
use crate::store::sqlite::property_tests::{Operation, apply, apply_naively, operation, text};
use crate::store::sqlite::{SqliteStore, connection, tokenizer};
use crate::store::{Edit, FindStore, Lexical, Mutation, SearchHits, Store, conformance, samples};

/// Term, key, column, position: everything an index holds.
type Instance = (String, i64, String, i64);

/// Compares the whole index of a file with one built from its rows.
pub(in crate::store::sqlite) fn assert_index_says_what_the_rows_say(path: &Path) {
    let store = SqliteStore::open(path);
    let rows = conformance::read_all(&store, &Filter::default(), Order::Newest, 1000);
    let Some(opened) = connection::open_for_writing(path).ok().filter(|_| !rows.is_empty()) else { return };
    let connection = &opened.connection;
    tokenizer::register(connection).unwrap();
    let mut wanted: BTreeSet<Instance> = BTreeSet::new();
    let mut keys = BTreeSet::new();
    for row in &rows {
        let key = crate::store::sqlite::prompts::key_of(connection, row.id).unwrap().unwrap();
        keys.insert(key);
        let entry = entry(row);
        let columns = [
            ("content", entry.content),
            ("original_input", entry.original_input),
            ("tags", entry.tags),
            ("notes", entry.notes),
        ];
        for (column, terms) in columns {
            let positions = terms.split(' ').filter(|terms| !terms.is_empty());
            for (place, terms) in (0..).zip(positions) {
                wanted.extend(terms.split('\u{1f}').map(|term| (term.to_owned(), key, column.to_owned(), place)));
            }
        }
    }
    connection.execute_batch("CREATE VIRTUAL TABLE temp.held USING fts5vocab(main, prompt_terms, instance)").unwrap();
    let mut statement = connection.prepare("SELECT term, doc, col, offset FROM held").unwrap();
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let held: BTreeSet<Instance> = statement.query_map([], read).unwrap().map(Result::unwrap).collect();
    let lost: Vec<&Instance> = wanted.difference(&held).take(5).collect();
    let left: Vec<&Instance> = held.difference(&wanted).take(5).collect();
    assert!(lost.is_empty() && left.is_empty(), "lost: {lost:?}, left over: {left:?}");
    let mut statement = connection.prepare("SELECT id FROM prompt_terms_docsize").unwrap();
    let sized: BTreeSet<i64> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(sized, keys);
    super::super::ranking::tests::assert_lengths_are_those_of_fts5(connection);
    connection.execute("INSERT INTO prompt_terms (prompt_terms) VALUES ('integrity-check')", []).unwrap();
    let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
}

fn search(store: &SqliteStore, typed: &str) -> SearchHits {
    let query = TextQuery::parse(typed);
    store.lexical(Lexical { query, filter: Filter::default(), limit: 1000, offset: 0 }).wait().unwrap()
}

/// Compares the store's hits with those the query matches in the rows.
fn assert_finds(store: &SqliteStore, rows: &[Prompt], typed: &str) {
    let query = TextQuery::parse(typed);
    let wanted: BTreeSet<PromptId> = rows.iter().filter(|row| query.finds(row)).map(|row| row.id).collect();
    let found = search(store, typed);
    assert_eq!(found.hits.iter().map(|hit| hit.id).collect::<BTreeSet<_>>(), wanted, "{typed:?}");
    assert_eq!(found.total, wanted.len() as u64);
}

#[test]
fn the_tokenizer_keeps_every_term_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aludel.db");
    let marks: String = ('!'..='~').collect();
    let written = [
        marks.as_str(),
        "don't o'clock e.g. a:b 3:30 ⑴ ⒜ ℡ ㏂ ½ ﷺ ｆｕｌｌ",
        "किताब คำ မြန်မာ क्ष",
        "x\u{200d}y z\u{ad}w \u{301} a\u{20dd}",
        "ǅ İstanbul ß ſ K Å",
        "1,000.5 12,34 -5 +7 0x1F",
        "ひらがな カタカナ ｶﾀｶﾅ 漢字かな交じり",
        "\u{1d400}\u{1d401} 𝟙𝟚 ①②",
    ];
    let mut prompt = samples::prompt(1);
    prompt.content = written.join(" \u{0} ");
    prompt.tags = vec!["a,b".into(), ",".into(), "-".into(), "sea side".into(), "town".into()];
    SqliteStore::open(&path).append(vec![prompt.clone()]).wait().unwrap();
    assert_index_says_what_the_rows_say(&path);
    let store = SqliteStore::open(&path);
    for text in written {
        assert_finds(&store, std::slice::from_ref(&prompt), &format!("\"{}\"", text.replace('"', " ")));
    }
    assert_eq!((search(&store, "\"sea side\"").total, search(&store, "\"side town\"").total), (1, 0));
}

#[test]
fn every_term_is_quoted() {
    let query = TextQuery {
        clauses: vec![crate::text::query::Clause {
            any: vec![Phrase { terms: vec!["a\" OR \"b".into(), "NEAR(x".into()], is_prefix: true }],
            is_excluded: false,
        }],
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aludel.db");
    let mut prompt = samples::prompt(1);
    prompt.content = "gH".into();
    SqliteStore::open(&path).append(vec![prompt]).wait().unwrap();
    let opened = connection::open_for_reading(&path).unwrap().unwrap();
    tokenizer::register(&opened.connection).unwrap();
    let expression = |query: &TextQuery| expression(&opened.connection, query).unwrap().unwrap();
    assert_eq!(expression(&query), "(\"a\"\" OR \"\"b NEAR(x\" *)");
    let typed = TextQuery::parse("a OR \"b c\" d* -e -f");
    assert_eq!(expression(&typed), r#"(("a" OR "b c") AND ("d" *)) NOT ("e" OR "f")"#);
    // Words that some prompt joins are also searched as one.
    assert_eq!(expression(&TextQuery::parse("\"g h\"")), r#"("g h" OR "g_h")"#);
}

/// Stores, edits and deletes in turn until killed, reporting each turn.
#[test]
#[ignore = "a child process of the test below"]
fn child() {
    let mut path = String::new();
    if std::io::stdin().is_terminal() || std::io::stdin().read_line(&mut path).unwrap() == 0 {
        return;
    }
    let store = SqliteStore::open(path.trim_end());
    for seed in (0..).step_by(3) {
        let prompts: Vec<Prompt> = (seed..seed + 3).map(samples::prompt).collect();
        let (edited, deleted) = (prompts[0].id, prompts[1].id);
        let stored = store.append(prompts);
        let edit = Edit { add_tags: vec![format!("turn {seed}")], notes: Some(None), ..Edit::default() };
        let edit = Mutation::Edit { id: edited, expected_revision: None, edit, at: samples::moment(seed) };
        let changed = store.apply(edit);
        let gone = store.apply(Mutation::Delete { ids: vec![deleted], expected_revision: None });
        stored.wait().unwrap();
        changed.wait().unwrap();
        gone.wait().unwrap();
        println!("turn {seed}");
    }
}

#[test]
fn a_killed_process_leaves_an_index_that_says_what_the_rows_say() {
    let folder = tempfile::tempdir().unwrap();
    for (round, turns) in [3, 9, 17].into_iter().enumerate() {
        let path = folder.path().join(format!("{round}.db"));
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::sqlite::terms::tests::child", "--ignored", "--nocapture", "--test-threads=1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        writeln!(child.stdin.take().unwrap(), "{}", path.display()).unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert_eq!(lines.filter(|line| line.contains("turn ")).take(turns).count(), turns);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_index_says_what_the_rows_say(&path);
        let store = SqliteStore::open(&path);
        assert!(search(&store, "turn").total >= turns as u64);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_text_as_a_query_is_answered_as_the_rows_say(
        typed in prop_oneof![any::<String>(), text(), "[a-c\"*() OR:^+{}-]{0,40}", "(NEAR|AND|NOT|OR|\\(|\\)|\"|\\*| |[ab]){0,30}"],
        other in any::<String>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("aludel.db"));
        let mut rows = samples::prompts(4);
        rows[0].content.clone_from(&typed);
        rows[1].original_input = format!("{other} {typed} a b c");
        rows[2].notes = Some(typed.to_uppercase());
        store.append(rows.clone()).wait().unwrap();
        for query in [typed.clone(), format!("\"{typed}\""), format!("{typed}*"), format!("a -{typed}"), other] {
            assert_finds(&store, &rows, &query);
        }
    }

    #[test]
    fn whatever_was_done_and_lost_the_index_says_what_the_rows_say(
        before in vec(operation(), 1..12), after in vec(operation(), 0..6), kept in 0.0..=1.0_f64,
        typed in vec(select(vec!["haiku", "sea", "\"tag 1\"", "new", "note", "numb* -sea", "海", "editor OR new"]), 1..4),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("aludel.db");
        let store = SqliteStore::open(&path);
        // The file exists from the start, whatever is done first.
        let mut rows = vec![samples::prompt(500)];
        store.append(rows.clone()).wait().unwrap();
        for operation in &before {
            prop_assert_eq!(apply(&store, operation), apply_naively(&mut rows, operation));
        }
        // What a disk may hold after a power loss: the file, and its log up to some byte.
        let crashed = folder.path().join("crashed.db");
        std::fs::copy(&path, &crashed).unwrap();
        let mut log = std::fs::read(folder.path().join("aludel.db-wal")).unwrap_or_default();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a length")]
        log.truncate((log.len() as f64 * kept) as usize);
        std::fs::write(folder.path().join("crashed.db-wal"), log).unwrap();
        for path in [&path, &crashed] {
            let store = SqliteStore::open(path);
            for operation in after.iter().filter(|operation| !matches!(operation, Operation::Reopen)) {
                apply(&store, operation);
            }
            let rows = conformance::read_all(&store, &Filter::default(), Order::Newest, 1000);
            for typed in &typed {
                assert_finds(&store, &rows, typed);
            }
            assert_index_says_what_the_rows_say(path);
        }
    }
}
