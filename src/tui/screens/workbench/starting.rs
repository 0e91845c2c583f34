//! How a run begins: it is asked for, and put on the screen in the place of the one before.

use serde_json::Value;

use super::refusal;
use crate::tui::action::{Action, ScreenName};
use crate::tui::effect::{CoreEffect, Effect, Ticket};
use crate::tui::model::choice::name_by_id;
use crate::tui::model::{Focus, LiveRun, Model, Tone};

/// Starts a run of a raw request. Refused while another is live.
pub(crate) fn start(model: &mut Model, raw: Value) -> Vec<Effect> {
    if let Some(reason) = refusal(model, Action::Run) {
        model.say(Tone::Refused, model.spell(reason));
        return Vec::new();
    }
    let ticket = model.ticket();
    show_run(model, ticket, raw.clone());
    vec![CoreEffect::Generate { ticket, raw }.into()]
}

/// Shows a run that was just requested, in place of the one before.
pub(crate) fn show_run(model: &mut Model, ticket: Ticket, raw: Value) {
    model.screen = ScreenName::Work;
    // Letters name the prompts of the run on the screen.
    model.choice.name_by_id();
    name_by_id(&mut model.compare.prompts);
    name_by_id(&mut model.judge.prompts);
    if let Some(idea) = raw["input"].as_str() {
        model.drafts.inputs.add_newest(idea);
    }
    model.drafts.cut_short = None;
    model.run = Some(LiveRun::new(ticket, raw, model.now));
    model.focus = Focus::Vessels;
    model.zoom = false;
    if model.link.tell() {
        let says = model.spell("slow link: page follow, 8 frames a second; {follow} follows otherwise");
        model.say_long(Tone::Done, says);
    }
}
