//! Authentication as clients meet it: which tokens are refused and with what, what a scope opens, and
//! what stays open.
//!
//! Tokens are made by hand (`support/jwt.rs`), and the scope of each route is written here again, so
//! nothing is checked against itself.

mod budget;
mod refused;

use aludel::server::rest::ROUTES;
use aludel_core::error::Code;
use axum::body::Body;
use axum::http::HeaderValue;
use serde_json::json;

use super::{Api, Reply, request};
use crate::jwt::token;
use crate::seeded::Seeded;

/// The secret of the servers here. Looked for in everything that they answer.
const SECRET: &str = "canary-secret-0123456789-canary-secret";
/// The time of the servers here, in seconds since 1970: a [`Seeded`] clock moves by milliseconds.
const NOW: i64 = 1_790_000_000;
const LIST: &str = "/api/v1/prompts";

fn seeded(auth: &str, more: &str) -> Seeded {
    Seeded::with_config(&format!("server:\n  auth: {{enabled: true, secret: {SECRET}{auth}}}\n{more}"))
}

fn api() -> Api {
    Api::new(seeded("", ""))
}

/// A token with these scopes.
fn with_scope(scope: &str) -> String {
    token(SECRET, &json!({ "sub": "client", "jti": "1", "exp": NOW + 600, "scope": scope }).to_string())
}

/// Sends a request with this value of `Authorization`, if any.
async fn ask(api: &Api, method: &str, path: &str, authorization: Option<&str>) -> Reply {
    let headers: Vec<(&str, &str)> = authorization.map(|value| ("authorization", value)).into_iter().collect();
    api.send(request(method, path, &headers, Body::empty())).await
}

async fn ask_with(api: &Api, method: &str, path: &str, token: &str) -> Reply {
    ask(api, method, path, Some(&format!("Bearer {token}"))).await
}

/// The scope that each route needs; the probes need no token.
const NEEDED: &[(&str, &str, &str)] = &[
    ("POST", "/api/v1/prompts/generate", "spend"),
    ("POST", "/api/v1/prompts/batch", "spend"),
    ("POST", "/api/v1/prompts/select", "spend"),
    ("POST", "/api/v1/prompts/compare", "read"),
    ("GET", "/api/v1/prompts", "read"),
    ("POST", "/api/v1/prompts/search", "read"),
    ("GET", "/api/v1/prompts/search", "read"),
    ("GET", "/api/v1/prompts/export", "read"),
    ("POST", "/api/v1/prompts/import", "write"),
    ("GET", "/api/v1/prompts/{prompt_id}", "read"),
    ("GET", "/api/v1/prompts/{prompt_id}/similar", "read"),
    ("GET", "/api/v1/prompts/{prompt_id}/why", "read"),
    ("PATCH", "/api/v1/prompts/{prompt_id}", "write"),
    ("DELETE", "/api/v1/prompts/{prompt_id}", "write"),
    ("POST", "/api/v1/prompts/{prompt_id}/restore", "write"),
    ("GET", "/api/v1/trash", "read"),
    ("GET", "/api/v1/jobs", "read"),
    ("GET", "/api/v1/jobs/{job_id}", "read"),
    ("GET", "/api/v1/jobs/{job_id}/events", "read"),
    ("GET", "/api/v1/jobs/{job_id}/result", "read"),
    ("POST", "/api/v1/jobs/{job_id}/resume", "spend"),
    ("DELETE", "/api/v1/jobs/{job_id}", "write"),
    ("GET", "/api/v1/spend", "read"),
    ("GET", "/api/performance", "read"),
    ("GET", "/api/export", "read"),
    ("GET", "/api/v1/providers", "read"),
    ("GET", "/health/detailed", "read"),
    ("GET", "/metrics", "read"),
    ("GET", "/openapi.json", "read"),
    ("GET", "/docs", "read"),
];

const PROBES: [&str; 3] = ["/health", "/alive", "/ready"];

/// The scopes of tokens, and the routes that each opens.
const OPENED: [(&str, &[&str]); 7] = [
    ("", &[]),
    ("openid profile READ", &[]),
    ("read", &["read"]),
    ("write", &["read", "write"]),
    ("spend", &["read", "spend"]),
    ("write spend", &["read", "write", "spend"]),
    ("admin", &["read", "write", "spend"]),
];

#[test]
fn the_scope_of_every_route_is_written_here() {
    let mut routes: Vec<String> = ROUTES.iter().map(|route| format!("{} {}", route.method, route.path)).collect();
    let mut here: Vec<String> = NEEDED.iter().map(|(method, path, _)| format!("{method} {path}")).collect();
    here.extend(PROBES.map(|path| format!("GET {path}")));
    routes.sort();
    here.sort();
    assert_eq!(routes, here);
}

#[tokio::test]
async fn a_token_opens_the_routes_of_its_scopes_and_no_others() {
    let api = api();
    for (method, path, needed) in NEEDED {
        let path = path.replace("{prompt_id}", "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21");
        let path = path.replace("{job_id}", "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21");
        let methods = if *method == "GET" { vec!["GET", "HEAD"] } else { vec![*method] };
        for method in methods {
            assert_eq!(ask(&api, method, &path, None).await.status, 401, "{method} {path} without a token");
            for (scope, opened) in OPENED {
                let reply = ask_with(&api, method, &path, &with_scope(scope)).await;
                if opened.contains(needed) {
                    assert!(![401, 403].contains(&reply.status.as_u16()), "{method} {path} with `{scope}`");
                    assert!(!reply.headers.contains_key("www-authenticate"), "{method} {path} with `{scope}`");
                } else {
                    assert_eq!(reply.status, 403, "{method} {path} with `{scope}`");
                    let challenge =
                        format!("Bearer realm=\"aludel\", error=\"insufficient_scope\", scope=\"{needed}\"");
                    assert_eq!(reply.headers["www-authenticate"], challenge);
                    if method != "HEAD" {
                        let problem = reply.problem();
                        assert_eq!(problem.code, Code::Forbidden);
                        assert!(problem.detail.contains(&format!("scope `{needed}`")), "{}", problem.detail);
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn probes_and_preflight_requests_need_no_token() {
    let api = Api::new(Seeded::with_config(&format!(
        "server:\n  auth: {{enabled: true, secret: {SECRET}}}\n  cors: {{enabled: true, allowed_origins: ['https://app.example']}}\n"
    )));
    for path in PROBES {
        assert_eq!(ask(&api, "GET", path, None).await.status, 200, "{path}");
        assert_eq!(ask(&api, "GET", path, Some("Bearer nonsense")).await.status, 200, "{path}");
    }
    let preflight = [
        ("origin", "https://app.example"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization"),
    ];
    let reply = api.send(request("OPTIONS", "/api/v1/prompts/generate", &preflight, Body::empty())).await;
    assert_eq!((reply.status.as_u16(), reply.body.len()), (200, 0));
    let refused = api.send(request("GET", LIST, &[("origin", "https://app.example")], Body::empty())).await;
    assert_eq!(refused.status, 401);
    let exposed = refused.headers["access-control-expose-headers"].to_str().expect("text").to_ascii_lowercase();
    assert!(exposed.contains("www-authenticate"), "{exposed}");
}

#[tokio::test]
async fn what_is_no_route_is_told_without_a_token() {
    let api = api();
    assert_eq!(ask(&api, "GET", "/api/v1/nothing", None).await.status, 404);
    assert_eq!(ask(&api, "PUT", LIST, None).await.status, 405);
    assert_eq!(ask_with(&api, "PUT", LIST, &with_scope("read")).await.status, 405);
}

/// A path must not reach a handler by another spelling than the one that is checked.
#[tokio::test]
async fn no_spelling_of_a_path_goes_around_the_check() {
    let api = api();
    for path in [
        "/api/v1/prompts/",
        "//api/v1/prompts",
        "/api/v1//prompts",
        "/api/v1/./prompts",
        "/alive/../api/v1/prompts",
        "/alive/api/v1/prompts",
        "/api/v1/%70rompts",
        "/API/v1/prompts",
        "/api/v1/prompts?probe=/alive",
        "/api/v1/prompts;/alive",
        "/api/v1/prompts/alive",
        "/api/v1/prompts%2Falive",
    ] {
        let reply = ask(&api, "GET", path, None).await;
        assert!([401, 404].contains(&reply.status.as_u16()), "{path}: {}", reply.text());
    }
}

#[tokio::test]
async fn a_comparison_that_asks_the_judge_needs_to_spend() {
    let api = api();
    let bearer = |scope: &str| format!("Bearer {}", with_scope(scope));
    let post = async |path: &str, scope: &str, body: serde_json::Value| {
        let authorization = bearer(scope);
        let headers = [("content-type", "application/json"), ("authorization", authorization.as_str())];
        api.send(request("POST", path, &headers, Body::from(body.to_string()))).await
    };
    let made = post("/api/v1/prompts/generate", "spend", json!({ "input": "Name a boat", "count": 2 })).await.json();
    let ids: Vec<&str> = [0, 1].iter().map(|at| made["prompts"][at]["id"].as_str().expect("an id")).collect();
    let plain = json!({ "prompt_ids": ids });
    let judged = json!({ "prompt_ids": ids, "task_description": "Name a boat" });
    assert_eq!(post("/api/v1/prompts/compare", "read", plain).await.status, 200);
    let refused = post("/api/v1/prompts/compare", "read write", judged.clone()).await;
    assert_eq!((refused.status.as_u16(), refused.problem().code), (403, Code::Forbidden));
    let challenge = refused.headers["www-authenticate"].to_str().expect("text");
    assert!(challenge.ends_with("error=\"insufficient_scope\", scope=\"spend\""), "{challenge}");
    assert_ne!(post("/api/v1/prompts/compare", "spend", judged).await.status, 403);
}

#[tokio::test]
async fn learned_patterns_are_never_given_without_a_token() {
    const EXPORT: &str = "/api/export";
    for api in [Api::new(Seeded::new()), Api::new(Seeded::with_config("learning: {enabled: true}\n"))] {
        // Nothing can verify the second one.
        for authorization in [None, Some(format!("Bearer {}", with_scope("admin")))] {
            let reply = ask(&api, "GET", EXPORT, authorization.as_deref()).await;
            let problem = reply.problem();
            assert_eq!((reply.status.as_u16(), problem.code), (401, Code::Unauthorized));
            assert_eq!(reply.headers["www-authenticate"], "Bearer realm=\"aludel\"");
            assert!(problem.detail.contains("server.auth.enabled"), "{}", problem.detail);
        }
    }
    let api = api();
    assert_eq!(ask(&api, "GET", EXPORT, None).await.status, 401);
    let reply = ask_with(&api, "GET", EXPORT, &with_scope("read")).await;
    assert_eq!((reply.status.as_u16(), reply.problem().code), (409, Code::Conflict));
}

#[tokio::test]
async fn without_authentication_a_token_is_not_looked_at() {
    let api = Api::new(Seeded::new());
    assert_eq!(ask(&api, "GET", LIST, Some("Bearer nonsense")).await.status, 200);
    let mut twice = request("GET", LIST, &[("authorization", "Bearer a")], Body::empty());
    twice.headers_mut().append("authorization", HeaderValue::from_static("Basic b"));
    assert_eq!(api.send(twice).await.status, 200);
}

#[tokio::test]
async fn each_token_has_its_own_rate_and_guesses_are_limited() {
    let limit = "  rate_limiting: {enabled: true, requests_per_minute: 1, burst: 2}\n";
    let api = Api::new(seeded("", limit));
    let named = |sub: &str| token(SECRET, &json!({ "sub": sub, "exp": NOW + 600, "scope": "read" }).to_string());
    let guess = |at: usize| signed_by_another(&format!("{{\"sub\":\"{at}\",\"exp\":{}}}", NOW + 600));
    for (at, status) in [401, 401, 429, 429].into_iter().enumerate() {
        let reply = ask_with(&api, "GET", LIST, &guess(at)).await;
        assert_eq!(reply.status, status);
        assert!(reply.headers.contains_key("ratelimit"));
    }
    for client in ["one", "two"] {
        for status in [200, 200, 429] {
            assert_eq!(ask_with(&api, "GET", LIST, &named(client)).await.status, status, "{client}");
        }
    }
    // A token without the scope is still that client's.
    let small = token(SECRET, &json!({ "sub": "three", "exp": NOW + 600 }).to_string());
    for status in [403, 403, 429] {
        assert_eq!(ask_with(&api, "GET", LIST, &small).await.status, status);
    }
}

fn signed_by_another(claims: &str) -> String {
    token("another-secret-0123456789-another-secret", claims)
}
