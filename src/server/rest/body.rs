//! Extracts the raw JSON value for the core from bodies, query strings and `If-Match`.
//!
//! This file knows no fields: what does not fit is left to the core, whose messages all faces
//! share. Only errors of HTTP are handled here: the media type, invalid JSON, a header.

use aludel_core::api::{Field, value_of_text};
use aludel_core::error::{Code, Error, Result};
use axum::body::Bytes;
use axum::extract::{FromRequest, Query, Request};
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use serde_json::{Map, Value};

/// The body as JSON. `arrival` has already collected it.
///
/// # Errors
/// `unsupported_media_type`, or `invalid_request` when it is not JSON, or there is a query string: a
/// field in it would be ignored.
pub(super) async fn json(request: Request) -> Result<Value> {
    check_media_type(request.headers())?;
    if request.uri().query().is_some_and(|query| !query.is_empty()) {
        return Err(malformed(
            "the query string is not read where the body is JSON; put its fields in the body".into(),
        ));
    }
    let bytes = Bytes::from_request(request, &())
        .await
        .map_err(|error| malformed(format!("the body cannot be read: {}", error.body_text())))?;
    if bytes.is_empty() {
        return Err(malformed("the body is empty; send a JSON object".into()));
    }
    serde_json::from_slice(&bytes).map_err(|error| malformed(format!("the body is not valid JSON: {error}")))
}

/// # Errors
/// `unsupported_media_type` when it is not declared as JSON.
pub(super) fn check_media_type(headers: &HeaderMap) -> Result<()> {
    let sent = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let essence = sent.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    if essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json")) {
        return Ok(());
    }
    let sent = if essence.is_empty() { "none" } else { "another one" };
    Err(Error::Refused {
        code: Code::UnsupportedMediaType,
        detail: format!(
            "the body must be JSON, and its `Content-Type` says {sent}: send `Content-Type: application/json`"
        ),
    })
}

/// A shape fault of the whole request.
pub(super) fn malformed(message: String) -> Error {
    Error::shape("", message)
}

/// The query string as a raw request of `fields`.
///
/// A repeated name adds to a list if its field takes one, and is an error otherwise.
///
/// # Errors
/// `invalid_request` for a repeated name.
pub(super) fn query(uri: &Uri, fields: &[Field]) -> Result<Map<String, Value>> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri)
        .map_err(|rejection| malformed(format!("the query string cannot be read: {}", rejection.body_text())))?;
    let mut raw = Map::new();
    for (name, text) in pairs {
        let value = value_of_text(fields, &name, &text);
        match (raw.get_mut(&name), value) {
            (None, value) => {
                raw.insert(name, value);
            }
            (Some(Value::Array(items)), Value::Array(more)) => items.extend(more),
            (Some(_), _) => return Err(Error::shape(name, "is given twice; give it once")),
        }
    }
    Ok(raw)
}

/// The condition of an `If-Match` header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IfMatch {
    /// No header, or `*`: any revision.
    Any,
    /// Only this revision.
    Revision(u64),
}

/// Parses `If-Match`, whose tags are the revisions from `ETag`.
///
/// # Errors
/// `invalid_request` when it has several; `conflict` for a tag that is not a revision.
pub(super) fn if_match(headers: &HeaderMap) -> Result<IfMatch> {
    let tags: Vec<&str> = headers
        .get_all(header::IF_MATCH)
        .iter()
        .flat_map(|value| value.to_str().unwrap_or("").split(','))
        .map(str::trim)
        .collect();
    match tags.as_slice() {
        [] | ["*"] => Ok(IfMatch::Any),
        [tag] => revision_of(tag).map(IfMatch::Revision).ok_or_else(|| {
            Error::Conflict("the tag in `If-Match` is not the `ETag` of any revision: read the prompt again".into())
        }),
        _ => Err(malformed("`If-Match` names several tags; give the one you read".into())),
    }
}

/// True when `If-None-Match` has this revision (weak comparison: RFC 9110, section 13.1.2).
pub(super) fn is_known(headers: &HeaderMap, revision: u32) -> bool {
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .flat_map(|value| value.to_str().unwrap_or("").split(','))
        .map(|tag| tag.trim().trim_start_matches("W/"))
        .any(|tag| tag == "*" || revision_of(tag) == Some(u64::from(revision)))
}

/// True when `If-None-Match` has this tag, which is strong.
pub(super) fn is_tag_known(headers: &HeaderMap, known: &HeaderValue) -> bool {
    let known = known.to_str().unwrap_or_default();
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .flat_map(|value| value.to_str().unwrap_or("").split(','))
        .map(|tag| tag.trim().trim_start_matches("W/"))
        .any(|tag| tag == "*" || tag == known)
}

/// The revision of a strong tag such as `"3"`.
fn revision_of(tag: &str) -> Option<u64> {
    tag.strip_prefix('"')?.strip_suffix('"')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use aludel_core::api::{ListRequest, Request as _};
    use aludel_core::error::Code;
    use serde_json::json;

    use super::*;

    fn list(uri: &'static str) -> Result<Value> {
        query(&Uri::from_static(uri), ListRequest::FIELDS).map(Value::Object)
    }

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn texts_of_a_query_become_what_their_field_takes() {
        let raw = list("/?limit=5&tags=a,b&tags=c&provider=my%20server&limits=x").unwrap();
        assert_eq!(raw, json!({ "limit": 5, "tags": ["a", "b", "c"], "provider": "my server", "limits": "x" }));
        assert_eq!(list("/").unwrap(), json!({}));
    }

    #[test]
    fn a_name_given_twice_is_refused_by_name() {
        let error = list("/?limit=5&limit=6").unwrap_err();
        assert_eq!((error.code(), error.faults()[0].field.as_str()), (Code::InvalidRequest, "limit"));
    }

    #[test]
    fn the_tag_of_a_revision_is_its_number() {
        assert_eq!(if_match(&HeaderMap::new()).unwrap(), IfMatch::Any);
        assert_eq!(if_match(&headers(header::IF_MATCH, "*")).unwrap(), IfMatch::Any);
        assert_eq!(if_match(&headers(header::IF_MATCH, " \"3\" ")).unwrap(), IfMatch::Revision(3));
        for (tag, code) in [("W/\"3\"", Code::Conflict), ("3", Code::Conflict), ("\"3\", \"4\"", Code::InvalidRequest)]
        {
            assert_eq!(if_match(&headers(header::IF_MATCH, tag)).unwrap_err().code(), code, "{tag}");
        }
    }

    #[test]
    fn a_known_revision_is_recognised_weakly() {
        for tag in ["\"3\"", "W/\"3\"", "\"1\", \"3\"", "*"] {
            assert!(is_known(&headers(header::IF_NONE_MATCH, tag), 3), "{tag}");
        }
        assert!(!is_known(&headers(header::IF_NONE_MATCH, "\"2\""), 3));
        assert!(!is_known(&HeaderMap::new(), 3));
    }

    #[test]
    fn only_json_is_taken_for_json() {
        for good in ["application/json", "Application/JSON; charset=utf-8", "application/merge-patch+json"] {
            assert!(check_media_type(&headers(header::CONTENT_TYPE, good)).is_ok(), "{good}");
        }
        for bad in ["text/plain", "application/jsonx", "text/json", "application/x-www-form-urlencoded"] {
            let error = check_media_type(&headers(header::CONTENT_TYPE, bad)).unwrap_err();
            assert_eq!(error.code(), Code::UnsupportedMediaType, "{bad}");
        }
        assert!(check_media_type(&HeaderMap::new()).is_err());
    }
}
