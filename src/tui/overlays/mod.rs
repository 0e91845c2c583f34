//! Overlays: boxes above the screen that take its keys until they are closed. `Esc` closes each.

pub(crate) mod all_settings;
pub(crate) mod ask;
pub(crate) mod confirm_cost;
pub(crate) mod confirm_quit;
pub(crate) mod details;
mod finder;
pub(crate) mod help;
pub(crate) mod log;
pub(crate) mod palette;
pub(crate) mod providers;
pub(crate) mod recall;
pub(crate) mod settings;

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear};

use super::action::Action;
use super::effect::Effect;
use super::keymap::Chord;
use super::message::Pointer;
use super::model::{Model, Overlay};
use super::screens;
use super::screens::chrome::is_pinned;
use super::screens::pointer::NOTCH;
use super::theme::Theme;

/// Handles a key in the open overlay. `action` is what the key would do on the screen below.
pub(crate) fn key(model: &mut Model, chord: Chord, action: Option<Action>) -> Vec<Effect> {
    if chord.code() == KeyCode::Esc {
        if let Some(Overlay::Ask(asking)) = &mut model.overlay
            && !asking.leave()
        {
            return Vec::new();
        }
        if matches!(model.overlay, Some(Overlay::ConfirmCost(_))) {
            return confirm_cost::key(model, chord);
        }
        let is_checking = model.jobs.checking.is_some();
        model.overlay = None;
        if is_checking {
            return screens::jobs::starting::abandon(model);
        }
        // `Esc` also ends a search and a selection on the screen below.
        screens::clear_search_and_selection(model);
        return Vec::new();
    }
    match &mut model.overlay {
        Some(Overlay::Help { .. }) => help::key(model, chord, action),
        Some(Overlay::Palette { .. }) => palette::key(model, chord, action),
        Some(Overlay::Settings { .. }) => settings::key(model, chord, action),
        Some(Overlay::Details { .. }) => details::key(model, action),
        Some(Overlay::AllSettings(_)) => all_settings::key(model, chord, action),
        Some(Overlay::Log { .. }) => log::key(model, action),
        Some(Overlay::ConfirmQuit) => confirm_quit::key(model, chord),
        Some(Overlay::ConfirmCost(_)) => confirm_cost::key(model, chord),
        Some(Overlay::Recall(_)) => recall::key(model, chord),
        Some(Overlay::Providers { .. }) => providers::key(model, chord),
        Some(Overlay::Ask(_)) => ask::key(model, chord, action),
        None => Vec::new(),
    }
}

/// What lies over the screen takes the wheel as its arrows; a click on the last hint closes it.
pub(crate) fn point(model: &mut Model, pointer: Pointer, at: Position) -> Vec<Effect> {
    let area = Rect::new(0, 0, model.size.width, model.size.height);
    if !area.contains(at) {
        return Vec::new();
    }
    model.held = None;
    let (code, action) = match pointer {
        Pointer::Click | Pointer::Double if at.y + 1 == area.height && is_pinned(model, area.width, at.x) => {
            return key(model, Chord::plain(KeyCode::Esc), None);
        }
        Pointer::Click | Pointer::Double | Pointer::Drag | Pointer::Release => return Vec::new(),
        Pointer::Up => (KeyCode::Up, Action::Up),
        Pointer::Down => (KeyCode::Down, Action::Down),
    };
    (0..NOTCH).flat_map(|_| key(model, Chord::plain(code), Some(action))).collect()
}

/// Pastes into the open overlay. False if it takes no text, so that the screen should.
pub(crate) fn paste(model: &mut Model, text: &str) -> bool {
    match &mut model.overlay {
        Some(Overlay::Ask(asking)) => ask::paste(asking, text),
        Some(Overlay::Recall(recall)) => recall::paste(text, recall, &model.drafts.inputs),
        Some(Overlay::Help { filter, marked } | Overlay::Palette { filter, marked }) => {
            finder::paste(text, filter, marked);
        }
        Some(Overlay::AllSettings(listing)) => finder::paste(text, &mut listing.filter, &mut listing.marked),
        _ => return false,
    }
    true
}

/// Clamps the scroll of the open overlay.
pub(crate) fn reflow(model: &mut Model) {
    if matches!(model.overlay, Some(Overlay::Log { .. })) {
        log::reflow(model);
    }
    let (width, height) = (model.size.width, model.size.height);
    if let Some(Overlay::Ask(asking)) = &mut model.overlay {
        ask::reflow(asking, Rect::new(0, 0, width, height));
    }
    if let (Some(Overlay::Details { top }), Some(run)) = (&mut model.overlay, &model.run) {
        let area = details::area(Rect::new(0, 0, width, height));
        let rows = details::lines(run, area.width.saturating_sub(2), &Theme::mono()).len();
        *top = (*top).min(rows.saturating_sub(usize::from(area.height.saturating_sub(2))));
    }
}

/// Draws the open overlay.
pub(crate) fn view(model: &Model, frame: &mut Frame<'_>, theme: &Theme) {
    match &model.overlay {
        Some(Overlay::Help { filter, marked }) => help::view(model, filter, *marked, frame, theme),
        Some(Overlay::Palette { filter, marked }) => palette::view(model, filter, *marked, frame, theme),
        Some(Overlay::Settings { row, .. }) => settings::view(model, *row, frame, theme),
        Some(Overlay::Details { top }) => details::view(model, *top, frame, theme),
        Some(Overlay::AllSettings(listing)) => all_settings::view(listing, frame, theme),
        Some(Overlay::Log { back }) => log::view(model, *back, frame, theme),
        Some(Overlay::ConfirmQuit) => confirm_quit::view(model, frame, theme),
        Some(Overlay::ConfirmCost(costly)) => confirm_cost::view(costly, frame, theme),
        Some(Overlay::Recall(recall)) => recall::view(model, recall, frame, theme),
        Some(Overlay::Providers { marked }) => providers::view(model, *marked, frame, theme),
        Some(Overlay::Ask(asking)) => ask::view(model, asking, frame, theme),
        None => {}
    }
}

/// A box of at most this size, centred in `area`.
fn centred(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect::new(area.x + (area.width - width) / 2, area.y + (area.height - height) / 2, width, height)
}

/// Clears `area`, draws a box there and returns the area inside.
fn open_box(frame: &mut Frame<'_>, area: Rect, title: &str, theme: &Theme) -> Rect {
    let (style, shape) = theme.frame(true);
    let block = Block::bordered()
        .border_type(shape)
        .border_style(style)
        .title_top(Line::styled(format!(" {title} "), theme.strong));
    let inner = block.inner(area);
    frame.render_widget(Clear, area);
    theme.begin(frame.buffer_mut(), area);
    frame.render_widget(block, area);
    inner
}

#[cfg(test)]
mod tests;
