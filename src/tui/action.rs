//! Everything a user can do in the workbench: one list for the keys, the hints and the help.
//!
//! An [`Action`] is a named intention. [`ACTIONS`] holds its context, keys, hint and help. Whether
//! it is possible *now* is up to the screen ([`crate::tui::screens::refusal`]): hints show what is,
//! the help says why the rest is not.
//!
//! A [`Context`] says where the keyboard focus is. Those in [`Context::FOCUSES`] can have it, and
//! each also accepts keys of others ([`Context::chain`]), as far as these are for its screen.

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
    StartBatch,
    OpenRow,
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
    /// A request and its run.
    #[default]
    Work,
    /// Prompts side by side.
    Compare,
    /// The judge's comparison of prompts.
    Judge,
    /// The stored prompts.
    History,
    /// The providers.
    Providers,
    /// What calls cost.
    Spend,
    /// Jobs, which can be stopped and resumed.
    Jobs,
    /// Blind labelling of prompt pairs; it has no tab.
    Label,
}

impl ScreenName {
    /// All screens with a tab, in the order of their numbers.
    pub const ALL: [Self; 7] =
        [Self::Work, Self::Compare, Self::Judge, Self::History, Self::Providers, Self::Spend, Self::Jobs];

    /// The digit that opens it; `None` for a screen without a tab.
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

    /// The action that opens it.
    pub fn action(self) -> Action {
        let Some(digit) = self.digit() else { return Action::LabelPairs };
        let leads = |info: &&ActionInfo| info.id.strip_prefix("screen-").is_some_and(|id| id.chars().eq([digit]));
        // A test checks that each one exists.
        ACTIONS.iter().find(leads).map_or(Action::GoToWork, |info| info.action)
    }

    /// What other screens say about an action that only this screen has.
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

    /// The screen's name.
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

    /// The screen's name for narrow terminals.
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

/// Where an action applies. The contexts of a single pane add to [`Context::Navigate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// Everywhere.
    Global,
    /// While text is being typed.
    Composer,
    /// In every other pane, where letters are commands.
    Navigate,
    /// On the Compare screen.
    Compare,
    /// On the Judge screen.
    Judge,
    /// In the search box of History, in addition to the text editing keys.
    Search,
    /// In the other panes of History.
    History,
    /// On the Providers screen.
    Providers,
    /// On the Spend screen.
    Spend,
    /// On the Jobs screen.
    Jobs,
    /// In a batch on the Jobs screen.
    Rows,
    /// On the labelling screen.
    Label,
    /// In the find field of a pane, in addition to the text editing keys.
    Find,
}

impl Context {
    /// The contexts that can have the focus.
    pub const FOCUSES: [Self; 12] = [
        Self::Composer,
        Self::Navigate,
        Self::Compare,
        Self::Judge,
        Self::Search,
        Self::History,
        Self::Providers,
        Self::Spend,
        Self::Jobs,
        Self::Rows,
        Self::Label,
        Self::Find,
    ];

    /// The name in a key map file.
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
            Self::Rows => "rows",
            Self::Label => "label",
            Self::Find => "find",
        }
    }

    /// The contexts whose keys work while this one has the focus, the nearest first.
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
            Self::Rows => &[Self::Rows, Self::Navigate, Self::Global],
            Self::Label => &[Self::Label, Self::Navigate, Self::Global],
            Self::Find => &[Self::Find, Self::Composer, Self::Global],
        }
    }

    /// True if a key that writes a character types it.
    pub fn types(self) -> bool {
        self.chain().contains(&Self::Composer)
    }

    /// The screen this context belongs to; `None` if it occurs on several.
    pub const fn screen(self) -> Option<ScreenName> {
        match self {
            Self::Global | Self::Composer | Self::Navigate => Some(ScreenName::Work),
            Self::Compare => Some(ScreenName::Compare),
            Self::Judge => Some(ScreenName::Judge),
            Self::Search | Self::History => Some(ScreenName::History),
            Self::Providers => Some(ScreenName::Providers),
            Self::Spend => Some(ScreenName::Spend),
            Self::Jobs | Self::Rows => Some(ScreenName::Jobs),
            Self::Label => Some(ScreenName::Label),
            Self::Find => None,
        }
    }
}

/// An entry of the table of actions.
#[derive(Debug, Clone, Copy)]
pub struct ActionInfo {
    /// The action.
    pub action: Action,
    /// Its name in a key map file.
    pub id: &'static str,
    /// Where it applies.
    pub context: Context,
    /// The only screen it is for; `None` for all.
    pub screen: Option<ScreenName>,
    /// The screen on which its keys do something else.
    pub except: Option<ScreenName>,
    /// The keys that trigger it; the first is the one shown.
    pub keys: &'static [&'static str],
    /// One or two words for the hint line.
    pub label: &'static str,
    /// What it does, for the help.
    pub help: &'static str,
    /// Its position in the hint line, from 1; 0 for actions that appear only in the help.
    pub hint: u8,
    /// The core operation it calls, if any.
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
    /// Sets its position in the hint line.
    const fn hint(mut self, place: u8) -> Self {
        self.hint = place;
        self
    }

    /// Restricts it to the Workbench.
    const fn at_work(mut self) -> Self {
        self.screen = Some(ScreenName::Work);
        self
    }

    /// Takes its keys off `screen`.
    const fn but_at(mut self, screen: ScreenName) -> Self {
        self.except = Some(screen);
        self
    }

    /// True if its keys apply on `screen`; `None` stands for a context on several screens.
    pub fn is_for(&self, screen: Option<ScreenName>) -> bool {
        self.screen.is_none_or(|only| screen == Some(only)) && (self.except.is_none() || self.except != screen)
    }

    /// The only screen that has it, by its context or by its own restriction; `None` if all do.
    pub fn home(&self) -> Option<ScreenName> {
        match self.context {
            Context::Global | Context::Composer | Context::Navigate => self.screen,
            own => own.screen(),
        }
    }

    /// True if its keys work while `context` has the focus.
    pub fn works_in(&self, context: Context) -> bool {
        self.is_for(context.screen()) && context.chain().contains(&self.context)
    }

    /// Sets the core operation it calls.
    const fn calls(mut self, operation: Operation) -> Self {
        self.operation = Some(operation);
        self
    }
}

impl Action {
    /// Its entry in the table; the first one if there are several.
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
        // `Import` is the last variant, so its number is the count of all others.
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
