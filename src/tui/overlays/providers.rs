//! The choice of a provider for a retry, among those that a run could call now.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::text::{Line, Span};

use super::{centred, open_box};
use crate::tui::effect::Effect;
use crate::tui::keymap::Chord;
use crate::tui::model::{Model, Overlay};
use crate::tui::screens::chrome::{list_row, say_hidden};
use crate::tui::screens::workbench::again::{failed, offered_first, run_with, variants, wanted};
use crate::tui::theme::Theme;
use crate::tui::widgets::cells;
use crate::tui::widgets::safe::safe_line;

pub(super) fn key(model: &mut Model, chord: Chord) -> Vec<Effect> {
    let last = model.settings.providers().len().saturating_sub(1);
    let offered = offered_first(model);
    let Some(Overlay::Providers { marked }) = &mut model.overlay else { return Vec::new() };
    let at = marked.unwrap_or(offered).min(last);
    match chord.code() {
        KeyCode::Down | KeyCode::Char('j') => *marked = Some((at + 1).min(last)),
        KeyCode::Up | KeyCode::Char('k') => *marked = Some(at.saturating_sub(1)),
        KeyCode::Home | KeyCode::Char('g') => *marked = Some(0),
        KeyCode::End | KeyCode::Char('G') => *marked = Some(last),
        KeyCode::Enter => {
            if let Some(provider) = model.settings.providers().get(at).cloned() {
                model.overlay = None;
                return run_with(model, &provider);
            }
        }
        _ => {}
    }
    Vec::new()
}

pub(super) fn view(model: &Model, marked: Option<usize>, frame: &mut Frame<'_>, theme: &Theme) {
    let Some(run) = &model.run else { return };
    let providers = model.settings.providers();
    let area = centred(frame.area(), 62, cells(providers.len().max(1)).saturating_add(4));
    let inner = open_box(frame, area, "Retry with provider", theme);
    let what = match (failed(run), variants(wanted(run))) {
        (0, one) => format!(" {one} more of the same request"),
        (_, again) => format!(" {again}, which failed"),
    };
    let mut rows = inner.rows();
    if let Some(row) = rows.next() {
        frame.render_widget(Line::styled(what, theme.muted), row);
    }
    if providers.is_empty()
        && let Some(row) = rows.next()
    {
        frame.render_widget(Line::styled(" checking availability", theme.muted), row);
        return;
    }
    let height = usize::from(inner.height.saturating_sub(1)).max(1);
    let marked = marked.unwrap_or_else(|| offered_first(model)).min(providers.len().saturating_sub(1));
    let top = marked.saturating_sub(height / 2).min(providers.len().saturating_sub(height));
    say_hidden(frame, area, top, providers.len().saturating_sub(top + height), theme);
    for (row, (index, name)) in rows.zip(providers.iter().enumerate().skip(top)) {
        let remark = if model.settings.is_writer(name) { "  a rule-based writer, not a model; free" } else { "" };
        let line = Line::from(vec![
            Span::styled(format!(" {}", safe_line(name)), theme.text),
            Span::styled(remark, theme.muted),
        ]);
        list_row(frame, row, line, index == marked, theme);
    }
}
