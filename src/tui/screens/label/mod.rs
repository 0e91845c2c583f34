//! Labelling: two prompts of one request side by side, and one key to choose the better one.
//!
//! It is blind: the screen does not show which provider wrote a text, its score or its id. Each
//! choice is on the disk before the next pair is shown. `judge audit --labels` uses the labels.

pub(crate) mod view;

use aludel_core::engine::Labelling;
use ratatui::layout::{Position, Rect};

use super::chrome::{Chrome, cut_top, inner, is_too_small};
use super::{half, page};
use crate::tui::action::{Action, Context, ScreenName};
use crate::tui::effect::{CoreEffect, CoreResult, Effect, Query, Ticket};
use crate::tui::model::label::{Label, PairOutcome};
use crate::tui::model::{Model, Tone};
use crate::tui::widgets::cells;

/// From this many columns on, the texts are side by side.
const WIDE: u16 = 100;

/// Areas of the labelling screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The tabs, the status row and the key hints.
    pub(crate) chrome: Chrome,
    /// The task of both prompts, with its frame.
    pub(crate) task: Rect,
    /// The texts, each with its frame.
    pub(crate) texts: [Rect; 2],
}

/// The layout; `None` if the terminal is too small.
pub(crate) fn layout(model: &Model, area: Rect) -> Option<Layout> {
    if is_too_small(area.width, area.height) {
        return None;
    }
    let mut body = area;
    let chrome = Chrome::cut(&mut body);
    let rows = cells(model.label.task.len()).clamp(1, if area.height < 30 { 2 } else { 4 });
    let rows = if area.height < 20 { 1 } else { rows };
    let task = cut_top(&mut body, rows + 2);
    let texts = if area.width >= WIDE {
        let width = body.width / 2;
        [Rect { width, ..body }, Rect { x: body.x + width, width: body.width - width, ..body }]
    } else {
        let upper = body.height / 2;
        [cut_top(&mut body, upper), body]
    };
    Some(Layout { chrome, task, texts })
}

fn here(model: &Model) -> Option<Layout> {
    layout(model, Rect::new(0, 0, model.size.width, model.size.height))
}

/// The areas of the texts, which contain no symbols of our own.
pub(super) fn areas(model: &Model) -> Vec<Rect> {
    match here(model) {
        Some(layout) if model.label.pair().is_some() => {
            [layout.task, layout.texts[0], layout.texts[1]].map(inner).to_vec()
        }
        _ => Vec::new(),
    }
}

/// Why `action` cannot be done now; `None` when it can.
pub(crate) fn refusal(model: &Model, action: Action) -> Option<&'static str> {
    let label = &model.label;
    match action {
        Action::LabelLeft | Action::LabelRight | Action::LabelEven | Action::LabelSkip | Action::LabelUndo
            if label.writing.is_some() =>
        {
            Some("the last label is being written")
        }
        Action::LabelLeft | Action::LabelRight | Action::LabelEven | Action::LabelSkip => {
            label.pair().is_none().then_some("no pair is shown")
        }
        Action::LabelUndo => label.past.is_empty().then_some("there is nothing to undo"),
        Action::Down | Action::Up | Action::PageDown | Action::PageUp | Action::Top | Action::Bottom => {
            label.pair().is_none().then_some("there is nothing to scroll")
        }
        Action::Zoom => Some("this screen has no pane to zoom"),
        Action::FocusNext | Action::FocusPrevious => Some("both texts scroll together"),
        Action::Copy => Some("what is labelled blind is not copied"),
        _ if !action.info().works_in(Context::Label) => Some("there is no text to edit here"),
        _ => None,
    }
}

/// Opens the screen; pairs that are not finished yet are continued.
pub(crate) fn enter(model: &mut Model) -> Vec<Effect> {
    let among = match model.choice.all() {
        marked @ [_, _, ..] => marked.iter().map(|chosen| chosen.id).collect(),
        _ => Vec::new(),
    };
    let from = model.screen;
    model.screen = ScreenName::Label;
    let label = &mut model.label;
    label.from = from;
    if label.pair().is_some() && label.among == among || label.writing.is_some() {
        return Vec::new();
    }
    let last_ticket = label.last_ticket;
    *label = Label { from, among: among.clone(), last_ticket, ..Label::default() };
    let ticket = label.ticket();
    label.asked = Some(ticket);
    vec![CoreEffect::RunQuery { ticket, inquiry: Query::Pairs(among) }.into()]
}

/// Performs `action`, which [`refusal`] allows.
pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let height = here(model).map_or(1, |layout| usize::from(inner(layout.texts[0]).height));
    if let Some(better) = Label::better(action) {
        let Some(pair) = model.label.pair().cloned() else { return Vec::new() };
        return write(model, Query::KeepLabel(Box::new(pair), better));
    }
    match action {
        Action::LabelSkip => model.label.go_on(PairOutcome::Skipped, model.now),
        Action::LabelUndo => match model.label.past.last().cloned() {
            Some(PairOutcome::Kept(kept)) => return write(model, Query::TakeLabelBack(Box::new(kept))),
            _ => model.label.go_back(),
        },
        Action::Down => scroll(model, 1),
        Action::Up => scroll(model, -1),
        Action::HalfDown => scroll(model, half(height)),
        Action::HalfUp => scroll(model, -half(height)),
        Action::PageDown => scroll(model, page(height)),
        Action::PageUp => scroll(model, -page(height)),
        Action::Top => scroll(model, isize::MIN),
        Action::Bottom => scroll(model, isize::MAX),
        Action::Back | Action::BackOrQuit => leave(model),
        _ => {}
    }
    Vec::new()
}

fn write(model: &mut Model, inquiry: Query) -> Vec<Effect> {
    let label = &mut model.label;
    let ticket = label.ticket();
    label.writing = Some(ticket);
    vec![CoreEffect::RunQuery { ticket, inquiry }.into()]
}

/// Returns to the screen it was opened from, and says what the labels are for.
fn leave(model: &mut Model) {
    model.screen = if model.label.from == ScreenName::Label { ScreenName::Work } else { model.label.from };
    if let Some(command) = model.label.command().filter(|_| model.label.kept() > 0) {
        model.say_long(Tone::Done, format!("to measure a judge by them: {command}"));
    }
}

fn scroll(model: &mut Model, rows: isize) {
    model.label.top = model.label.top.saturating_add_signed(rows);
}

/// The wheel scrolls both texts.
pub(crate) fn wheel(model: &mut Model, at: Position, direction: isize) {
    if here(model).is_some_and(|layout| layout.texts.iter().any(|text| text.contains(at))) {
        scroll(model, direction.saturating_mul(isize::try_from(super::pointer::NOTCH).unwrap_or(1)));
    }
}

/// Shows the pairs.
pub(crate) fn take_in(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<Labelling>>) {
    let label = &mut model.label;
    if label.asked != Some(ticket) {
        return;
    }
    label.asked = None;
    match outcome {
        Ok(sitting) => {
            label.sitting = Some(sitting);
            label.since = model.now;
            label.show();
        }
        Err(problem) => label.problem = Some(problem),
    }
}

/// Shows the next pair after a label is stored.
pub(crate) fn kept(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<aludel_core::engine::StoredLabel>>) {
    let now = model.now;
    if let Some(kept) = written(model, ticket, outcome) {
        model.label.go_on(PairOutcome::Kept(*kept), now);
    }
}

/// Shows the former pair after its label is removed.
pub(crate) fn taken_back(model: &mut Model, ticket: Ticket, outcome: CoreResult<()>) {
    if written(model, ticket, outcome).is_some() {
        model.label.go_back();
    }
}

fn written<T>(model: &mut Model, ticket: Ticket, outcome: CoreResult<T>) -> Option<T> {
    if model.label.writing != Some(ticket) {
        return None;
    }
    model.label.writing = None;
    match outcome {
        Ok(done) => Some(done),
        Err(problem) => {
            model.say_long(Tone::Refused, &problem.detail);
            None
        }
    }
}

/// When the elapsed time next changes on the screen.
pub(crate) fn next_change(model: &Model) -> Option<u64> {
    let label = &model.label;
    let runs = model.screen == ScreenName::Label && model.attention && label.pair().is_some();
    runs.then(|| label.since + ((model.now - label.since.min(model.now)) / 1_000 + 1) * 1_000)
}

/// Rewraps the texts and clamps the scroll.
pub(super) fn reflow(model: &mut Model) {
    // The height of the task decides where the texts are.
    let width = model.size.width.saturating_sub(4).max(1);
    model.label.task.set_width(width);
    let Some(layout) = here(model) else { return };
    let label = &mut model.label;
    let mut last = 0;
    for (text, area) in label.texts.iter_mut().zip(layout.texts.map(inner)) {
        text.set_width(area.width.saturating_sub(2).max(1));
        last = last.max(text.len().saturating_sub(area.height.into()));
    }
    label.top = label.top.min(last);
}

#[cfg(test)]
mod tests;
