//! The search box: query, mode, number of results, time; and the messages below it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::tui::model::Model;
use crate::tui::model::history::{History, Mode, Part, ResultFacts};
use crate::tui::screens::chrome::{pane, spinner};
use crate::tui::screens::history::layout::{self, SearchMessage, SearchMessageKind};
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::cells;
use crate::tui::widgets::figures::{dollars, duration, thousands};

/// The placeholder of an empty search box.
const INVITATION: &str = "words, and tag: provider: model: phase: persona: since:7d until:2026-11-01";

pub(super) fn view(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    let history = &model.history;
    let focused = history.focus == Part::Search;
    let (said, style) = state(model, theme);
    let block =
        pane(title(model, theme), focused, theme).title_top(Line::styled(format!(" {said} "), style).right_aligned());
    let inner = block.inner(area);
    frame.render_widget(block, area);
    if inner.is_empty() {
        return;
    }
    if history.search.is_empty() {
        frame.render_widget(Line::styled(INVITATION, theme.muted), inner);
    } else {
        frame.render_widget(history.search.area(), inner);
    }
    if focused && model.overlay.is_none() {
        let column = if history.search.is_empty() { 0 } else { history.search.cursor_on_screen().0 };
        frame.set_cursor_position((inner.x.saturating_add(cells(column)).min(inner.right() - 1), inner.y));
    }
}

/// ` Search [text] semantic hybrid ^R `.
fn title(model: &Model, theme: &Theme) -> Line<'static> {
    let history = &model.history;
    let mut spans = vec![Span::styled(" Search ", theme.strong)];
    for mode in Mode::ALL {
        spans.push(if mode == history.mode {
            Span::styled(format!("[{}] ", mode.name()), theme.strong)
        } else {
            Span::styled(format!("{} ", mode.name()), theme.muted)
        });
    }
    spans.push(Span::styled(model.spell("{mode} "), theme.key));
    Line::from(spans)
}

/// The state of the search, and its style.
fn state(model: &Model, theme: &Theme) -> (String, Style) {
    let history = &model.history;
    if history.is_searching() {
        let what = if history.typed().query.is_empty() { "reading" } else { "searching" };
        return (format!("{} {what}", spinner(model)), theme.live);
    }
    if history.unasked {
        return ("Enter searches".to_owned(), theme.warning);
    }
    match (&history.problem, &history.facts) {
        (Some(problem), _) => (format!("{} {}", glyph::FAILED, problem.code), theme.bad),
        (None, Some(facts)) => (counts(history, facts), theme.muted),
        (None, None) => ("no search yet".to_owned(), theme.muted),
    }
}

/// `18 found · 3ms`, `50+ prompts · 2ms`.
fn counts(history: &History, facts: &ResultFacts) -> String {
    let rows = history.rows.len() as u64;
    let is_list = history.typed().query.is_empty();
    let count = match (facts.total, is_list) {
        (Some(total), false) if history.mode == Mode::Text => format!("{} found", thousands(total)),
        (Some(total), false) => format!("nearest of {}", thousands(total)),
        _ if history.next.is_some() => format!("{}+ prompts", thousands(rows)),
        _ if rows == 1 => "1 prompt".to_owned(),
        _ => format!("{} prompts", thousands(rows)),
    };
    let cost = facts.cost_usd.map_or_else(String::new, |cost| format!(" · {}", dollars(Some(cost))));
    format!("{count} · {}{cost}", duration(facts.took_ms))
}

pub(super) fn said(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) {
    for (row, SearchMessage { meaning, goes_on, text }) in area.rows().zip(layout::said(model, area.width)) {
        let (glyph, style) = match meaning {
            SearchMessageKind::Fault => (glyph::FAILED, theme.bad),
            SearchMessageKind::Remark => (glyph::WARNING, theme.warning),
        };
        let glyph = if goes_on { " " } else { glyph };
        frame.render_widget(Line::styled(format!(" {glyph} {text}"), style), row);
    }
}
