//! Batches in whole sessions over a real engine with a scripted provider.

use std::path::Path;

use aludel_core::api::JobsRequest;
use aludel_core::engine::Engine;
use tokio::sync::mpsc;

use super::*;
use crate::tui::testing::{scripted, scripted_with};

const SCRIPT: &str = "answer: {text: 'made of {original_input}'}\nrules: [{when: {input: broken}, fault: rejected}]\n";

/// A line that is not typed: it waits until no job is under way.
const WAIT: &str = "(wait)";

/// The output for a user who types these lines. `FOLDER` in a line is the folder.
async fn talk(engine: &Engine, folder: &Path, lines: &[&str]) -> String {
    let (sender, heard) = mpsc::channel(64);
    let folder = folder.display().to_string();
    let typed = async {
        sender.send(LineEvent::Line(".".to_owned())).await.unwrap();
        for line in lines {
            if *line == WAIT {
                wait(engine, &sender).await;
            } else {
                sender.send(LineEvent::Line(line.replace("FOLDER", &folder))).await.unwrap();
            }
        }
        drop(sender);
    };
    let mut written = Vec::new();
    let session = Session::new(engine.clone(), &mut written, heard).run("welcome");
    let (ended, ()) = tokio::join!(session, typed);
    ended.unwrap();
    String::from_utf8(written).unwrap()
}

/// Waits until what was typed is taken, and no job is under way.
async fn wait(engine: &Engine, sender: &mpsc::Sender<LineEvent>) {
    loop {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        let jobs = engine.jobs(JobsRequest { all: true, ..JobsRequest::default() }).await.unwrap().jobs;
        let is_over = !jobs.is_empty() && jobs.iter().all(|job| !job.state.is_active());
        if is_over && sender.capacity() == sender.max_capacity() {
            return;
        }
    }
}

fn has(told: &str, expected: &[&str]) {
    let mut rest = told;
    for text in expected {
        let Some((_, after)) = rest.split_once(text) else { panic!("no {text:?} in what follows of:\n{told}") };
        rest = after;
    }
}

#[tokio::test]
async fn a_batch_is_started_and_its_rows_are_told_failed_ones_first() {
    let folder = tempfile::tempdir().unwrap();
    let engine = scripted(folder.path(), SCRIPT);
    let line = |row: u64| if row == 7 { "broken".to_owned() } else { format!("boat {row}") };
    let rows: Vec<String> = (1..=13).map(line).collect();
    std::fs::write(folder.path().join("rows.txt"), rows.join("\n")).unwrap();
    let told = talk(
        &engine,
        folder.path(),
        &["set count 1", "batch FOLDER/rows.txt", "yes", WAIT, "job @last", "more", "more", "row 7", "row 2", "row 99"],
    )
    .await;
    has(&told, &["13 rows of ", "rows.txt: 39 calls.", "Rows that do not say otherwise have count 1."]);
    has(&told, &["Up to ", "tokens sent and", "What it costs is unknown: so is the price of "]);
    has(&told, &["Type yes to start it as a job.\n> Job ", " has begun. job "]);
    has(
        &told,
        &[
            ", finished, batch, 13 of 13 done, 1 failed, begun just now: 13 rows of ",
            "\nRate: ",
            "\nCost: 37 calls, price unknown.",
        ],
    );
    has(
        &told,
        &["1 to 10 of 13 rows done, those that failed first:\nrow 7: failed: provider `model`: ", "\nrow 1: ok: "],
    );
    has(&told, &["more shows the next ones", "\n> 11 to 13 of 13 rows done", "row 11: ok: ", "row 13: ok: "]);
    has(
        &told,
        &["> There are no more rows.", "> row 7: failed\nprovider_rejected: ", "> row 2: ok\n", "\nmade of boat 2\n"],
    );
    has(&told, &["> Not done, not_found: no row"]);
    engine.close().await.unwrap();
}

#[tokio::test]
async fn a_file_that_cannot_be_a_batch_says_why_and_nothing_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let engine = scripted(folder.path(), SCRIPT);
    std::fs::write(folder.path().join("none.csv"), "").unwrap();
    std::fs::write(folder.path().join("bad.csv"), "input,count\nboat,0\n,2\n").unwrap();
    std::fs::write(folder.path().join("fine.csv"), "input\nboat\n").unwrap();
    let told = talk(
        &engine,
        folder.path(),
        &[
            "batch FOLDER/none.csv",
            "batch FOLDER/bad.csv",
            "batch FOLDER",
            "batch FOLDER/gone.csv",
            "batch FOLDER/fine.csv",
            "no",
        ],
    )
    .await;
    has(
        &told,
        &["none.csv has no rows; give one request a line", "> Not done, validation_failed:\n2 of 2 rows are bad"],
    );
    has(&told, &["row 1 (line 2): count", "row 2 (line 3): input", "> Not done, file: cannot read"]);
    has(&told, &["gone.csv`", "1 row of ", "> Nothing was sent."]);
    assert!(engine.jobs(JobsRequest::default()).await.unwrap().jobs.is_empty());
    engine.close().await.unwrap();
}

#[tokio::test]
async fn a_batch_is_stopped_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let hangs = "answer: {text: fine}\nrules: [{when: {input: slow}, fault: hang}]\n";
    let engine = scripted(folder.path(), hangs);
    std::fs::write(folder.path().join("rows.txt"), "one\nslow\n").unwrap();
    let lines = [
        "batch FOLDER/rows.txt",
        "yes",
        "resume @last",
        "stop @last",
        WAIT,
        "job @last",
        "resume @last",
        "stop @last",
        WAIT,
    ];
    let told = talk(&engine, folder.path(), &lines).await;
    has(&told, &[" has begun.", "> Not done, conflict: job ", " is stopping; what is finished is kept."]);
    has(&told, &[", cancelled, batch, ", " is resumed; finished work is not repeated."]);
    engine.close().await.unwrap();
}

#[tokio::test]
async fn what_a_batch_may_cost_becomes_its_budget() {
    let folder = tempfile::tempdir().unwrap();
    let script = "{answer: echo, price: {input: 1, output: 10}}";
    let engine = scripted_with(folder.path(), script, "spend: {preflight_usd: 0.01}\n");
    std::fs::write(folder.path().join("rows.txt"), "one\ntwo\n").unwrap();
    let told = talk(&engine, folder.path(), &["batch FOLDER/rows.txt", "yes", WAIT, "job @last"]).await;
    has(
        &told,
        &[
            "It may cost up to $",
            "allows unasked; going on makes it the budget.",
            " has begun.",
            ", finished, batch, 2 of 2",
        ],
    );
    let details = engine.job(engine.decode(json!({ "job_id": "@last" })).unwrap()).await.unwrap();
    assert!(details.request["budget_usd"].as_f64().is_some_and(|budget| budget > 0.01), "{}", details.request);
    engine.close().await.unwrap();
}

#[tokio::test]
async fn a_batch_that_has_reached_its_budget_is_resumed_with_another() {
    let folder = tempfile::tempdir().unwrap();
    let engine = scripted(folder.path(), "{answer: {words: 5}, price: {input: 1, output: 10}}");
    std::fs::write(folder.path().join("rows.txt"), "one\ntwo\nthree\n").unwrap();
    let lines = [
        "set count 1",
        "set budget_usd 0.001",
        "batch FOLDER/rows.txt",
        "yes",
        WAIT,
        "job @last",
        "resume @last -1",
        "resume @last 5",
        WAIT,
        "job @last",
    ];
    let told = talk(&engine, folder.path(), &lines).await;
    has(&told, &[", failed, batch, 0 of 3 done", "It failed: 0 of 3 rows are done", "(budget_exceeded)\nresume "]);
    has(&told, &["Not done, validation_failed: budget_usd", "is resumed", ", finished, batch, 3 of 3 done"]);
    engine.close().await.unwrap();
}

#[tokio::test]
async fn without_a_batch_it_says_how_one_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let engine = scripted(folder.path(), SCRIPT);
    let told = talk(&engine, folder.path(), &["more", "row 1", "job @last", "new", "boat", ".", "job @last"]).await;
    has(&told, &["No batch was shown yet: job and its id", "No batch was shown yet", "Not done, not_found"]);
    has(&told, &["> Job ", ", finished, generate, 3 of 3 done"]);
    engine.close().await.unwrap();
}
