//! Web pages of other origins: none by default, and those of `server.cors` as the Fetch standard has it.

use aludel_core::error::Code;
use axum::body::Body;

use super::{Api, Reply, request};
use crate::seeded::Seeded;

const APP: &str = "https://app.example";
const LIST: &str = "/api/v1/prompts";

fn api() -> Api {
    Api::new(Seeded::with_config("server:\n  cors: {enabled: true, allowed_origins: ['https://App.example:443']}\n"))
}

async fn from(api: &Api, origin: &str, path: &str) -> Reply {
    api.send(request("GET", path, &[("origin", origin), ("sec-fetch-site", "cross-site")], Body::empty())).await
}

async fn preflight(api: &Api, origin: &str) -> Reply {
    let headers = [
        ("origin", origin),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization,content-type"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "cors"),
    ];
    api.send(request("OPTIONS", "/api/v1/prompts/generate", &headers, Body::empty())).await
}

fn list_of(reply: &Reply, name: &str) -> Vec<String> {
    let text = reply.headers[name].to_str().expect("text").to_ascii_lowercase();
    text.split(',').map(|item| item.trim().to_owned()).collect()
}

#[tokio::test]
async fn without_a_configuration_no_page_may_call() {
    let api = Api::new(Seeded::new());
    let reply = from(&api, APP, LIST).await;
    assert_eq!(reply.problem().code, Code::Forbidden);
    let preflight = preflight(&api, APP).await;
    assert_eq!(preflight.status, 403);
    for reply in [reply, preflight] {
        assert!(!reply.headers.keys().any(|name| name.as_str().starts_with("access-control")));
    }
}

#[tokio::test]
async fn a_listed_origin_may_call_and_read() {
    let api = api();
    let reply = from(&api, APP, LIST).await;
    assert_eq!((reply.status.as_u16(), reply.headers["access-control-allow-origin"].as_bytes()), (200, APP.as_bytes()));
    assert!(list_of(&reply, "vary").contains(&"origin".to_owned()));
    let exposed = list_of(&reply, "access-control-expose-headers");
    for name in ["etag", "location", "retry-after", "ratelimit", "ratelimit-policy", "x-request-id", "x-total-count"] {
        assert!(exposed.iter().any(|exposed| exposed == name), "{name}");
    }
    assert!(!reply.headers.contains_key("access-control-allow-credentials"));
}

#[tokio::test]
async fn a_refusal_can_be_read_too() {
    let reply = from(&api(), APP, "/api/v1/nothing").await;
    assert_eq!(reply.problem().code, Code::NotFound);
    assert_eq!(reply.headers["access-control-allow-origin"], APP);
}

#[tokio::test]
async fn a_preflight_says_what_is_allowed() {
    let reply = preflight(&api(), APP).await;
    assert_eq!((reply.status.as_u16(), reply.body.len()), (200, 0));
    assert_eq!(reply.headers["access-control-allow-origin"], APP);
    assert_eq!(list_of(&reply, "access-control-allow-methods"), ["get", "post", "patch", "delete"]);
    let headers = list_of(&reply, "access-control-allow-headers");
    for name in ["authorization", "content-type", "idempotency-key", "if-match", "last-event-id", "prefer"] {
        assert!(headers.iter().any(|header| header == name), "{name}");
    }
    assert_eq!(reply.headers["access-control-max-age"], "600");
    assert!(reply.headers.contains_key("x-request-id"));
}

#[tokio::test]
async fn preflights_are_not_counted() {
    let config = "server:\n  cors: {enabled: true, allowed_origins: ['https://app.example']}\n  rate_limiting: {enabled: true, requests_per_minute: 1, burst: 1}\n";
    let api = Api::new(Seeded::with_config(config));
    for _ in 0..3 {
        assert_eq!(preflight(&api, APP).await.status, 200);
    }
    assert_eq!(from(&api, APP, LIST).await.status, 200);
    let refused = from(&api, APP, LIST).await;
    assert_eq!(
        (refused.status.as_u16(), refused.headers["access-control-allow-origin"].as_bytes()),
        (429, APP.as_bytes())
    );
}

#[tokio::test]
async fn any_other_origin_is_refused() {
    let api = api();
    for origin in
        ["https://evil.example", "http://app.example", "https://app.example:8443", "https://app.example.evil", "null"]
    {
        let reply = from(&api, origin, LIST).await;
        assert_eq!(reply.status, 403, "{origin}");
        let preflight = preflight(&api, origin).await;
        assert!(preflight.status == 403 && !preflight.headers.contains_key("access-control-allow-origin"), "{origin}");
    }
    let no_origin = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")];
    assert_eq!(api.send(request("GET", LIST, &no_origin, Body::empty())).await.status, 403);
}

#[tokio::test]
async fn an_allowed_origin_is_no_allowed_host() {
    let api = api();
    let rebound = [("host", "app.example"), ("origin", APP)];
    assert_eq!(api.send(request("GET", LIST, &rebound, Body::empty())).await.status, 403);
}

#[cfg(feature = "cli")]
#[test]
fn what_cannot_be_allowed_is_told_at_the_start() {
    let start = |cors: &str| {
        let home = crate::support::Home::new();
        home.config(&format!("server:\n  cors: {{enabled: true, {cors}}}\n"));
        home.run(&["http-server", "--port", "0"]).failed(3).stderr
    };
    let none = start("allowed_origins: []");
    assert!(none.contains("lists no origin"), "{none}");
    let any = start("allowed_origins: ['*']");
    assert!(any.contains("server.cors.allowed_origins") && any.contains("`server.auth`"), "{any}");
    let text = start("allowed_origins: ['https://a.example/x'], allowed_methods: ['G T'], allowed_headers: ['a b']");
    for part in ["`https://a.example/x` is not an origin", "`G T` is not a method", "`a b` is not the name of a header"]
    {
        assert!(text.contains(part), "{text}");
    }
}
