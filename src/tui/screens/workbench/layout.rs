//! The layout of the Workbench: one pure function of the model and the size.
//!
//! Four sizes, same information. *Tiny* (below 60 × 16): one line that says what is needed. *Small*
//! (below 110 columns or 30 rows): one pane and two strips. *Medium*: a table and a column per
//! variant. *Large* (from 180 columns): a rail at the left and every phase of every variant.

use ratatui::layout::{Position, Rect};

use crate::tui::model::{Focus, LiveRun, Model};
use crate::tui::screens::chrome::{Chrome, cut_bottom, cut_top, inner, is_too_small};
use crate::tui::widgets::cells;

/// The least width of a column that is still readable.
const COLUMN: u16 = 38;
/// Width of the rail of a large screen.
const RAIL: u16 = 56;
/// Rows of a phase that has not started.
const QUEUED: u16 = 3;
/// Columns of a variant's name in the table.
const TABLE_NAME: usize = 4;
/// Most rows of the table of variants.
const TABLE: u32 = 8;

/// The size class of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SizeClass {
    /// Too small.
    Tiny,
    /// One pane.
    Small,
    /// The variants side by side.
    Medium,
    /// All phases of the variants.
    Large,
}

impl SizeClass {
    fn of(area: Rect) -> Self {
        match (area.width, area.height) {
            (width, height) if is_too_small(width, height) => Self::Tiny,
            (width, height) if width < 110 || height < 30 => Self::Small,
            (..180, _) => Self::Medium,
            _ => Self::Large,
        }
    }
}

/// One pane: a phase of a variant, and its area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Which variant.
    pub(crate) variant: u32,
    /// Which phase, by its index in the run.
    pub(crate) phase: usize,
    /// Its area, with the frame.
    pub(crate) area: Rect,
}

impl Slot {
    /// The area inside the frame.
    pub(crate) const fn inner(&self) -> Rect {
        inner(self.area)
    }
}

/// Areas of the Workbench. Parts that are not shown are empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The size class.
    pub(crate) room: SizeClass,
    /// The tabs, the status row and the key hints.
    pub(crate) chrome: Chrome,
    /// The input, with its frame.
    pub(crate) composer: Rect,
    /// The settings of the next run.
    pub(crate) settings: Rect,
    /// The table of variants and phases.
    pub(crate) pipeline: Rect,
    /// The ranking, best first.
    pub(crate) ranking: Rect,
    /// The two strips that replace the table on a small screen.
    pub(crate) strips: Rect,
    /// The panes, or the message shown instead of them.
    pub(crate) phase_panes: Rect,
    /// The panes.
    pub(crate) slots: Vec<Slot>,
    /// The newest warning.
    pub(crate) warning: Rect,
}

/// The layout for a screen of this size.
pub(crate) fn layout(model: &Model, area: Rect) -> Layout {
    let room = SizeClass::of(area);
    let mut body = area;
    let nowhere = Rect { width: 0, height: 0, ..area };
    let mut layout = Layout {
        room,
        chrome: Chrome::default(),
        composer: nowhere,
        settings: nowhere,
        pipeline: nowhere,
        ranking: nowhere,
        strips: nowhere,
        phase_panes: nowhere,
        slots: Vec::new(),
        warning: nowhere,
    };
    if room == SizeClass::Tiny {
        return layout;
    }
    layout.chrome = Chrome::cut(&mut body);
    let run = model.run.as_ref().filter(|run| run.variants() > 0);
    if run.is_some_and(|run| !run.view.warnings.is_empty()) {
        layout.warning = cut_bottom(&mut body, 1);
    }
    if model.zoom {
        zoomed(model, run, body, &mut layout);
        return layout;
    }
    match room {
        SizeClass::Large => {
            let mut rail = Rect { width: RAIL, ..body };
            layout.phase_panes = Rect { x: body.x + RAIL, width: body.width - RAIL, ..body };
            if let Some(run) = run {
                if !run.view.rankings.is_empty() {
                    layout.ranking = cut_bottom(&mut rail, cells(run.view.rankings.len()).min(8) + 2);
                }
                layout.pipeline = cut_bottom(&mut rail, table_height(run));
            }
            layout.settings = cut_bottom(&mut rail, 9);
            layout.composer = rail;
            layout.slots = run.map(|run| grid(run, layout.phase_panes)).unwrap_or_default();
        }
        SizeClass::Medium => {
            layout.composer = cut_top(&mut body, composer_height(model, area));
            if let Some(run) = run {
                layout.pipeline = cut_top(&mut body, table_height(run));
            }
            layout.phase_panes = body;
            layout.slots = run.map(|run| columns(run, body)).unwrap_or_default();
        }
        SizeClass::Small | SizeClass::Tiny => {
            layout.composer = cut_top(&mut body, composer_height(model, area));
            if run.is_some() {
                layout.strips = cut_top(&mut body, 2);
            }
            layout.phase_panes = body;
            layout.slots = run.map(|run| vec![active_slot(run, body)]).unwrap_or_default();
        }
    }
    layout
}

/// Lays out the focused pane alone.
fn zoomed(model: &Model, run: Option<&LiveRun>, mut body: Rect, layout: &mut Layout) {
    if model.focus == Focus::Composer {
        layout.composer = body;
        return;
    }
    if run.is_some() {
        layout.strips = cut_top(&mut body, 2);
    }
    layout.phase_panes = body;
    layout.slots = run.map(|run| vec![active_slot(run, body)]).unwrap_or_default();
}

fn active_slot(run: &LiveRun, area: Rect) -> Slot {
    Slot { variant: run.active, phase: run.shown_phase(run.active), area }
}

/// Rows of the input: as many as its text needs while it has the focus, few otherwise.
fn composer_height(model: &Model, area: Rect) -> u16 {
    let (least, most) = match (model.focus, area.height) {
        (Focus::Composer, 36..) => (5, area.height / 3),
        (Focus::Composer, _) => (3, (area.height / 3).max(3)),
        (Focus::Vessels, 36..) => (1, 4),
        (Focus::Vessels, _) => (1, 2),
    };
    let width = usize::from(area.width.saturating_sub(2)).max(1);
    let mut needed = 0_u16;
    for line in model.composer.area().lines() {
        needed = needed.saturating_add(cells(line.len() / width + 1));
        if needed >= most {
            break;
        }
    }
    needed.clamp(least, most) + 2
}

fn table_height(run: &LiveRun) -> u16 {
    cells(run.variants().min(TABLE) as usize) + 3
}

/// Columns of a phase in the table of variants and phases, and of the score behind the last phase.
pub(crate) fn table_columns(run: &LiveRun, table: Rect) -> (usize, usize) {
    // The table need not repeat a ranking that is shown below it.
    let result = if run.view.rankings.is_empty() || table.width < 100 { 0 } else { 12 };
    let room = usize::from(inner(table).width).saturating_sub(TABLE_NAME + result);
    (room / run.view.phases.len().max(1), result)
}

/// The phase pane for a cell of the table; for a cell of no phase, the pane shown for its variant.
pub(crate) fn pane_at(run: &LiveRun, table: Rect, at: Position) -> Option<(u32, usize)> {
    let rows = inner(table);
    if !rows.contains(at) {
        return None;
    }
    // The first row names the phases.
    let row = u32::from(at.y - rows.y).checked_sub(1)?;
    let (first, count) = window(run.active, run.variants(), u32::from(rows.height.saturating_sub(1)));
    let variant = Some(first + row).filter(|_| row < count)?;
    let (column, _) = table_columns(run, table);
    let phase = usize::from(at.x - rows.x).checked_sub(TABLE_NAME).and_then(|x| x.checked_div(column));
    let phase = phase.filter(|phase| *phase < run.view.phases.len());
    Some((variant, phase.unwrap_or_else(|| run.shown_phase(variant))))
}

/// The variants that fit side by side, the active one included: the first, and how many.
pub(crate) fn window(active: u32, all: u32, fit: u32) -> (u32, u32) {
    let fit = fit.clamp(1, all.max(1));
    ((active / fit * fit).min(all.saturating_sub(fit)), fit.min(all))
}

/// Cuts `area` into as many columns as fit, one per variant.
fn cut_columns(run: &LiveRun, area: Rect) -> Vec<(u32, Rect)> {
    let (first, count) = window(run.active, run.variants(), u32::from(area.width / COLUMN));
    let count = u16::try_from(count).unwrap_or(1).max(1);
    let (width, rest) = (area.width / count, area.width % count);
    let mut x = area.x;
    (first..)
        .zip(0..count)
        .map(|(variant, column)| {
            let width = width + u16::from(column < rest);
            let cut = Rect { x, width, ..area };
            x += width;
            (variant, cut)
        })
        .collect()
}

fn columns(run: &LiveRun, area: Rect) -> Vec<Slot> {
    let slot = |(variant, area)| Slot { variant, phase: run.shown_phase(variant), area };
    cut_columns(run, area).into_iter().map(slot).collect()
}

/// All phases of the variants that fit: the shown phase gets most rows, a queued one the fewest.
fn grid(run: &LiveRun, area: Rect) -> Vec<Slot> {
    let phases = run.view.phases.len();
    let least = cells(phases.saturating_sub(1)) * QUEUED + 6;
    if area.height < least {
        return columns(run, area);
    }
    let mut slots = Vec::new();
    for (variant, column) in cut_columns(run, area) {
        let shown = run.shown_phase(variant);
        let begun = |phase: usize| run.begun(variant, phase).is_some();
        let others: Vec<usize> = (0..phases).filter(|phase| *phase != shown).collect();
        let queued = cells(others.iter().filter(|phase| !begun(**phase)).count());
        let done = cells(others.len()) - queued;
        // The shown phase gets four shares, each finished one a single share.
        let share = ((column.height - queued * QUEUED) / (done + 4)).max(QUEUED);
        let big = column.height - queued * QUEUED - done * share;
        let mut rest = column;
        for phase in 0..phases {
            let height = match phase {
                _ if phase == shown => big,
                _ if begun(phase) => share,
                _ => QUEUED,
            };
            slots.push(Slot { variant, phase, area: cut_top(&mut rest, height) });
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_of_columns_holds_the_active_variant() {
        for all in 1..12 {
            for fit in 0..6 {
                for active in 0..all {
                    let (first, count) = window(active, all, fit);
                    assert!(
                        (first..first + count).contains(&active) && first + count <= all,
                        "{active} of {all} by {fit}"
                    );
                }
            }
        }
        assert_eq!([window(0, 5, 3), window(2, 5, 3), window(3, 5, 3)], [(0, 3), (0, 3), (2, 3)]);
    }

    #[test]
    fn the_sizes_are_those_of_the_design() {
        let room = |width, height| SizeClass::of(Rect::new(0, 0, width, height));
        assert_eq!([room(59, 40), room(60, 15), room(0, 0)], [SizeClass::Tiny; 3]);
        assert_eq!([room(60, 16), room(109, 60), room(200, 29)], [SizeClass::Small; 3]);
        assert_eq!([room(110, 30), room(179, 90)], [SizeClass::Medium; 2]);
        assert_eq!([room(180, 30), room(200, 60)], [SizeClass::Large; 2]);
    }
}
