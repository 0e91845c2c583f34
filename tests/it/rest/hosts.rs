//! Which requests a server accepts, written to its socket verbatim: every form of a `Host`, and
//! heads that are too large.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::socket::{HANGS, Running};

/// The status of the response to these bytes, and the rest of it.
async fn answer(server: &Running, head: &str) -> (u16, String) {
    let mut client = server.connect().await;
    // A server that has already refused may have closed.
    let _ = client.0.write_all(head.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = client.0.read_to_end(&mut answer).await;
    let answer = String::from_utf8(answer).expect("UTF-8");
    let status = answer.split(' ').nth(1).unwrap_or_else(|| panic!("no status: {answer:?}"));
    (status.parse().expect("a number"), answer)
}

/// The status of a request with this first line and these headers.
async fn status(server: &Running, first: &str, headers: &[&str]) -> u16 {
    let headers: String = headers.iter().flat_map(|header| [*header, "\r\n"]).collect();
    answer(server, &format!("{first}\r\n{headers}Connection: close\r\n\r\n")).await.0
}

const LIST: &str = "GET /api/v1/prompts HTTP/1.1";

#[tokio::test]
async fn a_host_is_known_in_every_form_and_any_other_is_refused() {
    let server = Running::start(HANGS, "allowed_hosts: [prompts.example, 'proxy.example:9000', 'fd00::7']").await;
    for host in [
        "localhost",
        "LOCALHOST:8080",
        "localhost.",
        "127.0.0.1:1",
        "[::1]",
        "[0:0:0:0:0:0:0:1]:80",
        "Prompts.Example.:80",
        "proxy.example:9000",
        "[fd00::7]:8080",
        "   localhost   ",
    ] {
        assert_eq!(status(&server, LIST, &[&format!("Host: {host}")]).await, 200, "{host}");
    }
    for host in [
        "evil.example",
        "",
        "localhost.evil.example",
        "evil.example:8080",
        "localhost@evil.example",
        "127.0.0.2",
        "0.0.0.0",
        "2130706433",
        "::1",
        "[::1]evil",
        "localhost:x",
        "proxy.example",
        "localhost evil.example",
        "localhost,evil.example",
    ] {
        assert_eq!(status(&server, LIST, &[&format!("Host: {host}")]).await, 403, "{host}");
    }
}

#[tokio::test]
async fn a_host_is_there_once_and_a_target_with_a_host_counts_too() {
    let server = Running::start(HANGS, "").await;
    let (local, evil) = ("Host: localhost", "Host: evil.example");
    assert_eq!(status(&server, LIST, &[]).await, 400);
    assert_eq!(status(&server, LIST, &[local, local]).await, 400);
    assert_eq!(status(&server, LIST, &[local, evil]).await, 400);
    assert_eq!(status(&server, "GET /api/v1/prompts HTTP/1.0", &[]).await, 403);
    assert_eq!(status(&server, "GET /api/v1/prompts HTTP/1.0", &[local]).await, 200);
    assert_eq!(status(&server, "GET /api/v1/prompts HTTP/1.0", &[evil]).await, 403);
    assert_eq!(status(&server, "GET http://evil.example/api/v1/prompts HTTP/1.1", &[local]).await, 403);
    assert_eq!(status(&server, "GET http://localhost/api/v1/prompts HTTP/1.1", &[evil]).await, 403);
    assert_eq!(status(&server, "GET http://localhost:99/api/v1/prompts HTTP/1.1", &[local]).await, 200);
    assert_eq!(status(&server, "CONNECT evil.example:80 HTTP/1.1", &[local]).await, 403);
}

#[tokio::test]
async fn a_probe_is_answered_whatever_it_calls_the_server() {
    let server = Running::start(HANGS, "").await;
    for path in ["/alive", "/ready", "/health"] {
        for host in ["Host: 10.0.0.7:8080", "Host: pod-7.cluster", "Host: "] {
            assert_eq!(status(&server, &format!("GET {path} HTTP/1.1"), &[host]).await, 200, "{path} {host}");
        }
        assert_eq!(status(&server, &format!("GET {path} HTTP/1.0"), &[]).await, 200, "{path}");
    }
    for path in ["/health/", "//health", "/health/../api/v1/prompts", "/api/v1/prompts?x=/health"] {
        assert_eq!(status(&server, &format!("GET {path} HTTP/1.1"), &["Host: evil.example"]).await, 403, "{path}");
    }
}

#[tokio::test]
async fn pages_of_other_sites_are_refused_at_the_socket_too() {
    let server = Running::start(HANGS, "allowed_hosts: [prompts.example]").await;
    let host = "Host: localhost:8080";
    for (origin, expected) in [
        ("Origin: http://localhost:8080", 200),
        ("Origin: https://prompts.example", 200),
        ("Origin: http://evil.example", 403),
        ("Origin: http://localhost:3000", 403),
        ("Origin: null", 403),
        ("Sec-Fetch-Site: cross-site", 403),
    ] {
        assert_eq!(status(&server, LIST, &[host, origin]).await, expected, "{origin}");
    }
    let both = [host, "Origin: http://localhost:8080", "Origin: http://evil.example"];
    assert_eq!(status(&server, LIST, &both).await, 403);
}

#[tokio::test]
async fn heads_that_are_too_large_are_refused_and_the_server_goes_on() {
    let server = Running::start(HANGS, "").await;
    let parameters = "a=b&".repeat(100_000);
    let refused = status(&server, &format!("GET /api/v1/prompts?{parameters} HTTP/1.1"), &["Host: localhost"]).await;
    assert!([414, 431].contains(&refused), "{refused}");
    let large = format!("X-Large: {}", "x".repeat(1_000_000));
    assert_eq!(status(&server, LIST, &["Host: localhost", &large]).await, 431);
    let many: Vec<String> = (0..1000).map(|number| format!("X-{number}: 1")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).chain(["Host: localhost"]).collect();
    assert_eq!(status(&server, LIST, &many).await, 431);
    assert_eq!(status(&server, LIST, &["Host: localhost"]).await, 200);
}
