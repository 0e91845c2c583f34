//! The MCP face, tested at byte level, so that no client library hides a fault.

mod batch;
#[cfg(feature = "cli")]
mod changes;
mod completion;
mod consent;
mod garbage;
#[cfg(feature = "cli")]
mod hosts;
mod lifecycle;
mod options;
#[cfg(feature = "cli")]
mod process;
mod prompts;
mod resources;
mod search;
mod tasks;
mod tool_choice;
mod tools;
mod variants;

use std::time::Duration;

use aludel::server::mcp;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::seeded::Seeded;

pub(crate) const OLDER: &str = "2025-11-25";
pub(crate) const NEWER: &str = "2026-07-28";

/// A client and the server it talks to, in one process.
pub(crate) struct Wire {
    pub(crate) stop: CancellationToken,
    pub(crate) task: JoinHandle<()>,
    /// The messages that were not replies, in order.
    pub(crate) notifications: Vec<Value>,
    input: Option<DuplexStream>,
    output: Lines<BufReader<DuplexStream>>,
    next_id: u64,
    era: Era,
    /// What the client says that it can do.
    capabilities: Value,
    _seeded: Seeded,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Older,
    Newer,
}

impl Wire {
    /// A server that has received nothing yet.
    pub(crate) fn silent(seeded: Seeded) -> Self {
        Self::silent_with(seeded, mcp::Options::default())
    }

    /// A server with these options that has received nothing yet.
    pub(crate) fn silent_with(seeded: Seeded, options: mcp::Options) -> Self {
        let (input, server_input) = tokio::io::duplex(1 << 16);
        let (server_output, output) = tokio::io::duplex(1 << 16);
        let stop = CancellationToken::new();
        let handler = mcp::Handler::new(&seeded.engine, options);
        let serving = mcp::serve(handler, server_input, server_output, stop.clone());
        Self {
            stop,
            task: tokio::spawn(serving),
            notifications: Vec::new(),
            input: Some(input),
            output: BufReader::new(output).lines(),
            next_id: 0,
            era: Era::Newer,
            capabilities: json!({}),
            _seeded: seeded,
        }
    }

    /// A server of the newer version, which needs no handshake.
    pub(crate) fn newer(seeded: Seeded) -> Self {
        Self::silent(seeded)
    }

    /// A server after the older version's handshake.
    pub(crate) async fn older(seeded: Seeded) -> Self {
        Self::silent(seeded).greeted().await
    }

    /// With a client that can do this.
    pub(crate) fn with_capabilities(self, capabilities: Value) -> Self {
        Self { capabilities, ..self }
    }

    /// After the older version's handshake.
    pub(crate) async fn greeted(self) -> Self {
        let mut wire = Self { era: Era::Older, ..self };
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": OLDER, "capabilities": wire.capabilities, "clientInfo": client });
        let answer = wire.request("initialize", hello).await;
        assert_eq!(answer["result"]["protocolVersion"], OLDER, "{answer}");
        wire.notify("notifications/initialized", json!({})).await;
        wire
    }

    /// Sends a request and returns its id, without waiting for the reply.
    pub(crate) async fn ask(&mut self, method: &str, mut params: Value) -> u64 {
        self.next_id += 1;
        if self.is_newer() {
            for (name, value) in self.meta().as_object().expect("an object") {
                params["_meta"][name] = value.clone();
            }
        }
        let request = json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params });
        self.line(&request.to_string()).await;
        self.next_id
    }

    pub(crate) fn is_newer(&self) -> bool {
        self.era == Era::Newer
    }

    /// What the version asks for in the `_meta` of every request.
    pub(crate) fn meta(&self) -> Value {
        if self.is_newer() {
            let version = "io.modelcontextprotocol/protocolVersion";
            return json!({ version: NEWER, "io.modelcontextprotocol/clientCapabilities": self.capabilities });
        }
        json!({})
    }

    /// Sends a request and waits for its reply, collecting the notifications before it.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        self.answer(id).await
    }

    /// The reply to a request. Any other reply before it is a bug.
    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await.expect("an answer before the end");
            if message.get("id").is_none() {
                self.notifications.push(message);
                continue;
            }
            assert_eq!(message["id"], id, "{message}");
            return message;
        }
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// The structured content of a call that must succeed; its text must be the same.
    pub(crate) async fn content(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], false, "{result}");
        let text = result["content"][0]["text"].as_str().expect("text");
        assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), result["structuredContent"]);
        result["structuredContent"].clone()
    }

    /// A prompt as `get_prompt_details` shows it, which must be whole.
    pub(crate) async fn prompt(&mut self, id: &Value) -> Value {
        let mut prompt = self.content("get_prompt_details", json!({ "prompt_id": id })).await;
        let fields = prompt.as_object_mut().expect("a prompt");
        assert_eq!((fields.remove("truncated"), fields.remove("cut")), (Some(json!(false)), Some(json!([]))));
        assert!(fields.remove("text_chars").is_some());
        prompt
    }

    /// The error of a request that must fail.
    pub(crate) async fn error(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params).await;
        assert!(answer.get("result").is_none(), "{answer}");
        answer["error"].clone()
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.line(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()).await;
    }

    /// Sends a line verbatim.
    pub(crate) async fn line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("input that has not ended");
        input.write_all(format!("{line}\n").as_bytes()).await.expect("sent");
    }

    /// Sends bytes verbatim.
    pub(crate) async fn bytes(&mut self, bytes: &[u8]) {
        self.input.as_mut().expect("input that has not ended").write_all(bytes).await.expect("sent");
    }

    /// Closes the output, like a client that stops reading.
    pub(crate) fn close_output(&mut self) {
        let (_, closed) = tokio::io::duplex(1);
        self.output = BufReader::new(closed).lines();
    }

    /// Ends the input.
    pub(crate) fn end(&mut self) {
        self.input = None;
    }

    /// The next message; `None` at the end. Everything must be JSON-RPC.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(Duration::from_mins(1), self.output.next_line());
        let line = line.await.expect("a message in time").expect("UTF-8")?;
        let message: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(message["jsonrpc"], "2.0");
        Some(message)
    }
}
