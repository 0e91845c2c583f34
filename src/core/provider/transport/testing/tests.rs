//! The scripted server over a bare socket: it sends its script exactly and notices what clients do.

use std::io::ErrorKind;

use super::*;

const ASK: &[u8] = b"POST /v1/chat?x=1 HTTP/1.1\r\nHost: h\r\nX-Api-Key:  k \r\nContent-Length: 4\r\n\r\n[12]";

async fn connect(server: &ScriptedServer) -> TcpStream {
    TcpStream::connect(server.url().trim_start_matches("http://")).await.unwrap()
}

#[tokio::test]
async fn requests_of_one_connection_are_answered_in_order_and_the_last_script_stays() {
    let server = ScriptedServer::start([Script::whole(200, &[], "a"), Script::nothing().bytes("b").close()]).await;
    let mut client = connect(&server).await;
    client.write_all(ASK).await.unwrap();
    client.write_all(ASK).await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert_eq!(answer, "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab");
    let requests = server.requests();
    assert_eq!((requests.len(), server.connections()), (2, 1));
    assert_eq!((requests[1].method.as_str(), requests[1].path.as_str()), ("POST", "/v1/chat?x=1"));
    assert_eq!((requests[1].header("x-api-key"), requests[1].json()), (Some("k"), serde_json::json!([12])));
    let mut third = connect(&server).await;
    third.write_all(ASK).await.unwrap();
    assert_eq!(third.read_u8().await.unwrap(), b'b');
    assert_eq!(server.requests()[2].connection, 1);
}

#[tokio::test]
async fn a_stream_is_chunked_and_a_reset_is_no_orderly_end() {
    let server = ScriptedServer::start([Script::stream("text/event-stream").chunk("hello").end().reset()]).await;
    let mut client = connect(&server).await;
    client.write_all(ASK).await.unwrap();
    let mut answer = Vec::new();
    let error = client.read_to_end(&mut answer).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert!(answer.is_empty() || String::from_utf8(answer).unwrap().contains("\r\n\r\n5\r\nhello\r\n0\r\n\r\n"));
}

#[tokio::test]
async fn closing_is_seen_while_the_server_pauses_hangs_and_talks_without_end() {
    let scripts = [
        Script::nothing().pause(Duration::from_mins(1)),
        Script::nothing().hang(),
        Script::stream("text/plain").endless("x".repeat(1000)),
    ];
    let server = ScriptedServer::start(scripts).await;
    for number in 0..3 {
        let mut client = connect(&server).await;
        client.write_all(ASK).await.unwrap();
        assert!(server.until_asked(number + 1).await);
        drop(client);
        assert!(server.until_closed(number).await, "{number}");
    }
}
