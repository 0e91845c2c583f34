//! A home whose database has hostile values in every text, as other programs may have left it.

use rusqlite::{Connection, params};
use serde_json::Value;

use super::HOSTILE;
use crate::support::Home;

/// Text columns that the program reads as keywords or as its own names.
const STRUCTURAL: &[&str] = &[
    "prompts.phase",
    "prompts.source",
    "steps.phase",
    "calls.state",
    "spaces.provider",
    "spaces.model",
    "jobs.state",
    "jobs.operation",
];

/// Members of stored JSON that the program reads as keywords.
const WORDS: &[&str] = &["phase", "source", "phases", "operation", "kind", "status", "type", "code"];

/// A home with stored prompts of two runs, judged, changed and paid for, in which every text is
/// then made hostile. Also returns the ids, newest first.
pub(super) fn hostile_home() -> (Home, Vec<String>) {
    let home = Home::new();
    home.sim("mine", "answer: echo\nprice: {input: 3.0, output: 15.0}\n");
    home.write("background.txt", "The harbour is closed.");
    for idea in ["harbour ledger", "harbour poem"] {
        home.run(&["generate", idea, "--count", "2", "--tags", "boats,sea", "--context", "Closed."]).done();
    }
    let ids: Vec<String> = home.run(&["list", "--quiet"]).done().stdout.lines().map(str::to_owned).collect();
    home.run(&["update", &ids[0], "--notes", "sent"]).done();
    home.run(&["select", &ids[0], &ids[1], "--task", "harbour"]).done();
    make_hostile(&opened(&home));
    let persona = format!("---\nname: evil\ndescription: {}\n---\nBe {HOSTILE}.\n", yaml(&format!("About {HOSTILE}")));
    home.write(".aludel/personas/evil.md", persona);
    home.write(".aludel/themes/evil.yaml", format!("name: {}\n", yaml(HOSTILE)));
    (home, ids)
}

#[expect(clippy::disallowed_methods, reason = "what is done to the database here no part of the program would do")]
fn opened(home: &Home) -> Connection {
    Connection::open(home.database()).expect("the database")
}

fn yaml(text: &str) -> String {
    serde_json::to_string(text).expect("JSON").replace('\u{e0041}', "\\U000e0041").replace('\u{e007f}', "\\U000e007f")
}

fn make_hostile(database: &Connection) {
    let texts = |query: &str| -> Vec<String> {
        let mut statement = database.prepare(query).expect("a query");
        statement.query_map([], |row| row.get(0)).expect("rows").map(|row| row.expect("a text")).collect()
    };
    let tables = texts(
        "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite_%'",
    );
    let mut changed = 0;
    for table in tables {
        for column in texts(&format!("SELECT name FROM pragma_table_info('{table}') WHERE type = 'TEXT'")) {
            if STRUCTURAL.contains(&format!("{table}.{column}").as_str()) {
                continue;
            }
            for value in texts(&format!("SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL")) {
                let hostile = hostile(&value);
                let update = format!("UPDATE {table} SET {column} = ?1 WHERE {column} = ?2");
                changed += database.execute(&update, params![hostile, value]).expect("changed");
            }
        }
    }
    assert!(changed > 50, "hardly anything was made hostile: {changed}");
}

/// Appends the payload to a text; in JSON to every string except keywords.
fn hostile(value: &str) -> String {
    match serde_json::from_str::<Value>(value) {
        Ok(mut json @ (Value::Object(_) | Value::Array(_))) => {
            spoil(&mut json);
            json.to_string()
        }
        _ => format!("{value}{HOSTILE}"),
    }
}

fn spoil(value: &mut Value) {
    match value {
        Value::String(text) => {
            let is_id = text.len() == 36 && text.split('-').count() == 5;
            let is_moment = text.len() >= 20 && text.ends_with('Z') && text.starts_with("20");
            let is_word = text.parse::<aludel_core::domain::Phase>().is_ok();
            if !is_id && !is_moment && !is_word {
                text.push_str(HOSTILE);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(spoil),
        Value::Object(members) => {
            members.iter_mut().filter(|(name, _)| !WORDS.contains(&name.as_str())).for_each(|(_, value)| spoil(value));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
