//! MCP over streamable HTTP, in both eras, at byte level. A socket only where the program is started.

mod auth;
mod changes;
#[cfg(feature = "cli")]
mod process;
mod refused;
mod streams;

use aludel::server::mcp::{Options, http};
use axum::Router;
use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderMap, Request};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::{Era, NEWER, OLDER};
use crate::rest::{Reply, request};
use crate::seeded::Seeded;

/// What a client must accept (specification, "Sending Messages to the Server").
const ACCEPT: &str = "application/json, text/event-stream";

/// A server's routes, and a host that calls them.
struct Host {
    router: Router,
    era: Era,
    session: Option<String>,
    token: Option<String>,
    next_id: u64,
    _seeded: Option<Seeded>,
}

/// The head of an answer and its events, as they come.
struct Stream {
    status: u16,
    headers: HeaderMap,
    pieces: BodyDataStream,
    read: String,
}

/// A server-sent event.
#[derive(Debug, Clone, PartialEq)]
struct Event {
    id: Option<u64>,
    retry: Option<u64>,
    /// `None` without data.
    message: Option<Value>,
}

impl Host {
    fn new(seeded: Seeded, era: Era) -> Self {
        let router = http::router(&seeded.engine, Options::default()).expect("routes");
        Self { router, era, session: None, token: None, next_id: 0, _seeded: Some(seeded) }
    }

    /// A host that needs no greeting.
    fn newer(seeded: Seeded) -> Self {
        Self::new(seeded, Era::Newer)
    }

    /// A host with a session.
    async fn older(seeded: Seeded) -> Self {
        let mut host = Self::new(seeded, Era::Older);
        host.open().await;
        host
    }

    /// Another host of the same server, without a session.
    fn other(&self, token: Option<&str>) -> Self {
        let token = token.map(str::to_owned);
        Self { router: self.router.clone(), era: self.era, session: None, token, next_id: 100, _seeded: None }
    }

    /// Opens a session.
    async fn open(&mut self) {
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": OLDER, "capabilities": {}, "clientInfo": client });
        let mut stream = self.ask("initialize", hello).await;
        assert_eq!(stream.status, 200);
        self.session = Some(stream.headers["mcp-session-id"].to_str().expect("text").to_owned());
        assert_eq!(stream.result().await["result"]["protocolVersion"], OLDER);
        let reply = self.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        assert_eq!((reply.status.as_u16(), reply.body.len()), (202, 0));
    }

    /// The headers of a message, each with its value.
    fn headers(&self, message: &Value) -> Vec<(String, String)> {
        let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        headers.push(("accept".into(), ACCEPT.into()));
        if self.era == Era::Newer {
            headers.push(("mcp-protocol-version".into(), NEWER.into()));
            headers.push(("mcp-method".into(), message["method"].as_str().unwrap_or_default().into()));
            if let Some(name) = message["params"]["name"].as_str() {
                headers.push(("mcp-name".into(), name.into()));
            }
        } else if self.session.is_some() {
            headers.push(("mcp-protocol-version".into(), OLDER.into()));
        }
        self.with_credentials(headers)
    }

    fn with_credentials(&self, mut headers: Vec<(String, String)>) -> Vec<(String, String)> {
        headers.extend(self.session.as_ref().map(|id| ("mcp-session-id".to_owned(), id.clone())));
        headers.extend(self.token.as_ref().map(|token| ("authorization".to_owned(), format!("Bearer {token}"))));
        headers
    }

    /// A request of the protocol, with the next id.
    fn message(&mut self, method: &str, mut params: Value) -> Value {
        self.next_id += 1;
        if self.era == Era::Newer {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(NEWER);
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params })
    }

    async fn send(&self, request: Request<Body>) -> Stream {
        let response = self.router.clone().oneshot(request).await.expect("infallible");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Stream { status, headers, pieces: response.into_body().into_data_stream(), read: String::new() }
    }

    /// Sends a message with other headers than its own.
    async fn post_with(&self, message: &str, headers: &[(String, String)]) -> Stream {
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.send(request("POST", "/mcp", &headers, Body::from(message.to_owned()))).await
    }

    /// Sends a message that is not a request.
    async fn post(&self, message: &Value) -> Reply {
        self.post_with(&message.to_string(), &self.headers(message)).await.whole().await
    }

    /// Sends a request.
    async fn ask(&mut self, method: &str, params: Value) -> Stream {
        let message = self.message(method, params);
        self.post_with(&message.to_string(), &self.headers(&message)).await
    }

    /// Sends a request; its answer, which must be 200.
    async fn result(&mut self, method: &str, params: Value) -> Value {
        let mut stream = self.ask(method, params).await;
        assert_eq!(stream.status, 200);
        stream.result().await
    }

    /// Calls a tool; its result.
    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", call(tool, &arguments)).await["result"].take()
    }

    /// Sends a request without a body.
    async fn bare(&self, method: &str, more: &[(&str, &str)]) -> Stream {
        let mut headers = vec![("accept".to_owned(), "text/event-stream".to_owned())];
        headers.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let headers = self.with_credentials(headers);
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.send(request(method, "/mcp", &headers, Body::empty())).await
    }
}

/// The parameters of a call that reports its progress.
fn call(tool: &str, arguments: &Value) -> Value {
    json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": "p" } })
}

fn generation(input: &str) -> Value {
    json!({ "input": input, "count": 1, "save": false })
}

impl Stream {
    /// The next event; `None` at the end. Comments that keep the connection alive are skipped.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((event, rest)) = self.read.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.read = rest;
                if event.lines().any(|line| !line.starts_with(':')) {
                    return Some(Event::parse(&event));
                }
                continue;
            }
            let Some(piece) = self.pieces.next().await else {
                assert_eq!(self.read.trim(), "");
                return None;
            };
            self.read += std::str::from_utf8(&piece.expect("a piece")).expect("UTF-8");
        }
    }

    /// The events up to the end.
    async fn events(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }

    /// The last message, whether the answer is a stream or not.
    async fn result(&mut self) -> Value {
        if self.headers["content-type"] == "application/json" {
            let text = self.text().await;
            return serde_json::from_str(&text).expect("JSON");
        }
        assert_eq!(self.headers["content-type"], "text/event-stream");
        let events = self.events().await;
        events.last().and_then(|event| event.message.clone()).expect("a message")
    }

    async fn text(&mut self) -> String {
        while let Some(piece) = self.pieces.next().await {
            self.read += std::str::from_utf8(&piece.expect("a piece")).expect("UTF-8");
        }
        std::mem::take(&mut self.read)
    }

    async fn whole(mut self) -> Reply {
        let body = self.text().await.into_bytes();
        Reply { status: self.status.try_into().expect("a status"), headers: self.headers, body }
    }
}

impl Event {
    fn parse(text: &str) -> Self {
        let field = |name: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            value.map(str::trim).filter(|value| !value.is_empty())
        };
        let number = |name: &str| field(name).map(|value| value.parse().expect("a number"));
        let message = field("data").map(|data| serde_json::from_str(data).expect("JSON"));
        Self { id: number("id"), retry: number("retry"), message }
    }
}

#[tokio::test]
async fn a_session_is_opened_used_and_ended() {
    let mut host = Host::older(Seeded::new()).await;
    assert_eq!(host.result("ping", json!({})).await["result"], json!({}));
    let tools = host.result("tools/list", json!({})).await;
    assert!(tools["result"]["tools"].as_array().expect("tools").len() >= 6);
    let result = host.call("get_system_info", json!({})).await;
    assert_eq!(result["structuredContent"]["name"], "aludel");
    assert_eq!(host.bare("DELETE", &[]).await.status, 202);
    assert_eq!(host.ask("tools/list", json!({})).await.status, 404);
    assert_eq!(host.bare("DELETE", &[]).await.status, 404);
    assert_eq!(host.bare("GET", &[]).await.status, 404);
}

#[tokio::test]
async fn the_newer_era_needs_no_session() {
    let mut host = Host::newer(Seeded::new());
    let found = host.result("server/discover", json!({})).await;
    assert!(found["result"]["supportedVersions"].to_string().contains(NEWER));
    let mut tools = host.ask("tools/list", json!({})).await;
    assert!(!tools.headers.contains_key("mcp-session-id"));
    assert_eq!(tools.result().await["result"]["resultType"], "complete");
    let result = host.call("get_system_info", json!({})).await;
    assert_eq!(result["structuredContent"]["name"], "aludel");
}

#[tokio::test]
async fn the_same_tools_are_offered_as_over_pipes() {
    let over_pipes = super::Wire::newer(Seeded::new()).request("tools/list", json!({})).await;
    let over_http = Host::newer(Seeded::new()).result("tools/list", json!({})).await;
    assert_eq!(over_http["result"]["tools"], over_pipes["result"]["tools"]);
}

#[tokio::test]
async fn every_answer_has_the_headers_for_browsers_and_the_id_of_its_request() {
    let mut host = Host::newer(Seeded::new());
    let good = host.ask("tools/list", json!({})).await;
    let refused = host.bare("GET", &[("mcp-protocol-version", NEWER)]).await;
    assert_eq!((good.status, refused.status), (200, 405));
    for headers in [&good.headers, &refused.headers] {
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(headers["content-security-policy"], "default-src 'none'; frame-ancestors 'none'");
        assert_eq!(headers["x-request-id"].len(), 36);
    }
    let named = host.bare("GET", &[("x-request-id", "job-7")]).await;
    assert_eq!(named.headers["x-request-id"], "job-7");
}

/// A client may be silent for an hour.
#[tokio::test(start_paused = true)]
async fn a_session_that_is_silent_for_an_hour_ends() {
    let minute = std::time::Duration::from_mins(1);
    let mut host = Host::older(Seeded::new()).await;
    tokio::time::sleep(59 * minute).await;
    assert_eq!(host.result("ping", json!({})).await["result"], json!({}));
    tokio::time::sleep(59 * minute).await;
    assert_eq!(host.result("ping", json!({})).await["result"], json!({}));
    tokio::time::sleep(61 * minute).await;
    assert_eq!(host.ask("ping", json!({})).await.status, 404);
}
