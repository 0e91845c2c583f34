//! The mouse: what a click or the wheel does at a cell. Events arrive only if `tui.mouse` is set.
//!
//! Keys can do the same, except selecting part of a pane. The layouts are those of drawing.

use ratatui::layout::{Position, Rect};

use super::{act, chrome, compare, history, jobs, judge, label, providers, select, spend, texts, workbench};
use crate::tui::action::ScreenName;
use crate::tui::effect::Effect;
use crate::tui::message::Pointer;
use crate::tui::model::Model;

/// Rows per notch of the wheel.
pub(crate) const NOTCH: usize = 3;

/// Handles a mouse event.
pub(crate) fn point(model: &mut Model, pointer: Pointer, at: Position) -> Vec<Effect> {
    let area = Rect::new(0, 0, model.size.width, model.size.height);
    if !area.contains(at) {
        return Vec::new();
    }
    match pointer {
        Pointer::Click | Pointer::Double => {
            (model.selection, model.held) = (None, None);
            return click(model, pointer, at, area);
        }
        Pointer::Drag => select::drag(model, at),
        Pointer::Release => select::release(model),
        Pointer::Up => return wheel(model, at, -1),
        Pointer::Down => return wheel(model, at, 1),
    }
    Vec::new()
}

fn click(model: &mut Model, pointer: Pointer, at: Position, area: Rect) -> Vec<Effect> {
    if at.y == 0 {
        return match chrome::tab_at(model, area.width, at.x) {
            Some(screen) if screen != model.screen => act(model, screen.action()),
            _ => Vec::new(),
        };
    }
    if at.y + 1 == area.height {
        return chrome::hint_at(model, area.width, at.x).map_or_else(Vec::new, |action| act(model, action));
    }
    if select::press(model, pointer, at) {
        return Vec::new();
    }
    match model.screen {
        ScreenName::Work => workbench::click(model, at),
        ScreenName::Compare => compare::click(model, at),
        ScreenName::Judge => judge::click(model, at),
        ScreenName::History => history::click(model, at),
        ScreenName::Providers => providers::click(model, at),
        ScreenName::Spend => spend::click(model, at),
        ScreenName::Jobs => jobs::click(model, at),
        ScreenName::Label => Vec::new(),
    }
}

/// The wheel scrolls what is under it, focused or not.
fn wheel(model: &mut Model, at: Position, direction: isize) -> Vec<Effect> {
    if let Some(place) = texts::at(model, at).map(|shown| shown.name.place) {
        texts::scroll_by(model, place, direction.saturating_mul(isize::try_from(NOTCH).unwrap_or(1)));
        return Vec::new();
    }
    match model.screen {
        ScreenName::Work => workbench::wheel(model, at, direction),
        ScreenName::Judge => judge::wheel(model, at, direction),
        ScreenName::History => return history::wheel(model, at, direction),
        ScreenName::Providers => providers::wheel(model, at, direction),
        ScreenName::Spend => spend::wheel(model, direction),
        ScreenName::Jobs => return jobs::wheel(model, at, direction),
        ScreenName::Label => label::wheel(model, at, direction),
        ScreenName::Compare => {}
    }
    Vec::new()
}

/// An open overlay takes the wheel as arrow keys; a click on the pinned hint closes it.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::model::{Focus, Overlay};
    use crate::tui::testing::*;
    use proptest::prelude::*;

    const ALL: [Pointer; 6] =
        [Pointer::Click, Pointer::Double, Pointer::Drag, Pointer::Release, Pointer::Up, Pointer::Down];

    #[test]
    fn tabs_and_hints_do_what_they_say() {
        let mut bench = Bench::new(120, 40);
        let (x, y) = bench.place_of("5 History");
        bench.click(x, y);
        assert_eq!(bench.model.screen, ScreenName::History);
        let (x, y) = bench.place_of("1 Workbench");
        bench.click(x + 4, y);
        assert_eq!(bench.model.screen, ScreenName::Work);
        let (x, y) = bench.place_of("F2 settings");
        bench.click(x, y);
        assert!(matches!(bench.model.overlay, Some(Overlay::Settings { .. })));
        let (x, y) = bench.place_of("Esc close");
        bench.click(x, y);
        assert_eq!(bench.model.overlay, None);
        let (x, y) = bench.place_of("F1 help");
        bench.click(x, y);
        assert!(matches!(bench.model.overlay, Some(Overlay::Help { .. })));
    }

    #[test]
    fn a_click_gives_a_pane_the_keys() {
        let mut bench = Bench::new(120, 40);
        bench.run("an idea", 3);
        for variant in 0..3 {
            bench.tell(whole_variant(variant, TEXTS[0]));
        }
        let (x, y) = bench.place_of(" B ✓");
        bench.click(x + 2, y + 3);
        assert_eq!((bench.model.run.as_ref().unwrap().active, bench.model.focus), (1, Focus::Vessels));
        bench.click(4, 2);
        assert_eq!(bench.model.focus, Focus::Composer);
    }

    #[test]
    fn the_wheel_moves_what_is_under_it_and_not_the_focus() {
        let mut bench = Bench::new(80, 24);
        bench.run("an idea", 1);
        bench.tell(whole_variant(0, &"a line\n".repeat(100)));
        bench.press("g Tab");
        bench.point(Pointer::Down, 10, 15);
        let run = bench.model.run.as_ref().unwrap();
        assert_eq!(run.pane(0, run.shown_phase(0)).unwrap().scroll.top, NOTCH);
        assert_eq!(bench.model.focus, Focus::Composer);
        bench.press("F1");
        bench.point(Pointer::Down, 10, 15);
        assert!(matches!(bench.model.overlay, Some(Overlay::Help { marked: NOTCH, .. })));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn clicks_anywhere_on_any_screen_harm_nothing(
            points in proptest::collection::vec((0_u16..130, 0_u16..45, 0_usize..6, any::<bool>()), 1..40),
        ) {
            let mut bench = Bench::new(120, 40);
            bench.run("an idea", 3);
            bench.tell(whole_variant(0, TEXTS[0]));
            for (x, y, what, next_screen) in points {
                if next_screen {
                    bench.press(["Alt+1", "Alt+2", "Alt+3", "Alt+5", "Alt+6", "Alt+7", "Alt+8"][usize::from(x) % 7]);
                }
                bench.point(ALL[what], x, y);
                prop_assert!(!bench.picture().is_empty());
            }
        }
    }
}
