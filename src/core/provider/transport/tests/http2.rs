//! HTTP/2, as vendors offer: all calls share a connection, and cancelling one leaves the others.

use futures_util::future::join_all;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::super::testing::Identity;
use super::*;

/// What the server has seen.
#[derive(Default)]
struct ServerLog {
    /// Connections with a request; those that lost the race to be first have none.
    connections: usize,
    /// The key of each request.
    keys: Vec<Option<String>>,
    under_way: usize,
    most_under_way: usize,
    cancelled: usize,
}

/// A server that speaks only HTTP/2. Each answer begins at once and ends after `end_at` requests.
struct Server {
    settings: ProviderSettings,
    seen: Arc<watch::Sender<ServerLog>>,
    _folder: tempfile::TempDir,
}

impl Server {
    async fn start(end_at: usize) -> Self {
        let identity = Identity::speaking(&["h2"]);
        let folder = tempfile::tempdir().unwrap();
        let ca_file = folder.path().join("ca.pem");
        std::fs::write(&ca_file, &identity.certificate).unwrap();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let seen = Arc::new(watch::Sender::new(ServerLog::default()));
        let log = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                if let Ok(socket) = identity.acceptor.accept(socket).await {
                    tokio::spawn(serve(socket, Arc::clone(&log), end_at));
                }
            }
        });
        Self { settings: ProviderSettings { ca_file: Some(ca_file), ..settings(&url) }, seen, _folder: folder }
    }

    async fn until(&self, reached: impl FnMut(&ServerLog) -> bool) {
        let mut seen = self.seen.subscribe();
        let waited = tokio::time::timeout(Duration::from_secs(10), seen.wait_for(reached)).await;
        assert!(waited.is_ok_and(|seen| seen.is_ok()));
    }
}

async fn serve(
    socket: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    log: Arc<watch::Sender<ServerLog>>,
    end_at: usize,
) {
    let Ok(mut connection) = h2::server::handshake(socket).await else { return };
    let mut is_first = true;
    while let Some(Ok((asked, mut respond))) = connection.accept().await {
        log.send_modify(|seen| seen.connections += usize::from(std::mem::take(&mut is_first)));
        let log = Arc::clone(&log);
        tokio::spawn(async move {
            let key = asked.headers().get("authorization").map(|key| key.to_str().unwrap().to_owned());
            let mut all = log.subscribe();
            log.send_modify(|seen| {
                seen.keys.push(key);
                seen.under_way += 1;
                seen.most_under_way = seen.most_under_way.max(seen.under_way);
            });
            let head = http::Response::builder().header("content-type", "text/event-stream").body(()).unwrap();
            let mut body = respond.send_response(head, false).unwrap();
            body.send_data("data: text hel\n\n".into(), false).unwrap();
            // The awaited value holds a lock until dropped.
            let all = async { drop(all.wait_for(|seen| seen.keys.len() >= end_at).await) };
            tokio::select! {
                () = all => {
                    body.send_data("data: text lo\n\ndata: end\n\n".into(), true).unwrap();
                    log.send_modify(|seen| seen.under_way -= 1);
                }
                _ = std::future::poll_fn(|context| body.poll_reset(context)) => {
                    log.send_modify(|seen| (seen.under_way, seen.cancelled) = (seen.under_way - 1, seen.cancelled + 1));
                }
            }
        });
    }
}

#[tokio::test]
async fn calls_side_by_side_share_one_connection() {
    let server = Server::start(24).await;
    let transport = transport(&server.settings, Plain::default());
    let answers = join_all((0..24).map(|number| complete(&transport, request(number)))).await;
    assert!(answers.iter().all(|answer| answer.as_ref().is_ok_and(|(text, _)| text == "hello")), "{answers:?}");
    let seen = server.seen.borrow();
    assert_eq!((seen.connections, seen.most_under_way, seen.cancelled), (1, 24, 0));
    assert!(seen.keys.iter().all(|key| key.as_deref() == Some(&format!("Bearer {CANARY}"))));
}

#[tokio::test]
async fn a_cancelled_call_ends_at_once_and_leaves_the_others_alone() {
    let server = Server::start(3).await;
    let transport = transport(&server.settings, Plain::default());
    let mut cancelled = transport.stream(request(0));
    assert_eq!(cancelled.next().await.unwrap().unwrap(), Chunk::Text("hel".into()));
    let mut kept = transport.stream(request(1));
    assert_eq!(kept.next().await.unwrap().unwrap(), Chunk::Text("hel".into()));
    drop(cancelled);
    server.until(|seen| seen.cancelled == 1).await;
    assert_eq!(complete(&transport, request(2)).await.unwrap().0, "hello");
    assert_eq!(kept.next().await.unwrap().unwrap(), Chunk::Text("lo".into()));
    assert_eq!(server.seen.borrow().connections, 1);
}
