//! Stored prompts: list, show, explain, change, delete, restore.
//!
//! The `ETag` of a prompt is its revision; `If-Match` requires one. Values of path and headers join
//! the raw request under the core's field names, and cannot be repeated in body or query.

use aludel_core::api::{
    DeleteOneRequest, ListRequest, Request as _, RestoreOneRequest, ShowRequest, TrashRequest, UpdateRequest,
    WhyRequest,
};
use aludel_core::domain::{Prompt, SelectedPrompt, Why};
use aludel_core::engine::{Deletion, PromptPage, TrashPage};
use aludel_core::error::{Code, Error, Result};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::IntoResponse;
use serde_json::{Map, Value};

use super::{PROMPTS, answer};
use crate::server::rest::App;
use crate::server::rest::accept::{JSON, negotiate};
use crate::server::rest::body::{self, IfMatch};
use crate::server::rest::error::HandlerResult;
use crate::server::rest::exchange::{
    Answer, Exchange, IF_MATCH, IF_NONE_MATCH, TAGGED, TAGGED_AND_PLACED, TO_PROMPT, TO_PROMPTS,
};

pub(super) const LIST: Exchange = Exchange::query::<ListRequest>()
    .answers(Answer::json::<PromptPage<SelectedPrompt>>(200, "A page of prompts.").with_links(TO_PROMPTS));
pub(super) const SHOW: Exchange = Exchange::query::<ShowRequest>()
    .headers(&[IF_NONE_MATCH])
    .answers(Answer::json::<Prompt>(200, "The prompt.").with_headers(TAGGED).with_links(TO_PROMPT))
    .answers(Answer::not_modified());
pub(super) const WHY: Exchange = Exchange::query::<WhyRequest>().gives::<Why>(200, "The explanation.");
pub(super) const UPDATE: Exchange = Exchange::body::<UpdateRequest>(Some(r#"{"add_tags": ["liked"]}"#))
    .headers(&[IF_MATCH])
    .answers(Answer::json::<Prompt>(200, "The changed prompt.").with_headers(TAGGED).with_links(TO_PROMPT))
    .answers(
        Answer::json::<Prompt>(201, "The new prompt, derived from this one.")
            .with_headers(TAGGED_AND_PLACED)
            .with_links(TO_PROMPT),
    )
    .fails(&[Code::Conflict]);
pub(super) const REMOVE: Exchange = Exchange::query::<DeleteOneRequest>()
    .headers(&[IF_MATCH])
    .gives::<Deletion>(200, "What was deleted.")
    .fails(&[Code::Conflict]);
pub(super) const RESTORE: Exchange = Exchange::query::<RestoreOneRequest>()
    .answers(Answer::json::<Prompt>(200, "The restored prompt.").with_headers(TAGGED).with_links(TO_PROMPT))
    .fails(&[Code::Conflict]);
pub(super) const TRASH: Exchange = Exchange::query::<TrashRequest>().gives::<TrashPage>(200, "A page of the trash.");

/// The id in the path.
pub(super) type PathId = std::result::Result<Path<String>, PathRejection>;

const PROMPT_ID: &str = "prompt_id";
const REVISION: &str = "revision";

pub(super) async fn list(app: App, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    let raw = body::query(&uri, ListRequest::FIELDS)?;
    let request = app.engine().decode::<ListRequest>(Value::Object(raw))?;
    answer(StatusCode::OK, &app.engine().list_as::<SelectedPrompt>(request).await?)
}

pub(super) async fn show(app: App, id: PathId, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    let raw = with_id(body::query(&uri, ShowRequest::FIELDS)?, id)?;
    let prompt = app.engine().show(app.engine().decode::<ShowRequest>(raw)?).await?;
    if body::is_known(&headers, prompt.revision) {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag(&prompt))]).into_response());
    }
    tagged(StatusCode::OK, &prompt)
}

pub(super) async fn why(app: App, id: PathId, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    let raw = with_id(body::query(&uri, WhyRequest::FIELDS)?, id)?;
    let request = app.engine().decode::<WhyRequest>(raw)?;
    answer(StatusCode::OK, &app.engine().why(request).await?)
}

/// New content makes a new prompt: 201 with its `Location`. Other changes are made in place.
pub(super) async fn update(app: App, id: PathId, request: Request) -> HandlerResult {
    negotiate(request.headers(), &[JSON])?;
    let wanted = body::if_match(request.headers())?;
    let Value::Object(fields) = body::json(request).await? else {
        return Err(body::malformed("expected a JSON object with the fields to change".into()).into());
    };
    let raw = with_id(with_revision(fields, wanted)?, id)?;
    let request = app.engine().decode::<UpdateRequest>(raw)?;
    let makes_new = request.content.is_some();
    let prompt = app.engine().update(request).await?;
    if !makes_new {
        return tagged(StatusCode::OK, &prompt);
    }
    let mut response = tagged(StatusCode::CREATED, &prompt)?;
    let place = HeaderValue::try_from(format!("{PROMPTS}/{}", prompt.id))
        .map_err(|error| Error::Internal(format!("a prompt's place is no header: {error}")))?;
    response.headers_mut().insert(header::LOCATION, place);
    Ok(response)
}

pub(super) async fn remove(app: App, id: PathId, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    let fields = with_revision(body::query(&uri, DeleteOneRequest::FIELDS)?, body::if_match(&headers)?)?;
    let request = app.engine().decode::<DeleteOneRequest>(with_id(fields, id)?)?;
    answer(StatusCode::OK, &app.engine().delete(request.into()).await?)
}

pub(super) async fn restore(app: App, id: PathId, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    let raw = with_id(body::query(&uri, RestoreOneRequest::FIELDS)?, id)?;
    let request = app.engine().decode::<RestoreOneRequest>(raw)?;
    match app.engine().restore(request.into()).await?.restored.as_slice() {
        [restored] => tagged(StatusCode::OK, restored),
        other => Err(Error::Internal(format!("one prompt was to be restored, not {}", other.len())).into()),
    }
}

pub(super) async fn trash(app: App, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    let request = app.engine().decode::<TrashRequest>(Value::Object(body::query(&uri, TrashRequest::FIELDS)?))?;
    answer(StatusCode::OK, &app.engine().trash(request).await?)
}

/// Adds the prompt's id to the raw request.
pub(super) fn with_id(raw: Map<String, Value>, id: PathId) -> Result<Value> {
    with(raw, PROMPT_ID, id)
}

/// Adds the id of the path to the raw request, where it must not be repeated.
pub(super) fn with(mut raw: Map<String, Value>, name: &'static str, id: PathId) -> Result<Value> {
    let Path(id) =
        id.map_err(|rejection| Error::shape(name, format!("cannot be read from the path: {}", rejection.body_text())))?;
    once(&mut raw, name, Value::from(id), "the path")?;
    Ok(Value::Object(raw))
}

/// Adds the revision required by `If-Match` to the raw request.
fn with_revision(mut raw: Map<String, Value>, wanted: IfMatch) -> Result<Map<String, Value>> {
    if let IfMatch::Revision(revision) = wanted {
        once(&mut raw, REVISION, Value::from(revision), "`If-Match`")?;
    }
    Ok(raw)
}

fn once(raw: &mut Map<String, Value>, name: &str, value: Value, place: &str) -> Result<()> {
    if raw.insert(name.to_owned(), value).is_none() {
        return Ok(());
    }
    Err(Error::shape(name, format!("is already given by {place}; leave it out here")))
}

fn tagged(status: StatusCode, prompt: &Prompt) -> HandlerResult {
    let mut response = answer(status, prompt)?;
    response.headers_mut().insert(header::ETAG, tag(prompt));
    Ok(response)
}

fn tag(prompt: &Prompt) -> HeaderValue {
    HeaderValue::try_from(format!("\"{}\"", prompt.revision)).unwrap_or_else(|_| HeaderValue::from_static("\"0\""))
}
