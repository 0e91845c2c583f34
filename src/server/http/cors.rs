//! Cross-origin requests: which web pages may call the server, and read its answers.
//!
//! None, unless `server.cors` lists their origins. An origin is compared as browsers write it (WHATWG
//! URL, "serialization of an origin"): a scheme, a host in lower case, and a port unless it is the
//! scheme's own. Any page, `*`, is only allowed where requests need a token. Preflight requests need
//! none, take no slot and are not counted. Cookies are never involved.

use std::time::Duration;

use aludel_core::config::{CorsConfig, ServerConfig};
use axum::http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::host::Host;
use super::{rate_limit, request_id};

/// Any origin.
const ANY: &str = "*";
/// How long browsers may remember the answer to a preflight request.
const MAX_AGE: Duration = Duration::from_mins(10);

/// Headers of any server's answers that pages can read, besides those that they always can.
const EXPOSED: [HeaderName; 5] =
    [header::RETRY_AFTER, header::WWW_AUTHENTICATE, rate_limit::LIMIT, rate_limit::POLICY, request_id::HEADER];

/// The origins that are allowed.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct Origins {
    any: bool,
    listed: Vec<HeaderValue>,
}

impl Origins {
    /// Those of a configuration. Entries that `faults` reports are ignored.
    pub(in crate::server) fn new(config: &CorsConfig) -> Self {
        if !config.enabled {
            return Self::default();
        }
        let any = config.allowed_origins.iter().any(|text| text == ANY);
        let origins = config.allowed_origins.iter().filter_map(|text| serialized(text));
        Self { any, listed: origins.filter_map(|text| HeaderValue::try_from(text).ok()).collect() }
    }

    /// True for the value of an `Origin` header that is allowed.
    pub(in crate::server) fn allow(&self, origin: &HeaderValue) -> bool {
        self.any || self.listed.contains(origin)
    }
}

/// The layer that answers preflight requests and marks answers for allowed origins, if there are
/// any. Their pages can read the headers `exposed`, too.
pub(in crate::server) fn layer(config: &CorsConfig, exposed: &[HeaderName]) -> Option<CorsLayer> {
    if !config.enabled {
        return None;
    }
    let Origins { any, listed } = Origins::new(config);
    let origins = if any { AllowOrigin::any() } else { AllowOrigin::list(listed) };
    let methods = config.allowed_methods.iter().filter_map(|text| method(text));
    let headers = config.allowed_headers.iter().filter_map(|text| HeaderName::try_from(text).ok());
    let layer = CorsLayer::new()
        .allow_origin(origins)
        .allow_methods(methods.collect::<Vec<Method>>())
        .allow_headers(headers.collect::<Vec<HeaderName>>())
        .expose_headers(EXPOSED.iter().chain(exposed).cloned().collect::<Vec<HeaderName>>())
        .max_age(MAX_AGE);
    Some(layer)
}

/// The faults of a configuration, each with its key.
pub(in crate::server) fn faults(server: &ServerConfig) -> Vec<(&'static str, String)> {
    const ORIGINS: &str = "server.cors.allowed_origins";
    let CorsConfig { enabled, allowed_origins, allowed_methods, allowed_headers } = &server.cors;
    if !enabled {
        return Vec::new();
    }
    let shown = |text: &str| text.chars().take(60).collect::<String>();
    let mut faults = Vec::new();
    if allowed_origins.is_empty() {
        faults.push((ORIGINS, "lists no origin that may call: add one, such as https://prompts.example".into()));
    }
    for text in allowed_origins {
        if text == ANY && !server.auth.enabled {
            faults.push((ORIGINS, "`*` would let every web page that the user opens read the prompts and spend on the providers: list the origins that may, or turn `server.auth` on".into()));
        } else if text != ANY && serialized(text).is_none() {
            let text = shown(text);
            faults.push((ORIGINS, format!("`{text}` is not an origin: write a scheme, a host and, if it has one, a port, without a path, such as https://prompts.example")));
        }
    }
    for text in allowed_methods.iter().filter(|text| method(text).is_none()) {
        faults.push(("server.cors.allowed_methods", format!("`{}` is not a method, such as GET", shown(text))));
    }
    for text in allowed_headers.iter().filter(|text| HeaderName::try_from(*text).is_err()) {
        faults.push((
            "server.cors.allowed_headers",
            format!("`{}` is not the name of a header, such as Content-Type", shown(text)),
        ));
    }
    faults
}

fn method(text: &str) -> Option<Method> {
    text.to_ascii_uppercase().parse().ok()
}

/// An origin as browsers write it.
fn serialized(text: &str) -> Option<String> {
    let text = text.to_ascii_lowercase();
    let (scheme, authority) = text.split_once("://")?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_lowercase())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    Host::parse(authority).filter(|_| is_scheme)?;
    let own_port = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => "",
    };
    let authority = authority.strip_suffix(own_port).unwrap_or(authority);
    Some(format!("{scheme}://{authority}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_written_as_browsers_write_them() {
        let same = |text: &str| serialized(text).is_some_and(|origin| origin == text);
        for text in ["https://prompts.example", "http://localhost:3000", "http://[::1]:80a", "tauri://localhost"] {
            assert_eq!(same(text), text != "http://[::1]:80a", "{text}");
        }
        assert_eq!(serialized("HTTPS://Prompts.Example:443").as_deref(), Some("https://prompts.example"));
        assert_eq!(serialized("http://10.0.0.7:80").as_deref(), Some("http://10.0.0.7"));
        assert_eq!(serialized("https://prompts.example:80").as_deref(), Some("https://prompts.example:80"));
    }

    #[test]
    fn what_is_no_origin_is_not_taken() {
        for text in
            ["", "null", "prompts.example", "https://", "https://a.example/", "://a", "https://*.example", "1a://b"]
        {
            assert_eq!(serialized(text), None, "{text}");
        }
    }
}
