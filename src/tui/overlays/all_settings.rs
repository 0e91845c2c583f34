//! Every setting with its value and origin, as in `aludel config show --origin`; typing filters.
//!
//! It is read-only; below the list it says how to change the marked setting.

use aludel_core::config::keys;
use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::text::{Line, Span};

use super::finder::{self, Finder};
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::keymap::Chord;
use crate::tui::model::listing::{Listing, SettingRow};
use crate::tui::model::{Model, Overlay};
use crate::tui::theme::{Theme, glyph};
use crate::tui::widgets::safe::safe_line;

/// Columns of a key and of a value, on a wide and on a narrow terminal.
const WIDE: (usize, usize) = (40, 26);
const NARROW: (usize, usize) = (34, 18);

pub(super) fn key(model: &mut Model, chord: Chord, action: Option<Action>) -> Vec<Effect> {
    let page = finder::page(model);
    let Some(Overlay::AllSettings(listing)) = &mut model.overlay else { return Vec::new() };
    let last = listing.matching().len().saturating_sub(1);
    match (chord.code(), action, chord.typed()) {
        (KeyCode::Enter, ..) | (_, Some(Action::AllSettings), None) => model.overlay = None,
        _ => finder::key(chord, &mut listing.filter, &mut listing.marked, last, page),
    }
    Vec::new()
}

pub(super) fn view(listing: &Listing, frame: &mut Frame<'_>, theme: &Theme) {
    let found = listing.matching();
    let nothing = match &listing.rows {
        None => "reading the configuration".to_owned(),
        Some(Ok(_)) => "no setting matches; Backspace widens the search".to_owned(),
        Some(Err(problem)) => format!("{} {}", glyph::FAILED, safe_line(&problem.detail)),
    };
    let about = found
        .get(listing.marked)
        .map_or_else(Vec::new, |row| about(row).into_iter().map(|text| (text, theme.muted)).collect());
    let finder = Finder {
        title: "Settings",
        filter: &listing.filter,
        marked: listing.marked,
        rows: found.len(),
        nothing: &nothing,
        about,
    };
    finder
        .view(frame, theme, |index, width| found.get(index).map_or_else(Line::default, |row| line(row, width, theme)));
}

/// A row: the key, the value, the origin.
fn line(row: &SettingRow, width: u16, theme: &Theme) -> Line<'static> {
    let (key, room) = if width < 90 { NARROW } else { WIDE };
    let value = if row.value.is_empty() { glyph::NOT_REACHED.to_owned() } else { safe_line(&row.value) };
    let (value_style, origin_style) = if row.is_set { (theme.strong, theme.text) } else { (theme.text, theme.muted) };
    Line::from(vec![
        Span::styled(format!(" {:<key$} ", safe_line(&row.key)), theme.key),
        Span::styled(format!("{value:<room$} "), value_style),
        Span::styled(safe_line(&row.origin), origin_style),
    ])
}

/// What the setting is, who set it, and how to change it.
fn about(row: &SettingRow) -> Vec<String> {
    let key = safe_line(&row.key);
    let Some(known) = keys::find(&row.key) else { return Vec::new() };
    let origin = safe_line(&row.origin);
    let takes = safe_line(&row.takes);
    // A long list of values gets its own row.
    let (beside, below) = if takes.len() > 40 { (String::new(), Some(takes)) } else { (takes, None) };
    let mut about = vec![
        known.doc.to_owned(),
        if row.is_set { format!("set by {origin}") } else { "default".to_owned() },
        format!("`aludel config set {key} VALUE` changes it: {beside}").trim_end().to_owned(),
    ];
    about.extend(below);
    about
}
