//! Where the parts of Compare lie: one pure function of the model and the size.

use ratatui::layout::Rect;

use crate::tui::model::Model;
use crate::tui::model::compare::Arrangement;
use crate::tui::screens::surround::{LEAST, Rim, cut_top, inner};
use crate::tui::widgets::cells;

/// From so many columns on two texts fit beside each other.
const WIDE: u16 = 100;

/// Rows of the table of measures beside those of the prompts: its frame and its head.
const AROUND: u16 = 3;

/// Where everything lies. Parts that are not shown are empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// True where there is too little room.
    pub(crate) is_tiny: bool,
    /// The tabs, the figures and the keys.
    pub(crate) rim: Rim,
    /// The measures of all, a row each.
    pub(crate) table: Rect,
    /// What differs, in figures.
    pub(crate) figures: Rect,
    /// The two texts, with their frame or frames.
    pub(crate) texts: Rect,
    /// How the two are shown.
    pub(crate) arrangement: Arrangement,
}

impl Layout {
    /// The room within the frame, of both columns together.
    pub(crate) const fn inner(&self) -> Rect {
        inner(self.texts)
    }

    /// The frames of the texts: of both, or of the one in which both are.
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

/// Where everything lies on a screen of this size.
pub(crate) fn layout(model: &Model, area: Rect) -> Layout {
    let nowhere = Rect { width: 0, height: 0, ..area };
    let wide = if area.width >= WIDE { Arrangement::SideBySide } else { Arrangement::Unified };
    let mut layout = Layout {
        is_tiny: area.width < LEAST.0 || area.height < LEAST.1,
        rim: Rim::default(),
        table: nowhere,
        figures: nowhere,
        texts: nowhere,
        arrangement: model.compare.chosen.unwrap_or(wide),
    };
    if layout.is_tiny {
        return layout;
    }
    let mut body = area;
    layout.rim = Rim::cut(&mut body);
    if !model.compare.zoom && model.compare.measured.is_some() {
        let rows = cells(model.compare.prompts.len()).saturating_add(AROUND);
        // The texts are what one looks at: at least half of the room is theirs.
        layout.table = cut_top(&mut body, rows.min(area.height / 3).max(4));
    }
    layout.figures = cut_top(&mut body, 1);
    layout.texts = body;
    layout
}
