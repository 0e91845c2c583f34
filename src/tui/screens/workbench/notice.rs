//! The rows a pane shows above its text: what it waits for, why it failed, when it retries.
//!
//! They depend on the model and the width only, so that drawing and [`reflow`](super::reflow)
//! agree.

use crate::tui::action::Context;
use crate::tui::keymap::Keymap;
use crate::tui::model::{LiveRun, PhasePane};
use crate::tui::screens::workbench::layout::Slot;
use crate::tui::theme::glyph;
use crate::tui::widgets::figures::{thousands, writer};
use crate::tui::widgets::safe::{safe, safe_line};
use crate::tui::widgets::wrapped::Wrapped;

/// The kind of a notice row, which decides its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoticeKind {
    /// What went wrong.
    Failure,
    /// An explanation.
    Remark,
}

/// The notice rows of a pane: at most half of its height, wrapped to its width.
pub(crate) fn rows(run: &LiveRun, slot: &Slot, now: u64, keymap: &Keymap) -> Vec<(NoticeKind, String)> {
    let inner = slot.inner();
    let has_text = run.pane(slot.variant, slot.phase).is_some_and(|pane| pane.text.len() > 0);
    let mut rows = Vec::new();
    let mut say = |meaning, text: &str| {
        let wrapped = Wrapped::of(safe(text), inner.width);
        rows.extend(wrapped.rows(0).map(|row| (meaning, row.to_owned())));
    };
    match run.phase_pane(slot.variant, slot.phase) {
        PhasePane::Queued => say(NoticeKind::Remark, &waits_for(run, slot)),
        PhasePane::Connecting => {
            if let Some(begun) = run.begun(slot.variant, slot.phase) {
                say(
                    NoticeKind::Remark,
                    &format!("{}: waiting for the first token", safe_line(&writer(&begun.provider, &begun.model))),
                );
            }
        }
        PhasePane::Retrying { attempt, error } => {
            say(NoticeKind::Failure, &error.detail);
            let due = run.pane(slot.variant, slot.phase).map_or(0, |pane| pane.retry_at);
            say(NoticeKind::Remark, &format!("attempt {attempt} in {} s", due.saturating_sub(now).div_ceil(1_000)));
        }
        PhasePane::Failed(problem) => {
            say(NoticeKind::Failure, &format!("{}: {}", problem.title, problem.detail));
            let kept = if has_text { "; the partial text is below, and {copy-pane} copies it" } else { "" };
            let again =
                if run.is_live() { "" } else { " · {retry} retries · {retry-other} retries with another provider" };
            let says = format!("{{details}} shows it in full{again}{kept}");
            say(NoticeKind::Remark, &keymap.spell(Context::Navigate, &says));
        }
        PhasePane::Stopped => {
            let what = if has_text { "stopped; the partial text is below" } else { "stopped" };
            say(NoticeKind::Remark, &format!("{} {what}", glyph::STOPPED));
        }
        PhasePane::NotReached => say(NoticeKind::Remark, "not reached"),
        PhasePane::Earlier => {
            let comes = if run.is_live() { "; its text arrives with the finished prompt" } else { "" };
            say(NoticeKind::Remark, &format!("done by an earlier attempt{comes}"));
        }
        PhasePane::Done(_) => {
            let is_last = slot.phase + 1 == run.view.phases.len();
            if let Some(why) = run.unsaved(slot.variant).filter(|_| is_last) {
                say(NoticeKind::Failure, &format!("Not stored: {why}"));
                let copies = keymap.spell(Context::Navigate, "the text is below, and {copy-pane} copies it");
                say(NoticeKind::Remark, &copies);
            }
        }
        PhasePane::Streaming => {}
    }
    let dropped_bytes = run.pane(slot.variant, slot.phase).map_or(0, |pane| pane.dropped_bytes);
    if dropped_bytes > 0 {
        let says = format!(
            "the first {} KB are no longer shown; {{copy-pane}} copies all",
            thousands(dropped_bytes as u64 / 1_000)
        );
        say(NoticeKind::Remark, &keymap.spell(Context::Navigate, &says));
    }
    let room = usize::from(inner.height);
    if has_text && !rows.is_empty() {
        rows.truncate((room / 2).max(1));
        if rows.len() + 2 <= room {
            rows.push((NoticeKind::Remark, String::new()));
        }
    }
    rows.truncate(room);
    rows
}

/// Rows of a pane that are left for its text.
pub(crate) fn text_height(run: &LiveRun, slot: &Slot, now: u64, keymap: &Keymap) -> usize {
    usize::from(slot.inner().height) - rows(run, slot, now, keymap).len()
}

fn waits_for(run: &LiveRun, slot: &Slot) -> String {
    let before = slot.phase.checked_sub(1).and_then(|before| run.view.phases.get(before));
    before.map_or_else(|| "waiting for its turn".to_owned(), |before| format!("waiting for {before}"))
}
