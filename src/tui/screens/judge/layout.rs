//! The layout of the Judge: one pure function of the model and the size.

use ratatui::layout::Rect;

use crate::tui::model::Model;
use crate::tui::screens::chrome::{Chrome, MIN_SIZE, cut_bottom, cut_top};
use crate::tui::widgets::cells;

/// From this many columns on, the facts are to the right of the comparisons.
const WIDE: u16 = 110;

/// Columns of the facts.
const FACTS: u16 = 44;

/// Areas of the Judge. Parts that are not shown are empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// True if the terminal is too small.
    pub(crate) is_tiny: bool,
    /// The tabs, the status row and the key hints.
    pub(crate) chrome: Chrome,
    /// A row for each candidate, with its frame.
    pub(crate) table: Rect,
    /// The judge's words, with their frame.
    pub(crate) said: Rect,
    /// The facts about the judging, with their frame.
    pub(crate) facts: Rect,
}

/// The layout for a screen of this size.
pub(crate) fn layout(model: &Model, area: Rect) -> Layout {
    let nowhere = Rect { width: 0, height: 0, ..area };
    let mut layout = Layout {
        is_tiny: area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1,
        chrome: Chrome::default(),
        table: nowhere,
        said: nowhere,
        facts: nowhere,
    };
    if layout.is_tiny {
        return layout;
    }
    let mut body = area;
    layout.chrome = Chrome::cut(&mut body);
    if !model.judge.prompts.is_empty() {
        // The frame and the column titles.
        let rows = cells(model.judge.prompts.len()).saturating_add(3);
        layout.table = cut_top(&mut body, rows.min(area.height / 2));
        if area.width >= WIDE {
            layout.facts = Rect { x: body.right() - FACTS, width: FACTS, ..body };
            body.width -= FACTS;
        } else if area.height >= 24 {
            layout.facts = cut_bottom(&mut body, 5);
        }
    }
    layout.said = body;
    layout
}
