//! `GET /api/v1/prompts/export` and `POST /api/v1/prompts/import`: prompts as a stream of text.
//!
//! An export is sent page by page as it is read, so its size is no matter. An import has arrived in
//! a temporary file, because it is read twice: checked whole before the first prompt is stored. Both
//! take the formats of the command line, named by `format` or by their media types.

use std::sync::Arc;

use aludel_core::api::{ExportRequest, ImportRequest, Request as _};
use aludel_core::domain::{ImportReport, Prompt};
use aludel_core::error::{Error, Result};
use aludel_core::event::Event;
use aludel_core::transfer::{Export, Input, TransferFormat};
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::IntoResponse;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::answer;
use super::generate::outcome_of;
use super::search::TOTAL;
use crate::server::rest::accept::{EVENTS, JSON, negotiate};
use crate::server::rest::error::HandlerResult;
use crate::server::rest::exchange::{self, Answer, Exchange};
use crate::server::rest::file_upload::{self, FileUpload, UploadKind};
use crate::server::rest::{App, body, sse};

pub(super) const EXPORT: Exchange = Exchange::query::<ExportRequest>().answers(
    Answer::json::<Vec<Prompt>>(200, "The prompts, in the format asked for.")
        .or_file(&TEXT_TYPES)
        .with_headers(exchange::EXPORTED),
);
pub(super) const IMPORT: Exchange = Exchange::upload::<ImportRequest>(&file_upload::PROMPT_MEDIA_TYPES)
    .answers(Answer::json::<ImportReport>(200, "The report.").or_events::<Event>());

const FORMAT: &str = "format";

/// The media types of an export, the default first.
const MEDIA_TYPES: [(TransferFormat, &str); 5] = [
    (TransferFormat::Json, JSON),
    (TransferFormat::Jsonl, "application/x-ndjson"),
    (TransferFormat::Csv, "text/csv"),
    (TransferFormat::Yaml, "application/yaml"),
    (TransferFormat::Markdown, "text/markdown"),
];

/// All of these but JSON, which has a schema.
const TEXT_TYPES: [&str; MEDIA_TYPES.len() - 1] = {
    let (mut names, mut at) = ([""; MEDIA_TYPES.len() - 1], 0);
    while at < names.len() {
        names[at] = MEDIA_TYPES[at + 1].1;
        at += 1;
    }
    names
};

/// The format is the one that `format` names, else the one that the client prefers.
pub(super) async fn export(app: App, headers: HeaderMap, uri: Uri) -> HandlerResult {
    let mut raw = body::query(&uri, ExportRequest::FIELDS)?;
    if !raw.contains_key(FORMAT) {
        let media_type = negotiate(&headers, &MEDIA_TYPES.map(|(_, media_type)| media_type))?;
        let format = MEDIA_TYPES.iter().find(|(_, known)| *known == media_type).map(|(format, _)| format.as_str());
        raw.insert(FORMAT.to_owned(), format.into());
    }
    let request = app.engine().decode::<ExportRequest>(Value::Object(raw))?;
    let format = request.format.as_deref().and_then(TransferFormat::parse).unwrap_or_default();
    let media_type = MEDIA_TYPES.iter().find(|(known, _)| *known == format).map_or(JSON, |(_, media_type)| media_type);
    negotiate(&headers, &[media_type])?;
    let mut export = app.engine().export(&request);
    let total = export.total().await?;
    // Before the head of the response, so that a failure of the database is told as such.
    let first = export.next().await?;
    let body = Body::from_stream(pieces(export, first, app.load().halting().clone()));
    let mut response = (StatusCode::OK, [(header::CONTENT_TYPE, content_type(media_type))], body).into_response();
    response.headers_mut().insert(TOTAL, HeaderValue::from(total));
    response.headers_mut().insert(header::CONTENT_DISPOSITION, disposition(format)?);
    Ok(response)
}

/// The whole text of an export. A failure, or the end of the server, breaks it off, and no client
/// takes that for the whole.
fn pieces(
    export: Export,
    first: Option<String>,
    halting: CancellationToken,
) -> impl futures_util::Stream<Item = Result<Bytes>> {
    futures_util::stream::unfold(Some((export, first, halting)), |state| async {
        let (mut export, ready, halting) = state?;
        if halting.is_cancelled() {
            return Some((Err(Error::Internal("the server was shut down during an export".into())), None));
        }
        let next = match ready {
            Some(piece) => Ok(Some(piece)),
            None => export.next().await,
        };
        match next {
            Ok(piece) => Some((Ok(Bytes::from(piece?)), Some((export, None, halting)))),
            Err(error) => {
                tracing::error!(%error, "an export cannot go on");
                Some((Err(error), None))
            }
        }
    })
}

/// The media type, with its character set where texts have one.
fn content_type(media_type: &'static str) -> HeaderValue {
    match media_type {
        "text/csv" => HeaderValue::from_static("text/csv; charset=utf-8"),
        "text/markdown" => HeaderValue::from_static("text/markdown; charset=utf-8"),
        other => HeaderValue::from_static(other),
    }
}

/// The name of the file that a browser writes (RFC 6266).
fn disposition(format: TransferFormat) -> Result<HeaderValue> {
    let extension = if format == TransferFormat::Markdown { "md" } else { format.as_str() };
    HeaderValue::try_from(format!("attachment; filename=\"prompts.{extension}\""))
        .map_err(|error| Error::Internal(format!("a file's name is no header: {error}")))
}

/// The report, or the events that lead to it.
pub(super) async fn import(app: App, mut request: Request) -> HandlerResult {
    let form = negotiate(request.headers(), &[JSON, EVENTS])?;
    let mut raw = body::query(request.uri(), ImportRequest::FIELDS)?;
    let upload = request.extensions_mut().remove::<FileUpload>();
    let Some(FileUpload { kind: UploadKind::Prompts(sent), file, .. }) = upload else {
        return Err(body::malformed("the body is empty; send the text of an export".into()).into());
    };
    if let Some(format) = sent {
        raw.entry(FORMAT).or_insert_with(|| format.as_str().into());
    }
    let request = app.engine().decode::<ImportRequest>(Value::Object(raw))?;
    let source = Arc::into_inner(file).ok_or_else(|| Error::Internal("the prompts are read twice".into()))?;
    let run = app.engine().import(request, Input { name: "the body".into(), source });
    let halting = app.load().halting().clone();
    if form == EVENTS {
        return Ok(sse::answer(run, halting, None));
    }
    let outcome = outcome_of(run, &halting).await?;
    answer(StatusCode::OK, &outcome.result())
}
