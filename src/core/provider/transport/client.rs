//! The HTTP clients, created on first use and shared by all providers with the same trust settings.
//!
//! A client owns its connections, so sharing it is what reuses them. There are up to two clients
//! per `ca_file` in use: calls to this machine never take the system's proxy. A client follows no
//! redirects and has no silence timeout; [`link`](super::link) and the layers above do that.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::{Certificate, Client, Url, redirect};

use crate::config::address::is_this_machine;
use crate::error::Error;
use crate::files;

/// The connect timeout, TLS included.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Idle connections kept per host: as many as a run can have calls at once.
const IDLE_CONNECTIONS: usize = 128;

/// The TCP keep-alive interval, which detects connections that a router dropped.
const KEEPALIVE: Duration = Duration::from_mins(1);

/// What distinguishes two clients.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ClientKey {
    ca_file: Option<PathBuf>,
    is_loopback: bool,
}

/// The HTTP clients of a process.
#[derive(Debug, Default)]
pub struct Clients {
    made: Mutex<HashMap<ClientKey, Client>>,
}

impl Clients {
    /// Starts without clients.
    pub fn new() -> Self {
        Self::default()
    }

    /// The client for `url` that also trusts the certificates in `ca_file`; errors name `provider`.
    ///
    /// # Errors
    /// `file` for a `ca_file` without a readable certificate; `internal` when TLS cannot be set up.
    pub(super) fn get(&self, provider: &str, url: &Url, ca_file: Option<&Path>) -> Result<Client, Error> {
        let which = ClientKey { ca_file: ca_file.map(Path::to_path_buf), is_loopback: is_this_machine(url) };
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = made.get(&which) {
            return Ok(client.clone());
        }
        let client = build(provider, &which)?;
        made.insert(which, client.clone());
        Ok(client)
    }

    /// The number of clients created.
    pub fn len(&self) -> usize {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// True until a client is created.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn build(provider: &str, which: &ClientKey) -> Result<Client, Error> {
    let mut roots = Vec::with_capacity(webpki_root_certs::TLS_SERVER_ROOT_CERTS.len() + 1);
    for root in webpki_root_certs::TLS_SERVER_ROOT_CERTS {
        roots.push(Certificate::from_der(root).map_err(|error| no_client(&error))?);
    }
    if let Some(path) = &which.ca_file {
        roots.extend(own_roots(provider, path)?);
    }
    let mut builder = Client::builder()
        .tls_certs_only(roots)
        .user_agent(concat!("aludel/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .tcp_keepalive(KEEPALIVE)
        .pool_max_idle_per_host(IDLE_CONNECTIONS)
        .redirect(redirect::Policy::none())
        .referer(false);
    if which.is_loopback {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| match &which.ca_file {
        Some(path) => unusable(provider, path, "it holds a certificate that cannot be used"),
        None => no_client(&error),
    })
}

/// The maximum size of a certificate file; all public authorities together need a quarter of it.
const MOST_PEM_BYTES: u64 = 1 << 20;

/// Reads the certificates of a PEM file.
fn own_roots(provider: &str, path: &Path) -> Result<Vec<Certificate>, Error> {
    let pem = files::read_own(path, MOST_PEM_BYTES).map_err(|error| unusable(provider, path, &error.to_string()))?;
    match Certificate::from_pem_bundle(&pem) {
        Ok(roots) if !roots.is_empty() => Ok(roots),
        _ => Err(unusable(provider, path, "it holds no certificate in PEM form")),
    }
}

fn unusable(provider: &str, path: &Path, why: &str) -> Error {
    let reason = format!("{why}; `providers.{provider}.ca_file` names a PEM file with the root certificate to trust");
    Error::File { action: "read", path: path.to_path_buf(), reason }
}

fn no_client(error: &reqwest::Error) -> Error {
    Error::Internal(format!("no HTTP client can be made: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn providers_with_the_same_trust_share_a_client() {
        let clients = Clients::new();
        assert!(clients.is_empty());
        clients.get("acme", &url("https://api.example.com/v1"), None).unwrap();
        clients.get("acme", &url("https://example.org"), None).unwrap();
        assert_eq!(clients.len(), 1);
        clients.get("acme", &url("http://localhost:11434"), None).unwrap();
        assert_eq!(clients.len(), 2);
    }

    #[test]
    fn a_broken_ca_file_names_the_file_and_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        let failure =
            |clients: &Clients| clients.get("acme", &url("https://example.org"), Some(&path)).unwrap_err().to_string();
        let clients = Clients::new();
        assert!(failure(&clients).contains("ca.pem"));
        for content in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            std::fs::write(&path, content).unwrap();
            let message = failure(&clients);
            assert!(message.contains("ca.pem") && message.contains("`providers.acme.ca_file`"), "{message}");
        }
        assert!(clients.is_empty());
    }
}
