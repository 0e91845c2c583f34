//! The only way to change the model: a message in, effects out. No clock, no input, no output.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use ratatui::layout::Size;

use super::action::{Action, Context};
use super::effect::{Effect, TerminalEffect, Ticket};
use super::keymap::Chord;
use super::message::Message;
use super::model::composer::vi::KeyResult;
use super::model::{Costly, CostlyAction, Focus, LiveRun, Model, Overlay, Tone};
use super::overlays;
use super::screens::chrome::is_too_small;
use super::screens::workbench::{drafts, starting};
use super::screens::{self, compare, history, jobs};

/// What an update can look up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cx {
    /// Milliseconds since the program began.
    pub(crate) now: u64,
}

/// Applies one message.
pub(crate) fn update(model: &mut Model, message: Message, cx: Cx) -> Vec<Effect> {
    pass_time(model, cx.now);
    let mut effects = history::settle_due(model);
    effects.extend(match message {
        Message::Key(key) if is_blind(model) => on_blind_key(model, key),
        Message::Paste(_) | Message::Pointer { .. } if is_blind(model) => Vec::new(),
        Message::Key(key) => on_key(model, key),
        Message::Paste(text) => on_paste(model, &text),
        Message::Pointer { pointer, at } if model.overlay.is_some() => overlays::point(model, pointer, at),
        Message::Pointer { pointer, at } => screens::pointer::point(model, pointer, at),
        Message::Resize { width, height } => {
            model.size = Size { width, height };
            // A terminal that shrank and grew again between two frames has lost its contents.
            vec![TerminalEffect::Repaint.into()]
        }
        Message::Attention(attention) => {
            model.attention = attention;
            Vec::new()
        }
        Message::Tick => Vec::new(),
        Message::Run(raw) => starting::start(model, raw),
        Message::Batch { raw, path } => jobs::starting::check(model, raw, path),
        Message::RunEvents { ticket, events } => {
            let now = model.now;
            model.judge.apply(ticket, &events, now);
            if let Some(run) = current(model, ticket) {
                for event in &events {
                    run.apply(event, now);
                }
            }
            // What a run finishes is stored, and belongs in the list.
            let has_stored = events.iter().any(|event| event.kind.is_terminal());
            if has_stored { history::again(model) } else { Vec::new() }
        }
        Message::History { ticket, news } => history::take_in(model, ticket, news),
        Message::CostAsked { ticket, costly } => {
            let is_current = match costly.what {
                CostlyAction::Run(_) => current(model, ticket).is_some(),
                CostlyAction::Batch(..) => false,
                CostlyAction::Judging => model.judge.judged.as_ref().is_some_and(|judged| judged.ticket == ticket),
            };
            model.judge.ask(ticket, &costly);
            if let Some(run) = current(model, ticket) {
                run.asks = Some(Costly::clone(&costly));
            }
            // Never replaces a box the user is typing in; repeating the action asks again.
            if is_current && model.overlay.is_none() {
                model.overlay = Some(Overlay::ConfirmCost(*costly));
            }
            Vec::new()
        }
        Message::Compared { ticket, outcome } => {
            compare::take_in(model, ticket, outcome);
            Vec::new()
        }
        Message::Reply { ticket, reply: told } => screens::told(model, ticket, told),
        Message::RunRefused { ticket, problem } => {
            model.judge.refuse(ticket, problem.clone());
            if let Some(run) = current(model, ticket) {
                run.refusal = Some(problem);
                // The fault is in the input.
                model.focus = Focus::Composer;
            }
            Vec::new()
        }
        Message::DraftState(news) => {
            drafts::take_in(model, news);
            Vec::new()
        }
        Message::Log(lines) => {
            overlays::log::take_in(model, lines);
            Vec::new()
        }
        Message::Indexing(indexing) => {
            model.history.indexing = Some(indexing);
            Vec::new()
        }
        Message::Names(names) => {
            model.settings.set_names(names);
            Vec::new()
        }
        Message::DetectedProviders(detected_providers) => {
            let names: Vec<&str> = detected_providers.iter().map(|newcomer| newcomer.name.as_str()).collect();
            let chooses = model.spell("{run-settings} chooses");
            model.say_long(Tone::Done, format!("{} can be used; {chooses}", names.join(", ")));
            Vec::new()
        }
        Message::Copied(copied) => {
            screens::report_copied(model, &copied);
            Vec::new()
        }
        Message::Edited(edited) => {
            drafts::take_edited(model, edited);
            Vec::new()
        }
        Message::Resumed(suspended) => {
            if !suspended {
                model.say(Tone::Refused, "this terminal cannot suspend a program");
            }
            Vec::new()
        }
    });
    effects.extend(drafts::settle(model));
    effects.extend(jobs::settle(model));
    screens::reflow(model);
    overlays::reflow(model);
    effects
}

/// When the display next changes by itself; `None` if it does not.
pub(crate) fn next_change(model: &Model) -> Option<u64> {
    let turn = model.link.spinner_ms();
    let live = model.live_run();
    let spinner = (model.is_waiting() && model.attention).then(|| (model.now / turn + 1) * turn);
    let figures = live.map(LiveRun::figures_due);
    let toast = model.toast.as_ref().map(|toast| toast.until);
    let deleting = model.history.deleting.as_ref().map(|deleting| deleting.until);
    let labelling = screens::label::next_change(model);
    [spinner, figures, toast, deleting, labelling, model.quit_armed_until].into_iter().flatten().min()
}

/// When something is next due by itself, visible or not.
pub(crate) fn next_wake(model: &Model) -> Option<u64> {
    [next_change(model), model.drafts.due(), jobs::due(model)].into_iter().flatten().min()
}

/// Advances the clock and clears what has expired.
fn pass_time(model: &mut Model, now: u64) {
    model.now = model.now.max(now);
    let now = model.now;
    model.toast.take_if(|toast| toast.until <= now);
    model.quit_armed_until.take_if(|until| *until <= now);
    if let Some(run) = model.run.as_mut().filter(|run| run.is_live()) {
        run.read_figures(now, false);
    }
}

/// The run that `ticket` names, if it is still the one on the screen.
fn current(model: &mut Model, ticket: Ticket) -> Option<&mut LiveRun> {
    model.run.as_mut().filter(|run| run.ticket == ticket)
}

fn on_key(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    if key.kind == KeyEventKind::Release {
        return Vec::new();
    }
    let chord = Chord::from(key);
    let action = model.keymap.action(model.context(), chord);
    if model.overlay.is_some() {
        // An overlay takes all keys but those that must always work.
        return match action {
            Some(action @ (Action::StopOrQuit | Action::Quit | Action::Suspend | Action::Redraw)) => {
                screens::act(model, action)
            }
            _ => overlays::key(model, chord, action),
        };
    }
    if model.context() == Context::Composer {
        match modal(model, key, action) {
            KeyResult::Yes => return Vec::new(),
            KeyResult::Means(action) => return screens::act(model, action),
            KeyResult::No => {}
        }
    }
    match (action, chord.typed()) {
        (Some(action), _) => screens::act(model, action),
        (None, Some(character)) => screens::type_in(model, character),
        (None, None) => Vec::new(),
    }
}

/// True while the screen is too small to show what keys would act on.
fn is_blind(model: &Model) -> bool {
    is_too_small(model.size.width, model.size.height)
}

/// On a screen too small to draw, keys only stop a run, quit, suspend or redraw.
fn on_blind_key(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    if key.kind == KeyEventKind::Release {
        return Vec::new();
    }
    match model.keymap.action(model.context(), Chord::from(key)) {
        // The question whether to abandon a run would not be visible.
        Some(Action::Quit) if model.live_run().is_some() => screens::act(model, Action::StopOrQuit),
        Some(action @ (Action::StopOrQuit | Action::Quit | Action::Suspend | Action::Redraw)) => {
            screens::act(model, action)
        }
        _ => Vec::new(),
    }
}

/// Passes a key to the composer's modes. Terminals report a letter right after `Esc` as Alt with
/// that letter; where that means nothing else, it is treated as the two keys.
fn modal(model: &mut Model, key: KeyEvent, action: Option<Action>) -> KeyResult {
    let composer = &mut model.composer;
    match Chord::behind_escape(key).filter(|_| action.is_none() && composer.mode().is_some()) {
        Some(letter) => {
            _ = composer.modal_key(Chord::plain(KeyCode::Esc), None);
            composer.modal_key(letter, None)
        }
        None => composer.modal_key(Chord::from(key), action),
    }
}

/// A paste is text wherever the focus is: for an overlay that takes text, else for the screen.
fn on_paste(model: &mut Model, text: &str) -> Vec<Effect> {
    if overlays::paste(model, text) { Vec::new() } else { screens::paste(model, text) }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
