//! A batch on the Jobs screen: its rows, failures first, and below them its progress or the open row.
//!
//! This file performs the actions and handles replies; [`view`] draws. A page of rows is read again
//! once a second while the batch is active, less often where reading takes long. Moving past the
//! end of a page reads the next one.

pub(crate) mod view;

use aludel_core::domain::{BatchRow, Job, JobState, SessionId};
use ratatui::layout::{Position, Rect};

use super::REFRESH_MS;
use crate::tui::action::{Action, Context, ScreenName};
use crate::tui::batch::words;
use crate::tui::effect::{CoreEffect, CoreResult, Effect, Query, Ticket};
use crate::tui::model::batch::{Batch, OpenRow, PageMove, PendingPage, RowsPage};
use crate::tui::model::{Model, Tone};
use crate::tui::screens::chrome::inner;
use crate::tui::screens::place::{ListDetailLayout, place};
use crate::tui::screens::pointer::NOTCH;
use crate::tui::screens::{copy, half, page};
use crate::tui::theme::Theme;
use crate::tui::widgets::cells;

/// A page is read again after this many times as long as reading it took.
const REST: u64 = 5;
/// Most rows of the list while a row is open.
const BESIDE_OPEN: usize = 8;

/// Why `action` cannot be done now; `None` when it can.
pub(super) fn refusal(batch: &Batch, action: Action) -> Option<&'static str> {
    let is_open = batch.open.is_some();
    match action {
        Action::OpenRow | Action::Down | Action::Up | Action::Top | Action::Bottom => {
            batch.lines().is_empty().then_some("no row is done yet")
        }
        Action::HalfDown | Action::HalfUp | Action::PageDown | Action::PageUp => {
            (batch.lines().is_empty() && !is_open).then_some("no row is done yet")
        }
        Action::Copy => opened(batch).is_none().then_some("{open-row} opens a row, whose text can be copied then"),
        Action::ShowJob | Action::AllJobs => Some("{back} goes to the list of jobs"),
        Action::Zoom => Some("{open-row} shows more of the row"),
        Action::FocusNext | Action::FocusPrevious => Some("there is only one list here"),
        Action::Reload | Action::StartBatch => None,
        _ if !action.info().works_in(Context::Rows) => Some("there is no text to edit here"),
        _ => None,
    }
}

/// Shows this batch in place of the list of jobs.
pub(super) fn show(model: &mut Model, job: Job) -> Vec<Effect> {
    model.jobs.batch = Some(Box::new(Batch::new(job)));
    ask(model, PageMove::Same)
}

/// Requests a page. A reply to an earlier request is ignored from now on.
fn ask(model: &mut Model, to: PageMove) -> Vec<Effect> {
    let Some(from) = model.jobs.batch.as_ref().and_then(|batch| batch.cursor(to)) else { return Vec::new() };
    let (ticket, since) = (model.jobs.ticket(), model.now);
    let Some(batch) = &mut model.jobs.batch else { return Vec::new() };
    batch.asked = Some(PendingPage { ticket, to, since });
    vec![CoreEffect::RunQuery { ticket, inquiry: Query::Batch(batch.id(), from) }.into()]
}

/// When the page is read again; `None` if the batch is not active or the screen is hidden.
pub(super) fn due(model: &Model) -> Option<u64> {
    let batch = model.jobs.batch.as_ref()?;
    let is_due = model.screen == ScreenName::Jobs && batch.asked.is_none() && batch.job.state.is_active();
    let (arrived, took) = batch.arrived;
    is_due.then(|| arrived + took.saturating_mul(REST).max(REFRESH_MS))
}

/// Reads the page again.
pub(super) fn refresh(model: &mut Model) -> Vec<Effect> {
    ask(model, PageMove::Same)
}

/// Performs `action`, which [`refusal`] allows.
pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let Some(here) = here(model) else { return Vec::new() };
    let (rows, text) = (listed(&here), usize::from(inner(here.details).height));
    let is_open = model.jobs.batch.as_ref().is_some_and(|batch| batch.open.is_some());
    match action {
        Action::Reload => return ask(model, PageMove::First),
        Action::OpenRow => return open_or_close(model),
        Action::Down => return mark(model, 1),
        Action::Up => return mark(model, -1),
        Action::HalfDown if is_open => scroll(model, half(text)),
        Action::HalfUp if is_open => scroll(model, -half(text)),
        Action::PageDown if is_open => scroll(model, page(text)),
        Action::PageUp if is_open => scroll(model, -page(text)),
        Action::HalfDown => return mark(model, half(rows)),
        Action::HalfUp => return mark(model, -half(rows)),
        Action::PageDown => return mark(model, page(rows)),
        Action::PageUp => return mark(model, -page(rows)),
        Action::Top => return top(model),
        Action::Bottom => return mark(model, isize::MAX),
        Action::Copy => return copy_open(model),
        Action::Back | Action::BackOrQuit if is_open => return open_or_close(model),
        Action::Back | Action::BackOrQuit => return super::leave_batch(model),
        _ => {}
    }
    Vec::new()
}

/// Moves the mark by so many rows. From the last or first row of the page it goes to the next page or
/// the one before.
fn mark(model: &mut Model, rows: isize) -> Vec<Effect> {
    let Some(batch) = &mut model.jobs.batch else { return Vec::new() };
    let last = batch.lines().len().saturating_sub(1);
    let marked = batch.marked.saturating_add_signed(rows).min(last);
    if marked != batch.marked {
        batch.marked = marked;
        return reopen(model);
    }
    let to = if rows > 0 { PageMove::Next } else { PageMove::Previous };
    // A page that is on its way is waited for.
    let is_waiting = batch.asked.is_some_and(|asked| asked.to != PageMove::Same);
    if is_waiting { Vec::new() } else { ask(model, to) }
}

/// To the first row of all.
fn top(model: &mut Model) -> Vec<Effect> {
    let Some(batch) = &mut model.jobs.batch else { return Vec::new() };
    if batch.pages.len() > 1 {
        return ask(model, PageMove::First);
    }
    batch.marked = 0;
    reopen(model)
}

/// Opens the marked row, or closes the open one.
fn open_or_close(model: &mut Model) -> Vec<Effect> {
    let Some(batch) = &mut model.jobs.batch else { return Vec::new() };
    if batch.open.take().is_some() {
        return Vec::new();
    }
    open(model)
}

/// Opens the marked row if another is open.
fn reopen(model: &mut Model) -> Vec<Effect> {
    let Some(batch) = &model.jobs.batch else { return Vec::new() };
    let marked = batch.marked().map(|line| line.row);
    let is_other = batch.open.as_ref().is_some_and(|open| Some(open.row) != marked);
    if is_other { open(model) } else { Vec::new() }
}

fn open(model: &mut Model) -> Vec<Effect> {
    let reading = model.jobs.ticket();
    let Some(batch) = &mut model.jobs.batch else { return Vec::new() };
    let Some(row) = batch.marked().map(|line| line.row) else { return Vec::new() };
    batch.open = Some(OpenRow { row, reading, outcome: None, top: 0 });
    vec![CoreEffect::RunQuery { ticket: reading, inquiry: Query::BatchRow(batch.id(), row) }.into()]
}

fn scroll(model: &mut Model, rows: isize) {
    let Some(batch) = &mut model.jobs.batch else { return };
    match &mut batch.open {
        Some(open) => open.top = open.top.saturating_add_signed(rows),
        None => batch.facts_top = batch.facts_top.saturating_add_signed(rows),
    }
}

/// The row that is open and read.
fn opened(batch: &Batch) -> Option<&BatchRow> {
    batch.open.as_ref()?.outcome.as_ref()?.as_ref().ok().map(AsRef::as_ref)
}

/// Copies the best prompt of the open row, or its error.
fn copy_open(model: &mut Model) -> Vec<Effect> {
    let Some(row) = model.jobs.batch.as_deref().and_then(opened) else { return Vec::new() };
    let text = match (words::winner(row), &row.error) {
        (Some(prompt), _) => prompt.content.clone(),
        (None, Some(problem)) => problem.detail.clone(),
        (None, None) => return Vec::new(),
    };
    let what = format!("row {}", row.row);
    copy(model, &what, text)
}

/// Shows a page, or why it could not be read.
pub(crate) fn read(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<RowsPage>>) -> Vec<Effect> {
    let now = model.now;
    let Some(batch) = &mut model.jobs.batch else { return Vec::new() };
    let Some(asked) = batch.asked.take_if(|asked| asked.ticket == ticket) else { return Vec::new() };
    batch.arrived = (now, now.saturating_sub(asked.since));
    match outcome {
        Ok(page) => {
            batch.take(asked.to, *page);
            let id = batch.id();
            let state = batch.job.state;
            keep_current(model, id, state);
            reopen(model)
        }
        Err(problem) => {
            batch.problem = Some(problem);
            Vec::new()
        }
    }
}

/// Records the state of a batch in the list, and forgets one of ours that has ended.
fn keep_current(model: &mut Model, id: SessionId, state: JobState) {
    if !state.is_active() {
        model.jobs.own.retain(|own| *own != id);
    }
    if let Some(row) = model.jobs.listed.as_mut().and_then(|listed| listed.jobs.iter_mut().find(|row| row.id == id)) {
        row.state = state;
    }
}

/// Shows a row, or why it could not be read.
pub(crate) fn read_row(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<BatchRow>>) {
    let open = model.jobs.batch.as_mut().and_then(|batch| batch.open.as_mut());
    if let Some(open) = open.filter(|open| open.reading == ticket) {
        open.outcome = Some(outcome);
    }
}

/// Says that a batch of this workbench has ended.
pub(crate) fn ended(model: &mut Model, job: &Job) -> Vec<Effect> {
    let Job { id, state, .. } = *job;
    keep_current(model, id, state);
    let tone = if state == JobState::Finished && job.failed == 0 { Tone::Done } else { Tone::Refused };
    model.say_long(tone, format!("batch {} is {state}: {}", id.short(), words::done(job)));
    if model.screen == ScreenName::Jobs { super::reread(model) } else { Vec::new() }
}

/// Scrolls the marked row into view and clamps the scroll of what is below.
pub(super) fn reflow(model: &mut Model) {
    let Some(here) = here(model) else { return };
    let details = inner(here.details);
    let visible = listed(&here).max(1);
    let below = view::lines(model, details.width, &Theme::mono()).len().saturating_sub(details.height.into());
    let Some(batch) = &mut model.jobs.batch else { return };
    match &mut batch.open {
        Some(open) => open.top = open.top.min(below),
        None => batch.facts_top = batch.facts_top.min(below),
    }
    let all = batch.lines().len();
    batch.marked = batch.marked.min(all.saturating_sub(1));
    let lowest = (batch.marked + 1).saturating_sub(visible);
    batch.top = batch.top.clamp(lowest, batch.marked.max(lowest)).min(all.saturating_sub(visible));
}

/// A click marks the row it hits; on the marked row it opens it.
pub(super) fn click(model: &mut Model, at: Position) -> Vec<Effect> {
    let list = here(model).map(|here| inner(here.list)).filter(|list| list.contains(at));
    let Some((list, batch)) = list.zip(model.jobs.batch.as_mut()) else { return Vec::new() };
    // The first row names the columns.
    let row = usize::from(at.y - list.y).checked_sub(1).map(|row| row + batch.top);
    match row.filter(|row| *row < batch.lines().len()) {
        Some(row) if row == batch.marked && batch.open.is_none() => open(model),
        Some(row) => {
            batch.marked = row;
            reopen(model)
        }
        None => Vec::new(),
    }
}

/// The wheel moves the mark of the list, or scrolls what is below.
pub(super) fn wheel(model: &mut Model, at: Position, direction: isize) -> Vec<Effect> {
    let Some(here) = here(model) else { return Vec::new() };
    if here.list.contains(at) {
        return mark(model, direction);
    }
    if here.details.contains(at) {
        scroll(model, direction.saturating_mul(isize::try_from(NOTCH).unwrap_or(1)));
    }
    Vec::new()
}

/// Rows of the list that can be seen; the first row of it names the columns.
fn listed(here: &ListDetailLayout) -> usize {
    usize::from(inner(here.list).height).saturating_sub(1)
}

fn here(model: &Model) -> Option<ListDetailLayout> {
    layout(model, Rect::new(0, 0, model.size.width, model.size.height))
}

/// The layout. The list leaves an open row the most room.
fn layout(model: &Model, area: Rect) -> Option<ListDetailLayout> {
    let batch = model.jobs.batch.as_ref()?;
    let rows = batch.lines().len();
    let wanted = if batch.open.is_some() { rows.min(BESIDE_OPEN) } else { rows };
    place(area, cells(wanted).saturating_add(3))
}

#[cfg(test)]
mod tests;
