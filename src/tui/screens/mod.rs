//! The screens. Each has a module with its actions, its layout and its drawing.
//!
//! This module holds what all screens share: switching between them, quitting, help. Leaving a
//! screen loses nothing, and a run goes on whichever screen is shown.

pub(crate) mod choice;
pub(crate) mod chrome;
pub(crate) mod compare;
mod facts;
mod find;
pub(crate) mod history;
pub(crate) mod jobs;
pub(crate) mod judge;
pub(crate) mod label;
mod marks;
mod overlay_hints;
mod place;
pub(crate) mod pointer;
pub(crate) mod providers;
mod select;
pub(crate) mod spend;
pub(crate) mod texts;
pub(crate) mod workbench;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::action::{ACTIONS, Action, ActionInfo, ScreenName};
use super::effect::{CoreEffect, Effect, Query, TerminalEffect, Ticket};
use super::message::{Copied, QueryReply};
use super::model::listing::Listing;
use super::model::{Focus, Model, Overlay, Tone};
use super::theme::Theme;
use super::widgets::figures::thousands;

/// Draws the current screen and the overlay on top of it.
pub(crate) fn view(model: &Model, frame: &mut Frame<'_>, theme: &Theme) {
    match model.screen {
        ScreenName::Work => workbench::view::view(model, frame, theme),
        ScreenName::Compare => compare::view::view(model, frame, theme),
        ScreenName::Judge => judge::view::view(model, frame, theme),
        ScreenName::History => history::view::view(model, frame, theme),
        ScreenName::Providers => providers::view::view(model, frame, theme),
        ScreenName::Spend => spend::view::view(model, frame, theme),
        ScreenName::Jobs => jobs::view::view(model, frame, theme),
        ScreenName::Label => label::view::view(model, frame, theme),
    }
    marks::view(model, frame.buffer_mut(), theme);
}

/// Areas that hold only text of a model or of the user, without any symbols of our own.
pub(crate) fn data_areas(model: &Model) -> Vec<Rect> {
    let screen = Rect::new(0, 0, model.size.width, model.size.height);
    let mut areas = match model.screen {
        ScreenName::Work | ScreenName::Compare => texts::shown(model).into_iter().map(|shown| shown.area).collect(),
        ScreenName::Label => label::areas(model),
        // These mix the stored text with our own symbols.
        ScreenName::Judge | ScreenName::History | ScreenName::Providers | ScreenName::Spend | ScreenName::Jobs => {
            Vec::new()
        }
    };
    if model.screen == ScreenName::Work && !model.composer.is_empty() {
        areas.push(chrome::inner(workbench::layout::layout(model, screen).composer));
    }
    areas
}

/// Why `action` cannot be done now; `None` when it can. Keys appear as action names in braces.
pub(crate) fn refusal(model: &Model, action: Action) -> Option<&'static str> {
    if let Some(home) = away(action, model.screen) {
        return Some(home.elsewhere());
    }
    match (action, model.screen) {
        (_, screen) if screen.action() == action => Some("you are there"),
        (Action::Mark | Action::Unmark | Action::Compare | Action::Judge, _) => choice::refusal(model, action),
        _ if find::is_own(action) => find::refusal(model, action),
        (Action::Copy, _) if model.selection.is_some() => None,
        (Action::ChangeNext | Action::ChangePrevious, _) if model.find.is_some() => None,
        (_, ScreenName::Work) => workbench::refusal(model, action),
        (_, ScreenName::Compare) => compare::refusal(model, action),
        (_, ScreenName::Judge) => judge::refusal(model, action),
        (_, ScreenName::History) => history::refusal(model, action),
        (_, ScreenName::Providers) => providers::refusal(model, action),
        (_, ScreenName::Spend) => spend::refusal(model, action),
        (_, ScreenName::Jobs) => jobs::refusal(model, action),
        (_, ScreenName::Label) => label::refusal(model, action),
    }
}

/// The only screen that has `action`, if it is another than `screen`.
fn away(action: Action, screen: ScreenName) -> Option<ScreenName> {
    let mut homes = ACTIONS.iter().filter(|info| info.action == action).map(ActionInfo::home);
    let first = homes.next().flatten().filter(|home| *home != screen)?;
    homes.all(|home| home.is_some_and(|home| home != screen)).then_some(first)
}

/// Performs `action`, or reports why it cannot be done.
pub(crate) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    if let Some(reason) = refusal(model, action) {
        model.say(Tone::Refused, model.spell(reason));
        return Vec::new();
    }
    if find::act(model, action) {
        return Vec::new();
    }
    match action {
        Action::Back if clear_search_and_selection(model) => {}
        Action::Copy if model.selection.is_some() => return select::copy_selected(model),
        Action::GoToWork => model.screen = ScreenName::Work,
        Action::GoToCompare => model.screen = ScreenName::Compare,
        Action::GoToJudge => model.screen = ScreenName::Judge,
        Action::GoToHistory => return history::enter(model),
        Action::Mark => choice::mark(model),
        Action::Unmark => model.choice.clear(),
        Action::Compare => return compare::begin(model, choice::wanted(model)),
        Action::Judge => return judge::begin(model, choice::wanted(model)),
        Action::GoToProviders => return providers::enter(model),
        Action::GoToSpend => return spend::enter(model),
        Action::GoToJobs => return jobs::enter(model),
        Action::LabelPairs => return label::enter(model),
        Action::RunSettings => {
            model.overlay = Some(Overlay::Settings { row: 0, typing: false });
            return vec![CoreEffect::LoadNames.into()];
        }
        Action::Help => model.overlay = Some(Overlay::Help { filter: String::new(), marked: 0 }),
        Action::Palette => model.overlay = Some(Overlay::Palette { filter: String::new(), marked: 0 }),
        Action::AllSettings => return open_settings(model),
        Action::Log => return open_log(model),
        Action::StopOrQuit => return stop_or_quit(model),
        Action::Quit if model.has_unfinished_work() => {
            model.overlay = Some(Overlay::ConfirmQuit);
        }
        Action::Quit => return vec![TerminalEffect::Quit.into()],
        Action::Suspend => return vec![TerminalEffect::Suspend.into()],
        Action::Redraw => return vec![TerminalEffect::Repaint.into()],
        _ => {
            return match model.screen {
                ScreenName::Work => workbench::act(model, action),
                ScreenName::Compare => compare::act(model, action),
                ScreenName::Judge => judge::act(model, action),
                ScreenName::History => history::act(model, action),
                ScreenName::Providers => providers::act(model, action),
                ScreenName::Spend => spend::act(model, action),
                ScreenName::Jobs => jobs::act(model, action),
                ScreenName::Label => label::act(model, action),
            };
        }
    }
    Vec::new()
}

/// Opens the list of every setting and asks for what it shows.
fn open_settings(model: &mut Model) -> Vec<Effect> {
    model.last_inquiry = model.last_inquiry.next();
    let ticket = model.last_inquiry;
    model.overlay = Some(Overlay::AllSettings(Box::new(Listing::asked(ticket))));
    vec![CoreEffect::RunQuery { ticket, inquiry: Query::Settings }.into()]
}

/// Opens the log; from the first time on it hears of new lines.
fn open_log(model: &mut Model) -> Vec<Effect> {
    model.overlay = Some(Overlay::Log { back: 0 });
    if model.log.is_some() {
        return Vec::new();
    }
    model.log = Some(Vec::new());
    vec![CoreEffect::WatchLog.into()]
}

/// Clears the search and the selection in the panes. False if there was neither.
pub(crate) fn clear_search_and_selection(model: &mut Model) -> bool {
    let was_selected = model.selection.take().is_some();
    find::end(model) || was_selected
}

/// Types a character into the focused field, if there is one.
pub(crate) fn type_in(model: &mut Model, character: char) -> Vec<Effect> {
    if find::type_in(model, character) {
        return Vec::new();
    }
    match model.screen {
        ScreenName::Work => workbench::type_in(model, character),
        ScreenName::History => return history::type_in(model, character),
        ScreenName::Compare
        | ScreenName::Judge
        | ScreenName::Providers
        | ScreenName::Spend
        | ScreenName::Jobs
        | ScreenName::Label => {}
    }
    Vec::new()
}

/// Pastes a text into the focused field.
pub(crate) fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    if find::paste(model, text) {
        return Vec::new();
    }
    match model.screen {
        // Text pasted on a screen without an input goes to the Workbench.
        ScreenName::Work | ScreenName::Compare | ScreenName::Judge => {
            model.screen = ScreenName::Work;
            workbench::paste(model, text);
        }
        ScreenName::History => return history::paste(model, text),
        ScreenName::Providers | ScreenName::Spend | ScreenName::Jobs | ScreenName::Label => {
            model.say(Tone::Refused, "nothing is typed here");
        }
    }
    Vec::new()
}

/// Rewraps visible text and clamps scroll positions, so that drawing changes nothing.
pub(crate) fn reflow(model: &mut Model) {
    workbench::reflow(model);
    compare::reflow(model);
    judge::reflow(model);
    history::reflow(model);
    providers::reflow(model);
    spend::reflow(model);
    jobs::reflow(model);
    label::reflow(model);
    find::settle(model);
    select::settle(model);
    texts::keep_shown(model);
}

/// Handles the reply to a query.
pub(crate) fn told(model: &mut Model, ticket: Ticket, told: QueryReply) -> Vec<Effect> {
    match told {
        QueryReply::Jobs(outcome) => return jobs::listed(model, ticket, outcome),
        QueryReply::Job(outcome) => jobs::read(model, ticket, outcome),
        QueryReply::JobStopped(outcome) => return jobs::stopped(model, ticket, outcome),
        QueryReply::JobResumed(outcome) => return jobs::resumed(model, ticket, outcome),
        QueryReply::BatchChecking(rows) => jobs::starting::progress(model, ticket, rows),
        QueryReply::BatchChecked(outcome) => return jobs::starting::checked(model, ticket, outcome),
        QueryReply::BatchStarted(outcome) => return jobs::starting::started(model, ticket, outcome),
        QueryReply::BatchResumed(outcome) => return jobs::resuming::resumed(model, ticket, outcome),
        QueryReply::BatchEnded(job) => return jobs::batch::ended(model, &job),
        QueryReply::Batch(outcome) => return jobs::batch::read(model, ticket, outcome),
        QueryReply::BatchRow(outcome) => jobs::batch::read_row(model, ticket, outcome),
        QueryReply::Providers(rows) => providers::listed(model, ticket, rows),
        QueryReply::Tested(outcome) => providers::tested(model, ticket, outcome),
        QueryReply::Spent(outcome) => spend::take_in(model, ticket, outcome),
        QueryReply::Pairs(outcome) => label::take_in(model, ticket, outcome),
        QueryReply::LabelKept(outcome) => label::kept(model, ticket, outcome),
        QueryReply::LabelTakenBack(outcome) => label::taken_back(model, ticket, outcome),
        QueryReply::Settings(outcome) => {
            if let Some(Overlay::AllSettings(listing)) = &mut model.overlay {
                listing.take_in(ticket, outcome);
            }
        }
    }
    Vec::new()
}

/// Stops what is running. When idle, quits on the second press within two seconds.
fn stop_or_quit(model: &mut Model) -> Vec<Effect> {
    const ARMED_MS: u64 = 2_000;
    if model.history.transfer.take().is_some() {
        model.overlay.take_if(|overlay| matches!(overlay, Overlay::Ask(_)));
        model.say(Tone::Done, "the file is stopped; what is stored so far stays");
        return vec![CoreEffect::StopTransfer.into()];
    }
    if model.jobs.checking.is_some() {
        model.overlay.take_if(|overlay| matches!(overlay, Overlay::Ask(_)));
        model.say(Tone::Done, "the check is stopped; nothing was sent");
        return jobs::starting::abandon(model);
    }
    if let Some(ticket) = model.judge.live().map(|judged| judged.ticket) {
        // A run is not stopped by this press; the next one stops it.
        model.say(Tone::Done, "stopping the judge; its answers so far are cached");
        return vec![CoreEffect::CancelRun(ticket).into()];
    }
    if let Some(run) = model.run.as_mut().filter(|run| run.is_live()) {
        let ticket = run.ticket;
        run.stop_all();
        model.say(Tone::Done, "stopping; what is finished is kept");
        return vec![CoreEffect::CancelRun(ticket).into()];
    }
    if model.quit_armed_until.is_some() {
        return vec![TerminalEffect::Quit.into()];
    }
    model.quit_armed_until = Some(model.now + ARMED_MS);
    let said = if model.jobs.own.is_empty() {
        "{stop-or-quit} again quits"
    } else {
        "{stop-or-quit} again quits; the batch under way stops, and can be resumed"
    };
    model.say(Tone::Done, model.spell(said));
    Vec::new()
}

/// Puts `text`, called `what`, into the Workbench's input. Undo restores the old input.
fn open_in_composer(model: &mut Model, what: &str, text: &str) {
    let had_text = !model.composer.is_empty();
    model.composer.replace(text);
    model.screen = ScreenName::Work;
    model.focus = Focus::Composer;
    model.zoom = false;
    let undo = if had_text { model.spell("; {undo} brings back what was there") } else { String::new() };
    model.say(Tone::Done, format!("{what} in the input{undo}"));
}

/// Copies `text`, called `what` in the message.
fn copy(model: &mut Model, what: &str, text: String) -> Vec<Effect> {
    let characters = thousands(text.chars().count() as u64);
    model.copying = Some(format!("{what}, {characters} characters"));
    vec![TerminalEffect::Copy(text).into()]
}

/// Reports how a text was copied.
pub(crate) fn report_copied(model: &mut Model, copied: &Copied) {
    let Some(what) = model.copying.take() else { return };
    let text = format!("{what}, {}", copied.told());
    // A file name must stay long enough to be read or written down.
    if copied.file.is_some() { model.say_long(Tone::Done, text) } else { model.say(Tone::Done, text) }
}

/// Half of `height` rows, at least one.
fn half(height: usize) -> isize {
    isize::try_from((height / 2).max(1)).unwrap_or(isize::MAX)
}

/// One row less than `height`, at least one.
fn page(height: usize) -> isize {
    isize::try_from(height.saturating_sub(1).max(1)).unwrap_or(isize::MAX)
}
