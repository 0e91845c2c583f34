//! `generate_prompts`, `generate_prompt_variants` and `select_best_prompt`: runs that report their
//! progress and end if their caller cancels.
//!
//! Waits for the end of a run; `progress` makes the notifications. The run is dropped with the
//! call, so a cancelled call, a lost client and a stopped server all end the work the same way.

use aludel_core::api::{GenerateRequest, Known, SelectRequest, VariantsRequest};
use aludel_core::domain::{GenerationResult, Operation, SelectResult};
use aludel_core::engine::Prepared;
use aludel_core::error::Error;
use aludel_core::event::run::Run;
use aludel_core::event::{EventKind, Outcome};
use rmcp::model::JsonObject;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Answer, Call, Failure, Reply, content, schema};
use crate::server::mcp::consent::{self, Consent};
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
        let prepared = call.handler.engine().prepare(request)?;
        finish(&call, prepared).await
    })
}

pub(super) fn variants_input(known: &Known) -> Value {
    super::input::<VariantsRequest>(known)
}

pub(super) fn variants(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<VariantsRequest>()?;
        let prepared = call.handler.engine().prepare_variants(request).await?;
        finish(&call, prepared).await
    })
}

pub(super) fn select_input(known: &Known) -> Value {
    super::input::<SelectRequest>(known)
}

pub(super) fn select_output() -> JsonObject {
    schema::of::<SelectResult>()
}

pub(super) fn select(mut call: Call) -> Reply {
    Box::pin(async move {
        let request = call.decode::<SelectRequest>()?;
        let prepared = call.handler.engine().prepare_selection(Operation::Select, request).await?;
        finish(&call, prepared).await
    })
}

/// Runs prepared work to its end, and returns its result.
async fn finish(call: &Call, prepared: Prepared) -> Result<Answer, Failure> {
    let run = match consent::obtain(call, prepared).await? {
        Consent::Given(prepared) => prepared.start()?,
        Consent::Needed(question) => return Ok(Answer::Question(question)),
    };
    let progress = Progress::new(&call.context, call.handler.input_ended().clone());
    content(&outcome_of(run, progress, &call.context.ct).await?.result())
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
