//! The whole picture: the screen, and what lies over it. A pure function of the model.

use ratatui::Frame;

use super::model::Model;
use super::theme::Theme;
use super::widgets::safe;
use super::{overlays, screens};

/// Draws everything.
pub(crate) fn view(model: &Model, frame: &mut Frame<'_>, theme: &Theme) {
    let area = frame.area();
    theme.begin(frame.buffer_mut(), area);
    screens::view(model, frame, theme);
    let data = theme.data(frame.buffer_mut(), || screens::data_areas(model));
    overlays::view(model, frame, theme);
    theme.finish(frame.buffer_mut(), data);
    safe::guard(frame.buffer_mut());
}
