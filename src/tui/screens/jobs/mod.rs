//! The Jobs: work in progress in any process on this database, and work that can be resumed.
//!
//! This file performs the actions (`act`), says when one is unavailable ([`refusal`]) and when the
//! list refreshes itself ([`due`]); `answers` handles replies, [`view`] draws. The list refreshes
//! once a second while the screen is open and a job is active. A resumed job becomes the run of the
//! Workbench or the judging of the Judge, and is shown and stopped like any other. A batch is shown
//! here, in place of the list ([`batch`]), and [`starting`] starts one.

mod answers;
pub(crate) mod batch;
mod details;
pub(crate) mod resuming;
pub(crate) mod starting;
pub(crate) mod view;

use aludel_core::domain::{JobState, Operation, SessionId};
use ratatui::layout::{Position, Rect};

use super::chrome::inner;
use super::place::{ListDetailLayout, place};
use super::pointer::NOTCH;
use super::{half, page};
use crate::tui::action::{Action, Context, ScreenName};
use crate::tui::effect::{CoreEffect, Effect, Query};
use crate::tui::model::jobs::RefreshTrigger;
use crate::tui::model::{Model, Tone};
use crate::tui::theme::Theme;
use crate::tui::widgets::cells;

pub(crate) use answers::{listed, read, resumed, stopped};

/// Milliseconds from a reply to the next automatic refresh.
const REFRESH_MS: u64 = 1_000;

/// Why no other action is possible for a moment.
pub(super) const RESUMING: &str = "a job is being resumed";

/// Why `action` cannot be done now; `None` when it can.
pub(crate) fn refusal(model: &Model, action: Action) -> Option<&'static str> {
    let jobs = &model.jobs;
    match action {
        Action::StopJob => stop_refusal(model),
        Action::ResumeJob => resume_refusal(model),
        Action::StartBatch => jobs.starting.map(|_| "a batch is being started"),
        _ if jobs.batch.is_some() => jobs.batch.as_ref().and_then(|shown| batch::refusal(shown, action)),
        Action::OpenRow => Some("no batch is shown; {show-job} shows the marked one"),
        Action::ShowJob => jobs.marked().is_none().then_some("no job is selected"),
        Action::Reload => jobs.is_looking().then_some("it is still loading"),
        Action::Down | Action::Up | Action::Top | Action::Bottom => {
            jobs.rows().is_empty().then_some("the list is empty")
        }
        Action::HalfDown | Action::HalfUp | Action::PageDown | Action::PageUp => {
            jobs.marked().is_none().then_some("there is nothing to scroll")
        }
        Action::Zoom => Some("{show-job} shows more of the job"),
        Action::FocusNext | Action::FocusPrevious => Some("there is only one list here"),
        Action::Copy => Some("no prompt is marked"),
        _ if !action.info().works_in(Context::Jobs) => Some("there is no text to edit here"),
        _ => None,
    }
}

fn stop_refusal(model: &Model) -> Option<&'static str> {
    let Some(job) = model.jobs.current() else { return Some("no job is selected") };
    if model.jobs.stopping.is_some() {
        return Some("a job is being stopped");
    }
    match job.state {
        JobState::Running | JobState::Interrupted => None,
        JobState::Stopping => Some("it is stopping already"),
        JobState::Finished | JobState::Failed | JobState::Cancelled => Some("it has ended"),
    }
}

fn resume_refusal(model: &Model) -> Option<&'static str> {
    let Some(job) = model.jobs.current() else { return Some("no job is selected") };
    match job.state {
        _ if model.jobs.resuming.is_some() => Some(RESUMING),
        JobState::Running => Some("it is under way; {stop-job} stops it"),
        JobState::Stopping => Some("it is stopping"),
        JobState::Finished => Some("it has finished"),
        JobState::Interrupted | JobState::Failed | JobState::Cancelled => match job.operation {
            Operation::Generate => model.live_run().map(|_| "a run is live; {stop-or-quit} stops it"),
            Operation::Select => model.judge.live().map(|_| "the judge is running; {stop-or-quit} stops it"),
            Operation::Batch => None,
            _ => Some("the workbench cannot show this; `aludel jobs resume` can"),
        },
    }
}

/// Opens the screen and loads the list.
pub(crate) fn enter(model: &mut Model) -> Vec<Effect> {
    model.screen = ScreenName::Jobs;
    let mut effects = ask(model, RefreshTrigger::User);
    effects.extend(batch::refresh(model));
    effects
}

/// Goes back from a batch to the list, in which it is marked.
fn leave_batch(model: &mut Model) -> Vec<Effect> {
    let Some(left) = model.jobs.batch.take() else { return Vec::new() };
    let found = model.jobs.rows().iter().position(|job| job.id == left.id());
    model.jobs.marked = found.unwrap_or(model.jobs.marked);
    model.jobs.wanted = Some(left.id());
    ask(model, RefreshTrigger::User)
}

/// Reads the list again, and the batch that is shown.
fn reread(model: &mut Model) -> Vec<Effect> {
    let mut effects = ask(model, RefreshTrigger::Clock);
    effects.extend(batch::refresh(model));
    effects
}

/// Requests the list. A reply to an earlier request is ignored from now on.
fn ask(model: &mut Model, asker: RefreshTrigger) -> Vec<Effect> {
    let jobs = &mut model.jobs;
    let ticket = jobs.ticket();
    jobs.asked = Some((ticket, asker));
    vec![CoreEffect::RunQuery { ticket, inquiry: Query::Jobs { all: jobs.all } }.into()]
}

/// Requests the marked job in full, unless it was read in its present state.
fn read_marked(model: &mut Model) -> Vec<Effect> {
    let jobs = &mut model.jobs;
    let Some(stand) = jobs.marked().map(|job| (job.id, job.state)) else { return Vec::new() };
    let is_known = jobs.read.as_ref().is_some_and(|(known, _)| *known == stand);
    let is_asked = jobs.reading.is_some_and(|(_, asked)| asked == stand);
    if is_known || is_asked {
        return Vec::new();
    }
    let ticket = jobs.ticket();
    jobs.reading = Some((ticket, stand));
    vec![CoreEffect::RunQuery { ticket, inquiry: Query::Job(stand.0) }.into()]
}

/// When the list refreshes itself next; `None` if no job is active or the screen is hidden.
pub(crate) fn due(model: &Model) -> Option<u64> {
    let jobs = &model.jobs;
    if jobs.batch.is_some() {
        return batch::due(model);
    }
    let is_shown = model.screen == ScreenName::Jobs && jobs.asked.is_none() && jobs.has_active();
    is_shown.then_some(jobs.arrived + REFRESH_MS)
}

/// Refreshes the list when it is due.
pub(crate) fn settle(model: &mut Model) -> Vec<Effect> {
    let is_due = due(model).is_some_and(|at| at <= model.now);
    match is_due {
        true if model.jobs.batch.is_some() => batch::refresh(model),
        true => ask(model, RefreshTrigger::Clock),
        false => Vec::new(),
    }
}

/// Performs `action`, which [`refusal`] allows.
pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let height = usize::from(here(model).map_or(1, |place| inner(place.details).height));
    match action {
        Action::StopJob => return stop(model),
        Action::ResumeJob => return resume(model),
        Action::StartBatch => starting::open(model),
        _ if model.jobs.batch.is_some() => return batch::act(model, action),
        Action::Reload => return ask(model, RefreshTrigger::User),
        Action::AllJobs => {
            model.jobs.all = !model.jobs.all;
            return ask(model, RefreshTrigger::User);
        }
        Action::ShowJob => return show(model),
        Action::Down => return mark(model, |_, marked| marked + 1),
        Action::Up => return mark(model, |_, marked| marked.saturating_sub(1)),
        Action::Top => return mark(model, |_, _| 0),
        Action::Bottom => return mark(model, |last, _| last),
        Action::HalfDown => scroll(model, half(height)),
        Action::HalfUp => scroll(model, -half(height)),
        Action::PageDown => scroll(model, page(height)),
        Action::PageUp => scroll(model, -page(height)),
        Action::Back | Action::BackOrQuit if model.jobs.is_whole => return show(model),
        Action::Back | Action::BackOrQuit => model.screen = ScreenName::Work,
        _ => {}
    }
    Vec::new()
}

fn mark(model: &mut Model, to: impl FnOnce(usize, usize) -> usize) -> Vec<Effect> {
    let jobs = &mut model.jobs;
    let last = jobs.rows().len().saturating_sub(1);
    let marked = to(last, jobs.marked).min(last);
    if marked == jobs.marked {
        return Vec::new();
    }
    jobs.marked = marked;
    jobs.details_top = 0;
    read_marked(model)
}

fn scroll(model: &mut Model, rows: isize) {
    model.jobs.details_top = model.jobs.details_top.saturating_add_signed(rows);
}

/// Shows or hides the request and the result of the marked job, reading them again. A batch is shown
/// with its rows.
fn show(model: &mut Model) -> Vec<Effect> {
    if let Some(job) = model.jobs.marked().filter(|job| job.operation == Operation::Batch).cloned() {
        return batch::show(model, job);
    }
    let jobs = &mut model.jobs;
    jobs.is_whole = !jobs.is_whole;
    jobs.details_top = 0;
    if !jobs.is_whole {
        return Vec::new();
    }
    jobs.read = None;
    read_marked(model)
}

/// Stops the marked job. A job of this workbench is stopped as `^C` would.
fn stop(model: &mut Model) -> Vec<Effect> {
    let Some(id) = model.jobs.current().map(|job| job.id) else { return Vec::new() };
    if let Some(run) = model.run.as_mut().filter(|run| run.is_live() && run.view.session_id == Some(id)) {
        let ticket = run.ticket;
        run.stop_all();
        return stop_own(model, CoreEffect::CancelRun(ticket));
    }
    let judged = model.judge.live().filter(|judged| judged.view.session_id == Some(id));
    if let Some(ticket) = judged.map(|judged| judged.ticket) {
        return stop_own(model, CoreEffect::CancelRun(ticket));
    }
    let ticket = model.jobs.ticket();
    model.jobs.stopping = Some((ticket, id));
    forget_refusal(model, id);
    vec![CoreEffect::RunQuery { ticket, inquiry: Query::StopJob(id) }.into()]
}

fn stop_own(model: &mut Model, cancel: CoreEffect) -> Vec<Effect> {
    model.say(Tone::Done, "stopping; what is finished is kept");
    vec![cancel.into()]
}

/// Resumes the marked job. The reply arrives before its first event and says what it is.
fn resume(model: &mut Model) -> Vec<Effect> {
    let Some((job, operation)) = model.jobs.current().map(|job| (job.id, job.operation)) else { return Vec::new() };
    if operation == Operation::Batch {
        return resuming::begin(model, job);
    }
    let ticket = model.ticket();
    model.jobs.resuming = Some((ticket, job));
    forget_refusal(model, job);
    vec![CoreEffect::Resume { ticket, job }.into()]
}

fn forget_refusal(model: &mut Model, id: SessionId) {
    model.jobs.refused.take_if(|(refused, _)| *refused == id);
}

/// Scrolls the marked row into view and clamps the scroll of the details.
pub(super) fn reflow(model: &mut Model) {
    if model.screen != ScreenName::Jobs {
        return;
    }
    if model.jobs.batch.is_some() {
        return batch::reflow(model);
    }
    let Some(place) = here(model) else { return };
    let details = inner(place.details);
    let rows = details::lines(model, details.width, &Theme::mono()).len();
    let jobs = &mut model.jobs;
    jobs.details_top = jobs.details_top.min(rows.saturating_sub(details.height.into()));
    let all = jobs.rows().len();
    jobs.marked = jobs.marked.min(all.saturating_sub(1));
    // The first row names the columns.
    let visible = usize::from(inner(place.list).height).saturating_sub(1).max(1);
    let lowest = (jobs.marked + 1).saturating_sub(visible);
    jobs.top = jobs.top.clamp(lowest, jobs.marked.max(lowest)).min(all.saturating_sub(visible));
}

/// A click marks the row it hits.
pub(crate) fn click(model: &mut Model, at: Position) -> Vec<Effect> {
    if model.jobs.batch.is_some() {
        return batch::click(model, at);
    }
    let list = here(model).map(|place| inner(place.list)).filter(|list| list.contains(at));
    // The first row names the columns.
    let row = list.and_then(|list| usize::from(at.y - list.y).checked_sub(1));
    let row = row.map(|row| row + model.jobs.top).filter(|row| *row < model.jobs.rows().len());
    row.map_or_else(Vec::new, |row| mark(model, |_, _| row))
}

/// The wheel moves the mark of the list, or scrolls the details.
pub(crate) fn wheel(model: &mut Model, at: Position, direction: isize) -> Vec<Effect> {
    if model.jobs.batch.is_some() {
        return batch::wheel(model, at, direction);
    }
    let Some(place) = here(model) else { return Vec::new() };
    if place.list.contains(at) {
        return mark(model, |_, marked| marked.saturating_add_signed(direction));
    }
    if place.details.contains(at) {
        scroll(model, direction.saturating_mul(isize::try_from(NOTCH).unwrap_or(1)));
    }
    Vec::new()
}

fn here(model: &Model) -> Option<ListDetailLayout> {
    screen_layout(model, Rect::new(0, 0, model.size.width, model.size.height))
}

/// The layout. The list is small while details are shown, and fills the body without jobs.
fn screen_layout(model: &Model, area: Rect) -> Option<ListDetailLayout> {
    let rows = if model.jobs.is_whole { 0 } else { model.jobs.rows().len() };
    let mut place = place(area, cells(rows).saturating_add(3))?;
    if model.jobs.rows().is_empty() {
        place.list.height += place.details.height;
        place.details = Rect { y: place.list.bottom(), height: 0, ..place.details };
    }
    Some(place)
}

#[cfg(test)]
mod tests;
