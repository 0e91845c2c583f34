//! Where the parts of the History lie: one pure function of the model and the size.
//!
//! From 110 columns and 30 rows the preview stands beside the list, below that under it; where there is no room for
//! both, the part that has the keys is shown alone.

use std::ops::Range;

use ratatui::layout::Rect;

use crate::tui::model::Model;
use crate::tui::model::history::{History, Part};
use crate::tui::screens::surround::{Rim, cut_top, inner, is_too_small};
use crate::tui::widgets::cells;
use crate::tui::widgets::safe::safe;
use crate::tui::widgets::wrapped::Wrapped;

/// Rows of one entry of the list, without the row that says what was asked of a run of several.
pub(crate) const ENTRY: u16 = 2;
/// Below so many rows the list and the preview are not shown together.
const BOTH: u16 = 13;
/// Rows that are said under the search box at most.
const SAID: usize = 3;

/// How a row under the search box is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The question was refused.
    Fault,
    /// The answer has a condition.
    Remark,
}

/// A row under the search box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    /// How it is meant.
    pub(crate) meaning: Meaning,
    /// True where it goes on from the row above.
    pub(crate) goes_on: bool,
    /// What it says, safe to show.
    pub(crate) text: String,
}

/// Where everything lies. Parts that are not shown are empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// True where there is too little room.
    pub(crate) is_tiny: bool,
    /// The tabs, the figures and the keys.
    pub(crate) rim: Rim,
    /// The search box, with its frame.
    pub(crate) search: Rect,
    /// What is to be said about what was typed.
    pub(crate) said: Rect,
    /// The list, with its frame.
    pub(crate) list: Rect,
    /// The preview, with its frame.
    pub(crate) preview: Rect,
}

impl Layout {
    /// The entries of the list that are visible whole when entry `top` is the first.
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

    /// The first entry from which on all as far as this one are visible whole; itself where it has no room.
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

/// Where everything lies on a screen of this size.
pub(crate) fn layout(model: &Model, area: Rect) -> Layout {
    let nowhere = Rect { width: 0, height: 0, ..area };
    let is_tiny = is_too_small(area.width, area.height);
    let mut layout =
        Layout { is_tiny, rim: Rim::default(), search: nowhere, said: nowhere, list: nowhere, preview: nowhere };
    if is_tiny {
        return layout;
    }
    let mut body = area;
    layout.rim = Rim::cut(&mut body);
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

/// What is said under the search box, in rows that fit `width`: the faults of what was typed while older rows are still
/// shown, or what the user should know of the rows.
pub(crate) fn said(model: &Model, width: u16) -> Vec<Said> {
    let history = &model.history;
    let mut said = Vec::new();
    let mut say = |meaning, text: &str| {
        let wrapped = Wrapped::of(safe(text), width.saturating_sub(4));
        let rows = wrapped.rows(0).enumerate();
        said.extend(rows.map(|(at, row)| Said { meaning, goes_on: at > 0, text: row.to_owned() }));
    };
    match (&history.problem, &history.facts) {
        (Some(problem), _) if history.rows.is_empty() || problem.errors.is_empty() => {
            if !history.rows.is_empty() {
                say(Meaning::Fault, &problem.detail);
            }
        }
        (Some(problem), _) => problem.errors.iter().for_each(|fault| say(Meaning::Fault, &fault.to_string())),
        (None, Some(facts)) => facts.warnings.iter().for_each(|warning| say(Meaning::Remark, warning)),
        (None, None) => {}
    }
    said.truncate(SAID);
    said
}
