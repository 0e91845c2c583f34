//! The list: two rows per prompt, and a head row above several prompts of one run.

use aludel_core::domain::Timestamp;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::tui::model::Model;
use crate::tui::model::history::{Part, Row};
use crate::tui::screens::chrome::{cut_top, pane, place};
use crate::tui::screens::history::layout::{ENTRY, Layout};
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::figures::{age, score};
use crate::tui::widgets::safe::{safe, safe_line};
use crate::tui::widgets::wrapped::Wrapped;

pub(super) fn view(model: &Model, layout: &Layout, frame: &mut Frame<'_>, theme: &Theme) {
    let area = layout.list;
    if area.is_empty() {
        return;
    }
    let history = &model.history;
    let focused = history.focus == Part::List;
    // While a reply is pending or was refused, the rows are still those of the earlier query.
    let is_search = match history.rows.first() {
        Some(row) => row.found.is_some(),
        None => !history.typed().query.is_empty(),
    };
    let title = match &history.problem {
        Some(problem) if history.rows.is_empty() => {
            Line::styled(format!(" {} {} ", glyph::FAILED, safe_line(&problem.title)), theme.bad)
        }
        _ => Line::styled(if is_search { " Found " } else { " Prompts " }, theme.strong),
    };
    let mut block = pane(title, focused, theme);
    let entries = layout.entries(history, history.top);
    let below = history.rows.len().saturating_sub(entries.end);
    if let Some(place) = place(history.top, below) {
        block = block.title_bottom(Line::styled(place, theme.muted).right_aligned());
    }
    let inner = block.inner(area);
    frame.render_widget(block, area);
    if history.rows.is_empty() {
        for (row, line) in inner.rows().zip(instead(model, inner.width, theme)) {
            frame.render_widget(line, row);
        }
        return;
    }
    let mut rest = inner;
    for index in entries {
        let row = &history.rows[index];
        let is_marked = index == history.marked;
        if let count @ 1.. = history.begins_run_of(index) {
            frame.render_widget(head(model, row, count, theme), cut_top(&mut rest, 1));
        }
        let above = cut_top(&mut rest, 1);
        frame.render_widget(facts(model, row, is_marked, theme), above);
        frame.render_widget(content(row, history.is_among_its_run(index), theme), cut_top(&mut rest, 1));
        if is_marked && history.focus != Part::Preview {
            frame.buffer_mut().set_style(Rect { height: ENTRY, ..above }, theme.marked);
        }
    }
}

/// `▸ 7a3f9c21  2 min  0.87  generic · provider/model · tags`.
fn facts(model: &Model, row: &Row, is_marked: bool, theme: &Theme) -> Line<'static> {
    let mark = if is_marked { glyph::FLOW } else { " " };
    let chosen = if model.choice.has(row.id) { glyph::CHOSEN } else { " " };
    let points = row.score.map_or_else(|| "  - ".to_owned(), score);
    let tags = if row.tags.is_empty() { String::new() } else { format!(" · {}", row.tags) };
    let far = if row.is_far { " · far" } else { "" };
    Line::from(vec![
        Span::styled(format!("{mark}{chosen}"), theme.strong),
        Span::styled(row.id.short(), theme.strong),
        Span::styled(format!("  {:<10}", age(row.made, now(model))), theme.muted),
        Span::styled(format!("  {points}  "), theme.gold),
        Span::styled(format!("{} · {}", row.persona, row.who), theme.muted),
        Span::styled(tags, theme.key),
        Span::styled(far, theme.warning),
    ])
}

/// The head row of a run: `2 min · 3 prompts · Review pull requests`.
fn head(model: &Model, row: &Row, count: usize, theme: &Theme) -> Line<'static> {
    let facts = format!("{} · {count} prompts · ", age(row.made, now(model)));
    Line::from(vec![Span::styled(facts, theme.muted), Span::styled(row.idea.clone(), theme.strong)])
}

/// The second row: the request, or the matching passage; below a head row, the prompt's own text.
fn content(row: &Row, is_below_head: bool, theme: &Theme) -> Line<'static> {
    let twin = if row.twin.is_some() { format!("  {} ", glyph::TWIN) } else { "    ".to_owned() };
    let mut spans = vec![Span::styled(twin, theme.warning)];
    if is_below_head && row.text.iter().all(|(_, is_match)| !is_match) {
        spans.push(Span::styled(row.begins.clone(), theme.text));
        return Line::from(spans);
    }
    for (text, is_match) in &row.text {
        spans.push(Span::styled(text.clone(), if *is_match { theme.found } else { theme.text }));
    }
    Line::from(spans)
}

/// The time now: the time of the reply plus what has passed since.
fn now(model: &Model) -> Timestamp {
    let Some(facts) = &model.history.facts else { return Timestamp::UNIX_EPOCH };
    let since = i64::try_from(model.now.saturating_sub(model.history.arrived)).unwrap_or(0);
    aludel_core::time::from_millis(facts.at.as_millisecond().saturating_add(since))
}

/// The message shown without rows.
fn instead(model: &Model, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let history = &model.history;
    let mut lines = vec![Line::default()];
    let mut say = |text: &str, style: Style| {
        for row in Wrapped::of(safe(text), width.saturating_sub(6)).rows(0) {
            lines.push(Line::styled(format!("   {row}"), style));
        }
    };
    let is_filtered = !history.search.is_empty();
    match (&history.problem, &history.facts) {
        (Some(problem), _) => {
            if problem.errors.is_empty() {
                say(&problem.detail, theme.text);
            }
            for fault in &problem.errors {
                say(&fault.to_string(), theme.text);
            }
            say(
                &format!("\n{} · what you typed is kept; Enter in the search box searches again", problem.code),
                theme.muted,
            );
        }
        (None, None) => say(&format!("{} reading stored prompts", glyph::CONNECTING), theme.muted),
        (None, Some(facts)) if is_filtered => {
            say("Nothing matches.", theme.text);
            if let Some(nearest) = &facts.nearest {
                say(&format!("\nThe closest in meaning: {nearest}"), theme.text);
            }
            say(
                &model.spell(
                    "\nFewer words find more, as all must occur. begin* matches prefixes, a OR b either; \
                     {mode} searches by meaning instead. {back} in the list clears the box.",
                ),
                theme.muted,
            );
        }
        (None, Some(_)) => {
            say("Nothing is stored yet.", theme.text);
            say(
                &model.spell(
                    "\nWhat a run finishes is kept here. {screen-1} goes to the Workbench, where {run} runs an idea; \
                     {import} imports a file.",
                ),
                theme.muted,
            );
        }
    }
    lines
}
