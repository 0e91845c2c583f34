//! Keeps web pages of others away from a server on this machine.
//!
//! Two checks, before anything else is looked at. The `Host` of a loopback server must be a name of this machine or
//! one of `server.allowed_hosts`: a page that had its own name resolve to 127.0.0.1 (DNS rebinding) still sends its
//! own name. And a request that a browser says another site made (`Sec-Fetch-Site`, `Origin`) is refused, since a page
//! need not read an answer to spend money; following a link with GET is let through (W3C Fetch Metadata, "resource
//! isolation policy"). Programs that are no browsers send neither header and are not touched by the second check.

use std::net::IpAddr;

use aludel_core::error::{Code, Error, Result};
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Method, Uri};

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// Who may be listening in front of this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exposure {
    /// Bound to this machine alone; the `Host` is checked.
    Loopback,
    /// Bound to an address that others reach, under names only they know.
    Network,
}

impl Exposure {
    /// What being bound to `address` means.
    pub fn of(address: IpAddr) -> Self {
        if address.is_loopback() { Self::Loopback } else { Self::Network }
    }
}

/// The checks of one server.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    exposure: Exposure,
    allowed_hosts: Vec<String>,
}

impl Guard {
    pub(super) fn new(exposure: Exposure, allowed_hosts: Vec<String>) -> Self {
        Self { exposure, allowed_hosts }
    }

    /// # Errors
    /// `forbidden` for a wrong `Host` or another site's request.
    pub(super) fn check(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<()> {
        self.check_host(uri, headers)?;
        self.check_site(method, headers)
    }

    fn check_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<()> {
        if self.exposure == Exposure::Network {
            return Ok(());
        }
        let named: Vec<&str> = headers.get_all(HOST).iter().map(|value| value.to_str().unwrap_or("")).collect();
        let named = named.into_iter().chain(uri.authority().map(Authority::as_str)).collect::<Vec<_>>();
        if !named.is_empty() && named.iter().all(|host| self.is_ours(host)) {
            return Ok(());
        }
        Err(forbidden(
            "the `Host` of the request is not a name of this machine: use localhost, 127.0.0.1 or [::1], or add the name to `server.allowed_hosts`",
        ))
    }

    fn check_site(&self, method: &Method, headers: &HeaderMap) -> Result<()> {
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or(""));
        let follows_a_link = method.is_safe()
            && text(FETCH_MODE) == Some("navigate")
            && text(FETCH_DEST).is_none_or(|destination| destination == "document");
        if follows_a_link {
            return Ok(());
        }
        let own_page = match text(ORIGIN) {
            Some(origin) => self.is_own_origin(origin, text(HOST)),
            None => text(FETCH_SITE).is_none_or(|site| matches!(site, "same-origin" | "none")),
        };
        if own_page {
            return Ok(());
        }
        Err(forbidden(
            "the request comes from a web page of another site, and such requests are refused: call the server from a program, or add the page's host to `server.allowed_hosts`",
        ))
    }

    /// True for an origin whose host is the one the request was sent to, or is allowed by name.
    fn is_own_origin(&self, origin: &str, host: Option<&str>) -> bool {
        let Some((_, authority)) = origin.split_once("://") else { return false };
        host.is_some_and(|host| host.eq_ignore_ascii_case(authority)) || self.is_allowed(authority)
    }

    fn is_ours(&self, host: &str) -> bool {
        let name = without_port(host);
        ["localhost", "127.0.0.1", "[::1]"].iter().any(|own| own.eq_ignore_ascii_case(name)) || self.is_allowed(host)
    }

    fn is_allowed(&self, host: &str) -> bool {
        let name = without_port(host);
        self.allowed_hosts
            .iter()
            .any(|allowed| allowed.eq_ignore_ascii_case(name) || allowed.eq_ignore_ascii_case(host))
    }
}

/// `example.org:8080` without `:8080`; brackets of an IPv6 address stay.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty() => name,
        _ => host,
    }
}

fn forbidden(detail: &str) -> Error {
    Error::Refused { code: Code::Forbidden, detail: detail.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    fn passes(exposure: Exposure, method: &Method, pairs: &[(&'static str, &str)]) -> bool {
        let guard = Guard::new(exposure, vec!["prompts.example".into(), "proxy.example:9000".into()]);
        guard.check(method, &Uri::from_static("/api/v1/prompts"), &headers(pairs)).is_ok()
    }

    #[test]
    fn only_names_of_this_machine_pass_on_loopback() {
        let host = |name| passes(Exposure::Loopback, &Method::GET, &[("host", name)]);
        for own in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]", "[::1]:80", "prompts.example:8080"] {
            assert!(host(own), "{own}");
        }
        for other in ["evil.example", "localhost.evil.example", "127.0.0.2", "[::2]", "", "proxy.example:9001"] {
            assert!(!host(other), "{other}");
        }
        assert!(!passes(Exposure::Loopback, &Method::GET, &[]));
    }

    #[test]
    fn every_host_of_a_request_must_pass() {
        let guard = Guard::new(Exposure::Loopback, Vec::new());
        let mut two = headers(&[("host", "localhost")]);
        two.append(HOST, "evil.example".parse().unwrap());
        assert!(guard.check(&Method::GET, &Uri::from_static("/"), &two).is_err());
        let absolute = Uri::from_static("http://evil.example/");
        assert!(guard.check(&Method::GET, &absolute, &headers(&[("host", "localhost")])).is_err());
    }

    #[test]
    fn a_server_on_the_network_takes_any_host() {
        assert!(passes(Exposure::Network, &Method::GET, &[("host", "anything.example")]));
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let from = |pairs: &[(&'static str, &str)]| {
            let pairs: Vec<_> = [("host", "localhost:8080")].into_iter().chain(pairs.iter().copied()).collect();
            passes(Exposure::Loopback, &Method::POST, &pairs)
        };
        assert!(from(&[]));
        assert!(from(&[("origin", "http://localhost:8080"), ("sec-fetch-site", "same-origin")]));
        assert!(from(&[("origin", "https://prompts.example")]));
        assert!(from(&[("sec-fetch-site", "none")]));
        assert!(!from(&[("origin", "http://localhost:3000"), ("sec-fetch-site", "same-site")]));
        assert!(!from(&[("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")]));
        assert!(!from(&[("origin", "null")]));
        assert!(!from(&[("sec-fetch-site", "cross-site")]));
    }

    #[test]
    fn a_link_may_be_followed_but_not_posted_nor_framed() {
        let link = |method: &Method, destination| {
            let pairs = [
                ("host", "localhost"),
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", "navigate"),
                ("sec-fetch-dest", destination),
            ];
            passes(Exposure::Loopback, method, &pairs)
        };
        assert!(link(&Method::GET, "document"));
        assert!(!link(&Method::GET, "iframe"));
        assert!(!link(&Method::POST, "document"));
    }

    #[test]
    fn addresses_tell_loopback_from_network() {
        for address in ["127.0.0.1", "127.1.2.3", "::1"] {
            assert_eq!(Exposure::of(address.parse().unwrap()), Exposure::Loopback, "{address}");
        }
        for address in ["0.0.0.0", "::", "192.168.1.2"] {
            assert_eq!(Exposure::of(address.parse().unwrap()), Exposure::Network, "{address}");
        }
    }
}
