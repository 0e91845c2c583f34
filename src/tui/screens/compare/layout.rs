//! The layout of Compare: one pure function of the model and the size.

use ratatui::layout::Rect;

use crate::tui::model::Model;
use crate::tui::model::compare::Arrangement;
use crate::tui::screens::chrome::{Chrome, MIN_SIZE, cut_top, inner};
use crate::tui::widgets::cells;

/// From this many columns on, two texts fit side by side.
const WIDE: u16 = 100;

/// Rows of the table of measures in addition to the prompts: its frame and its head.
const AROUND: u16 = 3;

/// Areas of Compare. Parts that are not shown are empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// True if the terminal is too small.
    pub(crate) is_tiny: bool,
    /// The tabs, the status row and the key hints.
    pub(crate) chrome: Chrome,
    /// The measures, a row per prompt.
    pub(crate) table: Rect,
    /// The differences, in figures.
    pub(crate) figures: Rect,
    /// The two texts, with their frame or frames.
    pub(crate) texts: Rect,
    /// How the two are shown.
    pub(crate) arrangement: Arrangement,
}

impl Layout {
    /// The area inside the frame, both columns together.
    pub(crate) const fn inner(&self) -> Rect {
        inner(self.texts)
    }

    /// The frames of the texts: one for each, or one for both.
    pub(crate) fn columns(&self) -> Vec<Rect> {
        let left = Rect { width: self.texts.width / 2, ..self.texts };
        match self.arrangement {
            Arrangement::SideBySide => vec![left, Rect { x: left.right(), ..left }],
            Arrangement::Unified => vec![self.texts],
        }
    }

    /// Columns of one text.
    pub(crate) fn column(&self) -> u16 {
        match self.arrangement {
            // Each has a frame of its own.
            Arrangement::SideBySide => (self.texts.width / 2).saturating_sub(2).max(1),
            Arrangement::Unified => self.inner().width.max(1),
        }
    }
}

/// The layout for a screen of this size.
pub(crate) fn layout(model: &Model, area: Rect) -> Layout {
    let nowhere = Rect { width: 0, height: 0, ..area };
    let wide = if area.width >= WIDE { Arrangement::SideBySide } else { Arrangement::Unified };
    let mut layout = Layout {
        is_tiny: area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1,
        chrome: Chrome::default(),
        table: nowhere,
        figures: nowhere,
        texts: nowhere,
        arrangement: model.compare.chosen.unwrap_or(wide),
    };
    if layout.is_tiny {
        return layout;
    }
    let mut body = area;
    layout.chrome = Chrome::cut(&mut body);
    if !model.compare.zoom && model.compare.measured.is_some() {
        let rows = cells(model.compare.prompts.len()).saturating_add(AROUND);
        // The texts matter most: they get at least half of the rows.
        layout.table = cut_top(&mut body, rows.min(area.height / 3).max(4));
    }
    layout.figures = cut_top(&mut body, 1);
    layout.texts = body;
    layout
}
