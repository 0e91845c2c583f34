//! Compare: several prompts by their measures, two of them word by word.
//!
//! This file performs the actions and handles replies; [`layout()`] places, [`view`] draws.

pub(crate) mod layout;
pub(crate) mod view;

use aludel_core::domain::CompareResult;
use ratatui::layout::{Position, Rect};
use serde_json::json;

use super::chrome::inner;
use super::{copy, half, open_in_composer, page};
use crate::tui::action::{Action, ScreenName};
use crate::tui::effect::{CoreEffect, CoreResult, Effect, Ticket};
use crate::tui::model::compare::Arrangement;
use crate::tui::model::{Chosen, Compare, Model};
use layout::{Layout, layout};

/// Why `action` cannot be done now; `None` when it can.
pub(crate) fn refusal(model: &Model, action: Action) -> Option<&'static str> {
    const EMPTY: &str = "nothing is compared yet; {mark} marks prompts, {compare} compares them";
    let compare = &model.compare;
    match action {
        Action::Copy | Action::OpenCompared => other(model).is_none().then_some(EMPTY),
        Action::ChangeNext | Action::ChangePrevious => match &compare.pair {
            None => Some(EMPTY),
            Some((beside, _)) if beside.changes() == 0 => Some("there is no difference"),
            Some(_) => None,
        },
        Action::OtherNext => match compare.prompts.len() {
            0 | 1 => Some(EMPTY),
            2 => Some("only two prompts are compared"),
            _ => None,
        },
        Action::SwapBase => compare.two().is_none().then_some(EMPTY),
        Action::Arrangement
        | Action::Down
        | Action::Up
        | Action::HalfDown
        | Action::HalfUp
        | Action::PageDown
        | Action::PageUp
        | Action::Top
        | Action::Bottom
        | Action::Zoom => compare.pair.is_none().then_some(EMPTY),
        Action::FocusNext | Action::FocusPrevious => Some("there is only one pane"),
        _ => None,
    }
}

/// Performs `action`, which [`refusal`] allows.
pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let height = usize::from(here(model).inner().height);
    match action {
        Action::Back | Action::BackOrQuit if model.compare.zoom => model.compare.zoom = false,
        Action::Back | Action::BackOrQuit => model.screen = ScreenName::Work,
        Action::Zoom => model.compare.zoom = !model.compare.zoom,
        Action::Arrangement => {
            let now = here(model).arrangement;
            model.compare.chosen = Some(match now {
                Arrangement::SideBySide => Arrangement::Unified,
                Arrangement::Unified => Arrangement::SideBySide,
            });
            // The rows are different now; keep the current change in sight.
            reflow(model);
            go_to_change(model, model.compare.change, height);
        }
        Action::SwapBase => {
            let compare = &mut model.compare;
            std::mem::swap(&mut compare.base, &mut compare.other);
            return ask_pair(model);
        }
        Action::OtherNext => {
            model.compare.choose_other(1);
            return ask_pair(model);
        }
        Action::ChangeNext => {
            let next = model.compare.change.map_or(0, |change| change + 1);
            go_to_change(model, Some(next), height);
        }
        Action::ChangePrevious => {
            let before = model.compare.change.map_or(0, |change| change.saturating_sub(1));
            go_to_change(model, Some(before), height);
        }
        Action::Down => scroll(model, 1, height),
        Action::Up => scroll(model, -1, height),
        Action::HalfDown => scroll(model, half(height), height),
        Action::HalfUp => scroll(model, -half(height), height),
        Action::PageDown => scroll(model, page(height), height),
        Action::PageUp => scroll(model, -page(height), height),
        Action::Top => scroll(model, isize::MIN, height),
        Action::Bottom => scroll(model, isize::MAX, height),
        Action::Copy => {
            let found = other(model);
            return found.map_or_else(Vec::new, |(label, text)| copy(model, &format!("prompt {label}"), text));
        }
        Action::OpenCompared => {
            if let Some((label, text)) = other(model) {
                open_in_composer(model, &format!("prompt {label} is"), &text);
            }
        }
        _ => {}
    }
    Vec::new()
}

/// Opens the screen with these prompts, and requests their differences.
pub(crate) fn begin(model: &mut Model, prompts: Vec<Chosen>) -> Vec<Effect> {
    let chosen = model.compare.chosen;
    model.compare = Compare { prompts, other: 1, chosen, ..Compare::default() };
    model.screen = ScreenName::Compare;
    let mut effects = ask_pair(model);
    if model.compare.prompts.len() > 2 {
        let ids: Vec<_> = model.compare.prompts.iter().map(|chosen| chosen.id).collect();
        let ticket = model.ticket();
        model.compare.asked = Some(ticket);
        effects.push(CoreEffect::Compare { ticket, raw: json!({ "prompt_ids": ids }) }.into());
    }
    effects
}

/// Handles a reply.
pub(crate) fn take_in(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<CompareResult>>) {
    let compare = &mut model.compare;
    let is_pair = compare.asked_pair == Some(ticket);
    if !is_pair && compare.asked != Some(ticket) {
        return;
    }
    if is_pair {
        compare.asked_pair = None;
    } else {
        compare.asked = None;
    }
    match outcome {
        Err(problem) => compare.problem = Some(problem),
        Ok(result) => {
            if is_pair {
                compare.take_pair(&result);
            }
            // The pair has measures even if those of all prompts failed.
            if !is_pair || compare.measured.as_ref().is_none_or(|measured| measured.prompts.len() <= 2) {
                compare.measured = Some(result);
            }
        }
    }
}

/// Rewraps the two texts and clamps the scroll.
pub(super) fn reflow(model: &mut Model) {
    let layout = here(model);
    let height = usize::from(layout.inner().height);
    let compare = &mut model.compare;
    if let Some((beside, _)) = &mut compare.pair {
        beside.reflow(layout.arrangement, layout.column());
        compare.top = compare.top.min(beside.len().saturating_sub(height));
    }
}

/// A click on a row of the measures puts its prompt on the right.
pub(crate) fn click(model: &mut Model, at: Position) -> Vec<Effect> {
    let table = inner(here(model).table);
    let compare = &model.compare;
    let Some(measured) = compare.measured.as_ref().filter(|_| table.contains(at)) else { return Vec::new() };
    // The first row names the columns.
    let row = usize::from(at.y - table.y).checked_sub(1).map(|row| row + first_measured(model, table.height));
    let prompt = row.and_then(|row| measured.prompts.get(row));
    let hit = prompt.and_then(|prompt| compare.prompts.iter().position(|chosen| chosen.id == prompt.id));
    match hit.filter(|hit| ![compare.base, compare.other].contains(hit)) {
        Some(hit) => {
            model.compare.other = hit;
            ask_pair(model)
        }
        None => Vec::new(),
    }
}

/// The first visible row of the measures, in a table of `height` rows that shows the right prompt.
fn first_measured(model: &Model, height: u16) -> usize {
    model.compare.other.saturating_sub(usize::from(height).saturating_sub(2))
}

fn here(model: &Model) -> Layout {
    layout(model, Rect::new(0, 0, model.size.width, model.size.height))
}

fn ask_pair(model: &mut Model) -> Vec<Effect> {
    let Some(ids) = model.compare.two().map(|(base, other)| [base.id, other.id]) else { return Vec::new() };
    let ticket = model.ticket();
    model.compare.asked_pair = Some(ticket);
    model.compare.problem = None;
    vec![CoreEffect::Compare { ticket, raw: json!({ "prompt_ids": ids }) }.into()]
}

/// The label and the text of the prompt on the right.
fn other(model: &Model) -> Option<(String, String)> {
    let (_, other) = model.compare.two()?;
    let prompts = &model.compare.measured.as_ref()?.prompts;
    let prompt = prompts.iter().find(|prompt| prompt.id == other.id)?;
    Some((other.label.clone(), prompt.content.clone()))
}

fn scroll(model: &mut Model, by: isize, height: usize) {
    let compare = &mut model.compare;
    let rows = compare.pair.as_ref().map_or(0, |(beside, _)| beside.len());
    compare.top = compare.top.saturating_add_signed(by).min(rows.saturating_sub(height));
}

/// Scrolls to a change, a third from the top.
fn go_to_change(model: &mut Model, change: Option<usize>, height: usize) {
    let compare = &mut model.compare;
    let (Some(change), Some((beside, _))) = (change, &compare.pair) else { return };
    let change = change.min(beside.changes().saturating_sub(1));
    if let Some(row) = beside.row_of_change(change) {
        compare.change = Some(change);
        compare.top = row.saturating_sub(height / 3).min(beside.len().saturating_sub(height));
    }
}

#[cfg(test)]
mod tests;
