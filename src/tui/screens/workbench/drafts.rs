//! Drafts and input history: saving and restoring drafts, browsing and searching earlier inputs,
//! and editing the input in an external editor.

use aludel_core::domain::SessionId;
use aludel_core::notices::Notice;

use crate::tui::action::Context;
use crate::tui::effect::{CoreEffect, CoreResult, Draft, Effect, TerminalEffect};
use crate::tui::message::{DraftReply, Edited};
use crate::tui::model::drafts::{DraftVersion, Leftovers};
use crate::tui::model::inputs::{Recall, RecallDirection};
use crate::tui::model::{ConnectionSpeed, Focus, Model, Overlay, Tone};

/// The effects at start: asks for the draft that an earlier workbench left.
pub(crate) fn open() -> Vec<CoreEffect> {
    vec![CoreEffect::TakeUpDraft]
}

/// Tracks changes and saves the draft when it is due. Called after each update.
pub(crate) fn settle(model: &mut Model) -> Option<Effect> {
    // After typing, undo takes back that text and no longer the draft, so the message goes.
    let edits = model.composer.edits();
    if let Some((_, said)) = model.drafts.restored_notice.take_if(|(at, _)| *at != edits) {
        model.toast.take_if(|toast| toast.text == said);
    }
    let run = model.live_run().and_then(|run| run.view.session_id);
    let now = model.now;
    model.drafts.note(DraftVersion { edit: model.composer.edits(), run }, now);
    model.drafts.due().filter(|due| *due <= now)?;
    let sheet = sheet(model, run);
    model.drafts.take(sheet).map(|sheet| CoreEffect::KeepDraft(sheet).into())
}

/// What is saved on leaving: the draft, marked as ended properly, and which explanations the user
/// has seen (the writer by rule, a slow connection).
pub(crate) fn effects_on_quit(model: &mut Model) -> Vec<CoreEffect> {
    let sheet = sheet(model, None);
    let draft = model.drafts.take(sheet).map(CoreEffect::KeepDraft);
    let explained = model.settings.explains_builtin().then_some(CoreEffect::Explained(Notice::Builtin));
    let told = (model.link == ConnectionSpeed::SlowAnnounced).then_some(CoreEffect::Explained(Notice::SlowLink));
    draft.into_iter().chain(explained).chain(told).collect()
}

/// The draft as it is now. Input that a run has stored prompts for is history, not a draft.
fn sheet(model: &Model, run: Option<SessionId>) -> Draft {
    let text = model.composer.text();
    let is_stored = |text: &str| {
        let ended = model.run.as_ref().filter(|run| !run.is_live() && run.finished() > run.unsaved_count());
        ended.and_then(|run| run.raw["input"].as_str()) == Some(text)
    };
    Draft { text: if is_stored(&text) { String::new() } else { text }, run }
}

/// Applies a reply about drafts or earlier inputs.
pub(crate) fn take_in(model: &mut Model, news: DraftReply) {
    match news {
        DraftReply::Left(left) => restore_draft(model, left),
        DraftReply::NotKept(problem) => {
            model.drafts.failed();
            if !std::mem::replace(&mut model.drafts.has_reported_failure, true) {
                model.say_long(Tone::Refused, format!("your draft is not saved: {}", problem.detail));
            }
        }
        DraftReply::Inputs(inputs) => take_inputs(model, inputs),
    }
}

/// Restores what was left. Text typed meanwhile stays after it.
fn restore_draft(model: &mut Model, left: Leftovers) {
    model.drafts.open(left.written, model.now);
    if model.run.is_none() {
        model.drafts.cut_short = left.cut_short;
    }
    for text in left.others {
        model.drafts.inputs.add_oldest(text);
    }
    let Some((draft, age)) = left.draft else { return };
    let typed = model.composer.text();
    model.composer.replace(&format!("{draft}{typed}"));
    let back = if age.is_empty() {
        "your draft is restored".to_owned()
    } else {
        format!("your draft of {age} ago is restored")
    };
    let undo = model.keymap.spell(Context::Composer, "{undo}");
    let said = if typed.is_empty() { format!("{back}; {undo} removes it") } else { back };
    model.say_long(Tone::Done, &said);
    model.drafts.restored_notice = Some((model.composer.edits(), said));
}

/// Opens the input in the user's editor, after saving the draft.
pub(super) fn edit(model: &mut Model) -> Vec<Effect> {
    model.focus = Focus::Composer;
    let run = model.live_run().and_then(|run| run.view.session_id);
    let sheet = sheet(model, run);
    let draft = model.drafts.take(sheet).map(|sheet| CoreEffect::KeepDraft(sheet).into());
    let edit = TerminalEffect::Edit(model.composer.text()).into();
    draft.into_iter().chain([edit]).collect()
}

/// Handles the text that comes back from the editor.
pub(crate) fn take_edited(model: &mut Model, edited: Edited) {
    match edited {
        Edited::Failed(reason) => {
            model.say_long(Tone::Refused, format!("{reason}; the input is as it was"));
        }
        Edited::Saved(text) if text == model.composer.text() => model.say(Tone::Done, "nothing was changed"),
        Edited::Saved(text) => model.composer.replace(&text),
    }
}

/// Goes one step through the input history.
pub(super) fn walk(model: &mut Model, way: RecallDirection) -> Vec<Effect> {
    model.focus = Focus::Composer;
    if model.drafts.inputs.ask(Some(way)) {
        return vec![CoreEffect::LoadInputs.into()];
    }
    step(model, way);
    Vec::new()
}

fn step(model: &mut Model, way: RecallDirection) {
    match model.drafts.inputs.step(&model.composer.text(), way) {
        Some(text) => model.composer.replace(&text),
        None => model.say(
            Tone::Refused,
            match way {
                RecallDirection::Earlier => "no earlier input",
                RecallDirection::Later => "this is the newest",
            },
        ),
    }
}

/// Opens the search in the input history.
pub(super) fn recall(model: &mut Model) -> Vec<Effect> {
    let mut recall = Recall::default();
    recall.find(&model.drafts.inputs);
    model.overlay = Some(Overlay::Recall(recall));
    if model.drafts.inputs.ask(None) { vec![CoreEffect::LoadInputs.into()] } else { Vec::new() }
}

fn take_inputs(model: &mut Model, inputs: CoreResult<Vec<String>>) {
    match inputs {
        Err(problem) => {
            model.drafts.inputs.not_stored();
            model.say(Tone::Refused, format!("earlier inputs cannot be read: {}", problem.detail));
        }
        Ok(texts) => {
            if let Some(way) = model.drafts.inputs.set_stored(texts) {
                step(model, way);
            }
        }
    }
    if let Some(Overlay::Recall(recall)) = &mut model.overlay {
        recall.find(&model.drafts.inputs);
    }
}

#[cfg(test)]
mod tests;
