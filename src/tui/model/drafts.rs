//! When to save the input: half a second after typing stops, and every two seconds during it.
//!
//! Watches only the input's [`DraftVersion`]; the text is read when a save is due. Nothing is saved until
//! [`DraftState::open`], and so what an earlier workbench left is never overwritten.

use aludel_core::domain::SessionId;

use super::inputs::Inputs;
use crate::tui::effect::Draft;

/// What a draft depends on. If it is unchanged, there is nothing to save.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct DraftVersion {
    /// The last edit of the input.
    pub(crate) edit: u64,
    /// The run in progress.
    pub(crate) run: Option<SessionId>,
}

/// A run that ended early with its workbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CutShort {
    /// The number of variants stored.
    pub(crate) stored: usize,
    /// The number requested.
    pub(crate) asked: u32,
}

/// What an earlier workbench left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Leftovers {
    /// The draft as saved.
    pub(crate) written: Draft,
    /// The text being written, and its age in words; empty if it is recent.
    pub(crate) draft: Option<(String, String)>,
    /// Drafts of still earlier workbenches, the newest first.
    pub(crate) others: Vec<String>,
    /// The unfinished run.
    pub(crate) cut_short: Option<CutShort>,
}

/// When to save.
#[derive(Debug, Clone, Copy)]
struct Due {
    /// If typing stops.
    rests: u64,
    /// At the latest.
    latest: u64,
}

/// The state of drafts, apart from the input itself.
#[derive(Debug, Default)]
pub(crate) struct DraftState {
    /// Earlier inputs.
    pub(crate) inputs: Inputs,
    /// The run that ended with an earlier workbench, until another is started.
    pub(crate) cut_short: Option<CutShort>,
    /// The message about a restored draft, until something is typed after this edit.
    pub(crate) restored_notice: Option<(u64, String)>,
    /// True once a failure to save was reported.
    pub(crate) has_reported_failure: bool,
    is_open: bool,
    seen: DraftVersion,
    due: Option<Due>,
    written: Draft,
}

impl DraftState {
    /// Milliseconds after the last change.
    pub(crate) const REST_MS: u64 = 500;
    /// Milliseconds after the first unsaved change.
    pub(crate) const LATEST_MS: u64 = 2_000;

    /// Starts saving at `now`, with `written` as the saved draft.
    pub(crate) fn open(&mut self, written: Draft, now: u64) {
        self.is_open = true;
        self.written = written;
        let at = now + Self::REST_MS;
        self.due = Some(Due { rests: at, latest: at });
    }

    /// Records the state of the input at `now`.
    pub(crate) fn note(&mut self, stand: DraftVersion, now: u64) {
        if stand != self.seen {
            self.seen = stand;
            let latest = self.due.map_or(now + Self::LATEST_MS, |due| due.latest);
            self.due = Some(Due { rests: now + Self::REST_MS, latest });
        }
    }

    /// When the next save is due.
    pub(crate) fn due(&self) -> Option<u64> {
        self.due.filter(|_| self.is_open).map(|due| due.rests.min(due.latest))
    }

    /// The draft to save; `None` if it is already saved.
    pub(crate) fn take(&mut self, sheet: Draft) -> Option<Draft> {
        if !self.is_open {
            return None;
        }
        self.due = None;
        (sheet != self.written).then(|| {
            self.written = sheet.clone();
            sheet
        })
    }

    /// Records that saving failed; the next change tries again.
    pub(crate) fn failed(&mut self) {
        // No draft equals this, so the next one is different.
        self.written = Draft { text: "\0".to_owned(), run: None };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stand(edit: u64) -> DraftVersion {
        DraftVersion { edit, run: None }
    }

    fn sheet(text: &str) -> Draft {
        Draft { text: text.into(), run: None }
    }

    #[test]
    fn it_is_due_when_typing_rests_and_at_the_latest_after_two_seconds() {
        let mut drafts = DraftState::default();
        drafts.open(Draft::default(), 0);
        assert_eq!((drafts.take(Draft::default()), drafts.due()), (None, None));
        for (edit, now) in (1..).zip((100..2_000).step_by(300)) {
            drafts.note(stand(edit), now);
            assert_eq!(drafts.due(), Some((now + 500).min(2_100)));
        }
        assert_eq!(drafts.take(sheet("text")), Some(sheet("text")));
        assert_eq!(drafts.due(), None);
        drafts.note(stand(99), 5_000);
        assert_eq!(drafts.due(), Some(5_500), "the next two seconds begin with the next change");
    }

    #[test]
    fn the_same_is_not_written_twice_unless_it_failed() {
        let mut drafts = DraftState::default();
        drafts.open(Draft::default(), 0);
        assert_eq!(drafts.take(sheet("")), None);
        assert!(drafts.take(sheet("a")).is_some() && drafts.take(sheet("a")).is_none());
        drafts.failed();
        assert_eq!(drafts.take(sheet("a")), Some(sheet("a")));
    }

    #[test]
    fn nothing_is_written_before_it_is_known_what_was_left() {
        let mut drafts = DraftState::default();
        drafts.note(stand(1), 0);
        assert_eq!((drafts.due(), drafts.take(sheet("a"))), (None, None));
        drafts.open(sheet("left"), 300);
        assert_eq!(drafts.due(), Some(800));
        assert_eq!(drafts.take(sheet("left and a")), Some(sheet("left and a")));
    }
}
