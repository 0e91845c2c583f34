//! How invalid answers are reported: statuses, garbage, silence, cuts.

use tokio::io::AsyncWriteExt;

use super::*;

#[tokio::test]
async fn a_status_that_is_no_success_goes_to_the_codec_with_headers_and_body() {
    let error = failure(Script::whole(429, &[("Retry-After", "7")], "slow down")).await;
    assert_eq!((error.failure, error.upstream_status), (ProviderFailure::RateLimited, Some(429)));
    assert_eq!(error.retry_after, Some(Duration::from_secs(7)));
    assert!(error.message.contains("9 bytes for small: slow down"), "{error}");
}

#[tokio::test]
async fn a_provider_that_quotes_the_key_is_masked() {
    let error = failure(Script::whole(401, &[], format!("wrong key {CANARY}"))).await;
    assert_eq!(error.failure, ProviderFailure::Auth);
    assert!(error.message.contains("wrong key ***"), "{error}");
}

#[tokio::test]
async fn a_long_refusal_is_cut_and_a_broken_one_taken_as_far_as_it_came() {
    let long = failure(Script::whole(500, &[], "x".repeat(200_000))).await;
    assert!(long.message.starts_with("65536 bytes"), "{long}");
    let cut = failure(Script::head(502, &[("content-length", "100")]).bytes("<html>").close()).await;
    assert!(cut.message.starts_with("6 bytes") && cut.upstream_status == Some(502), "{cut}");
}

#[tokio::test]
async fn json_where_a_stream_was_asked_for_is_a_failure() {
    let error = failure(Script::json(200, &json!({"error": {"message": "no credit"}}))).await;
    assert!(error.message.contains("no credit") && error.upstream_status == Some(200), "{error}");
    for body in [json!({"text": "a whole answer"}), json!({"error": null}), json!([])] {
        let error = failure(Script::json(200, &body)).await;
        assert!(error.message.contains("a whole answer where a stream was asked for"), "{error}");
        assert!(error.message.contains("`base_url`"));
    }
    let page = failure(Script::whole(200, &[("content-type", "text/html; charset=utf-8")], "<p>")).await;
    assert!(page.message.contains("a web page"), "{page}");
}

#[tokio::test]
async fn errors_within_a_stream_end_it_after_the_text_before_them() {
    let server = ScriptedServer::start([Script::events(["text before", &format!("error {CANARY}"), "end"])]).await;
    let mut stream = to(&server).stream(request(0));
    assert_eq!(stream.next().await.unwrap().unwrap(), Chunk::Text("before".into()));
    let error = stream.next().await.unwrap().unwrap_err();
    assert!(error.message.contains("it said error ***"), "{error}");
    assert_clean(&error);
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn a_stream_that_ends_without_its_end_is_no_answer() {
    let error = failure(Script::events(["text half"])).await;
    assert_eq!(error.failure, ProviderFailure::Unavailable);
    assert!(error.message.contains("ended before it was complete"), "{error}");
    let unfinished = Script::stream("text/event-stream").chunk("data: text a\n\ndata: end").end();
    let server = ScriptedServer::start([unfinished]).await;
    assert_eq!(complete(&to(&server), request(0)).await.unwrap().0, "a", "a last event may lack its blank line");
}

#[tokio::test]
async fn bytes_that_are_no_stream_are_garbage() {
    let error = failure(Script::stream("text/event-stream").chunk(b"data: text \xff\xfe\n\n").end()).await;
    assert_eq!(error.failure, ProviderFailure::Unavailable);
    assert!(error.message.contains("no stream") && error.message.contains("UTF-8"), "{error}");
}

#[tokio::test]
async fn an_answer_that_is_no_http_says_so() {
    let error = failure(Script::nothing().bytes("SSH-2.0-OpenSSH_9.2\r\n\r\n").close()).await;
    assert_eq!(error.failure, ProviderFailure::Unavailable);
    assert!(error.message.contains("other than HTTP") && error.message.contains("base_url"), "{error}");
}

#[tokio::test]
async fn a_connection_that_ends_before_the_first_byte_says_so() {
    for script in [Script::nothing().close(), Script::nothing().reset()] {
        let error = failure(script).await;
        assert_eq!((error.failure, error.never_sent), (ProviderFailure::Unavailable, false));
        assert!(error.message.contains("closed the connection before it answered"), "{error}");
    }
}

#[tokio::test]
async fn a_refused_connection_and_a_name_that_does_not_resolve_are_told_apart() {
    let refused =
        complete(&transport(&settings(&refusing_url().await), Plain::default()), request(0)).await.unwrap_err();
    assert_eq!((refused.failure, refused.never_sent), (ProviderFailure::Unavailable, true));
    assert!(refused.message.contains("refused the connection") && refused.message.contains("base_url"), "{refused}");
    assert_clean(&refused);
    let nameless = settings("http://no-such-host.invalid/canary");
    let unresolved = complete(&transport(&nameless, Plain::default()), request(0)).await.unwrap_err();
    assert!(unresolved.never_sent && unresolved.message.contains("cannot be resolved"), "{unresolved}");
    assert_clean(&unresolved);
}

#[tokio::test]
async fn plain_http_where_tls_was_asked_for_says_so() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let plain = settings(&format!("https://{}", listener.local_addr().unwrap()));
    let transport = transport(&plain, Plain::default());
    let server = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        socket
    };
    let (answer, _socket) = tokio::join!(complete(&transport, request(0)), server);
    let error = answer.unwrap_err();
    assert!(error.never_sent && error.message.contains("no TLS"), "{error}");
    assert!(error.message.contains("write http://"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_does_not_come_about_is_a_timeout() {
    // A server that never answers the TLS handshake counts as not answering.
    let server = ScriptedServer::start([hello()]).await;
    let silent = settings(&server.url().replace("http://", "https://"));
    let error = complete(&transport(&silent, Plain::default()), request(0)).await.unwrap_err();
    assert_eq!((error.failure, error.never_sent), (ProviderFailure::Timeout, true));
    assert!(error.message.contains("within 10 s") && error.message.contains("base_url"), "{error}");
    assert_clean(&error);
}

#[tokio::test]
async fn a_flood_of_bytes_is_stopped() {
    let comment = format!(": {}\n\n", "x".repeat(1_000_000));
    let error = failure(Script::stream("text/event-stream").endless(comment)).await;
    assert_eq!(error.failure, ProviderFailure::Unavailable);
    assert!(error.message.contains("64 MiB"), "{error}");
}

#[tokio::test]
async fn a_list_that_comes_too_slowly_is_given_up() {
    let server = ScriptedServer::start([Script::head(200, &[("content-length", "9")]).bytes("{").hang()]).await;
    let patience = Timeouts { silence: Duration::from_millis(80), ..Timeouts::default() };
    let nameless = ProviderSettings { model: None, patience, ..settings(server.url()) };
    let error = complete(&transport(&nameless, Plain::default()), request(0)).await.unwrap_err();
    assert_eq!(error.failure, ProviderFailure::Timeout);
    assert!(server.until_closed(0).await);
    assert_clean(&error);
}

#[tokio::test]
async fn a_list_of_models_without_an_end_is_not_read_to_it() {
    let long = json!({"models": ["x".repeat(5 * 1024 * 1024)]});
    let server = ScriptedServer::start([Script::json(200, &long)]).await;
    let link = link(&settings(server.url()), Plain::default()).unwrap();
    let error = link.listing(Timeouts::default()).await.unwrap_err();
    assert_eq!(error.failure, ProviderFailure::Unavailable);
    assert!(error.message.contains("exceeded 4 MiB"), "{error}");
}
