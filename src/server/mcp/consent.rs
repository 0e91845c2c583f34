//! Asks the user before a run that may cost more than `spend.preflight_usd`.
//!
//! The question goes to the client as an elicitation, where it declared that it can put one to its
//! user: as a request of its own in 2025-11-25, as the answer to the call in 2026-07-28, which the
//! client then makes again with the user's reply. Accepting sets the run's budget to the amount that
//! was named. That amount is part of the question's name, so that a reply counts for no other.
//! Elsewhere the run is refused, and the refusal says that `budget_usd` is the consent.

use std::collections::BTreeMap;

use aludel_core::engine::{Engine, Estimate, Preflight, Prepared};
use aludel_core::error::{Code, Error};
use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequiredResult, InputResponses, ProtocolVersion,
};
use rmcp::service::RequestContext;

use super::tools::{Call, Failure};

/// Whether a run can start.
pub(super) enum Consent {
    /// It can.
    Given(Prepared),
    /// The client has to ask its user first.
    Needed(InputRequiredResult),
}

/// Gets the user's consent to prepared work, if it needs one and the user can be asked.
///
/// # Errors
/// `budget_exceeded` when the user declined; `cancelled`.
pub(super) async fn obtain(call: &Call, prepared: Prepared) -> Result<Consent, Failure> {
    let Preflight::Ask(estimate) = prepared.preflight() else { return Ok(Consent::Given(prepared)) };
    let (None, Some(most_usd)) = (prepared.budget_usd(), estimate.most_usd) else {
        return Ok(Consent::Given(prepared));
    };
    let context = &call.context;
    if !context.client_capabilities().is_some_and(|client| can_ask(&client)) {
        return Ok(Consent::Given(prepared));
    }
    let question = question(call.handler.engine(), estimate, most_usd);
    let reply = if is_stateless(context) {
        let name = format!("spend up to {most_usd} US dollars");
        match reply_in(&call.input_responses, &name) {
            Some(reply) => reply,
            None => return Ok(Consent::Needed(asking(name, question))),
        }
    } else {
        tokio::select! {
            () = context.ct.cancelled() => return Err(Error::Cancelled.into()),
            reply = context.peer.create_elicitation(question) => {
                // A client that cannot ask after all gets the refusal.
                let Ok(reply) = reply else { return Ok(Consent::Given(prepared)) };
                reply
            }
        }
    };
    match reply.action {
        ElicitationAction::Accept => Ok(Consent::Given(prepared.with_budget(Some(most_usd)))),
        _ => {
            let detail = format!(
                "the user did not agree to a run that may cost up to ${most_usd}; nothing was sent: ask for fewer \
                 variants or phases, or for a cheaper model"
            );
            Err(Error::Refused { code: Code::BudgetExceeded, detail }.into())
        }
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

/// The question: to accept it is to agree, so the form has no fields.
fn question(engine: &Engine, estimate: &Estimate, most_usd: f64) -> ElicitRequestParams {
    let allowed = engine.config().spend.preflight_usd.unwrap_or_default();
    let calls = if estimate.calls == 1 { "1 call".to_owned() } else { format!("{} calls", estimate.calls) };
    let message = format!(
        "This run may cost up to ${most_usd} ({calls} to models), more than the ${allowed} that may be spent without \
         asking. Run it?"
    );
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: ElicitationSchema::new(BTreeMap::new()),
    }
}

fn asking(name: String, question: ElicitRequestParams) -> InputRequiredResult {
    let request = InputRequest::Elicitation(ElicitRequest::new(question));
    InputRequiredResult::from_input_requests(BTreeMap::from([(name, request)]))
}

fn reply_in(responses: &InputResponses, name: &str) -> Option<ElicitResult> {
    serde_json::from_value(responses.get(name)?.clone()).ok()
}
