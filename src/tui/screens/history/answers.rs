//! The requests of the History to the core, and its replies.
//!
//! Only the reply to the newest request of its kind is used. Rows load in pages, the next one when
//! the mark comes near the end. Typing starts a search after a pause; one that could cost money
//! starts only when asked for. If the core refuses, the typed query and the rows stay as they are.

use aludel_core::domain::{ImportReport, Prompt, PromptId, limits};
use aludel_core::engine::Indexing;

use crate::tui::action::ScreenName;
use crate::tui::effect::{CoreEffect, CoreResult, Effect, HistoryCommand, Ticket};
use crate::tui::message::HistoryReply;
use crate::tui::model::history::{Mode, PendingSearch, Preview, ResultPage, SearchReason, Transfer};
use crate::tui::model::{Model, Overlay, Stage, Tone};
use crate::tui::screens::judge;
use crate::tui::widgets::figures::thousands;

/// Rows of a page.
const PAGE: usize = 50;
/// The next page loads when the mark is this near to the last row.
const NEAR: usize = 20;
/// Milliseconds from the last key to a search for words.
const WORDS_MS: u64 = 120;
/// Milliseconds from the last key to a search by meaning.
const MEANING_MS: u64 = 300;

/// Opens the screen and reloads the rows, because runs and other processes add to them.
pub(crate) fn enter(model: &mut Model) -> Vec<Effect> {
    model.screen = ScreenName::History;
    let why = if model.history.facts.is_some() { SearchReason::Again } else { SearchReason::Fresh };
    let mut effects = if model.history.unasked { Vec::new() } else { ask(model, why, 0) };
    if model.history.indexing.is_none() {
        model.history.indexing = Some(Indexing::default());
        effects.push(CoreEffect::WatchIndexing.into());
    }
    effects
}

/// Reloads the rows if they are visible and no request is open.
pub(crate) fn again(model: &mut Model) -> Vec<Effect> {
    let idle = model.history.asked.is_none() && !model.history.unasked;
    if idle && model.screen == ScreenName::History { ask(model, SearchReason::Again, 0) } else { Vec::new() }
}

/// Handles a change of the query.
pub(super) fn changed(model: &mut Model) -> Vec<Effect> {
    let by_words = model.history.mode == Mode::Text || model.history.typed().query.is_empty();
    if !by_words && !model.settings.is_embedding_free() {
        model.history.asked = None;
        model.history.unasked = true;
        return Vec::new();
    }
    let wait = match by_words {
        _ if model.history.search.is_empty() => 0,
        true => WORDS_MS,
        false => MEANING_MS,
    };
    ask(model, SearchReason::Fresh, wait)
}

/// Searches at once, unless the query already has its reply.
pub(super) fn ask_now(model: &mut Model) -> Vec<Effect> {
    let waits = model.history.unasked || model.history.is_searching() || model.history.problem.is_some();
    if waits { ask(model, SearchReason::Fresh, 0) } else { Vec::new() }
}

/// Reads the newly marked prompt, and loads the next page near the end.
pub(super) fn marked_moved(model: &mut Model) -> Vec<Effect> {
    let mut effects = read_marked(model, false);
    let history = &model.history;
    let is_near = history.marked + NEAR >= history.rows.len();
    if is_near && history.next.is_some() && history.asked.is_none() {
        effects.extend(ask(model, SearchReason::More, 0));
    }
    effects
}

/// Sends a command about stored prompts to the core.
pub(super) fn command(model: &mut Model, command: HistoryCommand) -> Vec<Effect> {
    let ticket = model.history.ticket();
    vec![CoreEffect::History { ticket, command }.into()]
}

/// Sends what was typed into an input box to the core.
pub(crate) fn submit(model: &mut Model) -> Vec<Effect> {
    let ticket = model.history.ticket();
    let Some(Overlay::Ask(asking)) = &mut model.overlay else { return Vec::new() };
    let Some(command) = asking.command() else {
        let task = asking.field.text();
        model.overlay = None;
        return judge::with_task(model, &task);
    };
    if asking.about.is_file() {
        model.history.transfer = Some(Transfer { ticket, progress: None });
    }
    asking.stage = Stage::Waiting(ticket);
    vec![CoreEffect::History { ticket, command }.into()]
}

/// Handles a reply.
pub(crate) fn take_in(model: &mut Model, ticket: Ticket, news: HistoryReply) -> Vec<Effect> {
    match news {
        HistoryReply::Found(outcome) => found(model, ticket, outcome),
        HistoryReply::Read(outcome) => match model.judge.reading.take_if(|(asked, _)| *asked == ticket) {
            Some((_, after)) => match outcome {
                Ok(prompt) => judge::go_on(model, after, &prompt),
                Err(problem) => {
                    model.say_long(Tone::Refused, &problem.detail);
                    Vec::new()
                }
            },
            None => {
                read(model, ticket, outcome);
                Vec::new()
            }
        },
        HistoryReply::Updated(outcome) => {
            updated(model, ticket, outcome);
            Vec::new()
        }
        HistoryReply::Transferring(progress) => {
            if let Some(transfer) = model.history.transfer.as_mut().filter(|transfer| transfer.ticket == ticket) {
                transfer.progress = Some(progress);
            }
            Vec::new()
        }
        HistoryReply::Exported(outcome) => {
            transferred(model, ticket, outcome.map(|count| vec![format!("{} written", prompts(count))]));
            Vec::new()
        }
        HistoryReply::Imported(outcome) => {
            transferred(model, ticket, outcome.map(|report| summary(&report)));
            again(model)
        }
        HistoryReply::Deleted(Ok(ids)) => deleted(model, &ids),
        HistoryReply::Restored(Ok(ids)) => {
            let shown: Vec<String> = ids.iter().map(PromptId::short).collect();
            model.say(Tone::Done, format!("{} is restored", shown.join(", ")));
            again(model)
        }
        HistoryReply::Restored(Err(problem)) => {
            model.say_long(Tone::Refused, &problem.detail);
            Vec::new()
        }
        HistoryReply::Deleted(Err(problem)) => {
            // The next reply will list it again.
            model.history.gone.clear();
            model.say_long(Tone::Refused, &problem.detail);
            again(model)
        }
    }
}

/// Searches for what is in the search box.
fn ask(model: &mut Model, why: SearchReason, wait_ms: u64) -> Vec<Effect> {
    let history = &mut model.history;
    let most = usize::try_from(limits::MAX_LIMIT).unwrap_or(PAGE);
    let (limit, from) = match why {
        SearchReason::Fresh => (PAGE, None),
        SearchReason::Again => (history.rows.len().clamp(PAGE, most), None),
        SearchReason::More => (PAGE, history.next.clone()),
    };
    let question = history.typed().question(history.mode, limit, from);
    let ticket = history.ticket();
    history.asked = Some(PendingSearch { ticket, why });
    history.unasked = false;
    vec![CoreEffect::History { ticket, command: HistoryCommand::Find { wait_ms, question } }.into()]
}

fn found(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<ResultPage>>) -> Vec<Effect> {
    let history = &mut model.history;
    let Some(asked) = history.asked.filter(|asked| asked.ticket == ticket) else { return Vec::new() };
    history.asked = None;
    let answer = match outcome {
        Ok(answer) => history.without_the_deleted(*answer),
        Err(problem) => {
            history.problem = Some(problem);
            return Vec::new();
        }
    };
    history.problem = None;
    history.next = answer.next;
    if asked.why == SearchReason::More {
        // Prompts stored meanwhile shift the pages of a search: drop rows that repeat.
        let new = answer.rows.into_iter().filter(|row| history.rows.iter().all(|known| known.id != row.id));
        let new = history.placed(new.collect());
        history.rows.extend(new);
        return marked_moved(model);
    }
    let marked = history.marked_row().map(|row| row.id).filter(|_| asked.why == SearchReason::Again);
    history.rows.clear();
    history.rows = history.placed(answer.rows);
    let kept = marked.and_then(|id| history.rows.iter().position(|row| row.id == id));
    history.facts = Some(answer.facts);
    history.arrived = model.now;
    if asked.why == SearchReason::Fresh {
        history.top = 0;
        history.marked = 0;
    }
    history.marked = kept.unwrap_or(history.marked).min(history.rows.len().saturating_sub(1));
    read_marked(model, true)
}

/// Reads the prompt of the marked row, unless it was read already.
fn read_marked(model: &mut Model, anew: bool) -> Vec<Effect> {
    let history = &mut model.history;
    let Some(id) = history.marked_row().map(|row| row.id) else {
        history.preview = None;
        history.reading = None;
        return Vec::new();
    };
    if !anew && history.preview.as_ref().is_some_and(|preview| preview.prompt.id == id) {
        history.reading = None;
        return Vec::new();
    }
    let ticket = history.ticket();
    history.reading = Some(ticket);
    vec![CoreEffect::History { ticket, command: HistoryCommand::Read(id) }.into()]
}

fn read(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<Prompt>>) {
    if model.history.reading != Some(ticket) {
        return;
    }
    model.history.reading = None;
    match outcome {
        Ok(prompt) => show(model, prompt),
        Err(problem) => {
            model.history.preview = None;
            model.say(Tone::Refused, &problem.detail);
        }
    }
}

/// Shows a prompt that was read; the one already shown keeps its scroll position.
fn show(model: &mut Model, prompt: Box<Prompt>) {
    let history = &mut model.history;
    let row = history.rows.iter().find(|row| row.id == prompt.id);
    let mut preview = Preview::new(prompt, row);
    if let Some(shown) = history.preview.as_ref().filter(|shown| shown.prompt.id == preview.prompt.id) {
        preview.scroll = shown.scroll;
    }
    history.preview = Some(preview);
}

fn updated(model: &mut Model, ticket: Ticket, outcome: CoreResult<Box<Prompt>>) {
    let asking = match &mut model.overlay {
        Some(Overlay::Ask(asking)) if asking.stage == Stage::Waiting(ticket) => Some(asking),
        _ => None,
    };
    match (outcome, asking) {
        (Ok(prompt), asking) => {
            if asking.is_some() {
                model.overlay = None;
            }
            if let Some(row) = model.history.rows.iter_mut().find(|row| row.id == prompt.id) {
                row.retag(&prompt);
            }
            let tags =
                if prompt.tags.is_empty() { "no tags".to_owned() } else { format!("tags {}", prompt.tags.join(", ")) };
            model.say(Tone::Done, format!("{} changed; {tags}", prompt.id.short()));
            if model.history.marked_row().is_some_and(|row| row.id == prompt.id) {
                show(model, prompt);
            }
        }
        (Err(problem), Some(asking)) => asking.stage = Stage::Refused(problem),
        (Err(problem), None) => model.say_long(Tone::Refused, &problem.detail),
    }
}

/// A file was written or read. Shows the result in its box, or in passing if that is closed.
fn transferred(model: &mut Model, ticket: Ticket, outcome: CoreResult<Vec<String>>) {
    if model.history.transfer.take_if(|transfer| transfer.ticket == ticket).is_none() {
        return;
    }
    let asking = match &mut model.overlay {
        Some(Overlay::Ask(asking)) if asking.stage == Stage::Waiting(ticket) => Some(asking),
        _ => None,
    };
    match (outcome, asking) {
        (Ok(lines), Some(asking)) => asking.stage = Stage::Answered(lines),
        (Ok(lines), None) => model.say_long(Tone::Done, lines.join("; ")),
        (Err(problem), Some(asking)) => asking.stage = Stage::Refused(problem),
        (Err(problem), None) => model.say_long(Tone::Refused, &problem.detail),
    }
}

/// The result of an import, one line per fact.
fn summary(report: &ImportReport) -> Vec<String> {
    if report.records == 0 {
        return vec!["the file holds no prompt".to_owned()];
    }
    let mut first = format!("{} stored", prompts(report.imported));
    for (count, what) in
        [(report.existing, "already there"), (report.conflicts, "in conflict"), (report.skipped, "not taken")]
    {
        if count > 0 {
            first = format!("{first}, {} {what}", thousands(count));
        }
    }
    let mut lines = vec![first];
    lines.extend(report.conflicting.iter().map(|conflict| {
        let (id, fields) = (conflict.id.short(), conflict.fields.join(", "));
        format!("{}: {id} is already stored with different {fields}; the stored prompt was kept", conflict.place)
    }));
    lines
        .extend(report.skips.iter().map(|skip| format!("{}: {} ({})", skip.first, skip.reason, thousands(skip.count))));
    lines.extend(report.warnings.iter().cloned());
    lines
}

fn prompts(count: u64) -> String {
    if count == 1 { "1 prompt".to_owned() } else { format!("{} prompts", thousands(count)) }
}

fn deleted(model: &mut Model, ids: &[PromptId]) -> Vec<Effect> {
    model.choice.forget(ids);
    let history = &mut model.history;
    history.trashed.extend(ids);
    let before = history.rows.len();
    history.rows.retain(|row| !ids.contains(&row.id));
    history.gone.retain(|id| !ids.contains(id));
    if history.rows.len() == before {
        return Vec::new();
    }
    history.marked = history.marked.min(history.rows.len().saturating_sub(1));
    marked_moved(model)
}
