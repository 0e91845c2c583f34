//! Mouse selection, in a pane or a field. A selection survives text that arrives after it.
//!
//! A pane gets the focus only when the button is released: focusing it can change the layout, which
//! would move the text away from the pointer.

use ratatui::layout::{Position, Rect};

use super::chrome::inner;
use super::texts::{self, text_in};
use super::{copy, history, workbench};
use crate::tui::action::{Action, ScreenName};
use crate::tui::effect::Effect;
use crate::tui::message::Pointer;
use crate::tui::model::history::Part;
use crate::tui::model::texts::{DragTarget, Selection, TextPlace};
use crate::tui::model::{Composer, Focus, Model};

/// Handles the button going down, on a field or on a text. False if the cell has neither.
pub(super) fn press(model: &mut Model, pointer: Pointer, at: Position) -> bool {
    press_field(model, pointer, at) || press_text(model, pointer, at)
}

fn press_field(model: &mut Model, pointer: Pointer, at: Position) -> bool {
    let screen = Rect::new(0, 0, model.size.width, model.size.height);
    let (area, field) = match model.screen {
        ScreenName::Work => (workbench::layout::layout(model, screen).composer, &mut model.composer),
        ScreenName::History => (history::layout::layout(model, screen).search, &mut model.history.search),
        _ => return false,
    };
    let area = inner(area);
    if !area.contains(at) {
        return false;
    }
    let (column, row) = cell_of(area, at);
    if pointer == Pointer::Double {
        field.select_word(column, row);
    } else {
        field.point(column, row);
        model.held = Some(DragTarget::Field);
    }
    match model.screen {
        ScreenName::Work => model.focus = Focus::Composer,
        _ => _ = history::act(model, Action::FocusSearch),
    }
    true
}

fn press_text(model: &mut Model, pointer: Pointer, at: Position) -> bool {
    let Some(shown) = texts::at(model, at).filter(|shown| shown.area.contains(at)) else { return false };
    let Some(from) = shown.character_at(at) else { return false };
    let (name, lane) = (shown.name, shown.lane);
    if pointer == Pointer::Double {
        let spots = shown.text.word_at(from.start);
        stop_following(model, name.place);
        model.selection = (!spots.is_empty()).then_some(Selection { name, lane, spots });
    } else {
        model.held = Some(DragTarget::Text { name, lane, from });
    }
    true
}

/// Handles a drag: extends the selection to `at`.
pub(super) fn drag(model: &mut Model, at: Position) {
    match model.held.take() {
        Some(DragTarget::Text { name, lane, from }) => {
            let found = texts::shown(model).into_iter().find(|shown| shown.name == name && shown.lane == lane);
            let Some((area, to)) = found.and_then(|shown| Some((shown.area, shown.character_at(at)?))) else { return };
            if to != from || model.selection.is_some() {
                let spots = from.start.min(to.start)..from.end.max(to.end);
                model.selection = Some(Selection { name, lane, spots });
                match beyond(area, at) {
                    0 => {}
                    rows => texts::scroll_by(model, name.place, rows),
                }
                stop_following(model, name.place);
            }
            model.held = Some(DragTarget::Text { name, lane, from });
        }
        Some(DragTarget::Field) => {
            if let Some((area, field)) = field(model) {
                match beyond(area, at) {
                    0 => {
                        let (column, row) = cell_of(area, at);
                        field.select_to(column, row);
                    }
                    rows => _ = field.act(if rows < 0 { Action::SelectUp } else { Action::SelectDown }),
                }
                model.held = Some(DragTarget::Field);
            }
        }
        None => {}
    }
}

/// Handles the button going up: focuses the pane in which it went down.
pub(super) fn release(model: &mut Model) {
    let Some(DragTarget::Text { name, .. }) = model.held.take() else { return };
    match name.place {
        TextPlace::PhasePane { variant, phase, .. } => {
            model.focus = Focus::Vessels;
            if let Some(run) = &mut model.run {
                run.choose(variant, phase);
            }
        }
        TextPlace::Preview(_) => _ = history::act(model, Action::ToPreview),
        TextPlace::Compared { .. } | TextPlace::JudgeReport(_) => {}
    }
}

/// Copies the selection.
pub(super) fn copy_selected(model: &mut Model) -> Vec<Effect> {
    let Some(Selection { name, lane, spots }) = model.selection.clone() else { return Vec::new() };
    let wording = text_in(model, name.place).map(|(_, text)| text.wording_of(lane, &spots));
    wording.map_or_else(Vec::new, |wording| copy(model, "the selection", wording))
}

/// Drops a selection whose text is no longer on the screen.
pub(super) fn settle(model: &mut Model) {
    let is_there = |model: &Model, name| {
        let now = text_in(model, name).map(|(now, _)| now);
        now.filter(|_| name.screen() == model.screen)
    };
    if let Some(name) = model.selection.as_ref().map(|selection| selection.name)
        && is_there(model, name.place) != Some(name)
    {
        model.selection = None;
    }
    if let Some(DragTarget::Text { name, .. }) = model.held
        && is_there(model, name.place) != Some(name)
    {
        model.held = None;
    }
}

/// Stops a text from following new rows, so that the selection stays where it is.
fn stop_following(model: &mut Model, place: TextPlace) {
    let mut scroll = texts::scroll_of(model, place);
    (scroll.following, scroll.touched) = (false, true);
    texts::set_scroll(model, place, scroll);
}

/// The focused field and its area.
fn field(model: &mut Model) -> Option<(Rect, &mut Composer)> {
    let screen = Rect::new(0, 0, model.size.width, model.size.height);
    let (area, field) = match model.screen {
        ScreenName::Work if model.focus == Focus::Composer => {
            (workbench::layout::layout(model, screen).composer, &mut model.composer)
        }
        ScreenName::History if model.history.focus == Part::Search => {
            (history::layout::layout(model, screen).search, &mut model.history.search)
        }
        _ => return None,
    };
    Some((inner(area), field)).filter(|(area, _)| !area.is_empty())
}

/// The column and row of `at` within `area`, clamped to it.
fn cell_of(area: Rect, at: Position) -> (usize, usize) {
    let within = |at: u16, from: u16, length: u16| usize::from(at.saturating_sub(from).min(length.saturating_sub(1)));
    (within(at.x, area.x, area.width), within(at.y, area.y, area.height))
}

/// -1 for a cell above the area, 1 for one below it, else 0.
const fn beyond(area: Rect, at: Position) -> isize {
    if at.y < area.y {
        -1
    } else if at.y >= area.y.saturating_add(area.height) {
        1
    } else {
        0
    }
}

#[cfg(test)]
mod tests;
