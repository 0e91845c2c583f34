//! Draws the Workbench from the model. Changes nothing.

mod composer;
mod footer;
mod phase_panes;
mod pipeline;

use ratatui::Frame;
use ratatui::style::Style;

pub(crate) use composer::setting;
pub(crate) use footer::whole_run;

use super::layout::{SizeClass, layout};
use crate::tui::model::{LiveRun, Model, PhasePane};
use crate::tui::screens::chrome::{header, hints, pane, spinner, too_small};
use crate::tui::theme::{Theme, glyph};

/// Draws the screen, without overlays.
pub(crate) fn view(model: &Model, frame: &mut Frame<'_>, theme: &Theme) {
    let area = frame.area();
    let layout = layout(model, area);
    if layout.room == SizeClass::Tiny {
        return too_small(frame, area, theme);
    }
    header(model, layout.chrome.header, frame, theme);
    composer::view(model, &layout, frame, theme);
    composer::settings(model, layout.settings, frame, theme);
    if let Some(run) = &model.run {
        pipeline::table(model, run, layout.pipeline, frame, theme);
        pipeline::strips(model, run, layout.strips, frame, theme);
        pipeline::ranking(model, run, layout.ranking, frame, theme);
    }
    phase_panes::view(model, &layout, frame, theme);
    footer::warning(model, layout.warning, frame, theme);
    footer::status(model, layout.chrome.status, layout.room, frame, theme);
    hints(model, layout.chrome.hints, frame, theme);
}

/// The glyph of a state, and how it is drawn.
fn mark(model: &Model, phase_pane: PhasePane<'_>, theme: &Theme) -> (&'static str, Style) {
    match phase_pane {
        PhasePane::Queued => (glyph::QUEUED, theme.muted),
        PhasePane::Connecting => (glyph::CONNECTING, theme.live),
        PhasePane::Streaming => (spinner(model), theme.live),
        PhasePane::Retrying { .. } => (glyph::RETRYING, theme.warning),
        PhasePane::Done(_) | PhasePane::Earlier => (glyph::DONE, theme.good),
        PhasePane::Failed(_) => (glyph::FAILED, theme.bad),
        PhasePane::Stopped => (glyph::STOPPED, theme.warning),
        PhasePane::NotReached => (glyph::NOT_REACHED, theme.muted),
    }
}

/// What the first of the ranking is called: where the judge chose another of the run, it has the top
/// score and is not the best.
fn first_place(model: &Model, run: &LiveRun) -> &'static str {
    let id_of = |variant| run.prompt(variant).map(|prompt| prompt.id);
    let chosen = model.judge.winner().filter(|winner| (0..run.variants()).any(|of| id_of(of) == Some(*winner)));
    if chosen.is_some() && chosen != run.best().and_then(id_of) { "top score" } else { "best" }
}

/// The state of a variant: that of its newest phase.
fn state_of(run: &LiveRun, variant: u32) -> PhasePane<'_> {
    let newest = run.newest_phase(variant);
    match run.phase_pane(variant, newest) {
        PhasePane::Done(_) if run.prompt(variant).is_none() => {
            // Between two phases, the next one decides.
            match run.phase_pane(variant, newest + 1) {
                PhasePane::Queued if run.is_live() => PhasePane::Connecting,
                next => next,
            }
        }
        state => state,
    }
}

#[cfg(test)]
mod tests;
