//! Detects an Ollama server on this machine, without configuration and without a noticeable wait.
//!
//! Looks at the address in `OLLAMA_HOST`, parsed as Ollama does, else at the default port. Never
//! contacts another machine unasked, even if the variable names one.

use std::time::Duration;

use reqwest::Url;
use serde::Deserialize;
use tokio::net::TcpStream;

use super::client::Clients;
use crate::config::address::is_this_machine;

/// The default address.
pub const OLLAMA_URL: &str = "http://localhost:11434";

/// The default port.
const OLLAMA_PORT: u16 = 11_434;

/// The timeout.
const PATIENCE: Duration = Duration::from_millis(300);

/// The maximum size of the answer, in bytes.
const LONGEST_VERSION: usize = 4096;

/// A running Ollama server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningOllama {
    /// Its address.
    pub base_url: String,
    /// Its version.
    pub version: String,
}

#[derive(Deserialize)]
struct Version {
    version: String,
}

/// Asks the Ollama at `base_url` for its version. `None` if it is on another machine, does not
/// answer within 300 ms, or is something else.
pub async fn running_ollama(clients: &Clients, base_url: &str) -> Option<RunningOllama> {
    let base_url = base_url.trim_end_matches('/');
    let url = Url::parse(&format!("{base_url}/api/version")).ok().filter(is_this_machine)?;
    let asked = async {
        // Creating a client takes longer than connecting, so connect first.
        let host = url.host_str()?.trim_matches(['[', ']']);
        drop(TcpStream::connect((host, url.port_or_known_default()?)).await.ok()?);
        let client = clients.get("ollama", &url, None).ok()?;
        let response = client.get(url.clone()).send().await.ok()?;
        let mut response = response.error_for_status().ok()?;
        let mut body = Vec::new();
        while let Some(bytes) = response.chunk().await.ok()? {
            body.extend_from_slice(&bytes);
            if body.len() > LONGEST_VERSION {
                return None;
            }
        }
        serde_json::from_slice::<Version>(&body).ok()
    };
    let Version { version } = tokio::time::timeout(PATIENCE, asked).await.ok()??;
    Some(RunningOllama { base_url: base_url.to_owned(), version })
}

/// The base URL for a value of `OLLAMA_HOST`: a host, a host with a port, or a URL. A wildcard
/// listen address means this machine. `None` for invalid values and those with a user or password.
pub fn ollama_url(host: &str) -> Option<String> {
    let host = host.trim().trim_matches(['"', '\'']);
    let has_scheme = host.contains("://");
    let mut url = Url::parse(&if has_scheme { host.to_owned() } else { format!("http://{host}") }).ok()?;
    if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    if !has_scheme && url.port().is_none() && !host.ends_with(":80") {
        url.set_port(Some(OLLAMA_PORT)).ok()?;
    }
    if matches!(url.host_str(), Some("0.0.0.0")) {
        url.set_host(Some("127.0.0.1")).ok()?;
    } else if url.host_str() == Some("[::]") {
        url.set_host(Some("[::1]")).ok()?;
    }
    url.set_query(None);
    url.set_fragment(None);
    Some(url.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::transport::testing::{Script, ScriptedServer, refusing_url};

    #[test]
    fn the_variable_is_read_as_ollama_reads_it() {
        for (host, url) in [
            ("127.0.0.1", Some("http://127.0.0.1:11434")),
            ("localhost:8080", Some("http://localhost:8080")),
            ("0.0.0.0", Some("http://127.0.0.1:11434")),
            ("0.0.0.0:1234", Some("http://127.0.0.1:1234")),
            ("[::]:1234", Some("http://[::1]:1234")),
            ("https://ollama.example.com/", Some("https://ollama.example.com")),
            ("http://gpu-box:11434/base/", Some("http://gpu-box:11434/base")),
            (" \"gpu-box\" ", Some("http://gpu-box:11434")),
            ("gpu-box:80", Some("http://gpu-box")),
            ("http://me:secret@gpu-box", None),
            ("ftp://gpu-box", None),
            ("", None),
        ] {
            assert_eq!(ollama_url(host).as_deref(), url, "{host}");
        }
    }

    #[tokio::test]
    async fn one_that_runs_here_is_found_with_its_version() {
        let server = ScriptedServer::start([Script::json(200, &serde_json::json!({"version": "0.14.2"}))]).await;
        let found = running_ollama(&Clients::new(), &format!("{}/", server.url())).await.unwrap();
        assert_eq!((found.version.as_str(), found.base_url.as_str()), ("0.14.2", server.url()));
        let asked = &server.requests()[0];
        assert_eq!((asked.method.as_str(), asked.path.as_str()), ("GET", "/api/version"));
    }

    #[tokio::test]
    async fn nothing_something_else_and_silence_are_no_ollama() {
        let clients = Clients::new();
        assert_eq!(running_ollama(&clients, &refusing_url().await).await, None);
        assert!(clients.is_empty());
        for script in
            [Script::json(200, &serde_json::json!({})), Script::json(404, &serde_json::json!({"version": "1"}))]
        {
            let server = ScriptedServer::start([script]).await;
            assert_eq!(running_ollama(&clients, server.url()).await, None);
        }
        let silent = ScriptedServer::start([Script::nothing().hang()]).await;
        assert_eq!(running_ollama(&clients, silent.url()).await, None);
        assert!(silent.until_closed(0).await);
    }

    #[tokio::test]
    async fn an_answer_without_an_end_is_no_ollama_and_is_not_read_on() {
        let endless =
            ScriptedServer::start([Script::json(200, &serde_json::json!({"version": "x".repeat(8192)}))]).await;
        assert_eq!(running_ollama(&Clients::new(), endless.url()).await, None);
    }

    #[tokio::test]
    async fn another_machine_is_not_asked() {
        let clients = Clients::new();
        assert_eq!(running_ollama(&clients, "http://ollama.example.com").await, None);
        assert!(clients.is_empty());
    }
}
