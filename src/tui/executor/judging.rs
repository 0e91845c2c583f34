//! Prompts put beside each other, and the judge started, through the core.

use aludel_core::api::{CompareRequest, SelectRequest};
use aludel_core::domain::{CompareResult, Operation};
use aludel_core::engine::{Engine, Estimate, Preflight};
use aludel_core::error::{Error, Problem, Result};
use aludel_core::event::Run;
use serde_json::Value;

use crate::tui::effect::Ticket;
use crate::tui::message::Message;
use crate::tui::model::{Costly, CostlyWhat};

/// How the prompts of a request differ.
pub(super) async fn compare(engine: &Engine, raw: Value) -> Result<CompareResult> {
    let request: CompareRequest = engine.decode(raw)?;
    engine.compare(request).await?.conclude(None)
}

/// Starts the judge; where that needs a question first, the messages that say so.
pub(super) async fn select(engine: &Engine, ticket: Ticket, raw: Value) -> std::result::Result<Run, Vec<Message>> {
    let refused = |error: Error| vec![Message::RunRefused { ticket, problem: Box::new(Problem::from(error)) }];
    let request: SelectRequest = engine.decode(raw).map_err(refused)?;
    let prepared = engine.prepare_selection(Operation::Select, request).await.map_err(refused)?;
    let preflight = prepared.preflight().clone();
    prepared
        .start()
        .map_err(|error| question(ticket, CostlyWhat::Judging, &preflight).into_iter().chain(refused(error)).collect())
}

/// The question whether something may begin that may cost more than passes without asking.
pub(super) fn question(ticket: Ticket, what: CostlyWhat, preflight: &Preflight) -> Option<Message> {
    let Preflight::Ask(Estimate { most_usd: Some(most_usd), calls, .. }) = preflight else { return None };
    Some(Message::CostAsked { ticket, costly: Box::new(Costly { what, most_usd: *most_usd, calls: *calls }) })
}
