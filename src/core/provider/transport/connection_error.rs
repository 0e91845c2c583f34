//! Errors below HTTP, by what the user has to do: connection, DNS, TLS, cut answers, garbage.
//!
//! Every message names the address and the fix. Library errors are quoted without their URL, if
//! nothing better is known. The codec reads statuses.

use std::error::Error as StdError;
use std::io;

use super::client::CONNECT_TIMEOUT;
use super::place::BaseUrl;
use crate::config::address::is_this_machine;
use crate::error::{ProviderError, ProviderFailure};

/// The provider of a call, for messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallTarget<'a> {
    /// The provider's name in the configuration.
    pub(super) provider: &'a str,
    /// Its address.
    pub(super) place: &'a BaseUrl,
}

impl CallTarget<'_> {
    /// The error for a call without an answer.
    pub(super) fn unanswered(self, error: reqwest::Error) -> ProviderError {
        let error = error.without_url();
        let (provider, shown) = (self.provider, self.place.shown());
        let base_url = format!("`providers.{provider}.base_url`");
        let io = io_error(&error);
        let kind = io.map(io::Error::kind);
        let failed = |failure, message: String| ProviderError::new(provider, failure, message);
        let unavailable = |message: String| failed(ProviderFailure::Unavailable, message);
        if error.is_connect() {
            let connecting = if error.is_timeout() {
                let limit = CONNECT_TIMEOUT.as_secs();
                let message = format!("no connection to {shown} within {limit} s; check the network and {base_url}");
                failed(ProviderFailure::Timeout, message)
            } else if error.is_dns() {
                unavailable(format!("the name in {shown} cannot be resolved; check the network and {base_url}"))
            } else if kind == Some(io::ErrorKind::InvalidData) {
                unavailable(untrusted(provider, shown, io))
            } else if kind == Some(io::ErrorKind::ConnectionRefused) {
                let fix = if is_this_machine(self.place.url()) {
                    format!("start the server, or correct {base_url}")
                } else {
                    format!("check the network, the proxy if there is one, and {base_url}")
                };
                unavailable(format!("{shown} refused the connection; {fix}"))
            } else {
                let why = innermost(&error);
                unavailable(format!("no connection to {shown} ({why}); check the network and {base_url}"))
            };
            return connecting.before_sending();
        }
        if error.is_timeout() {
            return failed(ProviderFailure::Timeout, format!("{shown} did not answer in time"));
        }
        let is_closed = matches!(
            kind,
            Some(io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof)
        );
        let why = innermost(&error);
        if is_closed || why.contains("closed before message completed") {
            return unavailable(format!("{shown} closed the connection before it answered"));
        }
        if why.starts_with("invalid") || why.contains("parse") {
            return unavailable(format!("{shown} answered with something other than HTTP ({why}); correct {base_url}"));
        }
        unavailable(format!("the call to {shown} failed before an answer came: {why}"))
    }

    /// The error for an answer that broke off.
    pub(super) fn cut(self, error: reqwest::Error) -> ProviderError {
        let why = innermost(&error.without_url());
        let message = format!("the connection to {} broke in the middle of the answer ({why})", self.place.shown());
        ProviderError::new(self.provider, ProviderFailure::Unavailable, message)
    }

    /// The error for an answer that is not of the protocol.
    pub(super) fn garbage(self, what: &str) -> ProviderError {
        let (provider, shown) = (self.provider, self.place.shown());
        let message = format!("{shown} answered with {what}; check `kind` and `base_url` of `providers.{provider}`");
        ProviderError::new(provider, ProviderFailure::Unavailable, message)
    }
}

/// The message for a failed TLS handshake.
fn untrusted(provider: &str, shown: &str, io: Option<&io::Error>) -> String {
    let why = io.map(ToString::to_string).unwrap_or_default();
    if why.contains("certificate") {
        return format!(
            "the certificate of {shown} is not trusted ({why}); name the root certificate to trust in `providers.{provider}.ca_file`"
        );
    }
    format!(
        "no TLS with {shown} ({why}); if the server speaks plain HTTP, write http:// in `providers.{provider}.base_url`"
    )
}

/// The innermost system error, including wrapped ones that are not reported as a source.
fn io_error(error: &reqwest::Error) -> Option<&io::Error> {
    let outer = causes(error).find_map(|cause| cause.downcast_ref::<io::Error>())?;
    std::iter::successors(Some(outer), |io| io.get_ref()?.downcast_ref::<io::Error>()).last()
}

/// The text of the innermost cause, which says what happened; the outer ones say where.
fn innermost(error: &reqwest::Error) -> String {
    causes(error).last().map_or_else(|| error.to_string(), ToString::to_string)
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    std::iter::successors(error.source(), |cause: &&(dyn StdError + 'static)| (*cause).source())
}
