//! Puts a question to the user of a client, as an elicitation.
//!
//! In 2025-11-25 it is a request of the server's own. In 2026-07-28 it is the answer to the client's
//! request, which the client then makes again with the user's reply.
#![cfg_attr(not(feature = "conformance-fixtures"), expect(unreachable_pub, reason = "public for the fixtures alone"))]

use std::collections::BTreeMap;

use aludel_core::error::{Error, Result};
use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ElicitRequest, ElicitRequestParams, ElicitResult, InputRequest, InputRequiredResult,
    InputResponses, ProtocolVersion,
};
use rmcp::service::RequestContext;

/// What comes of a question.
#[derive(Debug)]
pub enum Elicitation {
    /// The user's reply.
    Reply(ElicitResult),
    /// The client has to ask its user, and then make its request again.
    Required(InputRequiredResult),
    /// The client cannot ask its user.
    Unable,
}

/// Asks the user of the client that sent this request.
///
/// `replies` came with the request, and has the user's under `name` if the client was told to ask
/// before.
///
/// # Errors
/// `cancelled`.
pub async fn ask(
    context: &RequestContext<RoleServer>,
    replies: &InputResponses,
    name: &str,
    question: ElicitRequestParams,
) -> Result<Elicitation> {
    if !context.client_capabilities().is_some_and(|client| can_ask(&client)) {
        return Ok(Elicitation::Unable);
    }
    if is_stateless(context) {
        return Ok(match reply_in(replies, name) {
            Some(reply) => Elicitation::Reply(reply),
            None => Elicitation::Required(required(name, question)),
        });
    }
    tokio::select! {
        () = context.ct.cancelled() => Err(Error::Cancelled),
        // A client may be unable to ask after all.
        reply = context.peer.create_elicitation(question) => Ok(reply.map_or(Elicitation::Unable, Elicitation::Reply)),
    }
}

/// True for a client that can show its user a form. One that names no kind can (2025-11-25,
/// "Elicitation", capabilities).
fn can_ask(client: &ClientCapabilities) -> bool {
    client.elicitation.as_ref().is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

/// True for 2026-07-28, in which a server sends no requests.
fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

fn required(name: &str, question: ElicitRequestParams) -> InputRequiredResult {
    let request = InputRequest::Elicitation(ElicitRequest::new(question));
    InputRequiredResult::from_input_requests(BTreeMap::from([(name.to_owned(), request)]))
}

fn reply_in(replies: &InputResponses, name: &str) -> Option<ElicitResult> {
    serde_json::from_value(replies.get(name)?.clone()).ok()
}
