//! Bodies over a socket: slow, too large, still being sent when the response is known.

use std::time::Duration;

use tokio::io::AsyncWriteExt;

use super::socket::{Client, GENERATE, HANGS, Running};

const MIB: usize = 1024 * 1024;

/// The head of a request with a body to follow.
fn head(path: &str, headers: &[&str]) -> String {
    let headers: String = headers.iter().flat_map(|header| [*header, "\r\n"]).collect();
    format!("POST {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n")
}

const JSON: &str = "Content-Type: application/json";
const EXPECTS: &str = "Expect: 100-continue";

/// Sends everything before it reads, as simple clients do; returns the response.
async fn send_then_read(server: &Running, head: &str, body: &[u8]) -> (u16, String, Client) {
    let mut client = server.connect().await;
    client.0.write_all(head.as_bytes()).await.expect("sent");
    for piece in body.chunks(MIB / 4) {
        client.0.write_all(piece).await.expect("the server takes what is sent");
    }
    let (head, body) = client.answer().await;
    (head.split(' ').nth(1).expect("a status").parse().expect("a number"), body, client)
}

fn chunked(size: usize) -> Vec<u8> {
    let piece = [b"10000\r\n".as_slice(), &vec![b' '; 0x10000], b"\r\n"].concat();
    let mut body = piece.repeat(size / 0x10000);
    body.extend_from_slice(b"0\r\n\r\n");
    body
}

#[tokio::test]
async fn bodies_that_do_not_come_take_no_place() {
    let server = Running::start(HANGS, "max_connections: 1").await;
    let mut waiting = Vec::new();
    for _ in 0..20 {
        let mut client = server.connect().await;
        let head = head(GENERATE, &[JSON, "Content-Length: 100", EXPECTS]);
        client.0.write_all(head.as_bytes()).await.expect("sent");
        // The server asks for the body, so it waits for it now.
        assert!(client.until_blank_line().await.starts_with("HTTP/1.1 100 "));
        waiting.push(client);
    }
    assert_eq!(server.ask("GET", "/api/v1/providers", "").await.0, 200);
    assert_eq!(server.generate("go on").await.0, 200);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_stops_is_not_waited_for() {
    let server = Running::start(HANGS, "").await;
    let mut client = server.connect().await;
    client.0.write_all(head(GENERATE, &[JSON, "Content-Length: 100"]).as_bytes()).await.expect("sent");
    client.0.write_all(b"{").await.expect("sent");
    let begun = tokio::time::Instant::now();
    let (status, body) = client.rest().await;
    assert_eq!(status, 400);
    assert!(body.contains("too slowly") && body.contains("invalid_request"), "{body}");
    assert!(begun.elapsed() >= Duration::from_secs(10) && begun.elapsed() < Duration::from_secs(12));
}

#[tokio::test]
async fn a_body_that_is_too_large_is_told_so_to_a_client_that_is_still_sending() {
    let server = Running::start(HANGS, "").await;
    let announced = head(GENERATE, &[JSON, &format!("Content-Length: {}", 16 * MIB)]);
    let (status, body, mut client) = send_then_read(&server, &announced, &vec![b' '; 16 * MIB]).await;
    assert!(status == 413 && body.contains("payload_too_large") && body.contains("4 MiB"), "{status} {body}");
    client.0.write_all(b"GET /alive HTTP/1.1\r\nHost: localhost\r\n\r\n").await.expect("the connection is still good");
    assert!(client.answer().await.0.starts_with("HTTP/1.1 200 "));
    let unannounced = head(GENERATE, &[JSON, "Transfer-Encoding: chunked"]);
    let (status, ..) = send_then_read(&server, &unannounced, &chunked(16 * MIB)).await;
    assert_eq!(status, 413);
}

#[tokio::test]
async fn a_client_that_asks_first_is_told_before_it_sends() {
    let server = Running::start(HANGS, "").await;
    let mut client = server.connect().await;
    let announced = head(GENERATE, &[JSON, &format!("Content-Length: {}", 16 * MIB), EXPECTS]);
    client.0.write_all(announced.as_bytes()).await.expect("sent");
    assert!(client.answer().await.0.starts_with("HTTP/1.1 413 "));
    let mut client = server.connect().await;
    let unannounced = head(GENERATE, &[JSON, "Transfer-Encoding: chunked", EXPECTS]);
    client.0.write_all(unannounced.as_bytes()).await.expect("sent");
    assert!(client.until_blank_line().await.starts_with("HTTP/1.1 100 "));
    client.0.write_all(&chunked(16 * MIB)).await.expect("the server takes what is sent");
    assert!(client.answer().await.0.starts_with("HTTP/1.1 413 "));
}

#[tokio::test]
async fn whatever_is_refused_is_told_to_a_client_that_is_still_sending() {
    let server = Running::start(HANGS, "").await;
    let length = format!("Content-Length: {}", 16 * MIB);
    for (path, headers, expected) in [
        ("/nothing", &[JSON][..], 404),
        ("/api/v1/providers", &[JSON], 405),
        (GENERATE, &["Content-Type: text/plain"], 415),
        (GENERATE, &[JSON, "Origin: http://evil.example"], 403),
        ("/alive", &[JSON], 405),
    ] {
        let headers: Vec<&str> = headers.iter().copied().chain([length.as_str()]).collect();
        let (status, ..) = send_then_read(&server, &head(path, &headers), &vec![b' '; 16 * MIB]).await;
        assert_eq!(status, expected, "{path} {headers:?}");
    }
}

#[tokio::test]
async fn a_server_that_stops_does_not_wait_for_bodies() {
    let server = Running::start(HANGS, "shutdown_grace_s: 3600").await;
    let mut client = server.connect().await;
    client.0.write_all(head(GENERATE, &[JSON, "Content-Length: 100", EXPECTS]).as_bytes()).await.expect("sent");
    assert!(client.until_blank_line().await.starts_with("HTTP/1.1 100 "));
    server.stop.gracefully();
    assert!(client.answer().await.0.starts_with("HTTP/1.1 503 "));
    server.task.await.expect("the server ends");
}
