//! The Providers: all of them, how each is set up, and what is missing if one cannot be used.
//!
//! This file performs the actions (`act`), says when one is unavailable ([`refusal`]) and handles
//! replies; [`view`] draws. Only a test calls a provider, so its key is a capital letter.

mod details;
pub(crate) mod view;

use ratatui::layout::{Position, Rect};

use super::chrome::inner;
use super::place::{ListDetailLayout, place};
use super::pointer::NOTCH;
use super::{half, page};
use crate::tui::action::{Action, ScreenName};
use crate::tui::effect::{CoreEffect, CoreResult, Effect, Query, Ticket};
use crate::tui::model::providers::Test;
use crate::tui::model::{Model, Tone};
use crate::tui::theme::Theme;
use crate::tui::widgets::cells;
use aludel_core::domain::ProviderTest;
use aludel_core::engine::ProviderDetails;

/// Why `action` cannot be done now; `None` when it can.
pub(crate) fn refusal(model: &Model, action: Action) -> Option<&'static str> {
    const NO_TEXT: &str = "there is no text to edit here";
    let providers = &model.providers;
    match action {
        Action::TestProvider => match (providers.marked(), providers.test()) {
            (None, _) => Some("no provider is selected"),
            (_, Some(Test::Waiting(_))) => Some("it is being tested"),
            (Some(facts), _) if !facts.info.available => Some("it cannot be used yet; the reason is below"),
            _ => None,
        },
        Action::Reload => providers.asked.map(|_| "it is still loading"),
        Action::Down | Action::Up | Action::Top | Action::Bottom => {
            providers.rows().is_empty().then_some("the list is empty")
        }
        Action::HalfDown | Action::HalfUp | Action::PageDown | Action::PageUp => {
            providers.marked().is_none().then_some("there is nothing to scroll")
        }
        Action::Zoom => Some("this screen has no pane to zoom"),
        Action::FocusNext | Action::FocusPrevious => Some("there is only one list here"),
        Action::Copy => Some("no prompt is marked"),
        _ if !action.info().works_in(crate::tui::action::Context::Providers) => Some(NO_TEXT),
        _ => None,
    }
}

/// Opens the screen and reloads it: the configuration is fixed, but local providers come and go.
pub(crate) fn enter(model: &mut Model) -> Vec<Effect> {
    model.screen = ScreenName::Providers;
    if model.providers.asked.is_some() { Vec::new() } else { ask(model) }
}

fn ask(model: &mut Model) -> Vec<Effect> {
    let ticket = model.providers.ticket();
    model.providers.asked = Some(ticket);
    vec![CoreEffect::RunQuery { ticket, inquiry: Query::Providers }.into()]
}

/// Performs `action`, which [`refusal`] allows.
pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let height = usize::from(here(model).map_or(1, |place| inner(place.details).height));
    match action {
        Action::Reload => return ask(model),
        Action::TestProvider => return test(model),
        Action::Down => mark(model, |_, marked| marked + 1),
        Action::Up => mark(model, |_, marked| marked.saturating_sub(1)),
        Action::Top => mark(model, |_, _| 0),
        Action::Bottom => mark(model, |last, _| last),
        Action::HalfDown => scroll(model, half(height)),
        Action::HalfUp => scroll(model, -half(height)),
        Action::PageDown => scroll(model, page(height)),
        Action::PageUp => scroll(model, -page(height)),
        Action::Back | Action::BackOrQuit => model.screen = ScreenName::Work,
        _ => {}
    }
    Vec::new()
}

fn mark(model: &mut Model, to: impl FnOnce(usize, usize) -> usize) {
    let providers = &mut model.providers;
    let last = providers.rows().len().saturating_sub(1);
    let marked = to(last, providers.marked).min(last);
    if marked != providers.marked {
        providers.marked = marked;
        providers.details_top = 0;
    }
}

fn scroll(model: &mut Model, rows: isize) {
    model.providers.details_top = model.providers.details_top.saturating_add_signed(rows);
}

/// Makes a real call to the marked provider.
fn test(model: &mut Model) -> Vec<Effect> {
    let Some(name) = model.providers.marked().map(|facts| facts.info.name.clone()) else { return Vec::new() };
    let ticket = model.providers.ticket();
    model.providers.tests.insert(name.clone(), Test::Waiting(ticket));
    model.providers.details_top = 0;
    vec![CoreEffect::RunQuery { ticket, inquiry: Query::TestProvider(name) }.into()]
}

/// Shows the list of providers.
pub(crate) fn listed(model: &mut Model, ticket: Ticket, rows: Vec<ProviderDetails>) {
    let providers = &mut model.providers;
    if providers.asked != Some(ticket) {
        return;
    }
    providers.asked = None;
    let marked = providers.marked().map(|facts| facts.info.name.clone());
    let kept = marked.and_then(|name| rows.iter().position(|facts| facts.info.name == name));
    providers.rows = Some(rows);
    providers.marked = kept.unwrap_or(0);
}

/// Shows the result of a test.
pub(crate) fn tested(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<ProviderTest>>) {
    let waits = |test: &&mut Test| **test == Test::Waiting(ticket);
    let Some((name, test)) = model.providers.tests.iter_mut().find(|(_, test)| waits(test)) else { return };
    let (tone, said) = match &outcome {
        Ok(test) if test.ok => (Tone::Done, format!("{name} works")),
        Ok(_) | Err(_) => (Tone::Refused, format!("{name} failed its test")),
    };
    *test = match outcome {
        Ok(found) => Test::Done(found),
        Err(problem) => Test::Refused(problem),
    };
    model.say(tone, said);
}

/// Scrolls the marked row into view and clamps the scroll of the details.
pub(super) fn reflow(model: &mut Model) {
    let Some(place) = here(model) else { return };
    let details = inner(place.details);
    let rows = details::lines(model, details.width, &Theme::mono()).len();
    let providers = &mut model.providers;
    providers.details_top = providers.details_top.min(rows.saturating_sub(details.height.into()));
    let all = providers.rows().len();
    providers.marked = providers.marked.min(all.saturating_sub(1));
    // The first row names the columns.
    let visible = usize::from(inner(place.list).height).saturating_sub(1).max(1);
    let lowest = (providers.marked + 1).saturating_sub(visible);
    providers.top = providers.top.clamp(lowest, providers.marked.max(lowest)).min(all.saturating_sub(visible));
}

/// A click marks the row it hits.
pub(crate) fn click(model: &mut Model, at: Position) -> Vec<Effect> {
    let list = here(model).map(|place| inner(place.list)).filter(|list| list.contains(at));
    // The first row names the columns.
    let row = list.and_then(|list| usize::from(at.y - list.y).checked_sub(1));
    let row = row.map(|row| row + model.providers.top).filter(|row| *row < model.providers.rows().len());
    if let Some(row) = row {
        mark(model, |_, _| row);
    }
    Vec::new()
}

/// The wheel moves the mark of the list, or scrolls the details.
pub(crate) fn wheel(model: &mut Model, at: Position, direction: isize) {
    let Some(place) = here(model) else { return };
    if place.list.contains(at) {
        mark(model, |_, marked| marked.saturating_add_signed(direction));
    } else if place.details.contains(at) {
        scroll(model, direction.saturating_mul(isize::try_from(NOTCH).unwrap_or(1)));
    }
}

fn here(model: &Model) -> Option<ListDetailLayout> {
    screen_layout(model, Rect::new(0, 0, model.size.width, model.size.height))
}

fn screen_layout(model: &Model, area: Rect) -> Option<ListDetailLayout> {
    place(area, cells(model.providers.rows().len()).saturating_add(3))
}

#[cfg(test)]
mod tests;
