//! The way to one provider: sends one call with its headers and its key, and gives the answer when it is a success.
//!
//! Owns where the key goes (the codec's header, nowhere else), that the user's own headers win, which redirects are
//! followed (to the same scheme, host and port, at most three, method and body kept) and that every failure names
//! the provider and is free of secrets. Chat, embeddings and the list of models all go this way.

use std::path::PathBuf;
use std::sync::Arc;

use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Request, Response, StatusCode, Url};
use tokio::time::{Instant, timeout_at};

use super::super::frame::Framing;
use super::super::registry::ProviderSettings;
use super::super::timeout::{self, Timeouts};
use super::super::wire::{Auth, HttpCall, Method, Refusal, Wire};
use super::client::Clients;
use super::key::Key;
use super::place::{self, Place};
use super::trouble::Called;
use crate::config::Secret;
use crate::error::{Error, ProviderError, ProviderFailure};
use crate::redact;
use crate::time::Clock;

/// The most redirects followed in a row.
const MAX_REDIRECTS: usize = 3;

/// The most that is read of an answer that is no success.
const LONGEST_REFUSAL: usize = 64 * 1024;

/// The most bytes that one answer may have.
pub(super) const LONGEST_ANSWER: usize = 64 * 1024 * 1024;

/// What kind of answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A stream, cut so.
    Stream(Framing),
    /// One JSON value.
    Whole,
}

/// The way to one provider.
pub struct ProviderClient {
    pub(super) name: String,
    pub(super) wire: Arc<dyn Wire>,
    place: Place,
    ca_file: Option<PathBuf>,
    /// The user's own.
    headers: HeaderMap,
    key: Key,
    clients: Arc<Clients>,
    clock: Arc<dyn Clock>,
}

impl ProviderClient {
    /// The way to the provider of `settings`, which speaks `wire`. Opens no connection, and makes a client only where
    /// there is a `ca_file` to check.
    ///
    /// # Errors
    /// `validation_failed` for a `base_url` or a header that cannot be used, `file` for a `ca_file` that cannot.
    pub fn new(
        settings: &ProviderSettings,
        wire: Arc<dyn Wire>,
        clients: Arc<Clients>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let ProviderSettings { name, base_url, key, headers, ca_file, .. } = settings;
        let base_url = base_url.as_deref().unwrap_or_else(|| wire.default_base_url());
        let place = Place::parse(base_url, &format!("providers.{name}.base_url"))?;
        if ca_file.is_some() {
            // A broken file is told now, not in the middle of a run.
            clients.get(name, place.url(), ca_file.as_deref())?;
        }
        let headers = own_headers(name, headers)?;
        let key = Key::new(name, key.clone());
        Ok(Self { name: name.clone(), wire, place, ca_file: ca_file.clone(), headers, key, clients, clock })
    }

    pub(super) fn called(&self) -> Called<'_> {
        Called { provider: &self.name, place: &self.place }
    }

    /// Sends one call. `model` is the one asked for, empty where none is.
    ///
    /// # Errors
    /// Everything that is no success, as [`Wire::failure`] or the connection tells it.
    pub(super) async fn send(&self, call: HttpCall, wanted: Wanted, model: &str) -> Result<Response, ProviderError> {
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

    /// Sends one call and reads its whole answer of `most` bytes, within the limits of `patience`.
    ///
    /// # Errors
    /// As [`ProviderClient::send`]; `provider_timeout`; `provider_unavailable` for an answer that is cut or too long.
    pub(super) async fn fetch(
        &self,
        call: HttpCall,
        model: &str,
        patience: Timeouts,
        most: usize,
    ) -> Result<Vec<u8>, ProviderError> {
        let end = timeout::later(Instant::now(), patience.whole);
        let mut response = self.within(patience, end, self.send(call, Wanted::Whole, model)).await?;
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

    /// What a codec could not read: an error of the provider's inside a success, or `unread`.
    pub(super) fn unread(&self, body: &[u8], model: &str, unread: ProviderError) -> ProviderError {
        if says_error(body) { self.failure(200, &[], body, model) } else { self.own(unread) }
    }

    /// A failure of this provider.
    pub(super) fn failed(&self, failure: ProviderFailure, message: impl Into<String>) -> ProviderError {
        self.own(ProviderError::new(&self.name, failure, message))
    }

    /// The same error, of this provider and without secrets: providers like to quote the key they refuse.
    pub(super) fn own(&self, mut error: ProviderError) -> ProviderError {
        error.provider.clone_from(&self.name);
        error.message = redact::mask(&error.message).into_owned();
        error
    }

    /// More than `most` bytes.
    pub(super) fn too_long(&self, most: usize) -> ProviderError {
        let limit = most / (1024 * 1024);
        self.failed(ProviderFailure::Unavailable, format!("the answer exceeded {limit} MiB on the wire"))
    }

    /// What the codec makes of an answer that is no success, read as far as it goes.
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
            if body.len() >= LONGEST_REFUSAL {
                body.truncate(LONGEST_REFUSAL);
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
        self.own(self.wire.failure(&Refusal { status, headers, body, model, received_ms }))
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
        wanted: Wanted,
        key: Option<&Secret>,
    ) -> Result<Request, ProviderError> {
        let accept = match wanted {
            Wanted::Stream(Framing::Sse) => "text/event-stream",
            Wanted::Stream(Framing::Lines) => "application/x-ndjson",
            Wanted::Whole => "application/json",
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

    /// Where to ask instead; `None` when the answer is no redirect that can be followed.
    ///
    /// # Errors
    /// `provider_unavailable` for one that must not be followed.
    fn redirect(&self, response: &Response, asked: &Url) -> Result<Option<Url>, ProviderError> {
        if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Ok(None);
        }
        let target = response.headers().get(header::LOCATION).and_then(|target| target.to_str().ok());
        let Some(next) = target.and_then(|target| asked.join(target).ok()) else { return Ok(None) };
        // 303 means "look there with GET", which answers no question that was posted.
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
        // No model has seen the request, so nothing is owed.
        Err(self.failed(ProviderFailure::Unavailable, message).with_status(response.status().as_u16()).before_sending())
    }
}

/// True for a JSON body with an `error`, as an object or the first of an array.
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

/// A header's value that no log shows.
fn secret_value(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_bytes(text.as_bytes()).ok()?;
    value.set_sensitive(true);
    Some(value)
}
