//! Starts a batch: asks for a file, has it checked, asks whether to go on, and shows the job.

use aludel_core::domain::Job;
use serde_json::Value;

use super::batch;
use crate::tui::action::ScreenName;
use crate::tui::batch::BatchOffer;
use crate::tui::effect::{CoreEffect, CoreResult, Effect, Ticket};
use crate::tui::model::jobs::Checking;
use crate::tui::model::{Asking, Costly, CostlyAction, Model, Overlay, Stage, Tone};

/// Opens the box that asks for the file.
pub(super) fn open(model: &mut Model) {
    model.overlay = Some(Overlay::Ask(Box::new(Asking::batch())));
}

/// Checks the file that was typed, under the settings of the next run.
pub(crate) fn submit(model: &mut Model) -> Vec<Effect> {
    let raw = Value::Object(model.settings.chosen());
    let Some(Overlay::Ask(asking)) = &model.overlay else { return Vec::new() };
    let path = asking.field.text().trim().to_owned();
    check(model, raw, path)
}

/// Checks this file; `raw` is the same for all rows.
pub(crate) fn check(model: &mut Model, raw: Value, path: String) -> Vec<Effect> {
    let ticket = model.jobs.ticket();
    model.jobs.checking = Some(Checking { ticket, rows: 0 });
    if let Some(Overlay::Ask(asking)) = &mut model.overlay {
        asking.stage = Stage::Waiting(ticket);
    }
    vec![CoreEffect::CheckBatch { ticket, raw, path }.into()]
}

/// Shows how far the check is.
pub(crate) fn progress(model: &mut Model, ticket: Ticket, rows: u64) {
    if let Some(checking) = model.jobs.checking.as_mut().filter(|checking| checking.ticket == ticket) {
        checking.rows = rows;
    }
}

/// Asks whether to start the checked batch, or shows what is wrong with its file.
pub(crate) fn checked(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<BatchOffer>>) -> Vec<Effect> {
    if model.jobs.checking.take_if(|checking| checking.ticket == ticket).is_none() {
        return Vec::new();
    }
    let asking = match &mut model.overlay {
        Some(Overlay::Ask(asking)) if asking.stage == Stage::Waiting(ticket) => Some(asking),
        _ => None,
    };
    match (outcome, asking) {
        (Ok(offer), _) => {
            let (most_usd, calls) = (offer.estimate.most_usd.unwrap_or_default(), offer.estimate.calls);
            let what = CostlyAction::Batch(ticket, offer);
            model.overlay = Some(Overlay::ConfirmCost(Costly { what, most_usd, calls }));
        }
        (Err(problem), Some(asking)) => asking.stage = Stage::Refused(problem),
        (Err(problem), None) => model.say_long(Tone::Refused, &problem.detail),
    }
    Vec::new()
}

/// Stops the check under way.
pub(crate) fn abandon(model: &mut Model) -> Vec<Effect> {
    model.jobs.checking = None;
    vec![CoreEffect::ForgetBatch.into()]
}

/// Does not start the checked batch.
pub(crate) fn decline(model: &mut Model) -> Vec<Effect> {
    model.say(Tone::Done, "nothing was sent");
    vec![CoreEffect::ForgetBatch.into()]
}

/// Starts the checked batch.
pub(crate) fn accept(model: &mut Model, ticket: Ticket, budget_usd: Option<f64>) -> Vec<Effect> {
    model.jobs.starting = Some(ticket);
    vec![CoreEffect::StartBatch { ticket, budget_usd }.into()]
}

/// Shows the batch that has started, or why it has not.
pub(crate) fn started(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<Job>>) -> Vec<Effect> {
    if model.jobs.starting.take_if(|starting| *starting == ticket).is_none() {
        return Vec::new();
    }
    match outcome {
        Ok(job) => {
            model.jobs.own.push(job.id);
            // A short batch is over before it is looked for, and belongs in the list all the same.
            model.jobs.all = true;
            model.screen = ScreenName::Jobs;
            model.say(Tone::Done, format!("batch {} has begun", job.id.short()));
            batch::show(model, *job)
        }
        Err(problem) => {
            model.say_long(Tone::Refused, &problem.detail);
            Vec::new()
        }
    }
}
