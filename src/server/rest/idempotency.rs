//! `Idempotency-Key`: a request that is repeated is answered again, not done again.
//!
//! The header (draft-ietf-httpapi-idempotency-key-header-07, a structured field of type string) is
//! honoured on every route that spends; elsewhere it is ignored. The core claims the key, `recorder`
//! records what is answered. Kept are answers of work that was done: successes, and refusals after
//! work began, such as a budget used up. Failures of the server or of a provider, and refusals
//! before any work, are not kept, so that the same request can be made again. If the client goes
//! away, its work ends and its key is free, as when the server dies.

use aludel_core::domain::Operation;
use aludel_core::engine::KeyedRequest;
use aludel_core::error::{Error, Problem, Result};
use aludel_core::operation::{self, Effect};
use aludel_core::store::{Fingerprint, KeyedAnswer};
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::App;
use super::accept::{EVENTS, JSON, negotiate};
use super::error::{PROBLEM_JSON, Refusal};
use super::file_upload::FileUpload;
use super::recorder::{self, Recording};
use super::routes::{self, Route};
use super::work::WorkMark;

/// The header of requests.
pub(super) const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The header of repeated answers.
pub(super) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// Longest key, in characters.
const MOST_CHARS: usize = 255;

/// Serves a request of this route, or repeats the answer to it.
pub(super) async fn answer_once<Serving: Future<Output = Response>>(
    app: &App,
    request: Request,
    route: &Route,
    serve: impl FnOnce(Request) -> Serving,
) -> Response {
    if !request.headers().contains_key(KEY) || !is_honoured(route.operation, &route.method) {
        return serve(request).await;
    }
    match claimed(app, request).await {
        Ok((request, KeyedRequest::Answered(answer))) => {
            drop(request);
            replayed(answer)
        }
        Ok((mut request, KeyedRequest::New(key))) => {
            let work = WorkMark::default();
            request.extensions_mut().insert(work.clone());
            recorder::record(serve(request).await, Recording::new(key, work)).await
        }
        Err(refused) => Refusal::from(refused).into_response(),
    }
}

/// True where the header is honoured: on operations that generate, and on searches that are posted.
pub(super) fn is_honoured(operation: Operation, method: &Method) -> bool {
    match operation::of(operation).effect {
        Effect::Generates => true,
        Effect::Searches => method == Method::POST,
        Effect::Reads | Effect::Changes | Effect::Deletes | Effect::Serves => false,
    }
}

/// Claims the key of a request, whose body is already here.
async fn claimed(app: &App, request: Request) -> Result<(Request, KeyedRequest)> {
    let key = key_of(request.headers())?;
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX)
        .await
        .map_err(|error| Error::Internal(format!("a body that has arrived cannot be read: {error}")))?;
    let file = parts.extensions.get::<FileUpload>().and_then(|file| file.fingerprint);
    let form = negotiate(&parts.headers, &[JSON, EVENTS]).unwrap_or_default();
    let media_type = parts.headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    let is_kept = routes::is_async_preferred(&parts.headers);
    let fingerprint = Fingerprint::of([
        parts.method.as_str().as_bytes(),
        parts.uri.path().as_bytes(),
        parts.uri.query().unwrap_or_default().as_bytes(),
        media_type.to_ascii_lowercase().as_slice(),
        form.as_bytes(),
        &[u8::from(is_kept)],
        body.as_ref(),
        file.as_ref().map(|file| file.0.as_slice()).unwrap_or_default(),
    ]);
    let keyed = app.engine_of(&parts.extensions).claim_key(&key, fingerprint).await?;
    Ok((Request::from_parts(parts, Body::from(body)), keyed))
}

/// The key: a string of a structured field (RFC 9651, section 4.2.5), without parameters.
fn key_of(headers: &HeaderMap) -> Result<String> {
    let fault = |message: &str| Error::shape("Idempotency-Key", message);
    let mut values = headers.get_all(KEY).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(fault("is given more than once; give it once"));
    };
    let text = value.to_str().unwrap_or_default().trim();
    let quoted = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let key = quoted.and_then(unescaped).ok_or_else(|| {
        fault("is not a string in double quotes, of printable ASCII, such as \"8e03978e-40d5-43dd-bc93-6894a57f9324\"")
    })?;
    match key.len() {
        1..=MOST_CHARS => Ok(key),
        0 => Err(fault("is empty; give a new one for each request, such as a UUID")),
        _ => Err(fault("is longer than 255 characters; shorten it, to a UUID for instance")),
    }
}

/// The characters of a string, which escapes `"` and `\`; `None` for any other escape or character.
fn unescaped(text: &str) -> Option<String> {
    let mut characters = text.chars();
    let mut plain = String::with_capacity(text.len());
    while let Some(character) = characters.next() {
        let character = match character {
            '\\' => characters.next().filter(|escaped| ['"', '\\'].contains(escaped))?,
            '"' => return None,
            ' '..='~' => character,
            _ => return None,
        };
        plain.push(character);
    }
    Some(plain)
}

/// The recorded answer.
fn replayed(answer: KeyedAnswer) -> Response {
    let KeyedAnswer { status, headers, body, .. } = answer;
    let body = body.unwrap_or_default();
    let is_problem = headers.iter().any(|(name, value)| name == header::CONTENT_TYPE.as_str() && value == PROBLEM_JSON);
    let problem = is_problem.then(|| serde_json::from_slice::<Problem>(&body).ok()).flatten();
    let mut response = match problem {
        // It gets the id of this request.
        Some(problem) => Refusal::from(problem).into_response(),
        None => {
            let mut response = Response::new(Body::from(body));
            *response.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
            for (name, value) in headers {
                if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
                    response.headers_mut().append(name, value);
                }
            }
            response
        }
    };
    response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    response
}

#[cfg(test)]
mod tests {
    use super::super::routes::ROUTES;
    use super::*;

    fn key(values: &[&str]) -> Result<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(KEY, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        key_of(&headers)
    }

    #[test]
    fn a_key_is_a_quoted_string() {
        assert_eq!(key(&["\"a\""]).unwrap(), "a");
        assert_eq!(key(&["  \" ~!\"  "]).unwrap(), " ~!");
        assert_eq!(key(&[r#""say \"x\" \\""#]).unwrap(), r#"say "x" \"#);
        assert_eq!(key(&[&format!("\"{}\"", "x".repeat(255))]).unwrap().len(), 255);
    }

    #[test]
    fn anything_else_is_a_malformed_header() {
        let long = format!("\"{}\"", "x".repeat(256));
        for values in [
            &["a"][..],
            &[""],
            &["\""],
            &["\"\""],
            &["\"a"],
            &["a\""],
            &["\"a\"b\""],
            &["\"a\\\""],
            &["\"a\\b\""],
            &["\"a\";x=1"],
            &["\"é\""],
            &["\"a\tb\""],
            &[&long],
            &["\"a\"", "\"a\""],
        ] {
            let error = key(values).unwrap_err();
            assert_eq!(
                (error.code().as_str(), error.faults()[0].field.as_str()),
                ("invalid_request", "Idempotency-Key")
            );
        }
    }

    #[test]
    fn the_routes_that_spend_are_those_that_call_providers() {
        let routes = ROUTES.iter().filter(|route| is_honoured(route.operation, &route.method));
        let paths: Vec<&str> = routes.map(|route| route.path).collect();
        let all = ["generate", "batch", "select", "compare", "search"].map(|name| format!("/api/v1/prompts/{name}"));
        assert_eq!(paths[..5], all);
        assert_eq!(paths[5..], ["/api/v1/jobs/{job_id}/resume"]);
    }
}
