//! Incremental search in the focused pane.
//!
//! Search opens with an empty field in the status row and finds matches while the user types, from
//! the first visible row on. `Esc` or moving the focus ends it; the next-match key repeats the last
//! search. [`super::marks`] draws the matches.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::texts::{self, text_in, with_keys};
use super::{chrome, history};
use crate::tui::action::{Action, Context, ScreenName};
use crate::tui::model::find::Matches;
use crate::tui::model::{Find, Focus, Model, Tone};
use crate::tui::theme::Theme;
use crate::tui::widgets::cells;
use crate::tui::widgets::figures::thousands;
use crate::tui::widgets::safe::safe_line;

/// The label of the field.
const LABEL: &str = " find ";

/// True for the actions of the search.
pub(super) const fn is_own(action: Action) -> bool {
    matches!(action, Action::Find | Action::FindNext | Action::FindPrevious | Action::FindKeep)
}

/// Why `action`, one of the search, cannot be done now; `None` when it can.
pub(super) fn refusal(model: &Model, action: Action) -> Option<&'static str> {
    match (action, &model.find) {
        (Action::FindKeep, None) => Some("no search yet"),
        (Action::FindNext | Action::FindPrevious, None) if model.sought.is_empty() => Some("no search yet"),
        (_, Some(_)) => None,
        (_, None) => nothing_to_find_in(model),
    }
}

/// Why there is no text to search.
fn nothing_to_find_in(model: &Model) -> Option<&'static str> {
    match model.screen {
        ScreenName::Work => {
            let shown = model.run.as_ref().is_some_and(|run| run.refusal.is_none() && run.variants() > 0);
            (!shown).then_some("no run yet")
        }
        ScreenName::Compare => with_keys(model).is_none().then_some("nothing is compared yet"),
        ScreenName::Judge => with_keys(model).is_none().then_some("nothing there yet"),
        ScreenName::History => model.history.preview.is_none().then_some("nothing to show"),
        ScreenName::Providers | ScreenName::Spend | ScreenName::Jobs | ScreenName::Label => {
            Some("there is no text to find words in here")
        }
    }
}

/// Performs `action`. False if the screen must handle it.
pub(super) fn act(model: &mut Model, action: Action) -> bool {
    let is_found = model.find.is_some();
    match action {
        Action::Find => {
            begin(model, "");
            if let Some(find) = &mut model.find {
                find.is_typing = true;
            }
        }
        Action::FindNext => go_on(model, 1),
        Action::FindPrevious => go_on(model, -1),
        // While a search is open, the keys for changes go through its matches.
        Action::ChangeNext if is_found => go_on(model, 1),
        Action::ChangePrevious if is_found => go_on(model, -1),
        Action::FindKeep => match &mut model.find {
            Some(find) if find.field.is_empty() => model.find = None,
            Some(find) => find.is_typing = false,
            None => {}
        },
        _ => return edit(model, action),
    }
    true
}

/// Edits the field if it has the focus and `action` edits text.
fn edit(model: &mut Model, action: Action) -> bool {
    let edits = action.info().context == Context::Composer && action.info().screen.is_none();
    if !edits || !is_typing(model) {
        return false;
    }
    change(model, |find| _ = find.field.act(action));
    true
}

/// Types into the field if it has the focus.
pub(super) fn type_in(model: &mut Model, character: char) -> bool {
    is_typing(model) && change(model, |find| find.field.insert(character))
}

/// Pastes the first line into the field if it has the focus.
pub(super) fn paste(model: &mut Model, text: &str) -> bool {
    is_typing(model) && change(model, |find| _ = find.field.paste(text.lines().next().unwrap_or_default()))
}

/// Ends the search, restoring the scroll position if it was still typed. False if none was open.
pub(super) fn end(model: &mut Model) -> bool {
    let Some(find) = model.find.take() else { return false };
    if find.is_typing {
        texts::set_scroll(model, find.name.place, find.origin);
    }
    true
}

/// Searches text that arrived since the last call; a different text is searched from its beginning.
pub(super) fn settle(model: &mut Model) {
    let Some(mut find) = model.find.take() else { return };
    let Some((name, text)) = with_keys(model) else { return };
    if name != find.name {
        find.matches = Matches::of(&find.field.text());
        find.current = None;
        if name.place != find.name.place {
            find.origin = texts::scroll_of(model, name.place);
        }
        find.name = name;
    }
    find.matches.grow(text);
    let status = chrome::Chrome::cut(&mut Rect::new(0, 0, model.size.width, model.size.height)).status;
    find.field.reflow(field_area(&find, &said(&find, &Theme::mono()), status));
    model.find = Some(find);
}

fn is_typing(model: &Model) -> bool {
    model.find.as_ref().is_some_and(|find| find.is_typing)
}

/// Focuses the pane and searches it for `sought`, without moving to a match.
fn begin(model: &mut Model, sought: &str) {
    match model.screen {
        ScreenName::Work if model.focus != Focus::Vessels => {
            model.focus = Focus::Vessels;
            model.zoom = false;
        }
        ScreenName::History => _ = history::act(model, Action::ToPreview),
        _ => {}
    }
    end(model);
    let Some((name, _)) = with_keys(model) else { return };
    let origin = texts::scroll_of(model, name.place);
    model.find = Some(Find::new(name, origin, sought));
    settle(model);
}

/// Edits what is searched for and goes to the first match from the original position. Always true.
fn change(model: &mut Model, how: impl FnOnce(&mut Find)) -> bool {
    let Some(mut find) = model.find.take() else { return true };
    let before = find.field.text();
    how(&mut find);
    let sought = find.field.text();
    if sought == before {
        model.find = Some(find);
        return true;
    }
    find.matches = Matches::of(&sought);
    find.current = None;
    texts::set_scroll(model, find.name.place, find.origin);
    model.find = Some(find);
    settle(model);
    go_to_first(model);
    model.sought = sought;
    true
}

/// Goes to the first match at or below the first visible row, else to the first of all.
fn go_to_first(model: &mut Model) {
    let Some(find) = &model.find else { return };
    let first = first_seen(model, find);
    let first = if first < find.matches.len() { first } else { 0 };
    go_to(model, first);
}

/// The number of the first match at or below the first visible row.
fn first_seen(model: &Model, find: &Find) -> usize {
    let top = texts::scroll_of(model, find.name.place).top;
    let start = text_in(model, find.name.place).map(|(_, text)| text.start_of(top)).unwrap_or_default();
    find.matches.first_from(start)
}

/// Goes to the next or the previous match, wrapping around.
fn go_on(model: &mut Model, step: isize) {
    if model.find.is_none() {
        let sought = model.sought.clone();
        begin(model, &sought);
    }
    let Some(find) = &model.find else { return };
    let count = find.matches.len();
    if count == 0 {
        if !find.field.is_empty() {
            let said = format!("`{}` is not in this pane", safe_line(&find.field.text()));
            model.say(Tone::Refused, said);
        }
        return;
    }
    let forward = step > 0;
    let number = match find.current {
        Some(current) if forward => current + 1,
        Some(current) => current.checked_sub(1).unwrap_or(count - 1),
        None if forward => first_seen(model, find),
        None => first_seen(model, find).checked_sub(1).unwrap_or(count - 1),
    };
    go_to(model, if number < count { number } else { 0 });
}

fn go_to(model: &mut Model, number: usize) {
    let Some(find) = &mut model.find else { return };
    let Some(found) = find.matches.get(number) else { return };
    find.current = Some(number);
    let place = find.name.place;
    texts::bring_into_sight(model, place, found.spot);
}

/// Draws the search field, the match count and the keys. False if no search is open.
pub(crate) fn view(model: &Model, area: Rect, frame: &mut Frame<'_>, theme: &Theme) -> bool {
    let Some(find) = &model.find else { return false };
    let said = said(find, theme);
    let label = cells(LABEL.len());
    let field = field_area(find, &said, area);
    let rest = Rect { x: field.right(), width: area.right().saturating_sub(field.right()), ..area };
    frame.render_widget(Line::styled(LABEL, theme.muted), Rect { width: label.min(area.width), ..area });
    frame.render_widget(find.field.area(), field);
    if find.is_typing && model.overlay.is_none() && !field.is_empty() {
        let x = field.x.saturating_add(cells(find.field.cursor_on_screen().0)).min(field.right() - 1);
        frame.set_cursor_position((x, field.y));
    }
    let right = chrome::toast(model, theme).unwrap_or_else(|| vec![Span::styled(keys(model, find), theme.muted)]);
    let left = vec![Span::raw(" "), said];
    let fits = |parts: &[Span<'_>]| parts.iter().map(Span::width).sum::<usize>() + left.len() < usize::from(rest.width);
    let right = if fits(&[&left[..], &right[..]].concat()) { right } else { Vec::new() };
    chrome::status(frame, rest, left, right);
    true
}

/// The position of the current match and the number of matches.
fn said(find: &Find, theme: &Theme) -> Span<'static> {
    let (said, style) = match (find.matches.len(), find.current) {
        _ if find.field.is_empty() => (String::new(), theme.muted),
        (0, _) => ("no match".to_owned(), theme.warning),
        (count, Some(current)) => {
            (format!("match {}/{}", thousands(current as u64 + 1), thousands(count as u64)), theme.strong)
        }
        (1, None) => ("1 match".to_owned(), theme.text),
        (count, None) => (format!("{} matches", thousands(count as u64)), theme.text),
    };
    Span::styled(said, style)
}

/// The area of the field in the status row: as wide as its text, if `said` leaves room.
fn field_area(find: &Find, said: &Span<'_>, area: Rect) -> Rect {
    let label = cells(LABEL.len());
    let written = cells(Line::from(safe_line(&find.field.text())).width()).saturating_add(1);
    let most = area.width.saturating_sub(label).saturating_sub(cells(said.width()).saturating_add(3)).max(1);
    let field = Rect { x: area.x.saturating_add(label), width: written.min(most), ..area };
    field.intersection(area)
}

/// Hints for continuing and for ending the search.
fn keys(model: &Model, find: &Find) -> String {
    let says = match (find.is_typing, model.screen) {
        (true, _) if find.field.is_empty() => "type what to find · Esc ends ",
        (true, _) => "{find-keep} keeps it · Esc ends ",
        (false, ScreenName::Compare) => "{next-change} {prev-change} go on · Esc ends ",
        (false, _) => "{find-next} {find-prev} go on · Esc ends ",
    };
    model.spell(says)
}

#[cfg(test)]
mod tests;
