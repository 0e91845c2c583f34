//! Batches of rows in a request: what is stored, what is read back, what a server goes on with.

use super::*;
use crate::api::{InlineBatchRequest, JobKey, JobRequest, JobResultRequest, ResumeJobRequest};
use crate::domain::{JobResult, JobState, Operation, RowStatus, SessionId};

const SCRIPT: &str = "
answer: {text: 'made of {original_input}'}
rules:
  - when: {input: broken}
    fault: rejected
";

/// As [`SCRIPT`], but a row with `slow` never ends.
const HANGS: &str = "
answer: {text: 'made of {original_input}'}
rules:
  - when: {input: slow, phase: coagulatio}
    fault: hang
";

fn prepared(engine: &Engine, rows: &Value) -> Prepared {
    let raw = json!({ "rows": rows, "count": 1, "concurrency": 2 });
    let request: InlineBatchRequest = engine.decode(raw).unwrap();
    engine.prepare_inline_batch(request).unwrap()
}

async fn state(engine: &Engine, id: SessionId) -> JobState {
    engine.job(JobRequest { job_id: JobKey::Id(id) }).await.unwrap().job.state
}

async fn wait_for(engine: &Engine, id: SessionId, wanted: JobState) {
    while state(engine, id).await != wanted {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

async fn result(engine: &Engine, id: SessionId, status: Option<RowStatus>, after: u64) -> JobResult {
    let request = JobResultRequest { job_id: JobKey::Id(id), status, limit: Some(2), after, brief: false };
    engine.job_result(request).await.unwrap()
}

fn contents(result: &JobResult) -> Vec<(u64, String)> {
    let end = |row: &crate::domain::BatchRow| match (&row.result, &row.error) {
        (Some(result), _) => result.prompts[0].content.clone(),
        (None, Some(error)) => error.code.to_string(),
        (None, None) => String::new(),
    };
    result.rows.iter().map(|row| (row.row, end(row))).collect()
}

#[tokio::test]
async fn the_rows_of_a_kept_batch_are_read_page_by_page_and_their_steps_are_not_kept_twice() {
    let home = Home::with_lab(SCRIPT);
    let engine = home.engine();
    let rows = json!([{ "input": "one" }, { "input": "broken" }, { "input": "three" }, { "input": "four" }, { "input": "broken" }]);
    let id = prepared(&engine, &rows).keep().await.unwrap();
    wait_for(&engine, id, JobState::Finished).await;
    let first = result(&engine, id, None, 0).await;
    assert_eq!(contents(&first), [(1, "made of one".to_owned()), (2, "provider_rejected".to_owned())]);
    assert_eq!(
        (first.next_after, first.result.as_ref().map(|summary| summary["failed"].clone())),
        (Some(2), Some(json!(2)))
    );
    let last = result(&engine, id, None, 4).await;
    assert_eq!((contents(&last).len(), last.next_after), (1, None));
    let failed = result(&engine, id, Some(RowStatus::Failed), 0).await;
    assert_eq!((failed.rows.iter().map(|row| row.row).collect::<Vec<_>>(), failed.next_after), (vec![2, 5], None));
    let fine = result(&engine, id, Some(RowStatus::Ok), 1).await;
    assert_eq!((fine.rows.iter().map(|row| row.row).collect::<Vec<_>>(), fine.next_after), (vec![3, 4], None));
    // The number of rows, and of each the row and its end.
    let units = engine.store().job_units(id, None, 100).await.unwrap();
    assert_eq!(units.len(), 1 + 2 * 5, "{:?}", units.iter().map(|unit| &unit.unit).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_batch_that_was_stopped_is_resumed_as_work_of_the_process() {
    let home = Home::with_lab(HANGS);
    let engine = home.engine();
    let rows = json!([{ "input": "one" }, { "input": "slow" }, { "input": "three" }]);
    let id = prepared(&engine, &rows).keep().await.unwrap();
    while engine.job(JobRequest { job_id: JobKey::Id(id) }).await.unwrap().job.done < 2 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    engine.stop_job(JobRequest { job_id: JobKey::Id(id) }).await.unwrap();
    wait_for(&engine, id, JobState::Cancelled).await;
    assert_eq!(result(&engine, id, None, 0).await.rows.len(), 2);
    // The steps of the row that is not done are kept.
    let units = engine.store().job_units(id, None, 100).await.unwrap();
    assert_eq!(units.iter().filter(|unit| unit.unit.starts_with("0000000002/")).count(), 2);

    home.lab(SCRIPT);
    let other = home.engine_of_another_process();
    let again = ResumeJobRequest { job_id: JobKey::Id(id), budget_usd: None, max_calls: None };
    let job = other.resume_kept_job(again.clone()).await.unwrap();
    assert_eq!((job.id, job.attempt, job.operation), (id, 2, Operation::Batch));
    wait_for(&other, id, JobState::Finished).await;
    assert_eq!(contents(&result(&other, id, None, 1).await)[0], (2, "made of slow".to_owned()));
    assert_eq!(other.resume_kept_job(again).await.unwrap_err().code(), Code::Conflict);
}
