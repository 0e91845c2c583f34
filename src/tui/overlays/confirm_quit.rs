//! The question before quitting, with what it would stop.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{centred, open_box};
use crate::tui::effect::{Effect, TerminalEffect};
use crate::tui::keymap::Chord;
use crate::tui::model::Model;
use crate::tui::theme::Theme;

pub(super) fn key(model: &mut Model, chord: Chord) -> Vec<Effect> {
    match chord.code() {
        KeyCode::Enter | KeyCode::Char('y' | 'q') => vec![TerminalEffect::Quit.into()],
        _ => {
            model.overlay = None;
            Vec::new()
        }
    }
}

pub(super) fn view(model: &Model, frame: &mut Frame<'_>, theme: &Theme) {
    let mut lines = Vec::new();
    if let Some(run) = model.live_run() {
        let (finished, all) = (run.finished(), run.variants());
        lines.push(Line::from(format!("A run is live: {finished} of {all} variants are finished.")));
        lines.push(Line::from("Quitting stops the others; what is finished is kept."));
    } else if model.judge.live().is_some() {
        lines.push(Line::from("The judge is running."));
        lines.push(Line::from("Quitting stops it; its answers so far are cached."));
    } else if let Some(transfer) = &model.history.transfer {
        lines.push(Line::from(format!("A file is being processed: {}.", transfer.told())));
        lines.push(Line::from("Quitting stops it; what is stored so far stays."));
    } else if !model.jobs.own.is_empty() {
        lines.push(Line::from("A batch is under way here."));
        lines.push(Line::from("Quitting stops it; what is done is kept, to be resumed."));
    } else if model.composer.is_empty() {
        lines.push(Line::from("Nothing is running."));
    } else {
        lines.push(Line::from("Nothing is running. The text of the input is kept."));
    }
    let area = centred(frame.area(), 62, 4 + u16::from(lines.len() > 1));
    let inner = open_box(frame, area, "Quit?", theme);
    for (row, line) in inner.rows().zip(lines) {
        frame.render_widget(line.style(theme.text), Rect { x: row.x + 1, width: row.width.saturating_sub(2), ..row });
    }
}
