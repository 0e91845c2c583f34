//! The hints of the open overlay, drawn in the screen's hint row.

use aludel_core::error::Code;

use crate::tui::model::{About, Asking, Costly, CostlyAction, Model, Overlay, Stage};

/// The keys of the open overlay, for the hint row; the last one closes it. Empty if none is open.
pub(super) fn hints(model: &Model) -> Vec<(String, &'static str)> {
    let hints: &[(&str, &str)] = match &model.overlay {
        Some(Overlay::Help { .. } | Overlay::Palette { .. }) => {
            &[("type", "search"), ("↑ ↓", "mark"), ("Enter", "do it"), ("Esc", "close")]
        }
        Some(Overlay::Settings { .. }) => {
            &[("↑ ↓", "row"), ("← →", "change"), ("0-9", "variants"), ("Bksp", "as configured"), ("Esc", "close")]
        }
        Some(Overlay::Details { .. }) => &[
            ("{var-prev} {var-next}", "variant"),
            ("{down} {up}", "scroll"),
            ("{top} {bottom}", "ends"),
            ("Esc", "close"),
        ],
        Some(Overlay::AllSettings(_)) => &[("type", "search"), ("↑ ↓", "mark"), ("Esc", "close")],
        Some(Overlay::Log { .. }) => &[("{down} {up}", "scroll"), ("{top} {bottom}", "ends"), ("Esc", "close")],
        Some(Overlay::ConfirmQuit) => &[("Enter", "quit"), ("Esc", "stay")],
        Some(Overlay::ConfirmCost(Costly { what: CostlyAction::Batch(..), .. })) => {
            &[("Enter", "start"), ("Esc", "close")]
        }
        Some(Overlay::ConfirmCost(_)) => &[("Enter", "go on"), ("Esc", "close")],
        Some(Overlay::Recall(_)) => &[("type", "search"), ("↑ ↓", "mark"), ("Enter", "restore it"), ("Esc", "close")],
        Some(Overlay::Providers { .. }) => &[("↑ ↓", "mark"), ("Enter", "run"), ("Esc", "close")],
        Some(Overlay::Ask(asking)) => asked(asking),
        None => &[],
    };
    hints.iter().map(|(keys, label)| (model.spell(keys), *label)).collect()
}

/// The keys of a box, the last of which closes it.
fn asked(asking: &Asking) -> &'static [(&'static str, &'static str)] {
    match (&asking.about, &asking.stage) {
        (_, Stage::Answered(_)) => &[("Esc", "close")],
        (About::Export(_) | About::Import | About::Batch, Stage::Waiting(_)) => {
            &[("{stop-or-quit}", "stop"), ("Esc", "close")]
        }
        (About::Export(_), Stage::Refused(problem)) if problem.code == Code::Conflict => {
            &[("Enter", "replace"), ("Esc", "close")]
        }
        (About::Tags(..), _) => &[("Enter", "keep"), ("Esc", "close")],
        (About::Notes(..), _) => &[("{run}", "keep"), ("Enter", "new line"), ("Esc", "close")],
        (About::Task, _) => &[("{run}", "judge"), ("Enter", "new line"), ("Esc", "close")],
        (About::Export(_), _) => &[("Enter", "write"), ("Esc", "close")],
        (About::Import, _) => &[("Enter", "read"), ("Esc", "close")],
        (About::Cap(..), _) => &[("Enter", "resume"), ("Esc", "close")],
        (About::Batch, _) => &[("Enter", "check"), ("Esc", "close")],
    }
}
