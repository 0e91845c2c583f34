//! What goes out: addresses, headers, keys, redirects, certificates.

use std::collections::BTreeSet;

use super::*;
use crate::provider::settings::KeyCommand;
use crate::provider::wire::Auth;

#[tokio::test]
async fn a_call_goes_to_the_base_url_with_its_headers_and_its_body() {
    let server = ScriptedServer::start([hello()]).await;
    for base in [format!("{}/v1", server.url()), format!("{}/v1/", server.url())] {
        complete(&transport(&settings(&base), Plain::default()), request(0)).await.unwrap();
    }
    for request in server.requests() {
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/say?x=1"));
        assert_eq!(request.header("content-type"), Some("application/json"));
        assert_eq!(request.header("accept"), Some("text/event-stream"));
        assert_eq!(request.header("x-version"), Some("1"));
        assert_eq!(request.header("accept-encoding"), None);
        assert!(request.header("user-agent").unwrap().starts_with("aludel/"));
        assert_eq!(request.json(), json!({"model": "small", "last": "find prime numbers"}));
    }
}

#[tokio::test]
async fn the_key_is_in_the_codecs_header_and_nowhere_else() {
    for (auth, name, value) in [
        (Auth::Bearer, "authorization", format!("Bearer {CANARY}")),
        (Auth::Header("X-Key"), "x-key", CANARY.to_owned()),
    ] {
        let server = ScriptedServer::start([hello()]).await;
        let wire = Plain { auth, ..Plain::default() };
        complete(&transport(&settings(server.url()), wire), request(0)).await.unwrap();
        let mut asked = server.requests().remove(0);
        assert_eq!(asked.header(name), Some(value.as_str()));
        asked.headers.retain(|(known, _)| known != name);
        assert!(!format!("{asked:?} {}", String::from_utf8_lossy(&asked.body)).contains("canary"), "{asked:?}");
    }
    let server = ScriptedServer::start([hello()]).await;
    let keyless = ProviderSettings { key: KeySource::None, ..settings(server.url()) };
    complete(&transport(&keyless, Plain::default()), request(0)).await.unwrap();
    assert_eq!(server.requests()[0].header("authorization"), None);
}

#[tokio::test]
async fn no_log_shows_a_key_or_a_path() {
    let log = tempfile::NamedTempFile::new().unwrap();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(Arc::new(log.reopen().unwrap()))
        .finish();
    // With a single subscriber, the first thread without one to reach a log line disables that line
    // for all threads; with two, all are consulted.
    let _second = tracing::Dispatch::new(tracing_subscriber::registry());
    let _guard = tracing::subscriber::set_default(subscriber);
    let server = ScriptedServer::start([hello(), Script::json(401, &json!({"error": CANARY}))]).await;
    let mut own = settings(server.url());
    own.headers.insert("x-secret".into(), Secret::from("canary-in-a-header"));
    let transport = transport(&own, Plain::default());
    assert!(complete(&transport, request(0)).await.is_ok());
    assert!(complete(&transport, request(0)).await.is_err());
    let log = std::fs::read_to_string(log.path()).unwrap();
    assert!(log.contains("answered") && log.contains(server.url()) && log.contains("status=401"), "{log}");
    assert!(!log.contains("canary") && !log.contains("/say"), "{log}");
}

#[tokio::test]
async fn the_users_own_headers_win() {
    let server = ScriptedServer::start([hello()]).await;
    let mut own = settings(server.url());
    for (name, value) in [("Authorization", "Basic abc"), ("x-team", "mine"), ("Accept", "text/plain"), ("X-New", "1")]
    {
        own.headers.insert(name.to_owned(), Secret::from(value));
    }
    complete(&transport(&own, Plain::default()), request(0)).await.unwrap();
    let asked = &server.requests()[0];
    for (name, value) in [("authorization", "Basic abc"), ("x-team", "mine"), ("accept", "text/plain"), ("x-new", "1")]
    {
        let all: Vec<&str> =
            asked.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect();
        assert_eq!(all, [value], "{name}");
    }
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_told_without_its_value() {
    for (name, value) in [("not a name", "canary"), ("x-fine", "canary\u{7}")] {
        let mut own = settings("http://127.0.0.1:1");
        own.headers.insert(name.to_owned(), Secret::from(value));
        let error = link(&own, Plain::default()).err().unwrap();
        assert_eq!(error.faults()[0].field, format!("providers.acme.headers.{name}"));
        assert!(!error.to_string().contains("canary"), "{error}");
    }
    let odd = ProviderSettings { key: KeySource::Given(Secret::from("canary\u{7}")), ..settings("http://127.0.0.1:1") };
    let error = complete(&transport(&odd, Plain::default()), request(0)).await.unwrap_err();
    assert_eq!(error.failure, ProviderFailure::Auth);
    assert_clean(&error);
}

#[tokio::test]
async fn lines_are_asked_for_and_read_whatever_they_are_called() {
    for content_type in ["application/x-ndjson", "application/json; charset=utf-8", "text/plain"] {
        let lines = Script::stream(content_type).chunk("text a\r\ntext b\nend\n").end();
        let server = ScriptedServer::start([lines]).await;
        let wire = Plain { framing: Framing::Lines, ..Plain::default() };
        let (text, _) = complete(&transport(&settings(server.url()), wire), request(0)).await.unwrap();
        assert_eq!((text.as_str(), server.requests()[0].header("accept")), ("ab", Some("application/x-ndjson")));
    }
}

#[tokio::test]
async fn a_redirect_on_the_same_host_is_followed_with_method_key_and_body() {
    for status in [301, 302, 307, 308] {
        let moved = Script::whole(status, &[("location", "/v2/say")], "");
        let server = ScriptedServer::start([moved, hello()]).await;
        complete(&to(&server), request(0)).await.unwrap();
        let requests = server.requests();
        assert_eq!((requests[1].method.as_str(), requests[1].path.as_str()), ("POST", "/v2/say"));
        assert_eq!(requests[1].body, requests[0].body);
        assert_eq!(requests[1].header("authorization"), requests[0].header("authorization"));
    }
}

#[tokio::test]
async fn a_redirect_to_another_host_is_not_followed() {
    let other = ScriptedServer::start([hello()]).await;
    let target = format!("{}/say?canary=1", other.url());
    for status in [301, 302, 303, 307, 308] {
        let error = failure(Script::whole(status, &[("location", &target)], "")).await;
        assert_eq!((error.failure, error.upstream_status), (ProviderFailure::Unavailable, Some(status)));
        let told = error.message;
        assert!(told.contains("another host") && told.contains("the key was not sent there"), "{told}");
        assert!(told.contains(other.url()) && told.contains("`providers.acme.base_url`"), "{told}");
    }
    assert_eq!((other.requests().len(), other.connections()), (0, 0));
}

#[tokio::test]
async fn redirects_end() {
    let server = ScriptedServer::start([Script::whole(307, &[("location", "/again")], "")]).await;
    let error = complete(&to(&server), request(0)).await.unwrap_err();
    assert!(error.message.contains("more than 3 times"), "{error}");
    assert_eq!(server.requests().len(), 4);
    let nowhere = failure(Script::whole(307, &[], "moved")).await;
    assert_eq!(nowhere.upstream_status, Some(307));
}

#[tokio::test]
async fn a_certificate_is_trusted_when_its_root_is_named() {
    let server = ScriptedServer::start_tls([hello()]).await;
    let mut over_tls = settings(server.url());
    let error = complete(&transport(&over_tls, Plain::default()), request(0)).await.unwrap_err();
    assert_eq!(error.failure, ProviderFailure::Unavailable);
    assert!(error.never_sent && error.message.contains("`providers.acme.ca_file`"), "{error}");
    assert!(error.message.contains("certificate") && server.requests().is_empty());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ca.pem");
    std::fs::write(&path, server.certificate()).unwrap();
    over_tls.ca_file = Some(path.clone());
    assert_eq!(complete(&transport(&over_tls, Plain::default()), request(0)).await.unwrap().0, "hello");
    std::fs::write(&path, "nonsense").unwrap();
    let error = link(&over_tls, Plain::default()).err().unwrap();
    assert_eq!(error.code(), crate::error::Code::File);
}

#[tokio::test]
async fn a_key_from_a_command_is_asked_for_again_after_a_refusal() {
    let folder = tempfile::tempdir().unwrap();
    let count = folder.path().join("count");
    let command = format!("echo x >> {0}; echo key-number-$(wc -l < {0} | tr -d ' ')", count.display());
    let server = ScriptedServer::start([hello(), Script::json(401, &json!({})), hello()]).await;
    let commanded = ProviderSettings {
        key: KeySource::Command(KeyCommand { line: command, withheld: BTreeSet::new() }),
        ..settings(server.url())
    };
    let transport = transport(&commanded, Plain::default());
    for is_accepted in [true, false, true] {
        assert_eq!(complete(&transport, request(0)).await.is_ok(), is_accepted);
    }
    let keys: Vec<_> =
        server.requests().iter().map(|asked| asked.header("authorization").unwrap().to_owned()).collect();
    assert_eq!(keys, ["Bearer key-number-1", "Bearer key-number-1", "Bearer key-number-2"]);
}

#[test]
fn without_a_call_there_is_no_client() {
    let clients = Arc::new(Clients::new());
    let settings = settings("https://api.example.com/v1");
    let made = ProviderClient::new(&settings, Arc::new(Plain::default()), Arc::clone(&clients), Arc::new(SystemClock));
    assert!(made.is_ok());
    assert!(clients.is_empty());
}
