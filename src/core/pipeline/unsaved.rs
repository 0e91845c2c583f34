//! Finished prompts that the store did not take: saved to a file, so that what was paid for is not lost.
//!
//! The file is written as soon as the store refuses a prompt, and once more with the scores when the run is ranked. What
//! a run says of such a prompt is the same everywhere: why it is not stored, where it is, how to take it in.

use std::path::PathBuf;

use super::plan::{Plan, Ports};
use crate::domain::Prompt;
use crate::error::{Error, Result};

/// Saves a prompt that the store refused; answers what is to be said of it.
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

/// Saves the same prompts again, now that they have scores. Without that they are saved as they were.
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
    // A disk that fails may take its time.
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|defect| Err(Error::Internal(format!("saving to a file ended abnormally: {defect}"))))
}
