//! The library's service for streamable HTTP, whatever handler answers in its sessions.

use std::sync::Arc;

use aludel_core::domain::limits;
use async_trait::async_trait;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::sessions::Sessions;

/// Serves requests that were checked.
#[async_trait]
pub(super) trait Library: Send + Sync {
    /// The answer to a request. Its body goes on as long as the stream does.
    async fn answer(&self, request: Request) -> Response;
}

#[async_trait]
impl<S: ServerHandler> Library for StreamableHttpService<S, Sessions> {
    async fn answer(&self, request: Request) -> Response {
        self.handle(request).await.map(Body::new)
    }
}

/// The service whose handlers `session` makes: one for each session, and one for each request
/// without. Its streams end when `halting` fires.
pub(super) fn new<S: ServerHandler>(
    session: impl Fn() -> S + Send + Sync + 'static,
    sessions: Arc<Sessions>,
    halting: CancellationToken,
) -> Box<dyn Library> {
    let mut config = StreamableHttpServerConfig::default()
        // The guard has checked it.
        .disable_allowed_hosts()
        .with_max_request_body_bytes(limits::BODY_BYTES)
        .with_cancellation_token(halting)
        // Streams that can be resumed say so themselves.
        .with_sse_retry(None);
    config.legacy_session_mode = true;
    Box::new(StreamableHttpService::new(move || Ok(session()), sessions, config))
}
