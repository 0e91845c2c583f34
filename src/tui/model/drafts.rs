//! What is written down of the input, and when: half a second after typing rests, and every two seconds while it goes on.
//!
//! It knows of the input only its [`Stand`]; the text is read when it is due. Nothing is written down before the core
//! has said what an earlier workbench left ([`DraftState::open`]), so that this is never written over.

use aludel_core::domain::SessionId;

use super::inputs::Inputs;

/// What a draft depends on. Two that are equal need not be written down twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stand {
    /// Which edit of the input was the last.
    pub(crate) edit: u64,
    /// The run that goes on.
    pub(crate) run: Option<SessionId>,
}

/// A draft, as it is written down.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Draft {
    /// The text; empty when there is nothing to keep of it.
    pub(crate) text: String,
    /// The run that goes on.
    pub(crate) run: Option<SessionId>,
}

/// A run that was cut short with its workbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CutShort {
    /// How many of its variants are stored.
    pub(crate) stored: usize,
    /// How many were asked for.
    pub(crate) asked: u32,
}

/// What an earlier workbench left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Leftovers {
    /// What is written down of it.
    pub(crate) written: Draft,
    /// The text that was being written, and how long ago in words; empty when it was just now.
    pub(crate) draft: Option<(String, String)>,
    /// Drafts of still earlier ones, newest first.
    pub(crate) others: Vec<String>,
    /// The run that it did not finish.
    pub(crate) cut_short: Option<CutShort>,
}

/// When something is to be written down.
#[derive(Debug, Clone, Copy)]
struct Due {
    /// If nothing more is typed.
    rests: u64,
    /// In any case.
    latest: u64,
}

/// The place where one writes, beside the input itself.
#[derive(Debug, Default)]
pub(crate) struct DraftState {
    /// Earlier inputs.
    pub(crate) inputs: Inputs,
    /// The run that ended with an earlier workbench, until there is another.
    pub(crate) cut_short: Option<CutShort>,
    /// What was said of a draft that came back, as long as nothing was typed since this edit.
    pub(crate) said_back: Option<(u64, String)>,
    /// True once a failure to write was told.
    pub(crate) has_complained: bool,
    is_open: bool,
    seen: Stand,
    due: Option<Due>,
    written: Draft,
}

impl DraftState {
    /// Milliseconds after the last change.
    pub(crate) const REST_MS: u64 = 500;
    /// Milliseconds after the first change that is not written down.
    pub(crate) const LATEST_MS: u64 = 2_000;

    /// What an earlier workbench left is known since `now`, and `written` is what is written down of it.
    pub(crate) fn open(&mut self, written: Draft, now: u64) {
        self.is_open = true;
        self.written = written;
        let at = now + Self::REST_MS;
        self.due = Some(Due { rests: at, latest: at });
    }

    /// Takes note of how things stand at `now`.
    pub(crate) fn note(&mut self, stand: Stand, now: u64) {
        if stand != self.seen {
            self.seen = stand;
            let latest = self.due.map_or(now + Self::LATEST_MS, |due| due.latest);
            self.due = Some(Due { rests: now + Self::REST_MS, latest });
        }
    }

    /// When something is to be written down.
    pub(crate) fn due(&self) -> Option<u64> {
        self.due.filter(|_| self.is_open).map(|due| due.rests.min(due.latest))
    }

    /// What is to be written down of `sheet`; `None` when that is what is written.
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

    /// What was to be written down is not, and is tried again with the next change.
    pub(crate) fn failed(&mut self) {
        // No draft is ever this: whatever comes next differs from it.
        self.written = Draft { text: "\0".to_owned(), run: None };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stand(edit: u64) -> Stand {
        Stand { edit, run: None }
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
