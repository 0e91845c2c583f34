//! Every key, from the list of actions. Typing filters, Enter does what is marked.
//!
//! What cannot be done now is shown too, with the reason.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::open_box;
use crate::tui::action::{ACTIONS, Action, ActionInfo, Context, ScreenName};
use crate::tui::effect::Effect;
use crate::tui::keymap::Chord;
use crate::tui::model::{Model, Overlay};
use crate::tui::screens;
use crate::tui::theme::Theme;

pub(super) fn key(model: &mut Model, chord: Chord, action: Option<Action>) -> Vec<Effect> {
    let page = usize::from(area(Rect::new(0, 0, model.size.width, model.size.height)).height.saturating_sub(4)).max(1);
    let context = model.context();
    let Some(Overlay::Help { filter, marked }) = &mut model.overlay else { return Vec::new() };
    let last = matching(filter, context).len().saturating_sub(1);
    match (chord.code(), action, chord.typed()) {
        (KeyCode::Enter, ..) => {
            let found = matching(filter, context).get(*marked).map(|info| info.action);
            model.overlay = None;
            return found.map(|action| screens::act(model, action)).unwrap_or_default();
        }
        (_, Some(Action::Help), None) => model.overlay = None,
        (KeyCode::Down, ..) => *marked = (*marked + 1).min(last),
        (KeyCode::Up, ..) => *marked = marked.saturating_sub(1),
        (KeyCode::PageDown, ..) => *marked = (*marked + page).min(last),
        (KeyCode::PageUp, ..) => *marked = marked.saturating_sub(page),
        (KeyCode::Home, ..) => *marked = 0,
        (KeyCode::End, ..) => *marked = last,
        (KeyCode::Backspace, ..) => {
            filter.pop();
            *marked = 0;
        }
        (_, _, Some(character)) => {
            filter.push(character);
            *marked = 0;
        }
        _ => {}
    }
    Vec::new()
}

/// The actions of the screen that match every word of `filter`: those whose keys work in `context` first, those that
/// work everywhere after them, then the rest.
fn matching(filter: &str, context: Context) -> Vec<&'static ActionInfo> {
    let filter = filter.to_lowercase();
    let matches = |info: &&ActionInfo| {
        let text = format!("{} {} {} {}", info.id, info.label, info.help, info.keys.join(" ")).to_lowercase();
        filter.split_whitespace().all(|word| text.contains(word))
    };
    let mut found: Vec<&ActionInfo> =
        ACTIONS.iter().filter(|info| is_on(info, context.screen())).filter(matches).collect();
    found.sort_by_key(|info| match info.context {
        Context::Global => 10,
        own => context.chain().iter().position(|near| *near == own).unwrap_or(20),
    });
    found
}

/// True when some key of this entry does something on `screen`.
fn is_on(info: &ActionInfo, screen: ScreenName) -> bool {
    let contexts = match screen {
        ScreenName::Work => &[Context::Composer, Context::Navigate][..],
        ScreenName::Compare => &[Context::Compare],
        ScreenName::Judge => &[Context::Judge],
        ScreenName::History => &[Context::Search, Context::History],
    };
    contexts.iter().copied().any(|context| info.works_in(context))
}

/// What the keys of an action look like: `[ · h · ←`.
fn keys(info: &ActionInfo) -> String {
    let shown = info.keys.iter().filter_map(|key| key.parse::<Chord>().ok()).map(|chord| chord.to_string());
    shown.collect::<Vec<_>>().join(" ")
}

const fn place(context: Context) -> &'static str {
    match context {
        Context::Global => "everywhere",
        Context::Composer => "input",
        Context::Navigate => "panes",
        Context::Compare => "compare",
        Context::Judge => "judge",
        Context::Search => "search",
        Context::History => "list",
    }
}

fn area(screen: Rect) -> Rect {
    super::centred(screen, 96, screen.height.saturating_sub(4).max(10))
}

pub(super) fn view(model: &Model, filter: &str, marked: usize, frame: &mut Frame<'_>, theme: &Theme) {
    let inner = open_box(frame, area(frame.area()), "Keys", theme);
    let found = matching(filter, model.context());
    let mut rows = inner.rows();
    if let Some(row) = rows.next() {
        let prompt =
            Line::from(vec![Span::styled(" search ", theme.muted), Span::styled(filter.to_owned(), theme.strong)]);
        let cursor = row.x + 8 + super::super::widgets::cells(filter.chars().count());
        frame.render_widget(prompt, row);
        if cursor < row.right() {
            frame.set_cursor_position((cursor, row.y));
        }
    }
    let height = usize::from(inner.height.saturating_sub(1)).max(1);
    let top = marked.saturating_sub(height / 2).min(found.len().saturating_sub(height));
    if found.is_empty() {
        if let Some(row) = rows.next() {
            frame.render_widget(Line::styled(" no key does that; Backspace widens the search", theme.muted), row);
        }
        return;
    }
    for (row, (index, info)) in rows.zip(found.into_iter().enumerate().skip(top)) {
        let line = line(model, info, row.width, theme);
        frame.render_widget(if index == marked { line.style(theme.marked) } else { line }, row);
    }
}

/// One row: keys, where, what; and why not, where it cannot be done now.
fn line(model: &Model, info: &ActionInfo, width: u16, theme: &Theme) -> Line<'static> {
    let reason = screens::refusal(model, info.action);
    let text = if reason.is_some() { theme.muted } else { theme.text };
    let mut spans = vec![
        Span::styled(format!(" {:<16}", keys(info)), if reason.is_some() { theme.muted } else { theme.key }),
        Span::styled(format!("{:<12}", place(info.context)), theme.muted),
        Span::styled(info.help.to_owned(), text),
    ];
    if width < 90 {
        spans.remove(1);
    }
    if let Some(reason) = reason {
        spans.push(Span::styled(format!("  ({reason})"), theme.muted));
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_narrows_the_list() {
        let ids = |filter| matching(filter, Context::Navigate).iter().map(|info| info.id).collect::<Vec<_>>();
        let here = ACTIONS.iter().filter(|info| is_on(info, ScreenName::Work)).count();
        assert_eq!(ids("").len(), here);
        assert!(here < ACTIONS.len(), "what is for another screen is not listed");
        assert_eq!(ids("previous VARIANT"), ["var-prev"]);
        assert_eq!(ids("no such thing"), Vec::<&str>::new());
    }

    #[test]
    fn what_the_focus_can_do_comes_first() {
        assert_eq!(matching("", Context::Composer)[0].context, Context::Composer);
        assert_eq!(matching("", Context::Navigate)[0].context, Context::Navigate);
        assert_eq!(matching("", Context::Search)[0].context, Context::Search);
        assert_eq!(matching("", Context::History)[0].context, Context::History);
    }
}
