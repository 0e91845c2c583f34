//! Plans: what SQLite does for each kind of list, asked with `EXPLAIN QUERY PLAN`.

use super::*;
use crate::store::samples;

fn database() -> (tempfile::TempDir, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aludel.db");
    super::super::migrate::run(&path).unwrap();
    let connection = super::super::connection::open_for_writing(&path).unwrap().connection;
    super::super::prompts::append(&connection, &samples::prompts(30)).unwrap();
    (folder, connection)
}

fn plan(connection: &Connection, query: Query) -> String {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", query.sql)).unwrap();
    let steps = statement.query_map(params_from_iter(query.values), |row| row.get::<_, String>(3)).unwrap();
    steps.collect::<Result<Vec<_>, _>>().unwrap().join("; ")
}

fn assert_in_order(connection: &Connection, filter: &Filter, order: Order, index: &str) {
    let first = page(connection, filter, order, None, 20, 0).unwrap();
    let mark = Mark { score_key: 0.5, created_at: samples::EPOCH_MS, id: samples::id(3) };
    let cursor = mark.encode(List::Prompts(order));
    let next = page(connection, filter, order, Some(&cursor), 20, 0).unwrap();
    for query in [first, next] {
        let sql = query.sql.clone();
        let plan = plan(connection, query);
        assert!(plan.contains(index), "{sql}\n{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
    }
}

#[test]
fn every_list_without_a_tag_comes_out_of_one_index_in_order() {
    let (_folder, connection) = database();
    let none = Filter::default;
    let cases = [
        (none(), "USING COVERING INDEX prompts_newest"),
        (Filter { since: Some(samples::moment(3)), ..none() }, "SEARCH p USING COVERING INDEX prompts_newest"),
        (Filter { until: Some(samples::moment(3)), ..none() }, "SEARCH p USING COVERING INDEX prompts_newest"),
        (Filter { phase: Some(Phase::Solutio), ..none() }, "USING COVERING INDEX prompts_by_phase (phase=?"),
        (Filter { provider: Some("p".into()), ..none() }, "USING COVERING INDEX prompts_by_provider (provider=?"),
        (Filter { model: Some("m".into()), ..none() }, "USING COVERING INDEX prompts_by_model (model=?"),
        (Filter { persona: Some("p".into()), ..none() }, "USING COVERING INDEX prompts_by_persona (persona=?"),
        (
            Filter { session_id: Some(samples::session_id(1)), ..none() },
            "USING COVERING INDEX prompts_by_session (session_id=?",
        ),
    ];
    for (filter, index) in cases {
        for order in [Order::Newest, Order::Oldest] {
            assert_in_order(&connection, &filter, order, index);
        }
    }
    assert_in_order(&connection, &none(), Order::Score, "USING INDEX prompts_by_score");
}
