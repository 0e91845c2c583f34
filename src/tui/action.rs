//! The list of everything a user can do in the workbench: one list for the keys, the hints and the help.
//!
//! An [`Action`] is a named intention; [`ACTIONS`] says where it applies, which keys call it, how it is called in a
//! hint and what it does. Only what works is in it. Whether an action can be done *now* is said by the screen
//! ([`crate::tui::screens::refusal`]); hints show what can, the help says why the rest cannot.
//!
//! Where the keys are is a [`Context`]. Those of [`Context::FOCUSES`] can have the keys; each of these takes keys of others too
//! ([`Context::chain`]), as far as these are for its screen.

mod table;

use aludel_core::domain::Operation;

pub use table::ACTIONS;

/// A named intention of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the table below documents each")]
pub enum Action {
    Run,
    RunSettings,
    Help,
    Palette,
    AllSettings,
    Log,
    StopOrQuit,
    Quit,
    Suspend,
    Redraw,
    FocusNext,
    FocusPrevious,
    Back,
    NewLine,
    LineStart,
    LineEnd,
    CharLeft,
    CharRight,
    LineUp,
    LineDown,
    TextUp,
    TextDown,
    WordLeft,
    WordRight,
    TextStart,
    TextEnd,
    DeleteCharBefore,
    DeleteChar,
    DeleteWord,
    DeleteWordAfter,
    DeleteToStart,
    DeleteToEnd,
    Yank,
    Undo,
    Redo,
    InputPrevious,
    InputNext,
    InputHistory,
    Editor,
    SetMark,
    SelectLeft,
    SelectRight,
    SelectUp,
    SelectDown,
    SelectLineStart,
    SelectLineEnd,
    SelectAll,
    CopySelection,
    CutSelection,
    FocusInput,
    BackOrQuit,
    VariantPrevious,
    VariantNext,
    PhasePrevious,
    PhaseNext,
    Down,
    Up,
    HalfDown,
    HalfUp,
    PageDown,
    PageUp,
    Top,
    Bottom,
    Zoom,
    Follow,
    Copy,
    CopyPane,
    StopVariant,
    Retry,
    Rerun,
    RunWith,
    Details,
    GoToWork,
    GoToCompare,
    GoToJudge,
    GoToHistory,
    GoToProviders,
    GoToSpend,
    GoToJobs,
    Reload,
    TestProvider,
    SpendRange,
    SpendGroup,
    AllJobs,
    StopJob,
    ResumeJob,
    ShowJob,
    FocusSearch,
    SearchMode,
    Results,
    ToList,
    ToPreview,
    OpenIdea,
    OpenPrompt,
    EditTags,
    EditNotes,
    DeletePrompt,
    CallBack,
    GroupRuns,
    Export,
    Mark,
    Unmark,
    Compare,
    Judge,
    ChangeNext,
    ChangePrevious,
    Arrangement,
    SwapBase,
    OtherNext,
    OpenCompared,
    EditTask,
    AcceptWinner,
    OpenCandidate,
    TagCandidate,
    Find,
    FindNext,
    FindPrevious,
    FindKeep,
    LabelPairs,
    LabelLeft,
    LabelRight,
    LabelEven,
    LabelSkip,
    LabelUndo,
    Import,
}

/// The screens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ScreenName {
    /// An idea and its run.
    #[default]
    Work,
    /// Prompts beside each other.
    Compare,
    /// Which of them is best.
    Judge,
    /// What is stored.
    History,
    /// Who could write.
    Providers,
    /// What it cost.
    Spend,
    /// Work that can be stopped and taken up again.
    Jobs,
    /// Pairs of prompts that are labelled; it has no tab.
    Label,
}

impl ScreenName {
    /// All screens with a tab, in the order of their numbers.
    pub const ALL: [Self; 7] =
        [Self::Work, Self::Compare, Self::Judge, Self::History, Self::Providers, Self::Spend, Self::Jobs];

    /// The digit that leads there; `None` for a screen without a tab.
    pub const fn digit(self) -> Option<char> {
        Some(match self {
            Self::Work => '1',
            Self::Compare => '2',
            Self::Judge => '3',
            Self::History => '5',
            Self::Providers => '6',
            Self::Spend => '7',
            Self::Jobs => '8',
            Self::Label => return None,
        })
    }

    /// The action that leads there.
    pub fn action(self) -> Action {
        let Some(digit) = self.digit() else { return Action::LabelPairs };
        let leads = |info: &&ActionInfo| info.id.strip_prefix("screen-").is_some_and(|id| id.chars().eq([digit]));
        // A test holds that each is there.
        ACTIONS.iter().find(leads).map_or(Action::GoToWork, |info| info.action)
    }

    /// What is said of an action that is for this screen alone, on another one.
    pub(crate) const fn elsewhere(self) -> &'static str {
        match self {
            Self::Work => "on the Workbench; {screen-1} goes there",
            Self::Compare => "on Compare; {screen-2} goes there",
            Self::Judge => "on Judge; {screen-3} goes there",
            Self::History => "on the History; {screen-5} goes there",
            Self::Providers => "on the Providers; {screen-6} goes there",
            Self::Spend => "on the Spending; {screen-7} goes there",
            Self::Jobs => "on Jobs; {screen-8} goes there",
            Self::Label => "where pairs are labelled; {label-pairs} goes there",
        }
    }

    /// What it is called.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Work => "Workbench",
            Self::Compare => "Compare",
            Self::Judge => "Judge",
            Self::History => "History",
            Self::Providers => "Providers",
            Self::Spend => "Spending",
            Self::Jobs => "Jobs",
            Self::Label => "Label",
        }
    }

    /// The same where there is little room.
    pub const fn short_title(self) -> &'static str {
        match self {
            Self::Work => "Work",
            Self::Compare => "Cmp",
            Self::Judge => "Judge",
            Self::History => "Hist",
            Self::Providers => "Prov",
            Self::Spend => "Spend",
            Self::Jobs => "Jobs",
            Self::Label => "Label",
        }
    }
}

/// Where an action applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// Everywhere.
    Global,
    /// While text is being typed.
    Composer,
    /// In every other pane, where letters act.
    Navigate,
    /// On the screen that compares, beside the keys of every pane.
    Compare,
    /// On the screen of the judge, beside those of every pane.
    Judge,
    /// In the search box of the history, beside the keys that edit text.
    Search,
    /// In the other panes of the history, beside those of every pane.
    History,
    /// Among the providers, beside those of every pane.
    Providers,
    /// Among what was spent, beside those of every pane.
    Spend,
    /// Among the jobs, beside those of every pane.
    Jobs,
    /// Where pairs are labelled, beside the keys of every pane.
    Label,
    /// In the field that says what to find in a pane, beside the keys that edit text.
    Find,
}

impl Context {
    /// Those that can have the keys.
    pub const FOCUSES: [Self; 11] = [
        Self::Composer,
        Self::Navigate,
        Self::Compare,
        Self::Judge,
        Self::Search,
        Self::History,
        Self::Providers,
        Self::Spend,
        Self::Jobs,
        Self::Label,
        Self::Find,
    ];

    /// The name in a key map.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Composer => "composer",
            Self::Navigate => "nav",
            Self::Compare => "compare",
            Self::Judge => "judge",
            Self::Search => "search",
            Self::History => "history",
            Self::Providers => "providers",
            Self::Spend => "spend",
            Self::Jobs => "jobs",
            Self::Label => "label",
            Self::Find => "find",
        }
    }

    /// The contexts whose keys work where this one has the keys, the nearest first.
    pub const fn chain(self) -> &'static [Self] {
        match self {
            Self::Global => &[Self::Global],
            Self::Composer => &[Self::Composer, Self::Global],
            Self::Navigate => &[Self::Navigate, Self::Global],
            Self::Compare => &[Self::Compare, Self::Navigate, Self::Global],
            Self::Judge => &[Self::Judge, Self::Navigate, Self::Global],
            Self::Search => &[Self::Search, Self::Composer, Self::Global],
            Self::History => &[Self::History, Self::Navigate, Self::Global],
            Self::Providers => &[Self::Providers, Self::Navigate, Self::Global],
            Self::Spend => &[Self::Spend, Self::Navigate, Self::Global],
            Self::Jobs => &[Self::Jobs, Self::Navigate, Self::Global],
            Self::Label => &[Self::Label, Self::Navigate, Self::Global],
            Self::Find => &[Self::Find, Self::Composer, Self::Global],
        }
    }

    /// True where a key that writes a character types it.
    pub fn types(self) -> bool {
        self.chain().contains(&Self::Composer)
    }

    /// The screen on which this context has the keys; `None` for one that is on many.
    pub const fn screen(self) -> Option<ScreenName> {
        match self {
            Self::Global | Self::Composer | Self::Navigate => Some(ScreenName::Work),
            Self::Compare => Some(ScreenName::Compare),
            Self::Judge => Some(ScreenName::Judge),
            Self::Search | Self::History => Some(ScreenName::History),
            Self::Providers => Some(ScreenName::Providers),
            Self::Spend => Some(ScreenName::Spend),
            Self::Jobs => Some(ScreenName::Jobs),
            Self::Label => Some(ScreenName::Label),
            Self::Find => None,
        }
    }
}

/// What is known of an action.
#[derive(Debug, Clone, Copy)]
pub struct ActionInfo {
    /// The action.
    pub action: Action,
    /// Its name in a key map.
    pub id: &'static str,
    /// Where it applies.
    pub context: Context,
    /// The only screen it is for; `None` where it is for all.
    pub screen: Option<ScreenName>,
    /// The screen on which its keys mean something else.
    pub except: Option<ScreenName>,
    /// Keys that call it, the first being the one shown.
    pub keys: &'static [&'static str],
    /// One or two words for the hint line.
    pub label: &'static str,
    /// What it does, for the help.
    pub help: &'static str,
    /// Place in the hint line, 1 first; 0 for actions that are in the help alone.
    pub hint: u8,
    /// The operation of the core that it calls, if it calls one.
    pub operation: Option<Operation>,
}

const fn info(
    action: Action,
    id: &'static str,
    context: Context,
    keys: &'static [&'static str],
    label: &'static str,
    help: &'static str,
) -> ActionInfo {
    ActionInfo { action, id, context, screen: None, except: None, keys, label, help, hint: 0, operation: None }
}

impl ActionInfo {
    /// The same with a place in the hint line.
    const fn hint(mut self, place: u8) -> Self {
        self.hint = place;
        self
    }

    /// The same, for the screen of the runs alone.
    const fn at_work(mut self) -> Self {
        self.screen = Some(ScreenName::Work);
        self
    }

    /// The same, with no keys on `screen`.
    const fn but_at(mut self, screen: ScreenName) -> Self {
        self.except = Some(screen);
        self
    }

    /// True when its keys are for `screen`; `None` stands for what is on many screens.
    pub fn is_for(&self, screen: Option<ScreenName>) -> bool {
        self.screen.is_none_or(|only| screen == Some(only)) && (self.except.is_none() || self.except != screen)
    }

    /// The only screen that knows it, by its keys or by its nature; `None` where all do.
    pub fn home(&self) -> Option<ScreenName> {
        match self.context {
            Context::Global | Context::Composer | Context::Navigate => self.screen,
            own => own.screen(),
        }
    }

    /// True when its keys work where `context` has the keys.
    pub fn works_in(&self, context: Context) -> bool {
        self.is_for(context.screen()) && context.chain().contains(&self.context)
    }

    /// The same, calling `operation` of the core.
    const fn calls(mut self, operation: Operation) -> Self {
        self.operation = Some(operation);
        self
    }
}

impl Action {
    /// What is known of it; where it has several entries, the first.
    pub fn info(self) -> &'static ActionInfo {
        // Every action is in the table: a test counts them.
        ACTIONS.iter().find(|info| info.action == self).unwrap_or(&ACTIONS[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_action_is_in_the_list_and_every_name_is_its_own() {
        let ids: BTreeSet<&str> = ACTIONS.iter().map(|info| info.id).collect();
        assert_eq!(ids.len(), ACTIONS.len());
        // `Import` is the last of the enum: its number is the count of all others.
        let actions: BTreeSet<usize> = ACTIONS.iter().map(|info| info.action as usize).collect();
        assert_eq!(actions.len(), Action::Import as usize + 1);
        assert!(ACTIONS.iter().all(|info| info.action.info().action == info.action));
    }

    #[test]
    fn the_list_of_actions_is_as_reviewed() {
        let row = |info: &ActionInfo| {
            let only = info.screen.map_or("", ScreenName::title);
            format!("{:<9}{:<17}{:<28}{:<10}{}", info.context.as_str(), info.id, info.keys.join(" "), only, info.help)
        };
        insta::assert_snapshot!(ACTIONS.iter().map(row).collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn an_action_leads_to_every_screen() {
        let actions: BTreeSet<usize> = ScreenName::ALL.into_iter().map(|screen| screen.action() as usize).collect();
        assert_eq!(actions.len(), ScreenName::ALL.len());
    }

    #[test]
    fn places_in_a_hint_line_are_distinct() {
        for context in Context::FOCUSES {
            let infos = ACTIONS.iter().filter(|info| info.hint > 0 && info.works_in(context));
            let places: Vec<u8> = infos.map(|info| info.hint).collect();
            assert_eq!(places.iter().collect::<BTreeSet<_>>().len(), places.len(), "{}: {places:?}", context.as_str());
        }
    }
}
