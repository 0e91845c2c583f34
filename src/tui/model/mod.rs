//! The model: everything the view reads. Plain data, changed only by [`crate::tui::update`].
//!
//! It has no clock: [`Model::now`] is when the last message came, in milliseconds since the start.

pub(crate) mod asking;
pub(crate) mod batch;
pub(crate) mod choice;
pub(crate) mod compare;
pub(crate) mod composer;
pub(crate) mod drafts;
pub(crate) mod find;
pub(crate) mod history;
pub(crate) mod inputs;
pub(crate) mod jobs;
pub(crate) mod judge;
pub(crate) mod label;
pub(crate) mod link;
pub(crate) mod listing;
pub(crate) mod providers;
pub(crate) mod run;
pub(crate) mod settings;
pub(crate) mod spend;
pub(crate) mod texts;

use aludel_core::trace::LogLine;
use ratatui::layout::Size;

pub(crate) use asking::{About, Asking, Stage};
pub(crate) use choice::{Choice, Chosen};
pub(crate) use compare::Compare;
pub(crate) use composer::Composer;
pub(crate) use drafts::DraftState;
pub(crate) use find::Find;
pub(crate) use history::History;
pub(crate) use inputs::Recall;
pub(crate) use jobs::Jobs;
pub(crate) use judge::Judge;
pub(crate) use label::Label;
pub(crate) use link::ConnectionSpeed;
pub(crate) use listing::Listing;
pub(crate) use providers::Providers;
pub(crate) use run::{LiveRun, Pane, PhasePane};
pub(crate) use settings::{Defaults, Names, Settings};
pub(crate) use spend::Spend;

use super::action::{Action, Context, ScreenName};
use super::batch::BatchOffer;
use super::effect::Ticket;
use super::keymap::Keymap;
use super::widgets::figures::thousands;
use super::widgets::scroll::Follow;
use texts::{DragTarget, Selection};

/// The focused pane of the Workbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Focus {
    /// Keys type.
    #[default]
    Composer,
    /// Letters are commands.
    Vessels,
}

impl Focus {
    /// The context of its keys.
    pub(crate) const fn context(self) -> Context {
        match self {
            Self::Composer => Context::Composer,
            Self::Vessels => Context::Navigate,
        }
    }

    /// The other pane.
    pub(crate) const fn other(self) -> Self {
        match self {
            Self::Composer => Self::Vessels,
            Self::Vessels => Self::Composer,
        }
    }
}

/// An overlay, which covers the screen and takes its keys.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Overlay {
    /// Every key, filtered by what has been typed.
    Help {
        /// What has been typed.
        filter: String,
        /// The selected row among the matching ones.
        marked: usize,
    },
    /// All actions by name, filtered by what has been typed.
    Palette {
        /// What has been typed.
        filter: String,
        /// The selected row among the matching ones.
        marked: usize,
    },
    /// The settings of the next run.
    Settings {
        /// The selected row.
        row: usize,
        /// True while digits are being typed into it.
        typing: bool,
    },
    /// How a variant was made.
    Details {
        /// First visible row.
        top: usize,
    },
    /// Every setting, filtered by what has been typed.
    AllSettings(Box<Listing>),
    /// The log of this process.
    Log {
        /// Rows below the last visible one.
        back: usize,
    },
    /// Asks whether to quit.
    ConfirmQuit,
    /// Asks whether to begin something that may cost more than the limit.
    ConfirmCost(Costly),
    /// Searches earlier inputs.
    Recall(Recall),
    /// Asks which provider to retry with.
    Providers {
        /// The selected one, once the user has moved.
        marked: Option<usize>,
    },
    /// Asks for a text.
    Ask(Box<Asking>),
}

/// Something that may cost more than the limit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Costly {
    /// What it would begin.
    pub(crate) what: CostlyAction,
    /// The maximum cost in US dollars.
    pub(crate) most_usd: f64,
    /// Calls to models, if none fails.
    pub(crate) calls: u64,
}

impl Costly {
    /// `This run may cost up to $0.4 (6 calls).`
    pub(crate) fn told(&self) -> String {
        let what = match self.what {
            CostlyAction::Run(_) => "run",
            CostlyAction::Judging => "judging",
            CostlyAction::Batch(..) => "batch",
        };
        let calls = if self.calls == 1 { "1 call".to_owned() } else { format!("{} calls", thousands(self.calls)) };
        format!("This {what} may cost up to ${} ({calls}).", self.most_usd)
    }
}

/// What needs consent to its cost.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CostlyAction {
    /// A run of this raw request.
    Run(serde_json::Value),
    /// The judging on the Judge screen.
    Judging,
    /// The batch that was checked with this ticket. It is asked about whatever it costs.
    Batch(Ticket, Box<BatchOffer>),
}

/// The tone of a toast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Something was done.
    Done,
    /// Something could not be done.
    Refused,
    /// Something has to be asked for again to be done.
    Asked,
}

/// A message shown for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Toast {
    /// One line, safe to show.
    pub(crate) text: String,
    /// How serious it is.
    pub(crate) tone: Tone,
    /// When it disappears.
    pub(crate) until: u64,
}

/// Everything the view reads.
#[derive(Debug)]
pub(crate) struct Model {
    /// The size of the terminal.
    pub(crate) size: Size,
    /// Milliseconds since the program began, as of the last message.
    pub(crate) now: u64,
    /// True while the terminal has focus, if it reports that.
    pub(crate) attention: bool,
    /// The screen shown.
    pub(crate) screen: ScreenName,
    /// The focused pane of the Workbench.
    pub(crate) focus: Focus,
    /// True while the focused pane fills the screen.
    pub(crate) zoom: bool,
    /// How panes follow streamed text.
    pub(crate) follow: Follow,
    /// The speed of the connection to the terminal.
    pub(crate) link: ConnectionSpeed,
    /// The request being written.
    pub(crate) composer: Composer,
    /// Its drafts, and earlier inputs.
    pub(crate) drafts: DraftState,
    /// The settings of the next run.
    pub(crate) settings: Settings,
    /// The run on the screen.
    pub(crate) run: Option<LiveRun>,
    /// The marked prompts.
    pub(crate) choice: Choice,
    /// The Compare screen.
    pub(crate) compare: Compare,
    /// The Judge screen.
    pub(crate) judge: Judge,
    /// The History screen.
    pub(crate) history: History,
    /// The Providers screen.
    pub(crate) providers: Providers,
    /// The Spend screen.
    pub(crate) spend: Spend,
    /// The Jobs screen.
    pub(crate) jobs: Jobs,
    /// The labelling screen.
    pub(crate) label: Label,
    /// The open overlay.
    pub(crate) overlay: Option<Overlay>,
    /// The search in a pane.
    pub(crate) find: Option<Find>,
    /// What was last searched for.
    pub(crate) sought: String,
    /// The mouse selection in a pane.
    pub(crate) selection: Option<Selection>,
    /// What the mouse is dragging.
    pub(crate) held: Option<DragTarget>,
    /// A description of what is being copied.
    pub(crate) copying: Option<String>,
    /// The key map.
    pub(crate) keymap: Keymap,
    /// Actions run from the palette, the newest first, each once.
    pub(crate) recent: Vec<Action>,
    /// The current toast.
    pub(crate) toast: Option<Toast>,
    /// Until when a second `^C` quits.
    pub(crate) quit_armed_until: Option<u64>,
    /// The newest lines of the log, the oldest first; `None` before they are watched.
    pub(crate) log: Option<Vec<LogLine>>,
    /// The last ticket issued for a list of settings.
    pub(crate) last_inquiry: Ticket,
    /// The last ticket issued for a run.
    pub(crate) last_ticket: Ticket,
}

impl Model {
    /// A model with nothing in it.
    pub(crate) fn new(defaults: Defaults, follow: Follow) -> Self {
        Self {
            size: Size::default(),
            now: 0,
            attention: true,
            screen: ScreenName::default(),
            focus: Focus::default(),
            zoom: false,
            follow,
            link: ConnectionSpeed::default(),
            composer: Composer::default(),
            drafts: DraftState::default(),
            settings: Settings::new(defaults),
            run: None,
            choice: Choice::default(),
            compare: Compare::default(),
            judge: Judge::default(),
            history: History::new(),
            providers: Providers::default(),
            spend: Spend::default(),
            jobs: Jobs::default(),
            label: Label::default(),
            overlay: None,
            find: None,
            sought: String::new(),
            selection: None,
            held: None,
            copying: None,
            keymap: Keymap::default(),
            recent: Vec::new(),
            toast: None,
            quit_armed_until: None,
            log: None,
            last_inquiry: Ticket::default(),
            last_ticket: Ticket::default(),
        }
    }

    /// Sets the key map, and with it the composer's modes.
    pub(crate) fn take_keymap(&mut self, keymap: Keymap) {
        self.composer.set_modal(keymap.is_modal());
        self.keymap = keymap;
    }

    /// The context in which keys are looked up.
    pub(crate) fn context(&self) -> Context {
        match (&self.overlay, self.screen) {
            (Some(Overlay::Ask(asking)), _) => asking.context(),
            // What is read scrolls with the keys of panes, even over an input.
            (Some(Overlay::Details { .. } | Overlay::Log { .. }), _) => Context::Navigate,
            _ if self.find.as_ref().is_some_and(|find| find.is_typing) => Context::Find,
            (_, ScreenName::Work) => self.focus.context(),
            (_, ScreenName::Compare) => Context::Compare,
            (_, ScreenName::Judge) => Context::Judge,
            (_, ScreenName::History) => self.history.focus.context(),
            (_, ScreenName::Providers) => Context::Providers,
            (_, ScreenName::Spend) => Context::Spend,
            (_, ScreenName::Jobs) if self.jobs.batch.is_some() => Context::Rows,
            (_, ScreenName::Jobs) => Context::Jobs,
            (_, ScreenName::Label) => Context::Label,
        }
    }

    /// Replaces action names in braces with their keys.
    pub(crate) fn spell(&self, text: &str) -> String {
        self.keymap.spell(self.context(), text)
    }

    /// The run, while it is live.
    pub(crate) fn live_run(&self) -> Option<&LiveRun> {
        self.run.as_ref().filter(|run| run.is_live())
    }

    /// True while work runs that quitting would lose. A run with a ranking is only finishing up.
    pub(crate) fn has_unfinished_work(&self) -> bool {
        self.live_run().is_some_and(|run| run.best().is_none())
            || self.judge.live().is_some()
            || self.history.transfer.is_some()
            || !self.jobs.own.is_empty()
    }

    /// A ticket for the next request.
    pub(crate) fn ticket(&mut self) -> Ticket {
        self.last_ticket = self.last_ticket.next();
        self.last_ticket
    }

    /// True while `^C` has something to stop.
    pub(crate) fn is_busy(&self) -> bool {
        self.live_run().is_some()
            || self.judge.live().is_some()
            || self.history.transfer.is_some()
            || self.jobs.checking.is_some()
    }

    /// True while the spinner is shown.
    pub(crate) fn is_waiting(&self) -> bool {
        let here = match self.screen {
            ScreenName::Work | ScreenName::Compare | ScreenName::Judge => false,
            ScreenName::History => self.history.is_searching(),
            ScreenName::Providers => self.providers.is_waiting(),
            ScreenName::Spend => self.spend.asked.is_some(),
            ScreenName::Jobs => self.jobs.is_waiting(),
            ScreenName::Label => self.label.asked.is_some(),
        };
        here || self.is_busy()
    }

    /// Shows a toast.
    pub(crate) fn say(&mut self, tone: Tone, text: impl AsRef<str>) {
        self.say_for(4_000, tone, text.as_ref());
    }

    /// Shows an unrequested toast for longer, because the user may be looking elsewhere.
    pub(crate) fn say_long(&mut self, tone: Tone, text: impl AsRef<str>) {
        self.say_for(15_000, tone, text.as_ref());
    }

    /// Shows a toast for this long.
    pub(crate) fn say_for(&mut self, milliseconds: u64, tone: Tone, text: &str) {
        let text = super::widgets::safe::safe_line(text);
        self.toast = Some(Toast { text, tone, until: self.now + milliseconds });
    }
}
