//! Labelling: two prompts of one idea side by side, and one key that says which is better.
//!
//! It is blind: nothing on the screen tells what wrote a text, how it scored or which of them is which. Each choice is on the
//! disk before the next pair is shown. What the labels are for is `judge audit --labels`.

pub(crate) mod view;

use aludel_core::engine::Labelling;
use ratatui::layout::{Position, Rect};

use super::surround::{Rim, cut_top, inner, is_too_small};
use super::{half, page};
use crate::tui::action::{Action, Context, ScreenName};
use crate::tui::effect::{CoreEffect, Effect, Query, Ticket};
use crate::tui::message::Outcome;
use crate::tui::model::label::{Label, Past};
use crate::tui::model::{Model, Tone};
use crate::tui::widgets::cells;

/// From so many columns on the texts stand side by side.
const WIDE: u16 = 100;

/// Where everything lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The tabs, the figures and the keys.
    pub(crate) rim: Rim,
    /// What both are for, with its frame.
    pub(crate) task: Rect,
    /// The texts, each with its frame.
    pub(crate) texts: [Rect; 2],
}

/// Where everything lies; `None` where there is too little room.
pub(crate) fn layout(model: &Model, area: Rect) -> Option<Layout> {
    if is_too_small(area.width, area.height) {
        return None;
    }
    let mut body = area;
    let rim = Rim::cut(&mut body);
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
    Some(Layout { rim, task, texts })
}

fn here(model: &Model) -> Option<Layout> {
    layout(model, Rect::new(0, 0, model.size.width, model.size.height))
}

/// Where the texts stand, which have nothing of ours in them.
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

/// Shows the screen; pairs that are not done yet are gone on with.
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
    vec![CoreEffect::Inquire { ticket, inquiry: Query::Pairs(among) }.into()]
}

/// Does what `action` says, which can be done.
pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let height = here(model).map_or(1, |layout| usize::from(inner(layout.texts[0]).height));
    if let Some(better) = Label::better(action) {
        let Some(pair) = model.label.pair().cloned() else { return Vec::new() };
        return write(model, Query::KeepLabel(Box::new(pair), better));
    }
    match action {
        Action::LabelSkip => model.label.go_on(Past::Skipped, model.now),
        Action::LabelUndo => match model.label.past.last().cloned() {
            Some(Past::Kept(kept)) => return write(model, Query::TakeLabelBack(Box::new(kept))),
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
    vec![CoreEffect::Inquire { ticket, inquiry }.into()]
}

/// Back to where it was opened from, saying what the labels are good for.
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

/// Takes the pairs in.
pub(crate) fn take_in(model: &mut Model, ticket: Ticket, outcome: Outcome<Box<Labelling>>) {
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

/// Goes on once a label is kept.
pub(crate) fn kept(model: &mut Model, ticket: Ticket, outcome: Outcome<Box<aludel_core::engine::KeptLabel>>) {
    let now = model.now;
    if let Some(kept) = written(model, ticket, outcome) {
        model.label.go_on(Past::Kept(*kept), now);
    }
}

/// Goes back once a label is taken back.
pub(crate) fn taken_back(model: &mut Model, ticket: Ticket, outcome: Outcome<()>) {
    if written(model, ticket, outcome).is_some() {
        model.label.go_back();
    }
}

fn written<T>(model: &mut Model, ticket: Ticket, outcome: Outcome<T>) -> Option<T> {
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

/// The next moment at which the elapsed time reads differently.
pub(crate) fn next_change(model: &Model) -> Option<u64> {
    let label = &model.label;
    let runs = model.screen == ScreenName::Label && model.attention && label.pair().is_some();
    runs.then(|| label.since + ((model.now - label.since.min(model.now)) / 1_000 + 1) * 1_000)
}

/// Brings the texts to their width, and the scroll within its bounds.
pub(super) fn reflow(model: &mut Model) {
    // How many rows the task has decides where the texts lie.
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
