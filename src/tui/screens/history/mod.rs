//! The History: the list of stored prompts or search results, and a preview of the marked one.
//!
//! This file performs the actions (`act`) and says when one is unavailable ([`refusal`]). Requests
//! and replies are in [`answers`], the layout in [`layout()`], the drawing in [`view`].

mod answers;
mod deleting;
pub(crate) mod layout;
pub(crate) mod view;

use ratatui::layout::{Position, Rect};

pub(crate) use answers::{again, enter, submit, take_in};

use super::chrome::inner;
use super::{copy, half, page};
use crate::tui::action::{Action, ScreenName};
use crate::tui::effect::Effect;
use crate::tui::model::history::{Grouping, Part};
use crate::tui::model::{Asking, Model, Overlay, Tone};
use answers::{ask_now, changed, marked_moved};
pub(crate) use deleting::{settle, settle_due};
use layout::{Layout, height_of, layout};

/// Why `action` cannot be done now; `None` when it can.
pub(crate) fn refusal(model: &Model, action: Action) -> Option<&'static str> {
    let history = &model.history;
    match action {
        Action::OpenIdea
        | Action::OpenPrompt
        | Action::Copy
        | Action::EditTags
        | Action::EditNotes
        | Action::DeletePrompt => match (history.marked_row(), history.prompt()) {
            (None, _) => Some("no prompt is marked"),
            (_, None) => Some("it is still loading"),
            _ => None,
        },
        Action::CallBack => {
            (history.deleting.is_none() && history.trashed.is_empty()).then_some("nothing was deleted here")
        }
        Action::ToPreview => history.preview.is_none().then_some("nothing to show"),
        Action::Down | Action::Up | Action::HalfDown | Action::HalfUp | Action::PageDown | Action::PageUp => {
            history.rows.is_empty().then_some("the list is empty")
        }
        Action::Export | Action::Import if history.transfer.is_some() => {
            Some("a file is being processed; {stop-or-quit} stops it")
        }
        Action::Export if !history.typed().query.is_empty() => {
            Some("an export takes only filters: remove the words from the search box")
        }
        Action::Top | Action::Bottom | Action::GroupRuns => history.rows.is_empty().then_some("the list is empty"),
        _ => None,
    }
}

/// Performs `action`, which [`refusal`] allows.
pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::FocusSearch => focus(model, Part::Search),
        Action::ToList => focus(model, Part::List),
        Action::ToPreview => focus(model, Part::Preview),
        Action::FocusNext => focus(model, model.history.focus.next()),
        Action::FocusPrevious => focus(model, model.history.focus.next().next()),
        Action::Back => return back(model),
        Action::BackOrQuit if model.history.zoom => model.history.zoom = false,
        Action::BackOrQuit => model.screen = ScreenName::Work,
        Action::Zoom => model.history.zoom = !model.history.zoom,
        Action::SearchMode => {
            model.history.mode = model.history.mode.next();
            return if model.history.typed().query.is_empty() { Vec::new() } else { changed(model) };
        }
        Action::Results => {
            focus(model, Part::List);
            return ask_now(model);
        }
        Action::GroupRuns => {
            let told = match model.history.regroup() {
                Grouping::ByRun => "prompts are grouped by run",
                Grouping::Flat => "prompts are in the order found",
            };
            model.say(Tone::Done, told);
        }
        Action::Down => return go(model, |_| 1),
        Action::Up => return go(model, |_| -1),
        Action::HalfDown => return go(model, half),
        Action::HalfUp => return go(model, |height| -half(height)),
        Action::PageDown => return go(model, page),
        Action::PageUp => return go(model, |height| -page(height)),
        Action::Top => return go(model, |_| isize::MIN),
        Action::Bottom => return go(model, |_| isize::MAX),
        Action::Copy => {
            let marked = model.history.prompt().map(|prompt| (prompt.id.short(), prompt.content.clone()));
            return marked.map_or_else(Vec::new, |(id, text)| copy(model, &format!("prompt {id}"), text));
        }
        Action::OpenIdea => open_in_composer(model, "its request is", |prompt| prompt.original_input.clone()),
        Action::OpenPrompt => open_in_composer(model, "the prompt is", |prompt| prompt.content.clone()),
        Action::EditTags => {
            model.overlay = model.history.prompt().map(|prompt| Overlay::Ask(Box::new(Asking::tags(prompt))));
        }
        Action::EditNotes => {
            model.overlay = model.history.prompt().map(|prompt| Overlay::Ask(Box::new(Asking::notes(prompt))));
        }
        Action::DeletePrompt => return deleting::delete_marked(model),
        Action::CallBack => return deleting::undo_delete(model),
        Action::Export => {
            model.overlay = Some(Overlay::Ask(Box::new(Asking::export(model.history.typed().filters))));
            // A file must not contain what the list no longer has.
            return settle(model);
        }
        Action::Import => model.overlay = Some(Overlay::Ask(Box::new(Asking::import()))),
        _ => {
            // The remaining actions edit the search box.
            let before = model.history.search.text();
            focus(model, Part::Search);
            model.history.search.act(action);
            return if model.history.search.text() == before { Vec::new() } else { changed(model) };
        }
    }
    Vec::new()
}

/// Types a character into the search box if it has the focus.
pub(super) fn type_in(model: &mut Model, character: char) -> Vec<Effect> {
    if model.history.focus != Part::Search {
        return Vec::new();
    }
    model.history.search.insert(character);
    changed(model)
}

/// Pastes into the search box, which gets the focus.
pub(super) fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    focus(model, Part::Search);
    model.history.search.paste(text);
    changed(model)
}

/// Scrolls the marked row into view and rewraps the preview.
pub(super) fn reflow(model: &mut Model) {
    let layout = here(model);
    let history = &mut model.history;
    history.search.reflow(inner(layout.search));
    let last = history.rows.len().saturating_sub(1);
    history.marked = history.marked.min(last);
    let lowest = layout.top_for(history, history.marked);
    history.top = history.top.clamp(lowest, history.marked).min(layout.top_for(history, last));
    if let Some(preview) = &mut history.preview {
        let inner = inner(layout.preview);
        if !inner.is_empty() {
            preview.reflow(inner.width, inner.height.into());
        }
    }
}

/// A click focuses the part under it and marks the row it hits.
pub(crate) fn click(model: &mut Model, at: Position) -> Vec<Effect> {
    let layout = here(model);
    let list = inner(layout.list);
    if layout.search.contains(at) {
        focus(model, Part::Search);
    } else if layout.preview.contains(at) {
        focus(model, Part::Preview);
    } else if layout.list.contains(at) {
        focus(model, Part::List);
        let mut end = list.y;
        let hit = layout.entries(&model.history, model.history.top).find(|entry| {
            end += height_of(&model.history, *entry);
            at.y < end
        });
        if let Some(entry) = hit.filter(|_| list.contains(at)) {
            model.history.marked = entry;
            return marked_moved(model);
        }
    }
    Vec::new()
}

/// The wheel moves the mark of the list.
pub(crate) fn wheel(model: &mut Model, at: Position, direction: isize) -> Vec<Effect> {
    if !here(model).list.contains(at) || model.history.rows.is_empty() {
        return Vec::new();
    }
    let last = model.history.rows.len() - 1;
    model.history.marked = model.history.marked.saturating_add_signed(direction).min(last);
    marked_moved(model)
}

fn here(model: &Model) -> Layout {
    layout(model, Rect::new(0, 0, model.size.width, model.size.height))
}

fn focus(model: &mut Model, part: Part) {
    if model.history.focus != part {
        model.history.focus = part;
        model.history.zoom = false;
    }
}

/// Goes one step outwards: leaves the zoom, then the box, then the query, then the screen.
fn back(model: &mut Model) -> Vec<Effect> {
    let history = &mut model.history;
    if history.zoom {
        history.zoom = false;
    } else if history.focus != Part::List {
        history.focus = Part::List;
    } else if history.search.is_empty() {
        model.screen = ScreenName::Work;
    } else {
        history.search.replace("");
        return changed(model);
    }
    Vec::new()
}

/// Moves the mark, or scrolls the preview, by what `by` returns for the visible rows.
fn go(model: &mut Model, by: impl FnOnce(usize) -> isize) -> Vec<Effect> {
    let layout = here(model);
    let history = &mut model.history;
    if history.focus == Part::Preview {
        let height = usize::from(inner(layout.preview).height);
        if let Some(preview) = &mut history.preview {
            let rows = preview.len();
            preview.scroll.by(by(height), rows, height);
        }
        return Vec::new();
    }
    let last = history.rows.len().saturating_sub(1);
    let visible = layout.entries(history, history.top).len();
    history.marked = history.marked.saturating_add_signed(by(visible)).min(last);
    marked_moved(model)
}

/// Puts a text of the marked prompt into the Workbench's input.
fn open_in_composer(model: &mut Model, what: &str, text: impl FnOnce(&aludel_core::domain::Prompt) -> String) {
    if let Some(text) = model.history.prompt().map(text) {
        super::open_in_composer(model, what, &text);
    }
}

#[cfg(test)]
mod tests;
