//! Saves finished prompts that the database did not take to a file that `import` reads.

use std::sync::{Arc, OnceLock};

use crate::config::Paths;
use crate::domain::Prompt;
use crate::error::Result;
use crate::pipeline::SaveAside;
use crate::store::Session;
use crate::transfer::{TransferFormat, Writer};
use crate::unsaved::UnsavedFile;

/// Saves the prompts of one run, in the format of `export`.
pub(super) fn save_aside(paths: Paths) -> SaveAside {
    let file = OnceLock::new();
    Arc::new(move |prompts: &[Prompt], session: &Session| {
        let records =
            prompts.iter().map(|prompt| Ok((prompt.id, record(prompt, session)?))).collect::<Result<Vec<_>>>()?;
        file.get_or_init(|| UnsavedFile::of(session.id, paths.clone())).save(records)
    })
}

/// A JSON line with the prompt and its run.
fn record(prompt: &Prompt, session: &Session) -> Result<String> {
    let mut line = String::new();
    Writer::new(TransferFormat::Jsonl).write(prompt, Some(session), &mut line)?;
    line.truncate(line.trim_end().len());
    Ok(line)
}
