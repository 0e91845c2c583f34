//! Pairs that are labelled: which one is shown, what became of those before it, and what is being written down.

use aludel_core::domain::PromptId;
use aludel_core::engine::{Better, KeptLabel, Labelling};
use aludel_core::error::Problem;
use aludel_core::judge::labels::blind::BlindPair;

use crate::tui::action::ScreenName;
use crate::tui::effect::Ticket;
use crate::tui::widgets::safe::{safe, safe_line};
use crate::tui::widgets::wrapped::Wrapped;

/// What became of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Past {
    /// It was passed over.
    Skipped,
    /// Its label is kept.
    Kept(KeptLabel),
}

/// The screen on which pairs are labelled.
#[derive(Debug, Default)]
pub(crate) struct Label {
    /// The question for pairs, under way.
    pub(crate) asked: Option<Ticket>,
    /// A label is being written down, or taken back.
    pub(crate) writing: Option<Ticket>,
    /// The prompts that pairs are made of; empty for the newest runs.
    pub(crate) among: Vec<PromptId>,
    /// The pairs.
    pub(crate) sitting: Option<Box<Labelling>>,
    /// Why there are no pairs, or why the last label was not kept.
    pub(crate) problem: Option<Box<Problem>>,
    /// What became of the pairs so far; the next one is shown.
    pub(crate) past: Vec<Past>,
    /// When the first pair was shown.
    pub(crate) since: u64,
    /// How long it took, once the last pair is done.
    pub(crate) took: Option<u64>,
    /// Where it was opened from.
    pub(crate) from: ScreenName,
    /// The first row of both texts that is seen.
    pub(crate) top: usize,
    /// What both are for, wrapped.
    pub(crate) task: Wrapped,
    /// The texts, wrapped.
    pub(crate) texts: [Wrapped; 2],
    /// The last ticket given out.
    pub(crate) last_ticket: Ticket,
}

impl Label {
    /// The next ticket.
    pub(crate) fn ticket(&mut self) -> Ticket {
        self.last_ticket = self.last_ticket.next();
        self.last_ticket
    }

    /// The pair on the screen; `None` before there are any and behind the last.
    pub(crate) fn pair(&self) -> Option<&BlindPair> {
        self.sitting.as_ref()?.pairs.get(self.past.len())
    }

    /// True once every pair was labelled or skipped.
    pub(crate) fn is_done(&self) -> bool {
        self.sitting.is_some() && self.pair().is_none()
    }

    /// How many labels were kept in this sitting.
    pub(crate) fn kept(&self) -> usize {
        self.past.iter().filter(|past| matches!(past, Past::Kept(_))).count()
    }

    /// Goes on to the next pair.
    pub(crate) fn go_on(&mut self, past: Past, now: u64) {
        self.past.push(past);
        if self.is_done() {
            self.took = Some(now.saturating_sub(self.since));
        }
        self.show();
    }

    /// Goes back to the pair before.
    pub(crate) fn go_back(&mut self) {
        self.past.pop();
        self.took = None;
        self.show();
    }

    /// Takes the texts of the pair on the screen up.
    pub(crate) fn show(&mut self) {
        let texts =
            self.pair().map(|pair| [safe_line(&pair.task), safe(&pair.left.content), safe(&pair.right.content)]);
        let [task, left, right] = texts.unwrap_or_default();
        self.task = Wrapped::of(task, 80);
        self.texts = [Wrapped::of(left, 80), Wrapped::of(right, 80)];
        self.top = 0;
    }

    /// How labels are put to use; `None` before there are any pairs.
    pub(crate) fn command(&self) -> Option<String> {
        let sitting = self.sitting.as_ref()?;
        let shown = sitting.shown_path.display().to_string();
        // A shell does not expand `~` within quotes.
        let path = if shown.contains(char::is_whitespace) { format!("'{}'", sitting.path.display()) } else { shown };
        Some(format!("aludel judge audit --labels {}", safe_line(&path)))
    }

    /// The choice that an action makes.
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
