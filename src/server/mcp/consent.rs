//! Asks the user before a run that may cost more than `spend.preflight_usd`.
//!
//! The question goes to the client as an [`elicitation`], where it declared that it can put one to
//! its user. Accepting sets the run's budget to the amount that was named. That amount is part of
//! the question's name, so that a reply counts for no other. Elsewhere the run is refused, and the
//! refusal says that `budget_usd` is the consent.

use std::collections::BTreeMap;

use aludel_core::engine::{Engine, Estimate, Preflight, Prepared};
use aludel_core::error::{Code, Error};
use rmcp::model::{ElicitRequestParams, ElicitationAction, ElicitationSchema, InputRequiredResult};

use super::elicitation::{self, Elicitation};
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
    let name = format!("spend up to {most_usd} US dollars");
    let question = question(call.handler.engine(), estimate, most_usd);
    let reply = match elicitation::ask(&call.context, &call.input_responses, &name, question).await? {
        Elicitation::Reply(reply) => reply,
        Elicitation::Required(question) => return Ok(Consent::Needed(question)),
        // It gets the refusal.
        Elicitation::Unable => return Ok(Consent::Given(prepared)),
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
