//! Maps cells of the screen to bytes of the texts shown there, and back.
//!
//! Search, selection, the wheel and clicks all use this module, and [`super::marks`] draws from it.
//! It uses the same layouts as drawing, so a click always hits what the user sees.

use ratatui::layout::{Position, Rect};

use super::chrome::inner;
use super::workbench::notice;
use super::{compare, history, judge, workbench};
use crate::tui::action::ScreenName;
use crate::tui::model::compare::Arrangement;
use crate::tui::model::history::Part;
use crate::tui::model::texts::{DragTarget, TextName, TextPlace};
use crate::tui::model::{Focus, LiveRun, Model};
use crate::tui::widgets::passages::{Passages, Spot};
use crate::tui::widgets::scroll::Scroll;

/// A text on the screen.
pub(crate) struct VisibleText<'a> {
    /// Which text it is.
    pub(crate) name: TextName,
    /// Its passages.
    pub(crate) text: &'a dyn Passages,
    /// The lane of the text that is shown.
    pub(crate) lane: usize,
    /// Its pane, with the frame.
    pub(crate) frame: Rect,
    /// The area of its rows.
    pub(crate) area: Rect,
    /// The first visible row.
    pub(crate) top: usize,
}

impl VisibleText<'_> {
    /// The row at this height, or the nearest visible one.
    fn row_at(&self, y: u16) -> usize {
        let last = self.area.height.saturating_sub(1);
        self.top + usize::from(y.saturating_sub(self.area.y).min(last))
    }

    /// The range of the character at this cell; if there is none, the end of the nearest row.
    pub(crate) fn character_at(&self, at: Position) -> Option<std::ops::Range<Spot>> {
        self.text.character_at(self.lane, self.row_at(at.y), at.x.saturating_sub(self.area.x).into())
    }
}

/// All texts on the screen.
pub(crate) fn shown(model: &Model) -> Vec<VisibleText<'_>> {
    let screen = Rect::new(0, 0, model.size.width, model.size.height);
    let mut all = match model.screen {
        ScreenName::Work => phase_panes(model, screen),
        ScreenName::Compare => compared(model, screen),
        ScreenName::Judge => said(model, screen),
        ScreenName::History => preview(model, screen),
        ScreenName::Providers | ScreenName::Spend | ScreenName::Jobs | ScreenName::Label => Vec::new(),
    };
    all.retain(|shown| !shown.area.is_empty());
    all
}

/// The text whose pane, frame included, contains this cell.
pub(crate) fn at(model: &Model, at: Position) -> Option<VisibleText<'_>> {
    shown(model).into_iter().find(|shown| shown.frame.contains(at))
}

fn phase_panes(model: &Model, screen: Rect) -> Vec<VisibleText<'_>> {
    let Some(run) = model.run.as_ref().filter(|run| run.refusal.is_none()) else { return Vec::new() };
    let slots = workbench::layout::layout(model, screen).slots;
    let shown = slots.into_iter().filter_map(|slot| {
        let (name, text) = phase_pane(run, slot.variant, slot.phase)?;
        let height = u16::try_from(notice::text_height(run, &slot, model.now, &model.keymap)).unwrap_or(0);
        let within = slot.inner();
        let area = Rect { y: within.bottom() - height, height, ..within };
        let top = run.pane(slot.variant, slot.phase)?.scroll.top;
        Some(VisibleText { name, text, lane: 0, frame: slot.area, area, top })
    });
    shown.collect()
}

fn compared(model: &Model, screen: Rect) -> Vec<VisibleText<'_>> {
    let Some((name, text)) = text_of_pair(model) else { return Vec::new() };
    let layout = compare::layout::layout(model, screen);
    let lanes = layout.columns().into_iter().enumerate();
    let top = model.compare.top;
    lanes.map(|(lane, frame)| VisibleText { name, text, lane, frame, area: inner(frame), top }).collect()
}

fn said(model: &Model, screen: Rect) -> Vec<VisibleText<'_>> {
    let Some((name, text)) = text_of_judge(model) else { return Vec::new() };
    let frame = judge::layout::layout(model, screen).said;
    let within = inner(frame);
    // One blank column at each side.
    let area = Rect { x: within.x + 1, width: within.width.saturating_sub(2), ..within };
    vec![VisibleText { name, text, lane: 0, frame, area, top: model.judge.top }]
}

fn preview(model: &Model, screen: Rect) -> Vec<VisibleText<'_>> {
    let Some((name, text)) = text_of_preview(model) else { return Vec::new() };
    let frame = history::layout::layout(model, screen).preview;
    let top = model.history.preview.as_ref().map_or(0, |preview| preview.scroll.top);
    vec![VisibleText { name, text, lane: 0, frame, area: inner(frame), top }]
}

fn phase_pane(run: &LiveRun, variant: u32, phase: usize) -> Option<(TextName, &dyn Passages)> {
    let pane = run.pane(variant, phase)?;
    let place = TextPlace::PhasePane { run: run.ticket, variant, phase };
    Some((TextName { place, emptied: pane.emptied, extent: (0, 0) }, &pane.text))
}

fn text_of_pair(model: &Model) -> Option<(TextName, &dyn Passages)> {
    let (base, other) = model.compare.two()?;
    let (beside, _) = model.compare.pair.as_ref()?;
    let arrangement = match (beside as &dyn Passages).lanes() {
        1 => Arrangement::Unified,
        _ => Arrangement::SideBySide,
    };
    Some(named(TextPlace::Compared { base: base.id, other: other.id, arrangement }, beside))
}

fn text_of_judge(model: &Model) -> Option<(TextName, &dyn Passages)> {
    let judged = model.judge.judged.as_ref().filter(|_| model.judge.said_rows() > 0)?;
    Some(named(TextPlace::JudgeReport(judged.ticket), &model.judge.said))
}

fn text_of_preview(model: &Model) -> Option<(TextName, &dyn Passages)> {
    let preview = model.history.preview.as_ref()?;
    Some(named(TextPlace::Preview(preview.prompt.id), &preview.blocks))
}

fn named(place: TextPlace, text: &dyn Passages) -> (TextName, &dyn Passages) {
    (TextName { place, emptied: 0, extent: text.extent() }, text)
}

/// The text at `place`, visible or not, with its current name.
pub(crate) fn text_in(model: &Model, place: TextPlace) -> Option<(TextName, &dyn Passages)> {
    let found = match place {
        TextPlace::PhasePane { variant, phase, .. } => phase_pane(model.run.as_ref()?, variant, phase),
        TextPlace::Compared { .. } => text_of_pair(model),
        TextPlace::JudgeReport(_) => text_of_judge(model),
        TextPlace::Preview(_) => text_of_preview(model),
    };
    found.filter(|(name, _)| name.place == place)
}

/// The text that has the focus.
pub(crate) fn with_keys(model: &Model) -> Option<(TextName, &dyn Passages)> {
    match model.screen {
        ScreenName::Work => {
            let run = model.run.as_ref().filter(|run| run.refusal.is_none() && model.focus == Focus::Vessels)?;
            phase_pane(run, run.active, run.shown_phase(run.active))
        }
        ScreenName::Compare => text_of_pair(model),
        ScreenName::Judge => text_of_judge(model),
        ScreenName::History => text_of_preview(model).filter(|_| model.history.focus == Part::Preview),
        ScreenName::Providers | ScreenName::Spend | ScreenName::Jobs | ScreenName::Label => None,
    }
}

/// Keeps a searched or selected phase pane shown when its variant moves on to the next phase.
pub(crate) fn keep_shown(model: &mut Model) {
    let found = model.find.as_ref().map(|find| find.name.place);
    let held = match &model.held {
        Some(DragTarget::Text { name, .. }) => Some(name.place),
        Some(DragTarget::Field) | None => None,
    };
    let selected = model.selection.as_ref().map(|selection| selection.name.place);
    let mut phase_panes = [found, held, selected].into_iter().flatten().filter_map(|place| match place {
        TextPlace::PhasePane { variant, phase, .. } => Some((variant, phase)),
        _ => None,
    });
    let read = phase_panes.next();
    if let Some(run) = &mut model.run {
        run.read = read;
    }
}

/// The scroll position of the text at `place`.
pub(crate) fn scroll_of(model: &Model, place: TextPlace) -> Scroll {
    let still = |top| Scroll { top, following: false, touched: true };
    match place {
        TextPlace::PhasePane { variant, phase, .. } => {
            let pane = model.run.as_ref().and_then(|run| run.pane(variant, phase));
            pane.map_or_else(Scroll::default, |pane| pane.scroll)
        }
        TextPlace::Compared { .. } => still(model.compare.top),
        TextPlace::JudgeReport(_) => still(model.judge.top),
        TextPlace::Preview(_) => model.history.preview.as_ref().map_or_else(|| still(0), |preview| preview.scroll),
    }
}

/// Scrolls the text at `place`. A position past the end is clamped when the text is wrapped.
pub(crate) fn set_scroll(model: &mut Model, place: TextPlace, scroll: Scroll) {
    match place {
        TextPlace::PhasePane { variant, phase, .. } => {
            if let Some(pane) = model.run.as_mut().and_then(|run| run.pane_mut(variant, phase)) {
                pane.scroll = scroll;
            }
        }
        TextPlace::Compared { .. } => model.compare.top = scroll.top,
        TextPlace::JudgeReport(_) => model.judge.top = scroll.top,
        TextPlace::Preview(_) => {
            if let Some(preview) = &mut model.history.preview {
                preview.scroll = scroll;
            }
        }
    }
}

/// Scrolls the text at `place` by `rows`, down when positive.
pub(crate) fn scroll_by(model: &mut Model, place: TextPlace, rows: isize) {
    let Some((total, height)) = extent(model, place) else { return };
    let mut scroll = scroll_of(model, place);
    scroll.by(rows, total, height);
    set_scroll(model, place, scroll);
}

/// Scrolls the text at `place` so that `spot` is visible, a third from the top if it was not.
pub(crate) fn bring_into_sight(model: &mut Model, place: TextPlace, spot: Spot) {
    let Some(row) = text_in(model, place).map(|(_, text)| text.row_of(spot)) else { return };
    let height = extent(model, place).map_or(1, |(_, height)| height);
    let top = scroll_of(model, place).top;
    let top = if (top..top + height).contains(&row) { top } else { row.saturating_sub(height / 3) };
    // Stop following, so that arriving text does not move the match away.
    set_scroll(model, place, Scroll { top, following: false, touched: true });
}

/// The number of rows of the text at `place`, and how many of them are visible.
fn extent(model: &Model, place: TextPlace) -> Option<(usize, usize)> {
    let total = text_in(model, place)?.1.rows();
    let seen = shown(model).into_iter().find(|shown| shown.name.place == place);
    Some((total, seen.map_or(1, |shown| shown.area.height.into())))
}
