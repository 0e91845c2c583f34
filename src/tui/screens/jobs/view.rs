//! Draws the Jobs from the model. Changes nothing.

use aludel_core::domain::{Job, JobState};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{details, screen_layout};
use crate::tui::model::Model;
use crate::tui::screens::chrome::{self, fitted, header, hints, pane, spinner, too_small};
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::figures::age;
use crate::tui::widgets::safe::{safe, safe_line};
use crate::tui::widgets::wrapped::Wrapped;

/// Columns of a job's id, state, operation, count and age.
const ID: usize = 9;
const STATE: usize = 12;
const OPERATION: usize = 13;
const DONE: usize = 12;
const AGE: usize = 8;
/// Below this many columns, the operation is shown only below the list.
const OPERATIONS: u16 = 76;

/// Draws the screen, without overlays.
pub(crate) fn view(model: &Model, frame: &mut Frame<'_>, theme: &Theme) {
    if let Some(batch) = &model.jobs.batch {
        return super::batch::view::view(model, batch, frame, theme);
    }
    let area = frame.area();
    let Some(place) = screen_layout(model, area) else { return too_small(frame, area, theme) };
    header(model, place.chrome.header, frame, theme);
    list(model, place.list, frame, theme);
    about(model, place.details, frame, theme);
    status(model, place.chrome.status, frame, theme);
    hints(model, place.chrome.hints, frame, theme);
}

fn list(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let jobs = &model.jobs;
    let title = if jobs.all { " Jobs · all " } else { " Jobs · unfinished " };
    let mut block = pane(Line::styled(title, theme.strong), true, theme);
    let said = match &jobs.problem {
        _ if jobs.is_looking() => Some((format!(" {} loading ", spinner(model)), theme.live)),
        Some(problem) => Some((format!(" {} {} ", glyph::FAILED, problem.code), theme.bad)),
        None => None,
    };
    if let Some((said, style)) = said {
        block = block.title_top(Line::styled(said, style).right_aligned());
    }
    let inner = block.inner(area);
    frame.render_widget(block, area);
    if jobs.rows().is_empty() {
        for (row, line) in inner.rows().zip(instead(model, inner, theme)) {
            frame.render_widget(line, row);
        }
        return;
    }
    let mut rows = inner.rows();
    if let Some(row) = rows.next() {
        frame.render_widget(names(inner.width, theme), row);
    }
    let visible = usize::from(inner.height).saturating_sub(1);
    let below = jobs.rows().len().saturating_sub(jobs.top + visible);
    chrome::say_hidden(frame, area, jobs.top, below, theme);
    for (row, (at, job)) in rows.zip(jobs.rows().iter().enumerate().skip(jobs.top)) {
        let is_marked = at == jobs.marked;
        chrome::list_row(frame, row, line(model, job, is_marked, row.width, theme), is_marked, theme);
    }
}

/// The titles of the columns.
fn names(width: u16, theme: &Theme) -> Line<'static> {
    let operation = if width < OPERATIONS { String::new() } else { format!("{:<OPERATION$}", "operation") };
    let text = format!("    {:<ID$}{:<STATE$}{operation}{:<DONE$}{:<AGE$}about", "job", "state", "done", "begun");
    Line::styled(text, theme.muted)
}

/// `▸ ✓ 0e4b0001 finished    generate     3 of 3      5 min   Review pull requests`.
fn line(model: &Model, job: &Job, is_marked: bool, width: u16, theme: &Theme) -> Line<'static> {
    let (sign, style) = sign(model, job.state, theme);
    let operation = if width < OPERATIONS { String::new() } else { fitted(job.operation.as_str(), OPERATION) };
    Line::from(vec![
        Span::styled(if is_marked { format!("{} ", glyph::FLOW) } else { "  ".to_owned() }, theme.strong),
        Span::styled(format!("{sign} "), style),
        Span::styled(fitted(&job.id.short(), ID), theme.strong),
        Span::styled(fitted(job.state.as_str(), STATE), style),
        Span::styled(operation, theme.text),
        Span::styled(fitted(&details::count(job), DONE), theme.text),
        Span::styled(fitted(&begun(model, job), AGE), theme.muted),
        Span::styled(safe_line(&job.about), theme.text),
    ])
}

/// How long ago it began; for a date, only month and day.
fn begun(model: &Model, job: &Job) -> String {
    let age = age(job.created_at, model.jobs.moment(model.now));
    age.split_once('-').map_or_else(|| age.clone(), |(_, day)| day.to_owned())
}

/// The glyph of a state and its style.
fn sign(model: &Model, state: JobState, theme: &Theme) -> (&'static str, Style) {
    match state {
        JobState::Running => (spinner(model), theme.live),
        JobState::Stopping => (spinner(model), theme.warning),
        JobState::Interrupted => (glyph::WARNING, theme.warning),
        JobState::Finished => (glyph::DONE, theme.good),
        JobState::Failed => (glyph::FAILED, theme.bad),
        JobState::Cancelled => (glyph::STOPPED, theme.warning),
    }
}

/// The message shown without any job: loading, an error, or what a job is.
fn instead(model: &Model, area: Rect, theme: &Theme) -> Vec<Line<'static>> {
    let jobs = &model.jobs;
    let mut lines = vec![Line::default()];
    let mut say = |text: &str, style: Style| {
        let wrapped = Wrapped::of(safe(text), area.width.saturating_sub(6));
        lines.extend(wrapped.rows(0).map(|row| Line::styled(format!("   {row}"), style)));
    };
    match (&jobs.problem, &jobs.listed) {
        (Some(problem), _) => {
            say(&problem.detail, theme.text);
            say(&model.spell("\n{reload-jobs} reloads"), theme.muted);
        }
        (None, None) => say("loading the jobs", theme.muted),
        (None, Some(_)) => {
            say(if jobs.all { "No jobs yet." } else { "No unfinished jobs." }, theme.text);
            say(&format!("\n{WHAT}"), theme.muted);
            say(&model.spell("\n{start-batch} makes a batch: prompts for all rows of a file."), theme.muted);
            if !jobs.all {
                say(&model.spell("{all-jobs} shows finished jobs as well."), theme.muted);
            }
        }
    }
    lines
}

/// What a job is, and how one is created.
const WHAT: &str = "A run or a judging that asks a model is a job. It is listed here whichever command, server or workbench \
                    began it, and can be stopped from here. One that was stopped, has failed or lost its process can be \
                    resumed: what is done is not done again.";

fn about(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let Some(job) = model.jobs.marked() else { return };
    let title = format!(" {} ", job.id.short());
    let block = pane(Line::styled(title, theme.strong), false, theme);
    let inner = block.inner(area);
    let lines = details::lines(model, inner.width, theme);
    let top = model.jobs.details_top;
    let below = lines.len().saturating_sub(top + usize::from(inner.height));
    frame.render_widget(block, area);
    chrome::say_hidden(frame, area, top, below, theme);
    for (row, line) in inner.rows().zip(lines.into_iter().skip(top)) {
        frame.render_widget(line, row);
    }
}

/// The numbers of active and resumable jobs; a passing message or the run on the right.
fn status(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let rows = model.jobs.rows();
    let active = rows.iter().filter(|job| job.state.is_active()).count();
    let resumable = rows.iter().filter(|job| job.state.is_resumable()).count();
    let said = format!(" {active} running · {resumable} can be resumed");
    let left = if rows.is_empty() { Vec::new() } else { vec![Span::styled(said, theme.muted)] };
    chrome::run_status(model, left, area, frame, theme);
}
