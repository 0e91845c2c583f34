//! Saves drafts in the background, and loads what earlier workbenches left.
//!
//! One task writes. It always saves the newest draft and skips those that were overtaken. Once no
//! more drafts can come, it ends with the last one saved.

use aludel_core::api::HistoryRequest;
use aludel_core::domain::{PromptSummary, SessionId};
use aludel_core::drafts::{Drafts, OrphanedDrafts};
use aludel_core::engine::Engine;
use aludel_core::error::{Error, Problem, Result};
use aludel_core::time::{Clock, SystemClock};
use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;

use crate::tui::effect::Draft;
use crate::tui::message::{DraftReply, Message};
use crate::tui::model::drafts::{CutShort, Leftovers};
use crate::tui::model::inputs;
use crate::tui::widgets::figures::age;

/// How a workbench's drafts begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DraftStart {
    /// With what an earlier workbench left.
    TakeUp,
    /// With an empty draft.
    Afresh,
}

/// Saves each newest draft until the sender is dropped.
pub(super) async fn write_down(
    engine: Engine,
    beginning: DraftStart,
    mut sheets: watch::Receiver<Draft>,
    answers: mpsc::Sender<Message>,
) {
    let mut drafts = engine.drafts();
    if beginning == DraftStart::TakeUp {
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
            // The receiver is gone once the screen is.
            _ = answers.send(Message::DraftState(DraftReply::NotKept(problem))).await;
        }
    }
}

fn keep(mut drafts: Drafts, sheet: &Draft) -> (Drafts, std::result::Result<(), Error>) {
    let kept = drafts.keep(&sheet.text, sheet.run);
    (drafts, kept)
}

/// What was left, in the form that is shown.
async fn leftovers(engine: &Engine, left: OrphanedDrafts) -> Leftovers {
    let now = SystemClock.now();
    let others = left.others.into_iter().map(|draft| draft.text).collect();
    let Some(newest) = left.newest else { return Leftovers { others, ..Leftovers::default() } };
    let cut_short = match newest.run {
        // Left out if the lookup fails.
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

/// How far `run` got, if it is one of the newest.
async fn cut_short(engine: &Engine, run: SessionId) -> Result<Option<CutShort>> {
    /// Allows for runs that other programs made since.
    const NEWEST: u32 = 20;
    let request: HistoryRequest = engine.decode(json!({ "limit": NEWEST }))?;
    let page = engine.history_as::<PromptSummary>(request).await?;
    let found = page.sessions.into_iter().find(|found| found.session.id == run);
    Ok(found.map(|found| CutShort { stored: found.prompts.len(), asked: found.session.count }))
}

/// The inputs of earlier runs, the newest first.
pub(super) async fn inputs(engine: &Engine) -> Result<Vec<String>> {
    let request: HistoryRequest = engine.decode(json!({ "limit": inputs::MOST }))?;
    let page = engine.history_as::<PromptSummary>(request).await?;
    Ok(page.sessions.into_iter().map(|found| found.session.original_input).collect())
}
