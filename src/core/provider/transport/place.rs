//! The address of a provider, and the part of it that may be shown: scheme, host and port.
//!
//! Paths and queries can contain secrets, and URLs with a user or password are refused, so messages
//! show a [`BaseUrl`] only by [`BaseUrl::shown`].

use reqwest::Url;

use crate::error::Error;

/// The base URL of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BaseUrl {
    /// Without a trailing slash; paths are appended.
    root: String,
    url: Url,
    shown: String,
}

impl BaseUrl {
    /// Parses `base_url`; errors name the configuration key `field`.
    ///
    /// # Errors
    /// `validation_failed` on `field` for anything but a plain http or https URL: no user,
    /// password, query or fragment.
    pub(super) fn parse(base_url: &str, field: &str) -> Result<Self, Error> {
        let fault = |why: &str| Error::value(field, why);
        let url = Url::parse(base_url.trim())
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or_else(|| fault("expected a URL that begins with http:// or https://"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(fault("a URL may hold no user and password; put them under `headers`"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(fault("expected a URL without `?` and `#`: paths are appended to it"));
        }
        let (root, shown) = (url.as_str().trim_end_matches('/').to_owned(), shown(&url));
        Ok(Self { root, url, shown })
    }

    /// `scheme://host:port`.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// The base URL.
    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// The URL of `path`, which begins with a slash and can have a query.
    pub(super) fn at(&self, path: &str) -> Result<Url, Error> {
        let whole = format!("{}{path}", self.root);
        Url::parse(&whole).map_err(|error| Error::Internal(format!("a path of ours does not fit an address: {error}")))
    }
}

/// True if scheme, host and port are the same.
pub(super) fn same_origin(one: &Url, other: &Url) -> bool {
    one.scheme() == other.scheme()
        && one.host_str() == other.host_str()
        && one.port_or_known_default() == other.port_or_known_default()
}

/// The scheme, host and port of a URL.
pub(super) fn shown(url: &Url) -> String {
    let host = url.host_str().unwrap_or("?");
    match url.port() {
        Some(port) => format!("{}://{host}:{port}", url.scheme()),
        None => format!("{}://{host}", url.scheme()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_at_the_end_changes_nothing() {
        for base in ["https://api.example.com/v1", "https://api.example.com/v1/", " https://api.example.com/v1// "] {
            let place = BaseUrl::parse(base, "f").unwrap();
            assert_eq!(place.at("/chat?x=1").unwrap().as_str(), "https://api.example.com/v1/chat?x=1", "{base}");
            assert_eq!(place.shown(), "https://api.example.com");
        }
        let bare = BaseUrl::parse("http://127.0.0.1:11434", "f").unwrap();
        assert_eq!(bare.at("/api/chat").unwrap().as_str(), "http://127.0.0.1:11434/api/chat");
        assert_eq!(bare.shown(), "http://127.0.0.1:11434");
    }

    #[test]
    fn another_port_scheme_or_host_is_another_place() {
        let place = Url::parse("https://api.example.com/v1").unwrap();
        for (url, same) in [
            ("https://api.example.com:443/other", true),
            ("http://api.example.com/v1", false),
            ("https://api.example.com:8443/v1", false),
            ("https://example.com/v1", false),
            ("https://api.example.com.evil.example/v1", false),
        ] {
            assert_eq!(same_origin(&place, &Url::parse(url).unwrap()), same, "{url}");
        }
    }

    #[test]
    fn what_an_address_must_not_hold_is_refused_without_being_shown() {
        for wrong in
            ["https://me:canary@example.com", "https://example.com/?canary=1", "https://example.com/#canary", "canary"]
        {
            let error = BaseUrl::parse(wrong, "providers.acme.base_url").unwrap_err();
            assert_eq!(error.faults()[0].field, "providers.acme.base_url");
            assert!(!error.to_string().contains("canary"), "{error}");
        }
    }
}
