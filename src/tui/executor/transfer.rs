//! Exports and imports files. An export gets its name once whole; an unfinished one leaves nothing.

use std::path::Path;

use aludel_core::api::{ExportRequest, ImportRequest};
use aludel_core::domain::ImportReport;
use aludel_core::engine::Engine;
use aludel_core::error::{Error, Problem, Result};
use aludel_core::event::run::Run;
use aludel_core::event::{EventKind, Outcome, RunState, RunView, part};
use aludel_core::files::{NewFile, PRIVATE_FILE};
use aludel_core::transfer::{Stage, TransferProgress};
use serde_json::{Value, json};
use tokio::task::yield_now;

use crate::tui::batch::open_input;
use crate::tui::effect::CoreResult;

/// Writes prompts to a file and returns how many. An existing file is a conflict unless `replace`.
pub(super) async fn export(
    engine: &Engine,
    raw: Value,
    path: &str,
    replace: bool,
    watch: impl Fn(TransferProgress),
) -> Result<u64> {
    let request: ExportRequest = engine.decode(raw)?;
    if path.is_empty() {
        return Err(Error::value("file", "is empty: name the file to write"));
    }
    let path = Path::new(path);
    if !replace && path.is_file() {
        return Err(Error::Conflict(format!("there is a file {} already; Enter again replaces it", path.display())));
    }
    let mut file = NewFile::begin(path, PRIVATE_FILE)?;
    let mut export = engine.export(&request);
    let total = Some(export.total().await?);
    while let Some(piece) = export.next().await? {
        file.write(piece.as_bytes())?;
        watch(TransferProgress { stage: Stage::Writing, prompts: export.written(), total });
        // Lets the export be stopped here.
        yield_now().await;
    }
    file.finish()?;
    Ok(export.written())
}

/// Stores the prompts of a file. They are embedded in the background.
pub(super) async fn import(engine: &Engine, path: &str, watch: impl Fn(TransferProgress)) -> CoreResult<ImportReport> {
    let mut run = begin_import(engine, path).map_err(|error| Box::new(Problem::from(error)))?;
    let mut view = RunView::default();
    while let Some(event) = run.next().await {
        view.apply(&event);
        if let EventKind::Progress { part, done, total } = event.kind {
            let stage = if part.as_deref() == Some(part::CHECKING) { Stage::Checking } else { Stage::Storing };
            watch(TransferProgress { stage, prompts: done, total });
        }
    }
    match view.state {
        RunState::Finished(outcome) => match *outcome {
            Outcome::Import(report) => Ok(report),
            other => Err(Error::Internal(format!("an import came to a result of {}", other.operation()))),
        },
        RunState::Failed(problem) => return Err(problem),
        RunState::Waiting | RunState::Running | RunState::Cancelled => Err(Error::Cancelled),
    }
    .map_err(|error| Box::new(Problem::from(error)))
}

fn begin_import(engine: &Engine, path: &str) -> Result<Run> {
    let request: ImportRequest = engine.decode(json!({}))?;
    Ok(engine.import(request, open_input(Path::new(path))?))
}
