//! The model: all that the view may read. Plain data; who changes it is [`crate::tui::update`].
//!
//! It holds no clock: [`Model::now`] is the time of the last message, in milliseconds since the program began.

pub(crate) mod asking;
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
use super::effect::Ticket;
use super::keymap::Keymap;
use super::widgets::figures::thousands;
use super::widgets::scroll::Follow;
use texts::{Held, Selection};

/// Which pane of the Workbench has the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Focus {
    /// Keys type.
    #[default]
    Composer,
    /// Letters act.
    Vessels,
}

impl Focus {
    /// Where its keys are looked up.
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

/// What lies over the screen and takes its keys.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Overlay {
    /// Every key, filtered by what has been typed.
    Help {
        /// What has been typed.
        filter: String,
        /// Which of the matching rows is marked.
        marked: usize,
    },
    /// What can be done, by name, filtered by what has been typed.
    Palette {
        /// What has been typed.
        filter: String,
        /// Which of the matching rows is marked.
        marked: usize,
    },
    /// How the next run is made.
    Settings {
        /// Which row is marked.
        row: usize,
        /// True while digits are being typed into it.
        typing: bool,
    },
    /// How a variant came to be.
    Details {
        /// First visible row.
        top: usize,
    },
    /// Every setting, filtered by what has been typed.
    AllSettings(Box<Listing>),
    /// The log of this process.
    Log {
        /// Rows that lie below the last visible one.
        back: usize,
    },
    /// Asks whether to quit.
    ConfirmQuit,
    /// Asks whether to begin what may cost more than passes without asking.
    ConfirmCost(Costly),
    /// Searches among earlier inputs.
    Recall(Recall),
    /// Asks which provider is to make it once more.
    Providers {
        /// Which one is marked, once the user has chosen.
        marked: Option<usize>,
    },
    /// Asks for a text.
    Ask(Box<Asking>),
}

/// What may cost more than passes without asking.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Costly {
    /// What would begin.
    pub(crate) what: CostlyWhat,
    /// US dollars at most.
    pub(crate) most_usd: f64,
    /// Calls to models, when none fails.
    pub(crate) calls: u64,
}

impl Costly {
    /// `This run may cost up to $0.4 (6 calls).`
    pub(crate) fn told(&self) -> String {
        let what = match self.what {
            CostlyWhat::Run(_) => "run",
            CostlyWhat::Judging => "judging",
        };
        let calls = if self.calls == 1 { "1 call".to_owned() } else { format!("{} calls", thousands(self.calls)) };
        format!("This {what} may cost up to ${} ({calls}).", self.most_usd)
    }
}

/// What would begin.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CostlyWhat {
    /// A run of this raw request.
    Run(serde_json::Value),
    /// The judging on the Judge screen.
    Judging,
}

/// How serious a passing message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Something was done.
    Done,
    /// Something could not be done.
    Refused,
    /// Something is done when it is asked for again.
    Asked,
}

/// A message that passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Toast {
    /// One line, safe to show.
    pub(crate) text: String,
    /// How serious it is.
    pub(crate) tone: Tone,
    /// When it goes.
    pub(crate) until: u64,
}

/// Everything the view may read.
#[derive(Debug)]
pub(crate) struct Model {
    /// The size of the terminal.
    pub(crate) size: Size,
    /// Milliseconds since the program began, as of the last message.
    pub(crate) now: u64,
    /// True while the terminal has the user's attention, as far as it tells.
    pub(crate) attention: bool,
    /// Which screen is shown.
    pub(crate) screen: ScreenName,
    /// Which pane of the Workbench has the keys.
    pub(crate) focus: Focus,
    /// True while the focused pane fills the screen.
    pub(crate) zoom: bool,
    /// How panes follow arriving text.
    pub(crate) follow: Follow,
    /// What the line to the terminal is like.
    pub(crate) link: ConnectionSpeed,
    /// The idea being written.
    pub(crate) composer: Composer,
    /// What surrounds it: drafts, earlier inputs.
    pub(crate) drafts: DraftState,
    /// How it is to be run.
    pub(crate) settings: Settings,
    /// The run on the screen.
    pub(crate) run: Option<LiveRun>,
    /// Prompts that are marked.
    pub(crate) choice: Choice,
    /// Prompts beside each other.
    pub(crate) compare: Compare,
    /// A judging.
    pub(crate) judge: Judge,
    /// What is stored.
    pub(crate) history: History,
    /// Who could write.
    pub(crate) providers: Providers,
    /// What was spent.
    pub(crate) spend: Spend,
    /// Work that can be stopped and taken up again.
    pub(crate) jobs: Jobs,
    /// Pairs that are labelled.
    pub(crate) label: Label,
    /// What lies over the screen.
    pub(crate) overlay: Option<Overlay>,
    /// Words that are looked for in a pane.
    pub(crate) find: Option<Find>,
    /// What was looked for last.
    pub(crate) sought: String,
    /// What the mouse selected in a pane.
    pub(crate) selection: Option<Selection>,
    /// What the mouse holds while its button is down.
    pub(crate) held: Option<Held>,
    /// What is being copied, in words.
    pub(crate) copying: Option<String>,
    /// What keys mean.
    pub(crate) keymap: Keymap,
    /// What was done from the palette, the newest first, each once.
    pub(crate) recent: Vec<Action>,
    /// A message that passes.
    pub(crate) toast: Option<Toast>,
    /// Until when a second `^C` quits.
    pub(crate) quit_armed_until: Option<u64>,
    /// The newest lines of the log, the oldest first; `None` before they are watched.
    pub(crate) log: Option<Vec<LogLine>>,
    /// The last ticket given out to a list of settings.
    pub(crate) last_inquiry: Ticket,
    /// The last ticket given out to a run.
    pub(crate) last_ticket: Ticket,
}

impl Model {
    /// An empty screen.
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

    /// Takes a key map up, and with it what the input's keys mean.
    pub(crate) fn take_keymap(&mut self, keymap: Keymap) {
        self.composer.set_modal(keymap.is_modal());
        self.keymap = keymap;
    }

    /// Where keys are looked up.
    pub(crate) fn context(&self) -> Context {
        match (&self.overlay, self.screen) {
            (Some(Overlay::Ask(asking)), _) => asking.context(),
            // What is read is scrolled with the keys of panes, whatever was typed beneath.
            (Some(Overlay::Details { .. } | Overlay::Log { .. }), _) => Context::Navigate,
            _ if self.find.as_ref().is_some_and(|find| find.is_typing) => Context::Find,
            (_, ScreenName::Work) => self.focus.context(),
            (_, ScreenName::Compare) => Context::Compare,
            (_, ScreenName::Judge) => Context::Judge,
            (_, ScreenName::History) => self.history.focus.context(),
            (_, ScreenName::Providers) => Context::Providers,
            (_, ScreenName::Spend) => Context::Spend,
            (_, ScreenName::Jobs) => Context::Jobs,
            (_, ScreenName::Label) => Context::Label,
        }
    }

    /// `text` with the keys of the actions that it names in braces.
    pub(crate) fn spell(&self, text: &str) -> String {
        self.keymap.spell(self.context(), text)
    }

    /// The run, while it goes on.
    pub(crate) fn live_run(&self) -> Option<&LiveRun> {
        self.run.as_ref().filter(|run| run.is_live())
    }

    /// True while something runs of which quitting would lose a part. A run that has told its ranking only closes its books.
    pub(crate) fn has_unfinished_work(&self) -> bool {
        self.live_run().is_some_and(|run| run.best().is_none())
            || self.judge.live().is_some()
            || self.history.transfer.is_some()
    }

    /// A ticket for the next question.
    pub(crate) fn ticket(&mut self) -> Ticket {
        self.last_ticket = self.last_ticket.next();
        self.last_ticket
    }

    /// True while something runs that `^C` stops.
    pub(crate) fn is_busy(&self) -> bool {
        self.live_run().is_some() || self.judge.live().is_some() || self.history.transfer.is_some()
    }

    /// True while something is waited for whose coming is shown by what turns.
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

    /// Shows a passing message.
    pub(crate) fn say(&mut self, tone: Tone, text: impl AsRef<str>) {
        self.say_for(4_000, tone, text.as_ref());
    }

    /// Shows a passing message that comes unasked, so that eyes may be elsewhere.
    pub(crate) fn say_long(&mut self, tone: Tone, text: impl AsRef<str>) {
        self.say_for(15_000, tone, text.as_ref());
    }

    /// Shows a passing message for so long.
    pub(crate) fn say_for(&mut self, milliseconds: u64, tone: Tone, text: &str) {
        let text = super::widgets::safe::safe_line(text);
        self.toast = Some(Toast { text, tone, until: self.now + milliseconds });
    }
}
