//! Drafts written down beside the loop, and what earlier workbenches left, asked of the core.
//!
//! One task writes: the newest draft always, one that was overtaken never. It ends, its last draft written, when nobody
//! can hand it another.

use aludel_core::api::HistoryRequest;
use aludel_core::domain::{PromptSummary, SessionId};
use aludel_core::drafts::{Drafts, Left};
use aludel_core::engine::Engine;
use aludel_core::error::{Error, Problem, Result};
use aludel_core::time::{Clock, SystemClock};
use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;

use crate::tui::message::{DraftReply, Message};
use crate::tui::model::drafts::{CutShort, Draft, Leftovers};
use crate::tui::model::inputs;
use crate::tui::widgets::figures::age;

/// How the writing begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beginning {
    /// With what an earlier workbench left.
    TakeUp,
    /// With an empty sheet.
    Afresh,
}

/// Writes down each newest sheet until there can be no more.
pub(super) async fn write_down(
    engine: Engine,
    beginning: Beginning,
    mut sheets: watch::Receiver<Draft>,
    answers: mpsc::Sender<Message>,
) {
    let mut drafts = engine.drafts();
    if beginning == Beginning::TakeUp {
        let taken = spawn_blocking(move || {
            let left = drafts.take_up();
            (drafts, left)
        });
        let Ok((owned, left)) = taken.await else { return };
        drafts = owned;
        let left = leftovers(&engine, left).await;
        _ = answers.send(Message::DraftState(DraftReply::Left(left))).await;
    }
    while sheets.changed().await.is_ok() {
        let sheet = sheets.borrow_and_update().clone();
        let Ok((owned, kept)) = spawn_blocking(move || keep(drafts, &sheet)).await else { return };
        drafts = owned;
        if let Err(error) = kept {
            tracing::warn!(%error, "a draft is not kept");
            let problem = Box::new(Problem::from(error));
            // When the screen is gone nobody can be told.
            _ = answers.send(Message::DraftState(DraftReply::NotKept(problem))).await;
        }
    }
}

fn keep(mut drafts: Drafts, sheet: &Draft) -> (Drafts, std::result::Result<(), Error>) {
    let kept = drafts.keep(&sheet.text, sheet.run);
    (drafts, kept)
}

/// What was left, as it is told.
async fn leftovers(engine: &Engine, left: Left) -> Leftovers {
    let now = SystemClock.now();
    let others = left.others.into_iter().map(|draft| draft.text).collect();
    let Some(newest) = left.newest else { return Leftovers { others, ..Leftovers::default() } };
    let cut_short = match newest.run {
        // What cannot be looked up is not told.
        Some(run) => cut_short(engine, run).await.ok().flatten(),
        None => None,
    };
    let written = Draft { text: newest.text.clone(), run: newest.run };
    let age = match age(newest.at, now) {
        just if just == "now" => String::new(),
        age => age,
    };
    let draft = (!newest.text.trim().is_empty()).then_some((newest.text, age));
    Leftovers { written, draft, others, cut_short }
}

/// How far `run` came, if it is one of the newest.
async fn cut_short(engine: &Engine, run: SessionId) -> Result<Option<CutShort>> {
    /// Other programs may have run something since.
    const NEWEST: u32 = 20;
    let request: HistoryRequest = engine.decode(json!({ "limit": NEWEST }))?;
    let page = engine.history_as::<PromptSummary>(request).await?;
    let found = page.sessions.into_iter().find(|found| found.session.id == run);
    Ok(found.map(|found| CutShort { stored: found.prompts.len(), asked: found.session.count }))
}

/// What earlier runs were asked for, the newest first.
pub(super) async fn inputs(engine: &Engine) -> Result<Vec<String>> {
    let request: HistoryRequest = engine.decode(json!({ "limit": inputs::MOST }))?;
    let page = engine.history_as::<PromptSummary>(request).await?;
    Ok(page.sessions.into_iter().map(|found| found.session.original_input).collect())
}
