//! Notifications of changes that another process makes, to clients of both versions of the protocol.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::{NEWER, OLDER};
use crate::support::Home;

/// A change is notified within this time.
const WITHIN: Duration = Duration::from_secs(3);
/// If there is a notification, it comes before this time.
const QUIET: Duration = Duration::from_millis(2500);

const RESOURCES: &str = "notifications/resources/list_changed";
const PROMPTS: &str = "notifications/prompts/list_changed";
const UPDATED: &str = "notifications/resources/updated";

/// The built program as a server, and a client of it.
struct Live {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
}

impl Live {
    /// A server of the newer version.
    fn newer(home: &Home) -> Self {
        let mut command = home.command();
        command.arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, messages) = sync_channel(64);
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let message = serde_json::from_str(&line.expect("UTF-8")).expect("nothing but JSON");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, messages }
    }

    /// A server after the older version's handshake.
    fn older(home: &Home) -> Self {
        let mut live = Self::newer(home);
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": OLDER, "capabilities": {}, "clientInfo": client });
        live.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }));
        assert_eq!(live.next().expect("an answer")["result"]["protocolVersion"], OLDER);
        live.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assert_eq!(live.request(2, "ping", &json!({}))["result"], json!({}));
        live
    }

    fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("input that has not ended");
        stdin.write_all(format!("{message}\n").as_bytes()).expect("sent");
    }

    fn ask(&mut self, id: u64, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    /// Sends a request. The next message must be its answer.
    fn request(&mut self, id: u64, method: &str, params: &Value) -> Value {
        self.ask(id, method, params);
        let answer = self.next().expect("an answer");
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// The next message, if it comes in time.
    fn next(&self) -> Option<Value> {
        self.messages.recv_timeout(Duration::from_mins(1)).ok()
    }

    /// The notifications of a change, which must be these, in any order.
    fn must_notify(&self, expected: &[&str]) -> Vec<Value> {
        let mut notifications = Vec::new();
        while notifications.len() < expected.len() {
            let notification = self.messages.recv_timeout(WITHIN);
            notifications.push(notification.unwrap_or_else(|_| panic!("{expected:?}, got {notifications:?}")));
        }
        let mut methods: Vec<&str> =
            notifications.iter().map(|one| one["method"].as_str().expect("a method")).collect();
        let mut expected = expected.to_vec();
        methods.sort_unstable();
        expected.sort_unstable();
        assert_eq!(methods, expected);
        notifications
    }

    fn must_be_quiet(&self) {
        assert_eq!(self.messages.recv_timeout(QUIET).ok(), None);
    }

    /// Ends the input and returns what still comes; the program must end in order.
    fn end(mut self) -> Vec<Value> {
        self.stdin = None;
        let rest = self.messages.iter().collect();
        assert!(self.child.wait().expect("an end").success());
        rest
    }
}

/// Stores a prompt by the command line and returns its id.
fn generate(home: &Home) -> String {
    let made = home.run(&["generate", "Write a haiku", "--count", "1", "--format", "json"]).done().json();
    made["prompts"][0]["id"].as_str().expect("an id").to_owned()
}

fn meta() -> Value {
    json!({ "io.modelcontextprotocol/protocolVersion": NEWER, "io.modelcontextprotocol/clientCapabilities": {} })
}

/// Opens a subscription, which must be granted as `granted`.
fn listen(live: &mut Live, id: u64, wanted: &Value, granted: &Value) {
    live.ask(id, "subscriptions/listen", &json!({ "notifications": wanted, "_meta": meta() }));
    let opened = live.next().expect("an acknowledgement");
    assert_eq!(opened["method"], "notifications/subscriptions/acknowledged", "{opened}");
    assert_eq!(&opened["params"]["notifications"], granted);
    assert_eq!(opened["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
}

#[test]
fn an_older_client_is_notified_of_what_changes_and_of_nothing_else() {
    let home = Home::new();
    let mut live = Live::older(&home);
    live.must_be_quiet();
    generate(&home);
    live.must_notify(&[RESOURCES]);
    home.run(&["update", "@last", "--add-tag", "mcp"]).done();
    live.must_notify(&[RESOURCES, PROMPTS]);
    home.run(&["list"]).done();
    home.run(&["generate", "Write a poem", "--count", "1", "--no-save"]).done();
    live.must_be_quiet();
    home.run(&["delete", "@last", "--yes"]).done();
    live.must_notify(&[RESOURCES, PROMPTS]);

    // A change of the server itself counts, too.
    let call = json!({ "name": "restore_prompt", "arguments": { "prompt_id": "@last" } });
    live.request(9, "tools/call", &call);
    live.must_notify(&[RESOURCES, PROMPTS]);
    assert_eq!(live.end(), Vec::<Value>::new());
}

#[test]
fn an_older_client_subscribes_to_one_prompt() {
    let home = Home::new();
    let (first, second) = (generate(&home), generate(&home));
    let mut live = Live::older(&home);
    let uri = format!("aludel://prompts/{first}");
    let newest = live.request(2, "resources/subscribe", &json!({ "uri": "aludel://prompts/@last" }));
    assert_eq!(newest["error"]["code"], -32602);
    assert!(newest["error"]["message"].as_str().expect("words").contains(&second), "{newest}");
    assert_eq!(live.request(3, "resources/subscribe", &json!({ "uri": uri }))["result"], json!({}));
    home.run(&["update", &second, "--notes", "x"]).done();
    live.must_notify(&[RESOURCES]);
    home.run(&["update", &first, "--notes", "x"]).done();
    let told = live.must_notify(&[UPDATED, RESOURCES]);
    assert!(told.iter().any(|one| one["params"]["uri"] == json!(uri)), "{told:?}");
    home.run(&["delete", &first, "--yes"]).done();
    live.must_notify(&[UPDATED, RESOURCES]);
    home.run(&["trash", "restore", &first]).done();
    live.must_notify(&[UPDATED, RESOURCES]);
    assert_eq!(live.request(4, "resources/unsubscribe", &json!({ "uri": uri }))["result"], json!({}));
    home.run(&["update", &first, "--notes", "y"]).done();
    live.must_notify(&[RESOURCES]);
    let refused = live.request(5, "subscriptions/listen", &json!({ "notifications": {} }));
    assert_eq!(refused["error"]["code"], -32601, "{refused}");
    live.end();
}

#[test]
fn a_newer_client_is_notified_of_what_it_listens_to() {
    let home = Home::new();
    let (first, second) = (generate(&home), generate(&home));
    let mut live = Live::newer(&home);
    let uri = |id: &str| format!("aludel://prompts/{id}");
    let wanted = json!({
        "toolsListChanged": true, "promptsListChanged": true,
        "resourceSubscriptions": [uri(&first), uri("@last"), "file:///x"]
    });
    let granted = json!({ "promptsListChanged": true, "resourceSubscriptions": [uri(&first)] });
    listen(&mut live, 7, &wanted, &granted);
    home.run(&["update", &second, "--notes", "x"]).done();
    live.must_be_quiet();
    home.run(&["update", &first, "--add-tag", "mcp"]).done();
    for told in live.must_notify(&[UPDATED, PROMPTS]) {
        assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 7, "{told}");
        assert!(told["method"] == PROMPTS || told["params"]["uri"] == json!(uri(&first)), "{told}");
    }

    listen(&mut live, 8, &json!({ "resourcesListChanged": true }), &json!({ "resourcesListChanged": true }));
    let cancel = json!({ "requestId": 7, "reason": "enough" });
    live.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel }));
    home.run(&["update", &first, "--remove-tag", "mcp"]).done();
    let told = live.must_notify(&[RESOURCES]);
    assert_eq!(told[0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 8);
    live.must_be_quiet();

    let rest = live.end();
    let ended: Vec<&Value> = rest.iter().map(|message| &message["id"]).collect();
    assert_eq!(ended, [&json!(8)], "the subscription that was open is answered: {rest:?}");
}

#[test]
fn a_newer_client_that_does_not_listen_is_not_notified() {
    let home = Home::new();
    let mut live = Live::newer(&home);
    let listed = live.request(1, "resources/list", &json!({ "_meta": meta() }));
    assert_eq!(listed["result"]["resources"], json!([]));
    generate(&home);
    live.must_be_quiet();
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let refused = live.request(2, method, &json!({ "uri": "aludel://prompts/@last", "_meta": meta() }));
        assert_eq!(refused["error"]["code"], -32601, "{refused}");
    }
    live.end();
}
