//! The daily caps of tokens: refused when used up, whole again the next day, never passed.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use aludel_core::config::{self, Environment, Flags};
use aludel_core::domain::Timestamp;
use aludel_core::engine::Engine;
use aludel_core::error::Code;
use aludel_core::ids::SystemIds;
use aludel_core::time::{Clock, from_millis};
use axum::body::Body;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Api, NOW, Reply, SECRET, ask_with, request};
use crate::jwt::token;
use crate::seeded::Seeded;

const GENERATE: &str = "/api/v1/prompts/generate";
const DAY_S: i64 = 86_400;
/// Every call costs $0.01, and can cost little more.
const PRICED: &str = "
answer: {text: 'made of {original_input}'}
price: {input: 0, output: 100}
usage: {input_tokens: 10, output_tokens: 100}
pacing: {first_token_ms: 5}
";

/// A clock that a test moves.
struct ManualClock(AtomicI64);

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        from_millis(self.0.load(Ordering::Relaxed))
    }
}

struct Server {
    api: Api,
    clock: Arc<ManualClock>,
    _folder: TempDir,
}

impl Server {
    fn new(more: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let config = format!(
            "providers:\n  sim: {{script: script.yaml, max_retries: 0}}\nserver:\n  auth: {{enabled: true, secret: {SECRET}}}\n{more}"
        );
        std::fs::write(folder.path().join("config.yaml"), config).expect("a configuration");
        std::fs::write(folder.path().join("script.yaml"), PRICED).expect("a script");
        let flags = Flags { data_dir: Some(folder.path().to_owned()), ..Flags::default() };
        let loaded = config::load(&flags, &Environment::default()).expect("a valid configuration");
        let clock = Arc::new(ManualClock(AtomicI64::new(NOW * 1000)));
        let engine = Engine::open_with(loaded, Arc::clone(&clock) as Arc<dyn Clock>, Arc::new(SystemIds));
        engine.stop_indexing();
        Self { api: Api::new(Seeded::over(engine)), clock, _folder: folder }
    }

    fn tomorrow(&self) {
        self.clock.0.fetch_add(DAY_S * 1000, Ordering::Relaxed);
    }

    async fn generate(&self, token: &str, body: &Value) -> Reply {
        let authorization = format!("Bearer {token}");
        let headers = [("content-type", "application/json"), ("authorization", authorization.as_str())];
        self.api.send(request("POST", GENERATE, &headers, Body::from(body.to_string()))).await
    }

    /// One call, with a text of its own, so that no cache answers.
    async fn one(&self, token: &str, number: usize) -> Reply {
        self.generate(token, &one(number)).await
    }

    async fn spent(&self) -> (u64, f64) {
        let report = ask_with(&self.api, "GET", "/api/v1/spend", &client("reader", "read", &json!({}))).await.json();
        let total = &report["total"];
        (total["calls"].as_u64().expect("a number"), total["known_cost_usd"].as_f64().expect("a number"))
    }
}

fn one(number: usize) -> Value {
    json!({
        "input": format!("Name boat {number}"), "count": 1, "phases": ["coagulatio"], "max_tokens": 100, "save": false
    })
}

/// A token for a week.
fn client(sub: &str, scope: &str, caps: &Value) -> String {
    let mut claims = json!({ "sub": sub, "jti": "1", "exp": NOW + 7 * DAY_S, "scope": scope });
    claims.as_object_mut().expect("an object").extend(caps.as_object().expect("an object").clone());
    token(SECRET, &claims.to_string())
}

/// The refusal names what is used up, and when there is more.
fn assert_used_up(reply: &Reply, words: &[&str]) {
    let problem = reply.problem();
    assert_eq!((reply.status.as_u16(), problem.code), (422, Code::BudgetExceeded), "{}", problem.detail);
    for word in words {
        assert!(problem.detail.contains(word), "{word}: {}", problem.detail);
    }
}

#[tokio::test]
async fn the_calls_of_a_day_are_used_up_and_come_again() {
    let server = Server::new("");
    let few = client("few", "spend", &json!({ "max_calls": 3 }));
    for number in 0..3 {
        assert_eq!(server.one(&few, number).await.status, 200);
    }
    assert_used_up(&server.one(&few, 3).await, &["takes 1 call", "allows 3 calls a day", "3 used", "midnight UTC"]);
    // Calls are charged to `sub/jti`: another token of the same is as far.
    let same = client("few", "admin", &json!({ "max_calls": 3, "iat": NOW }));
    assert_used_up(&server.one(&same, 4).await, &["3 calls"]);
    // A larger one, another client and reading go on.
    assert_eq!(server.one(&client("few", "spend", &json!({ "max_calls": 4 })), 5).await.status, 200);
    assert_eq!(server.one(&client("other", "spend", &json!({ "max_calls": 1 })), 6).await.status, 200);
    assert_eq!(ask_with(&server.api, "GET", "/api/v1/jobs", &client("few", "spend", &json!({}))).await.status, 200);
    assert_eq!(server.spent().await.0, 5);
    server.tomorrow();
    for number in 7..10 {
        assert_eq!(server.one(&few, number).await.status, 200);
    }
    assert_used_up(&server.one(&few, 10).await, &["3 calls"]);
}

#[tokio::test]
async fn the_dollars_of_a_day_are_used_up_and_come_again() {
    let server = Server::new("");
    let poor = client("poor", "spend", &json!({ "budget_usd": 0.055 }));
    let mut made = 0;
    let refused = loop {
        let reply = server.one(&poor, made).await;
        if reply.status != 200 {
            break reply;
        }
        made += 1;
    };
    assert!((3..=5).contains(&made), "{made}");
    let used = format!("(${:.2}", made as f64 * 0.01);
    assert_used_up(&refused, &["allows $0.055 a day", &used, "midnight UTC"]);
    let (calls, cost) = server.spent().await;
    assert_eq!(calls, made as u64);
    assert!(cost <= 0.055, "{cost}");
    assert_eq!(server.one(&client("rich", "spend", &json!({ "budget_usd": 5 })), 99).await.status, 200);
    server.tomorrow();
    for number in 100..100 + made {
        assert_eq!(server.one(&poor, number).await.status, 200);
    }
    assert_used_up(&server.one(&poor, 200).await, &["$0.055"]);
}

#[tokio::test]
async fn nothing_is_allowed_by_a_cap_of_zero() {
    let server = Server::new("");
    for caps in [json!({ "max_calls": 0 }), json!({ "budget_usd": 0 })] {
        assert_used_up(&server.one(&client("none", "spend", &caps), 1).await, &["a day"]);
    }
    assert_eq!(server.spent().await.0, 0);
}

#[tokio::test]
async fn a_run_buys_the_whole_variants_that_are_left() {
    let server = Server::new("");
    let token = client("some", "spend", &json!({ "max_calls": 7, "budget_usd": 10 }));
    let body = json!({ "input": "Name a boat", "count": 3, "max_tokens": 100 });
    let reply = server.generate(&token, &body).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let result = reply.json();
    assert_eq!(result["prompts"].as_array().expect("prompts").len(), 2);
    assert_eq!(result["failures"][0]["error"]["code"], "budget_exceeded");
    let detail = result["failures"][0]["error"]["detail"].as_str().expect("text");
    assert!(detail.contains("allows 7 calls a day") && detail.contains("starts again at 2026-"), "{detail}");
    assert!(result["warnings"].to_string().contains("2 of 3 variants"), "{}", result["warnings"]);
    assert_eq!(server.spent().await.0, 6, "no call was made for a third of a variant");
}

/// The cap of all clients together still holds, and so does each client's.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn clients_side_by_side_never_pass_their_caps() {
    let server = Server::new("spend: {daily_budget_usd: 1}\n");
    let calls = client("calls", "spend", &json!({ "max_calls": 11 }));
    let money = client("money", "spend", &json!({ "budget_usd": 0.095 }));
    let replies = join_all((0..60).map(|number| {
        let token = if number % 2 == 0 { &calls } else { &money };
        server.one(token, number)
    }))
    .await;
    let good = |odd: usize| replies.iter().skip(odd).step_by(2).filter(|reply| reply.status == 200).count();
    assert_eq!(good(0), 11);
    assert!((7..=9).contains(&good(1)), "{}", good(1));
    for reply in replies.iter().filter(|reply| reply.status != 200) {
        assert_used_up(reply, &["a day"]);
    }
    let (calls, cost) = server.spent().await;
    assert_eq!(calls, 11 + good(1) as u64);
    assert!(cost <= 0.11 + 0.095, "{cost}");
}
