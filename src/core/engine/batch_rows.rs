//! Pages of the rows of a batch, those that failed first.
//!
//! A page is read from the records of the job, whichever process works on it. Only one page is in
//! memory, however many rows the batch has.

use std::sync::Arc;

use super::Engine;
use super::jobs::in_brief;
use crate::api::{JobKey, JobRequest, JobResultRequest};
use crate::domain::{BatchRow, Job, JobDetails, Operation, RowStatus, SessionId};
use crate::error::{Error, Result};
use crate::pipeline::RowResults;

/// Where a page of the rows of a batch begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowCursor {
    /// Rows with this status; those that failed come before the others.
    pub status: RowStatus,
    /// Rows after this one, by number.
    pub after: u64,
    /// How many rows the pages before have.
    pub before: u64,
}

impl RowCursor {
    /// The first page.
    pub const FIRST: Self = Self { status: RowStatus::Failed, after: 0, before: 0 };
}

/// A batch, with a page of its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchPage {
    /// The job with its request and its result.
    pub details: JobDetails,
    /// Calls to models that it made, in every attempt.
    pub calls: u64,
    /// US dollars that these count as, calls under way at their worst case; 0 where no price is known.
    pub most_usd: f64,
    /// The rows that are done: those that failed, then the others, each in the order of the input and
    /// with its best prompt alone.
    pub rows: Vec<BatchRow>,
    /// The next page; `None` if no other row is done.
    pub next: Option<RowCursor>,
}

impl Engine {
    /// A batch, with at most `limit` of its rows from `from` on.
    ///
    /// # Errors
    /// As [`Engine::job`]; `conflict` for a job that is no batch, and for rows that another version
    /// stored.
    pub async fn batch_page(&self, job: JobKey, from: RowCursor, limit: usize) -> Result<BatchPage> {
        let details = self.job(JobRequest { job_id: job }).await?;
        let Job { id, operation, done, failed, .. } = details.job;
        if operation != Operation::Batch {
            return Err(Error::Conflict(format!("job {id} is a `{operation}`, which has no rows; name a batch")));
        }
        let counted = self.store().counted_for(id).await?;
        let (mut rows, mut cursor) = (Vec::new(), from);
        if cursor.status == RowStatus::Failed {
            // Finding none would take reading all rows, so what the job counts decides.
            let room = usize::try_from(failed.saturating_sub(cursor.before)).unwrap_or(limit).min(limit);
            self.read_rows(id, &mut cursor, room, &mut rows).await?;
            if rows.len() < limit {
                cursor = RowCursor { status: RowStatus::Ok, after: 0, ..cursor };
            }
        }
        if cursor.status == RowStatus::Ok {
            let room = limit - rows.len();
            self.read_rows(id, &mut cursor, room, &mut rows).await?;
        }
        let next = (rows.len() == limit && cursor.before < done).then_some(cursor);
        Ok(BatchPage { details, calls: counted.calls, most_usd: counted.money.dollars(), rows, next })
    }

    /// Reads at most `room` rows, and moves the cursor behind them.
    async fn read_rows(
        &self,
        job: SessionId,
        cursor: &mut RowCursor,
        room: usize,
        rows: &mut Vec<BatchRow>,
    ) -> Result<()> {
        let mut results =
            RowResults::after(Arc::clone(self.store()), job, cursor.after).with_status(Some(cursor.status));
        for _ in 0..room {
            let Some(row) = results.next().await? else { break };
            cursor.after = row.row;
            cursor.before += 1;
            rows.push(in_brief(row));
        }
        Ok(())
    }

    /// One row of a batch that is done, with its best prompt alone.
    ///
    /// # Errors
    /// As [`Engine::job_result`]; `not_found` for a row that is not done or does not exist.
    pub async fn batch_row(&self, job: JobKey, row: u64) -> Result<BatchRow> {
        let after = row.saturating_sub(1);
        let request = JobResultRequest { job_id: job, status: None, limit: Some(1), after, brief: true };
        let found = self.job_result(request).await?.rows.into_iter().find(|found| found.row == row);
        let hint = "it is not done yet, or the batch has no such row";
        found.ok_or_else(|| Error::NotFound { what: "row", key: row.to_string(), hint })
    }
}
