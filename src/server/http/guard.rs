//! Protects a server from other sites' web pages.
//!
//! Two checks come first. `Host` must be a name of this machine or one of `server.allowed_hosts`,
//! wherever the server listens: a page whose name resolves to the server's address (DNS rebinding)
//! still sends its own name. Probes are exempt, because a supervisor calls a container by any
//! address. A request that a browser marks as another site's (`Sec-Fetch-Site`, `Origin`) is
//! rejected, since a page need not read a response to spend money, unless `cors` allows its origin;
//! following a link with GET is allowed (W3C Fetch Metadata, "resource isolation policy"). Only
//! browsers send these headers, so the second check does not affect other programs.

use aludel_core::error::{Code, Error, Result};
use axum::extract::Request;
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Version};

use super::cors::Origins;
use super::host::Host;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The checks of one server.
#[derive(Debug, Clone)]
pub(in crate::server) struct Guard {
    allowed: Vec<Host>,
    origins: Origins,
    is_probe: fn(&str) -> bool,
}

impl Guard {
    /// Allows these hosts besides this machine's own names, and pages of these origins. Invalid hosts
    /// are ignored. Paths for which `is_probe` holds are probes.
    pub(in crate::server) fn new(allowed_hosts: &[String], origins: Origins, is_probe: fn(&str) -> bool) -> Self {
        let allowed = allowed_hosts.iter().filter_map(|text| Host::parse_allowed(text)).collect();
        Self { allowed, origins, is_probe }
    }

    /// # Errors
    /// `forbidden` for a wrong `Host` or site; `invalid_request` for a missing or repeated `Host`.
    pub(in crate::server) fn check<B>(&self, request: &Request<B>) -> Result<()> {
        let host = self.check_host(request)?;
        self.check_site(request.method(), request.headers(), host.as_ref())
    }

    /// The requested host.
    fn check_host<B>(&self, request: &Request<B>) -> Result<Option<Host>> {
        let headers: Vec<&HeaderValue> = request.headers().get_all(HOST).iter().collect();
        let is_probe = (self.is_probe)(request.uri().path());
        // RFC 9112, section 3.2: exactly one, except from an HTTP/1.0 client.
        if headers.len() > 1 || (headers.is_empty() && request.version() != Version::HTTP_10 && !is_probe) {
            let count = if headers.is_empty() { "no" } else { "more than one" };
            return Err(Error::shape("", format!("the request has {count} `Host` header; send exactly one")));
        }
        let header = headers.first().map(|value| value.to_str().unwrap_or(""));
        // A host in the target takes precedence over the header, so both must pass.
        let named: Vec<Option<Host>> =
            request.uri().authority().map(Authority::as_str).into_iter().chain(header).map(Host::parse).collect();
        let passes = |host: &Option<Host>| host.as_ref().is_some_and(|host| self.is_ours(host));
        if is_probe || (!named.is_empty() && named.iter().all(passes)) {
            return Ok(named.into_iter().next().flatten());
        }
        Err(forbidden(
            "the `Host` of the request is not a name of this machine: use localhost, 127.0.0.1 or [::1], or add the name to `server.allowed_hosts`",
        ))
    }

    fn check_site(&self, method: &Method, headers: &HeaderMap, host: Option<&Host>) -> Result<()> {
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or(""));
        let follows_a_link = method.is_safe()
            && text(FETCH_MODE) == Some("navigate")
            && text(FETCH_DEST).is_none_or(|destination| destination == "document");
        if follows_a_link {
            return Ok(());
        }
        let mut origins = headers.get_all(ORIGIN).iter().peekable();
        let own_page = if origins.peek().is_some() {
            origins.all(|origin| self.origins.allow(origin) || self.is_own_origin(origin.to_str().unwrap_or(""), host))
        } else {
            text(FETCH_SITE).is_none_or(|site| matches!(site, "same-origin" | "none"))
        };
        if own_page {
            return Ok(());
        }
        Err(forbidden(
            "the request comes from a web page of another site, and such requests are refused: call the server from a program, or add the page's origin to `server.cors.allowed_origins`",
        ))
    }

    /// True for an origin on the host of the request or on an allowed host.
    fn is_own_origin(&self, origin: &str, host: Option<&Host>) -> bool {
        let Some(origin) = origin.split_once("://").and_then(|(_, authority)| Host::parse(authority)) else {
            return false;
        };
        host == Some(&origin) && self.is_ours(&origin) || self.is_allowed(&origin)
    }

    fn is_ours(&self, host: &Host) -> bool {
        host.is_this_machine() || self.is_allowed(host)
    }

    fn is_allowed(&self, host: &Host) -> bool {
        self.allowed.iter().any(|allowed| allowed.covers(host))
    }
}

fn forbidden(detail: &str) -> Error {
    Error::Refused { code: Code::Forbidden, detail: detail.into() }
}

#[cfg(test)]
mod tests {
    use aludel_core::config::CorsConfig;

    use super::*;

    fn request(method: &Method, target: &str, headers: &[(&str, &str)]) -> Request<()> {
        let builder = Request::builder().method(method).uri(target);
        headers.iter().fold(builder, |builder, (name, value)| builder.header(*name, *value)).body(()).unwrap()
    }

    fn check(request: &Request<()>) -> Result<()> {
        let origins = CorsConfig {
            enabled: true,
            allowed_origins: vec!["https://app.example".into()],
            allowed_methods: Vec::new(),
            allowed_headers: Vec::new(),
        };
        let hosts = ["prompts.example".into(), "proxy.example:9000".into()];
        let is_probe = |path: &str| ["/alive", "/ready", "/health"].contains(&path);
        Guard::new(&hosts, Origins::new(&origins), is_probe).check(request)
    }

    fn passes(method: &Method, headers: &[(&str, &str)]) -> bool {
        check(&request(method, "/api/v1/prompts", headers)).is_ok()
    }

    #[test]
    fn only_names_of_this_machine_and_allowed_ones_pass() {
        let host = |name| passes(&Method::GET, &[("host", name)]);
        for own in
            ["localhost", "LOCALHOST.:8080", "127.0.0.1:1", "[::1]", "prompts.example:8080", "proxy.example:9000"]
        {
            assert!(host(own), "{own}");
        }
        for other in
            ["evil.example", "localhost.evil.example", "127.0.0.2", "[::2]", "", "proxy.example:9001", "0.0.0.0"]
        {
            assert!(!host(other), "{other}");
        }
    }

    #[test]
    fn a_host_is_there_exactly_once() {
        let code = |request: &Request<()>| check(request).unwrap_err().code();
        assert_eq!(code(&request(&Method::GET, "/", &[])), Code::InvalidRequest);
        assert_eq!(
            code(&request(&Method::GET, "/", &[("host", "localhost"), ("host", "localhost")])),
            Code::InvalidRequest
        );
        let mut older = request(&Method::GET, "/", &[]);
        *older.version_mut() = Version::HTTP_10;
        assert_eq!(code(&older), Code::Forbidden);
    }

    #[test]
    fn the_host_of_the_target_must_pass_too() {
        let evil = request(&Method::GET, "http://evil.example/", &[("host", "localhost")]);
        assert_eq!(check(&evil).unwrap_err().code(), Code::Forbidden);
        let user = request(&Method::GET, "http://evil.example@localhost/", &[("host", "localhost")]);
        assert_eq!(check(&user).unwrap_err().code(), Code::Forbidden);
        assert!(check(&request(&Method::GET, "http://localhost/", &[("host", "127.0.0.1")])).is_ok());
    }

    #[test]
    fn probes_are_asked_by_any_name_and_not_from_any_page() {
        for path in ["/alive", "/ready", "/health"] {
            assert!(check(&request(&Method::GET, path, &[("host", "10.0.0.7:8080")])).is_ok(), "{path}");
            let page = [("host", "evil.example"), ("origin", "http://evil.example")];
            assert!(check(&request(&Method::GET, path, &page)).is_err(), "{path}");
        }
        assert!(check(&request(&Method::GET, "/health/", &[("host", "10.0.0.7:8080")])).is_err());
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let from = |headers: &[(&str, &str)]| {
            let headers: Vec<_> = [("host", "localhost:8080")].into_iter().chain(headers.iter().copied()).collect();
            passes(&Method::POST, &headers)
        };
        assert!(from(&[]));
        assert!(from(&[("origin", "http://localhost:8080"), ("sec-fetch-site", "same-origin")]));
        assert!(from(&[("origin", "https://prompts.example")]));
        assert!(from(&[("sec-fetch-site", "none")]));
        assert!(from(&[("origin", "https://app.example"), ("sec-fetch-site", "cross-site")]));
        assert!(!from(&[("origin", "http://app.example")]));
        assert!(!from(&[("origin", "https://app.example"), ("origin", "https://evil.example")]));
        assert!(!passes(&Method::GET, &[("host", "app.example")]));
        assert!(!from(&[("origin", "http://localhost:3000"), ("sec-fetch-site", "same-site")]));
        assert!(!from(&[("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")]));
        assert!(!from(&[("origin", "http://localhost:8080"), ("origin", "https://evil.example")]));
        assert!(!from(&[("origin", "null")]));
        assert!(!from(&[("sec-fetch-site", "cross-site")]));
    }

    #[test]
    fn a_link_may_be_followed_but_not_posted_nor_framed() {
        let link = |method: &Method, destination| {
            let headers = [
                ("host", "localhost"),
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", "navigate"),
                ("sec-fetch-dest", destination),
            ];
            passes(method, &headers)
        };
        assert!(link(&Method::GET, "document"));
        assert!(!link(&Method::GET, "iframe"));
        assert!(!link(&Method::POST, "document"));
    }
}
