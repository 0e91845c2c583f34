//! The Spending: what the calls of a period cost, and what may still be spent.
//!
//! This file performs the actions (`act`), says when one is unavailable ([`refusal`]) and handles
//! replies; [`view`] draws.

pub(crate) mod view;

use aludel_core::domain::SpendBy;
use ratatui::layout::{Position, Rect};

use super::chrome::inner;
use super::place::{ListDetailLayout, place};
use super::{half, page};
use crate::tui::action::{Action, Context, ScreenName};
use crate::tui::effect::{CoreEffect, CoreResult, Effect, Query, Ticket};
use crate::tui::model::Model;
use crate::tui::model::spend::Spent;
use crate::tui::widgets::cells;

/// Why `action` cannot be done now; `None` when it can.
pub(crate) fn refusal(model: &Model, action: Action) -> Option<&'static str> {
    let spend = &model.spend;
    match action {
        Action::Reload => spend.asked.map(|_| "the totals are being computed"),
        Action::Down | Action::Up | Action::HalfDown | Action::HalfUp | Action::PageDown | Action::PageUp => {
            (spend.lines() == 0).then_some("there is nothing to scroll")
        }
        Action::Top | Action::Bottom => (spend.lines() == 0).then_some("there is nothing to scroll"),
        Action::Zoom => Some("this screen has no pane to zoom"),
        Action::FocusNext | Action::FocusPrevious => Some("there is only one list here"),
        Action::Copy => Some("no prompt is marked"),
        _ if !action.info().works_in(Context::Spend) => Some("there is no text to edit here"),
        _ => None,
    }
}

/// Opens the screen and reloads it.
pub(crate) fn enter(model: &mut Model) -> Vec<Effect> {
    model.screen = ScreenName::Spend;
    ask(model)
}

/// Requests the chosen range and grouping. A reply to an earlier request is ignored from now on.
fn ask(model: &mut Model) -> Vec<Effect> {
    let spend = &mut model.spend;
    let ticket = spend.ticket();
    spend.asked = Some(ticket);
    let inquiry = Query::Spend { range: spend.range, by: spend.by };
    vec![CoreEffect::RunQuery { ticket, inquiry }.into()]
}

/// Performs `action`, which [`refusal`] allows.
pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let height = visible(model);
    match action {
        Action::Reload => return ask(model),
        Action::SpendRange => {
            model.spend.range = model.spend.range.next();
            return ask(model);
        }
        Action::SpendGroup => {
            let at = SpendBy::ALL.iter().position(|by| *by == model.spend.by).unwrap_or(0);
            model.spend.by = SpendBy::ALL[(at + 1) % SpendBy::ALL.len()];
            model.spend.top = 0;
            return ask(model);
        }
        Action::Down => scroll(model, 1),
        Action::Up => scroll(model, -1),
        Action::HalfDown => scroll(model, half(height)),
        Action::HalfUp => scroll(model, -half(height)),
        Action::PageDown => scroll(model, page(height)),
        Action::PageUp => scroll(model, -page(height)),
        Action::Top => scroll(model, isize::MIN),
        Action::Bottom => scroll(model, isize::MAX),
        Action::Back | Action::BackOrQuit => model.screen = ScreenName::Work,
        _ => {}
    }
    Vec::new()
}

fn scroll(model: &mut Model, rows: isize) {
    model.spend.top = model.spend.top.saturating_add_signed(rows);
}

/// The wheel scrolls the list.
pub(crate) fn wheel(model: &mut Model, direction: isize) {
    scroll(model, direction);
}

/// A click on the title changes the part it hits: the grouping or the range.
pub(crate) fn click(model: &mut Model, at: Position) -> Vec<Effect> {
    let Some(list) = screen_layout(model, Rect::new(0, 0, model.size.width, model.size.height)).map(|place| place.list)
    else {
        return Vec::new();
    };
    let [by, range] = title(model).map(|part| part.chars().count());
    // The title begins after the corner.
    let column = usize::from(at.x.saturating_sub(list.x + 1));
    match column {
        _ if at.y != list.y || at.x <= list.x => Vec::new(),
        column if column < by => act(model, Action::SpendGroup),
        column if column < by + range => act(model, Action::SpendRange),
        _ => Vec::new(),
    }
}

/// The title of the list in two parts: ` Spent by model ·`, ` last week `.
fn title(model: &Model) -> [String; 2] {
    [format!(" Spent by {} ·", model.spend.by.as_str()), format!(" {} ", model.spend.range.name())]
}

/// Shows what was spent.
pub(crate) fn take_in(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<Spent>>) {
    let spend = &mut model.spend;
    if spend.asked != Some(ticket) {
        return;
    }
    spend.asked = None;
    match outcome {
        Ok(spent) => {
            spend.spent = Some(spent);
            spend.problem = None;
        }
        Err(problem) => spend.problem = Some(problem),
    }
}

/// Clamps the scroll of the list.
pub(super) fn reflow(model: &mut Model) {
    let visible = visible(model);
    let spend = &mut model.spend;
    spend.top = spend.top.min(spend.lines().saturating_sub(visible));
}

/// Visible rows of the list, without the column titles and the sum.
fn visible(model: &Model) -> usize {
    let place = screen_layout(model, Rect::new(0, 0, model.size.width, model.size.height));
    place.map_or(1, |place| usize::from(inner(place.list).height).saturating_sub(2).max(1))
}

fn screen_layout(model: &Model, area: Rect) -> Option<ListDetailLayout> {
    place(area, cells(model.spend.lines()).saturating_add(4))
}

#[cfg(test)]
mod tests;
