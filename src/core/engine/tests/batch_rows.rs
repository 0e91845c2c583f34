//! Pages of a batch, failed rows first; one row; a check that is stopped.

use std::cell::Cell;

use super::*;
use crate::api::{BatchRequest, JobKey, JobRequest};
use crate::domain::{JobState, RowStatus, SessionId};
use crate::error::Code;
use crate::transfer::{Input, spool_whole};

const SCRIPT: &str = "answer: {text: 'made of {original_input}'}\n";

/// A batch of these lines, of which bad ones fail alone, once it has ended.
async fn ended(engine: &Engine, lines: &str) -> SessionId {
    let request: BatchRequest = engine.decode(json!({ "count": 1, "phases": ["coagulatio"] })).unwrap();
    let mut input = file_of(lines);
    let checked = engine.check_batch(&request, &mut input, BadRows::Fail, true).unwrap();
    let id = engine.prepare_batch(request, input, &checked).unwrap().keep().await.unwrap();
    while engine.job(JobRequest { job_id: JobKey::Id(id) }).await.unwrap().job.state != JobState::Finished {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    id
}

fn file_of(lines: &str) -> BatchInput {
    let name = std::path::PathBuf::from("rows.jsonl");
    let source = spool_whole(lines.as_bytes(), &name).unwrap();
    BatchInput::File(Input { name, source })
}

/// The rows of all pages, and the number of pages.
async fn pages(engine: &Engine, id: SessionId, limit: usize) -> (Vec<(u64, RowStatus)>, usize) {
    let (mut rows, mut count, mut next) = (Vec::new(), 0, Some(RowCursor::FIRST));
    while let Some(from) = next {
        assert_eq!(from.before, rows.len() as u64);
        let page = engine.batch_page(JobKey::Id(id), from, limit).await.unwrap();
        assert!(page.rows.len() <= limit && !page.rows.is_empty());
        rows.extend(page.rows.iter().map(|row| (row.row, row.status)));
        count += 1;
        next = page.next;
    }
    (rows, count)
}

#[tokio::test]
async fn rows_that_failed_come_first_and_no_row_is_lost_or_told_twice_wherever_a_page_ends() {
    let home = Home::with_lab(SCRIPT);
    let engine = home.engine();
    let bad = [2, 3, 7];
    let line = |row: u64| json!({ "input": if bad.contains(&row) { String::new() } else { format!("row {row}") } });
    let lines: Vec<String> = (1..=9).map(|row| line(row).to_string()).collect();
    let id = ended(&engine, &lines.join("\n")).await;
    let failed = bad.into_iter().map(|row| (row, RowStatus::Failed));
    let fine = (1..=9).filter(|row| !bad.contains(row)).map(|row| (row, RowStatus::Ok));
    let expected: Vec<(u64, RowStatus)> = failed.chain(fine).collect();
    for (limit, count) in [(1, 9), (2, 5), (3, 3), (4, 3), (8, 2), (9, 1), (50, 1)] {
        assert_eq!(pages(&engine, id, limit).await, (expected.clone(), count), "pages of {limit}");
    }
    let page = engine.batch_page(JobKey::Id(id), RowCursor::FIRST, 4).await.unwrap();
    assert_eq!((page.calls, page.details.result.unwrap()["ok"].clone()), (6, json!(6)));
    let best = &page.rows[3].result.as_ref().unwrap().prompts;
    assert_eq!((best.len(), best[0].content.as_str(), best[0].steps.len()), (1, "made of row 1", 0));
    let row = engine.batch_row(JobKey::Id(id), 7).await.unwrap();
    assert_eq!(row.error.unwrap().code, Code::ValidationFailed);
    for row in [0, 10] {
        let error = engine.batch_row(JobKey::Id(id), row).await.unwrap_err();
        assert!(error.code() == Code::NotFound && error.to_string().contains("row"), "{error}");
    }
}

#[tokio::test]
async fn ten_thousand_rows_are_read_a_page_at_a_time() {
    let home = Home::with_lab(SCRIPT);
    let engine = home.engine();
    let line = |row: u64| if row.is_multiple_of(2_500) { json!({ "input": "fine" }) } else { json!({ "input": "" }) };
    let lines: Vec<String> = (1..=10_000).map(|row| line(row).to_string()).collect();
    let id = ended(&engine, &lines.join("\n")).await;
    let page = |after, before| {
        let from = RowCursor { status: RowStatus::Failed, after, before };
        engine.batch_page(JobKey::Id(id), from, 50)
    };
    let first = page(0, 0).await.unwrap();
    assert_eq!((first.rows.len(), first.rows[49].row, first.details.job.failed), (50, 50, 9_996));
    assert_eq!(first.next, Some(RowCursor { status: RowStatus::Failed, after: 50, before: 50 }));
    let last = page(9_950, 9_947).await.unwrap();
    let rows: Vec<u64> = last.rows.iter().map(|row| row.row).collect();
    assert_eq!((rows[0], rows[48], &rows[49..]), (9_951, 9_999, &[2_500][..]));
    let end = engine.batch_page(JobKey::Id(id), last.next.unwrap(), 50).await.unwrap();
    let rows: Vec<u64> = end.rows.iter().map(|row| row.row).collect();
    assert_eq!((rows, end.next), (vec![5_000, 7_500, 10_000], None));
}

#[tokio::test]
async fn a_job_that_is_no_batch_has_no_rows() {
    let home = Home::with_lab(SCRIPT);
    let engine = home.engine();
    let request = engine.decode(json!({ "input": "idea", "count": 1 })).unwrap();
    let id = engine.prepare(request).unwrap().keep().await.unwrap();
    let error = engine.batch_page(JobKey::Id(id), RowCursor::FIRST, 9).await.unwrap_err();
    assert!(error.code() == Code::Conflict && error.to_string().contains("is a `generate`, which has no rows"));
}

#[tokio::test]
async fn a_check_can_be_stopped_and_says_how_far_it_is() {
    let home = Home::with_lab(SCRIPT);
    let engine = home.engine();
    let request: BatchRequest = engine.decode(json!({})).unwrap();
    let mut input = file_of(&"{\"input\": \"idea\"}\n".repeat(9));
    let seen = Cell::new(0);
    let goes_on = |rows| {
        seen.set(rows);
        rows < 4
    };
    let error = engine.check_batch_while(&request, &mut input, BadRows::Refuse, true, goes_on).unwrap_err();
    assert!(matches!(error, Error::Cancelled));
    assert_eq!(seen.get(), 4);
}
