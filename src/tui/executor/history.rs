//! Queries and changes what is stored. Rows are small and safe before they reach the screen.

use aludel_core::api::{
    DeleteRequest, ListRequest, RestoreRequest, SearchBy, SearchRequest, ShowRequest, UpdateRequest,
};
use aludel_core::domain::{FoundPrompt, ListedPrompt, Prompt, PromptId, PromptSummary};
use aludel_core::engine::{Engine, Indexing};
use aludel_core::error::Result;
use aludel_core::time::{Clock, SystemClock};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant, sleep};

use super::{told, transfer};
use crate::tui::effect::{HistoryCommand, Question, Ticket};
use crate::tui::message::{HistoryReply, Message};
use crate::tui::model::history::{ResultFacts, ResultPage, Row, Start};

/// Interval between checks of the embedding progress.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Carries out `command`; an export or import also sends its progress to `answers`.
pub(super) async fn run_command(
    engine: &Engine,
    command: HistoryCommand,
    ticket: Ticket,
    answers: &mpsc::Sender<Message>,
) -> HistoryReply {
    let watch = |progress| {
        // If the screen is slow to take it, the next one does.
        _ = answers.try_send(Message::History { ticket, news: HistoryReply::Transferring(progress) });
    };
    match command {
        HistoryCommand::Find { wait_ms, question } => {
            sleep(Duration::from_millis(wait_ms)).await;
            HistoryReply::Found(told(find(engine, question).await.map(Box::new)))
        }
        HistoryCommand::Read(id) => HistoryReply::Read(told(read(engine, id).await.map(Box::new))),
        HistoryCommand::Update(raw) => HistoryReply::Updated(told(update(engine, raw).await.map(Box::new))),
        HistoryCommand::Delete(raw) => HistoryReply::Deleted(told(delete(engine, raw).await)),
        HistoryCommand::Restore(raw) => HistoryReply::Restored(told(restore(engine, raw).await)),
        HistoryCommand::Export { raw, path, replace } => {
            HistoryReply::Exported(told(transfer::export(engine, raw, &path, replace, watch).await))
        }
        HistoryCommand::Import(path) => {
            HistoryReply::Imported(transfer::import(engine, &path, watch).await.map(Box::new))
        }
    }
}

/// Reports the progress of embedding whenever it changes.
pub(super) async fn watch_indexing(engine: Engine, answers: mpsc::Sender<Message>) {
    let mut told = Indexing::default();
    loop {
        let now = engine.indexing();
        if now != told {
            told = now.clone();
            if answers.send(Message::Indexing(now)).await.is_err() {
                break;
            }
        }
        sleep(POLL_INTERVAL).await;
    }
}

async fn read(engine: &Engine, id: PromptId) -> Result<Prompt> {
    let request: ShowRequest = engine.decode(json!({ "prompt_id": id }))?;
    engine.show(request).await
}

async fn update(engine: &Engine, raw: Value) -> Result<Prompt> {
    let request: UpdateRequest = engine.decode(raw)?;
    engine.update(request).await
}

async fn delete(engine: &Engine, raw: Value) -> Result<Vec<PromptId>> {
    let request: DeleteRequest = engine.decode(raw)?;
    Ok(engine.delete(request).await?.deleted)
}

async fn restore(engine: &Engine, raw: Value) -> Result<Vec<PromptId>> {
    let request: RestoreRequest = engine.decode(raw)?;
    Ok(engine.restore(request).await?.restored.into_iter().map(|prompt| prompt.id).collect())
}

/// Finds rows, and measures how long that takes.
async fn find(engine: &Engine, question: Question) -> Result<ResultPage> {
    let began = Instant::now();
    let mut answer = match question {
        Question::List(raw) => list(engine, raw).await?,
        Question::Search(raw) => search(engine, raw).await?,
    };
    answer.facts.took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(answer)
}

async fn list(engine: &Engine, raw: Value) -> Result<ResultPage> {
    let request: ListRequest = engine.decode(raw)?;
    let page = engine.list_as::<PromptSummary>(request).await?;
    let row = |listed: &ListedPrompt<PromptSummary>| Row::listed(&listed.prompt, listed.near_duplicate_of);
    let rows = page.prompts.iter().map(row).collect();
    Ok(ResultPage { rows, next: page.next_cursor.map(Start::Cursor), facts: facts() })
}

async fn search(engine: &Engine, raw: Value) -> Result<ResultPage> {
    let request: SearchRequest = engine.decode(raw)?;
    let offset = request.offset;
    let found = engine.search_as::<PromptSummary>(request.clone()).await?;
    let nearest =
        if request.by == SearchBy::Text && found.total == 0 { engine.nearest_instead(&request).await } else { None };
    let end = offset + found.prompts.len() as u64;
    let is_all = found.prompts.is_empty() || end >= found.total;
    let row = |found: &FoundPrompt<PromptSummary>| Row::found(&found.prompt, &found.matched, found.near_duplicate_of);
    Ok(ResultPage {
        rows: found.prompts.iter().map(row).collect(),
        next: (!is_all).then_some(Start::Offset(end)),
        facts: ResultFacts {
            total: Some(found.total),
            warnings: found.warnings,
            nearest: nearest
                .map(|found| format!("{} {}", found.prompt.id.short(), Row::listed(&found.prompt, None).idea)),
            cost_usd: found.model_metadata.cost_usd.filter(|cost| *cost > 0.0),
            ..facts()
        },
    })
}

/// The facts of a result before any are known.
fn facts() -> ResultFacts {
    ResultFacts { total: None, warnings: Vec::new(), took_ms: 0, cost_usd: None, nearest: None, at: SystemClock.now() }
}
