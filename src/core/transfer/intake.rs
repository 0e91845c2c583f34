//! Stores imported records: new ones in batches; existing ones are left unchanged.
//!
//! A record with an existing id is compared: if every given field is equal it counts as existing,
//! otherwise as a conflict, and the stored prompt stays. Batches are stored atomically and durably,
//! so an interrupted import keeps what it stored and can be repeated.

use std::collections::{HashMap, HashSet};

use super::record::Record;
use crate::domain::{Conflict, ImportReport, Prompt, PromptId};
use crate::error::{Error, Result};
use crate::store::{Session, Store};

/// Records per batch.
const BATCH: usize = 500;

/// Bytes of text that complete a batch early.
const BATCH_BYTES: usize = 8 << 20;

/// Maximum conflicts reported individually.
const CONFLICTS_SHOWN: usize = 10;

/// Attempts at a batch while other processes store the same prompts.
const ATTEMPTS: usize = 5;

/// Stores records.
pub struct RecordImporter<'a> {
    store: &'a dyn Store,
    batch: Vec<Record>,
    places: HashMap<PromptId, usize>,
    bytes: usize,
    /// In a dry run, the ids that would be stored by now: sixteen bytes each.
    imagined: Option<HashSet<PromptId>>,
    pub(super) report: ImportReport,
}

impl<'a> RecordImporter<'a> {
    /// Stores into `store`, or only simulates it.
    pub fn into(store: &'a dyn Store, dry_run: bool) -> Self {
        Self {
            store,
            batch: Vec::new(),
            places: HashMap::new(),
            bytes: 0,
            imagined: dry_run.then(HashSet::new),
            report: ImportReport { dry_run, ..ImportReport::default() },
        }
    }

    /// Adds a record; stores a batch when full.
    ///
    /// # Errors
    /// `storage`.
    pub async fn take(&mut self, record: Record) -> Result<()> {
        self.report.records += 1;
        if let Some(first) = self.places.get(&record.prompt.id) {
            let stored = self.batch[*first].prompt.clone();
            self.compare(&record, &stored);
            return Ok(());
        }
        self.bytes += weight(&record.prompt);
        self.places.insert(record.prompt.id, self.batch.len());
        self.batch.push(record);
        if self.batch.len() >= BATCH || self.bytes >= BATCH_BYTES { self.flush().await } else { Ok(()) }
    }

    /// Stores the rest and returns the report.
    ///
    /// # Errors
    /// `storage`.
    pub async fn finish(mut self) -> Result<ImportReport> {
        self.flush().await?;
        Ok(self.report)
    }

    async fn flush(&mut self) -> Result<()> {
        let mut batch = std::mem::take(&mut self.batch);
        self.places.clear();
        self.bytes = 0;
        if let Some(imagined) = &mut self.imagined {
            let mut fresh = Vec::new();
            for record in batch {
                if imagined.contains(&record.prompt.id) { self.report.existing += 1 } else { fresh.push(record) }
            }
            batch = self.unstored(fresh).await?;
            self.report.imported += batch.len() as u64;
            let ids = batch.iter().map(|record| record.prompt.id);
            self.imagined.get_or_insert_default().extend(ids);
            return Ok(());
        }
        for _ in 0..ATTEMPTS {
            if batch.is_empty() {
                return Ok(());
            }
            let count = batch.len() as u64;
            let prompts = batch.iter().map(|record| record.prompt.clone()).collect();
            match self.store.append_with_sessions(prompts, sessions_of(&batch)).await {
                Ok(()) => {
                    self.report.imported += count;
                    return Ok(());
                }
                // Some exist already: they are removed, and the rest is tried again.
                Err(Error::Conflict(_)) => batch = self.unstored(batch).await?,
                Err(Error::Storage(error)) => return Err(self.cut_short(&error)),
                Err(error) => return Err(error),
            }
        }
        Err(Error::Conflict("other processes keep storing the prompts that are imported here; try again later".into()))
    }

    /// The error of an import interrupted by the store.
    fn cut_short(&self, error: &str) -> Error {
        let ImportReport { imported, existing, .. } = self.report;
        let before = match existing {
            0 => format!("{imported} prompts were stored before that"),
            _ => format!("{imported} prompts were stored before that, beside {existing} that were there"),
        };
        Error::Storage(format!(
            "the import stopped early: {error}; {before}, and the same import continues with the rest"
        ))
    }

    /// The records that are not stored; the others are compared and counted.
    async fn unstored(&mut self, batch: Vec<Record>) -> Result<Vec<Record>> {
        let mut fresh = Vec::with_capacity(batch.len());
        for record in batch {
            match self.store.get(record.prompt.id).await? {
                Some(stored) => self.compare(&record, &stored),
                None => fresh.push(record),
            }
        }
        Ok(fresh)
    }

    fn compare(&mut self, record: &Record, stored: &Prompt) {
        let fields = record.differences(stored);
        if fields.is_empty() {
            self.report.existing += 1;
            return;
        }
        self.report.conflicts += 1;
        if self.report.conflicting.len() < CONFLICTS_SHOWN {
            let (id, place) = (record.prompt.id, record.place.to_string());
            self.report.conflicting.push(Conflict { id, place, fields });
        }
    }
}

/// The runs of these records, without duplicates.
fn sessions_of(batch: &[Record]) -> Vec<Session> {
    let mut seen = HashSet::new();
    batch.iter().filter_map(|record| record.session.clone()).filter(|session| seen.insert(session.id)).collect()
}

/// Bytes of a prompt's texts.
fn weight(prompt: &Prompt) -> usize {
    let steps: usize = prompt.steps.iter().map(|step| step.content.len()).sum();
    let context: usize = prompt.context.iter().map(String::len).sum();
    prompt.content.len() + prompt.original_input.len() + steps + context
}
