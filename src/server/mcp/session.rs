//! Wraps a transport where the library is stricter than its clients.
//!
//! Before the first request that opens a session, the library ends the service when anything but a request arrives. A
//! client may well send a notification there (cancelling its own discovery, say), so those are left out here. And the
//! end of input is told to the handlers: they may still finish and answer, but progress has nobody to go to.

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta, ProtocolVersion};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;

/// A transport with manners.
pub(super) struct Session<T> {
    inner: T,
    open: bool,
    input_ended: CancellationToken,
}

impl<T> Session<T> {
    /// Wraps `inner`; fires `input_ended` when nothing more will come.
    pub(super) fn new(inner: T, input_ended: CancellationToken) -> Self {
        Self { inner, open: false, input_ended }
    }

    /// True when the message may go on to the library.
    fn lets_through(&mut self, message: &ClientJsonRpcMessage) -> bool {
        match message {
            ClientJsonRpcMessage::Request(request) => {
                self.open |= opens_a_session(&request.request);
                true
            }
            _ => self.open,
        }
    }
}

/// True for `initialize`, and for a request that carries all a stateless one must.
fn opens_a_session(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::DiscoverRequest(_) | ClientRequest::PingRequest(_) => false,
        other => other.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty(),
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Session<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(message) = self.inner.receive().await else {
                self.input_ended.cancel();
                return None;
            };
            if self.lets_through(&message) {
                return Some(message);
            }
            tracing::debug!("a message before the first request was left out");
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
