//! The layout of the History: one pure function of the model and the size.
//!
//! From 110 columns and 30 rows the preview is to the right of the list, below that size under it.
//! If there is no room for both, only the focused part is shown.

use std::ops::Range;

use ratatui::layout::Rect;

use crate::tui::model::Model;
use crate::tui::model::history::{History, Part};
use crate::tui::screens::chrome::{Chrome, cut_top, inner, is_too_small};
use crate::tui::widgets::cells;
use crate::tui::widgets::safe::safe;
use crate::tui::widgets::wrapped::Wrapped;

/// Rows of one entry of the list, without the head row of a run with several prompts.
pub(crate) const ENTRY: u16 = 2;
/// Below this many rows, the list and the preview are not shown together.
const BOTH: u16 = 13;
/// Most rows under the search box.
const SAID: usize = 3;

/// The kind of a row under the search box, which decides its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchMessageKind {
    /// The query was refused.
    Fault,
    /// The reply has a limitation.
    Remark,
}

/// A row under the search box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchMessage {
    /// The kind.
    pub(crate) meaning: SearchMessageKind,
    /// True for the continuation of the row above.
    pub(crate) goes_on: bool,
    /// The text, safe to show.
    pub(crate) text: String,
}

/// Areas of the History. Parts that are not shown are empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// True if the terminal is too small.
    pub(crate) is_tiny: bool,
    /// The tabs, the status row and the key hints.
    pub(crate) chrome: Chrome,
    /// The search box, with its frame.
    pub(crate) search: Rect,
    /// The messages about the query.
    pub(crate) said: Rect,
    /// The list, with its frame.
    pub(crate) list: Rect,
    /// The preview, with its frame.
    pub(crate) preview: Rect,
}

impl Layout {
    /// The entries that are completely visible if entry `top` is the first.
    pub(crate) fn entries(&self, history: &History, top: usize) -> Range<usize> {
        let mut room = inner(self.list).height;
        let mut end = top;
        while end < history.rows.len() {
            let Some(rest) = room.checked_sub(height_of(history, end)) else { break };
            room = rest;
            end += 1;
        }
        top..end
    }

    /// The first entry to show so that `entry` is fully visible; `entry` itself if it does not fit.
    pub(crate) fn top_for(&self, history: &History, entry: usize) -> usize {
        let mut room = inner(self.list).height;
        let mut top = entry + 1;
        while let Some(before) = top.checked_sub(1) {
            let Some(rest) = room.checked_sub(height_of(history, before)) else { break };
            room = rest;
            top = before;
        }
        top.min(entry)
    }
}

/// Rows of the list that an entry takes.
pub(crate) fn height_of(history: &History, entry: usize) -> u16 {
    ENTRY + u16::from(history.begins_run_of(entry) > 0)
}

/// The layout for a screen of this size.
pub(crate) fn layout(model: &Model, area: Rect) -> Layout {
    let nowhere = Rect { width: 0, height: 0, ..area };
    let is_tiny = is_too_small(area.width, area.height);
    let mut layout =
        Layout { is_tiny, chrome: Chrome::default(), search: nowhere, said: nowhere, list: nowhere, preview: nowhere };
    if is_tiny {
        return layout;
    }
    let mut body = area;
    layout.chrome = Chrome::cut(&mut body);
    layout.search = cut_top(&mut body, 3);
    layout.said = cut_top(&mut body, cells(said(model, area.width).len()));
    let is_wide = area.width >= 110 && area.height >= 30;
    if model.history.zoom || (!is_wide && body.height < BOTH) {
        match model.history.focus {
            Part::Preview => layout.preview = body,
            Part::Search | Part::List => layout.list = body,
        }
    } else if is_wide {
        layout.list = Rect { width: body.width * 11 / 20, ..body };
        layout.preview = Rect { x: body.x + layout.list.width, width: body.width - layout.list.width, ..body };
    } else {
        let height = (body.height / 2 + 1).next_multiple_of(ENTRY);
        layout.list = cut_top(&mut body, height);
        layout.preview = body;
    }
    layout
}

/// The rows under the search box, wrapped to `width`: the faults of the query while older rows are
/// still shown, or remarks on the rows.
pub(crate) fn said(model: &Model, width: u16) -> Vec<SearchMessage> {
    let history = &model.history;
    let mut said = Vec::new();
    let mut say = |meaning, text: &str| {
        let wrapped = Wrapped::of(safe(text), width.saturating_sub(4));
        let rows = wrapped.rows(0).enumerate();
        said.extend(rows.map(|(at, row)| SearchMessage { meaning, goes_on: at > 0, text: row.to_owned() }));
    };
    match (&history.problem, &history.facts) {
        (Some(problem), _) if history.rows.is_empty() || problem.errors.is_empty() => {
            if !history.rows.is_empty() {
                say(SearchMessageKind::Fault, &problem.detail);
            }
        }
        (Some(problem), _) => problem.errors.iter().for_each(|fault| say(SearchMessageKind::Fault, &fault.to_string())),
        (None, Some(facts)) => facts.warnings.iter().for_each(|warning| say(SearchMessageKind::Remark, warning)),
        (None, None) => {}
    }
    said.truncate(SAID);
    said
}
