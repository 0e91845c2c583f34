//! `/api/v1/prompts/search` and `/api/v1/prompts/{id}/similar`: find stored prompts.
//!
//! The body is the list, best first; the total, the cost of embedding the query and warnings are
//! headers. A query string can use `q` for `query`; other names are those of the body.

use aludel_core::api::{Request as _, SearchRequest, SimilarRequest};
use aludel_core::domain::{FoundPrompt, SearchResult, SelectedPrompt};
use aludel_core::error::{Code, Error, Result};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use serde::Serialize;
use serde_json::{Map, Value};

use super::answer;
use super::prompts::{PathId, with_id};
use crate::server::rest::accept::{JSON, negotiate};
use crate::server::rest::error::HandlerResult;
use crate::server::rest::exchange::{Answer, COUNTED, Exchange, TO_FOUND};
use crate::server::rest::{App, body};

/// The total number of results.
pub(super) const TOTAL: HeaderName = HeaderName::from_static("x-total-count");
/// What embedding the query took, as JSON.
const METADATA: HeaderName = HeaderName::from_static("x-model-metadata");
/// Warnings, as a JSON list of texts; absent if there are none.
const WARNINGS: HeaderName = HeaderName::from_static("x-warnings");

const QUERY: &str = "query";
const SHORT_QUERY: &str = "q";

const FOUND: Answer = Answer::json::<Vec<FoundPrompt<SelectedPrompt>>>(200, "The prompts, best first.")
    .with_headers(COUNTED)
    .with_links(TO_FOUND);
pub(super) const BY_BODY: Exchange =
    Exchange::body::<SearchRequest>(Some(r#"{"query": "rain", "limit": 5}"#)).answers(FOUND);
pub(super) const BY_QUERY: Exchange = Exchange::query::<SearchRequest>().alias(QUERY, SHORT_QUERY).answers(FOUND);
pub(super) const SIMILAR: Exchange = Exchange::query::<SimilarRequest>().answers(FOUND).fails(&[Code::Conflict]);

pub(super) async fn by_body(app: App, request: Request) -> HandlerResult {
    negotiate(request.headers(), &[JSON])?;
    let raw = body::json(request).await?;
    search(&app, raw).await
}

pub(super) async fn by_query(app: App, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    let raw = with_long_names(body::query(&uri, SearchRequest::FIELDS)?)?;
    search(&app, Value::Object(raw)).await
}

async fn search(app: &App, raw: Value) -> HandlerResult {
    let request = app.engine().decode::<SearchRequest>(raw)?;
    found(&app.engine().search_as::<SelectedPrompt>(request).await?)
}

/// The prompts nearest to the one in the path, in the form of search results.
pub(super) async fn similar(app: App, id: PathId, headers: HeaderMap, uri: Uri) -> HandlerResult {
    negotiate(&headers, &[JSON])?;
    let raw = with_id(body::query(&uri, SimilarRequest::FIELDS)?, id)?;
    let request = app.engine().decode::<SimilarRequest>(raw)?;
    found(&app.engine().similar_as::<SelectedPrompt>(request).await?)
}

fn found(result: &SearchResult<SelectedPrompt>) -> HandlerResult {
    let mut response = answer(StatusCode::OK, &result.prompts)?;
    let headers = response.headers_mut();
    headers.insert(TOTAL, HeaderValue::from(result.total));
    headers.insert(METADATA, json(&result.model_metadata)?);
    if !result.warnings.is_empty() {
        headers.insert(WARNINGS, json(&result.warnings)?);
    }
    Ok(response)
}

fn with_long_names(mut raw: Map<String, Value>) -> Result<Map<String, Value>> {
    if let Some(query) = raw.shift_remove(SHORT_QUERY)
        && raw.insert(QUERY.to_owned(), query).is_some()
    {
        return Err(Error::shape(SHORT_QUERY, "means the same as `query`; give one of the two"));
    }
    Ok(raw)
}

/// A value as JSON for a header: non-ASCII characters are escaped.
fn json(value: &impl Serialize) -> Result<HeaderValue> {
    let failed = |error: &dyn std::fmt::Display| Error::Internal(format!("a header cannot be written: {error}"));
    let text = serde_json::to_string(value).map_err(|error| failed(&error))?;
    let mut ascii = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() {
            ascii.push(character);
        } else {
            let escape = |unit: &u16| format!("\\u{unit:04x}");
            ascii.extend(character.encode_utf16(&mut [0; 2]).iter().map(escape));
        }
    }
    HeaderValue::try_from(ascii).map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use serde_json::json as value;

    use super::*;

    #[test]
    fn a_header_holds_any_text_as_json() {
        let header = json(&value!({ "model": "größe 𝄞\n" })).unwrap();
        let text = header.to_str().unwrap();
        assert!(text.is_ascii());
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), value!({ "model": "größe 𝄞\n" }));
    }
}
