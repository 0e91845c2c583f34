//! The Judge: which of several prompts is best, each comparison as it arrives, how sure it is.
//!
//! This file performs the actions. The layout is in [`layout()`], the drawing in [`view`].

pub(crate) mod layout;
pub(crate) mod view;

use aludel_core::domain::PromptId;
use ratatui::layout::{Position, Rect};
use serde_json::json;

use super::chrome::inner;
use super::{copy, half, open_in_composer, page};
use crate::tui::action::{Action, ScreenName};
use crate::tui::effect::{CoreEffect, Effect, HistoryCommand};
use crate::tui::model::judge::{After, JudgingView};
use crate::tui::model::{Asking, Chosen, Judge, Model, Overlay, Tone};
use crate::tui::widgets::figures::writer;
use layout::{Layout, layout};

/// The tag that the winner gets.
const WINNER: &str = "winner";

/// Why `action` cannot be done now; `None` when it can.
pub(crate) fn refusal(model: &Model, action: Action) -> Option<&'static str> {
    const EMPTY: &str = "no judgement yet; {mark} marks prompts, {judge} has the judge choose";
    const RUNS: &str = "the judge is running; {stop-or-quit} stops it";
    let judge = &model.judge;
    match action {
        Action::AcceptWinner => match (judge.live(), judge.winner()) {
            (Some(_), _) => Some("the judge is running"),
            (None, None) => Some("there is no winner"),
            (None, Some(_)) => None,
        },
        Action::EditTask if judge.live().is_some() => Some(RUNS),
        Action::OpenCandidate | Action::Copy | Action::TagCandidate => match judge.marked_prompt() {
            None => Some(EMPTY),
            Some(_) if judge.live().is_some() => Some("the judge is running"),
            Some(_) => None,
        },
        Action::EditTask | Action::Down | Action::Up => judge.prompts.is_empty().then_some(EMPTY),
        Action::HalfDown | Action::HalfUp | Action::PageDown | Action::PageUp | Action::Top | Action::Bottom => {
            (judge.said_rows() == 0).then_some("nothing there yet")
        }
        Action::FocusNext | Action::FocusPrevious | Action::Zoom => Some("there is only one pane"),
        _ => None,
    }
}

/// Performs `action`, which [`refusal`] allows.
pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let height = usize::from(inner(here(model).said).height);
    match action {
        Action::Back | Action::BackOrQuit => model.screen = ScreenName::Work,
        Action::Down => model.judge.marked = (model.judge.marked + 1).min(model.judge.prompts.len().saturating_sub(1)),
        Action::Up => model.judge.marked = model.judge.marked.saturating_sub(1),
        Action::HalfDown => scroll(model, half(height)),
        Action::HalfUp => scroll(model, -half(height)),
        Action::PageDown => scroll(model, page(height)),
        Action::PageUp => scroll(model, -page(height)),
        Action::Top => scroll(model, isize::MIN),
        Action::Bottom => scroll(model, isize::MAX),
        Action::EditTask => {
            let task = model.judge.task.clone().unwrap_or_default();
            model.overlay = Some(Overlay::Ask(Box::new(Asking::task(&task))));
        }
        Action::AcceptWinner => return accept(model),
        Action::TagCandidate => return read_then(model, After::Tag),
        Action::Copy => return read_then(model, After::Copy),
        Action::OpenCandidate => return read_then(model, After::Open),
        _ => {}
    }
    Vec::new()
}

/// Opens the screen with these prompts and starts judging.
pub(crate) fn begin(model: &mut Model, prompts: Vec<Chosen>) -> Vec<Effect> {
    // Keep the task if the prompts are the same.
    let ids = |prompts: &[Chosen]| prompts.iter().map(|chosen| chosen.id).collect::<std::collections::BTreeSet<_>>();
    let task = model.judge.task.take().filter(|_| ids(&model.judge.prompts) == ids(&prompts));
    model.judge = Judge::of(prompts, task);
    model.screen = ScreenName::Judge;
    ask(model, None)
}

/// Judges the prompts on the screen, with this budget if one is needed.
pub(crate) fn ask(model: &mut Model, budget_usd: Option<f64>) -> Vec<Effect> {
    let (ticket, now) = (model.ticket(), model.now);
    model.judge.begin(ticket, now);
    vec![CoreEffect::Select { ticket, raw: model.judge.request(budget_usd) }.into()]
}

/// Judges again by the task that was typed.
pub(crate) fn with_task(model: &mut Model, task: &str) -> Vec<Effect> {
    let task = task.trim();
    model.judge.task = (!task.is_empty()).then(|| task.to_owned());
    ask(model, None)
}

/// Continues with a candidate that was read.
pub(crate) fn go_on(model: &mut Model, after: After, prompt: &aludel_core::domain::Prompt) -> Vec<Effect> {
    let label = model.judge.label(prompt.id);
    match after {
        After::Tag => model.overlay = Some(Overlay::Ask(Box::new(Asking::tags(prompt)))),
        After::Copy => return copy(model, &format!("prompt {label}"), prompt.content.clone()),
        After::Open => open_in_composer(model, &format!("prompt {label} is"), &prompt.content),
        After::Accept if prompt.tags.iter().any(|tag| tag == WINNER) => {
            model.say(Tone::Done, format!("{label} has the tag `{WINNER}` already"));
        }
        After::Accept => {
            let mut tags = prompt.tags.clone();
            tags.push(WINNER.to_owned());
            let ticket = model.history.ticket();
            let raw = json!({ "prompt_id": prompt.id, "revision": prompt.revision, "tags": tags });
            return vec![CoreEffect::History { ticket, command: HistoryCommand::Update(raw) }.into()];
        }
    }
    Vec::new()
}

/// Rewraps the comparisons.
pub(super) fn reflow(model: &mut Model) {
    let inner = inner(here(model).said);
    model.judge.reflow(inner.width.saturating_sub(2).max(1), inner.height.into());
}

/// The judge's provider and model, for the title of the table.
pub(crate) fn judge_name(judged: &JudgingView) -> Option<String> {
    let metadata = &judged.result()?.model_metadata;
    Some(writer(&metadata.provider, &metadata.model))
}

/// A click marks the row it hits.
pub(crate) fn click(model: &mut Model, at: Position) -> Vec<Effect> {
    let table = inner(here(model).table);
    // The first row names the columns.
    let row = table.contains(at).then(|| usize::from(at.y - table.y).checked_sub(1)).flatten();
    let row = row.map(|row| row + first_row(model, table.height));
    if let Some(row) = row.filter(|row| *row < model.judge.prompts.len()) {
        model.judge.marked = row;
    }
    Vec::new()
}

/// The wheel moves the mark of the table.
pub(crate) fn wheel(model: &mut Model, at: Position, direction: isize) {
    if here(model).table.contains(at) {
        let last = model.judge.prompts.len().saturating_sub(1);
        model.judge.marked = model.judge.marked.saturating_add_signed(direction).min(last);
    }
}

/// The first visible candidate, in a table of `height` rows that shows the marked one.
fn first_row(model: &Model, height: u16) -> usize {
    let visible = usize::from(height).saturating_sub(1).max(1);
    (model.judge.marked + 1).saturating_sub(visible)
}

fn here(model: &Model) -> Layout {
    layout(model, Rect::new(0, 0, model.size.width, model.size.height))
}

fn accept(model: &mut Model) -> Vec<Effect> {
    model.judge.winner().map_or_else(Vec::new, |id| read_prompt(model, id, After::Accept))
}

/// Reads the marked candidate first: its tags may have changed since it was judged.
fn read_then(model: &mut Model, after: After) -> Vec<Effect> {
    let marked = model.judge.marked_prompt();
    marked.map_or_else(Vec::new, |chosen| read_prompt(model, chosen.id, after))
}

/// Reads a prompt and then asks for its tags.
pub(super) fn ask_tags(model: &mut Model, id: PromptId) -> Vec<Effect> {
    read_prompt(model, id, After::Tag)
}

fn read_prompt(model: &mut Model, id: PromptId, after: After) -> Vec<Effect> {
    let ticket = model.history.ticket();
    model.judge.reading = Some((ticket, after));
    vec![CoreEffect::History { ticket, command: HistoryCommand::Read(id) }.into()]
}

fn scroll(model: &mut Model, by: isize) {
    // The end is known only once the rows are wrapped.
    let last = model.judge.said_rows();
    model.judge.top = model.judge.top.saturating_add_signed(by).min(last);
}

#[cfg(test)]
mod tests;
