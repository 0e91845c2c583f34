//! The help: every key, from the list of actions. Typing filters, Enter performs the marked row.
//!
//! Unavailable actions are listed with the reason. In modal editing, its keys are listed too.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::text::{Line, Span};

use super::finder::{self, Finder};
use crate::tui::action::{ACTIONS, Action, ActionInfo, Context, ScreenName};
use crate::tui::effect::Effect;
use crate::tui::keymap::{Chord, Keymap};
use crate::tui::model::composer::vi::{KeyResult, MODAL_KEYS, ModalKey};
use crate::tui::model::{Focus, Model, Overlay};
use crate::tui::screens;
use crate::tui::theme::Theme;

pub(super) fn key(model: &mut Model, chord: Chord, action: Option<Action>) -> Vec<Effect> {
    let page = finder::page(model);
    let context = model.context();
    let Some(Overlay::Help { filter, marked }) = &mut model.overlay else { return Vec::new() };
    let found = rows(&model.keymap, filter, context);
    match (chord.code(), action, chord.typed()) {
        (KeyCode::Enter, ..) => {
            let found = found.get(*marked).copied();
            model.overlay = None;
            return found.map(|row| perform(model, row)).unwrap_or_default();
        }
        (_, Some(Action::Help), None) => model.overlay = None,
        _ => finder::key(chord, filter, marked, found.len().saturating_sub(1), page),
    }
    Vec::new()
}

/// A row of the list.
#[derive(Debug, Clone, Copy)]
enum Row {
    /// An action.
    Action(&'static ActionInfo),
    /// A key of modal editing.
    Modal(&'static ModalKey),
}

/// Performs a row.
fn perform(model: &mut Model, row: Row) -> Vec<Effect> {
    let key = match row {
        Row::Action(info) => return screens::act(model, info.action),
        Row::Modal(key) => key,
    };
    model.focus = Focus::Composer;
    match model.composer.press_modal(key) {
        KeyResult::Means(action) => screens::act(model, action),
        KeyResult::Yes | KeyResult::No => Vec::new(),
    }
}

/// The rows: the keys of modal editing come first if the input has the focus, else last.
fn rows(keymap: &Keymap, filter: &str, context: Context) -> Vec<Row> {
    let mut rows: Vec<Row> = matching(keymap, filter, context).into_iter().map(Row::Action).collect();
    if !keymap.is_modal() || context.screen() != Some(ScreenName::Work) {
        return rows;
    }
    let filter = filter.to_lowercase();
    let matches = |key: &&ModalKey| {
        let text = format!("{COMMAND} input {} {}", key.help, key.shown()).to_lowercase();
        filter.split_whitespace().all(|word| text.contains(word))
    };
    let place = if context == Context::Composer { 0 } else { rows.len() };
    rows.splice(place..place, MODAL_KEYS.iter().filter(matches).map(Row::Modal));
    rows
}

/// The actions of the screen that match every word of `filter`: first those that work in `context`,
/// then those that work everywhere, then the rest.
fn matching(keymap: &Keymap, filter: &str, context: Context) -> Vec<&'static ActionInfo> {
    let filter = filter.to_lowercase();
    let matches = |info: &&ActionInfo| {
        let (shown, named) = (keys(keymap, info), names(keymap, info));
        let text = format!("{} {} {} {shown} {named}", info.id, info.label, info.help).to_lowercase();
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

/// True if a key of this entry works on `screen`, or in an input field, which several screens have.
fn is_on(info: &ActionInfo, screen: Option<ScreenName>) -> bool {
    Context::FOCUSES.into_iter().any(|context| context.screen() == screen && info.works_in(context))
}

/// The keys of an entry as they are shown: `[ h ←`.
fn keys(keymap: &Keymap, info: &ActionInfo) -> String {
    keymap.keys(info).iter().map(Chord::to_string).collect::<Vec<_>>().join(" ")
}

/// The keys of an entry as the configuration names them: `[ h Left`.
fn names(keymap: &Keymap, info: &ActionInfo) -> String {
    keymap.keys(info).iter().map(|chord| chord.name()).collect::<Vec<_>>().join(" ")
}

pub(super) const fn place(context: Context) -> &'static str {
    match context {
        Context::Global => "everywhere",
        Context::Composer => "input",
        Context::Navigate => "panes",
        Context::Compare => "compare",
        Context::Judge => "judge",
        Context::Search => "search",
        Context::History => "list",
        Context::Providers => "providers",
        Context::Spend => "spending",
        Context::Jobs => "jobs",
        Context::Rows => "rows",
        Context::Label => "labelling",
        Context::Find => "find",
    }
}

pub(super) fn view(model: &Model, filter: &str, marked: usize, frame: &mut Frame<'_>, theme: &Theme) {
    let found = rows(&model.keymap, filter, model.context());
    let finder = Finder {
        title: "Keys",
        filter,
        marked,
        rows: found.len(),
        nothing: "no key matches; Backspace widens the search",
        about: Vec::new(),
    };
    finder.view(frame, theme, |index, width| {
        found.get(index).map_or_else(Line::default, |row| match row {
            Row::Action(info) => line(model, info, width, theme),
            Row::Modal(key) => modal_line(key, width, theme),
        })
    });
}

/// Where the keys of modal editing work.
const COMMAND: &str = "command";

/// A row for a key of modal editing.
fn modal_line(key: &ModalKey, width: u16, theme: &Theme) -> Line<'static> {
    let mut spans = vec![
        Span::styled(format!(" {:<16}", key.shown()), theme.key),
        Span::styled(format!("{COMMAND:<12}"), theme.muted),
        Span::styled(key.help, theme.text),
    ];
    if width < 90 {
        spans.remove(1);
    }
    Line::from(spans)
}

/// A row for an action: keys, place, description; and the reason if it is unavailable.
fn line(model: &Model, info: &ActionInfo, width: u16, theme: &Theme) -> Line<'static> {
    let reason = screens::refusal(model, info.action);
    let text = if reason.is_some() { theme.muted } else { theme.text };
    let mut spans = vec![
        Span::styled(
            format!(" {:<16}", keys(&model.keymap, info)),
            if reason.is_some() { theme.muted } else { theme.key },
        ),
        Span::styled(format!("{:<12}", place(info.context)), theme.muted),
        Span::styled(model.spell(info.help), text),
    ];
    if width < 90 {
        spans.remove(1);
    }
    if let Some(reason) = reason {
        let reason = model.keymap.spell(model.context(), reason);
        spans.push(Span::styled(format!("  ({reason})"), theme.muted));
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_narrows_the_list() {
        let keymap = Keymap::default();
        let ids = |filter| matching(&keymap, filter, Context::Navigate).iter().map(|info| info.id).collect::<Vec<_>>();
        let here = ACTIONS.iter().filter(|info| is_on(info, Some(ScreenName::Work))).count();
        assert_eq!(ids("").len(), here);
        assert!(here < ACTIONS.len(), "what is for another screen is not listed");
        assert_eq!(ids("previous VARIANT"), ["var-prev"]);
        assert_eq!(ids("no such thing"), Vec::<&str>::new());
    }

    #[test]
    fn the_keys_of_the_modes_are_listed_where_there_are_modes_and_do_what_they_say() {
        let modal = crate::tui::keymap::read("vi", &std::collections::BTreeMap::new()).unwrap();
        let modal_rows = |keymap: &Keymap, filter, context| {
            rows(keymap, filter, context).iter().filter(|row| matches!(row, Row::Modal(_))).count()
        };
        assert_eq!(modal_rows(&modal, "", Context::Composer), MODAL_KEYS.len());
        assert_eq!(modal_rows(&modal, "", Context::History), 0);
        assert_eq!(modal_rows(&Keymap::default(), "", Context::Composer), 0);
        assert!(matches!(rows(&modal, "", Context::Composer)[0], Row::Modal(_)));
        assert!(matches!(rows(&modal, "", Context::Navigate)[0], Row::Action(_)));
        let mut bench = crate::tui::testing::Bench::new(120, 40);
        bench.model.take_keymap(modal);
        bench.type_text("two words");
        bench.press("F1");
        bench.type_text("beginning of the word");
        bench.press("Enter");
        bench.press("x");
        assert_eq!(bench.model.composer.text(), "two ords");
    }

    #[test]
    fn what_the_focus_can_do_comes_first() {
        for context in Context::FOCUSES {
            assert_eq!(matching(&Keymap::default(), "", context)[0].context, context);
        }
    }
}
