//! Saves finished prompts that could not be stored to a file, so that paid work is not lost.
//!
//! The file is written as soon as the store refuses a prompt, and again with the scores once the
//! run is ranked. The message says why the prompt is not stored, where it is and how to import it.

use std::path::PathBuf;

use super::plan::{Plan, Ports};
use crate::domain::Prompt;
use crate::error::{Error, Result};

/// Saves a prompt that the store refused, and returns the error to report.
pub(super) async fn save(plan: &Plan, ports: &Ports, prompt: &Prompt, refused: &Error) -> Error {
    let id = prompt.id.short();
    let where_it_is = match save_all(plan, ports, vec![prompt.clone()]).await {
        Ok(path) => {
            let path = path.display();
            format!("it is saved in `{path}`: `aludel import {path}` stores it once that is fixed")
        }
        Err(error) => format!("and it could not be saved to a file either, so this output is its only copy: {error}"),
    };
    Error::Storage(format!("prompt {id} is finished but not stored: {refused}; {where_it_is}"))
}

/// Saves the same prompts again, with their scores.
pub(super) async fn save_scored(plan: &Plan, ports: &Ports, prompts: Vec<Prompt>) {
    if prompts.is_empty() {
        return;
    }
    if let Err(error) = save_all(plan, ports, prompts).await {
        tracing::warn!(%error, "the file of unsaved prompts is without their scores");
    }
}

async fn save_all(plan: &Plan, ports: &Ports, prompts: Vec<Prompt>) -> Result<PathBuf> {
    let (save_aside, session) = (ports.save_aside.clone(), plan.session());
    let work = move || save_aside(&prompts, &session);
    // A failing disk can be slow.
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|defect| Err(Error::Internal(format!("saving to a file ended abnormally: {defect}"))))
}
