//! Marking prompts on any screen, and choosing the prompts for "compare" and "judge".

use aludel_core::domain::PromptId;

use crate::tui::action::{Action, ScreenName};
use crate::tui::model::{Chosen, Model, Tone};
use crate::tui::widgets::figures::letter;

use super::jobs::RESUMING;

/// Why `action` cannot be done now; `None` when it can.
pub(super) fn refusal(model: &Model, action: Action) -> Option<&'static str> {
    let judging = "the judge is running; {stop-or-quit} stops it";
    match action {
        Action::Mark => match (here(model), model.screen) {
            (Some(_), _) => None,
            (None, ScreenName::Work) => Some("only a finished prompt can be marked"),
            (None, _) => Some("the cursor is on no prompt"),
        },
        Action::Unmark => model.choice.all().is_empty().then_some("nothing is marked"),
        Action::Judge if model.judge.live().is_some() => Some(judging),
        Action::Judge if model.jobs.resuming.is_some() => Some(RESUMING),
        Action::Compare | Action::Judge if wanted(model).len() > 1 => None,
        Action::Compare | Action::Judge => match model.choice.all().len() {
            1 => Some("one is marked; {mark} marks another"),
            _ => Some("mark two prompts with {mark}, or run two variants"),
        },
        _ => None,
    }
}

/// Marks the prompt under the cursor, or removes its mark.
pub(super) fn mark(model: &mut Model) {
    let Some(chosen) = here(model) else { return };
    let label = chosen.label.clone();
    let said = if model.choice.toggle(chosen) { "marked" } else { "no longer marked" };
    let more = match model.choice.all().len() {
        0 => String::new(),
        1 => model.spell("; {mark} marks another"),
        count => format!("; {count} are: {}", model.spell("{compare} compares, {judge} judges")),
    };
    model.say(Tone::Done, format!("{label} is {said}{more}"));
}

/// The prompts for "compare" and "judge": those of the current screen if it has any, else the
/// marked ones, else the finished ones of the run, best first.
pub(super) fn wanted(model: &Model) -> Vec<Chosen> {
    let own = match model.screen {
        ScreenName::Judge => &model.judge.prompts,
        ScreenName::Compare => &model.compare.prompts,
        ScreenName::Work
        | ScreenName::History
        | ScreenName::Providers
        | ScreenName::Spend
        | ScreenName::Jobs
        | ScreenName::Label => model.choice.all(),
    };
    match own {
        [_, _, ..] => own.to_vec(),
        _ if model.choice.all().is_empty() => finished(model),
        _ => model.choice.all().to_vec(),
    }
}

/// The prompt under the cursor.
fn here(model: &Model) -> Option<Chosen> {
    match model.screen {
        ScreenName::Work => {
            let run = model.run.as_ref()?;
            Some(named(model, run.prompt(run.active)?.id))
        }
        ScreenName::Compare => model.compare.two().map(|(_, other)| other.clone()),
        ScreenName::Judge => model.judge.marked_prompt(),
        ScreenName::History => Some(named(model, model.history.marked_row()?.id)),
        ScreenName::Providers | ScreenName::Spend | ScreenName::Jobs | ScreenName::Label => None,
    }
}

/// The label of a prompt: its letter in the run on the screen, else its short id.
fn named(model: &Model, id: PromptId) -> Chosen {
    let variant = model
        .run
        .as_ref()
        .and_then(|run| (0..run.variants()).find(|variant| run.prompt(*variant).is_some_and(|prompt| prompt.id == id)));
    Chosen { id, label: variant.map_or_else(|| id.short(), letter) }
}

/// The finished prompts of the run, best first if they are ranked.
fn finished(model: &Model) -> Vec<Chosen> {
    let Some(run) = &model.run else { return Vec::new() };
    let mut variants: Vec<u32> = (0..run.variants()).filter(|variant| run.prompt(*variant).is_some()).collect();
    variants.sort_by_key(|variant| run.ranking(*variant).map_or(u32::MAX, |ranking| ranking.rank));
    let prompt = |variant| run.prompt(variant).map(|prompt| Chosen { id: prompt.id, label: letter(variant) });
    variants.into_iter().filter_map(prompt).collect()
}
