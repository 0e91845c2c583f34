//! The table of actions: the name, context, keys and help text of each.
//!
//! It is in the order of the help. Tests next to [`Action`] check that no context gives a key two
//! meanings, or two actions one position in the hint line.

use aludel_core::domain::Operation;
use aludel_core::operation::{self, Face};

use super::{Action, ActionInfo, Context, ScreenName, info};

use Action as A;
use Context::{Compare, Composer, Find, Global, History, Jobs, Judge, Label, Navigate, Providers, Rows, Search, Spend};

/// All actions, in the order of the help.
pub static ACTIONS: &[ActionInfo] = &[
    info(A::Run, "run", Global, &["Ctrl+J", "Ctrl+Enter"], "run", "Turn the request into prompts")
        .at_work()
        .hint(2)
        .calls(Operation::Generate),
    info(
        A::RunSettings,
        "run-settings",
        Global,
        &["F2"],
        "settings",
        "Persona, variants, temperature, provider, phases",
    )
    .hint(12),
    info(
        A::StopOrQuit,
        "stop-or-quit",
        Global,
        &["Ctrl+C"],
        "stop all",
        "Stop the run, keeping what is finished; idle: twice quits",
    )
    .hint(3),
    info(A::Quit, "quit", Global, &["Ctrl+Q"], "quit", "Quit; asks while a run is live").hint(30),
    info(A::Help, "help", Global, &["F1"], "help", "Every key, searchable"),
    info(A::Help, "help-nav", Navigate, &["?"], "help", "Every key, searchable"),
    info(A::Palette, "palette", Global, &["Ctrl+P"], "palette", "Every action, by name").hint(26),
    info(A::Palette, "palette-nav", Navigate, &[":"], "palette", "Every action, by name"),
    info(
        A::AllSettings,
        "settings",
        Global,
        &["F3"],
        "all settings",
        "Every setting, its value and where that is from",
    )
    .calls(Operation::ConfigShow),
    info(A::Log, "log", Navigate, &["L"], "log", "The log of this process"),
    info(A::FocusNext, "focus-next", Global, &["Tab"], "pane", "Next pane").hint(11),
    info(A::FocusPrevious, "focus-prev", Global, &["Shift+Tab"], "pane back", "Previous pane"),
    info(A::Back, "back", Global, &["Esc"], "back", "Close the overlay, undo the zoom or leave the input"),
    info(A::Suspend, "suspend", Global, &["Ctrl+Z"], "suspend", "Suspend to the shell; `fg` resumes"),
    info(A::Redraw, "redraw", Global, &["Ctrl+L"], "redraw", "Redraw the screen"),
    info(A::GoToWork, "screen-1", Global, &["Alt+1"], "workbench", "To the Workbench: a request and its run"),
    info(A::GoToWork, "screen-1-nav", Navigate, &["1"], "workbench", "To the Workbench: a request and its run"),
    info(A::GoToCompare, "screen-2", Global, &["Alt+2"], "compare", "To Compare: prompts side by side"),
    info(A::GoToCompare, "screen-2-nav", Navigate, &["2"], "compare", "To Compare: prompts side by side"),
    info(A::GoToJudge, "screen-3", Global, &["Alt+3"], "judge", "To the Judge: which prompt is best, and how sure"),
    info(A::GoToJudge, "screen-3-nav", Navigate, &["3"], "judge", "To the Judge: which prompt is best, and how sure"),
    info(A::GoToHistory, "screen-5", Global, &["Alt+5"], "history", "To the History: stored prompts, searchable")
        .calls(Operation::List),
    info(A::GoToHistory, "screen-5-nav", Navigate, &["5"], "history", "To the History: stored prompts, searchable")
        .hint(14),
    info(A::GoToProviders, "screen-6", Global, &["Alt+6"], "providers", "To the Providers: availability, keys, prices")
        .calls(Operation::Providers),
    info(
        A::GoToProviders,
        "screen-6-nav",
        Navigate,
        &["6"],
        "providers",
        "To the Providers: availability, keys, prices",
    )
    .hint(24),
    info(A::GoToSpend, "screen-7", Global, &["Alt+7"], "spending", "To Spending: what was spent, and the budgets")
        .calls(Operation::Spend),
    info(A::GoToSpend, "screen-7-nav", Navigate, &["7"], "spending", "To Spending: what was spent, and the budgets")
        .hint(25),
    info(A::GoToJobs, "screen-8", Global, &["Alt+8"], "jobs", "To the Jobs: work that can be stopped and resumed")
        .calls(Operation::Jobs),
    info(A::GoToJobs, "screen-8-nav", Navigate, &["8"], "jobs", "To the Jobs: work that can be stopped and resumed")
        .hint(31),
    info(
        A::TestProvider,
        "test-provider",
        Providers,
        &["T"],
        "test",
        "Test it with a real call, which may cost a little",
    )
    .hint(1)
    .calls(Operation::TestProviders),
    info(A::Reload, "reload-providers", Providers, &["r"], "reload", "Check availability again").hint(2),
    info(A::SpendRange, "spend-range", Spend, &["v"], "range", "The last day, week or month, or all time").hint(1),
    info(A::SpendGroup, "spend-group", Spend, &["o"], "group", "By day, model, provider, phase, tag or command")
        .hint(2)
        .calls(Operation::Stats),
    info(A::Reload, "reload", Spend, &["r"], "reload", "Compute the totals again").hint(5),
    info(
        A::StopJob,
        "stop-job",
        Jobs,
        &["x"],
        "stop",
        "Stop this job, whichever process works on it; {resume-job} resumes it",
    )
    .hint(1)
    .calls(Operation::JobsStop),
    info(A::ResumeJob, "resume-job", Jobs, &["R"], "resume", "Finish the rest; calls models, which may cost money")
        .hint(2)
        .calls(Operation::JobsResume),
    info(
        A::ShowJob,
        "show-job",
        Jobs,
        &["Enter"],
        "show",
        "Show the request and the result, or the rows of a batch; or go back",
    )
    .hint(5)
    .calls(Operation::JobsShow),
    info(
        A::StartBatch,
        "start-batch",
        Jobs,
        &["b"],
        "new batch",
        "Generate prompts for all rows of a file; says first what that can cost",
    )
    .hint(9)
    .calls(Operation::Batch),
    info(A::AllJobs, "all-jobs", Jobs, &["a"], "all / unfinished", "Show or hide finished jobs").hint(6),
    info(A::Reload, "reload-jobs", Jobs, &["r"], "reload", "Reload the list of jobs").hint(7),
    info(A::OpenRow, "open-row", Rows, &["Enter"], "open", "Open a row: its error or its best prompt; or close it")
        .hint(1)
        .calls(Operation::JobsResult),
    info(A::StopJob, "stop-batch", Rows, &["x"], "stop", "Stop this batch; {resume-batch} resumes it").hint(2),
    info(
        A::ResumeJob,
        "resume-batch",
        Rows,
        &["R"],
        "resume",
        "Do the remaining rows; calls models, which may cost money",
    )
    .hint(5),
    info(A::Reload, "reload-rows", Rows, &["r"], "reload", "Back to the first rows, read again").hint(7),
    info(A::FocusInput, "focus-input", Navigate, &["i"], "input", "Go to the input").at_work().hint(1),
    info(A::VariantPrevious, "var-prev", Navigate, &["[", "h", "Left"], "variant", "Previous variant").at_work(),
    info(A::VariantNext, "var-next", Navigate, &["]", "l", "Right"], "variant", "Next variant").at_work().hint(6),
    info(A::PhasePrevious, "phase-prev", Navigate, &["{"], "phase", "Previous phase").at_work(),
    info(A::PhaseNext, "phase-next", Navigate, &["}"], "phase", "Next phase").at_work().hint(7),
    info(A::Down, "down", Navigate, &["j", "Down"], "down", "Down a row").but_at(ScreenName::Label),
    info(A::Up, "up", Navigate, &["k", "Up"], "up", "Up a row"),
    info(A::HalfDown, "half-down", Navigate, &["d", "Ctrl+D"], "half down", "Down half a pane"),
    info(A::HalfUp, "half-up", Navigate, &["u", "Ctrl+U"], "half up", "Up half a pane").but_at(ScreenName::Label),
    info(A::PageDown, "page-down", Navigate, &["PageDown", "Space"], "page down", "Down a pane"),
    info(A::PageUp, "page-up", Navigate, &["PageUp"], "page up", "Up a pane"),
    info(A::Top, "top", Navigate, &["g", "Home"], "top", "To the beginning"),
    info(A::Bottom, "bottom", Navigate, &["G", "End"], "bottom", "To the end, and follow new text"),
    info(A::Find, "find", Navigate, &["/"], "find", "Find words in this pane; a capital letter makes it exact")
        .but_at(ScreenName::History)
        .hint(21),
    info(A::FindNext, "find-next", Navigate, &["n"], "next match", "To the next match")
        .but_at(ScreenName::Compare)
        .hint(22),
    info(A::FindPrevious, "find-prev", Navigate, &["N"], "match back", "To the previous match")
        .but_at(ScreenName::Compare),
    info(A::Zoom, "zoom", Navigate, &["z"], "zoom", "One pane over the whole screen, and back").hint(8),
    info(A::Follow, "follow", Navigate, &["f"], "follow", "Follow new text by row, by page, or not").at_work().hint(10),
    info(A::Copy, "copy", Navigate, &["y"], "copy", "Copy the finished prompt").hint(4),
    info(A::CopyPane, "copy-pane", Navigate, &["Y"], "copy pane", "Copy the text of this pane, finished or not")
        .at_work(),
    info(A::TagCandidate, "tag-finished", Navigate, &["t"], "tags", "Change the tags of this prompt")
        .at_work()
        .hint(23)
        .calls(Operation::Update),
    info(A::StopVariant, "stop", Navigate, &["x"], "stop one", "Stop this variant; the others go on").at_work().hint(5),
    info(A::Retry, "retry", Navigate, &["r"], "retry", "Retry what failed, in a new run")
        .at_work()
        .hint(15)
        .calls(Operation::Generate),
    info(A::Rerun, "rerun", Navigate, &["R"], "run again", "Run the same request again")
        .at_work()
        .hint(16)
        .calls(Operation::Generate),
    info(
        A::RunWith,
        "retry-other",
        Navigate,
        &["P"],
        "provider",
        "Retry what failed, or make one more, with another provider",
    )
    .at_work()
    .hint(17)
    .calls(Operation::Generate),
    info(A::Details, "details", Navigate, &["e"], "details", "Calls, score breakdown, failure, warnings")
        .at_work()
        .hint(9),
    info(A::Mark, "mark", Navigate, &["c"], "mark", "Mark this prompt, to compare or judge it with others").hint(18),
    info(A::Unmark, "unmark", Navigate, &["Alt+C"], "unmark all", "Remove all marks"),
    info(
        A::Compare,
        "compare",
        Navigate,
        &["C"],
        "compare",
        "Compare the marked prompts; without marks, those of the run",
    )
    .hint(19)
    .calls(Operation::Compare),
    info(
        A::Judge,
        "judge",
        Navigate,
        &["J"],
        "judge",
        "Have the judge choose among them; calls models, which may cost money",
    )
    .hint(20)
    .calls(Operation::Select),
    info(
        A::LabelPairs,
        "label-pairs",
        Navigate,
        &["B"],
        "label pairs",
        "Label pairs of prompts blind, to measure a judge",
    ),
    info(A::LabelLeft, "label-left", Label, &["h", "Left"], "left", "The left one is better").hint(1),
    info(A::LabelRight, "label-right", Label, &["l", "Right"], "right", "The right one is better").hint(2),
    info(A::LabelEven, "label-even", Label, &["=", "Down"], "no difference", "Neither is better").hint(5),
    info(A::LabelSkip, "label-skip", Label, &["s"], "skip", "Pass this pair over").hint(6),
    info(A::LabelUndo, "label-undo", Label, &["u"], "undo", "Take the last label back").hint(7),
    info(A::Down, "label-down", Label, &["j"], "down", "Down a row of both texts").hint(9),
    info(A::HalfUp, "label-half-up", Label, &["Ctrl+U"], "half up", "Up half a pane of both texts"),
    info(A::ChangeNext, "next-change", Compare, &["n"], "change", "The next change; during a search, the next match")
        .hint(1),
    info(A::ChangePrevious, "prev-change", Compare, &["N"], "change back", "The previous change, or match"),
    info(A::Arrangement, "layout", Compare, &["v"], "layout", "Side by side, or inline").hint(6),
    info(A::SwapBase, "base", Compare, &["b"], "swap", "Swap sides: additions become removals").hint(7),
    info(A::OtherNext, "other", Compare, &["]", "l", "Right"], "other", "Compare with the next of the others").hint(2),
    info(
        A::OpenCompared,
        "open-compared",
        Compare,
        &["Enter"],
        "open",
        "Load the right one into the Workbench's input",
    )
    .hint(5),
    info(A::AcceptWinner, "accept", Judge, &["W"], "accept", "Tag the winner `winner`")
        .hint(1)
        .calls(Operation::Update),
    info(A::TagCandidate, "tag-candidate", Judge, &["t"], "tags", "Change the tags of the marked one")
        .hint(5)
        .calls(Operation::Update),
    info(A::EditTask, "task", Judge, &["E"], "task", "Set the task they are judged for").hint(6),
    info(
        A::OpenCandidate,
        "open-candidate",
        Judge,
        &["Enter"],
        "open",
        "Load the marked one into the Workbench's input",
    )
    .hint(2),
    info(A::FocusSearch, "search", History, &["/", "i"], "search", "Go to the search box")
        .hint(1)
        .calls(Operation::Search),
    info(A::SearchMode, "mode-list", History, &["Ctrl+R"], "mode", "Search by words, by meaning, by both").hint(6),
    info(A::OpenIdea, "open", History, &["Enter"], "open", "Load its request into the Workbench's input").hint(2),
    info(A::OpenPrompt, "open-prompt", History, &["p"], "open prompt", "Load the prompt itself as a request").hint(15),
    info(A::EditTags, "tag", History, &["t"], "tags", "Change its tags").hint(5).calls(Operation::Update),
    info(A::EditNotes, "notes", History, &["a"], "notes", "Change your notes on it").hint(9).calls(Operation::Update),
    info(A::DeletePrompt, "delete", History, &["D"], "delete", "Delete it; {undo-delete} restores it")
        .hint(7)
        .calls(Operation::Delete),
    info(
        A::CallBack,
        "undo-delete",
        History,
        &["U"],
        "restore",
        "Restore the prompt deleted last; again, the one before it",
    )
    .hint(21),
    info(A::GroupRuns, "group-runs", History, &["f"], "runs / flat", "Group prompts by run, or not").hint(10),
    info(A::Export, "export", History, &["E"], "export", "Export the list to a file").hint(16).calls(Operation::Export),
    info(A::Import, "import", History, &["I"], "import", "Import prompts from a file")
        .hint(17)
        .calls(Operation::Import),
    info(A::ToList, "to-list", History, &["h", "Left"], "list", "To the list"),
    info(A::ToPreview, "to-preview", History, &["l", "Right"], "preview", "To the preview")
        .hint(13)
        .calls(Operation::Show),
    info(
        A::Find,
        "find-preview",
        History,
        &["Ctrl+F"],
        "find",
        "Find words in the preview; a capital letter makes it exact",
    )
    .hint(23),
    info(A::Results, "results", Search, &["Enter"], "results", "Search now, and go to the matches").hint(1),
    info(A::SearchMode, "mode", Search, &["Ctrl+R"], "mode", "Search by words, by meaning, by both").hint(4),
    info(A::Down, "search-down", Search, &["Down"], "next", "The next match").hint(5),
    info(A::Up, "search-up", Search, &["Up"], "previous", "The previous match"),
    info(A::PageDown, "search-page-down", Search, &["PageDown"], "page down", "Down a page of matches"),
    info(A::PageUp, "search-page-up", Search, &["PageUp"], "page up", "Up a page of matches"),
    info(A::FindKeep, "find-keep", Find, &["Enter"], "keep", "Keep the matches highlighted").hint(1),
    info(A::FindNext, "find-down", Find, &["Down"], "next", "To the next match").hint(4),
    info(A::FindPrevious, "find-up", Find, &["Up"], "previous", "To the previous match").hint(5),
    info(A::BackOrQuit, "back-or-quit", Navigate, &["q"], "quit", "Back; on the Workbench asks to quit"),
    info(A::NewLine, "newline", Composer, &["Enter"], "new line", "New line").at_work().hint(13),
    info(A::InputPrevious, "input-prev", Composer, &["Alt+Up"], "earlier", "Earlier input; your text is kept")
        .at_work(),
    info(A::InputNext, "input-next", Composer, &["Alt+Down"], "later", "Later input, and back to your text").at_work(),
    info(A::InputHistory, "input-history", Composer, &["Ctrl+R"], "earlier inputs", "Search earlier inputs")
        .at_work()
        .hint(15)
        .calls(Operation::History),
    info(A::Editor, "editor", Composer, &["Ctrl+G"], "editor", "Write in $VISUAL or $EDITOR").at_work().hint(16),
    info(A::CharLeft, "char-left", Composer, &["Left", "Ctrl+B"], "left", "Left"),
    info(A::CharRight, "char-right", Composer, &["Right", "Ctrl+F"], "right", "Right"),
    info(A::LineUp, "line-up", Composer, &["Up"], "up", "Up a row").at_work(),
    info(A::LineDown, "line-down", Composer, &["Down"], "down", "Down a row").at_work(),
    info(A::WordLeft, "word-left", Composer, &["Alt+B", "Ctrl+Left", "Alt+Left"], "word left", "A word left"),
    info(A::WordRight, "word-right", Composer, &["Alt+F", "Ctrl+Right", "Alt+Right"], "word right", "A word right"),
    info(A::LineStart, "line-start", Composer, &["Ctrl+A", "Home"], "line start", "To the beginning of the line"),
    info(A::LineEnd, "line-end", Composer, &["Ctrl+E", "End"], "line end", "To the end of the line"),
    info(A::TextUp, "text-up", Composer, &["PageUp"], "page up", "Up a page of the input").at_work(),
    info(A::TextDown, "text-down", Composer, &["PageDown"], "page down", "Down a page of the input").at_work(),
    info(A::TextStart, "text-start", Composer, &["Ctrl+Home", "Alt+<"], "start", "To the beginning of the input")
        .at_work(),
    info(A::TextEnd, "text-end", Composer, &["Ctrl+End", "Alt+>"], "end", "To the end of the input").at_work(),
    info(
        A::DeleteCharBefore,
        "del-char-before",
        Composer,
        &["Backspace", "Ctrl+H"],
        "delete back",
        "Delete the character before",
    ),
    info(A::DeleteChar, "del-char", Composer, &["Delete", "Ctrl+D"], "delete", "Delete the character under the cursor"),
    info(A::DeleteWord, "del-word", Composer, &["Ctrl+W", "Alt+Backspace"], "delete word", "Delete the word before"),
    info(A::DeleteWordAfter, "del-word-after", Composer, &["Alt+D"], "delete word after", "Delete the word after"),
    info(
        A::DeleteToStart,
        "del-to-start",
        Composer,
        &["Ctrl+U"],
        "delete to start",
        "Delete to the beginning of the line",
    ),
    info(A::DeleteToEnd, "del-to-end", Composer, &["Ctrl+K"], "delete to end", "Delete to the end of the line"),
    info(A::SetMark, "select-from", Composer, &["Ctrl+Space", "Alt+Space"], "mark", "Start selecting; again: stop"),
    info(A::SelectLeft, "select-left", Composer, &["Shift+Left"], "select left", "Select a character to the left"),
    info(A::SelectRight, "select-right", Composer, &["Shift+Right"], "select right", "Select a character to the right"),
    info(A::SelectUp, "select-up", Composer, &["Shift+Up"], "select up", "Select a row up").at_work(),
    info(A::SelectDown, "select-down", Composer, &["Shift+Down"], "select down", "Select a row down").at_work(),
    info(
        A::SelectLineStart,
        "select-line-start",
        Composer,
        &["Shift+Home"],
        "select to start",
        "Select to the beginning of the line",
    ),
    info(
        A::SelectLineEnd,
        "select-line-end",
        Composer,
        &["Shift+End"],
        "select to end",
        "Select to the end of the line",
    ),
    info(A::SelectAll, "select-all", Composer, &["Alt+A"], "select all", "Select everything"),
    info(A::CopySelection, "copy-selection", Composer, &["Alt+W"], "copy", "Copy what is selected").at_work().hint(4),
    info(A::CutSelection, "cut-selection", Composer, &["Ctrl+X"], "cut", "Cut what is selected").at_work().hint(5),
    info(A::Yank, "yank", Composer, &["Ctrl+Y"], "put back", "Paste what was deleted last"),
    info(A::Undo, "undo", Composer, &["Ctrl+_", "Alt+U"], "undo", "Undo"),
    info(A::Redo, "redo", Composer, &["Alt+R"], "redo", "Redo"),
];

const _: () = {
    // Actions without an operation leave a harmless duplicate.
    let mut listed = [Operation::Generate; ACTIONS.len()];
    let mut at = 0;
    while at < ACTIONS.len() {
        if let Some(operation) = ACTIONS[at].operation {
            listed[at] = operation;
        }
        at += 1;
    }
    assert!(operation::has_all(Face::Tui, &listed), "the actions are not those of `operation::of`");
};
