//! Labels made in the workbench: pairs to choose between without knowing what they are, and the choices kept.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::Engine;
use super::retrieve::no_prompt;
use crate::api::{HistoryRequest, PromptKey};
use crate::domain::{PromptId, PromptSummary, write_moment};
use crate::error::{Error, Result};
use crate::judge::labels::blind::{self, BlindPair, unordered};
use crate::judge::labels::file;
use crate::judge::labels::parse::{self, LabelRecord};

/// Pairs of one sitting: some ten minutes.
pub const SITTING: usize = 40;
/// Runs that pairs are taken from, the newest.
const NEWEST_RUNS: u32 = 200;

/// What there is to label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelling {
    /// Where the labels go.
    pub path: PathBuf,
    /// The same as people are told of it.
    pub shown_path: PathBuf,
    /// The pairs, in the order in which they are shown.
    pub pairs: Vec<BlindPair>,
    /// Labels that the file holds already.
    pub known: usize,
}

/// Which of a pair is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// The one at the left.
    Left,
    /// The one at the right.
    Right,
    /// Neither.
    Neither,
}

/// A label that was kept, to take it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptLabel(LabelRecord);

impl Engine {
    /// Pairs for a person to label: among these prompts, else within the newest runs.
    ///
    /// # Errors
    /// `validation_failed` where no two prompts make a pair; `not_found`; `storage`; `file` for labels that cannot be read.
    pub async fn labelling(&self, among: &[PromptId]) -> Result<Labelling> {
        let path = self.paths().labels.clone();
        let mut labelled = BTreeSet::new();
        let mut known = 0;
        if std::fs::metadata(&path).is_ok_and(|found| found.len() > 0) {
            // Whatever cannot be used is better told before the work than after it.
            let records = parse::read_records(&path)?;
            known = records.len();
            labelled.extend(records.iter().filter_map(|record| {
                let id = |id: &Option<String>| id.as_ref()?.parse::<PromptId>().ok();
                Some(unordered(id(&record.a)?, id(&record.b)?))
            }));
        }
        let groups = if among.is_empty() { self.runs_to_label().await? } else { self.groups_of(among).await? };
        let pairs = blind::choose(&groups, &labelled, SITTING);
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

    /// Adds a person's choice to the labels. It is on the disk when this returns.
    ///
    /// # Errors
    /// `file`, with what to do.
    pub fn keep_label(&self, pair: &BlindPair, better: Better) -> Result<KeptLabel> {
        let choice = match better {
            Better::Left => "a",
            Better::Right => "b",
            Better::Neither => "=",
        };
        // With the texts a label outlives its prompts.
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
        Ok(KeptLabel(record))
    }

    /// Takes the label back that was kept last.
    ///
    /// # Errors
    /// `conflict` when it is not the last line of the file any more; `file`.
    pub fn take_label_back(&self, kept: &KeptLabel) -> Result<()> {
        if file::take_back(&self.paths().labels, &kept.0)? {
            return Ok(());
        }
        let path = self.paths().shown(&self.paths().labels);
        Err(Error::Conflict(format!(
            "the label is not the last line of {} any more; remove it with an editor",
            path.display()
        )))
    }

    /// The newest runs that have two or more prompts.
    async fn runs_to_label(&self) -> Result<Vec<Vec<PromptSummary>>> {
        let request = HistoryRequest { limit: Some(NEWEST_RUNS), ..HistoryRequest::default() };
        let page = self.history_as::<PromptSummary>(request).await?;
        Ok(page.sessions.into_iter().map(|run| run.prompts).filter(|prompts| prompts.len() > 1).collect())
    }

    /// These prompts by the idea they were made from.
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
