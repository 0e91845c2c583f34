//! `generate_prompts`: a run that reports its progress and ends if its caller cancels.
//!
//! Waits for the end of a run; `progress` makes the notifications. The run is dropped with the
//! call, so a cancelled call, a lost client and a stopped server all end the work the same way.

use aludel_core::api::{GenerateRequest, Known};
use aludel_core::domain::GenerationResult;
use aludel_core::error::Error;
use aludel_core::event::run::Run;
use aludel_core::event::{EventKind, Outcome};
use rmcp::model::JsonObject;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Call, Failure, Reply, content, schema};
use crate::server::mcp::progress::Progress;

pub(super) fn input(known: &Known) -> Value {
    super::input::<GenerateRequest>(known)
}

pub(super) fn output() -> JsonObject {
    schema::of::<GenerationResult>()
}

pub(super) fn call(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<GenerateRequest>()?;
        let run = call.handler.engine().generate(request)?;
        let progress = Progress::new(&call.context, call.handler.input_ended().clone());
        content(&outcome_of(run, progress, &call.context.ct).await?.result())
    })
}

/// Waits for the end of a run. Dropping the future drops the run, which cancels the work.
pub(super) async fn outcome_of(
    mut run: Run,
    mut progress: Progress,
    cancelled: &CancellationToken,
) -> Result<Box<Outcome>, Failure> {
    loop {
        let event = tokio::select! {
            biased;
            () = cancelled.cancelled() => None,
            event = run.next() => event,
        };
        let Some(event) = event else { return Err(Error::Cancelled.into()) };
        tokio::select! {
            // A client that stops reading must still be able to cancel its call.
            () = cancelled.cancelled() => return Err(Error::Cancelled.into()),
            () = progress.tell(&event) => {}
        }
        match event.kind {
            EventKind::Finished { outcome } => return Ok(outcome),
            EventKind::Failed { error } => return Err(Failure(error)),
            EventKind::Cancelled {} => return Err(Error::Cancelled.into()),
            _ => {}
        }
    }
}
