//! Labelling in the workbench: chooses blind pairs and stores the person's choices.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::Engine;
use super::retrieve::no_prompt;
use crate::api::{HistoryRequest, PromptKey};
use crate::domain::{PromptId, PromptSummary, write_moment};
use crate::error::{Error, Result};
use crate::judge::labels::blind::{self, BlindPair, canonical_pair};
use crate::judge::labels::file;
use crate::judge::labels::parse::{self, LabelRecord};

/// The number of pairs in one sitting, about ten minutes of work.
pub const PAIRS_PER_SITTING: usize = 40;
/// The number of newest runs that pairs are taken from.
const NEWEST_RUNS: u32 = 200;

/// The pairs to label, and the labels file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelling {
    /// The labels file.
    pub path: PathBuf,
    /// The same path for display.
    pub shown_path: PathBuf,
    /// The pairs, in display order.
    pub pairs: Vec<BlindPair>,
    /// The number of labels already in the file.
    pub known: usize,
}

/// Which of a pair is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// The left one.
    Left,
    /// The right one.
    Right,
    /// Neither.
    Neither,
}

/// A stored label, with which it can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredLabel(LabelRecord);

impl Engine {
    /// Chooses pairs for a person to label: among these prompts, else within the newest runs.
    ///
    /// # Errors
    /// `validation_failed` when no two prompts make a pair; `not_found`; `storage`; `file`.
    pub async fn labelling(&self, among: &[PromptId]) -> Result<Labelling> {
        let path = self.paths().labels.clone();
        let mut labelled = BTreeSet::new();
        let mut known = 0;
        if std::fs::metadata(&path).is_ok_and(|found| found.len() > 0) {
            // Report an unusable labels file before the person starts, not after.
            let records = parse::read_records(&path)?;
            known = records.len();
            labelled.extend(records.iter().filter_map(|record| {
                let id = |id: &Option<String>| id.as_ref()?.parse::<PromptId>().ok();
                Some(canonical_pair(id(&record.a)?, id(&record.b)?))
            }));
        }
        let groups = if among.is_empty() { self.runs_to_label().await? } else { self.groups_of(among).await? };
        let pairs = blind::choose(&groups, &labelled, PAIRS_PER_SITTING);
        if pairs.is_empty() {
            let message = if among.is_empty() {
                "no stored run has two different prompts; generate two or more variants first"
            } else {
                "no two of the marked prompts come from one request and differ; mark two of one run"
            };
            return Err(Error::value("prompt_ids", message));
        }
        Ok(Labelling { shown_path: self.paths().shown(&path), path, pairs, known })
    }

    /// Appends a person's choice to the labels file. It is on disk when this returns.
    ///
    /// # Errors
    /// `file`, with the fix.
    pub fn keep_label(&self, pair: &BlindPair, better: Better) -> Result<StoredLabel> {
        let choice = match better {
            Better::Left => "a",
            Better::Right => "b",
            Better::Neither => "=",
        };
        // The texts let a label outlive its prompts.
        let record = LabelRecord {
            a: Some(pair.left.id.to_string()),
            b: Some(pair.right.id.to_string()),
            choice: Some(choice.to_owned()),
            task: Some(pair.task.clone()).filter(|task| !task.is_empty()),
            persona: pair.persona.clone(),
            at: Some(write_moment(self.inner.clock.now())),
            a_text: Some(pair.left.content.clone()),
            b_text: Some(pair.right.content.clone()),
        };
        file::append(&self.paths().labels, &record)?;
        Ok(StoredLabel(record))
    }

    /// Removes the label that was stored last.
    ///
    /// # Errors
    /// `conflict` when it is no longer the last line of the file; `file`.
    pub fn take_label_back(&self, kept: &StoredLabel) -> Result<()> {
        if file::take_back(&self.paths().labels, &kept.0)? {
            return Ok(());
        }
        let path = self.paths().shown(&self.paths().labels);
        Err(Error::Conflict(format!(
            "the label is not the last line of {} any more; remove it with an editor",
            path.display()
        )))
    }

    /// The newest runs with two or more prompts.
    async fn runs_to_label(&self) -> Result<Vec<Vec<PromptSummary>>> {
        let request = HistoryRequest { limit: Some(NEWEST_RUNS), ..HistoryRequest::default() };
        let page = self.history_as::<PromptSummary>(request).await?;
        Ok(page.sessions.into_iter().map(|run| run.prompts).filter(|prompts| prompts.len() > 1).collect())
    }

    /// These prompts, grouped by the input they were made from.
    async fn groups_of(&self, ids: &[PromptId]) -> Result<Vec<Vec<PromptSummary>>> {
        let mut groups: Vec<Vec<PromptSummary>> = Vec::new();
        for id in ids {
            let prompt = self.store().get(*id).await?.ok_or_else(|| no_prompt(&PromptKey::Id(*id)))?;
            let prompt = PromptSummary::from(prompt);
            let idea = prompt.original_input.trim();
            match groups.iter_mut().find(|group| group[0].original_input.trim() == idea) {
                Some(group) => group.push(prompt),
                None => groups.push(vec![prompt]),
            }
        }
        Ok(groups)
    }
}
