//! The rate limit as clients meet it: what is left, the refusal, and what is never limited.

use std::net::SocketAddr;
use std::sync::Arc;

use aludel_core::engine::RequestContext;
use aludel_core::error::Code;
use aludel_core::ledger::{Caller, CapPeriod};
use axum::body::Body;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;

use super::socket::{HANGS, Running};
use super::{Api, Reply, request};
use crate::seeded::Seeded;

/// Two requests at once; a third one a minute later.
const TWO: &str = "rate_limiting: {enabled: true, requests_per_minute: 1, burst: 2}";

fn api() -> Api {
    Api::new(Seeded::with_config(&format!("server: {{{TWO}}}\n")))
}

const LIST: &str = "/api/v1/prompts";

#[tokio::test]
async fn every_answer_says_what_is_left() {
    let api = api();
    let limit = |reply: &Reply| reply.headers["ratelimit"].to_str().expect("text").to_owned();
    let first = api.get(LIST).await;
    assert_eq!(first.headers["ratelimit-policy"], "\"default\";q=2;w=120");
    assert_eq!((first.status.as_u16(), limit(&first).as_str()), (200, "\"default\";r=1;t=60"));
    let second = api.get("/api/v1/prompts/0000").await;
    assert_eq!((second.status.as_u16(), limit(&second).as_str()), (422, "\"default\";r=0;t=120"));
}

#[tokio::test]
async fn a_client_above_its_rate_is_told_when_to_come_back() {
    let api = api();
    api.get(LIST).await;
    api.get(LIST).await;
    let refused = api.get(LIST).await;
    let problem = refused.problem();
    assert_eq!((refused.status.as_u16(), problem.code), (429, Code::RateLimited));
    assert!(problem.detail.contains("server.rate_limiting.requests_per_minute"), "{}", problem.detail);
    let wait: u32 = refused.headers["retry-after"].to_str().expect("text").parse().expect("a number");
    assert!((59..=60).contains(&wait) && problem.retry_after_s == Some(wait.into()));
    assert_eq!(refused.headers["ratelimit"], format!("\"default\";r=0;t={wait}"));
}

#[tokio::test]
async fn probes_are_not_limited() {
    let api = api();
    for probe in ["/health", "/alive", "/ready"].repeat(3) {
        let reply = api.get(probe).await;
        assert!(reply.status == 200 && !reply.headers.contains_key("ratelimit"), "{probe}");
    }
}

#[tokio::test]
async fn no_limit_is_told_where_there_is_none() {
    let reply = Api::new(Seeded::new()).get(LIST).await;
    assert!(!reply.headers.contains_key("ratelimit") && !reply.headers.contains_key("ratelimit-policy"));
}

#[tokio::test]
async fn every_token_has_its_own_rate() {
    let api = api();
    let of = |id: &str| {
        let caller = Caller { id: id.into(), budget: None, max_calls: None, period: CapPeriod::Day };
        let mut request = request("GET", LIST, &[], Body::empty());
        request.extensions_mut().insert(RequestContext { caller: Some(Arc::new(caller)), ..RequestContext::default() });
        api.send(request)
    };
    for status in [200, 200, 429] {
        assert_eq!(of("a").await.status, status);
    }
    assert_eq!(of("b").await.status, 200);
    assert_eq!(api.get(LIST).await.status, 200);
}

/// The status of a request from this address of the loopback network.
async fn status_from(server: &Running, address: &str) -> String {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(SocketAddr::new(address.parse().expect("an address"), 0)).expect("an address of this machine");
    let mut stream = socket.connect(server.address).await.expect("a connection");
    let request = format!("GET {LIST} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    answer.split(' ').nth(1).expect("a status").to_owned()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn every_address_has_its_own_rate_over_all_its_connections() {
    let server = Running::start(HANGS, TWO).await;
    for status in ["200", "200", "429"] {
        assert_eq!(status_from(&server, "127.0.0.2").await, status);
    }
    assert_eq!(status_from(&server, "127.0.0.3").await, "200");
}
