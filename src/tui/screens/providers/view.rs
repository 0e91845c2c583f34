//! Draws the Providers from the model. Changes nothing.

use aludel_core::engine::ProviderDetails;
use aludel_core::probe::KeySource;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{details, screen_layout};
use crate::tui::model::Model;
use crate::tui::model::providers::Test;
use crate::tui::screens::chrome::{self, fitted, header, hints, pane, spinner, too_small};
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::safe::safe_line;

/// Columns of a provider's name, and of the source of its key.
const NAME: usize = 20;
const KEY: usize = 24;

/// Draws the screen, without overlays.
pub(crate) fn view(model: &Model, frame: &mut Frame<'_>, theme: &Theme) {
    let area = frame.area();
    let Some(place) = screen_layout(model, area) else { return too_small(frame, area, theme) };
    header(model, place.chrome.header, frame, theme);
    list(model, place.list, frame, theme);
    about(model, place.details, frame, theme);
    status(model, place.chrome.status, frame, theme);
    hints(model, place.chrome.hints, frame, theme);
}

fn list(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let providers = &model.providers;
    let mut block = pane(Line::styled(" Providers ", theme.strong), true, theme);
    if providers.asked.is_some() {
        let says = format!(" {} loading ", spinner(model));
        block = block.title_top(Line::styled(says, theme.live).right_aligned());
    }
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let mut rows = inner.rows();
    if let Some(row) = rows.next() {
        let names = format!("    {:<NAME$}{:<KEY$}model", "name", "key");
        frame.render_widget(Line::styled(names, theme.muted), row);
    }
    if providers.rows.is_none() {
        if let Some(row) = rows.next() {
            frame.render_widget(Line::styled("    checking availability", theme.muted), row);
        }
        return;
    }
    let visible = usize::from(inner.height).saturating_sub(1);
    let below = providers.rows().len().saturating_sub(providers.top + visible);
    chrome::say_hidden(frame, area, providers.top, below, theme);
    for (row, (at, facts)) in rows.zip(providers.rows().iter().enumerate().skip(providers.top)) {
        let is_marked = at == providers.marked;
        let line = line(model, facts, is_marked, theme);
        chrome::list_row(frame, row, line, is_marked, theme);
    }
}

/// `▸ ✓ openai              $OPENAI_API_KEY         gpt-6-luna`.
fn line(model: &Model, facts: &ProviderDetails, is_marked: bool, theme: &Theme) -> Line<'static> {
    let (sign, style) = match model.providers.tests.get(&facts.info.name) {
        Some(Test::Waiting(_)) => (spinner(model), theme.live),
        Some(Test::Done(test)) if !test.ok => (glyph::FAILED, theme.bad),
        Some(Test::Refused(_)) => (glyph::FAILED, theme.bad),
        _ if facts.info.available => (glyph::DONE, theme.good),
        _ => (glyph::NOT_REACHED, theme.muted),
    };
    let kind = facts.info.kind.as_str();
    let name = if facts.info.name == kind { kind.to_owned() } else { format!("{} ({kind})", facts.info.name) };
    let usable = facts.info.available;
    let of = |style| if usable { style } else { theme.muted };
    Line::from(vec![
        Span::styled(if is_marked { format!("{} ", glyph::FLOW) } else { "  ".to_owned() }, theme.strong),
        Span::styled(format!("{sign} "), style),
        Span::styled(fitted(&name, NAME), of(theme.strong)),
        Span::styled(fitted(&key(&facts.key), KEY), of(theme.text)),
        Span::styled(safe_line(facts.info.default_model.as_deref().unwrap_or("none named")), of(theme.text)),
    ])
}

/// Where a key comes from, in a word or two.
fn key(source: &KeySource) -> String {
    match source {
        KeySource::NotNeeded => "not needed".to_owned(),
        KeySource::Without { .. } => "none; may be optional".to_owned(),
        KeySource::Missing { .. } => "missing".to_owned(),
        KeySource::Configured => "in the configuration".to_owned(),
        KeySource::Command => "from a command".to_owned(),
        KeySource::Variable(variable) => format!("${variable}"),
    }
}

fn about(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let Some(facts) = model.providers.marked() else {
        return frame.render_widget(pane(Line::default(), false, theme), area);
    };
    let title = format!(" {} ", safe_line(&facts.info.name));
    let mut block = pane(Line::styled(title, theme.strong), false, theme);
    let inner = block.inner(area);
    let lines = details::lines(model, inner.width, theme);
    let top = model.providers.details_top;
    let below = lines.len().saturating_sub(top + usize::from(inner.height));
    if let Some(place) = chrome::place(top, below) {
        block = block.title_bottom(Line::styled(place, theme.muted).right_aligned());
    }
    frame.render_widget(block, area);
    for (row, line) in inner.rows().zip(lines.into_iter().skip(top)) {
        frame.render_widget(line, row);
    }
}

/// The number of usable providers; a passing message or the run on the Workbench on the right.
fn status(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let rows = model.providers.rows();
    let usable = rows.iter().filter(|facts| facts.info.available).count();
    let left = vec![Span::styled(format!(" {usable} of {} can be used", rows.len()), theme.muted)];
    let left = if rows.is_empty() { Vec::new() } else { left };
    chrome::run_status(model, left, area, frame, theme);
}
