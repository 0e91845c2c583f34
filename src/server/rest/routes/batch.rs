//! `POST /api/v1/prompts/batch`: many rows, as their results, as events, or as a job.
//!
//! The rows are in the body: in a JSON object with what is the same for all of them, or as a file
//! of JSON lines, CSV, YAML or text with that in the query string. Unless requested as a job, a
//! batch ends with its client; what is done stays recorded and can be resumed.

use std::sync::Arc;

use aludel_core::api::{BatchRequest, InlineBatchRequest, Request as _};
use aludel_core::domain::{BatchRow, BatchSummary, Job, SessionId};
use aludel_core::engine::{BatchInput, Engine, Prepared};
use aludel_core::error::{Error, Result};
use aludel_core::event::{Event, Outcome};
use aludel_core::pipeline::RowResults;
use aludel_core::transfer::Input;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::generate::outcome_of;
use super::{JOBS, jobs};
use crate::server::rest::accept::{EVENTS, JSON, negotiate};
use crate::server::rest::error::HandlerResult;
use crate::server::rest::exchange::{Answer, Exchange, PREFER};
use crate::server::rest::file_upload::{self, FileUpload, UploadKind};
use crate::server::rest::{App, body, sse};

pub(super) const EXCHANGE: Exchange =
    Exchange::body::<InlineBatchRequest>(Some(r#"{"rows": [{"input": "a haiku about rain"}], "count": 1}"#))
        .or_uploads::<BatchRequest>(&file_upload::ROW_MEDIA_TYPES)
        .headers(&[PREFER])
        .answers(
            Answer::json::<BatchAnswer>(200, "The summary and all rows.").or_events::<Event>().with_links(TO_BATCH),
        )
        .answers(Answer::job::<Job>());

const TO_BATCH: &[(&str, &str)] = &[("job_id", "/job_id")];

/// The answer of a batch, which is written piece by piece.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes what is written")]
struct BatchAnswer {
    /// The job of the batch, which its rows stay with.
    job_id: SessionId,
    /// How it ended.
    summary: BatchSummary,
    /// Every row that is done, in the order of the input.
    rows: Vec<BatchRow>,
}

/// Bytes after which a piece of the response is sent.
const PIECE: usize = 64 * 1024;

pub(super) async fn batch(app: App, request: Request) -> HandlerResult {
    let form = negotiate(request.headers(), &[JSON, EVENTS])?;
    let is_kept = jobs::is_async_preferred(request.headers());
    let prepared = prepared(app.engine(), request).await?;
    if is_kept {
        return jobs::keep(&app, prepared).await;
    }
    let run = app.start(prepared)?;
    let halting = app.load().halting().clone();
    if form == EVENTS {
        return Ok(sse::answer(run, halting, app.work.clone()));
    }
    let id = run.session_id();
    let outcome = outcome_of(run, &halting)
        .await
        .map_err(|refusal| refusal.adding(&format!("`GET {JOBS}/{id}/result` has the rows that are done")))?;
    match *outcome {
        Outcome::Batch(summary) => answer(app.engine(), id, &summary),
        other => Err(Error::Internal(format!("a batch came to a result of {}", other.operation())).into()),
    }
}

/// Checks the rows. Reading them blocks, so another thread does it.
async fn prepared(engine: &Engine, mut request: Request) -> Result<Prepared> {
    let upload = request.extensions_mut().remove::<FileUpload>();
    let engine = engine.clone();
    let checked = if let Some(FileUpload { kind: UploadKind::Rows(format), file, .. }) = upload {
        let mut raw = body::query(request.uri(), BatchRequest::FIELDS)?;
        raw.entry("format").or_insert_with(|| format.as_str().into());
        let request = engine.decode::<BatchRequest>(Value::Object(raw))?;
        let source = Arc::into_inner(file).ok_or_else(|| Error::Internal("the rows are read twice".into()))?;
        let input = BatchInput::File(Input { name: "the body".into(), source });
        tokio::task::spawn_blocking(move || engine.checked_batch(request, input)).await
    } else {
        if file_upload::expected(&request)?.is_some() {
            return Err(body::malformed("the body is empty; send a row a line".into()));
        }
        let request = engine.decode::<InlineBatchRequest>(body::json(request).await?)?;
        tokio::task::spawn_blocking(move || engine.prepare_inline_batch(request)).await
    };
    checked.map_err(|error| Error::Internal(format!("the check of the rows ended abnormally: {error}")))?
}

/// The summary and all rows in the order of the input, read from the job as they are sent.
fn answer(engine: &Engine, id: SessionId, summary: &BatchSummary) -> HandlerResult {
    let mut head = format!(r#"{{"job_id":"{id}","summary":"#).into_bytes();
    add(&mut head, summary)?;
    head.extend_from_slice(br#","rows":["#);
    let rows = Some((engine.batch_results(id), head, true));
    let pieces = futures_util::stream::unfold(rows, |rows| async {
        let (mut rows, mut piece, mut is_first) = rows?;
        let read = fill(&mut rows, &mut piece, &mut is_first).await;
        match read {
            Ok(true) => Some((Ok(Bytes::from(piece)), Some((rows, Vec::new(), is_first)))),
            Ok(false) => Some((Ok(Bytes::from(piece)), None)),
            // The client sees a body that breaks off, which no reader takes for a whole one.
            Err(error) => {
                tracing::error!(%error, "the rows of a batch cannot be read");
                Some((Err(error), None))
            }
        }
    });
    let body = Body::from_stream(pieces);
    Ok::<Response, _>(([(header::CONTENT_TYPE, JSON)], body).into_response())
}

/// Adds rows until the piece is large enough; false after the last one, with the end of the body.
async fn fill(rows: &mut RowResults, piece: &mut Vec<u8>, is_first: &mut bool) -> Result<bool> {
    while piece.len() < PIECE {
        let Some(row) = rows.next().await? else {
            piece.extend_from_slice(b"]}");
            return Ok(false);
        };
        if !std::mem::replace(is_first, false) {
            piece.push(b',');
        }
        add(piece, &row)?;
    }
    Ok(true)
}

fn add(piece: &mut Vec<u8>, value: &impl Serialize) -> Result<()> {
    serde_json::to_writer(piece, value)
        .map_err(|error| Error::Internal(format!("an answer cannot be written: {error}")))
}
