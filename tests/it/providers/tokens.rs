//! No token and no secret of the server leaks: good and bad ones are sent with full logging, and then
//! every file, output and response is searched for them.

use super::canary::Canary;
use super::rest_server::RestServer;
use crate::jwt::token;
use crate::support::Home;

/// A level that logs everything, including the HTTP libraries.
const EVERYTHING: &str = "trace,hyper=trace,hyper_util=trace,tower_http=trace,tower=trace,axum=trace,tokio=trace";

#[test]
fn no_answer_log_or_file_shows_a_token_or_the_secret() {
    let home = Home::new();
    // A secret that YAML takes as it is.
    let secret = Canary::of(Canary::new().key.replace('=', "e"));
    let configuration = home.config(&format!(
        "log: {{format: json}}\nserver:\n  auth: {{enabled: true, secret: '{}', issuer: us}}\n",
        secret.key
    ));
    let minted = home.run(&["token", "--scope", "admin", "--subject", "ci", "--log-level", EVERYTHING]).done();
    let good = minted.stdout.trim().to_owned();
    let bad = |claims: &str| token(&secret.key, claims);
    let tokens = [
        good.clone(),
        token("another secret, of thirty-two bytes or more", "{\"iss\":\"us\",\"exp\":4000000000}"),
        bad("{\"iss\":\"us\",\"exp\":1}"),
        bad("{\"iss\":\"us\",\"exp\":4000000000,\"nbf\":3999999999}"),
        bad("{\"iss\":\"them\",\"exp\":4000000000}"),
        bad("{\"iss\":\"us\"}"),
        bad("{\"iss\":\"us\",\"exp\":4000000000,\"budget_usd\":\"all of it\"}"),
        bad("{\"iss\":\"us\",\"exp\":4000000000,\"scope\":\"read\"}"),
        bad(&format!("{{\"iss\":\"us\",\"exp\":4000000000,\"padding\":\"{}\"}}", "x".repeat(9000))),
    ];
    let server = RestServer::start(&home, &["--log-level", EVERYTHING], &[]);
    let mut outputs = vec![("the errors of `token`".to_owned(), minted.stderr.into_bytes())];
    for (at, token) in tokens.iter().enumerate() {
        let heads = [
            format!("GET /api/v1/prompts HTTP/1.1\r\nauthorization: Bearer {token}\r\n"),
            format!("DELETE /api/v1/prompts/@last HTTP/1.1\r\nauthorization: Bearer {token}\r\n"),
            format!("GET /api/v1/prompts HTTP/1.1\r\nauthorization: Basic {token}\r\n"),
            format!(
                "GET /api/v1/prompts HTTP/1.1\r\nauthorization: Bearer {token}\r\nauthorization: Bearer {token}\r\n"
            ),
            format!("GET /api/v1/prompts?access_token={token} HTTP/1.1\r\nauthorization: Bearer {good}\r\n"),
            format!("GET /alive?access_token={token} HTTP/1.1\r\n"),
            format!("GET /api/v1/nothing?access_token={token} HTTP/1.1\r\n"),
        ];
        for head in heads {
            let line = head.split(&[' ', '?'][..]).nth(1).unwrap_or_default().to_owned();
            outputs.push((format!("{line} with token {at}"), server.ask(&head, "")));
        }
        let head = format!("POST /api/v1/prompts/generate HTTP/1.1\r\nauthorization: Bearer {token}\r\n");
        outputs.push((format!("generate with token {at}"), server.ask(&head, "{\"input\":\"Name a boat\"}")));
    }
    let made = String::from_utf8_lossy(&outputs[8].1).into_owned();
    assert!(made.starts_with("HTTP/1.1 200 ") && made.contains("Name a boat"), "the good token works: {made}");
    let (stdout, stderr) = server.stop();
    outputs.extend([("the server's output".to_owned(), stdout), ("the server's log".to_owned(), stderr)]);
    for command in
        [&["config", "show"][..], &["config", "export"], &["validate"], &["config", "get", "server.auth.secret"]]
    {
        let said = home.run(command);
        outputs.push((format!("{command:?}"), [said.stdout, said.stderr].concat().into_bytes()));
    }
    let mut shown = Vec::new();
    for secret in tokens.into_iter().map(Canary::of).chain([secret]) {
        shown.extend(outputs.iter().filter_map(|(place, bytes)| Some(format!("{place}: {}", secret.found_in(bytes)?))));
        shown.extend(secret.found_below(home.path(), std::slice::from_ref(&configuration)));
    }
    assert!(shown.is_empty(), "shown in {} places:\n{}", shown.len(), shown.join("\n"));
    let logs = std::fs::read_dir(home.data().join("logs")).expect("a folder of logs");
    let logged: u64 = logs.map(|entry| entry.expect("an entry").metadata().expect("a file").len()).sum();
    assert!(logged > 10_000, "only {logged} bytes were logged");
}
