//! The labelling screen: the pair shown, the pairs done, and the label being stored.

use aludel_core::domain::PromptId;
use aludel_core::engine::{Better, Labelling, StoredLabel};
use aludel_core::error::Problem;
use aludel_core::judge::labels::blind::BlindPair;

use crate::tui::action::ScreenName;
use crate::tui::effect::Ticket;
use crate::tui::widgets::safe::{safe, safe_line};
use crate::tui::widgets::wrapped::Wrapped;

/// The outcome of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PairOutcome {
    /// It was skipped.
    Skipped,
    /// Its label was stored.
    Kept(StoredLabel),
}

/// The labelling screen.
#[derive(Debug, Default)]
pub(crate) struct Label {
    /// The pending request for pairs.
    pub(crate) asked: Option<Ticket>,
    /// The pending request to store or remove a label.
    pub(crate) writing: Option<Ticket>,
    /// The prompts to take pairs from; empty for the newest runs.
    pub(crate) among: Vec<PromptId>,
    /// The pairs.
    pub(crate) sitting: Option<Box<Labelling>>,
    /// Why there are no pairs, or why the last label was not stored.
    pub(crate) problem: Option<Box<Problem>>,
    /// The outcomes of the pairs so far; the next pair is shown.
    pub(crate) past: Vec<PairOutcome>,
    /// When the first pair was shown.
    pub(crate) since: u64,
    /// Its duration, once the last pair is done.
    pub(crate) took: Option<u64>,
    /// The screen it was opened from.
    pub(crate) from: ScreenName,
    /// The first visible row of both texts.
    pub(crate) top: usize,
    /// The task of both, wrapped.
    pub(crate) task: Wrapped,
    /// The texts, wrapped.
    pub(crate) texts: [Wrapped; 2],
    /// The last ticket issued.
    pub(crate) last_ticket: Ticket,
}

impl Label {
    /// The next ticket.
    pub(crate) fn ticket(&mut self) -> Ticket {
        self.last_ticket = self.last_ticket.next();
        self.last_ticket
    }

    /// The pair on the screen; `None` before the first and after the last.
    pub(crate) fn pair(&self) -> Option<&BlindPair> {
        self.sitting.as_ref()?.pairs.get(self.past.len())
    }

    /// True once every pair was labelled or skipped.
    pub(crate) fn is_done(&self) -> bool {
        self.sitting.is_some() && self.pair().is_none()
    }

    /// The number of labels stored in this session.
    pub(crate) fn kept(&self) -> usize {
        self.past.iter().filter(|past| matches!(past, PairOutcome::Kept(_))).count()
    }

    /// Moves to the next pair.
    pub(crate) fn go_on(&mut self, past: PairOutcome, now: u64) {
        self.past.push(past);
        if self.is_done() {
            self.took = Some(now.saturating_sub(self.since));
        }
        self.show();
    }

    /// Moves back to the previous pair.
    pub(crate) fn go_back(&mut self) {
        self.past.pop();
        self.took = None;
        self.show();
    }

    /// Loads the texts of the pair on the screen.
    pub(crate) fn show(&mut self) {
        let texts =
            self.pair().map(|pair| [safe_line(&pair.task), safe(&pair.left.content), safe(&pair.right.content)]);
        let [task, left, right] = texts.unwrap_or_default();
        self.task = Wrapped::of(task, 80);
        self.texts = [Wrapped::of(left, 80), Wrapped::of(right, 80)];
        self.top = 0;
    }

    /// The command that uses the labels; `None` before there are any pairs.
    pub(crate) fn command(&self) -> Option<String> {
        let sitting = self.sitting.as_ref()?;
        let shown = sitting.shown_path.display().to_string();
        // A shell does not expand `~` in quotes.
        let path = if shown.contains(char::is_whitespace) { format!("'{}'", sitting.path.display()) } else { shown };
        Some(format!("aludel judge audit --labels {}", safe_line(&path)))
    }

    /// The label that an action stands for.
    pub(crate) fn better(action: crate::tui::action::Action) -> Option<Better> {
        use crate::tui::action::Action;
        match action {
            Action::LabelLeft => Some(Better::Left),
            Action::LabelRight => Some(Better::Right),
            Action::LabelEven => Some(Better::Neither),
            _ => None,
        }
    }
}
