//! Reports the proxy that a call goes through: an unexpected proxy explains many failures.
//!
//! Uses the HTTP client's own matcher, so the two agree, but does not see the system settings that
//! macOS and Windows add. Calls to this machine take no proxy. Only scheme, host and port are
//! shown, because proxy addresses often contain a password.

use hyper_util::client::proxy::matcher::Matcher;

use crate::config::Environment;
use crate::config::address::is_on_this_machine;

/// Variables with a proxy for everything.
const ALL: [&str; 2] = ["ALL_PROXY", "all_proxy"];
/// Variables with a proxy for `http://`.
const HTTP: [&str; 2] = ["HTTP_PROXY", "http_proxy"];
/// Variables with a proxy for `https://`.
const HTTPS: [&str; 2] = ["HTTPS_PROXY", "https_proxy"];
/// Variables with exceptions.
const NONE: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// Set for CGI scripts, whose clients can set `HTTP_PROXY`; so no proxy is used then.
const CGI: &str = "REQUEST_METHOD";

/// A proxy that calls go through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyInUse {
    /// Scheme, host and port.
    pub address: String,
    /// The environment variable that sets it.
    pub variable: String,
}

impl ProxyInUse {
    /// The proxy for calls to `base_url`; `None` if they go there directly.
    pub fn of(base_url: &str, environment: &Environment) -> Option<Self> {
        if is_on_this_machine(base_url) || environment.get(CGI).is_some() {
            return None;
        }
        let named = |names: [&'static str; 2]| {
            names.into_iter().find_map(|name| environment.get(name).map(|value| (name, value.to_owned())))
        };
        let value = |names| named(names).map(|(_, value)| value).unwrap_or_default();
        let matcher = Matcher::builder().all(value(ALL)).http(value(HTTP)).https(value(HTTPS)).no(value(NONE)).build();
        let proxy = matcher.intercept(&base_url.parse().ok()?)?;
        let own = if base_url.to_ascii_lowercase().starts_with("https:") { HTTPS } else { HTTP };
        // An invalid value is skipped in favour of the variable for everything.
        let is_taken = |value: &str| {
            let alone = Matcher::builder().all(value.to_owned()).build();
            base_url.parse().is_ok_and(|url| alone.intercept(&url).is_some())
        };
        let (variable, _) = named(own).filter(|(_, value)| is_taken(value)).or_else(|| named(ALL))?;
        let (scheme, host) = (proxy.uri().scheme_str().unwrap_or("http"), proxy.uri().host()?);
        let port = proxy.uri().port_u16().map(|port| format!(":{port}")).unwrap_or_default();
        Some(Self { address: format!("{scheme}://{host}{port}"), variable: variable.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(base_url: &str, variables: &[(&str, &str)]) -> Option<String> {
        let environment = Environment::from_pairs(variables.iter().copied());
        ProxyInUse::of(base_url, &environment).map(|proxy| format!("{} {}", proxy.variable, proxy.address))
    }

    #[test]
    fn the_proxy_of_a_call_is_named_by_its_variable_and_without_its_password() {
        let secure = "https://api.openai.com/v1";
        let with_password = [("HTTPS_PROXY", "http://me:canary@proxy.corp:3128")];
        assert_eq!(proxy(secure, &with_password).as_deref(), Some("HTTPS_PROXY http://proxy.corp:3128"));
        let odd = [("HTTPS_PROXY", "http://me:can@ary@proxy.corp:3128/path")];
        assert!(proxy(secure, &odd).is_none_or(|shown| !shown.contains("can") && !shown.contains("ary")));
        assert_eq!(proxy("http://gpu-box/v1", &with_password), None, "another scheme");
        for (variables, shown) in [
            (&[("https_proxy", "proxy.corp:8080")][..], Some("https_proxy http://proxy.corp:8080")),
            (&[("ALL_PROXY", "socks5h://me:canary@proxy.corp")], Some("ALL_PROXY socks5h://proxy.corp")),
            (&[("HTTPS_PROXY", "nonsense://x"), ("all_proxy", "http://a:1")], Some("all_proxy http://a:1")),
            (&[("HTTPS_PROXY", "http://b:1"), ("ALL_PROXY", "http://a:1")], Some("HTTPS_PROXY http://b:1")),
            (&[("HTTPS_PROXY", "http://b:1"), ("NO_PROXY", "openai.com")], None),
            (&[("HTTPS_PROXY", "http://b:1"), ("no_proxy", "*")], None),
            (&[("HTTPS_PROXY", "http://b:1"), ("NO_PROXY", "example.com")], Some("HTTPS_PROXY http://b:1")),
            (&[("HTTPS_PROXY", "http://b:1"), ("REQUEST_METHOD", "GET")], None),
            (&[("HTTPS_PROXY", "")], None),
        ] {
            assert_eq!(proxy(secure, variables).as_deref(), shown, "{variables:?}");
        }
        let all = [("ALL_PROXY", "http://a:1")];
        for here in ["http://localhost:11434", "http://127.1:8000", "https://[::1]"] {
            assert_eq!(proxy(here, &all), None, "{here}");
        }
        assert_eq!(proxy("http://gpu-box/v1", &all).as_deref(), Some("ALL_PROXY http://a:1"));
    }
}
