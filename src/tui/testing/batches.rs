//! Sample batches: an offer, a job, pages of rows, single rows.

use aludel_core::domain::{BatchRow, GenerationResult, Job, JobDetails, JobState, Operation, RowStatus};
use aludel_core::engine::{Estimate, RowCursor};
use aludel_core::error::{Error, Fault, Problem};
use serde_json::json;

use super::samples::{job, jobs};
use crate::tui::batch::BatchOffer;
use crate::tui::model::batch::{RowLine, RowsPage};

/// A batch of 1,000 rows in this state, of which so many are done and have failed. It began a minute
/// before it is viewed.
pub(crate) fn batch_job(state: JobState, done: u64, failed: u64) -> Job {
    let about = "1000 rows of rows.csv".to_owned();
    Job { about, done, failed, total: Some(1_000), kept: true, attempt: 1, ..job(9, state, Operation::Batch, 60) }
}

/// The page of this batch that begins at `from`, with these rows.
pub(crate) fn rows_page(job: Job, lines: Vec<RowLine>, next: Option<RowCursor>) -> RowsPage {
    let error = json!({ "code": "budget_exceeded", "detail": "12 of 1000 rows are done, and the next one was not \
        started: the budget of $0.05 leaves $0.0012, and the row may cost $0.0041" });
    let result = json!({ "total": 1_000, "ok": job.done - job.failed, "failed": job.failed, "skipped": 0,
        "model_metadata": super::metadata(54_000) });
    let details = JobDetails {
        request: json!({ "format": null, "concurrency": 4, "fail_fast": false, "budget_usd": 0.05,
            "target_models": [], "defaults": { "count": 2, "persona": "code" } }),
        result: (job.state == JobState::Finished).then_some(result),
        error: (job.state == JobState::Failed).then_some(error),
        job,
    };
    RowsPage { details, calls: 36, most_usd: 0.048_8, lines, next, at: jobs().at }
}

/// Rows with these numbers.
pub(crate) fn row_lines(status: RowStatus, rows: impl IntoIterator<Item = u64>) -> Vec<RowLine> {
    let text = match status {
        RowStatus::Ok => "0.97 # Role You name boats for people who have never had one before.",
        RowStatus::Failed => "provider `openai`: the request was refused: it asks for what no model may write",
    };
    let id = |row: u64| if row.is_multiple_of(2) { row.to_string() } else { format!("boat-{row}") };
    rows.into_iter().map(|row| RowLine { row, id: id(row), status, text: text.to_owned() }).collect()
}

/// A row that failed with an error of this text.
pub(crate) fn failed_row(row: u64, detail: &str) -> BatchRow {
    let error = Box::new(Problem::from(Error::Conflict(detail.to_owned())));
    BatchRow { row, id: format!("boat-{row}"), status: RowStatus::Failed, result: None, error: Some(error) }
}

/// A row whose best prompt has this text.
pub(crate) fn fine_row(row: u64, text: &str) -> BatchRow {
    let result = GenerationResult {
        session_id: super::session(),
        prompts: vec![super::prompt(0, text, Some(0.97))],
        rankings: Vec::new(),
        selected: None,
        failures: Vec::new(),
        model_metadata: super::metadata(540),
        warnings: vec!["the model takes no temperature".into()],
    };
    BatchRow { row, id: row.to_string(), status: RowStatus::Ok, result: Some(Box::new(result)), error: None }
}

/// A checked batch that may cost so much.
pub(crate) fn offer(most_usd: Option<f64>, budget_usd: Option<f64>) -> Box<BatchOffer> {
    let mut estimate = Estimate::default();
    (estimate.calls, estimate.most_usd) = (6_000, most_usd);
    (estimate.input_tokens, estimate.output_tokens) = (1_204_000, 2_500_000);
    estimate.unpriced.extend(most_usd.is_none().then(|| "my-model".to_owned()));
    let settings = vec![("count".to_owned(), "2".to_owned()), ("persona".to_owned(), "code".to_owned())];
    Box::new(BatchOffer { path: "rows.csv".into(), rows: 1_000, settings, estimate, seconds: Some(754.0), budget_usd })
}

/// What is wrong with a file of rows.
pub(crate) fn faults() -> Box<Problem> {
    let faults = [
        Fault::new("", "2 of 3 rows are bad; nothing was sent"),
        Fault::new("row 2 (line 3): count", "is 0, and must be 1 to 100"),
        Fault::new("row 3 (line 4, column 12)", "is not JSON: EOF while parsing an object"),
    ];
    Box::new(Problem::from(Error::Value(faults.to_vec().into())))
}
