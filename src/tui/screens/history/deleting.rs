//! Deleting with a delay: a deleted prompt leaves the list at once and moves to the trash ten
//! seconds later, unless the user undoes it. Leaving the workbench carries it out; a killed process
//! has deleted nothing. Prompts this workbench moved to the trash can be restored one by one, the
//! last first. A prompt with tags or notes is deleted only on the second request.

use serde_json::json;

use super::answers::{command, marked_moved};
use crate::tui::effect::{Effect, HistoryCommand};
use crate::tui::model::history::Deleting;
use crate::tui::model::{Model, Tone};

/// How long a deletion can be undone, in milliseconds.
const UNDO_MS: u64 = 10_000;

/// Removes the marked prompt, once read, from the list. Carries out an earlier deletion first.
pub(super) fn delete_marked(model: &mut Model) -> Vec<Effect> {
    let Some(prompt) = model.history.prompt() else { return settle(model) };
    let (id, revision) = (prompt.id, prompt.revision);
    let kept_for = match (prompt.tags.is_empty(), prompt.notes.is_none()) {
        (true, true) => None,
        (false, true) => Some("tags"),
        (true, false) => Some("notes"),
        (false, false) => Some("tags and notes"),
    };
    if let Some(what) = kept_for.filter(|_| model.history.confirming_delete != Some(id)) {
        model.history.confirming_delete = Some(id);
        let again = model.spell("{delete} again deletes it");
        model.say(Tone::Asked, format!("{} has {what}; {again}", id.short()));
        return Vec::new();
    }
    model.history.confirming_delete = None;
    let mut effects = settle(model);
    let until = model.now + UNDO_MS;
    let history = &mut model.history;
    let at = history.marked;
    let raw = json!({ "prompt_ids": [id], "revision": revision });
    let row = history.rows.remove(at);
    history.deleting = Some(Deleting { row, at, raw, until });
    history.count(-1);
    let back = model.spell("{undo-delete} restores it");
    model.say_for(UNDO_MS, Tone::Done, &format!("{} is deleted; {back}", id.short()));
    effects.extend(marked_moved(model));
    effects
}

/// Undoes the last deletion, restoring from the trash if necessary.
pub(super) fn undo_delete(model: &mut Model) -> Vec<Effect> {
    let Some(Deleting { row, at, .. }) = model.history.deleting.take() else {
        let Some(id) = model.history.trashed.pop() else { return Vec::new() };
        return command(model, HistoryCommand::Restore(json!({ "prompt_ids": [id] })));
    };
    let id = row.id;
    let history = &mut model.history;
    let at = at.min(history.rows.len());
    history.rows.insert(at, row);
    history.marked = at;
    history.count(1);
    model.say(Tone::Done, format!("{} is restored", id.short()));
    marked_moved(model)
}

/// Carries out the deletion once its delay is over.
pub(crate) fn settle_due(model: &mut Model) -> Vec<Effect> {
    let is_due = model.history.deleting.as_ref().is_some_and(|deleting| deleting.until <= model.now);
    if is_due { settle(model) } else { Vec::new() }
}

/// Carries out the pending deletion now.
pub(crate) fn settle(model: &mut Model) -> Vec<Effect> {
    let Some(deleting) = model.history.deleting.take() else { return Vec::new() };
    model.choice.forget(&[deleting.row.id]);
    // The list lacks it already, even if a late reply still contains it.
    model.history.gone.insert(deleting.row.id);
    command(model, HistoryCommand::Delete(deleting.raw))
}
