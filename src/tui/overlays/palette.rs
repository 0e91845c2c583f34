//! The palette: every action by name. Typing searches, Enter performs the marked one.
//!
//! Recently used actions come first, then those of this screen; a search also finds those of other
//! screens. Unavailable actions are shown with the reason, so that users learn that they exist.

use crossterm::event::KeyCode;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use ratatui::Frame;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::finder::{self, Finder};
use super::help::place;
use crate::tui::action::{ACTIONS, Action, ActionInfo, Context};
use crate::tui::effect::Effect;
use crate::tui::keymap::Chord;
use crate::tui::model::{Model, Overlay};
use crate::tui::screens;
use crate::tui::theme::Theme;

/// How many recently used actions are remembered.
const REMEMBERED: usize = 12;
/// Columns of a key, and of a name.
const KEY: usize = 10;
const NAME: usize = 18;

pub(super) fn key(model: &mut Model, chord: Chord, action: Option<Action>) -> Vec<Effect> {
    let page = finder::page(model);
    let Some(Overlay::Palette { filter, marked }) = &model.overlay else { return Vec::new() };
    let found = matching(model, filter);
    match (chord.code(), action, chord.typed()) {
        (KeyCode::Enter, ..) => {
            let chosen = found.get(*marked).map(|info| info.action);
            model.overlay = None;
            let Some(chosen) = chosen else { return Vec::new() };
            model.recent.retain(|known| *known != chosen);
            model.recent.insert(0, chosen);
            model.recent.truncate(REMEMBERED);
            return screens::act(model, chosen);
        }
        (_, Some(Action::Palette), None) => model.overlay = None,
        _ => {
            let last = found.len().saturating_sub(1);
            if let Some(Overlay::Palette { filter, marked }) = &mut model.overlay {
                finder::key(chord, filter, marked, last, page);
            }
        }
    }
    Vec::new()
}

/// The actions that match `filter`, one entry each, the best match first. Without a filter: the
/// recently used ones, then those of this screen.
fn matching(model: &Model, filter: &str) -> Vec<&'static ActionInfo> {
    let all = entries(model);
    if filter.trim().is_empty() {
        let mut here: Vec<&ActionInfo> = all.into_iter().filter(|info| is_here(model, info)).collect();
        let newest = |info: &&ActionInfo| model.recent.iter().position(|recent| *recent == info.action);
        here.sort_by_key(|info| newest(info).unwrap_or(usize::MAX));
        return here;
    }
    // Words match separately; no character has a special meaning.
    let pattern = Pattern::new(filter, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
    let mut config = Config::DEFAULT;
    config.prefer_prefix = true;
    let mut matcher = Matcher::new(config);
    let mut characters = Vec::new();
    let mut points = |text: &str| pattern.score(Utf32Str::new(text, &mut characters), &mut matcher);
    let mut found: Vec<(u32, bool, &ActionInfo)> = Vec::new();
    for info in all {
        let Some(whole) = points(&format!("{} {} {}", info.label, info.id, info.help)) else { continue };
        // A match in the name counts more than one in the description.
        let name = points(info.label).into_iter().chain(points(info.id)).max().unwrap_or(0);
        found.push((whole + 2 * name, is_here(model, info), info));
    }
    found.sort_by(|(a, a_here, _), (b, b_here, _)| (b_here, b).cmp(&(a_here, a)));
    found.into_iter().map(|(_, _, info)| info).collect()
}

/// One entry per action, except the palette's own: the one whose key is nearest to the focus.
/// Actions for moving a cursor are left out if no text field has the focus.
fn entries(model: &Model) -> Vec<&'static ActionInfo> {
    let context = model.context();
    let distance = |info: &ActionInfo| {
        let near = context.chain().iter().position(|near| *near == info.context);
        near.filter(|_| info.is_for(context.screen())).unwrap_or(usize::MAX)
    };
    let mut entries: Vec<&ActionInfo> = Vec::new();
    for info in ACTIONS.iter().filter(|info| info.action != Action::Palette) {
        if info.context == Context::Composer && !context.types() {
            continue;
        }
        match entries.iter_mut().find(|known| known.action == info.action) {
            Some(known) if distance(info) < distance(known) => *known = info,
            Some(_) => {}
            None => entries.push(info),
        }
    }
    entries
}

/// True for the actions of this screen.
fn is_here(model: &Model, info: &ActionInfo) -> bool {
    info.home().is_none_or(|home| home == model.screen)
}

pub(super) fn view(model: &Model, filter: &str, marked: usize, frame: &mut Frame<'_>, theme: &Theme) {
    let found = matching(model, filter);
    let about =
        found.get(marked).map_or_else(Vec::new, |info| about(model, info).map(|text| (text, theme.muted)).into());
    let finder = Finder {
        title: "Palette",
        filter,
        marked,
        rows: found.len(),
        nothing: "nothing matches; Backspace widens the search",
        about,
    };
    finder.view(frame, theme, |index, width| {
        found.get(index).map_or_else(Line::default, |info| line(model, info, width, theme))
    });
}

/// The key-map name of an entry, where its keys work, and how to change them.
fn about(model: &Model, info: &ActionInfo) -> [String; 2] {
    let keys: Vec<String> = model.keymap.keys(info).iter().map(|chord| chord.name()).collect();
    let keys = if keys.is_empty() { "no key".to_owned() } else { keys.join(", ") };
    let id = info.id;
    [
        format!("{id} · {} · {keys}", place(info.context)),
        format!("`aludel config set tui.keys.{id} KEY` gives it another key"),
    ]
}

/// A row: the key, the name, the description; and the reason if it is unavailable.
fn line(model: &Model, info: &ActionInfo, width: u16, theme: &Theme) -> Line<'static> {
    let reason = screens::refusal(model, info.action);
    let of = |style| if reason.is_some() { theme.muted } else { style };
    let key = model.keymap.key(model.context(), info.action).map_or_else(String::new, |chord| chord.to_string());
    let mut spans = vec![
        Span::styled(format!(" {key:<KEY$}"), of(theme.key)),
        Span::styled(format!("{:<NAME$}", info.label), of(theme.strong)),
    ];
    let room = usize::from(width).saturating_sub(KEY + NAME + 1);
    let reason = reason.map(|reason| format!("({})", model.keymap.spell(model.context(), reason)));
    // If there is no room for both, the reason matters more than the description.
    let said = reason.as_ref().map_or(0, |reason| reason.width() + 2);
    let help = model.spell(info.help);
    if help.width() + said <= room || reason.is_none() {
        spans.push(Span::styled(help, of(theme.text)));
        spans.extend(reason.map(|reason| Span::styled(format!("  {reason}"), theme.muted)));
    } else {
        spans.extend(reason.map(|reason| Span::styled(reason, theme.muted)));
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::action::ScreenName;
    use crate::tui::testing::Bench;

    fn ids(bench: &Bench, filter: &str) -> Vec<&'static str> {
        matching(&bench.model, filter).iter().map(|info| info.id).collect()
    }

    #[test]
    fn a_few_letters_find_what_is_meant() {
        let mut bench = Bench::new(80, 24);
        bench.press("Esc");
        for (typed, id) in [("zoo", "zoom"), ("copy", "copy"), ("hist", "screen-5-nav"), ("nxt vrnt", "var-next")] {
            assert_eq!(ids(&bench, typed).first(), Some(&id), "{typed}: {:?}", ids(&bench, typed));
        }
        assert!(ids(&bench, "no such thing at all").is_empty());
    }

    #[test]
    fn every_action_stands_once_and_what_the_screen_cannot_do_stands_last() {
        let mut bench = Bench::new(80, 24);
        bench.press("Esc");
        let all = matching(&bench.model, "e");
        let mut actions: Vec<usize> = all.iter().map(|info| info.action as usize).collect();
        actions.sort_unstable();
        actions.dedup();
        assert_eq!(actions.len(), all.len());
        let first_away = all.iter().position(|info| !is_here(&bench.model, info)).unwrap();
        assert!(all[first_away..].iter().all(|info| !is_here(&bench.model, info)));
        assert!(matching(&bench.model, "").iter().all(|info| is_here(&bench.model, info)));
    }

    #[test]
    fn enter_does_it_and_it_comes_first_the_next_time() {
        let mut bench = Bench::new(80, 24);
        bench.press("Ctrl+P");
        bench.type_text("history");
        bench.press("Enter");
        assert_eq!((bench.model.screen, bench.model.overlay.is_none()), (ScreenName::History, true));
        bench.press(":");
        assert_eq!(ids(&bench, "").first(), Some(&"screen-5-nav"));
    }

    #[test]
    fn what_cannot_be_done_says_why_and_does_nothing() {
        let mut bench = Bench::new(120, 40);
        bench.press("Ctrl+P");
        bench.type_text("load its request into the workbench's input");
        assert!(bench.picture().contains("(on the History; Alt-5 goes there)"), "{}", bench.picture());
        assert!(bench.press("Enter").is_empty());
        assert!(bench.model.toast.as_ref().is_some_and(|toast| toast.text.contains("on the History")));
    }

    #[test]
    fn a_text_is_moved_in_only_where_one_is_typed() {
        let mut bench = Bench::new(80, 24);
        assert!(ids(&bench, "").contains(&"word-left"));
        bench.press("Esc");
        assert!(!ids(&bench, "").contains(&"word-left"));
    }
}
