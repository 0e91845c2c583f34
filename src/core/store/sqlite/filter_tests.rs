//! Query plans of each kind of list, from `EXPLAIN QUERY PLAN`.

use super::*;
use crate::store::samples;

fn database() -> (tempfile::TempDir, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aludel.db");
    super::super::migrate::run(&path).unwrap();
    let connection = super::super::connection::open_for_writing(&path).unwrap().connection;
    super::super::tokenizer::register(&connection).unwrap();
    let prompts = samples::prompts(30);
    let entries = super::super::terms::entries(&prompts);
    super::super::prompts::append(&connection, &prompts, &entries).unwrap();
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

#[test]
fn a_tag_drives_in_order_and_other_conditions_are_looked_up() {
    let (_folder, connection) = database();
    let tagged = |tags: &[&str]| Filter { tags: tags.iter().map(|&tag| tag.into()).collect(), ..Filter::default() };
    let driven = "SEARCH t0 USING COVERING INDEX tags_newest (tag=?";
    for order in [Order::Newest, Order::Oldest] {
        assert_in_order(&connection, &tagged(&["sea"]), order, driven);
        assert_in_order(&connection, &Filter { since: Some(samples::moment(3)), ..tagged(&["sea"]) }, order, driven);
        assert_in_order(&connection, &Filter { provider: Some("p".into()), ..tagged(&["sea"]) }, order, driven);
        let two = Filter { phase: Some(Phase::Solutio), ..tagged(&["sea", "tag-1"]) };
        assert_in_order(&connection, &two, order, driven);
        assert_in_order(&connection, &two, order, "SEARCH t USING PRIMARY KEY (prompt=? AND tag=?)");
        assert_in_order(&connection, &two, order, "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)");
    }
}

#[test]
fn the_rarest_tag_drives_wherever_it_stands() {
    let (_folder, connection) = database();
    for tags in [["sea", "tag-1"], ["tag-1", "sea"]] {
        let filter = Filter { tags: tags.map(String::from).to_vec(), ..Filter::default() };
        let query = page(&connection, &filter, Order::Newest, None, 20, 0).unwrap();
        assert_eq!(query.values[0], Value::Text("tag-1".into()));
    }
}

#[test]
fn one_condition_drives_whatever_the_others_are() {
    let (_folder, connection) = database();
    let all = Filter {
        tags: vec!["sea".into(), "tag-1".into()],
        phase: Some(Phase::Solutio),
        provider: Some("p".into()),
        model: Some("m".into()),
        persona: Some("p".into()),
        session_id: Some(samples::session_id(1)),
        since: Some(samples::moment(1)),
        until: Some(samples::moment(9)),
    };
    let without_session = Filter { session_id: None, tags: Vec::new(), ..all.clone() };
    for order in [Order::Newest, Order::Oldest] {
        assert_in_order(&connection, &all, order, "USING INDEX prompts_by_session (session_id=?");
        assert_in_order(&connection, &without_session, order, "USING INDEX prompts_by_model (model=?");
    }
}

#[test]
fn counts_read_an_index_alone() {
    let (_folder, connection) = database();
    let tagged = Filter { tags: vec!["sea".into()], ..Filter::default() };
    for (filter, index) in [
        (Filter::default(), "COVERING INDEX"),
        (Filter { persona: Some("p".into()), ..Filter::default() }, "USING COVERING INDEX prompts_by_persona"),
        (Filter { since: Some(samples::moment(1)), ..Filter::default() }, "USING COVERING INDEX prompts_newest"),
        (tagged, "USING COVERING INDEX tags_newest"),
    ] {
        let query = Selection::new(&connection, &filter, Order::Newest).unwrap().query("count(*)", "");
        let plan = plan(&connection, query);
        assert!(plan.contains(index), "{plan}");
    }
}
