//! Handles replies: the list, a job in full, a stopped job, a resumed job.
//!
//! A reply is ignored unless its ticket is that of the newest request of its kind.

use aludel_core::domain::{Job, JobDetails, JobState, Operation, PromptId, SessionId};
use aludel_core::error::Problem;
use serde_json::Value;

use super::{ask, read_marked, reread};
use crate::tui::action::ScreenName;
use crate::tui::effect::{CoreEffect, CoreResult, Effect, Ticket};
use crate::tui::model::jobs::{JobListing, RefreshTrigger, said_in};
use crate::tui::model::{Chosen, Judge, Model, Tone};
use crate::tui::screens::workbench::starting::show_run;

/// Shows the list. The marked job stays marked wherever it is now.
pub(crate) fn listed(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<JobListing>>) -> Vec<Effect> {
    let now = model.now;
    let jobs = &mut model.jobs;
    let Some((_, asker)) = jobs.asked.take_if(|(asked, _)| *asked == ticket) else { return Vec::new() };
    jobs.arrived = now;
    let listed = match outcome {
        Ok(listed) => listed,
        Err(problem) => {
            // Without rows, the problem is shown in their place.
            let is_unseen = asker == RefreshTrigger::User && !jobs.rows().is_empty();
            let detail = problem.detail.clone();
            jobs.problem = Some(problem);
            if is_unseen {
                model.say_long(Tone::Refused, &detail);
            }
            return Vec::new();
        }
    };
    jobs.problem = None;
    let marked = jobs.wanted.take().or_else(|| jobs.marked().map(|job| job.id));
    let kept = marked.and_then(|id| listed.jobs.iter().position(|job| job.id == id));
    if kept.is_none() {
        jobs.details_top = 0;
    }
    jobs.marked = kept.unwrap_or(jobs.marked).min(listed.jobs.len().saturating_sub(1));
    jobs.listed = Some(*listed);
    read_marked(model)
}

/// Shows a job in full, or why it could not be read.
pub(crate) fn read(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<JobDetails>>) {
    let jobs = &mut model.jobs;
    if let Some((_, stand)) = jobs.reading.take_if(|(asked, _)| *asked == ticket) {
        jobs.read = Some((stand, outcome));
    }
}

/// Shows the state of a job after a request to stop it.
pub(crate) fn stopped(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<Job>>) -> Vec<Effect> {
    let Some((_, id)) = model.jobs.stopping.take_if(|(own, _)| *own == ticket) else { return Vec::new() };
    match outcome {
        Ok(job) => {
            let said = match job.state {
                JobState::Stopping => format!("{} is stopping; what is finished is kept", id.short()),
                JobState::Cancelled => model.spell("it is stopped; {resume-job} resumes it"),
                state => format!("{} is {state}", id.short()),
            };
            model.say(Tone::Done, said);
            let known = model.jobs.listed.as_mut().map_or(&mut [][..], |listed| &mut listed.jobs);
            if let Some(row) = known.iter_mut().find(|row| row.id == id) {
                row.clone_from(&job);
            }
            if let Some(batch) = model.jobs.batch.as_mut().filter(|batch| batch.id() == id) {
                batch.job = *job;
            }
        }
        Err(problem) => refuse(model, id, "stopped", problem),
    }
    reread(model)
}

/// Shows the run or the judging of a resumed job, whose events follow.
pub(crate) fn resumed(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<JobDetails>>) -> Vec<Effect> {
    let Some((_, id)) = model.jobs.resuming.take_if(|(own, _)| *own == ticket) else { return Vec::new() };
    let details = match outcome {
        Ok(details) => details,
        Err(problem) => {
            refuse(model, id, "resumed", problem);
            return ask(model, RefreshTrigger::Clock);
        }
    };
    // The details read before are out of date.
    model.jobs.read = None;
    let is_shown = match details.job.operation {
        Operation::Generate if model.live_run().is_none() => {
            show_run(model, ticket, said_in(&details.request));
            true
        }
        Operation::Select if model.judge.live().is_none() => show_judging(model, ticket, &details.request),
        _ => false,
    };
    if is_shown {
        model.say(Tone::Done, format!("{} is resumed; finished work is not repeated", id.short()));
        return Vec::new();
    }
    // Stop what cannot be watched, so that it costs nothing.
    model.say(Tone::Refused, format!("{} cannot be shown here, and is stopped again", id.short()));
    vec![CoreEffect::CancelRun(ticket).into()]
}

/// Shows a resumed judging on the Judge. False if its request has fewer than two prompts.
fn show_judging(model: &mut Model, ticket: Ticket, request: &Value) -> bool {
    let named = request["prompt_ids"].as_array().into_iter().flatten();
    let ids = named.filter_map(|id| id.as_str()?.parse::<PromptId>().ok());
    let prompts: Vec<Chosen> = ids.map(|id| Chosen { id, label: id.short() }).collect();
    if prompts.len() < 2 {
        return false;
    }
    model.judge = Judge::of(prompts, request["task_description"].as_str().map(str::to_owned));
    model.judge.begin(ticket, model.now);
    model.screen = ScreenName::Judge;
    true
}

/// Records why a job could not be stopped or resumed; on another screen, says so in passing.
pub(super) fn refuse(model: &mut Model, id: SessionId, what: &str, problem: Box<Problem>) {
    if model.screen == ScreenName::Jobs {
        model.say(Tone::Refused, format!("{} could not be {what}; the reason is below", id.short()));
    } else {
        model.say_long(Tone::Refused, &problem.detail);
    }
    model.jobs.refused = Some((id, problem));
    model.jobs.details_top = 0;
}
