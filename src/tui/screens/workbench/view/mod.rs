//! Draws the Workbench from the model. Changes nothing.

mod composer;
mod footer;
mod pipeline;
mod vessels;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Block;

use super::layout::{LEAST, Layout, Room, layout};
use crate::tui::model::{LiveRun, Model, Vessel};
use crate::tui::theme::{Theme, glyph};

/// Draws the whole screen, what lies over it not included.
pub(crate) fn view(model: &Model, frame: &mut Frame<'_>, theme: &Theme) {
    let area = frame.area();
    let layout = layout(model, area);
    if layout.room == Room::Tiny {
        return too_small(frame, area, theme);
    }
    header(model, &layout, frame, theme);
    composer::view(model, &layout, frame, theme);
    composer::settings(model, layout.settings, frame, theme);
    if let Some(run) = &model.run {
        pipeline::table(model, run, layout.pipeline, frame, theme);
        pipeline::strips(model, run, layout.strips, frame, theme);
        pipeline::ranking(run, layout.ranking, frame, theme);
    }
    vessels::view(model, &layout, frame, theme);
    footer::warning(model, layout.warning, frame, theme);
    footer::status(model, layout.status, layout.room, frame, theme);
    footer::hints(model, layout.hints, frame, theme);
}

/// One line that says what is needed.
fn too_small(frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let (width, height) = LEAST;
    let text = format!("aludel needs {width}x{height}, this is {}x{}", area.width, area.height);
    let row = Rect { y: area.y + area.height / 2, height: area.height.min(1), ..area };
    frame.render_widget(Line::styled(text, theme.warning).centered(), row);
}

fn header(model: &Model, layout: &Layout, frame: &mut Frame<'_>, theme: &Theme) {
    let left = Line::from(vec![Span::styled(" aludel", theme.brand), Span::styled("  Workbench", theme.strong)]);
    frame.render_widget(left, layout.header);
    let Some(run) = &model.run else { return };
    let Some(session) = run.view.session_id else { return };
    let right = Line::from(Span::styled(format!("run {} ", session.short()), theme.muted)).right_aligned();
    frame.render_widget(right, layout.header);
}

/// The frame of a pane.
fn pane<'a>(title: Line<'a>, focused: bool, theme: &Theme) -> Block<'a> {
    let (style, shape) = theme.frame(focused);
    Block::bordered().border_type(shape).border_style(style).title_top(title)
}

/// The glyph of a state, and how it is drawn.
fn mark(model: &Model, vessel: Vessel<'_>, theme: &Theme) -> (&'static str, Style) {
    match vessel {
        Vessel::Queued => (glyph::QUEUED, theme.muted),
        Vessel::Connecting => (glyph::CONNECTING, theme.live),
        Vessel::Streaming => (spinner(model), theme.live),
        Vessel::Retrying { .. } => (glyph::RETRYING, theme.warning),
        Vessel::Done(_) => (glyph::DONE, theme.good),
        Vessel::Failed(_) => (glyph::FAILED, theme.bad),
        Vessel::Stopped => (glyph::STOPPED, theme.warning),
        Vessel::NotReached => (glyph::NOT_REACHED, theme.muted),
    }
}

/// The picture of work at this moment. It rests while nobody looks.
fn spinner(model: &Model) -> &'static str {
    let frames = glyph::SPINNER;
    let at = if model.attention { usize::try_from(model.now / 100).unwrap_or(0) } else { 0 };
    frames[at % frames.len()]
}

/// The state of a variant as a whole: that of its newest phase.
fn state_of(run: &LiveRun, variant: u32) -> Vessel<'_> {
    let newest = run.view.variants.get(&variant).map_or(0, |of| of.phases.len().saturating_sub(1));
    match run.vessel(variant, newest) {
        Vessel::Done(_) if run.prompt(variant).is_none() => {
            // Between two phases: what follows decides.
            match run.vessel(variant, newest + 1) {
                Vessel::Queued if run.is_live() => Vessel::Connecting,
                next => next,
            }
        }
        state => state,
    }
}

#[cfg(test)]
mod tests;
