//! The Workbench: the request, its settings, and the phases of every variant side by side.
//!
//! This file performs the actions (`act`) and says when one is unavailable ([`refusal`]). The
//! layout is in [`layout()`], the drawing in [`view`].

pub(crate) mod again;
pub(crate) mod drafts;
pub(crate) mod layout;
pub(crate) mod notice;
pub(crate) mod starting;
pub(crate) mod view;

use ratatui::layout::{Position, Rect};

use super::chrome::inner;
use super::jobs::RESUMING;
use super::pointer::NOTCH;
use super::{copy, half, judge, page};
use crate::tui::action::Action;
use crate::tui::effect::{CoreEffect, Effect};
use crate::tui::model::inputs::RecallDirection;
use crate::tui::model::{Focus, LiveRun, Model, Overlay, Pane, Tone};
use crate::tui::widgets::figures::{letter, thousands};
use layout::{layout, pane_at};
use starting::start;

/// Why `action` cannot be done now; `None` when it can.
pub(crate) fn refusal(model: &Model, action: Action) -> Option<&'static str> {
    const NO_RUN: &str = "no run yet";
    let run = model.run.as_ref();
    let shown = run.filter(|run| run.variants() > 0);
    match action {
        Action::Run if model.jobs.resuming.is_some() => Some(RESUMING),
        Action::Run => model.live_run().map(|_| "a run is live; {stop-or-quit} stops it"),
        Action::VariantPrevious | Action::VariantNext => match shown {
            None => Some(NO_RUN),
            Some(run) if run.variants() < 2 => Some("there is only one variant"),
            Some(_) => None,
        },
        Action::PhasePrevious | Action::PhaseNext => match shown {
            None => Some(NO_RUN),
            Some(run) if run.view.phases.len() < 2 => Some("there is only one phase"),
            Some(_) => None,
        },
        Action::Down | Action::Up | Action::HalfDown | Action::HalfUp | Action::PageDown | Action::PageUp => {
            shown.map_or(Some(NO_RUN), |_| None)
        }
        Action::Top | Action::Bottom | Action::Follow => shown.map_or(Some(NO_RUN), |_| None),
        Action::Zoom if model.focus == Focus::Vessels => shown.map_or(Some(NO_RUN), |_| None),
        Action::Copy => match shown {
            None => Some(NO_RUN),
            Some(run) if run.prompt(run.active).is_none() => Some("not finished; {copy-pane} copies it as it is"),
            Some(_) => None,
        },
        Action::TagCandidate => match shown {
            None => Some(NO_RUN),
            Some(run) if run.prompt(run.active).is_none() => Some("only a finished prompt has tags"),
            Some(_) => None,
        },
        Action::CopyPane => match shown {
            None => Some(NO_RUN),
            Some(run) if shown_text(run).is_none() => Some("nothing there yet"),
            Some(_) => None,
        },
        Action::Retry | Action::Rerun | Action::RunWith => again::refusal(model, action),
        Action::CopySelection | Action::CutSelection => {
            model.composer.selected().map_or(Some("nothing is selected"), |_| None)
        }
        Action::StopVariant => match shown {
            None => Some(NO_RUN),
            Some(run) if !run.is_running(run.active) => Some("this variant is not running"),
            Some(_) => None,
        },
        Action::Details => run.map_or(Some(NO_RUN), |_| None),
        _ => None,
    }
}

/// Performs `action`, which [`refusal`] allows.
pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Run => {
            let request = model.settings.request(&model.composer.text());
            return start(model, request);
        }
        Action::FocusNext | Action::FocusPrevious => {
            model.focus = model.focus.other();
            model.zoom = false;
        }
        Action::FocusInput => {
            model.composer.begin_typing();
            model.focus = Focus::Composer;
            model.zoom = false;
        }
        Action::Back => back(model),
        Action::BackOrQuit if model.zoom => model.zoom = false,
        Action::BackOrQuit => model.overlay = Some(Overlay::ConfirmQuit),
        Action::Zoom => model.zoom = !model.zoom,
        Action::Follow => {
            model.follow = model.follow.next();
            model.say(Tone::Done, format!("follow: {}", model.follow.name()));
        }
        Action::Details => model.overlay = Some(Overlay::Details { top: 0 }),
        Action::Copy => return copy_prompt(model),
        Action::CopyPane => return copy_pane(model),
        Action::TagCandidate => {
            let id = model.run.as_ref().and_then(|run| Some(run.prompt(run.active)?.id));
            return id.map_or_else(Vec::new, |id| judge::ask_tags(model, id));
        }
        Action::StopVariant => return stop_variant(model),
        Action::VariantPrevious => on_run(model, |run| run.choose_variant(-1)),
        Action::VariantNext => on_run(model, |run| run.choose_variant(1)),
        Action::PhasePrevious => on_run(model, |run| run.choose_phase(-1)),
        Action::PhaseNext => on_run(model, |run| run.choose_phase(1)),
        Action::Down => scroll(model, |pane, height| by(pane, 1, height)),
        Action::Up => scroll(model, |pane, height| by(pane, -1, height)),
        Action::HalfDown => scroll(model, |pane, height| by(pane, half(height), height)),
        Action::HalfUp => scroll(model, |pane, height| by(pane, -half(height), height)),
        Action::PageDown => scroll(model, |pane, height| by(pane, page(height), height)),
        Action::PageUp => scroll(model, |pane, height| by(pane, -page(height), height)),
        Action::Top => scroll(model, |pane, _| pane.scroll.go_to_top()),
        Action::Bottom => scroll(model, |pane, height| pane.scroll.go_to_bottom(pane.text.len(), height)),
        Action::InputPrevious => return drafts::walk(model, RecallDirection::Earlier),
        Action::InputNext => return drafts::walk(model, RecallDirection::Later),
        Action::InputHistory => return drafts::recall(model),
        Action::Editor => return drafts::edit(model),
        Action::Retry => return again::retry(model),
        Action::Rerun => return again::rerun(model),
        Action::RunWith => return again::choose_provider(model),
        Action::CopySelection | Action::CutSelection => {
            let Some(text) = model.composer.selected() else { return Vec::new() };
            model.composer.act(action);
            return copy(model, "the selection", text);
        }
        _ => {
            // The remaining actions edit the input.
            model.focus = Focus::Composer;
            model.composer.act(action);
        }
    }
    Vec::new()
}

/// Types a character into the input if it has the focus.
pub(super) fn type_in(model: &mut Model, character: char) {
    if model.focus == Focus::Composer {
        model.composer.insert(character);
    }
}

/// Pastes into the input, which gets the focus.
pub(super) fn paste(model: &mut Model, text: &str) {
    /// Shorter pastes are not reported.
    const WORTH_TELLING: usize = 200;
    model.focus = Focus::Composer;
    let characters = model.composer.paste(text);
    if characters >= WORTH_TELLING || text.contains(['\n', '\r']) {
        let runs = model.spell("{run} runs");
        model.say(Tone::Done, format!("pasted {} characters; {runs}", thousands(characters as u64)));
    }
}

/// Rewraps every visible pane and follows its text.
pub(super) fn reflow(model: &mut Model) {
    let layout = layout(model, Rect::new(0, 0, model.size.width, model.size.height));
    let (follow, now) = (model.follow, model.now);
    model.composer.reflow(inner(layout.composer));
    let Some(run) = &mut model.run else { return };
    for slot in layout.slots {
        let height = notice::text_height(run, &slot, now, &model.keymap);
        let width = slot.inner().width;
        if let Some(pane) = run.pane_mut(slot.variant, slot.phase) {
            pane.scroll.rewrap(&mut pane.text, width);
            pane.scroll.settle(follow, pane.text.len(), height);
        }
    }
}

/// A click focuses the input or a pane, or the pane of a cell of the table.
pub(super) fn click(model: &mut Model, at: Position) -> Vec<Effect> {
    let layout = here(model);
    if layout.composer.contains(at) {
        model.focus = Focus::Composer;
    } else if let Some(slot) = layout.slots.iter().find(|slot| slot.area.contains(at)) {
        model.focus = Focus::Vessels;
        if let Some(run) = &mut model.run {
            run.choose(slot.variant, slot.phase);
        }
    } else if layout.phase_panes.contains(at) {
        model.focus = Focus::Vessels;
    } else if let Some(run) = &mut model.run
        && let Some((variant, phase)) = pane_at(run, layout.pipeline, at)
    {
        run.choose(variant, phase);
        model.focus = Focus::Vessels;
    }
    Vec::new()
}

/// The wheel moves the cursor of the input.
pub(super) fn wheel(model: &mut Model, at: Position, direction: isize) {
    if here(model).composer.contains(at) {
        let action = if direction < 0 { Action::LineUp } else { Action::LineDown };
        (0..NOTCH).for_each(|_| _ = model.composer.act(action));
    }
}

fn here(model: &Model) -> layout::Layout {
    layout(model, Rect::new(0, 0, model.size.width, model.size.height))
}

/// Goes one step outwards: leaves the zoom, then the input, then a chosen phase.
fn back(model: &mut Model) {
    if model.zoom {
        model.zoom = false;
    } else if model.composer.is_selecting() {
        model.composer.unselect();
    } else if model.focus == Focus::Composer {
        model.focus = Focus::Vessels;
    } else if let Some(run) = &mut model.run {
        run.phase = None;
    }
}

fn stop_variant(model: &mut Model) -> Vec<Effect> {
    let Some(run) = &mut model.run else { return Vec::new() };
    let (ticket, variant) = (run.ticket, run.active);
    run.stopped.insert(variant);
    model.say(Tone::Done, format!("stopping {}; the others go on", letter(variant)));
    vec![CoreEffect::CancelVariant(ticket, variant).into()]
}

/// Copies the prompt exactly as the model wrote it.
fn copy_prompt(model: &mut Model) -> Vec<Effect> {
    let found = model.run.as_ref().and_then(|run| Some((run.active, run.prompt(run.active)?.content.clone())));
    found.map_or_else(Vec::new, |(variant, text)| copy(model, &format!("prompt {}", letter(variant)), text))
}

fn copy_pane(model: &mut Model) -> Vec<Effect> {
    let text = model.run.as_ref().and_then(shown_text).map(str::to_owned);
    text.map_or_else(Vec::new, |text| copy(model, "this pane", text))
}

/// The text of the active pane as the model wrote it; `None` if it has none yet.
fn shown_text(run: &LiveRun) -> Option<&str> {
    let begun = run.begun(run.active, run.shown_phase(run.active))?;
    Some(begun.text.as_str()).filter(|text| !text.is_empty())
}

fn on_run(model: &mut Model, change: impl FnOnce(&mut LiveRun)) {
    if let Some(run) = &mut model.run {
        change(run);
    }
}

fn scroll(model: &mut Model, change: impl FnOnce(&mut Pane, usize)) {
    let layout = layout(model, Rect::new(0, 0, model.size.width, model.size.height));
    let now = model.now;
    let Some(run) = &mut model.run else { return };
    let (variant, phase) = (run.active, run.shown_phase(run.active));
    let slot = layout.slots.iter().find(|slot| (slot.variant, slot.phase) == (variant, phase));
    let height = slot.map_or(1, |slot| notice::text_height(run, slot, now, &model.keymap));
    if let Some(pane) = run.pane_mut(variant, phase) {
        change(pane, height);
    }
}

fn by(pane: &mut Pane, rows: isize, height: usize) {
    pane.scroll.by(rows, pane.text.len(), height);
}
