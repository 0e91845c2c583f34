//! Many connections: idle, slow, and gone in the middle. None of them keeps another client out.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::time::Instant;

use super::socket::{Client, HANGS, Running};

/// Less than the ten seconds after which slow clients are given up.
const AT_ONCE: Duration = Duration::from_secs(5);

/// What a slow client sends, a byte at a time, and what it has sent before.
const SLOW: [(&str, &str); 3] = [
    ("", ""),
    ("", "GET /api/v1/prompts HTTP/1.1\r\nhost: localhost\r\n"),
    (
        "POST /api/v1/prompts/generate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n",
        "{\"input\": \"a\"",
    ),
];

#[tokio::test]
async fn two_thousand_idle_and_slow_connections_keep_no_client_out() {
    let server = Running::start(HANGS, "max_connections: 4").await;
    let mut slow: Vec<(Client, &str)> = Vec::new();
    for (before, rest) in SLOW.into_iter().cycle().take(2000) {
        let mut client = server.connect().await;
        client.0.write_all(before.as_bytes()).await.expect("sent");
        slow.push((client, rest));
    }
    let mut each_second = tokio::time::interval(Duration::from_secs(1));
    for second in 0..3 {
        each_second.tick().await;
        for (client, rest) in &mut slow {
            let byte = rest.as_bytes().get(second).map(std::slice::from_ref).unwrap_or_default();
            client.0.write_all(byte).await.expect("still open");
        }
        let begun = Instant::now();
        assert_eq!(server.ask("GET", "/api/v1/prompts", "").await.0, 200);
        assert_eq!(server.generate("go on").await.0, 200);
        assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
    }
}

#[tokio::test]
async fn a_client_may_keep_its_connection_among_many() {
    let server = Running::start(HANGS, "").await;
    let mut first = server.connect().await;
    for _ in 0..50 {
        let _idle = server.connect().await;
        first.send("GET", "/alive", "", "").await;
        assert!(first.answer().await.0.starts_with("HTTP/1.1 200"));
    }
}
