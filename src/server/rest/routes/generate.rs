//! `POST /api/v1/prompts/generate`: a run, as its result, as its events, or as a job.
//!
//! Waits for the end of a run; `sse` streams events. Unless requested as a job, a run never
//! outlives its client: dropping the future or the stream cancels it. When the server halts, the
//! run is cancelled and the client gets the reason.

use aludel_core::api::GenerateRequest;
use aludel_core::domain::{GenerationResult, Job};
use aludel_core::error::{Code, Error};
use aludel_core::event::run::Run;
use aludel_core::event::{Event, EventKind, Outcome};
use axum::extract::Request;
use axum::http::StatusCode;
use tokio_util::sync::CancellationToken;

use super::{answer, jobs};
use crate::server::rest::accept::{EVENTS, JSON, negotiate};
use crate::server::rest::error::{HandlerResult, Refusal};
use crate::server::rest::exchange::{Answer, Exchange, PREFER, TO_PROMPTS};
use crate::server::rest::{App, body, sse};

pub(super) const EXCHANGE: Exchange =
    Exchange::body::<GenerateRequest>(Some(r#"{"input": "a haiku about rain", "count": 2}"#))
        .headers(&[PREFER])
        .answers(
            Answer::json::<GenerationResult>(200, "The ranked prompts.").or_events::<Event>().with_links(TO_PROMPTS),
        )
        .answers(Answer::job::<Job>());

/// The same run serves both forms: the client's `Accept` chooses between events and the result.
pub(super) async fn generate(app: App, request: Request) -> HandlerResult {
    let form = negotiate(request.headers(), &[JSON, EVENTS])?;
    let is_kept = jobs::is_async_preferred(request.headers());
    let raw = body::json(request).await?;
    let prepared = app.engine().prepare(app.engine().decode::<GenerateRequest>(raw)?)?;
    if is_kept {
        return jobs::keep(&app, prepared).await;
    }
    let run = app.start(prepared)?;
    let halting = app.load().halting().clone();
    if form == EVENTS {
        return Ok(sse::answer(run, halting, app.work.clone()));
    }
    let outcome = outcome_of(run, &halting).await?;
    answer(StatusCode::OK, &outcome.result())
}

/// Waits for the end of a run. Dropping the future, as on a lost connection, cancels it.
pub(super) async fn outcome_of(mut run: Run, halting: &CancellationToken) -> Result<Box<Outcome>, Refusal> {
    let mut halted = false;
    let mut unsaved = Vec::new();
    loop {
        let event = tokio::select! {
            biased;
            event = run.next() => event,
            () = halting.cancelled(), if !halted => {
                halted = true;
                run.control().cancel_all();
                continue;
            }
        };
        match event.map(|event| event.kind) {
            Some(EventKind::Finished { outcome }) => return Ok(outcome),
            Some(EventKind::Failed { error }) => return Err(Refusal::from(*error)),
            Some(EventKind::Cancelled {}) if halted => return Err(Refusal::from(stopped(&unsaved))),
            Some(EventKind::Cancelled {}) | None => return Err(Refusal::from(Error::Cancelled)),
            Some(EventKind::Warning { message, code: Some(Code::Storage), .. }) => {
                // A selection's result has no field for warnings.
                tracing::warn!("{message}");
                unsaved.push(message);
            }
            Some(_) => {}
        }
    }
}

fn stopped(unsaved: &[String]) -> Error {
    let mut detail = "the server is shutting down and the run was stopped; what had finished is stored".to_owned();
    if !unsaved.is_empty() {
        detail = format!("{detail}, but for this: {}", unsaved.join("; "));
    }
    Error::Refused { code: Code::Overloaded, detail }
}

#[cfg(test)]
mod tests {
    use aludel_core::domain::SessionId;
    use aludel_core::error::Problem;
    use aludel_core::event::run::RunControl;
    use axum::response::IntoResponse;

    use super::*;

    fn channel() -> (aludel_core::event::run::EventSender, Run) {
        let session: SessionId = "01932c07-7d1c-7c3e-8a51-0e4b7a3f9c21".parse().unwrap();
        Run::new(session, RunControl::new(1))
    }

    #[tokio::test]
    async fn a_failed_run_refuses_with_its_problem() {
        let (sender, run) = channel();
        let problem = Problem::from(Error::Storage("the disk is full".into()));
        sender.send(EventKind::Failed { error: Box::new(problem) }).await;
        let refusal = outcome_of(run, &CancellationToken::new()).await.unwrap_err();
        assert_eq!(refusal.into_response().status(), 500);
    }

    async fn halted(before: Option<EventKind>) -> Refusal {
        let (sender, run) = channel();
        let (control, halting) = (run.control(), CancellationToken::new());
        halting.cancel();
        let producer = async {
            control.token().cancelled().await;
            if let Some(before) = before {
                sender.send(before).await;
            }
            sender.send(EventKind::Cancelled {}).await;
        };
        let (outcome, ()) = tokio::join!(outcome_of(run, &halting), producer);
        outcome.unwrap_err()
    }

    #[tokio::test]
    async fn a_halted_run_is_cancelled_and_its_client_told_to_come_back() {
        assert_eq!(halted(None).await.into_response().status(), 503);
    }

    #[tokio::test]
    async fn a_halted_run_names_what_was_finished_and_could_not_be_stored() {
        let message = "prompt 7a3f9c21 is finished but not stored".to_owned();
        let warning = EventKind::Warning { variant: Some(0), phase: None, message, code: Some(Code::Storage) };
        let refusal = format!("{:?}", halted(Some(warning)).await);
        assert!(refusal.contains("but for this: prompt 7a3f9c21 is finished but not stored"), "{refusal}");
    }
}
