//! Sends single calls to a provider, with headers and key, and returns successful answers.
//!
//! Owns that the key goes only into the codec's header, that the user's headers take precedence,
//! which redirects are followed (same scheme, host and port, at most three, keeping method and
//! body), and that errors name the provider and contain no secret. All networked calls go here.

use std::path::PathBuf;
use std::sync::Arc;

use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Request, Response, StatusCode, Url};
use tokio::time::{Instant, timeout_at};

use super::super::frame::Framing;
use super::super::timeout::{self, Timeouts};
use super::super::wire::{Auth, ErrorAnswer, HttpCall, Method, Wire};
use super::client::Clients;
use super::connection_error::CallTarget;
use super::key::Key;
use super::place::{self, BaseUrl};
use crate::config::Secret;
use crate::error::{Error, ProviderError, ProviderFailure};
use crate::provider::settings::ProviderSettings;
use crate::redact;
use crate::time::Clock;

/// The most redirects followed in a row.
const MAX_REDIRECTS: usize = 3;

/// How much of an error answer is read, in bytes.
const MAX_ERROR_BODY: usize = 64 * 1024;

/// The maximum size of an answer, in bytes.
pub(super) const LONGEST_ANSWER: usize = 64 * 1024 * 1024;

/// The kind of answer expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExpectedBody {
    /// A stream with this framing.
    Stream(Framing),
    /// A single JSON value.
    Whole,
}

/// The client of one provider.
pub struct ProviderClient {
    pub(super) name: String,
    pub(super) wire: Arc<dyn Wire>,
    place: BaseUrl,
    ca_file: Option<PathBuf>,
    /// The user's headers.
    headers: HeaderMap,
    key: Key,
    clients: Arc<Clients>,
    clock: Arc<dyn Clock>,
}

impl ProviderClient {
    /// Creates the client of `settings`, which speaks `wire`. Opens no connection; creates an HTTP
    /// client only to check a `ca_file`.
    ///
    /// # Errors
    /// `validation_failed` for an invalid `base_url` or header, `file` for an unusable `ca_file`.
    pub fn new(
        settings: &ProviderSettings,
        wire: Arc<dyn Wire>,
        clients: Arc<Clients>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let ProviderSettings { name, base_url, key, headers, ca_file, .. } = settings;
        let base_url = base_url.as_deref().unwrap_or_else(|| wire.default_base_url());
        let place = BaseUrl::parse(base_url, &format!("providers.{name}.base_url"))?;
        if ca_file.is_some() {
            // Reports a broken file now, not in the middle of a run.
            clients.get(name, place.url(), ca_file.as_deref())?;
        }
        let headers = own_headers(name, headers)?;
        let key = Key::new(name, key.clone());
        Ok(Self { name: name.clone(), wire, place, ca_file: ca_file.clone(), headers, key, clients, clock })
    }

    pub(super) fn called(&self) -> CallTarget<'_> {
        CallTarget { provider: &self.name, place: &self.place }
    }

    /// Sends one call. `model` is the requested one, or empty.
    ///
    /// # Errors
    /// Any answer but a success, as classified by [`Wire::failure`], and connection errors.
    pub(super) async fn send(
        &self,
        call: HttpCall,
        wanted: ExpectedBody,
        model: &str,
    ) -> Result<Response, ProviderError> {
        let unsent = |error: Error| self.failed(ProviderFailure::Unavailable, error.to_string()).before_sending();
        let client = self.clients.get(&self.name, self.place.url(), self.ca_file.as_deref()).map_err(unsent)?;
        let key = self.key.get().await.map_err(ProviderError::before_sending)?;
        let mut url = self.place.at(&call.path).map_err(unsent)?;
        let request = self.request(&call, url.clone(), wanted, key.as_ref())?;
        for _ in 0..=MAX_REDIRECTS {
            let mut request = request
                .try_clone()
                .ok_or_else(|| self.failed(ProviderFailure::Unavailable, "the request cannot be repeated"))?;
            *request.url_mut() = url.clone();
            let sent = Instant::now();
            let response = client.execute(request).await.map_err(|error| self.called().unanswered(error))?;
            let status = response.status();
            let millis = sent.elapsed().as_millis();
            tracing::debug!(provider = %self.name, host = %self.place.shown(), status = status.as_u16(), millis, "answered");
            if let Some(next) = self.redirect(&response, &url)? {
                url = next;
                continue;
            }
            if status.is_success() {
                return Ok(response);
            }
            let error = self.refused(response, model).await;
            if error.failure == ProviderFailure::Auth
                && let Some(key) = &key
            {
                self.key.refused(key).await;
            }
            return Err(error);
        }
        let message = format!(
            "{} redirects more than {MAX_REDIRECTS} times; correct `providers.{}.base_url`",
            self.place.shown(),
            self.name
        );
        Err(self.failed(ProviderFailure::Unavailable, message))
    }

    /// Sends one call and reads its whole answer of up to `most` bytes, within `patience`.
    ///
    /// # Errors
    /// As [`ProviderClient::send`]; `provider_timeout`; `provider_unavailable` if cut or too long.
    pub(super) async fn fetch(
        &self,
        call: HttpCall,
        model: &str,
        patience: Timeouts,
        most: usize,
    ) -> Result<Vec<u8>, ProviderError> {
        let end = timeout::later(Instant::now(), patience.whole);
        let mut response = self.within(patience, end, self.send(call, ExpectedBody::Whole, model)).await?;
        let mut body = Vec::new();
        loop {
            let next = async { response.chunk().await.map_err(|error| self.called().cut(error)) };
            let Some(bytes) = self.within(patience, end, next).await? else { return Ok(body) };
            if body.len() + bytes.len() > most {
                return Err(self.too_long(most));
            }
            body.extend_from_slice(&bytes);
        }
    }

    /// The error of an unreadable success: the provider's own error in its body, else `unread`.
    pub(super) fn unread(&self, body: &[u8], model: &str, unread: ProviderError) -> ProviderError {
        if says_error(body) { self.failure(200, &[], body, model) } else { self.own(unread) }
    }

    /// An error of this provider.
    pub(super) fn failed(&self, failure: ProviderFailure, message: impl Into<String>) -> ProviderError {
        self.own(ProviderError::new(&self.name, failure, message))
    }

    /// Attributes an error to this provider and masks secrets, such as a quoted key.
    pub(super) fn own(&self, mut error: ProviderError) -> ProviderError {
        error.provider.clone_from(&self.name);
        error.message = redact::mask(&error.message).into_owned();
        error
    }

    /// The error for an answer over `most` bytes.
    pub(super) fn too_long(&self, most: usize) -> ProviderError {
        let limit = most / (1024 * 1024);
        self.failed(ProviderFailure::Unavailable, format!("the answer exceeded {limit} MiB on the wire"))
    }

    /// Reads an error answer as far as possible and has the codec classify it.
    pub(super) async fn refused(&self, mut response: Response, model: &str) -> ProviderError {
        let status = response.status();
        let headers: Vec<(String, String)> = response
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let mut body = Vec::new();
        // What came before a cut says more than the cut.
        while let Ok(Some(bytes)) = response.chunk().await {
            body.extend_from_slice(&bytes);
            if body.len() >= MAX_ERROR_BODY {
                body.truncate(MAX_ERROR_BODY);
                break;
            }
        }
        if status.is_success() && !says_error(&body) {
            return self.called().garbage("a whole answer where a stream was asked for");
        }
        self.failure(status.as_u16(), &headers, &body, model)
    }

    fn failure(&self, status: u16, headers: &[(String, String)], body: &[u8], model: &str) -> ProviderError {
        let received_ms = self.clock.now().as_millisecond();
        self.own(self.wire.failure(&ErrorAnswer { status, headers, body, model, received_ms }))
    }

    async fn within<T>(
        &self,
        patience: Timeouts,
        end: Instant,
        step: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<T, ProviderError> {
        let silence_ends = timeout::later(Instant::now(), patience.silence);
        match timeout_at(silence_ends.min(end), step).await {
            Ok(done) => done,
            Err(_) if end <= silence_ends => {
                Err(self.failed(ProviderFailure::Timeout, timeout::whole_too_long(patience.whole)))
            }
            Err(_) => Err(self.failed(
                ProviderFailure::Timeout,
                timeout::silent_too_long(&self.name, patience.silence, "and no whole answer"),
            )),
        }
    }

    fn request(
        &self,
        call: &HttpCall,
        url: Url,
        wanted: ExpectedBody,
        key: Option<&Secret>,
    ) -> Result<Request, ProviderError> {
        let accept = match wanted {
            ExpectedBody::Stream(Framing::Sse) => "text/event-stream",
            ExpectedBody::Stream(Framing::Lines) => "application/x-ndjson",
            ExpectedBody::Whole => "application/json",
        };
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
        for (name, value) in &call.headers {
            headers.insert(self.header_name(name)?, HeaderValue::from_str(value).map_err(|_| self.unsendable(name))?);
        }
        if let Some(key) = key {
            let (name, value) = match self.wire.auth() {
                Auth::Bearer => (header::AUTHORIZATION, format!("Bearer {}", key.expose())),
                Auth::Header(name) => (self.header_name(name)?, key.expose().to_owned()),
            };
            let value = secret_value(&value).ok_or_else(|| {
                let message = format!(
                    "no key: that of `providers.{}.api_key` contains characters that a header cannot contain",
                    self.name
                );
                self.failed(ProviderFailure::Auth, message).before_sending()
            })?;
            headers.insert(name, value);
        }
        let mut request = Request::new(method(call.method), url);
        if let Some(body) = &call.body {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            let body = serde_json::to_vec(body).map_err(|error| {
                self.failed(ProviderFailure::Rejected, format!("the request cannot be written: {error}"))
                    .before_sending()
            })?;
            *request.body_mut() = Some(body.into());
        }
        for (name, value) in &self.headers {
            headers.insert(name, value.clone());
        }
        *request.headers_mut() = headers;
        Ok(request)
    }

    fn header_name(&self, name: &str) -> Result<HeaderName, ProviderError> {
        HeaderName::from_bytes(name.as_bytes()).map_err(|_| self.unsendable(name))
    }

    fn unsendable(&self, header: &str) -> ProviderError {
        self.failed(ProviderFailure::Rejected, format!("the header `{header}` cannot be sent")).before_sending()
    }

    /// The redirect target; `None` for an answer that is no redirect or has no valid target.
    ///
    /// # Errors
    /// `provider_unavailable` for a redirect that must not be followed.
    fn redirect(&self, response: &Response, asked: &Url) -> Result<Option<Url>, ProviderError> {
        if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Ok(None);
        }
        let target = response.headers().get(header::LOCATION).and_then(|target| target.to_str().ok());
        let Some(next) = target.and_then(|target| asked.join(target).ok()) else { return Ok(None) };
        // 303 means GET the target, which would not repeat the POST.
        if place::same_origin(asked, &next) && response.status() != StatusCode::SEE_OTHER {
            return Ok(Some(next));
        }
        let (from, to) = (self.place.shown(), place::shown(&next));
        let message = if place::same_origin(asked, &next) {
            format!("{from} redirects to another page instead of answering; correct `providers.{}.base_url`", self.name)
        } else {
            format!(
                "{from} redirects to another host, {to}; the key was not sent there; correct `providers.{}.base_url`",
                self.name
            )
        };
        // No model has seen the request, so nothing is billed.
        Err(self.failed(ProviderFailure::Unavailable, message).with_status(response.status().as_u16()).before_sending())
    }
}

/// True for a JSON object with an `error`, or an array whose first element has one.
fn says_error(body: &[u8]) -> bool {
    let Ok(body) = serde_json::from_slice::<serde_json::Value>(body) else { return false };
    let first = body.as_array().and_then(|items| items.first()).unwrap_or(&body);
    first.get("error").is_some_and(|error| !error.is_null())
}

fn method(method: Method) -> reqwest::Method {
    match method {
        Method::Get => reqwest::Method::GET,
        Method::Post => reqwest::Method::POST,
    }
}

fn own_headers<'a>(
    provider: &str,
    headers: impl IntoIterator<Item = (&'a String, &'a Secret)>,
) -> Result<HeaderMap, Error> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let field = || format!("providers.{provider}.headers.{name}");
        let name =
            HeaderName::from_bytes(name.as_bytes()).map_err(|_| Error::value(field(), "is not a valid header name"))?;
        let value = secret_value(value.expose());
        map.insert(
            name,
            value.ok_or_else(|| Error::value(field(), "its value contains characters that a header cannot contain"))?,
        );
    }
    Ok(map)
}

/// A header value marked as sensitive, so that it is not logged.
fn secret_value(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_bytes(text.as_bytes()).ok()?;
    value.set_sensitive(true);
    Some(value)
}
