//! Compares prompts and starts the judge, through the core.

use aludel_core::api::{CompareRequest, SelectRequest};
use aludel_core::domain::{CompareResult, Operation};
use aludel_core::engine::{Engine, Estimate, Preflight};
use aludel_core::error::{Error, Problem, Result};
use aludel_core::event::run::Run;
use serde_json::Value;

use crate::tui::effect::Ticket;
use crate::tui::message::Message;
use crate::tui::model::{Costly, CostlyAction};

/// Compares the prompts of a request.
pub(super) async fn compare(engine: &Engine, raw: Value) -> Result<CompareResult> {
    let request: CompareRequest = engine.decode(raw)?;
    engine.compare(request).await?.conclude(None)
}

/// Starts the judge, or returns the messages that refuse it or ask for confirmation.
pub(super) async fn select(engine: &Engine, ticket: Ticket, raw: Value) -> std::result::Result<Run, Vec<Message>> {
    let refused = |error: Error| vec![Message::RunRefused { ticket, problem: Box::new(Problem::from(error)) }];
    let request: SelectRequest = engine.decode(raw).map_err(refused)?;
    let prepared = engine.prepare_selection(Operation::Select, request).await.map_err(refused)?;
    let preflight = prepared.preflight().clone();
    prepared.start().map_err(|error| {
        question(ticket, CostlyAction::Judging, &preflight).into_iter().chain(refused(error)).collect()
    })
}

/// The question whether to begin something that may cost more than the limit.
pub(super) fn question(ticket: Ticket, what: CostlyAction, preflight: &Preflight) -> Option<Message> {
    let Preflight::Ask(Estimate { most_usd: Some(most_usd), calls, .. }) = preflight else { return None };
    Some(Message::CostAsked { ticket, costly: Box::new(Costly { what, most_usd: *most_usd, calls: *calls }) })
}
