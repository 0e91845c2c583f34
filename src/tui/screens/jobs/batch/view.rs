//! Draws a batch from the model. Changes nothing.

use aludel_core::domain::{BatchRow, JobState, RowStatus};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::layout;
use crate::tui::batch::words;
use crate::tui::model::Model;
use crate::tui::model::batch::{Batch, OpenRow, RowLine};
use crate::tui::screens::chrome::{self, fitted, header, hints, pane, spinner, too_small};
use crate::tui::screens::facts::FactRows;
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::figures::{cost, score, thousands, writer};
use crate::tui::widgets::safe::safe;
use crate::tui::widgets::wrapped::Wrapped;

/// Columns of a row's number, its id and its status.
const ROW: usize = 10;
const ID: usize = 16;
const STATUS: usize = 8;
/// Most characters of an error.
const SHOWN: usize = 20_000;

/// Draws the screen, without overlays.
pub(crate) fn view(model: &Model, batch: &Batch, frame: &mut Frame<'_>, theme: &Theme) {
    let area = frame.area();
    let Some(place) = layout(model, area) else { return too_small(frame, area, theme) };
    header(model, place.chrome.header, frame, theme);
    list(model, batch, place.list, frame, theme);
    below(model, batch, place.details, frame, theme);
    let said = format!(" {}", words::done(&batch.job));
    chrome::run_status(model, vec![Span::styled(said, theme.muted)], place.chrome.status, frame, theme);
    hints(model, place.chrome.hints, frame, theme);
}

fn list(model: &Model, batch: &Batch, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let place = batch.place().map_or_else(String::new, |place| format!(" · {place}"));
    let title = format!(" Batch {}{place}, failed first ", batch.id().short());
    let mut block = pane(Line::styled(title, theme.strong), true, theme);
    let said = match &batch.problem {
        Some(problem) => Some((format!(" {} {} ", glyph::FAILED, problem.code), theme.bad)),
        None if batch.page.is_none() => Some((format!(" {} loading ", spinner(model)), theme.live)),
        None => None,
    };
    if let Some((said, style)) = said {
        block = block.title_top(Line::styled(said, style).right_aligned());
    }
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let mut rows = inner.rows();
    let Some(first) = rows.next() else { return };
    if batch.lines().is_empty() {
        frame.render_widget(Line::styled(format!(" {}", instead(batch)), theme.muted), first);
        return;
    }
    let names = format!("    {:<ROW$}{:<ID$}{:<STATUS$}error or best prompt", "row", "id", "status");
    frame.render_widget(Line::styled(names, theme.muted), first);
    let visible = usize::from(inner.height).saturating_sub(1);
    let hidden = batch.lines().len().saturating_sub(batch.top + visible);
    chrome::say_hidden(frame, area, batch.top, hidden, theme);
    for (row, (at, line)) in rows.zip(batch.lines().iter().enumerate().skip(batch.top)) {
        let is_marked = at == batch.marked;
        chrome::list_row(frame, row, row_line(line, is_marked, theme), is_marked, theme);
    }
}

/// What is said in place of rows.
fn instead(batch: &Batch) -> String {
    match (&batch.problem, &batch.page) {
        (Some(problem), _) => safe(&problem.detail).replace('\n', " "),
        (None, None) => "reading the rows".to_owned(),
        (None, Some(_)) => "no row is done yet".to_owned(),
    }
}

/// `▸ ✗ 7         boat            failed  the provider refused the request`.
fn row_line(line: &RowLine, is_marked: bool, theme: &Theme) -> Line<'static> {
    let (sign, style) = sign(line.status, theme);
    Line::from(vec![
        Span::styled(if is_marked { format!("{} ", glyph::FLOW) } else { "  ".to_owned() }, theme.strong),
        Span::styled(format!("{sign} "), style),
        Span::styled(fitted(&thousands(line.row), ROW), theme.strong),
        Span::styled(fitted(&line.id, ID), theme.text),
        Span::styled(fitted(line.status.as_str(), STATUS), style),
        Span::styled(line.text.clone(), theme.text),
    ])
}

fn sign(status: RowStatus, theme: &Theme) -> (&'static str, Style) {
    match status {
        RowStatus::Ok => (glyph::DONE, theme.good),
        RowStatus::Failed => (glyph::FAILED, theme.bad),
    }
}

/// The open row, or the facts of the batch.
fn below(model: &Model, batch: &Batch, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let (title, top) = match &batch.open {
        Some(open) => (format!(" Row {} ", thousands(open.row)), open.top),
        None => (" Progress ".to_owned(), batch.facts_top),
    };
    let block = pane(Line::styled(title, theme.strong), false, theme);
    let inner = block.inner(area);
    let lines = lines(model, inner.width, theme);
    let hidden = lines.len().saturating_sub(top + usize::from(inner.height));
    frame.render_widget(block, area);
    chrome::say_hidden(frame, area, top, hidden, theme);
    for (row, line) in inner.rows().zip(lines.into_iter().skip(top)) {
        frame.render_widget(line, row);
    }
}

/// All rows of what is below the list, of at most `width` columns.
pub(super) fn lines(model: &Model, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let Some(batch) = &model.jobs.batch else { return Vec::new() };
    match &batch.open {
        Some(open) => open_row(open, width, theme),
        None => facts(model, batch, width, theme),
    }
}

/// State, progress, cost, and what the batch was asked for.
fn facts(model: &Model, batch: &Batch, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut facts = FactRows::new(width, theme);
    let job = &batch.job;
    if let Some((_, problem)) = model.jobs.refused.as_ref().filter(|(id, _)| *id == job.id) {
        facts.say("not done", &format!("{} {} ({})", glyph::FAILED, problem.detail, problem.code), theme.bad);
    }
    let (sign, says, style) = match job.state {
        JobState::Running => (spinner(model), ": {stop-batch} stops it", theme.live),
        JobState::Stopping => (spinner(model), ": what is done is kept", theme.live),
        JobState::Interrupted => (glyph::WARNING, ": its process is gone; {resume-batch} resumes it", theme.warning),
        JobState::Finished => (glyph::DONE, "", theme.good),
        JobState::Failed => (glyph::FAILED, ": {resume-batch} resumes it", theme.bad),
        JobState::Cancelled => (glyph::STOPPED, ": {resume-batch} resumes it", theme.warning),
    };
    facts.say("state", &format!("{sign} {}{}", job.state, model.spell(says)), style);
    if let Some(error) = batch.page.as_ref().and_then(|page| words::error(&page.details)) {
        facts.say("error", &cut(&error), theme.bad);
    }
    facts.say("rows", &words::done(job), theme.text);
    if let Some(pace) = batch.pace().and_then(|(rows, elapsed_ms)| words::pace(job, rows, elapsed_ms)) {
        facts.say("rate", &pace, theme.text);
    }
    let Some(page) = &batch.page else { return facts.into_lines() };
    facts.say("cost", &words::spent(&page.details, page.calls, page.most_usd), theme.text);
    facts.say("about", &job.about, theme.text);
    for (at, setting) in words::settings(&page.details.request).iter().enumerate() {
        facts.say(if at == 0 { "request" } else { "" }, setting, theme.text);
    }
    facts.say("attempt", &thousands(job.attempt.into()), theme.text);
    facts.say("owner", job.owner.as_deref().unwrap_or("nobody"), theme.text);
    facts.say("id", &job.id.to_string(), theme.muted);
    facts.into_lines()
}

/// The error of a row, or its best prompt.
fn open_row(open: &OpenRow, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut facts = FactRows::new(width, theme);
    let row = match &open.outcome {
        None => {
            facts.say("row", "reading it", theme.muted);
            return facts.into_lines();
        }
        Some(Err(problem)) => {
            facts.say("row", &format!("{} {}", glyph::FAILED, problem.detail), theme.bad);
            return facts.into_lines();
        }
        Some(Ok(row)) => row,
    };
    let (sign, style) = sign(row.status, theme);
    facts.say("status", &format!("{sign} {}", row.status.as_str()), style);
    if row.id != row.row.to_string() {
        facts.say("id", &row.id, theme.text);
    }
    if let Some(problem) = &row.error {
        facts.say("error", &format!("{} ({})", cut(&problem.detail), problem.code), theme.bad);
        for fault in &problem.errors {
            facts.say("", &cut(&fault.to_string()), theme.bad);
        }
        if let Some(provider) = &problem.provider {
            facts.say("provider", provider, theme.text);
        }
    }
    let mut lines = facts.into_lines();
    lines.extend(winner(row, width, theme));
    lines
}

/// The best prompt of a row: where it is from, and its text.
fn winner(row: &BatchRow, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let Some((prompt, result)) = words::winner(row).zip(row.result.as_ref()) else { return Vec::new() };
    let mut facts = FactRows::new(width, theme);
    let points = prompt.score.map_or_else(String::new, |points| format!(", score {}", score(points)));
    let by = writer(&prompt.provider, &prompt.model);
    facts.say("best", &format!("{}{points}, {}, by {by}", prompt.id.short(), prompt.strategy), theme.text);
    facts.say("cost", &cost(&result.model_metadata), theme.text);
    for warning in &result.warnings {
        facts.say("warning", warning, theme.warning);
    }
    facts.gap();
    let mut lines = facts.into_lines();
    let text = Wrapped::of(safe(&prompt.content), width.saturating_sub(2).max(1));
    lines.extend(text.rows(0).map(|row| Line::styled(format!(" {row}"), theme.text)));
    lines
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
