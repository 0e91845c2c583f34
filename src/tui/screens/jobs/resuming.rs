//! Resumes a batch as work of this workbench. One that has reached a cap is asked for a new one.

use aludel_core::api::{Request as _, ResumeJobRequest, value_of_text};
use aludel_core::domain::{Job, JobDetails, SessionId};
use serde_json::{Value, json};

use super::{answers, batch, forget_refusal, reread};
use crate::tui::action::ScreenName;
use crate::tui::effect::{CoreEffect, CoreResult, Effect, Ticket};
use crate::tui::model::{About, Asking, Model, Overlay, Stage, Tone};

/// The caps that a resumed batch can be given.
const CAPS: [&str; 2] = ["budget_usd", "max_calls"];

/// Resumes this batch, or asks for a new cap first.
pub(super) fn begin(model: &mut Model, id: SessionId) -> Vec<Effect> {
    if let Some((name, reached)) = details(model, id).and_then(reached_cap) {
        model.overlay = Some(Overlay::Ask(Box::new(Asking::cap(id, name, &reached))));
        return Vec::new();
    }
    resume(model, id, json!({ "job_id": id }))
}

/// What is known of this batch: as it is shown, or as it was read for the list.
fn details(model: &Model, id: SessionId) -> Option<&JobDetails> {
    let shown = model.jobs.batch.as_ref().and_then(|batch| batch.page.as_ref()).map(|page| &page.details);
    let read = model.jobs.whole().and_then(|whole| whole.as_ref().ok()).map(AsRef::as_ref);
    shown.or(read).filter(|details| details.job.id == id)
}

/// The cap that ended a batch, by name; `None` for another reason, such as the budget of the day.
fn reached_cap(details: &JobDetails) -> Option<(&'static str, Value)> {
    if details.error.as_ref()?["code"] != "budget_exceeded" {
        return None;
    }
    CAPS.into_iter().map(|name| (name, details.request[name].clone())).find(|(_, cap)| !cap.is_null())
}

/// Resumes the batch with the cap that was typed; an empty text keeps the old one.
pub(crate) fn submit(model: &mut Model) -> Vec<Effect> {
    let Some(Overlay::Ask(asking)) = &model.overlay else { return Vec::new() };
    let About::Cap(id, name) = asking.about else { return Vec::new() };
    let (text, mut raw) = (asking.field.text(), json!({ "job_id": id }));
    if !text.trim().is_empty() {
        raw[name] = value_of_text(ResumeJobRequest::FIELDS, name, text.trim());
    }
    let effects = resume(model, id, raw);
    if let (Some(Overlay::Ask(asking)), Some((ticket, _))) = (&mut model.overlay, model.jobs.resuming) {
        asking.stage = Stage::Waiting(ticket);
    }
    effects
}

fn resume(model: &mut Model, id: SessionId, raw: Value) -> Vec<Effect> {
    let ticket = model.jobs.ticket();
    model.jobs.resuming = Some((ticket, id));
    forget_refusal(model, id);
    vec![CoreEffect::ResumeBatch { ticket, raw }.into()]
}

/// Shows a batch that is resumed, or why it is not.
pub(crate) fn resumed(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<Job>>) -> Vec<Effect> {
    let Some((_, id)) = model.jobs.resuming.take_if(|(own, _)| *own == ticket) else { return Vec::new() };
    let is_asked = matches!(&model.overlay, Some(Overlay::Ask(asking)) if asking.stage == Stage::Waiting(ticket));
    match outcome {
        Ok(job) => {
            if is_asked {
                model.overlay = None;
            }
            model.say(Tone::Done, format!("{} is resumed; finished work is not repeated", id.short()));
            model.jobs.own.push(id);
            model.jobs.read = None;
            if model.screen == ScreenName::Jobs { batch::show(model, *job) } else { Vec::new() }
        }
        Err(problem) => {
            if let (true, Some(Overlay::Ask(asking))) = (is_asked, &mut model.overlay) {
                asking.stage = Stage::Refused(problem);
                return Vec::new();
            }
            answers::refuse(model, id, "resumed", problem);
            reread(model)
        }
    }
}
