//! The screens. Each has what its actions do, where its parts lie, and how they are drawn.

pub(crate) mod workbench;

use ratatui::Frame;

use super::model::Model;
use super::overlays;
use super::theme::Theme;

/// Draws everything: the screen, and what lies over it.
pub(crate) fn view(model: &Model, frame: &mut Frame<'_>, theme: &Theme) {
    workbench::view::view(model, frame, theme);
    overlays::view(model, frame, theme);
}
